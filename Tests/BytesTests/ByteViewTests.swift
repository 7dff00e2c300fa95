import Bytes
import Testing

@Suite struct Slices {
  let view = ByteView(Array(0..<16))

  @Test func `every slice inside holds its bytes, and every other one is refused`() {
    for offset in 0..<20 as Range<UInt64> {
      for count in 0..<20 as Range<UInt64> {
        let slice = view.slice(at: offset, count: count)
        if offset + count <= 16 {
          #expect(slice == ByteView((offset..<offset + count).map(UInt8.init)))
        } else {
          #expect(slice == nil)
        }
      }
    }
  }

  @Test(
    arguments: [
      (0, UInt64.max), (1, UInt64.max), (UInt64.max, 0), (UInt64.max, 1), (UInt64.max, UInt64.max), (16, 1), (17, 0),
      (1 << 63, 1 << 63), (UInt64(Int.max), 1),
    ] as [(UInt64, UInt64)])
  func `numbers near the ends of 64 bits do not wrap around`(offset: UInt64, count: UInt64) {
    #expect(view.slice(at: offset, count: count) == nil)
    #expect((view.suffix(from: offset) == nil) == (offset > 16))
  }

  @Test func `a slice of a slice counts from the slice and stays inside it`() throws {
    let slice = try #require(view.slice(at: 4, count: 8))
    #expect(try #require(slice.slice(at: 2, count: 6)) == ByteView(Array(6..<12)))
    #expect(slice.slice(at: 2, count: 7) == nil)
    #expect(slice.load(at: 8, as: UInt8.self) == nil)
    #expect(try #require(slice.suffix(from: 8)).isEmpty)
  }

  @Test func `a slice keeps its bytes alive after the whole is gone`() throws {
    func slice() -> ByteView? { ByteView([UInt8](repeating: 0xab, count: 100_000)).slice(at: 99_990, count: 10) }
    let kept = try #require(slice())
    _ = ByteView([UInt8](repeating: 0xcd, count: 100_000))
    #expect(kept == ByteView([UInt8](repeating: 0xab, count: 10)))
  }
}

@Suite struct Loads {
  let bytes: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe]

  private func check<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) {
    let view = ByteView(bytes)
    let size = MemoryLayout<T>.size
    for offset in -3...bytes.count + 3 {
      guard offset >= 0, offset + size <= bytes.count else {
        #expect(view.load(at: offset, as: T.self) == nil, "\(type) at \(offset)")
        continue
      }
      let part = bytes[offset..<offset + size]
      let big = part.reduce(T(0)) { $0 << 8 | T(truncatingIfNeeded: $1) }
      let little = part.reversed().reduce(T(0)) { $0 << 8 | T(truncatingIfNeeded: $1) }
      #expect(
        view.load(at: offset, as: T.self, order: .big) == (size == 1 ? T(truncatingIfNeeded: bytes[offset]) : big))
      #expect(view.load(at: offset, as: T.self) == (size == 1 ? T(truncatingIfNeeded: bytes[offset]) : little))
    }
    for offset in [Int.min, Int.min + 1, Int.max, Int.max - 1] {
      #expect(view.load(at: offset, as: T.self) == nil)
      #expect(ByteView.empty.load(at: offset, as: T.self) == nil)
    }
    #expect(ByteView.empty.load(at: 0, as: T.self) == nil)
  }

  @Test func `every width is read in both orders at every offset, aligned or not, and nowhere else`() {
    check(UInt8.self)
    check(Int8.self)
    check(UInt16.self)
    check(Int16.self)
    check(UInt32.self)
    check(Int32.self)
    check(UInt64.self)
    check(Int64.self)
  }
}

@Suite struct Texts {
  let view = ByteView(Array("ab\u{0}\u{0}cd".utf8))

  @Test func `a text ends before its zero`() throws {
    #expect(view.cString(at: 0)?.text == "ab")
    #expect(view.cString(at: 1)?.text == "b")
    #expect(view.cString(at: 2)?.text == "")
    #expect(view.cString(at: 3)?.text == "")
  }

