/// What becomes of one thing that a diagnostic says, outside the document it came in.
///
/// The list of all of them is an allow-list: what a store keeps of a diagnostic is `Diagnostic.kept`, which is made of
/// nothing else. `docs/data.md` shows it; tests hold both together, so that a new field needs an entry here.
public struct FieldPolicy: Sendable, Hashable {
  /// How near a field comes to a person.
  public enum Privacy: String, Sendable, Hashable, CaseIterable {
    /// About the program: the same on every device.
    case program
    /// About the system and the kind of device: shared by many.
    case system
    /// Could tell one device or person from others, or may hold anything.
    case personal
  }

  /// What is kept.
  public enum Keeping: String, Sendable, Hashable, CaseIterable {
    /// The text, without what looks like a person's.
    case cleaned
    /// A number or class that is read from it.
    case derived
    /// Nothing: it stays in the document, which is kept only with `--keep-raw`.
    case rawOnly = "raw only"
  }

  /// How long it lives: three things that are deleted apart.
  public enum Retention: String, Sendable, Hashable, CaseIterable {
    /// With the counts, by build, system and day.
    case counts
    /// With the raw stacks, so that late symbols and new rules need no document.
    case stacks = "raw stacks"
    /// With the document, in `raw/`, if it is kept at all.
    case document
  }

  /// The property of `DiagnosticMetadata`, or the part of the diagnostic.
  public var field: String
  /// How near it comes to a person.
  public var privacy: Privacy
  /// What is kept of it.
  public var keeping: Keeping
  /// How long that lives.
  public var retention: Retention
  /// What it is kept for, or why not.
  public var purpose: String

  private init(_ field: String, _ privacy: Privacy, _ keeping: Keeping, _ retention: Retention, _ purpose: String) {
    (self.field, self.privacy, self.keeping) = (field, privacy, keeping)
    (self.retention, self.purpose) = (retention, purpose)
  }

  /// Every property of `DiagnosticMetadata`, in its order.
  public static let metadata: [FieldPolicy] = [
    FieldPolicy("bundleIdentifier", .program, .cleaned, .counts, "the app, of the build of record"),
    FieldPolicy("appVersion", .program, .cleaned, .counts, "the version, of the build of record"),
    FieldPolicy("appBuildVersion", .program, .cleaned, .counts, "the build of record"),
    FieldPolicy(
      "spansVersions", .program, .derived, .counts, "keeps an update's interval out of comparisons of builds"),
    FieldPolicy("osVersion", .system, .cleaned, .counts, "strata of comparisons: platform, version, build"),
    FieldPolicy("deviceType", .system, .rawOnly, .document, "no count needs it"),
    FieldPolicy("platformArchitecture", .system, .rawOnly, .document, "tells how to read addresses"),
    FieldPolicy("regionFormat", .personal, .rawOnly, .document, "no count needs it"),
    FieldPolicy("isTestFlightApp", .program, .rawOnly, .document, "no count needs it yet"),
    FieldPolicy("lowPowerModeEnabled", .system, .rawOnly, .document, "no count needs it"),
    FieldPolicy("pid", .personal, .rawOnly, .document, "no count needs it"),
    FieldPolicy("signal", .program, .derived, .stacks, "the class of the reason: a number"),
    FieldPolicy("exceptionType", .program, .derived, .stacks, "the class of the reason: a number"),
    FieldPolicy(
      "exceptionCode", .personal, .derived, .stacks, "the resource of an EXC_RESOURCE: three bits; else an address"),
    FieldPolicy("terminationReason", .personal, .derived, .stacks, "the code in it: a number"),
    FieldPolicy("terminationCategory", .program, .derived, .stacks, "whether a watchdog ended it"),
    FieldPolicy("virtualMemoryRegionInfo", .personal, .rawOnly, .document, "holds paths and addresses"),
    FieldPolicy("exceptionReason", .personal, .derived, .stacks, "the exception's class, when it is spelled like one"),
    FieldPolicy("hangType", .program, .derived, .counts, "which thread hung"),
    FieldPolicy("hangDuration", .program, .derived, .counts, "how long hangs last, by cluster and build"),
    FieldPolicy("totalCPUTime", .program, .derived, .counts, "how much CPU time, by cluster and build"),
    FieldPolicy("totalSampledTime", .program, .derived, .counts, "over which time that is, by cluster and build"),
    FieldPolicy("writesCaused", .program, .derived, .counts, "how much is written, by cluster and build"),
    FieldPolicy("launchDuration", .program, .derived, .counts, "how long launches take, by cluster and build"),
    FieldPolicy("timeStampBegin", .system, .cleaned, .counts, "the interval: a date and time, nothing else"),
    FieldPolicy("timeStampEnd", .system, .cleaned, .counts, "the interval: a date and time, nothing else"),
  ]

  /// The other parts of a diagnostic.
  public static let parts: [FieldPolicy] = [
    FieldPolicy("images", .program, .cleaned, .stacks, "identifiers and names of images: where frames lie"),
    FieldPolicy("frames", .program, .cleaned, .stacks, "offsets and sample counts; no run-time addresses"),
    FieldPolicy(
      "symbols", .program, .cleaned, .stacks, "what a report itself calls a frame: function, file's name, line"),
    FieldPolicy("stack names", .personal, .rawOnly, .document, "names of threads and queues may hold anything"),
    FieldPolicy("states", .personal, .cleaned, .counts, "what the app was doing: the commonest values of each cluster"),
    FieldPolicy("signposts", .personal, .rawOnly, .document, "shown, not kept"),
    FieldPolicy("notes", .program, .derived, .counts, "counted by their code"),
  ]
}

