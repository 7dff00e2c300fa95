internal import Identity
internal import JSON

/// Takes a diagnostic out of the members of an `.ips` crash report.
struct IPSCrashReader {
  private struct Image {
    var base: UInt64?
    var number: Int32
  }

  var builder: DiagnosticBuilder
  private let usedImages: [JSONValue]
  /// What has been made of each of them, when a frame named it.
  private var known: [Image?]

  /// A reader of frames that name images by their place in `images`, the report's `usedImages`.
  init(images: [JSONValue], limits: ReadingLimits) {
    builder = DiagnosticBuilder(.crash, limits: limits)
    usedImages = images
    known = [Image?](repeating: nil, count: images.count)
  }

  // MARK: Frames

  /// Adds frames to the call stack that was begun last: `imageIndex`, `imageOffset`, and perhaps a name.
  mutating func readFrames(_ frames: [JSONValue], of stack: String) {
    for (number, frame) in frames.enumerated() {
      let place = "\(stack), frame \(number)"
      guard frame.members != nil else {
        builder.note(.frameUnreadable, at: place)
        continue
      }
      let offset = frame["imageOffset"]?.uint
      if offset == nil { builder.note(.badNumber, at: "\(place), imageOffset") }
      let image = image(of: frame, at: place)
      let isFar = frame["symbolLocation"]?.uint.map { CrashReportWords.isNearestOnly($0) } ?? false
      let symbol = builder.symbol(
        isFar ? nil : frame["symbol"]?.string, file: frame["sourceFile"]?.string, line: frame["sourceLine"]?.uint)
      // Without an image (source "A": the code lies in none) the offset is the address itself.
      let base = image?.base ?? 0
      let sum = base.addingReportingOverflow(offset ?? 0)
      builder.frame(
        image: image?.number ?? -1, address: offset == nil || sum.overflow ? nil : sum.partialValue,
        offset: image.map { $0.number >= 0 } == true ? offset : nil, symbol: symbol)
    }
  }

  private mutating func image(of frame: JSONValue, at place: String) -> Image? {
    guard let index = frame["imageIndex"]?.uint.flatMap({ Int(exactly: $0) }), usedImages.indices.contains(index) else {
      builder.note(.badNumber, at: "\(place), imageIndex")
      return nil
    }
    if let image = known[index] { return image }
    let entry = usedImages[index]
    let uuid = entry["uuid"]?.string
    let debugID = uuid.flatMap { DebugID($0) }
    if let uuid, debugID == nil, uuid.contains(where: { $0 != "0" && $0 != "-" }) {
      builder.note(.badUUID, at: "usedImages \(index)")
    }
    let name = entry["name"]?.string ?? entry["path"]?.string.flatMap { CrashReportWords.lastComponent(of: $0) }
    let image = Image(base: entry["base"]?.uint, number: builder.image(debugID, named: name))
    known[index] = image
    return image
  }

  // MARK: Metadata

