internal import Identity
internal import JSON

/// The flat stacks that OpenTelemetry-Swift makes of MetricKit's: `callStacks[].callStackFrames[]`, each frame with
/// `binaryUUID`, `binaryName` and `offsetAddress`.
///
/// Documented by its `StackTraceFormat.md` as the text of the attribute `exception.stacktrace`. Read are the bare object and
/// whatever it is wrapped in: an object of attributes, or an export of OTLP/JSON, where attributes are lists of `key` and
/// `value`. The order of frames is MetricKit's, which the writer does not turn round: see `OrderRule`.
enum OpenTelemetryStack: NeighbourFormat {
  static let format = ReportFormat.openTelemetry
  static let shapes: DocumentShape = .json

  static func read(_ document: UnsafeRawBufferPointer, limits: ReadingLimits) throws(PayloadRefusal) -> [Diagnostic]? {
    guard document.holds("callStackFrames") else { return nil }
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue.parse(document)
    } catch {
      if let refusal = ReportedValue.refusal(for: error, in: document) { throw refusal }
      return nil
    }
    var search = StackSearch(limits: limits)
    search.run(root)
    return search.diagnostics.isEmpty ? nil : search.diagnostics
  }
}

/// Finds the stacks in a document, with the attributes of the objects around each. A loop with a list of what is open.
private struct StackSearch {
  /// What stands around a value: attributes by name, the inner ones before the outer.
  private typealias Attributes = [String: JSONValue]

  private struct Step {
    var value: JSONValue
    var attributes: Attributes
    /// Whether the value was a text inside the document; inside such a text no other is read.
    var isEmbedded: Bool
  }

  private let limits: ReadingLimits
  private(set) var diagnostics: [Diagnostic] = []

  init(limits: ReadingLimits) { self.limits = limits }

  mutating func run(_ root: JSONValue) {
    var steps = [Step(value: root, attributes: [:], isEmbedded: false)]
    while let step = steps.popLast() {
      switch step.value {
      case .array(let elements):
        for element in elements.reversed() {
          steps.append(Step(value: element, attributes: step.attributes, isEmbedded: step.isEmbedded))
        }
      case .object(let members):
        let attributes = StackSearch.attributes(of: members, in: step.attributes)
        if isFlat(step.value) {
          take(step.value, attributes)
          continue
        }
        for member in members.reversed() where member.name != "resource" {
          steps.append(Step(value: member.value, attributes: attributes, isEmbedded: step.isEmbedded))
        }
      case .string(let text):
        guard !step.isEmbedded, text.utf8.first == 0x7b, text.contains("callStackFrames"),
          let value = try? JSONValue.parse(Array(text.utf8))
        else { continue }
        steps.append(Step(value: value, attributes: step.attributes, isEmbedded: true))
      default: continue
      }
    }
  }

  private func isFlat(_ value: JSONValue) -> Bool {
    value["callStacks"]?.array?.contains { $0["callStackFrames"] != nil } ?? false
  }

  // MARK: Attributes

  private static let names: Set<String> = [
    "service.name", "service.version", "service.namespace", "app.build_id", "app.bundle_id", "os.name", "os.version",
    "os.build_id", "os.description", "device.model.identifier", "host.arch", "exception.type", "exception.message",
    "event.name", "eventName", "name", "metrickit.diagnostic.name", "metrickit.diagnostic.crash.exception.signal",
    "metrickit.diagnostic.crash.exception.mach_exception.type", "metrickit.diagnostic.crash.exception.code",
    "metrickit.diagnostic.crash.exception.termination_reason", "metrickit.diagnostic.crash.exception.objc.name",
    "bundleIdentifier", "appVersion", "appBuildVersion", "osVersion", "deviceType", "platformArchitecture", "timestamp",
  ]

  /// The attributes in `members` and in their `resource`, before those around.
  private static func attributes(of members: [JSONMember], in outer: Attributes) -> Attributes {
    var found = outer
    func add(_ name: String, _ value: JSONValue) {
      if names.contains(name) { found[name] = value }
    }
    func addAll(_ value: JSONValue) {
      for member in value.members ?? [] { add(member.name, member.value) }
      for element in value.array ?? [] {
        guard let key = element["key"]?.string, let value = element["value"] else { continue }
        // OTLP writes integers as texts, under the name of their type.
        add(key, value["stringValue"] ?? value["intValue"] ?? value["boolValue"] ?? value["doubleValue"] ?? value)
      }
    }
    for member in members {
      switch member.name {
      case "attributes": addAll(member.value)
      case "resource": member.value["attributes"].map(addAll)
      default: add(member.name, member.value)
      }
    }
    return found
  }

