import Bytes
import Identity
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing

/// An index file that is not as it was written is refused, or gives the answers it gave.
@Suite struct IndexReading {
  private let file: [UInt8]
  private let answers: [[String]]

  init() throws {
    file = try product(sources(path: SampleSymbols.small.path)).bytes
    answers = try Self.answers(of: SymbolIndex(ByteView(file)))
  }

  /// What an index says at many offsets, inside and outside the code.
  private static func answers(of index: SymbolIndex) -> [[String]] {
    stride(from: 0x3f00, to: 0x4800, by: 20).map { index.lookup($0).lines } + [index.lookup(1 << 40).lines]
  }

  private func open(_ bytes: [UInt8]) -> Result<SymbolIndex, IndexError> {
    Result { () throws(IndexError) in try SymbolIndex(ByteView(bytes)) }
  }

  @Test func `the whole file opens and says what it holds`() throws {
    let index = try SymbolIndex(ByteView(file))
    let object = try #require(sources(path: SampleSymbols.small.path).first).object
    #expect(index.debugID == object.debugID)
    #expect(index.imageBase == object.imageBase)
    #expect(index.imageSize == object.imageSize)
    #expect(index.cpu == (object.architecture.cpuType, object.architecture.cpuSubtype))
    #expect(index.builderRevision == SymbolIndex.currentRevision)
    let summary = try index.summary()
    #expect(try summary == product(sources(path: SampleSymbols.small.path)).summary)
    #expect(summary.unitCount > 0)
    #expect(summary.problems.isEmpty)
    #expect(try #require(summary.coverage) > 0.5)
    #expect(answers.contains { $0.count > 1 })
  }

  @Test func `cut off at every byte it is refused`() {
    for length in stride(from: 0, to: file.count, by: 3) {
      guard case .failure(let error) = open(Array(file[..<length])) else {
        Issue.record("\(length) bytes of \(file.count) open")
        continue
      }
      #expect(error.code == .corrupt)
    }
    if case .success = open(file + [0]) { Issue.record("a byte too many opens") }
  }

  @Test func `every byte turned over is refused or changes no answer`() throws {
    let places = Array(0..<600) + Array(stride(from: 600, to: file.count, by: 7))
    for place in places {
      for mask: UInt8 in [0x01, 0x80] {
        var damaged = file
        damaged[place] ^= mask
        switch open(damaged) {
        case .failure(let error): #expect(error.code == .corrupt || (8...9).contains(place), "byte \(place)")
        case .success(let index):
          #expect(Self.answers(of: index) == answers, "byte \(place)")
          _ = try? index.summary()
        }
      }
    }
  }

  @Test(arguments: [2, 3, 0xffff] as [UInt16]) func `a newer format is refused as newer, not as damaged`(major: UInt16)
  {
    var newer = file
    newer.replaceSubrange(8..<10, with: [UInt8(major & 0xff), UInt8(major >> 8)])
    guard case .failure(let error) = open(newer) else {
      Issue.record("it opens")
      return
    }
    #expect(error.code == .newer)
    #expect(error.description.contains("\(major)"))
  }

  @Test func `format 0, which never was, is damage and not a newer format`() {
    var damaged = file
    damaged[8] = 0
    guard case .failure(let error) = open(damaged) else {
      Issue.record("it opens")
      return
    }
    #expect(error.code == .corrupt)
  }

  @Test func `numbers that lie in spite of right checksums never trap`() throws {
    // Every 32-bit number of the tables at its extremes, with the checksums made right again.
    let directory = 136
    let count = Int(ByteView(file).load(at: 128, as: UInt32.self) ?? 0)
    for entry in 0..<count {
      let at = directory + entry * 32
      let view = ByteView(file)
      let kind = view.load(at: at, as: UInt32.self) ?? 0
      let offset = Int(view.load(at: at + 8, as: UInt64.self) ?? 0)
      let length = Int(view.load(at: at + 16, as: UInt64.self) ?? 0)
      for place in stride(from: 0, to: min(length, 400), by: 4) {
        for value: UInt32 in [0, 1, 0xffff, 0x7fff_ffff, .max] {
          var damaged = file
          damaged = HeaderField("number", offset + place, min(4, length - place)).setting(
            UInt64(value), in: damaged, order: .little)
          damaged = sealed(damaged, entry: at, offset: offset, length: length)
          if case .success(let index) = open(damaged) {
            _ = Self.answers(of: index)
            _ = index.lookup(UInt64(value), isReturnAddress: true)
            _ = try? index.summary()
          } else {
            Issue.record("section \(kind): the checksums were not made right")
          }
        }
      }
    }
    #expect(count == 10)
  }

  /// The file with the checksums of one section and of the header made right.
  private func sealed(_ bytes: [UInt8], entry: Int, offset: Int, length: Int) -> [UInt8] {
    var file = ByteWriter()
    file.bytes = bytes
    file.patch(bytes[offset..<(offset + length)].crc32c, at: entry + 24)
    file.patch(UInt32(0), at: 12)
    let end = 136 + Int(ByteView(bytes).load(at: 128, as: UInt32.self) ?? 0) * 32
    file.patch(file.bytes[..<end].crc32c, at: 12)
    return file.bytes
  }

  @Test func `header numbers that lie in spite of right checksums are refused or harmless`() throws {
    let end = 136 + 10 * 32
    for place in stride(from: 16, to: end, by: 4) {
      for value: UInt32 in [0, 1, 63, 0xffff, 0x7fff_ffff, .max] {
        var damaged = ByteWriter()
        damaged.bytes = file
        damaged.patch(value, at: place)
        let count = Int(ByteView(damaged.bytes).load(at: 128, as: UInt32.self) ?? 0)
        let covered = 136 + count * 32
        guard covered <= file.count else { continue }
        damaged.patch(UInt32(0), at: 12)
        damaged.patch(damaged.bytes[..<covered].crc32c, at: 12)
        if case .success(let index) = open(damaged.bytes) { _ = Self.answers(of: index) }
      }
    }
    #expect(answers.count > 20)
  }

  @Test func `an empty file, zeros and text are refused`() {
    for bytes in [[], [UInt8](repeating: 0, count: 4096), Array("SCX".utf8), Array(file.prefix(8))] {
      guard case .failure(let error) = open(bytes) else {
        Issue.record("\(bytes.count) bytes open")
        continue
      }
      #expect(error.code == .corrupt)
    }
  }
}
