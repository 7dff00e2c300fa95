/// What the words in crash reports of Apple's systems mean as the numbers that MetricKit gives.
enum CrashReportWords {
  /// The number of a Mach exception (`mach/exception_types.h`) that `text` begins with, such as `EXC_CRASH (SIGABRT)`.
  static func exceptionType(in text: String) -> Int64? {
    guard let word = words(of: text).first(where: { $0.hasPrefix("EXC_") }) else { return nil }
    return exceptions.firstIndex(of: word).map { Int64($0 + 1) }
  }

  /// The number of the first signal (Darwin's `sys/signal.h`) that `text` names, such as `EXC_CRASH (SIGABRT)`.
  static func signal(in text: String) -> Int64? {
    for word in words(of: text) where word.hasPrefix("SIG") {
      if let number = signals.firstIndex(of: String(word.dropFirst(3))) { return Int64(number + 1) }
    }
    return nil
  }

  /// The first code in `0x0000000000000001, 0x000000018a98520c` or `KERN_INVALID_ADDRESS at 0x0000000000000010`: MetricKit
  /// gives the first as well.
  static func exceptionCode(in text: String) -> UInt64? {
    guard let word = words(of: text).first else { return nil }
    // mach/kern_return.h
    switch word {
    case "KERN_INVALID_ADDRESS": return 1
    case "KERN_PROTECTION_FAILURE": return 2
    default: return hexNumber(word)
    }
  }

  /// `0x` and up to 16 hexadecimal digits.
  static func hexNumber(_ text: some StringProtocol) -> UInt64? {
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
    let digits = text.dropFirst(2)
    return digits.first == "+" || digits.first == "-" ? nil : UInt64(digits, radix: 16)
  }

  /// A termination reason in MetricKit's spelling: `Namespace SIGNAL, Code 5 Trace/BPT trap: 5`.
  static func terminationReason(namespace: String, code: String, rest: [String]) -> String {
    var code = code
    // People know the large ones, such as 0x8badf00d, in hexadecimal.
    if let number = hexNumber(code) ?? UInt64(code), number > 0xffff { code = "0x" + String(number, radix: 16) }
    let head = "Namespace \(namespace)" + (code.isEmpty ? "" : ", Code \(code)")
    return ([head] + rest.filter { !$0.isEmpty }).joined(separator: " ")
  }

  /// The termination reason of a text report, in MetricKit's spelling whichever it has:
  /// `SIGNAL 5 Trace/BPT trap: 5` or `Namespace SIGNAL, Code 0x5`.
  static func terminationReason(from text: String) -> String {
    if text.hasPrefix("Namespace ") { return text }
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].utf8.allSatisfy({ (0x41...0x5a).contains($0) || $0 == 0x5f }),
      hexNumber(parts[1]) != nil || UInt64(parts[1]) != nil
    else { return text }
    return terminationReason(
      namespace: String(parts[0]), code: String(parts[1]), rest: parts.count > 2 ? [String(parts[2])] : [])
  }

  /// The exception in `*** Terminating app due to uncaught exception 'NSRangeException', reason: '…'`, as
  /// CoreFoundation leaves it in the application specific information.
  static func exceptionReason(inInformation text: String) -> ExceptionReason? {
    guard let start = text.firstRange(of: "uncaught exception '") else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.firstIndex(of: "'"), rest.startIndex < end else { return nil }
    var reason = ExceptionReason()
    reason.name = String(rest[..<end])
    reason.type = "objc-exception"
    if let why = rest[end...].firstRange(of: "reason: '") {
      let message = rest[why.upperBound...]
      reason.composedMessage = String(message.lastIndex(of: "'").map { message[..<$0] } ?? message)
    }
    return reason
  }

  /// The architecture in the spelling of Mach-O tools for `ARM-64`, `X86-64 (Native)` and the like.
  static func architecture(_ cpuType: String) -> String? {
    switch words(of: cpuType).first {
    case "ARM-64": "arm64"
    case "X86-64": "x86_64"
    case "ARM": "arm"
    case "X86": "i386"
    default: nil
    }
  }

  /// Whether the backtrace of the last exception is what happened, and not where the process was in the end.
  ///
  /// Who throws an Objective-C or Swift exception that nobody catches ends in `abort` (or in a trap, under AppKit), on a
  /// thread that may have been unwound by then: the backtrace of the exception is the event, and the thread that crashed
  /// only carried it out. A bad access, a used-up resource or a kill from outside has its own cause, and its thread.
  static func lastExceptionIsEvent(_ metadata: DiagnosticMetadata) -> Bool {
    guard metadata.signal != 9 else { return false }
    switch metadata.exceptionType {
    case nil, 2, 5, 6, 10: return true
    default: return false
    }
  }

  /// The name that the call stack of the last exception gets.
  static let lastException = "Last exception backtrace"

  /// Whether a name with this offset behind it is just the nearest one that was left.
  ///
  /// A reporter inside a stripped app finds few names, and calls what lies anywhere behind `main` `main + 383392`. Hardly
  /// a function is that large; no name is better than another function's.
  static func isNearestOnly(_ offset: UInt64) -> Bool { offset > 0xffff }

  /// The last component of a path; `nil` for none.
  static func lastComponent(of path: String) -> String? {
    guard path != "???", let name = path.split(separator: "/").last else { return nil }
    return String(name)
  }

  private static func words(of text: String) -> [String] {
    text.utf8.prefix(256).split { $0 == 0x20 || $0 == 0x28 || $0 == 0x29 || $0 == 0x2c || $0 == 0x09 }.map {
      String(decoding: Array($0), as: UTF8.self)
    }
  }

  private static let exceptions = [
    "EXC_BAD_ACCESS", "EXC_BAD_INSTRUCTION", "EXC_ARITHMETIC", "EXC_EMULATION", "EXC_SOFTWARE", "EXC_BREAKPOINT",
    "EXC_SYSCALL", "EXC_MACH_SYSCALL", "EXC_RPC_ALERT", "EXC_CRASH", "EXC_RESOURCE", "EXC_GUARD", "EXC_CORPSE_NOTIFY",
  ]

  private static let signals = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "EMT", "FPE", "KILL", "BUS", "SEGV", "SYS", "PIPE", "ALRM", "TERM",
    "URG", "STOP", "TSTP", "CONT", "CHLD", "TTIN", "TTOU", "IO", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "INFO",
    "USR1", "USR2",
  ]
}
