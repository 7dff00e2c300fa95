public import Diagnostics

/// What a crash's metadata says about its reason, reduced to numbers and one name that hold no user data.
///
/// Part of a raw stack, so that better reason classes can be derived later without the payload.
public struct RawReason: Hashable, Sendable {
  /// The Mach exception number, for example 1 for EXC_BAD_ACCESS.
  public var exceptionType: Int64?
  /// The signal number.
  public var signal: Int64?
  /// The code in the termination reason, for example 0x8badf00d.
  public var terminationCode: UInt64?
  /// The resource of an EXC_RESOURCE, from the top three bits of the exception code.
  public var resource: UInt8?
  /// The exception's class name, for example `NSRangeException`; only when it looks like a class name.
  public var exceptionName: String?

  /// A reason with nothing known.
  public init() {}

  /// The reason in `metadata`. Texts are read for their numbers only.
  public init(_ metadata: DiagnosticMetadata) {
    exceptionType = metadata.exceptionType
    signal = metadata.signal ?? metadata.terminationReason.flatMap(RawReason.signal(inTerminationReason:))
    terminationCode = metadata.terminationReason.flatMap { RawReason.code(inTerminationReason: $0) }
    if exceptionType == 11 { resource = metadata.exceptionCode.map { UInt8($0 >> 61) } }
    // Version 2 has a word for it. Before, the system's watchdog left a kill without a reason on some systems; a kill with
    // another reason is no watchdog's.
    let isBareKill =
      metadata.terminationReason == nil && metadata.terminationCategory == nil && exceptionType == 10 && signal == 9
      && metadata.exceptionCode ?? 0 == 0
    if terminationCode == nil, isBareKill || metadata.terminationCategory == "watchdog" {
      terminationCode = RawReason.watchdogCode
    }
    exceptionName = metadata.exceptionReason?.name.flatMap { RawReason.isClassName($0) ? $0 : nil }
  }

  /// "ate bad food": the code of the system's watchdogs.
  static let watchdogCode: UInt64 = 0x8bad_f00d

  /// The signal in `Namespace SIGNAL, Code 0xb`: vendors' envelopes often leave out the member that holds it.
  static func signal(inTerminationReason text: String) -> Int64? {
    guard text.hasPrefix("Namespace SIGNAL"), let code = code(inTerminationReason: text, from: 1), code <= 64 else {
      return nil
    }
    return Int64(code)
  }

  /// The number behind `code:` or, failing that, `Code `, hexadecimal or decimal, when it is at least `least`: the
  /// namespace SIGNAL repeats the signal as its code.
  static func code(inTerminationReason text: String, from least: UInt64 = 65) -> UInt64? {
    let bytes = Array(text.utf8.prefix(16 * 1024))
    for word in ["code:", "Code "] {
      let wanted = Array(word.utf8)
      guard bytes.count > wanted.count else { continue }
      for start in 0..<(bytes.count - wanted.count)
      where bytes[start] == wanted[0] && bytes[start..<start + wanted.count].elementsEqual(wanted) {
        var rest = bytes[(start + wanted.count)...]
        while rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let isHex = rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8)
        if isHex { rest = rest.dropFirst(2) }
        let digits = rest.prefix { Character(UnicodeScalar($0)).isHexDigit && (isHex || $0 < UInt8(ascii: "A")) }
        if let code = UInt64(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10), code >= least {
          return code
        }
      }
    }
    return nil
  }

  static func isClassName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.utf8.allSatisfy {
        $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") || Character(UnicodeScalar($0)).isASCIIWord
      }
  }
}

extension Character {
  /// Whether this is an ASCII letter or digit.
  fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}

/// Why the system reports the app, as far as it may enter a signature.
///
/// The *family* is what all devices report for one bug, and it alone enters the signature of a stack with app frames.
/// The *detail* depends on what a device or a build adds (iOS 17 names the Objective-C exception, debug information
/// names the Swift runtime failure): it is shown and counted, and would split one bug if it were part of the key.
public struct ReasonClass: Hashable, Sendable, CustomStringConvertible {
  /// The reasons that are told apart.
  public enum Family: String, Sendable, Hashable, CaseIterable {
    /// A bad memory access.
    case badAccess = "bad-access"
    /// An illegal instruction or breakpoint: how Swift's checks and `fatalError` end a process.
    case trap
    /// An arithmetic exception of the processor.
    case arithmetic
    /// The process aborted itself: `abort`, an uncaught Objective-C or C++ exception.
    case abort
    /// Killed because it did not answer in time.
    case watchdog
    /// Killed for another stated reason.
    case killed
    /// Killed for using too much of a resource.
    case resource
    /// A guarded resource was misused.
    case guardViolation = "guard"
    /// The main thread did not answer.
    case hang
    /// Too much CPU time.
    case cpu
    /// Too many bytes written.
    case diskWrites = "disk-writes"
    /// A slow launch.
    case launch
    /// Too much memory.
    case memory
    /// Nothing is known.
    case unknown
  }