extension Diagnostic {
  /// The diagnostic with nothing that no count or signature needs: what a store may see.
  public var kept: Diagnostic {
    var kept = self
    var metadata = self.metadata.keptOrigin
    metadata.signal = self.metadata.signal
    metadata.exceptionType = self.metadata.exceptionType
    metadata.exceptionCode = self.metadata.exceptionCode
    metadata.terminationReason = self.metadata.terminationReason
    metadata.terminationCategory = self.metadata.terminationCategory
    if let name = self.metadata.exceptionReason?.name {
      var reason = ExceptionReason()
      reason.name = Redaction.label(name)
      metadata.exceptionReason = reason
    }
    metadata.hangType = self.metadata.hangType
    // Only what is clearly a number with a unit: nothing else can hide in that.
    func measured(_ text: String?) -> String? { text.flatMap { Quantity($0) == nil ? nil : $0 } }
    metadata.hangDuration = measured(self.metadata.hangDuration)
    metadata.totalCPUTime = measured(self.metadata.totalCPUTime)
    metadata.totalSampledTime = measured(self.metadata.totalSampledTime)
    metadata.writesCaused = measured(self.metadata.writesCaused)
    metadata.launchDuration = measured(self.metadata.launchDuration)
    kept.metadata = metadata
    kept.context = context.kept
    for index in kept.images.indices { kept.images[index].name = kept.images[index].name.map(Redaction.fileName) }
    for index in kept.symbols.indices {
      kept.symbols[index].function = Redaction.name(kept.symbols[index].function)
      kept.symbols[index].file = kept.symbols[index].file.map(Redaction.fileName)
    }
    for index in kept.stacks.indices { kept.stacks[index].name = nil }
    return kept
  }
}

extension MetricReport {
  /// The report with nothing that no count needs: what a store may see.
  public var kept: MetricReport { MetricReport(metadata: metadata.keptOrigin) }
}

extension DiagnosticMetadata {
  /// Build, system and interval, cleaned; nothing else.
  fileprivate var keptOrigin: DiagnosticMetadata {
    var kept = DiagnosticMetadata()
    kept.bundleIdentifier = bundleIdentifier.map(Redaction.label)
    kept.appVersion = appVersion.map(Redaction.label)
    kept.appBuildVersion = appBuildVersion.map(Redaction.label)
    kept.spansVersions = spansVersions
    kept.osVersion = osVersion.map(Redaction.label)
    kept.timeStampBegin = timeStampBegin.flatMap { PointInTime(parsing: $0) == nil ? nil : $0 }
    kept.timeStampEnd = timeStampEnd.flatMap { PointInTime(parsing: $0) == nil ? nil : $0 }
    return kept
  }
}

/// Takes out of texts what looks like a person's: mail addresses, paths, long numbers.
public enum Redaction {
  /// What stands in the place of a text that is not kept.
  public static let mark = "<redacted>"

  /// A short label such as a version: one with a mail address or a path is not kept at all.
  public static func label(_ text: String) -> String {
    holdsMail(text) || text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
      ? mark : text
  }

  /// A word of a program, such as the name of a key; anything else is not kept.
  public static func word(_ text: String) -> String {
    let isWord =
      text.utf8.count <= 64
      && text.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x5f
      }
    return isWord && longestNumber(in: text) < 6 ? text : mark
  }

  /// The name at the end of a path; without a mail address or a number of nine digits and more.
  public static func fileName(_ text: String) -> String {
    let isPath = text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    let name = isPath ? text.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? text : text
    return holdsMail(name) || longestNumber(in: name) >= 9 ? mark : name
  }

  /// The name of a function, which may hold any sign; without a mail address.
  public static func name(_ text: String) -> String { holdsMail(text) ? mark : text }

  private static func longestNumber(in text: String) -> Int {
    var (longest, current) = (0, 0)
    for byte in text.utf8 {
      current = (0x30...0x39).contains(byte) ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }

  /// Whether an `@` stands between a word and a domain that ends in letters: `a@b.cc`, and not `memcpy@GLIBC_2.2`.
  private static func holdsMail(_ text: String) -> Bool {
    if !text.utf8.contains(UInt8(ascii: "@")) { return false }
    let bytes = Array(text.utf8)
    func isWord(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte >= 0x80
        || [0x2d, 0x2e, 0x5f].contains(byte)
    }
    for at in bytes.indices where bytes[at] == UInt8(ascii: "@") && at > 0 && isWord(bytes[at - 1]) {
      let domain = bytes[(at + 1)...].prefix(while: isWord)
      let top = domain.split(separator: UInt8(ascii: ".")).last ?? []
      if domain.contains(UInt8(ascii: ".")), top.count >= 2, top.allSatisfy({ (0x61...0x7a).contains($0 | 0x20) }) {
        return true
      }
    }
    return false
  }
}
