import Bytes
import Identity
import ObjectFiles
import TestSupport
import Testing

/// Files made by compilers and linkers, with what is known of them.
@Suite struct RealFiles {
  /// One slice as it should read.
  struct Slice: Sendable, Hashable, CustomStringConvertible {
    var architecture: String
    var id: String
    var kind: ObjectFile.Kind
    var base: UInt64
    var pointerSize = 8

    var description: String { "\(architecture) \(id) \(kind) \(String(base, radix: 16)) \(pointerSize)" }
  }

  private func slices(_ path: String) throws -> [Slice] {
    try Container(ByteView.mapping(path: path)).objects.map { object in
      Slice(
        architecture: object.architecture.name, id: object.debugID?.description ?? "", kind: object.kind,
        base: object.imageBase, pointerSize: object.pointerSize)
    }
  }

  @Test func `the sample app and its framework`() throws {
    #expect(
      try slices(SampleSymbols.rich.path) == [
        Slice(
          architecture: "arm64", id: "4C4C44F8-5555-3144-A176-265CE8BD98E8", kind: .debugCompanion,
          base: 0x1_0000_0000)
      ])
    #expect(
      try slices(SampleSymbols.all[1].path) == [
        Slice(architecture: "arm64", id: "4C4C4455-5555-3144-A118-7CD91EC4F46F", kind: .debugCompanion, base: 0)
      ])
  }

  @Test(arguments: SampleSymbols.all) func `every retained dSYM has debug information, names, and code`(
    file: SampleSymbols.File
  ) throws {
    let container = try Container(ByteView.mapping(path: file.path))
    let object = try #require(container.objects.first)
    #expect(container.slices.count == 1)
    #expect(object.hasDWARF)
    #expect(object.codeRanges.count >= 1)
    #expect(object.codeSymbols().count > 20)
    #expect(object.sections.allSatisfy { !$0.isTruncated })
    for name in [".debug_info", ".debug_abbrev", ".debug_line", ".debug_str"] {
      #expect((object.dwarfSection(name)?.data?.count ?? 0) > 0, "\(name)")
    }
  }

  static let known: [(path: String, slices: [Slice])] = [
    (
      "macho/fat-arm64e/libsamply_mac_preload.dylib",
      [
        Slice(architecture: "x86_64", id: "5E3A39CB-C46D-3DD2-A9DB-39D51655C132", kind: .dylib, base: 0),
        Slice(architecture: "arm64", id: "D4280D7C-16B6-3131-97A3-F672CAEE6314", kind: .dylib, base: 0),
        Slice(architecture: "arm64e", id: "B0B6CFBC-55EA-3D05-AA79-99E2B20A3842", kind: .dylib, base: 0),
      ]
    ),
    (
      "macho/crashlytics/armv7-armv7s.dSYM/Contents/Resources/DWARF/CrashTest",
      [
        Slice(
          architecture: "armv7", id: "794523CB-14EF-3E6B-B32A-4EA39A7AC677", kind: .debugCompanion, base: 0x1000,
          pointerSize: 4),
        Slice(
          architecture: "armv7s", id: "0D1450B0-8B5E-35B8-BF1E-442B7BE4666B", kind: .debugCompanion, base: 0x1000,
          pointerSize: 4),
      ]
    ),
    (
      "macho/crashlytics/armv7k",
      [
        Slice(
          architecture: "armv7k", id: "C2A8F034-D424-3E5F-9B8B-065E0DB46808", kind: .executable, base: 0x4000,
          pointerSize: 4)
      ]
    ),
    (
      "macho/go/fat-gcc-386-amd64-darwin-exec",
      [
        Slice(
          architecture: "i386", id: "5A375931-9653-62BA-FDEA-1E3C2AABEEC4", kind: .executable, base: 0x1000,
          pointerSize: 4),
        Slice(
          architecture: "x86_64", id: "3B24B872-0E45-76D4-28AA-EE89B0C1215D", kind: .executable, base: 0x1_0000_0000),
      ]
    ),
    (
      "elf/symbolic/crash",
      [
        Slice(
          architecture: "x86_64", id: "f1c3bcc0279865fe3058404b2831d9e64135386c", kind: .executable, base: 0x40_0000)
      ]
    ),
    (
      "elf/elfutils/testfileppc32",
      [
        Slice(
          architecture: "ppc", id: "3cf27bd9b3c194da381d431f764f80fc1de55c02", kind: .executable, base: 0x1000_0000,
          pointerSize: 4)
      ]
    ),
    (
      "elf/elfutils/testfile-m68k",
      [
        Slice(
          architecture: "m68k", id: "96b8d37e4818340899228eef2ae3a20cde9a3212", kind: .executable, base: 0x8000_0000,
          pointerSize: 4)
      ]
    ),
    (
      "generated/elf/ppc64be-O2-dw4/libcorpus.so",
      [Slice(architecture: "ppc64", id: "086305e37225bbdeb4d5c9819f72637914d6d469", kind: .dylib, base: 0)]
    ),
  ]

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"), arguments: known.indices)
  func `public files read as they are known`(number: Int) throws {
    let (path, wanted) = Self.known[number]
    #expect(try slices(Corpus.path("symbols/" + path)) == wanted, "\(path)")
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `a slice is the same in a fat and in a fat64 file, and arm64_32 has pointers of 4 bytes`() throws {
    let folder = Corpus.path("symbols/generated/macho/")
    let fat64 = try slices(folder + "fat64/libcorpus.dwarf")
    let fat = try slices(folder + "fat/libcorpus.dylib.dSYM/Contents/Resources/DWARF/libcorpus.dylib")
    #expect(fat.map(\.architecture) == ["x86_64", "arm64", "arm64e"])
    #expect(fat64.map(\.architecture) == ["arm64_32", "arm64"])
    #expect(fat64[1] == fat[1])
    let small = try slices(
      folder + "arm64_32-Os-dw4/libcorpus.dylib.dSYM/Contents/Resources/DWARF/libcorpus.dylib")
    #expect(small.map(\.pointerSize) == [4])
    #expect(small.map(\.architecture) == ["arm64_32"])
  }
}
