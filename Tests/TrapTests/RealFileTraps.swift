import Bytes
import CompanionFiles
import DebugInfo
import Demangling
import Identity
import JSON
import ObjectFiles
import SymbolIndex
import SymbolStore
import TestSupport
import Testing

/// The traps that a compiler sets, in files that compilers made: the names, files, lines and depths on which recorded
/// symbolicators agree.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.absence)")) struct RealFileTraps {
  /// One recorded frame: linker's name, base name of the file, line.
  private struct Recorded: Equatable, CustomStringConvertible {
    var name: String
    var file: String
    var line: UInt64

    var description: String { "\(name) \(file):\(line)" }
  }

  /// The recorded answers on which all agree, by offset.
  private func recorded(_ name: String) throws -> [(offset: UInt64, frames: [Recorded])] {
    let text = String(
      decoding: contents(of: Corpus.path("symbols/expected/\(name).expected.jsonl")) ?? [], as: UTF8.self)
    return try text.split(separator: "\n").compactMap { line in
      let value = try Array(line.utf8).withUnsafeBytes { try JSONValue.parse($0) }
      guard value["agree"]?.bool == true,
        let offset = value["addr"]?.string.flatMap({ UInt64($0.dropFirst(2), radix: 16) })
      else { return nil }
      let frames = (value["frames"]?.array ?? []).compactMap { frame -> Recorded? in
        guard let parts = frame.array, parts.count >= 5 else { return nil }
        return Recorded(
          name: parts[0].string ?? "", file: baseName(parts[2].string ?? ""), line: parts[3].uint ?? 0)
      }
      return (offset, frames)
    }
  }

  private func baseName(_ path: String) -> String { String(path.split { $0 == "/" || $0 == "\\" }.last ?? "") }

  /// Holds the index of `name` against its record.
  private func compare(_ name: String) throws {
    let path = Corpus.path("symbols/" + name)
    let object = try #require(try Container(ByteView.mapping(path: path)).objects.first)
    let found = CompanionFinder(debugRoots: []).companions(of: object, at: path)
    var sources = [IndexSource(object: object, digest: ContentDigest(of: object.bytes))]
    for file in found.files {
      let bytes = try ByteView.mapping(path: file.path)
      if file.role == .debugFile {
        let object = try #require(try Container(bytes).objects.first)
        sources.append(IndexSource(object: object, digest: ContentDigest(of: bytes)))
      } else {
        sources[0].companions.append(CompanionFile(role: file.role, unit: file.unit, bytes: bytes))
      }
    }
    let index = try SymbolIndex(ByteView(product(sources).bytes))
    let answers = try recorded(name)
    var compared = 0
    for (offset, frames) in answers where !frames.isEmpty {
      let ours = index.lookup(offset).frames.enumerated().map { number, frame in
        // Where no line is recorded, ours may be the nearest one, marked.
        let expected = number < frames.count ? frames[number].line : 0
        return Recorded(
          name: expectedName(frame, number < frames.count ? frames[number].name : ""), file: baseName(frame.file ?? ""),
          line: frame.isApproximate && expected == 0 ? 0 : UInt64(frame.line ?? 0))
      }
      #expect(ours == frames, "\(name) at \(offset.hex)")
      compared += 1
    }
    #expect(compared > 30, "\(name)")
  }

  /// The name as it is recorded, when that is another spelling of the same function: the short one, or that of another
  /// symbol of a constructor.
  private func expectedName(_ frame: Frame, _ recorded: String) -> String {
    frame.function == recorded || Demangler().demangle(recorded).token == frame.token
      ? recorded : frame.mangled ?? frame.function
  }

  @Test func `B.9 a dSYM for arm64_32`() throws {
    try compare("generated/macho/arm64_32-Os-dw4/libcorpus.dylib.dSYM/Contents/Resources/DWARF/libcorpus.dylib")
  }

  @Test(arguments: ["generated/macho/arm64-O2-deadstrip/libcorpus.dylib.dSYM/Contents/Resources/DWARF/libcorpus.dylib"])
  func `B.18 a dSYM of which the linker dropped functions`(name: String) throws { try compare(name) }

  @Test func `B.21 Swift functions in modules, without .debug_aranges`() throws {
    try compare("generated/elf/swift-full/libswift.so")
  }

  @Test func `B.22 units that dwz shares`() throws { try compare("generated/elf/dwz/libcorpus.so") }

  @Test func `B.22 names that dwz moved to a file that is not here are told to be lost`() throws {
    let report = try #require(verdicts(Corpus.path("symbols/generated/elf/dwz-multi/one.so")).first)
    #expect(report.verdict == .stored)
    #expect(report.reasons.contains { $0.contains("common debug file") && $0.contains("which was not given") })
  }

  @Test(arguments: ["gcc-O2-lto", "x86_64-O2-lto"]) func `B.23 calls across units by link-time optimisation`(
    name: String
  ) throws { try compare("generated/elf/\(name)/libcorpus.so") }

  @Test func `B.32 inlined calls in strict DWARF 2`() throws { try compare("generated/elf/gcc-O2-dw2/libcorpus.so") }

  @Test func `B.44 functions with a cold part elsewhere`() throws {
    try compare("generated/elf/gcc-O3-coldsplit/libcorpus.so")
  }

  @Test func `B.48 an optimised Swift dSYM with runtime failures`() throws {
    try compare("generated/macho/arm64-swift-O/libswift.dylib.dSYM/Contents/Resources/DWARF/libswift.dylib")
  }
}
