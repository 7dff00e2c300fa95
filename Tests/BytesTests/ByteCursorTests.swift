import Bytes
import Testing

@Suite struct Cursor {
  @Test func `reads move forward by what they read`() throws {
    var cursor = ByteCursor(ByteView([1, 2, 3, 4, 5, 6, 7, 0x61, 0, 9]))
    #expect(try cursor.read(UInt8.self) == 1)
    #expect(try cursor.read(UInt16.self) == 0x0302)
    #expect(try cursor.read(count: 2) == ByteView([4, 5]))
    try cursor.skip(2)
    #expect(try cursor.readCString().text == "a")
    #expect(cursor.offset == 9 && cursor.remaining == 1)
    try cursor.seek(to: 0)
    #expect(try cursor.read(UInt32.self) == 0x0403_0201)
    try cursor.seek(to: 10)
    #expect(cursor.remaining == 0)
  }

  @Test func `the byte order is the cursor's`() throws {
    var cursor = ByteCursor(ByteView([1, 2, 3, 4]), order: .big)
    #expect(try cursor.read(UInt32.self) == 0x0102_0304)
  }

  @Test(arguments: [(-1, 0), (Int.min, 0), (0, 0), (3, 3), (4, 4), (5, 4), (Int.max, 4)])
  func `a start outside is moved to the nearest end`(start: Int, offset: Int) {
    #expect(ByteCursor(ByteView([1, 2, 3, 4]), at: start).offset == offset)
  }

  @Test(arguments: 0...4) func `a read that fails throws at its place and does not move`(start: Int) {
    var cursor = ByteCursor(ByteView([0x80, 0x80, 0x80, 0x80]), at: start)
    let left = UInt64(4 - start)
    func fails(_ code: ByteError.Code, at offset: Int, _ read: (inout ByteCursor) throws -> Void) {
      #expect(throws: ByteError(code, at: offset)) { try read(&cursor) }
      #expect(cursor.offset == start)
    }
    fails(.truncated, at: start) { _ = try $0.read(UInt64.self) }
    fails(.truncated, at: start) { _ = try $0.read(count: left + 1) }
    fails(.truncated, at: start) { _ = try $0.read(count: .max) }
    fails(.truncated, at: start) { try $0.skip(left + 1) }
    fails(.truncated, at: start) { try $0.skip(.max) }
    fails(.truncated, at: start) { try $0.seek(to: 5) }
    fails(.truncated, at: start) { try $0.seek(to: .max) }
    fails(.truncated, at: 4) { _ = try $0.readULEB128() }
    fails(.unterminatedString, at: start) { _ = try $0.readCString() }
  }

  @Test func `an error says what and where`() {
    #expect(ByteError(.truncated, at: 64).description == "truncated at byte 0x40")
    #expect(ByteError(.numberTooLarge, at: 0).description == "number too large at byte 0x0")
    #expect(ByteError(.unterminatedString, at: 10).description == "unterminated string at byte 0xa")
  }
}

@Suite struct LEB128 {
  private func encoded(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  @Test func `every length and the numbers at its ends are read`() throws {
    for bits in 0...63 {
      for value in [UInt64(1) << bits, UInt64(1) << bits - 1, UInt64.max >> (63 - bits)] {
        var cursor = ByteCursor(ByteView(encoded(value) + [0xee]))
        #expect(try cursor.readULEB128() == value)
        #expect(cursor.remaining == 1)
      }
    }
  }

  /// The examples of DWARF 5, appendix C, for unsigned LEB128 numbers.
  @Test(
    arguments: [
      ([2], 2), ([127], 127), ([0x80, 1], 128), ([0x81, 1], 129), ([0x82, 1], 130), ([0xb9, 0x64], 12_857),
    ] as [([UInt8], UInt64)])
  func `the examples of the DWARF standard`(bytes: [UInt8], value: UInt64) throws {
    var cursor = ByteCursor(ByteView(bytes))
    #expect(try cursor.readULEB128() == value)
  }

  @Test(arguments: 1...9) func `numbers padded with zeros to at most ten bytes are read`(padding: Int) throws {
    var cursor = ByteCursor(ByteView([0x85] + [UInt8](repeating: 0x80, count: padding - 1) + [0]))
    #expect(try cursor.readULEB128() == 5)
    #expect(cursor.remaining == 0)
  }

  @Test(
    arguments: [
      // Nine, ten, eleven and ten million continuation bytes before the last.
      (9, 0x01, nil), (9, 0x02, .numberTooLarge), (9, 0x7f, .numberTooLarge), (9, 0x00, nil),
      (10, 0x00, .numberTooLarge), (10, 0x01, .numberTooLarge), (11, 0x00, .numberTooLarge),
      (10_000_000, 0x00, .numberTooLarge), (10_000_000, 0x01, .numberTooLarge),
    ] as [(Int, UInt8, ByteError.Code?)])
  func `a number is at most ten bytes long`(continuations: Int, last: UInt8, code: ByteError.Code?) throws {
    for filler in [UInt8(0x80), 0xff] {
      var cursor = ByteCursor(ByteView([UInt8](repeating: filler, count: continuations) + [last]))
      guard let code else {
        let low: UInt64 = filler == 0x80 ? 0 : UInt64.max >> 1
        #expect(try cursor.readULEB128() == low | UInt64(last) << 63)
        continue
      }
      #expect(throws: ByteError(code, at: 0)) { try cursor.readULEB128() }
      #expect(cursor.offset == 0)
    }
  }

  @Test(arguments: 0...9) func `a number that breaks off is truncated where the bytes end`(count: Int) {
    var cursor = ByteCursor(ByteView([UInt8](repeating: 0x80, count: count)))
    #expect(throws: ByteError(.truncated, at: count)) { try cursor.readULEB128() }
  }
}
