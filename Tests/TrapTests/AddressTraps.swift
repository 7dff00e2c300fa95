import Bytes
import Diagnostics
import Identity
import ObjectFiles
import Pipeline
import SignatureStore
import Signatures
import SymbolIndex
import Symbolication
import TestSupport
import Testing

/// B.1 to B.10: which address is meant.
@Suite struct AddressTraps {
  /// `caller` calls `callee` just before 0x1020, `caller`'s last byte; `next` begins there.
  private func callers(base: UInt64 = 0, isMachO: Bool = true) throws -> SymbolIndex {
    let made = unit(lowPC: base) { unit in
      unit.function("callee", base + 0x1000, base + 0x1010)
      unit.function("caller", base + 0x1010, base + 0x1020)
      unit.function("next", base + 0x1020, base + 0x1030)
    }
    var file = DebugFileBuilder(made, code: base..<base + 0x2000)
    file.isMachO = isMachO
    return try index(file)
  }

  @Test(
    arguments: [
      (0x6540c, 0x1_0110_140c, 0x6540c, .offset), (0x1_022a_8000, 0x1_022a_d1bc, 0x51bc, .loadAddress),
      (0x123, 0x1_0110_1400, 0x123, .unverified), (0x1_022a_8001, 0x1_022a_d1bc, nil, .missing),
      (0x2_0000_0000_0000, 0x1_022a_d1bc, nil, .missing),
    ] as [(UInt64, UInt64, UInt64?, OffsetBasis)])
  func `B.1 the offset field is told from the load address by page alignment`(
    field: UInt64, address: UInt64, offset: UInt64?, basis: OffsetBasis
  ) throws {
    for os in ["iPhone OS 14.0.1 (18A393)", "iPhone OS 18.5 (22F76)"] {
      let read = try diagnostic(frame(field, address: address), metadata: #"{"signal":11,"osVersion":"\#(os)"}"#)
      #expect(read.stacks[0].frames[0].offset == offset)
      #expect(read.stacks[0].frames[0].offsetBasis == basis)
      #expect(read.notes.map(\.code) == (offset == nil ? ["offset_unusable"] : []))
    }
  }

  @Test func `B.1 a frame whose load address most frames of its image contradict is flagged`() throws {
    let read = try diagnostic(
      [0x10, 0x20, 0x30].map { frame($0, address: 0x1_0000_0000 + ($0 == 0x20 ? 0x9000 : 0) + $0) }
        .joined(separator: ","))
    #expect(read.stacks[0].frames.map(\.offsetBasis) == [.offset, .unverified, .offset])
    #expect(read.notes.map(\.code) == ["load_address_disagrees"])
  }

  @Test(
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    arguments: ["meter-ios14-crash-two-launches.json", "sentry-bare-tree-real-crash.json"])
  func `B.1 in recorded crashes of both kinds all frames of an image have one load address`(name: String) throws {
    let read = try PayloadReader().read(ByteView.mapping(path: Corpus.path("metrickit/" + name)))
    for diagnostic in read.diagnostics {
      var bases: [Int32: Set<UInt64>] = [:]
      for frame in diagnostic.stacks.flatMap(\.frames) {
        let (address, offset) = (try #require(frame.address), try #require(frame.offset))
        bases[frame.image, default: []].insert(address - offset)
      }
      #expect(!bases.isEmpty)
      #expect(bases.values.allSatisfy { $0.count == 1 && $0.allSatisfy { $0 % 0x1000 == 0 } })
    }
  }

  @Test func `B.2 a crash has its innermost call at the root, a sampled tree its outermost`() throws {
    let index = try callers()
    let places: [(UInt64, UInt64)] = [(0x1008, 0x1_0000_1008), (0x1020, 0x1_0000_1020)]
    let crash = symbolicated(try diagnostic(nested(places)), index)
    #expect(crash.flatMap(\.frames).map(\.function) == ["callee", "caller"])
    let hang = symbolicated(try diagnostic(nested(places.reversed()), metadata: #"{"hangDuration":"20 sec"}"#), index)
    #expect(hang.flatMap(\.frames).map(\.function) == ["caller", "callee"])
  }

  @Test func `B.2 an exact duplicate of the innermost frame is the same place and makes no other signature`() throws {
    let index = try callers()
    // 0x1010 is the first byte of `caller`: as a return address it would name `callee`.
    let places: [(UInt64, UInt64)] = [(0x1010, 0x1_0000_1010), (0x1020, 0x1_0000_1020), (0x1028, 0x1_0000_1028)]
    let single = try diagnostic(nested(places))
    let double = try diagnostic(nested([places[0]] + places))
    #expect(symbolicated(double, index).flatMap(\.frames).map(\.function) == ["caller", "caller", "caller", "next"])
    #expect(RawStack.reading(single, stack: 0).stack.key == RawStack.reading(double, stack: 0).stack.key)
  }

  @Test func `B.2 the self samples of a node are its own less those of its children`() throws {
    let leaf = frame(0x1008, address: 0x1_0000_1008, samples: 30)
    let root = frame(0x1020, address: 0x1_0000_1020, samples: 100, leaf)
    let read = try diagnostic(root, metadata: #"{"hangDuration":"20 sec"}"#)
    // What ended at the root is told apart from the call that goes on from it.
    #expect(RawStack.reading(read, stack: 0).stack.frames.map(\.weight) == [7, 0, 3])
  }

  @Test func `B.2 samples that ended at the place of a call are no return addresses`() throws {
    let index = try callers()
    // 0x1010 is the first byte of `caller` and follows the last of `callee`: 70 samples were at it, 30 went on from the
    // call before it.
    let leaf = frame(0x1020, address: 0x1_0000_1020, samples: 30)
    let root = frame(0x1010, address: 0x1_0000_1010, samples: 100, leaf)
    let hang = try diagnostic(root, metadata: #"{"hangDuration":"20 sec"}"#)
    let source: Symbolicator.Source = { $0 == index.debugID ? .available(index) : .missing }
    let stack = RawStack.reading(hang, stack: 0).stack
    let derived = StackDeriver(symbolicator: Symbolicator(source: source)).derive([stack])
    #expect(derived[0].signature.blame == "App!caller")
  }

  @Test func `B.3 every frame but the innermost names the call before its address`() throws {
    let index = try callers()
    let crash = try diagnostic(nested([(0x1010, 0x1_0000_1010), (0x1020, 0x1_0000_1020), (0x1024, 0x1_0000_1024)]))
    #expect(symbolicated(crash, index).flatMap(\.frames).map(\.function) == ["caller", "caller", "next"])
    // The very end of the code is where a last call that never returns would return to.
    #expect(index.lookup(0x1030).lines == ["hole"])
    #expect(index.lookup(0x1030, isReturnAddress: true).names == ["next"])
  }

  @Test func `B.3 the frame that a signal interrupted holds no return address`() throws {
    let made = unit { unit in
      unit.function("handler", 0x1000, 0x1010)
      unit.function("_sigtramp", 0x1010, 0x1020)
      unit.function("before", 0x1020, 0x1030)
      unit.function("interrupted", 0x1030, 0x1040)
    }
    var file = DebugFileBuilder(made, code: 0..<0x2000)
    file.isMachO = true
    let index = try index(file)
    let crash = try diagnostic(
      nested([(0x1008, 0x1_0000_1008), (0x1018, 0x1_0000_1018), (0x1030, 0x1_0000_1030), (0x1030, 0x1_0000_1030)]))
    #expect(
      symbolicated(crash, index).flatMap(\.frames).map(\.function) == ["handler", "_sigtramp", "interrupted", "before"])
    let source: Symbolicator.Source = { $0 == index.debugID ? .available(index) : .missing }
    let stack = RawStack.reading(crash, stack: 0).stack
    let derived = StackDeriver(symbolicator: Symbolicator(source: source)).derive([stack])
    #expect(derived[0].signature.blame == "App!interrupted")
  }

  @Test(arguments: ["$s4main3fooyyYaFTQ0_", "$s4main3fooyyYaFTY1_"])
  func `B.4 the entry of an async part is not a return address, one byte behind it is`(part: String) throws {
    let index = try index(
      DebugFileBuilder(
        unit { unit in
          unit.function("before", 0x1000, 0x1040)
          unit.function(part, 0x1040, 0x1080)
          unit.function("after", 0x1080, 0x10c0)
        }))
    func name(_ offset: UInt64) -> [String] { index.lookup(offset, isReturnAddress: true).names }
    #expect(name(0x1040) == [part])
    #expect(name(0x1041) == [part])
    #expect(name(0x1080) == [part])
    #expect(name(0x10c0) == ["after"])
  }

  @Test(
    arguments: [
      // Signed pointers of user space lose their signature, on arm64 as well: the system's libraries are arm64e.
      ("arm64e", 0x5a6b_0001_0110_140c, 0x6540c, 0x6540c), ("arm64", 0x5a6b_0001_0110_140c, 0x6540c, 0x6540c),
      ("arm64e", 0x5a6b_0001_022a_d1bc, 0x1_022a_8000, 0x51bc),
      // An address of the kernel has bit 55 set and is whole.
      ("arm64e", 0xffff_fe00_0110_140c, 0x6540c, 0x6540c),
      ("x86_64", 0x0000_7fff_0110_140c, 0x6540c, 0x6540c),
    ] as [(String, UInt64, UInt64, UInt64)])
  func `B.5 a signed pointer names the place without its signature`(
    architecture: String, address: UInt64, field: UInt64, offset: UInt64
  ) throws {
    let frames = nested([(field, address), (field < 1 << 32 ? field + 4 : field, address + 4)])
    let read = try diagnostic(frames, metadata: #"{"signal":11,"platformArchitecture":"\#(architecture)"}"#)
    #expect(read.stacks[0].frames.map(\.offset) == [offset, offset + 4])
    let isKernel = address >> 55 & 1 == 1
    #expect(read.stacks[0].frames[0].address == (isKernel ? address : address & 0x7fff_ffff_ffff))
    #expect(read.notes == [])
  }

  @Test func `B.5 frames of one image with different signatures agree on its load address`() throws {
    let read = try diagnostic(
      nested([(0x10, 0x5a6b_0001_0000_0010), (0x20, 0x1_0000_0020), (0x30, 0x1234_0001_0000_0030)]),
      metadata: #"{"signal":11,"platformArchitecture":"arm64e"}"#)
    #expect(read.stacks[0].frames.map(\.offsetBasis) == [.offset, .offset, .offset])
    #expect(read.notes == [])
  }

  @Test(arguments: [0, 0x4000, 0x1_0000_0000] as [UInt64])
  func `B.6 offsets count from the file's own __TEXT, wherever that is`(base: UInt64) throws {
    let index = try callers(base: base)
    #expect(index.imageBase == base)
    #expect(
      [0x1000, 0x1010, 0x1020, 0x1030].map { index.lookup($0).lines[0] }
        == ["callee ?:0", "caller ?:0", "next ?:0", "hole"])
  }

  @Test func `B.6 an ELF file counts from its first loaded segment, not from file offsets`() throws {
    var elf = ELFBuilder()
    elf.sections = [.code(at: 0x40_1000, size: 0x100)]
    elf.segments = [.init(at: 0x40_0000, size: 0x2000), .init(at: 0x60_0000, size: 0x1000)]
    elf.symbols = [.init("main", 0x40_1000, size: 0x20)]
    let index = try index(elf.build())
    #expect(index.lookup(0x1000).names == ["main"])
    #expect(index.lookup(0x40_1000).lines == ["outside"])
  }

  @Test func `B.7 an offset behind the image is outside it, not in its last function`() throws {
    let index = try callers()
    #expect(index.lookup(0x1030).lines == ["hole"])
    for offset in [index.imageSize, 1 << 32, .max] { #expect(index.lookup(offset).lines == ["outside"]) }
    let crash = try diagnostic(frame(0x100_0000, address: 0x1_0100_0000))
    #expect(symbolicated(crash, index).map(\.status) == [.outsideImage])
  }

  @Test func `B.8 the Thumb bit is cleared from symbols and from addresses, on 32-bit ARM only`() throws {
    func armv7(_ cpu: UInt32) throws -> SymbolIndex {
      try index(
        image {
          $0.is64Bit = false
          $0.cpu = (cpu, 9)
          $0.symbols = [.init("_one", 0x1001, description: 8), .init("_two", 0x1011, description: 8)]
        })
    }
    let thumb = try armv7(12)
    #expect(thumb.lookup(0x1000).names == ["one"])
    #expect(thumb.lookup(0x1011).names == ["two"])
    // 0x1011 is 0x1010 with the bit: the call before it is the last of `one`.
    #expect(thumb.lookup(0x1011, isReturnAddress: true).names == ["one"])
    let other = try armv7(0x0200_000c)
    #expect(other.lookup(0x1000).lines == ["hole"])
    #expect(other.lookup(0x1011, isReturnAddress: true).names == ["one"])
    #expect(other.lookup(0x1012, isReturnAddress: true).names == ["two"])
  }

  @Test func `B.9 arm64_32 is a 32-bit file of an architecture of its own`() throws {
    var made = DWARFUnitBuilder(version: 4, addressSize: 4)
    made.begin(DW.unit, [(DW.lowPC, .address(0))])
    made.function("watch", 0x1000, 0x1020)
    let (info, abbreviations) = made.finish()
    let file = image {
      $0.is64Bit = false
      $0.cpu = (0x0200_000c, 1)
      $0.sections += [
        .init("__DWARF", "__debug_info", at: 0x8000, data: info),
        .init("__DWARF", "__debug_abbrev", at: 0x9000, data: abbreviations),
      ]
    }
    #expect(try Container(ByteView(file)).objects.map(\.architecture.name) == ["arm64_32"])
    #expect(try index(file).lookup(0x1000).frames.map(\.source) == [.dwarf])
  }

  @Test func `B.10 only symbols of instructions name code, in whatever section they are`() throws {
    let index = try index(
      image {
        $0.sections.append(.init("__TEXT", "__const", at: 0x1100, size: 0x100))
        $0.sections.append(.code(at: 0x1200, size: 0x100, name: "__textcoal_nt"))
        $0.symbols = [
          .init("_real", 0x1010), .init("_absolute", 0x1004, type: 3), .init("_undefined", 0x1008, type: 1, section: 0),
          .init("_indirect", 0x100c, type: 0x0b), .init("_stab", 0x1014, type: 0x24),
          .init("_data", 0x1100, section: 2),
          .init("_coalesced", 0x1200, section: 3),
        ]
      })
    #expect(index.lookup(0x1008).lines == ["hole"])
    #expect(index.lookup(0x10ff).names == ["real"])
    #expect(index.lookup(0x1180).lines == ["hole"])
    #expect(index.lookup(0x1200).names == ["coalesced"])
  }
}
