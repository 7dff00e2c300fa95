/// Why debug information could not be read.
public struct DebugInfoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Code: String, Sendable, Hashable {
    /// There is none.
    case absent
    /// It contradicts itself.
    case malformed
    /// A known form that is not read.
    case unsupported
    /// A limit on sizes was reached.
    case tooLarge = "too_large"
    /// The file costs more steps to read than its size allows.
    case workLimit = "work_limit"
    /// The system gave no memory or descriptor.
    case system
  }

  /// What was wrong.
  public let code: Code
  /// Where and what, for example `.debug_info: declared 10 bytes, holds 20`.
  public let detail: String

  /// An error of kind `code`.
  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The reason.
  public var description: String { detail }

  /// More steps were taken than `DebugSections.stepLimit`.
  public static let workLimitReached = DebugInfoError(
    .workLimit, "its debug information costs more work to read than its size allows")
}

/// The bounds within which one file's debug information is read.
public struct DebugInfoLimits: Sendable, Hashable {
  /// The largest size of one section after inflation, in bytes.
  public var sectionBytes: Int = 4 << 30
  /// The deepest nesting of entries.
  public var entryDepth: Int = 1024
  /// The deepest nesting of inlined calls in one function.
  public var inlineDepth: Int = 256
  /// How many references are followed for one name.
  public var referenceHops: Int = 16
  /// Steps (entries, ranges, rows) allowed for each byte of debug information, beside a fixed allowance.
  public var stepsPerByte: Int = 50
  /// The fixed allowance of steps.
  public var fixedSteps: Int = 100_000_000

  /// The default bounds.
  public init() {}
}
