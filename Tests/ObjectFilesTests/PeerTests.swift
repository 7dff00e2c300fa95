import Bytes
import Identity
import ObjectFiles
import TestSupport
import Testing

/// Our reading of real files against LLVM's.
@Suite(
  .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
  .enabled(if: Tool.llvm("llvm-readobj") != nil, "\(Tool.llvmAbsence)"))
struct PeerReading {
  static let folders = ["macho", "generated/macho", "elf", "generated/elf"]

  /// Files that LLVM reads otherwise, and why.
  static let exceptions = [
    "gcc-amd64-darwin-exec-with-bad-dysym": "LLVM refuses the whole file for a table that names do not need",
    "redacted-function.macho-aarch64": "it has no symbol table: llvm-nm makes entries of the export trie",
    "trailing_null_dies.elf": "its table of names begins with a name where formats want an empty one",
  ]

  /// The object files in a folder of the corpus, with their slices.
  private func objects(in folder: String) throws -> [(path: String, objects: [ObjectFile])] {
    let root = Corpus.path("symbols/" + folder)
    return try files(below: root).compactMap { name in
      let path = root + "/" + name
      if Self.exceptions[String(name.split(separator: "/").last ?? "")] != nil { return nil }
      let bytes = try ByteView.mapping(path: path)
      guard Container.looksLikeObjectFile(bytes), let container = try? Container(bytes) else { return nil }
      let objects = container.objects
      return objects.count == container.slices.count ? (path, objects) : nil
    }
  }

