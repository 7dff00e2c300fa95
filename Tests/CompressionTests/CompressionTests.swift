import Bytes
import Compression
import TestSupport
import Testing

let roomy = OutputLimit(bytes: 64 << 20)
let sizes = [0, 1, 2, 255, 4_096, 65_535, 65_536, 65_537, 131_073, 1_000_003]

@Suite struct RoundTrips {
  @Test(arguments: sizes) func `gzip gives back what was compressed`(size: Int) throws {
    let bytes = Samples.compressible(size, seed: UInt64(size))
    #expect(try Gzip.decompress(ByteView(Samples.gzip(bytes)), limit: roomy).array == bytes)
  }

  @Test(arguments: sizes) func `zlib gives back what was compressed`(size: Int) throws {
    let bytes = Samples.compressible(size, seed: UInt64(size))
    #expect(try Zlib.decompress(ByteView(Samples.zlib(bytes)), size: UInt64(size), limit: roomy).array == bytes)
  }

  @Test(arguments: sizes) func `zstd gives back what was compressed`(size: Int) throws {
    let bytes = Samples.compressible(size, seed: UInt64(size))
    let packed = try Zstd.compress(ByteView(bytes))
    #expect(Zstd.matches(packed))
    #expect(try Zstd.decompress(packed, limit: roomy).array == bytes)
    #expect(try Zstd.decompress(packed, size: UInt64(size), limit: roomy).array == bytes)
    #expect(try Zstd.decompress(ByteView(Samples.zstd(bytes)), limit: roomy).array == bytes)
  }

  @Test(arguments: [1, 7, 4_096, 1 << 20]) func `zstd in parts gives what it gives at once`(part: Int) throws {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: part, alignment: 16)
    defer { room.deallocate() }
    for size in [0, 1, 4_096, 300_000] {
      let bytes = Samples.compressible(size, seed: UInt64(size))
      var compression = try ZstdCompression(ByteView(bytes))
      var packed: [UInt8] = []
      while case let count = try compression.next(into: room), count > 0 { packed += room[..<count] }
      #expect(ByteView(packed) == (try Zstd.compress(ByteView(bytes))))
      // Frames may follow each other.
      var decompression = try ZstdDecompression(ByteView(packed + packed))
      var whole: [UInt8] = []
      while case let count = try decompression.next(into: room), count > 0 { whole += room[..<count] }
      #expect(whole == bytes + bytes)
      var cut = try ZstdDecompression(ByteView(packed.dropLast()))
      #expect(throws: CompressionError.self) { while try cut.next(into: room) > 0 {} }
    }
    #expect(throws: CompressionError.self) { _ = try ZstdDecompression(ByteView([1, 2, 3, 4, 5])) }
  }

  @Test func `zstd compresses the same bytes to the same bytes`() throws {
    let bytes = ByteView(Samples.compressible(300_000, seed: 7))
    let first = try Zstd.compress(bytes)
    #expect(first.count < bytes.count)
    for _ in 0..<3 { #expect(try Zstd.compress(bytes) == first) }
  }

  @Test func `a slice in the middle of other bytes decompresses like the whole`() throws {
    let bytes = Samples.compressible(10_000, seed: 1)
    let packed = Samples.gzip(bytes)
    let around = ByteView([1, 2, 3] + packed + [4, 5, 6])
    let slice = try #require(around.slice(at: 3, count: UInt64(packed.count)))
    #expect(try Gzip.decompress(slice, limit: roomy).array == bytes)
  }

  @Test func `a gzip file made elsewhere is read, with its file name in the header`() throws {
    // printf 'hello, world\n' >hello.txt; gzip -c hello.txt
    let file = try #require(
      [UInt8](hex: "1f8b08081af30d6b000368656c6c6f2e74787400cb48cdc9c9d75128cf2fca49e10200537424f40d000000"))
    #expect(try Gzip.decompress(ByteView(file), limit: roomy).text == "hello, world\n")
  }
}

@Suite struct JoinedStreams {
  let parts = [Samples.compressible(70_000, seed: 1), [], Samples.compressible(3, seed: 2)]

  @Test func `members of a gzip file are joined`() throws {
    let file = parts.flatMap(Samples.gzip)
    #expect(try Gzip.decompress(ByteView(file), limit: roomy).array == parts.flatMap { $0 })
  }

