internal import Bytes
internal import Compression
internal import DebugInfo
internal import Files
internal import Identity
internal import JSON
internal import ObjectFiles
internal import SymbolIndex

extension SymbolStore {
  /// The largest slice that is kept, in bytes.
  static let maximumSliceSize = 16 << 30

  /// The retained slices of an image that its index is built from, the first with the image's companions and map.
  func sources(of record: ImageRecord) throws(StoreError) -> [IndexSource] {
    var sources: [IndexSource] = []
    for source in record.sources where !source.isConflicting {
      sources.append(IndexSource(object: try object(source.digest), digest: source.digest))
    }
    guard !sources.isEmpty else { return [] }
    sources[0].companions = try record.companions.map { companion throws(StoreError) in try file(companion) }
    if let digest = record.symbolMap { sources[0].symbolMap = try symbolMap(digest) }
    return sources
  }

  /// A retained file with a part of the debug information.
  func file(_ companion: ImageRecord.Companion) throws(StoreError) -> CompanionFile {
    CompanionFile(role: companion.role, unit: companion.unit, bytes: try retained(companion.digest))
  }

  /// A retained BCSymbolMap.
  func symbolMap(_ digest: ContentDigest) throws(StoreError) -> BCSymbolMap {
    guard let map = BCSymbolMap(try retained(digest)) else {
      throw StoreError(.damaged, directory.path(sourceName(digest)), "this is no BCSymbolMap")
    }
    return map
  }

  /// A retained slice, read back and held against its name.
  func object(_ digest: ContentDigest) throws(StoreError) -> ObjectFile {
    let bytes = try retained(digest)
    do throws(ObjectFileError) {
      guard let object = try Container(bytes).objects.first else {
        throw ObjectFileError(.notObjectFile, "no slice in it")
      }
      return object
    } catch {
      throw StoreError(.damaged, directory.path(sourceName(digest)), "\(error)")
    }
  }

  /// Retained bytes, decompressed and held against their name.
  func retained(_ digest: ContentDigest) throws(StoreError) -> ByteView {
    let name = sourceName(digest)
    guard let compressed = try directory.read(name) else {
      throw StoreError(.damaged, directory.path(name), "the retained file is missing")
    }
    let bytes: ByteView
    do throws(CompressionError) {
      bytes = try Zstd.decompress(compressed, limit: OutputLimit(bytes: Self.maximumSliceSize, ratio: .max))
    } catch {
      throw StoreError(.damaged, directory.path(name), "\(error)")
    }
    guard ContentDigest(of: bytes) == digest else {
      throw StoreError(.damaged, directory.path(name), "its bytes are not those it is named after")
    }
    return bytes
  }

  /// Whether the bytes are retained and good. Cost: decompressing and hashing them, with little memory.
  func isRetained(_ digest: ContentDigest) -> Bool {
    directory.contains(sourceName(digest)) && (try? checkRetained(digest)) != nil
  }

  /// Throws unless the bytes are retained and good.
  func checkRetained(_ digest: ContentDigest) throws(StoreError) {
    let path = directory.path(sourceName(digest))
    guard let compressed = try directory.read(sourceName(digest)) else {
      throw StoreError(.damaged, path, "the retained file is missing")
    }
    var found = DigestStream()
    do throws(CompressionError) {
      var frames = try ZstdDecompression(compressed)
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
      defer { room.deallocate() }
      while case let count = try frames.next(into: room), count > 0 {
        found.add(UnsafeRawBufferPointer(rebasing: room[..<count]))
      }
    } catch {
      throw StoreError(.damaged, path, "\(error)")
    }
    guard found.finish() == digest else {
      throw StoreError(.damaged, path, "its bytes are not those it is named after")
    }
  }

  private static var pieceSize: Int { 1 << 20 }

  /// Keeps bytes under their digest, compressed, and reads them back: what is said to be retained is. A damaged copy is
  /// replaced. Cost: little memory, however many there are.
  func retain(_ bytes: ByteView, _ digest: ContentDigest) throws(StoreError) {
    if isRetained(digest) { return }
    try directory.publish(to: sourceName(digest)) { (file) throws(StoreError) in
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
      defer { room.deallocate() }
      var frame = try compressing(digest) { () throws(CompressionError) in try ZstdCompression(bytes) }
      while case let count = try compressing(digest, { () throws(CompressionError) in try frame.next(into: room) }),
        count > 0
      {
        try file.write(UnsafeRawBufferPointer(rebasing: room[..<count]))
      }
    }
    try checkRetained(digest)
  }

  private func compressing<R: ~Copyable>(
    _ digest: ContentDigest, _ body: () throws(CompressionError) -> R
  ) throws(StoreError) -> R {
    do throws(CompressionError) {
      return try body()
    } catch {
      throw StoreError(.inputOutput, directory.path(sourceName(digest)), "cannot compress: \(error)")
    }
  }

  /// Publishes a small JSON file.
  func publish(to name: String, _ json: () throws(JSONWriterError) -> [UInt8]) throws(StoreError) {
    let bytes: [UInt8]
    do throws(JSONWriterError) {
      bytes = try json()
    } catch {
      throw StoreError(.inputOutput, directory.path(name), error.description)
    }
    try directory.publish(bytes, to: name)
  }
}