  @Test(arguments: [4, 5, 6, 7, -1, Int.min, Int.max]) func `without a zero or a place there is none`(offset: Int) {
    #expect(view.cString(at: offset) == nil)
  }

  @Test func `a text may be as long as the limit, and no longer`() {
    #expect(view.cString(at: 0, limit: 3)?.text == "ab")
    #expect(view.cString(at: 0, limit: 2)?.text == "ab")
    #expect(view.cString(at: 0, limit: 1) == nil)
    #expect(view.cString(at: 2, limit: 0)?.text == "")
    #expect(view.cString(at: 4, limit: 1) == nil)
    #expect(view.cString(at: 0, limit: -1) == nil)
    #expect(view.cString(at: 0, limit: .max)?.text == "ab")
  }

  @Test func `bytes that are no UTF-8 become replacement characters`() {
    #expect(ByteView([0x61, 0xff, 0x62]).text == "a\u{fffd}b")
    #expect(ByteView.empty.text == "")
  }
}

@Suite struct Views {
  @Test func `a view of any collection holds its bytes`() {
    #expect(ByteView([1, 2, 3][1...]).withBytes { Array($0) } == [2, 3])
    #expect(ByteView("añ".utf8).withBytes { Array($0) } == [0x61, 0xc3, 0xb1])
    #expect(ByteView([]).isEmpty)
    #expect(ByteView([7]).withSpan { $0.count == 1 && $0[0] == 7 })
  }

  @Test func `views are equal by their bytes`() {
    let a = ByteView([1, 2, 3, 1, 2, 3])
    #expect(a.slice(at: 0, count: 3) == a.slice(at: 3, count: 3))
    #expect(ByteView([1]) != ByteView([2]))
    #expect(ByteView([1]) != ByteView([1, 0]))
  }

  @Test(arguments: [-5, 0, 1, 3, 4, 5, Int.max]) func `only what was written is visible`(reported: Int) {
    let view = ByteView(capacity: 4) { room in
      for index in room.indices { room[index] = UInt8(index) }
      return reported
    }
    #expect(view == ByteView(Array([0, 1, 2, 3].prefix(max(0, reported)))))
  }

  @Test func `an error while filling comes through`() {
    #expect(throws: ByteError(.truncated, at: 9)) {
      try ByteView(capacity: 4) { _ throws(ByteError) in throw ByteError(.truncated, at: 9) }
    }
  }
}

@Suite struct Builders {
  // The macros cannot look into a value that cannot be copied, so each result gets a name first.

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 300_000]) func `what was appended comes out`(size: Int) {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var builder = ByteBuilder()
    while builder.makeRoom(limit: size) {
      let start = builder.count
      builder.append { room in
        let part = bytes[start..<min(size, start + 10_007)].prefix(room.count)
        room.copyBytes(from: part)
        return part.count
      }
    }
    let view = builder.finish()
    #expect(view == ByteView(bytes))
  }

  @Test func `there is no room beyond the limit, and a claim of more than the room is cut`() {
    var builder = ByteBuilder()
    let hasRoomForNothing = builder.makeRoom(limit: 0)
    builder.append { _ in 5 }
    let countWithoutRoom = builder.count
    let hasRoom = builder.makeRoom(limit: 3)
    builder.append { room in
      for index in room.indices { room[index] = 9 }
      return Int.max
    }
    let hasRoomWhenFull = builder.makeRoom(limit: 3)
    let view = builder.finish()
    #expect(!hasRoomForNothing && countWithoutRoom == 0)
    #expect(hasRoom && !hasRoomWhenFull)
    #expect(view == ByteView([9, 9, 9]))
  }

  @Test func `more memory than there is, is refused and not fatal`() {
    var builder = ByteBuilder()
    let hasAll = builder.reserve(Int.max)
    let hasSome = builder.reserve(10)
    let view = builder.finish()
    #expect(!hasAll && hasSome)
    #expect(view.isEmpty)
  }
}
