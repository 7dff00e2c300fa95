import Bytes
import Identity
import ObjectFiles
import TestSupport
import Testing

@Suite struct ELFFiles {
  @Test(arguments: [true, false], [ByteOrder.little, .big])
  func `both classes and both byte orders read alike`(is64Bit: Bool, order: ByteOrder) throws {
    var builder = Sample.elf {
      $0.is64Bit = is64Bit
      $0.order = order
    }
    let file = try object(builder.build())
    #expect(file.format == .elf)
    #expect(file.kind == .dylib)
    #expect(file.pointerSize == (is64Bit ? 8 : 4))
    #expect(file.byteOrder == order)
    #expect(file.debugID == DebugID(bytes: (1...20).map { UInt8($0) }))
    #expect(file.imageBase == 0)
    #expect(file.imageSize == 0x2000)
    #expect(file.codeRanges == [0x1000..<0x1080])
    #expect(file.hasDWARF)
    #expect(
      file.codeSymbols().map { "\($0.name.text) \($0.address.hex) \($0.size) \($0.rank)" } == [
        "main 0x1000 32 global", "helper 0x1020 16 local",
      ])
  }

  @Test(
    arguments: [
      (0x40_0000, 0x1000, 0x40_0000), (0x40_0123, 0x1000, 0x40_0000), (0x40_0123, 0, 0x40_0123),
      (0x40_0123, 1, 0x40_0123), (0x40_0123, 3, 0x40_0123),
    ] as [(UInt64, UInt64, UInt64)])
  func `the image base is the first loaded segment, rounded down to its alignment`(
    address: UInt64, alignment: UInt64, base: UInt64
  ) throws {
    var builder = Sample.elf { $0.segments = [.init(at: address, size: 0x10_0000, alignment: alignment)] }
    #expect(try object(builder.build()).imageBase == base)
  }

  @Test(arguments: [0, 1, 2, 20, 64, 65, 4096])
  func `a build-id has 2 to 64 bytes or is none`(count: Int) throws {
    let id = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ 1) }
    var builder = Sample.elf { $0.buildID = id }
    #expect(try object(builder.build()).debugID == ((2...64).contains(count) ? DebugID(bytes: id) : nil))
  }

  @Test func `notes before the build-id are passed over, and damaged ones end the search`() throws {
    let other = ELFBuilder.note(owner: "GNU", type: 1, [0, 0, 0, 0])
    let foreign = ELFBuilder.note(owner: "FreeBSD", type: 3, [7, 7, 7, 7])
    let id = ELFBuilder.note(owner: "GNU", type: 3, [1, 2, 3, 4])
    func find(_ notes: [UInt8]) throws -> DebugID? {
      var builder = Sample.elf {
        $0.buildID = nil
        $0.sections.append(.init(".note", type: 7, flags: 2, data: notes))
      }
      return try object(builder.build()).debugID
    }
    #expect(try find(other + foreign + id) == DebugID(bytes: [1, 2, 3, 4]))
    #expect(try find(Array(id.dropLast(2))) == nil)
    #expect(try find([0xff, 0xff, 0xff, 0xff] + id) == nil)
    #expect(try find([]) == nil)
  }

  @Test func `a Go build-id serves where there is no GNU one`() throws {
    func find(_ notes: [UInt8]) throws -> DebugID? {
      var builder = Sample.elf {
        $0.buildID = nil
        $0.sections.append(.init(".note.go.buildid", type: 7, flags: 2, data: notes))
      }
      return try object(builder.build()).debugID
    }
    let go = ELFBuilder.note(owner: "Go", type: 4, Array("abc/def".utf8))
    #expect(try find(go) == DebugID(bytes: ContentDigest(of: Array("abc/def".utf8)).bytes.prefix(20)))
    #expect(try find(go + ELFBuilder.note(owner: "GNU", type: 3, [5, 5])) == DebugID(bytes: [5, 5]))
  }

  @Test(arguments: [
    ("no type, local", ELFBuilder.Symbol("x", 0x1004, info: 0x00)), ("section", .init("x", 0x1004, info: 0x03)),
    ("file", .init("x", 0x1004, info: 0x04)), ("data", .init("x", 0x1004, info: 0x11)),
    ("undefined", .init("x", 0x1004, section: 0)), ("absolute", .init("x", 0x1004, section: 0xfff1)),
    ("outside code", .init("x", 0x3000)), ("nameless", .init("", 0x1004)),
  ]) func `what names no code is passed over`(what: String, symbol: ELFBuilder.Symbol) throws {
    var builder = Sample.elf { $0.symbols = [symbol, .init("kept", 0x1000)] }
    #expect(try object(builder.build()).codeSymbols().map(\.name.text) == ["kept"], "\(what)")
  }

  @Test func `a global symbol without a type is an assembler function, and weak ones rank between`() throws {
    var builder = Sample.elf {
      $0.symbols = [.init("assembler", 0x1000, info: 0x10), .init("weak", 0x1001, info: 0x22)]
    }
    #expect(try object(builder.build()).codeSymbols().map(\.rank) == [.global, .weak])
  }

  @Test func `code sections without bytes make a debug companion`() throws {
    var builder = Sample.elf { $0.sections[0] = .code(at: 0x1000, size: 0x80) }
    let file = try object(builder.build())
    #expect(file.kind == .debugCompanion)
    #expect(file.codeRanges == [0x1000..<0x1080])
  }

  @Test func `a file without section headers takes its code from the executable segments`() throws {
    var builder = Sample.elf { $0.segments.append(.init(flags: 4, at: 0x8000, size: 0x1000)) }
    let file = builder.build()
    let field = try #require(builder.fields.first { $0.name == "e_shoff" })
    let stripped = try object(field.setting(0, in: file, order: .little))
    #expect(stripped.sections.isEmpty)
    #expect(stripped.codeRanges == [0..<0x2000])
  }

  @Test(arguments: [(3, 1), (0, 1), (1, 3), (1, 0)] as [(UInt8, UInt8)])
  func `an unknown class or byte order is refused`(fileClass: UInt8, order: UInt8) throws {
    var builder = Sample.elf()
    var file = builder.build()
    (file[4], file[5]) = (fileClass, order)
    #expect(refusal(file)?.code == .malformed)
  }
}