  @Test func `zero bytes after a gzip file are padding, others are damage`() throws {
    let file = Samples.gzip(parts[0])
    #expect(try Gzip.decompress(ByteView(file + [0, 0, 0]), limit: roomy).array == parts[0])
    #expect(throws: CompressionError(.damaged, at: file.count)) {
      try Gzip.decompress(ByteView(file + [0, 0, 7]), limit: roomy)
    }
  }

  @Test func `a zlib section may be several streams; what follows the declared size is ignored`() throws {
    let section = parts.flatMap(Samples.zlib)
    let whole = parts.flatMap { $0 }
    #expect(try Zlib.decompress(ByteView(section), size: UInt64(whole.count), limit: roomy).array == whole)
    #expect(try Zlib.decompress(ByteView(section + [9, 9]), size: UInt64(whole.count), limit: roomy).array == whole)
  }

  @Test func `zstd frames are joined, and frames to be skipped are skipped`() throws {
    let skipped: [UInt8] = [0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 0xaa, 0xbb]
    let file = Samples.zstd(parts[0]) + skipped + Samples.zstd(parts[1]) + Samples.zstd(parts[2]) + skipped
    #expect(try Zstd.decompress(ByteView(file), limit: roomy).array == parts.flatMap { $0 })
  }
}

/// One of the four ways in, by name, so that the same hostile inputs go through all.
enum Way: String, CaseIterable, CustomTestStringConvertible {
  case gzip, zlib, zstd, zstdSection

  var testDescription: String { rawValue }

  func pack(_ bytes: [UInt8]) throws -> [UInt8] {
    switch self {
    case .gzip: Samples.gzip(bytes)
    case .zlib: Samples.zlib(bytes)
    case .zstd, .zstdSection: try Zstd.compress(ByteView(bytes)).array
    }
  }

  func unpack(_ bytes: [UInt8], size: Int, limit: OutputLimit = roomy) throws(CompressionError) -> ByteView {
    let view = ByteView(bytes)
    switch self {
    case .gzip: return try Gzip.decompress(view, limit: limit)
    case .zlib: return try Zlib.decompress(view, size: UInt64(size), limit: limit)
    case .zstd: return try Zstd.decompress(view, limit: limit)
    case .zstdSection: return try Zstd.decompress(view, size: UInt64(size), limit: limit)
    }
  }

  func failure(_ bytes: [UInt8], size: Int, limit: OutputLimit = roomy) -> CompressionError? {
    do throws(CompressionError) {
      _ = try unpack(bytes, size: size, limit: limit)
      return nil
    } catch { return error }
  }
}

@Suite struct HostileInput {
  @Test(arguments: Way.allCases) func `every truncation is an error that says so`(way: Way) throws {
    let bytes = Samples.compressible(3_000, seed: 11)
    let packed = try way.pack(bytes)
    for length in 0..<packed.count {
      #expect(way.failure(Array(packed[..<length]), size: bytes.count) == CompressionError(.truncated, at: length))
    }
  }

  @Test(arguments: Way.allCases) func `no changed byte goes unnoticed where a checksum covers it`(way: Way) throws {
    let bytes = Samples.compressible(400, seed: 12)
    let packed = try way.pack(bytes)
    for index in packed.indices {
      for flip in [UInt8(0x01), 0x80, 0xff] {
        var changed = packed
        changed[index] ^= flip
        // Bytes of a header that carry no data (time, operating system, level) may change freely.
        guard let result = try? way.unpack(changed, size: bytes.count) else { continue }
        #expect(result.array == bytes, "byte \(index) xor \(flip)")
      }
    }
  }

