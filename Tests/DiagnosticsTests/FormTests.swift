import Bytes
import Diagnostics
import Glibc
import Identity
import JSON
import TestSupport
import Testing

/// The sample app's diagnostics, each in the words of another format.
private enum Form: String, CaseIterable {
  case stackLine, ksCrash, plCrash, openTelemetry, appStoreConnect

  /// Whether the format can say all that is compared of `diagnostic`.
  func holds(_ diagnostic: Diagnostic) -> Bool {
    switch self {
    case .stackLine: true
    case .ksCrash, .plCrash, .openTelemetry: diagnostic.kind == .crash
    case .appStoreConnect: [.hang, .diskWriteException, .appLaunch].contains(diagnostic.kind)
    }
  }

  func document(_ diagnostic: Diagnostic) throws -> ByteView {
    if self == .plCrash { return ByteView(Form.plCrash(diagnostic)) }
    let root: JSONValue =
      switch self {
      case .plCrash: .null
      case .stackLine: Form.stackLine(diagnostic)
      case .ksCrash: Form.ksCrash(diagnostic)
      case .openTelemetry:
        .object([JSONMember("callStacks", .array(diagnostic.stacks.map { Form.flat($0, diagnostic) }))])
      case .appStoreConnect: Form.appStoreConnect(diagnostic)
      }
    var writer = JSONWriter()
    writer.value(root)
    return ByteView(try writer.finish())
  }

  private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
  private static func number(_ number: UInt64?) -> JSONValue { number.map { .number(.unsigned($0)) } ?? .null }
  private static func flag(_ flag: Bool?) -> JSONValue { flag.map { .bool($0) } ?? .null }

  private static func image(_ frame: RawFrame, _ diagnostic: Diagnostic) -> ImageReference? {
    frame.image >= 0 ? diagnostic.images[Int(frame.image)] : nil
  }

  private static func stackLine(_ diagnostic: Diagnostic) -> JSONValue {
    let threads = diagnostic.stacks.map { stack in
      JSONValue.object([
        JSONMember("attributed", flag(stack.isAttributed)), JSONMember("order", .string(stack.order.rawValue)),
        JSONMember(
          "frames",
          .array(
            stack.frames.map { frame in
              .object([
                JSONMember("image", text(image(frame, diagnostic)?.name)),
                JSONMember("debug_id", text(image(frame, diagnostic)?.debugID?.description)),
                JSONMember("offset", number(frame.offset)), JSONMember("samples", number(frame.sampleCount)),
                JSONMember("parent", .number(frame.parent < 0 ? .negative(-1) : .unsigned(UInt64(frame.parent)))),
              ])
            })),
      ])
    }
    return .object([
      JSONMember("schema", .string("symclust.stack/1")), JSONMember("kind", .string(diagnostic.kind.rawValue)),
      JSONMember("threads", .array(threads)),
    ])
  }

  private static func ksCrash(_ diagnostic: Diagnostic) -> JSONValue {
    let base = { (image: Int32) in UInt64(image + 1) << 32 }
    let images = diagnostic.images.enumerated().map { index, image in
      JSONValue.object([
        JSONMember("image_addr", number(base(Int32(index)))), JSONMember("image_size", number(1 << 31)),
        JSONMember("uuid", text(image.debugID?.description)), JSONMember("name", text(image.name.map { "/a/" + $0 })),
      ])
    }
    let threads = diagnostic.stacks.map { stack in
      let frames = stack.frames.map { frame in
        JSONValue.object([
          JSONMember("instruction_addr", number(frame.offset.map { base(frame.image) + $0 })),
          JSONMember("object_addr", .number(.unsigned(base(frame.image)))),
        ])
      }
      return JSONValue.object([
        JSONMember("crashed", flag(stack.isAttributed)),
        JSONMember("backtrace", .object([JSONMember("contents", .array(frames))])),
      ])
    }
    return .object([
      JSONMember("binary_images", .array(images)),
      JSONMember("crash", .object([JSONMember("threads", .array(threads))])),
    ])
  }

  private static func plCrash(_ diagnostic: Diagnostic) -> [UInt8] {
    let base = { (image: Int32) in UInt64(image + 1) << 32 }
    var report = PLCrashFile()
    for (index, image) in diagnostic.images.enumerated() {
      report.images.append(
        PLCrashFile.Image(
          base: base(Int32(index)), size: 1 << 31, id: image.debugID?.bytes ?? [], path: "/a/" + (image.name ?? "")))
    }
    for stack in diagnostic.stacks {
      report.threads.append((stack.isAttributed, stack.frames.map { base($0.image) + ($0.offset ?? 0) }))
    }
    return report.bytes
  }