  @Test(arguments: folders) func `sections have the names, places and kinds that llvm-readobj reads`(folder: String)
    throws
  {
    let found = try objects(in: folder)
    try #require(found.count > 20)
    let peer = ReadObj.sections(of: found.map(\.path))
    // The sections of relocatable files have no places yet: we give them some.
    for (path, objects) in found where !isRelocatable(objects[0]) {
      let ours = objects.map { object in
        object.sections.map { section in
          ReadObj.Section(
            segment: section.segment, name: section.name, address: section.address, size: section.size,
            isCode: section.isCode)
        }
      }
      #expect(
        difference(ours.joined().map(\.description), (peer[path] ?? []).map(\.description)) == [], "\(path)")
    }
  }

  @Test(arguments: ["macho", "generated/macho"]) func `identifiers and processors are those of llvm-dwarfdump`(
    folder: String
  ) throws {
    let tool = try #require(Tool.llvm("llvm-dwarfdump"))
    let found = try objects(in: folder)
    let lines = Tool.run(tool, ["--uuid"] + found.map(\.path)).lines.filter { $0.hasPrefix("UUID: ") }
    var compared = 0
    for (path, objects) in found {
      let theirs = lines.filter { $0.hasSuffix(" " + path) }
        .map { $0.split(separator: " ")[1...2].joined(separator: " ") }
        // LLVM names the instruction set, Apple's tools the processor.
        .map { $0.hasSuffix("(thumbv7m)") ? $0.dropLast(10) + "(armv7m)" : $0 }
      let ours = objects.compactMap { object in object.debugID.map { "\($0) (\(object.architecture))" } }
      #expect(ours == theirs, "\(path)")
      compared += theirs.count
    }
    #expect(compared > 20)
  }

  @Test(arguments: ["elf", "generated/elf"]) func `build-ids are those of llvm-readelf`(folder: String) throws {
    let found = try objects(in: folder)
    let notes = ReadObj.blocks("llvm-readelf", ["--notes"], found.map(\.path))
    var compared = 0
    for (path, objects) in found {
      guard let theirs = notes[path]?.first(where: { $0.contains("Build ID: ") })?.split(separator: " ").last else {
        continue
      }
      #expect(objects[0].debugID?.hex == String(theirs), "\(path)")
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test(arguments: ["macho", "generated/macho"]) func `function starts are those of llvm-objdump`(folder: String) throws
  {
    let tool = try #require(Tool.llvm("llvm-objdump"))
    let found = try objects(in: folder)
    var theirs: [String: [UInt64]] = [:]
    var current = ""
    for line in Tool.run(tool, ["--macho", "--function-starts=addrs", "--arch=all"] + found.map(\.path)).lines {
      if let start = UInt64(line, radix: 16) { theirs[current, default: []].append(start) }
      if line.hasSuffix(":") { current = String(line) }
    }
    var compared = 0
    for (path, objects) in found {
      for object in objects {
        let title = objects.count == 1 ? "\(path):" : "\(path) (architecture \(object.architecture)):"
        let wanted = (theirs[title] ?? []).map { object.architecture.usesThumbBit ? $0 & ~1 : $0 }
        #expect(object.functionStarts() == Set(wanted).sorted(), "\(path) \(object.architecture)")
        compared += wanted.count
      }
    }
    #expect(compared > 200)
  }

  @Test(arguments: ["macho", "generated/macho"]) func `code symbols are those of llvm-nm`(folder: String) throws {
    let tool = try #require(Tool.llvm("llvm-nm"))
    let found = try objects(in: folder)
    // Each line begins with the file, and in a fat file before that with the processor.
    let lines = Tool.run(tool, ["-m", "-A", "--arch=all"] + found.map(\.path)).lines
    var byFile: [String: [Substring]] = [:]
    for line in lines {
      guard let end = line.firstRange(of: ": 0") else { continue }
      byFile[String(line[..<end]), default: []].append(line[line.index(end, offsetBy: 2)...])
    }
    var compared = 0
    for (path, objects) in found {
      for object in objects {
        let ours = object.codeSymbols().filter { $0.source == .symbolTable }
          .map { "\(String($0.address, radix: 16)) \($0.name.text)" }
        let code = Set(object.sections.filter(\.isCode).map { "(\($0.segment),\($0.name))" })
        let title = objects.count == 1 ? path : "(for architecture \(object.architecture)):\(path)"
        let theirs = (byFile[title] ?? []).compactMap { machOName($0, code, object.architecture.usesThumbBit) }
        #expect(difference(ours, theirs) == [], "\(path) \(object.architecture)")
        compared += theirs.count
      }
    }
    #expect(compared > 2_000)
  }

  /// `0000000100001000 (__TEXT,__text) [attributes] external _main`, as `100001000 main`.
  private func machOName(_ line: Substring, _ code: Set<String>, _ isThumb: Bool) -> String? {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let address = UInt64(parts[0], radix: 16), code.contains(String(parts[1])),
      let word = parts[2].firstRange(of: "external ")
    else { return nil }
    let wasHidden = "(was a private external)"
    let isLocal = parts[2][..<word].hasSuffix("non-")
    var name = parts[2][word...].dropFirst("external ".count)
    if name.hasPrefix("automatically hidden ") { name = name.dropFirst("automatically hidden ".count) }
    var isThumbFunction = false
    while name.first == "[" || name.hasPrefix(wasHidden) {
      isThumbFunction = isThumbFunction || name.hasPrefix("[Thumb]")
      guard let end = name.firstIndex(of: name.first == "[" ? "]" : ")") else { return nil }
      name = name[name.index(after: end)...].dropFirst()
    }
    if name.hasPrefix("GCC_except_table") || (isLocal && (name.first == "l" || name.first == "L")) || name.isEmpty {
      return nil
    }
    if name.first == "_", !name.hasPrefix("__hidden#") { name = name.dropFirst() }
    return "\(String(isThumb && isThumbFunction ? address & ~1 : address, radix: 16)) \(name)"
  }

  @Test(arguments: ["elf", "generated/elf"]) func `code symbols are those of llvm-readelf`(folder: String) throws {
    let found = try objects(in: folder)
    let peer = ReadObj.blocks("llvm-readelf", ["--symbols", "--dyn-syms", "--wide"], found.map(\.path))
    var compared = 0
    for (path, objects) in found {
      // Their symbols name descriptors, ours the functions that those point at.
      if objects[0].sections.contains(where: { $0.name == ".opd" }) || isRelocatable(objects[0]) { continue }
      let ours = objects[0].codeSymbols().map { "\(String($0.address, radix: 16)) \($0.size) \($0.name.text)" }
      // What a linker marks the borders of sections with is no function.
      let theirs = (peer[path] ?? []).compactMap { elfName($0, objects[0]) }
        .filter { !$0.hasSuffix(" 0 _ftext") && !$0.hasSuffix("$$Base") && !$0.hasSuffix("$$Limit") }
      #expect(difference(Array(Set(ours)), Array(Set(theirs))) == [], "\(path)")
      compared += theirs.count
    }
    #expect(compared > 2_000)
  }

  /// `7: 0000000000001000 32 FUNC GLOBAL DEFAULT 1 main@VERSION`, as `1000 32 main`.
  private func elfName(_ line: Substring, _ object: ObjectFile) -> String? {
    let parts = withoutVisibility(line).split(separator: " ", maxSplits: 7)
    guard parts.count == 8, parts[0].hasSuffix(":"), var address = UInt64(parts[1], radix: 16),
      let size = parts[2].hasPrefix("0x") ? UInt64(parts[2].dropFirst(2), radix: 16) : UInt64(parts[2])
    else { return nil }
    let isFunction = parts[3] == "FUNC" || parts[3] == "IFUNC"
    guard isFunction || (parts[3] == "NOTYPE" && parts[4] != "LOCAL"), parts[6] != "UND", parts[6] != "ABS" else {
      return nil
    }
    if object.architecture.usesThumbBit, isFunction { address &= ~1 }
    guard address != .max, object.isCode(address..<(address + 1)) else { return nil }
    let name = parts[7]
    return "\(String(address, radix: 16)) \(size) \(name.split(separator: "@").first ?? "")"
  }
}

/// The line without `[<other: 0x60>]`.
private func withoutVisibility(_ line: Substring) -> Substring {
  guard let start = line.firstRange(of: "[<other"), let end = line[start...].firstIndex(of: "]") else { return line }
  return line[..<start] + line[line.index(after: end)...]
}

/// The first few things that only one of two lists has, each with its sign.
private func difference(_ ours: [String], _ theirs: [String]) -> [String] {
  var counts: [String: Int] = [:]
  for text in ours { counts[text, default: 0] += 1 }
  for text in theirs { counts[text, default: 0] -= 1 }
  return Array(
    counts.filter { $0.value != 0 }.map { ($0.value > 0 ? "ours: " : "theirs: ") + $0.key }.sorted().prefix(6))
}

extension Substring {
  /// Where the first `word` begins.
  fileprivate func firstRange(of word: String) -> Substring.Index? {
    indices.first { self[$0...].hasPrefix(word) }
  }
}

/// Whether an ELF file is of type ET_REL, in either byte order.
private func isRelocatable(_ object: ObjectFile) -> Bool {
  object.format == .elf && [1, 0x100].contains(object.bytes.load(at: 16, as: UInt16.self))
}