  /// Takes what the report says about the app, the device and the event, in the spelling of MetricKit.
  mutating func readMetadata(_ report: IPSMembers) {
    var metadata = DiagnosticMetadata()
    let bundle = report["bundleInfo"]
    metadata.bundleIdentifier = bundle?["CFBundleIdentifier"]?.string ?? report.text("bundleID", "bundle_id")
    metadata.appVersion = bundle?["CFBundleShortVersionString"]?.string ?? report.text("app_version")
    metadata.appBuildVersion = bundle?["CFBundleVersion"]?.string ?? report.text("build_version")
    if let train = report["osVersion"]?["train"]?.string {
      metadata.osVersion = train + (report["osVersion"]?["build"]?.string.map { " (\($0))" } ?? "")
    } else {
      metadata.osVersion = report.text("os_version")
    }
    metadata.deviceType = report.text("modelCode")
    metadata.platformArchitecture = report.text("cpuType").flatMap { CrashReportWords.architecture($0) }
    metadata.pid = report["pid"]?.int
    let store = report["storeInfo"]
    if store?["entitledBeta"]?.bool == true || store?["distributorID"]?.string == "com.apple.TestFlight" {
      metadata.isTestFlightApp = true
    }
    metadata.virtualMemoryRegionInfo = report.text("vmRegionInfo")
    metadata.timeStampBegin = report.text("captureTime", "timestamp")
    metadata.timeStampEnd = metadata.timeStampBegin
    if let exception = report["exception"] {
      metadata.exceptionType = exception["type"]?.string.flatMap { CrashReportWords.exceptionType(in: $0) }
      metadata.signal = exception["signal"]?.string.flatMap { CrashReportWords.signal(in: $0) }
      metadata.exceptionCode =
        exception["rawCodes"]?[0]?.bits
        ?? exception["codes"]?.string.flatMap { CrashReportWords.exceptionCode(in: $0) }
    }
    metadata.terminationReason = terminationReason(report["termination"])
    metadata.exceptionReason = exceptionReason(report)
    builder.metadata = metadata.limited(by: &builder)
  }

  private func terminationReason(_ termination: JSONValue?) -> String? {
    guard let termination, let namespace = termination["namespace"]?.string else { return nil }
    let code = termination["code"].flatMap { $0.string ?? $0.uint.map { String($0) } ?? $0.int.map { String($0) } }
    let details = termination["details"]?.array?.prefix(64).compactMap(\.string) ?? []
    let reasons = termination["reasons"]?.array?.prefix(64).compactMap(\.string) ?? []
    return CrashReportWords.terminationReason(
      namespace: namespace, code: code ?? "",
      rest: [termination["indicator"]?.string ?? ""] + details + reasons)
  }

  private func exceptionReason(_ report: IPSMembers) -> ExceptionReason? {
    if let stated = report["exceptionReason"], stated.members != nil {
      var reason = ExceptionReason()
      reason.name = (stated["name"] ?? stated["exceptionName"])?.string
      reason.type = (stated["type"] ?? stated["exceptionType"])?.string
      reason.className = (stated["class"] ?? stated["className"])?.string
      reason.formatString = (stated["format_string"] ?? stated["formatString"])?.string
      reason.composedMessage = (stated["composed_message"] ?? stated["composedMessage"])?.string
      return reason
    }
    // Application specific information: for each image its messages.
    for image in report["asi"]?.members?.prefix(64) ?? [] {
      for message in image.value.array?.prefix(64) ?? [] {
        if let reason = message.string.flatMap({ CrashReportWords.exceptionReason(inInformation: $0) }) {
          return reason
        }
      }
    }
    return nil
  }
}

extension JSONValue {
  /// An integer as its bit pattern: codes of exceptions come signed or unsigned.
  fileprivate var bits: UInt64? { uint ?? int.map { UInt64(bitPattern: $0) } }
}

extension DiagnosticMetadata {
  /// The same with each text cut to the limit of `builder`.
  func limited(by builder: inout DiagnosticBuilder) -> DiagnosticMetadata {
    var copy = self
    let texts: [WritableKeyPath<DiagnosticMetadata, String?>] = [
      \.bundleIdentifier, \.appVersion, \.appBuildVersion, \.osVersion, \.deviceType, \.terminationReason,
      \.virtualMemoryRegionInfo, \.timeStampBegin, \.timeStampEnd,
    ]
    for text in texts {
      if let value = copy[keyPath: text] { copy[keyPath: text] = builder.limited(value) }
    }
    if var reason = copy.exceptionReason {
      reason.name = reason.name.map { builder.limited($0) }
      reason.type = reason.type.map { builder.limited($0) }
      reason.className = reason.className.map { builder.limited($0) }
      reason.formatString = reason.formatString.map { builder.limited($0) }
      reason.composedMessage = reason.composedMessage.map { builder.limited($0) }
      copy.exceptionReason = reason
    }
    return copy
  }
}
