/// What the device said about itself and about the event. Every field may be missing; texts are kept as they came.
///
/// Field names of the document stand in the comments; `reference` facts: MetricKit v1 `diagnosticMetaData`.
public struct DiagnosticMetadata: Sendable, Hashable {
  /// `bundleIdentifier`.
  public var bundleIdentifier: String?
  /// `appVersion`, for example `2.1`.
  public var appVersion: String?
  /// `appBuildVersion`, for example `812`: the build of record.
  public var appBuildVersion: String?
  /// `includesMultipleApplicationVersions`: whether the app was updated within the interval, so that it belongs to no build.
  public var spansVersions: Bool?
  /// `osVersion` as it came, for example `iPhone OS 18.5 (22F76)`.
  public var osVersion: String?
  /// `deviceType`, for example `iPhone14,6`.
  public var deviceType: String?
  /// `platformArchitecture`: the device's, not the image's.
  public var platformArchitecture: String?
  /// `regionFormat`.
  public var regionFormat: String?
  /// `isTestFlightApp`.
  public var isTestFlightApp: Bool?
  /// `lowPowerModeEnabled`.
  public var lowPowerModeEnabled: Bool?
  /// `pid`; negative means unknown and is kept as it came.
  public var pid: Int64?
  /// `signal`.
  public var signal: Int64?
  /// `exceptionType`: a Mach exception number.
  public var exceptionType: Int64?
  /// `exceptionCode` as its bit pattern.
  public var exceptionCode: UInt64?
  /// `terminationReason` as it came. May hold pids and bundle ids: never enters a signature.
  public var terminationReason: String?
  /// `terminationCategory` of v2, for example `watchdog`.
  public var terminationCategory: String?
  /// `virtualMemoryRegionInfo` as it came.
  public var virtualMemoryRegionInfo: String?
  /// The exception object of an Objective-C or Swift error, when there was one.
  public var exceptionReason: ExceptionReason?
  /// `hangType`.
  public var hangType: String?
  /// `hangDuration` as it came, for example `20 secs.`.
  public var hangDuration: String?
  /// `totalCPUTime` as it came.
  public var totalCPUTime: String?
  /// `totalSampledTime` as it came.
  public var totalSampledTime: String?
  /// `writesCaused` as it came.
  public var writesCaused: String?
  /// `launchDuration` as it came.
  public var launchDuration: String?
  /// `timeStampBegin` of the diagnostic itself or of its payload, as it came.
  public var timeStampBegin: String?
  /// `timeStampEnd` of the diagnostic itself or of its payload, as it came.
  public var timeStampEnd: String?

  /// Metadata with nothing known.
  public init() {}
}

/// `exceptionReason` or `objectiveCexceptionReason` of a crash.
public struct ExceptionReason: Sendable, Hashable {
  /// `exceptionName`, for example `NSRangeException`.
  public var name: String?
  /// `exceptionType`.
  public var type: String?
  /// `className`.
  public var className: String?
  /// `formatString`: the message without its values.
  public var formatString: String?
  /// `composedMessage`. May hold user data: never enters a signature.
  public var composedMessage: String?

  /// A reason with nothing known.
  public init() {}
}
