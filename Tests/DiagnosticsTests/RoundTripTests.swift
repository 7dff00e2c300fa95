import Bytes
import Diagnostics
import Identity
import JSON
import TestSupport
import Testing

/// Makes payloads of every shape that writers are known to use, and what must be read from them.
///
/// The diagnostic comes first; how it is written is drawn apart from it: key order, white space, envelopes, the form of the
/// offset, of numbers, of identifiers, empty and missing members, members that nobody knows.
private struct PayloadMaker {
  var random: SeededGenerator

  mutating func flip(_ chance: Int = 2) -> Bool { Int.random(in: 0..<chance, using: &random) == 0 }
  mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

  /// A diagnostic as it must be read.
  mutating func diagnostic() -> Diagnostic {
    var diagnostic = Diagnostic(kind: pick([.crash, .hang, .cpuException, .diskWriteException, .appLaunch]))
    diagnostic.metadata.appBuildVersion = flip(4) ? nil : "812"
    diagnostic.metadata.osVersion = pick([nil, "iPhone OS 18.5 (22F76)", "macOS 12.2 (21D49)", "17.0"])
    diagnostic.metadata.pid = pick([nil, -1, 4_000])
    if diagnostic.kind == .crash {
      diagnostic.metadata.signal = pick([nil, 5, 11])
      diagnostic.metadata.exceptionCode = pick([nil, 0, .max])
      diagnostic.metadata.terminationReason = pick([
        nil, "Namespace SIGNAL, Code 0xb", "zeilen\nund \"Zeichen\" \u{7}ü",
      ])
    }
    diagnostic.isPerThread = pick([nil, true, false])
    var images: [ImageReference] = []
    for number in 0..<Int.random(in: 1...4, using: &random) {
      let id = number > 0 && flip(5) ? nil : DebugID(bytes: [UInt8](repeating: UInt8(number + 1), count: 16))
      let name: String? = number > 0 && flip(3) ? nil : "Image \(number) ü"
      if id != nil || name != nil { images.append(ImageReference(debugID: id, name: name)) }
    }
    let order: FrameOrder = diagnostic.kind == .crash ? .innermostFirst : .outermostFirst
    var used: [ImageReference] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let isAttributed: Bool? = pick([nil, true, false])
      var stack = CallStack(isAttributed: isAttributed, order: order, orderBasis: .kind)
      for index in 0..<Int.random(in: 0...12, using: &random) {
        let parent = diagnostic.kind == .crash ? Int32(index) - 1 : Int32.random(in: -1..<Int32(index), using: &random)
        var frame = RawFrame(parent: parent)
        if !flip(8) {
          let image = pick(images)
          if !used.contains(image) { used.append(image) }
          frame.image = Int32(used.firstIndex(of: image) ?? 0)
        }
        frame.sampleCount = flip(4) ? nil : UInt64.random(in: 0...900, using: &random)
        stack.frames.append(frame)
      }
      diagnostic.stacks.append(stack)
    }
    diagnostic.images = used
    // An image of a process lies at one page-aligned address; MetricKit's frames are in preorder here.
    let bases = used.indices.map { 0x1_0000_0000 + UInt64($0) * 0x400_0000 }
    for stack in diagnostic.stacks.indices {
      diagnostic.stacks[stack].frames = preorder(diagnostic.stacks[stack].frames)
      for index in diagnostic.stacks[stack].frames.indices where !flip(8) {
        let image = Int(diagnostic.stacks[stack].frames[index].image)
        guard image >= 0 else { continue }
        let offset = UInt64.random(in: 0..<0x40_0000, using: &random)
        diagnostic.stacks[stack].frames[index].offset = offset
        diagnostic.stacks[stack].frames[index].address = bases[image] + offset
        diagnostic.stacks[stack].frames[index].offsetBasis = .offset
      }
    }
    diagnostic.images = renumber(&diagnostic.stacks, used)
    return diagnostic
  }

  /// The frames with every subtree behind its root, as documents have them.
  private func preorder(_ frames: [RawFrame]) -> [RawFrame] {
    var result: [RawFrame] = []
    var pending = frames.indices.filter { frames[$0].parent < 0 }.reversed().map { ($0, Int32(-1)) }
    while let (index, parent) = pending.popLast() {
      var frame = frames[index]
      frame.parent = parent
      result.append(frame)
      let place = Int32(result.count - 1)
      pending += frames.indices.filter { frames[$0].parent == Int32(index) }.reversed().map { ($0, place) }
    }
    return result
  }

  private func renumber(_ stacks: inout [CallStack], _ images: [ImageReference]) -> [ImageReference] {
    var order: [Int32] = []
    for stack in stacks.indices {
      for index in stacks[stack].frames.indices where stacks[stack].frames[index].image >= 0 {
        let image = stacks[stack].frames[index].image
        if !order.contains(image) { order.append(image) }
        stacks[stack].frames[index].image = Int32(order.firstIndex(of: image) ?? 0)
      }
    }
    return order.map { images[Int($0)] }
  }

  // MARK: Writing

  private typealias Member = (String, String)

  private mutating func space() -> String { pick(["", "", " ", "\n  ", "\t", " \r\n"]) }

  private mutating func object(_ members: [Member]) -> String {
    var members = members
    if flip(3) {
      members.append((pick(["symbolInfo", "exceededMaxDepth", "zzz"]), pick(["[]", "{\"a\":[1,{}]}", "null", "7"])))
    }
    members.shuffle(using: &random)
    return "{" + members.map { "\(space())\"\($0.0)\"\(space()):\(space())\($0.1)" }.joined(separator: ",") + space()
      + "}"
  }

  private mutating func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: "," + space()) + space() + "]"
  }

  private func text(_ value: String) -> String {
    var writer = JSONWriter()
    writer.string(value)
    return (try? writer.finish()).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private mutating func number(_ value: some BinaryInteger) -> String { flip(6) ? "\"\(value)\"" : "\(value)" }

  private mutating func identifier(_ id: DebugID) -> String {
    let dashed = id.description
    return "\"" + pick([dashed.uppercased(), dashed.lowercased(), dashed.filter { $0 != "-" }]) + "\""
  }

  private mutating func frame(
    _ index: Int, in stack: CallStack, of diagnostic: Diagnostic, asLoadAddress: Bool
  ) -> String {
    let frame = stack.frames[index]
    var members: [Member] = []
    if frame.image >= 0 {
      let image = diagnostic.images[Int(frame.image)]
      if let id = image.debugID { members.append(("binaryUUID", identifier(id))) }
      if let name = image.name { members.append(("binaryName", text(name))) }
    }
    if let address = frame.address, let offset = frame.offset {
      members.append(("address", number(address)))
      members.append(("offsetIntoBinaryTextSegment", number(asLoadAddress ? address - offset : offset)))
    }
    if let count = frame.sampleCount { members.append(("sampleCount", number(count))) }
    var children: [String] = []
    for child in stack.frames.indices where stack.frames[child].parent == Int32(index) {
      children.append(self.frame(child, in: stack, of: diagnostic, asLoadAddress: asLoadAddress))
    }
    if !children.isEmpty || flip() { members.append(("subFrames", array(children))) }
    return object(members)
  }

  /// The diagnostic in a document of its own.
  mutating func document(_ diagnostic: Diagnostic) -> (text: String, isLoadAddress: Bool) {
    let isLoadAddress = diagnostic.kind == .crash && flip()
    var stacks: [String] = []
    for stack in diagnostic.stacks {
      var roots: [String] = []
      for index in stack.frames.indices where stack.frames[index].parent < 0 {
        roots.append(frame(index, in: stack, of: diagnostic, asLoadAddress: isLoadAddress))
      }
      var members: [Member] = roots.isEmpty && flip() ? [] : [("callStackRootFrames", array(roots))]
      if let isAttributed = stack.isAttributed { members.append(("threadAttributed", "\(isAttributed)")) }
      stacks.append(object(members))
    }
    var tree: [Member] = [("callStacks", array(stacks))]
    if let isPerThread = diagnostic.isPerThread { tree.append(("callStackPerThread", "\(isPerThread)")) }
    let metadata = diagnostic.metadata
    var facts: [Member] = []
    for (name, value) in [
      ("appBuildVersion", metadata.appBuildVersion), ("osVersion", metadata.osVersion),
      ("terminationReason", metadata.terminationReason),
    ] { if let value { facts.append((name, text(value))) } }
    if let pid = metadata.pid { facts.append(("pid", number(pid))) }
    if let signal = metadata.signal { facts.append(("signal", number(signal))) }
    if let code = metadata.exceptionCode {
      facts.append(("exceptionCode", flip() ? number(code) : "\(Int64(bitPattern: code))"))
    }
    var whole = object([
      ("version", "\"1.0.0\""), ("callStackTree", object(tree)), ("diagnosticMetaData", object(facts)),
    ])
    let list: [DiagnosticKind: String] = [
      .crash: "crashDiagnostics", .hang: "hangDiagnostics", .cpuException: "cpuExceptionDiagnostics",
      .diskWriteException: "diskWriteExceptionDiagnostics", .appLaunch: "appLaunchDiagnostics",
    ]
    whole = object([(list[diagnostic.kind] ?? "", array([whole]))])
    switch Int.random(in: 0..<5, using: &random) {
    case 0: whole = object([("payload", whole)])
    case 1: whole = array([whole])
    case 2: whole = object([("payload", text(whole))])
    case 3: whole = object([("events", array([object([("diagnosticPayload", whole)])]))])
    default: break
    }
    return (pick(["", "\u{feff}", "\n"]) + whole + pick(["", "\n"]), isLoadAddress)
  }
}

@Suite("What is written in any known way")
struct RoundTripTests {
  @Test("is read as what it was", arguments: 0..<12)
  func roundTrip(seed: Int) throws {
    for number in 0..<60 {
      var maker = PayloadMaker(random: SeededGenerator(seed: UInt64(seed * 1_000 + number)))
      var expected = maker.diagnostic()
      let (document, isLoadAddress) = maker.document(expected)
      for stack in expected.stacks.indices {
        for index in expected.stacks[stack].frames.indices where expected.stacks[stack].frames[index].offset != nil {
          if isLoadAddress { expected.stacks[stack].frames[index].offsetBasis = .loadAddress }
        }
      }
      let payload = try PayloadReader().read(ByteView(Array(document.utf8)))
      #expect(payload.diagnostics.count == 1, "\(seed)/\(number)")
      guard var read = payload.diagnostics.first else { continue }
      #expect(read.notes.allSatisfy { $0.code == "no_stack" }, "\(seed)/\(number): \(read.notes)")
      read.notes = []
      // Which stacks confirm the kind is tested elsewhere; no image here is where threads begin.
      #expect(read == expected, "\(seed)/\(number): \(document)")
    }
  }
}
