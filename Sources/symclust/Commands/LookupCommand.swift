import Bytes
import CommandLine
import CompanionFiles
import DebugInfo
import Files
import Identity
import IndexWorker
import JSON
import ObjectFiles
import SymbolIndex
import SymbolServers
import SymbolStore

private let object = OptionSpec.value("object", "FILE", .file, help: "look up in this Mach-O, dSYM or ELF file")
private let image = OptionSpec.value("image", "ID", help: "look up in the retained image with this debug identifier")
private let architecture = OptionSpec.value("arch", "ARCH", help: "the slice of a fat file, for example arm64")
private let symbolMap = OptionSpec.value(
  "symbol-map", "FILE", .file, help: "the BCSymbolMap with the names behind __hidden# placeholders")
private let returnAddresses = OptionSpec.flag(
  "return-addresses", help: "take each offset as a return address: look up the call before it")
private let offsets = PositionalSpec("OFFSET", count: .any, help: "offset from the image base, in hex")

let lookupCommand = Command(
  spec: CommandSpec(
    "lookup", "Name the functions, files and lines of image offsets",
    discussion: """
      Offsets are hexadecimal and count from the start of the image (not from address 0). Without OFFSET they are read \
      from standard input, one a line. With --json each answer is one line: {"offset", "status", "frames"}, the frames \
      innermost first.
      """,
    options: [
      object, image, architecture, symbolMap, returnAddresses, CommonOptions.symbolsFrom, CommonOptions.debuginfod,
      CommonOptions.store, CommonOptions.jobs,
      CommonOptions.json,
    ],
    groups: [OptionGroup([object, image], isRequired: true)], positionals: [offsets],
    examples: [
      .init("symclust lookup --object App.dSYM/Contents/Resources/DWARF/App 0x3a10", "one offset in a dSYM"),
      .init(
        "symclust lookup --image 4c4c44af-5555-3144-a1a3-68cd61b89982 --json < offsets", "many in a retained image"),
    ]),
  run: lookup)

private func lookup(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let given = session.command.list(offsets)
  // A mistyped command is told before the work; a bad line of many is told and the others are answered.
  for word in given where parseOffset(word) == nil {
    throw CommandFailure(.usage, "'\(word)' is not a hexadecimal offset")
  }
  let index = try openIndex(&session)
  let isReturnAddress = session.command.flag(returnAddresses)
  var resolved = 0
  var others = 0
  func answer(_ offset: UInt64, _ session: inout Session) throws(CommandFailure) {
    let answer = LookupAnswer(offset: offset, answer: index.lookup(offset, isReturnAddress: isReturnAddress))
    if answer.frames.isEmpty { others += 1 } else { resolved += 1 }
    try session.show(answer)
  }
  for offset in given.compactMap(parseOffset) { try answer(offset, &session) }
  var number = 0
  while given.isEmpty, session.out.failure == nil, let line = readLine() {
    number += 1
    let word = line.trimmingSpaces
    if word.isEmpty { continue }
    if let offset = parseOffset(word) {
      try answer(offset, &session)
    } else {
      others += 1
      session.complain("-:\(number): '\(word)' is not a hexadecimal offset")
    }
  }
  return others == 0 ? .done : resolved == 0 ? .nothingDone : .gaps
}

extension Session {
  fileprivate mutating func show(_ answer: LookupAnswer) throws(CommandFailure) {
    if command.flag(CommonOptions.json) {
      var writer = JSONWriter()
      writer.lookupAnswer(answer)
      try print(writer)
      out.write("\n")
      return
    }
    let lines = answer.frames.isEmpty ? [answer.status] : answer.frames.lines
    for (number, line) in lines.enumerated() {
      let label = number == 0 ? answer.offset.hex : ""
      out.write(label + String(repeating: " ", count: max(1, 14 - label.count)) + line + "\n")
    }
  }
}

private func openIndex(_ session: inout Session) throws(CommandFailure) -> SymbolIndex {
  if let path = session.command.text(object) { return try index(ofObject: path, &session) }
  let text = session.command.text(image) ?? ""
  guard let id = DebugID(text) else { throw CommandFailure(.usage, "'\(text)' is no debug identifier") }
  let sources = try session.symbolSources()
  let store = SymbolStore(try session.openStore(creating: !sources.isEmpty), builder: session.indexBuilder())
  let borrower = session.borrower(store, from: sources)
  var damage: [StoreError] = []
  let index = try storing { () throws(StoreError) in
    if let borrower { return try borrower.index(of: id) { damage.append($0) } }
    return try store.index(of: id) { damage.append($0) }
  }
  for error in damage { session.complain("\(error); it was rebuilt from the retained files") }
  _ = session.tell(borrower)
  guard let index else {
    var place = borrower == nil ? "are retained" : "are retained, and no source has them"
    if !sources.servers.isEmpty, !DebuginfodServer.knows(id) {
      place += "; servers know build-ids, and one of \(id.bytes.count) bytes is none that is sent"
    }
    throw CommandFailure(.nothingDone, "no symbols of image \(id) \(place)")
  }
  return index
}