  private static func flat(_ stack: CallStack, _ diagnostic: Diagnostic) -> JSONValue {
    let frames = stack.frames.map { frame in
      JSONValue.object([
        JSONMember("binaryUUID", text(image(frame, diagnostic)?.debugID?.description)),
        JSONMember("binaryName", text(image(frame, diagnostic)?.name)),
        JSONMember("offsetAddress", number(frame.offset)),
      ])
    }
    return .object([
      JSONMember("threadAttributed", flag(stack.isAttributed)), JSONMember("callStackFrames", .array(frames)),
    ])
  }

  private static func appStoreConnect(_ diagnostic: Diagnostic) -> JSONValue {
    let stacks = diagnostic.stacks.map { stack in
      var children = [[JSONValue]](repeating: [], count: stack.frames.count)
      var roots: [JSONValue] = []
      for index in stack.frames.indices.reversed() {
        let frame = stack.frames[index]
        let node = JSONValue.object([
          JSONMember("subFrames", .array(children[index].reversed())),
          JSONMember("binaryUUID", text(image(frame, diagnostic)?.debugID?.description)),
          JSONMember("binaryName", text(image(frame, diagnostic)?.name)),
          JSONMember("offsetIntoBinaryTextSegment", text(frame.offset.map { String($0) } ?? "")),
          JSONMember("sampleCount", number(frame.sampleCount)),
        ])
        if frame.parent < 0 { roots.append(node) } else { children[Int(frame.parent)].append(node) }
      }
      return JSONValue.object([JSONMember("callStackRootFrames", .array(roots.reversed()))])
    }
    let events: [DiagnosticKind: String] = [.hang: "hang", .diskWriteException: "disk writes", .appLaunch: "launches"]
    return .object([
      JSONMember("callStackTree", .array([.object([JSONMember("callStacks", .array(stacks))])])),
      JSONMember("diagnosticMetaData", .object([JSONMember("event", text(events[diagnostic.kind]))])),
    ])
  }
}

/// What of a diagnostic its raw stacks are made of.
private struct Essence: Equatable {
  var kind: DiagnosticKind
  var stacks: [[String]]
  var orders: [FrameOrder]

  init(_ diagnostic: Diagnostic, form: Form) {
    kind = form == .openTelemetry ? .unknown : diagnostic.kind
    // Apple's API has no word for the thread.
    let isMarked = form != .appStoreConnect
    orders = diagnostic.stacks.map(\.order)
    stacks = diagnostic.stacks.map { stack in
      [isMarked ? "\(stack.isAttributed.map { "\($0)" } ?? "?")" : ""]
        + stack.frames.map { frame in
          let image = frame.image >= 0 ? diagnostic.images[Int(frame.image)] : ImageReference(debugID: nil, name: nil)
          let isWeighted = form == .stackLine || form == .appStoreConnect
          let samples = isWeighted ? frame.sampleCount : nil
          return
            "\(frame.parent) \(image.debugID?.hex ?? "") \(image.name ?? "app") \(frame.offset ?? 0) \(samples ?? 0)"
        }
    }
  }
}

@Suite("The sample app's diagnostics")
struct FormTests {
  @Test("say the same in every form", arguments: Form.allCases.map(\.rawValue))
  func forms(name: String) throws {
    let form = try #require(Form(rawValue: name))
    var compared = 0
    for path in try payloads() {
      for diagnostic in try PayloadReader().read(ByteView.mapping(path: path)).diagnostics
      where form.holds(diagnostic) && diagnostic.stacks.contains(where: { !$0.frames.isEmpty }) {
        let read = try #require(try PayloadReader().read(form.document(diagnostic)).diagnostics.first)
        #expect(Essence(read, form: form) == Essence(diagnostic, form: form), "\(path)")
        compared += 1
      }
    }
    #expect(compared >= 3)
  }

  private func payloads() throws -> [String] {
    let folder = Corpus.repository + "/fixtures/diagnostics/single"
    let found = Tool.run("/usr/bin/find", [folder, "-name", "*.json"]).text
    return found.split(separator: "\n").map(String.init).sorted()
  }
}