  @Test(arguments: Way.allCases) func `random mutations give an error or bounded output, never a trap`(way: Way) throws
  {
    var random = SeededGenerator(seed: 13)
    let limit = OutputLimit(bytes: 100_000)
    for round in 0..<400 {
      let bytes = Samples.compressible(Int.random(in: 0...5_000, using: &random), seed: UInt64(round))
      var packed = try way.pack(bytes)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: packed.insert(.random(in: 0...255, using: &random), at: .random(in: 0...packed.count, using: &random))
        case 1 where !packed.isEmpty: packed.remove(at: .random(in: 0..<packed.count, using: &random))
        default:
          if let index = packed.indices.randomElement(using: &random) {
            packed[index] = .random(in: 0...255, using: &random)
          }
        }
      }
      if let output = try? way.unpack(packed, size: bytes.count, limit: limit) {
        #expect(output.count <= limit.bytes)
      }
    }
  }

  @Test(arguments: Way.allCases) func `bytes of another kind are told apart from damaged ones`(way: Way) {
    #expect(way.failure(Array("{\"a\":1}".utf8), size: 7)?.code == .notCompressed)
    #expect(way.failure([], size: 0)?.code == .truncated)
  }

  @Test(arguments: Way.allCases) func `one byte more than the limit is refused, the limit itself is not`(way: Way)
    throws
  {
    let bytes = Samples.compressible(200_000, seed: 14)
    let packed = try way.pack(bytes)
    #expect(try way.unpack(packed, size: bytes.count, limit: OutputLimit(bytes: bytes.count)).array == bytes)
    let failure = way.failure(packed, size: bytes.count, limit: OutputLimit(bytes: bytes.count - 1))
    #expect(failure?.code == .limit(bytes: bytes.count - 1))
  }

  @Test(arguments: Way.allCases) func `a bomb stops at the ratio`(way: Way) throws {
    let bytes = [UInt8](repeating: 0, count: 24 << 20)
    let packed = try way.pack(bytes)
    let limit = OutputLimit(bytes: 1 << 30, ratio: 500)
    #expect(packed.count * 500 < bytes.count)
    #expect(way.failure(packed, size: bytes.count, limit: limit)?.code == .ratio(500))
    // The same bytes pass where the ratio does not count yet.
    let generous = OutputLimit(bytes: 1 << 30, ratio: 500, ratioFloor: bytes.count)
    #expect(try way.unpack(packed, size: bytes.count, limit: generous).count == bytes.count)
  }

  @Test(arguments: [Way.zlib, .zstdSection]) func `a declared size that lies is an error, both ways`(way: Way) throws {
    let bytes = Samples.compressible(100_000, seed: 15)
    let packed = try way.pack(bytes)
    for lie in [0, 10, bytes.count - 1, bytes.count + 1, 16 << 20] {
      #expect(way.failure(packed, size: lie)?.code == .declaredSize(lie))
    }
    let size = 1_001 * packed.count
    let strict = OutputLimit(bytes: size, ratioFloor: 0)
    #expect(way.failure(packed, size: size, limit: strict) == CompressionError(.ratio(1_000), at: 0))
    #expect(way.failure(packed, size: Int.max)?.code == .limit(bytes: roomy.bytes))
  }

  @Test func `a declared size takes no memory`() {
    // 2^62 bytes are declared and allowed; the error comes from the data, not from the allocation.
    let limit = OutputLimit(bytes: .max, ratio: .max)
    let packed = Samples.zlib([1, 2, 3])
    #expect(Way.zlib.failure(packed, size: 1 << 62, limit: limit)?.code == .declaredSize(1 << 62))
  }

  @Test func `features that are not supported say so`() {
    var odd = Samples.gzip([1])
    odd[2] = 7
    #expect(Way.gzip.failure(odd, size: 1) == CompressionError(.unsupported, at: 2))
    odd = Samples.gzip([1])
    odd[3] = 0x80
    #expect(Way.gzip.failure(odd, size: 1) == CompressionError(.unsupported, at: 3))
    // RFC 1950: FDICT set, then the dictionary's Adler-32.
    #expect(Way.zlib.failure([0x78, 0xbb, 0, 0, 0, 1, 3, 0], size: 1)?.code == .unsupported)
    // RFC 8878 3.1.1.1.2: a window of 2^41 bytes.
    #expect(Way.zstd.failure([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 1, 0, 0], size: 1)?.code == .unsupported)
  }
}

@Suite struct ErrorText {
  @Test func `names the reason and the place`() {
    #expect(CompressionError(.truncated, at: 64).description == "compressed data is truncated at byte 0x40")
    #expect(
      CompressionError(.limit(bytes: 10), at: 0).description
        == "decompressed data passes the limit of 10 bytes at byte 0x0")
  }
}