  // MARK: Stacks

  private mutating func take(_ tree: JSONValue, _ attributes: Attributes) {
    guard diagnostics.count <= limits.diagnostics else { return }
    let kind = StackSearch.kind(attributes)
    var builder = DiagnosticBuilder(kind, limits: limits)
    func text(_ names: String...) -> String? {
      for name in names {
        if let text = ReportedValue.text(attributes[name]) { return builder.limited(text) }
      }
      return nil
    }
    var metadata = DiagnosticMetadata()
    metadata.bundleIdentifier = text("bundleIdentifier", "app.bundle_id", "service.namespace", "service.name")
    metadata.appVersion = text("appVersion", "service.version")
    metadata.appBuildVersion = text("appBuildVersion", "app.build_id")
    metadata.osVersion =
      text("osVersion") ?? ReportedValue.system(text("os.name"), text("os.version"), text("os.build_id"))
    metadata.deviceType = text("deviceType", "device.model.identifier")
    metadata.platformArchitecture = text("platformArchitecture", "host.arch")
    metadata.timeStampBegin = text("timestamp")
    metadata.timeStampEnd = metadata.timeStampBegin
    let crash = "metrickit.diagnostic.crash.exception."
    metadata.signal = ReportedValue.signed(attributes[crash + "signal"])
    metadata.exceptionType = ReportedValue.signed(attributes[crash + "mach_exception.type"])
    metadata.exceptionCode = ReportedValue.bits(attributes[crash + "code"])
    metadata.terminationReason = text(crash + "termination_reason")
    if let name = text(crash + "objc.name") {
      metadata.exceptionReason = ExceptionReason()
      metadata.exceptionReason?.name = name
      metadata.exceptionReason?.composedMessage = text("exception.message")
    }
    builder.metadata = metadata
    for (number, stack) in (tree["callStacks"]?.array ?? []).enumerated() {
      let place = "stack \(number)"
      guard stack.members != nil, let frames = stack["callStackFrames"]?.array else {
        builder.note(.stackUnreadable, at: place)
        continue
      }
      builder.beginStack(isAttributed: stack["threadAttributed"]?.bool)
      for (index, frame) in frames.enumerated() { add(frame, to: &builder, "\(place), frame \(index)") }
    }
    var diagnostic = builder.finish(ordinal: diagnostics.count)
    diagnostic.isPerThread = tree["callStackPerThread"]?.bool
    diagnostic.decideOffsets(limits: limits)
    OrderRule.apply(
      to: &diagnostic.stacks, kind: kind, starts: OrderRule.startsThreads(diagnostic.images))
    diagnostics.append(diagnostic)
  }

  private func add(_ frame: JSONValue, to builder: inout DiagnosticBuilder, _ place: String) {
    guard frame.members != nil else { return builder.note(.frameUnreadable, at: place) }
    let debugID = frame["binaryUUID"]?.string.flatMap { DebugID($0) }
    if debugID == nil, let stated = frame["binaryUUID"], !stated.isNull, stated != .string("") {
      builder.note(.badUUID, at: place)
    }
    let field = frame["offsetAddress"] ?? frame["offsetIntoBinaryTextSegment"]
    let offset = ReportedValue.unsigned(field)
    if offset == nil, let field, !field.isNull { builder.note(.badNumber, at: place) }
    builder.frame(
      image: builder.image(debugID, named: frame["binaryName"]?.string),
      address: ReportedValue.unsigned(frame["address"]), offset: offset)
  }

  /// The kind that the name of the event or of an attribute tells.
  private static func kind(_ attributes: Attributes) -> DiagnosticKind {
    for name in ["metrickit.diagnostic.name", "event.name", "eventName", "name"] {
      guard let text = attributes[name]?.string, text.utf8.count <= 256 else { continue }
      let words: [(String, DiagnosticKind)] = [
        ("crash", .crash), ("hang", .hang), ("cpu_exception", .cpuException), ("disk_write", .diskWriteException),
        ("app_launch", .appLaunch),
      ]
      if let found = words.first(where: { text.lowercased().contains($0.0) }) { return found.1 }
    }
    return attributes.keys.contains { $0.hasPrefix("metrickit.diagnostic.crash.") } ? .crash : .unknown
  }
}
