import Bytes
import JSON
import ObjectFiles
import SymbolIndex
import TestSupport
import Testing

/// Our answers against those of established symbolicators.
@Suite struct PeerAnswers {
  /// One frame as both sides can be held against each other.
  struct PeerFrame: Equatable, CustomStringConvertible {
    var name: String
    var file: String
    var line: UInt64
    var column: UInt64

    var description: String { "\(name) \(file):\(line):\(column)" }
  }

  /// What llvm-symbolizer answers for each address; `[]` where it knows nothing.
  private func peer(_ path: String, _ addresses: [UInt64]) throws -> [[PeerFrame]] {
    let tool = try #require(Tool.llvm("llvm-symbolizer"))
    let folder = try #require(TemporaryFolder("peer"))
    // Standing alone, so that no dSYM or debug file beside it is used.
    let copy = folder.write(try #require(contents(of: path)), to: "file")
    let input = addresses.map { "0x" + String($0, radix: 16) + "\n" }.joined()
    let outcome = Tool.run(
      tool,
      ["--obj=\(copy)", "--output-style=JSON", "--no-demangle", "--functions=linkage", "--inlines", "--no-debuginfod"],
      input: Array(input.utf8))
    return try outcome.lines.filter { !$0.isEmpty }.map { line in
      let value = try Array(line.utf8).withUnsafeBytes { try JSONValue.parse($0) }
      return (value["Symbol"]?.array ?? []).map { frame in
        PeerFrame(
          name: linkerName(frame["FunctionName"]?.string ?? ""), file: baseName(frame["FileName"]?.string ?? ""),
          line: frame["Line"]?.uint ?? 0, column: frame["Column"]?.uint ?? 0)
      }.filter { !$0.name.isEmpty }
    }
  }

  private func baseName(_ path: String) -> String { String(path.split { $0 == "/" || $0 == "\\" }.last ?? "") }

  /// A name without the one underscore of Mach-O's symbol table.
  private func linkerName(_ name: String) -> String { name.hasPrefix("_") ? String(name.dropFirst()) : name }

  @Test(.enabled(if: Tool.llvm("llvm-symbolizer") != nil, "\(Tool.llvmAbsence)"), arguments: SampleSymbols.all)
  func `every fourth byte of the sample's code is named as llvm-symbolizer names it`(file: SampleSymbols.File) throws {
    let object = try #require(sources(path: file.path).first).object
    let index = try SymbolIndex(ByteView(product(sources(path: file.path)).bytes))
    let addresses = object.codeRanges.flatMap { Array(stride(from: $0.lowerBound, to: $0.upperBound, by: 4)) }
    let theirs = try peer(file.path, addresses)
    try #require(theirs.count == addresses.count)
    var counts = (compared: 0, lines: 0, inlined: 0, padding: 0, approximate: 0, symbols: 0, stubs: 0)
    for (address, expected) in zip(addresses, theirs) {
      let answer = index.lookup(address - object.imageBase)
      let frames = answer.frames
      if frames.isEmpty {
        // Padding behind a function: LLVM names the symbol before it, which has no size (symbolication.md B.44).
        counts.padding += 1
        continue
      }
      if frames[0].source == .stub {
        // LLVM credits stubs to the last function before them (B.41a).
        counts.stubs += 1
        continue
      }
      if frames[0].source == .symbolTable {
        counts.symbols += 1
        #expect(expected.map(\.name) == frames.map { linkerName($0.mangled ?? "") }, "\(address.hex)")
        continue
      }
      counts.compared += 1
      let ours = frames.map { frame in
        PeerFrame(
          name: linkerName(frame.mangled ?? frame.function), file: baseName(frame.file ?? ""),
          line: UInt64(frame.line ?? 0),
          column: UInt64(frame.column ?? 0))
      }
      #expect(ours.map(\.name) == expected.map(\.name), "\(address.hex)")
      #expect(ours.dropFirst() == expected.dropFirst(), "\(address.hex)")
      if frames[0].isApproximate {
        // LLVM shows line 0 where we show the nearest line before it, and say so (B.27).
        counts.approximate += 1
        #expect(expected.first?.line == 0, "\(address.hex)")
      } else {
        #expect(ours.first == expected.first, "\(address.hex)")
      }
      if (frames[0].line ?? 0) > 0 { counts.lines += 1 }
      if frames.count > 1 { counts.inlined += 1 }
    }
    #expect(counts.compared > addresses.count / 2, "\(counts)")
    #expect(counts.lines > counts.compared / 10, "\(counts)")
    #expect(counts.padding < addresses.count / 4, "\(counts)")
    #expect(counts.inlined > 0, "\(counts)")
  }

  /// A row of the table of recorded answers, where two peers agree and no doubt stands beside it.
  private struct Row {
    var slice: String
    var offset: UInt64
    var frames: [PeerFrame]
  }

  private func rows(_ path: String) throws -> [Row] {
    guard let bytes = contents(of: path) else { return [] }
    return try bytes.split(separator: 10).compactMap { line in
      let value = try Array(line).withUnsafeBytes { try JSONValue.parse($0) }
      guard value["agree"]?.bool == true, value["doubt"] == nil, let slice = value["slice"]?.string,
        let offset = value["addr"]?.string.flatMap({ UInt64($0.dropFirst(2), radix: 16) }),
        let frames = value["frames"]?.array, !frames.isEmpty
      else { return nil }
      return Row(
        slice: slice, offset: offset,
        frames: frames.map { frame in
          let parts = frame.array ?? []
          return PeerFrame(
            name: parts.first?.string ?? "", file: baseName(parts.count > 2 ? parts[2].string ?? "" : ""),
            line: parts.count > 3 ? parts[3].uint ?? 0 : 0, column: 0)
        })
    }
  }

  @Test(
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    arguments: ["generated/macho", "macho", "generated/elf", "elf"])
  func `where two peers agree, we agree with them`(folder: String) throws {
    let root = Corpus.path("symbols/" + folder)
    var counts = (rows: 0, otherNames: 0, holes: 0)
    for name in files(below: root) {
      let bytes = try ByteView.mapping(path: root + "/" + name)
      // Larger files would take the time of a debug build; names hidden by placeholders are joined differently (B.55).
      guard bytes.count < 400_000, !name.hasSuffix("libswiftObjectiveC.dylib"), Container.looksLikeObjectFile(bytes),
        let container = try? Container(bytes)
      else { continue }
      let rows = try rows(Corpus.path("symbols/expected/\(folder)/\(name).expected.jsonl"))
      for object in container.objects {
        let own = rows.filter { object.format == .elf || $0.slice == object.architecture.name }
        guard !own.isEmpty, let built = try? product([source(object)]) else { continue }
        let index = try SymbolIndex(ByteView(built.bytes))
        for row in own {
          counts.rows += 1
          let frames = index.lookup(row.offset).frames
          let place = "\(name) \(object.architecture) \(row.offset.hex): \(frames.map(\.function)), peers \(row.frames)"
          if frames.isEmpty {
            // Peers name whatever symbol stands before; we only what a function covers.
            counts.holes += 1
            #expect(row.frames.count == 1 && row.frames[0].line == 0, "\(place)")
            continue
          }
          #expect(frames.count == row.frames.count, "\(place)")
          for (ours, theirs) in zip(frames, row.frames) {
            let isSameName =
              linkerName(ours.mangled ?? "") == linkerName(theirs.name) || ours.function == theirs.name
            // The physical function may go by another of its names: C1 and C2, `name.cold`, folded twins.
            if !isSameName { counts.otherNames += 1 }
            #expect(isSameName || !ours.isInlined, "\(place)")
            // Peers show line 0 where we show the nearest line and say so, and no file where they know only a symbol.
            if ours.isApproximate || theirs.file.isEmpty { continue }
            #expect(UInt64(ours.line ?? 0) == theirs.line, "\(place)")
            #expect(baseName(ours.file ?? "") == theirs.file, "\(place)")
          }
        }
      }
    }
    #expect(counts.rows > 2_000, "\(counts)")
    #expect(counts.otherNames * 50 < counts.rows, "\(counts)")
    #expect(counts.holes * 10 < counts.rows, "\(counts)")
  }
}