  /// The reason that enters signatures.
  public var family: Family
  /// The finer reason, for example `swift-runtime(index-out-of-range)`; `nil` when there is none.
  public var detail: String?

  /// A reason class with these parts.
  public init(_ family: Family, detail: String? = nil) {
    self.family = family
    self.detail = detail
  }

  /// The detail when there is one, else the family.
  public var description: String { detail ?? family.rawValue }

  /// What of a diagnostic a reason was read from.
  public enum Basis: String, Sendable, Hashable, CaseIterable {
    /// The kind alone.
    case kind
    /// The name of an exception that nobody caught.
    case exceptionName = "exception_name"
    /// The code for which the system ended the process.
    case terminationCode = "termination_code"
    /// The number of the Mach exception.
    case machException = "mach_exception"
    /// The signal.
    case signal
    /// Nothing: the diagnostic does not say.
    case nothing
  }

  /// The reason class of a diagnostic of `kind` whose metadata said `raw`, before any symbol is known.
  public init(kind: DiagnosticKind, raw: RawReason) { self = ReasonClass.reading(kind: kind, raw: raw).reason }

  /// The same, and what it was read from.
  public static func reading(kind: DiagnosticKind, raw: RawReason) -> (reason: ReasonClass, basis: Basis) {
    switch kind {
    case .hang: (ReasonClass(.hang), .kind)
    case .cpuException: (ReasonClass(.cpu), .kind)
    case .diskWriteException: (ReasonClass(.diskWrites), .kind)
    case .appLaunch: (ReasonClass(.launch), .kind)
    case .memoryException: (ReasonClass(.memory), .kind)
    case .crash, .unknown: ofCrash(raw)
    }
  }

  private static func ofCrash(_ raw: RawReason) -> (reason: ReasonClass, basis: Basis) {
    if let name = raw.exceptionName {
      return (ReasonClass(.abort, detail: "objc-exception(\(name))"), .exceptionName)
    }
    if let code = raw.terminationCode {
      let text = "0x" + String(code, radix: 16)
      return code & 0xffff_ffff == RawReason.watchdogCode
        ? (ReasonClass(.watchdog, detail: "watchdog(\(text))"), .terminationCode)
        : (ReasonClass(.killed, detail: "killed(\(text))"), .terminationCode)
    }
    if let reason = raw.exceptionType.flatMap({ ofMachException($0, raw.resource) }) { return (reason, .machException) }
    if let reason = raw.signal.flatMap(ofSignal) { return (reason, .signal) }
    return (ReasonClass(.unknown), .nothing)
  }

  /// Mach exception numbers (mach/exception_types.h); EXC_CRASH (10) only wraps the signal.
  private static func ofMachException(_ type: Int64, _ resource: UInt8?) -> ReasonClass? {
    switch type {
    case 1: return ReasonClass(.badAccess)
    case 2, 6: return ReasonClass(.trap)
    case 3: return ReasonClass(.arithmetic)
    case 11:
      // kern/exc_resource.h: the type in the top bits of the code.
      let names: [UInt8: String] = [1: "cpu", 2: "wakeups", 3: "memory", 4: "disk", 5: "threads", 6: "ports"]
      return ReasonClass(.resource, detail: resource.flatMap { names[$0] }.map { "resource(\($0))" })
    case 12: return ReasonClass(.guardViolation)
    default: return nil
    }
  }

  private static func ofSignal(_ signal: Int64) -> ReasonClass? {
    switch signal {
    case 4, 5: ReasonClass(.trap)
    case 6: ReasonClass(.abort)
    case 7, 10, 11: ReasonClass(.badAccess)
    case 8: ReasonClass(.arithmetic)
    case 9: ReasonClass(.killed)
    default: nil
    }
  }

  /// The reason with the kind of a Swift runtime failure, as an inlined marker frame names it
  /// (`Swift runtime failure: Index out of range`). Only traps take it.
  func refined(byRuntimeFailure name: String) -> ReasonClass {
    guard family == .trap, detail == nil, let colon = name.firstIndex(of: ":") else { return self }
    var slug = ""
    for byte in name[colon...].utf8.dropFirst().prefix(80) {
      let character = Character(UnicodeScalar(byte))
      if character.isASCIIWord {
        slug += character.lowercased()
      } else if !slug.isEmpty, !slug.hasSuffix("-") {
        slug += "-"
      }
    }
    while slug.hasSuffix("-") { slug.removeLast() }
    return slug.isEmpty ? self : ReasonClass(family, detail: "swift-runtime(\(slug))")
  }
}