private func index(ofObject given: String, _ session: inout Session) throws(CommandFailure) -> SymbolIndex {
  let path = try objectFile(at: given)
  let object = try slice(path, architecture: session.command.text(architecture))
  let reader = session.indexBuilder()
  var source = IndexSource(object: object, digest: ContentDigest(of: object.bytes), path: path)
  source.symbolMap = try session.command.text(symbolMap).map(readSymbolMap)
  let found = reader.companions(of: object, at: path, copiedTo: nil)
  source.problems = found.problems
  var sources = [source]
  for file in found.files {
    let bytes = try mapped(file.path)
    if file.role != .debugFile {
      sources[0].companions.append(CompanionFile(role: file.role, unit: file.unit, bytes: bytes, path: file.path))
    } else if let object = try? Container(bytes).objects.first {
      sources.append(IndexSource(object: object, digest: ContentDigest(of: object.bytes), path: file.path))
    }
  }
  do throws(IndexError) {
    let product = try reader.build(sources)
    for problem in product.summary.problems { session.complain("\(path): \(problem)") }
    return try SymbolIndex(ByteView(product.bytes))
  } catch {
    throw CommandFailure(.nothingDone, "\(path): \(error)")
  }
}

/// The file itself; of a dSYM the only file of debug information in it.
private func objectFile(at path: String) throws(CommandFailure) -> String {
  let folder = "\(path)/Contents/Resources/DWARF"
  let names = (try? Folder.names(in: folder)) ?? []
  guard names.count > 1 else { return names.first.map { "\(folder)/\($0)" } ?? path }
  throw CommandFailure(.usage, "\(folder) holds several files, name one: \(names.joined(separator: ", "))")
}

private func readSymbolMap(_ path: String) throws(CommandFailure) -> BCSymbolMap {
  do throws(FileError) {
    if let map = BCSymbolMap(try ByteView.reading(path: path, limit: 1 << 30)) { return map }
  } catch {
    throw CommandFailure(.nothingDone, error.description)
  }
  throw CommandFailure(.nothingDone, "\(path): not a BCSymbolMap")
}

private func mapped(_ path: String) throws(CommandFailure) -> ByteView {
  do throws(FileError) {
    return try ByteView.mapping(path: path)
  } catch {
    throw CommandFailure(.nothingDone, error.description)
  }
}

/// The slice that is asked for; with several and no architecture named, the choice is the user's.
private func slice(_ path: String, architecture: String?) throws(CommandFailure) -> ObjectFile {
  let bytes = try mapped(path)
  let slices: [Container.Slice]
  do throws(ObjectFileError) {
    slices = try Container(bytes).slices
  } catch {
    throw CommandFailure(.nothingDone, "\(path): \(error)")
  }
  let objects = slices.compactMap { try? $0.get() }
  let matching = objects.filter { architecture == nil || $0.architecture.name == architecture }
  if matching.count == 1 { return matching[0] }
  if objects.isEmpty, case .failure(let error)? = slices.first {
    throw CommandFailure(.nothingDone, "\(path): \(error)")
  }
  let names = objects.map(\.architecture.name).joined(separator: ", ")
  throw CommandFailure(
    .usage,
    matching.isEmpty
      ? "\(path): no slice is \(architecture ?? "readable"); there are: \(names)"
      : "\(path): say --arch; there are: \(names)")
}

private func parseOffset(_ word: some StringProtocol) -> UInt64? {
  let digits = word.hasPrefix("0x") || word.hasPrefix("0X") ? word.dropFirst(2) : word[...]
  return digits.first == "+" || digits.first == "-" ? nil : UInt64(digits, radix: 16)
}

extension String {
  /// The text without white space at its ends.
  var trimmingSpaces: Substring {
    let front = drop(while: \.isWhitespace)
    return front.lastIndex { !$0.isWhitespace }.map { front[...$0] } ?? ""
  }
}
