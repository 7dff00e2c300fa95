internal import JSON

/// The members that hold metadata, beside a call stack tree or in `diagnosticMetaData`.
enum MetadataKey: String, CaseIterable, Sendable {
  case bundleIdentifier, appVersion, appBuildVersion, osVersion, deviceType, platformArchitecture, regionFormat
  case isTestFlightApp, lowPowerModeEnabled, pid, signal, exceptionType, exceptionCode, terminationReason
  case virtualMemoryRegionInfo, exceptionReason, objectiveCexceptionReason, hangType, hangDuration, totalCPUTime
  case totalSampledTime, writesCaused, totalBytesWritten, launchDuration, timeStampBegin, timeStampEnd
  case terminationCategory
  case diagnosticType
  case includesMultipleApplicationVersions

  static let set = JSONKeySet(MetadataKey.self)
}

private enum ExceptionReasonKey: String, CaseIterable, Sendable {
  case exceptionName, exceptionType, className, formatString, composedMessage

  static let set = JSONKeySet(ExceptionReasonKey.self)
}

/// Reads metadata into a `DiagnosticMetadata`.
struct MetadataReader {
  var metadata = DiagnosticMetadata()
  /// The kind that a vendor's `diagnosticType` names.
  var kind: DiagnosticKind?
  /// Whether any member was read.
  var isUsed = false

  /// Reads the value of `diagnosticMetaData`, which is next; gives the number of unknown members.
  mutating func readObject(
    _ reader: inout JSONReader, limits: ReadingLimits, notes: inout Notebook
  ) throws(JSONError) -> Int {
    let token = try reader.next()
    guard token == .beginObject else {
      if token != .null { notes.add(.metadataUnreadable, byte: reader.tokenOffset) }
      if token == .beginArray { try reader.leaveContainer() }
      return 0
    }
    var unknown = 0
    while try reader.nextKey() {
      if let key = reader.key(in: MetadataKey.set) {
        try readMember(key, &reader, limits: limits, notes: &notes)
      } else {
        unknown += 1
        try reader.skipValue()
      }
    }
    return unknown
  }

  /// Reads the value of the member `key`, which is next.
  mutating func readMember(
    _ key: MetadataKey, _ reader: inout JSONReader, limits: ReadingLimits, notes: inout Notebook
  ) throws(JSONError) {
    isUsed = true
    switch key {
    case .isTestFlightApp: metadata.isTestFlightApp = try MetadataValue.bool(&reader)
    case .lowPowerModeEnabled: metadata.lowPowerModeEnabled = try MetadataValue.bool(&reader)
    case .includesMultipleApplicationVersions: metadata.spansVersions = try MetadataValue.bool(&reader)
    case .pid: metadata.pid = try MetadataValue.signed(&reader, notes: &notes)
    case .signal: metadata.signal = try MetadataValue.signed(&reader, notes: &notes)
    case .exceptionType: metadata.exceptionType = try MetadataValue.signed(&reader, notes: &notes)
    case .exceptionCode: metadata.exceptionCode = try MetadataValue.bits(&reader, notes: &notes)
    case .exceptionReason, .objectiveCexceptionReason:
      if let reason = try readExceptionReason(&reader, limits: limits, notes: &notes) {
        metadata.exceptionReason = reason
      }
    default:
      let text = try MetadataValue.text(&reader, limit: limits.textBytes, notes: &notes)
      set(key, to: text)
    }
  }

  private mutating func set(_ key: MetadataKey, to text: String?) {
    switch key {
    case .bundleIdentifier: metadata.bundleIdentifier = text
    case .appVersion: metadata.appVersion = text
    case .appBuildVersion: metadata.appBuildVersion = text
    case .osVersion: metadata.osVersion = text
    case .deviceType: metadata.deviceType = text
    case .platformArchitecture: metadata.platformArchitecture = text
    case .regionFormat: metadata.regionFormat = text
    case .terminationReason: metadata.terminationReason = text
    case .virtualMemoryRegionInfo: metadata.virtualMemoryRegionInfo = text
    case .hangType: metadata.hangType = text
    case .hangDuration: metadata.hangDuration = text
    case .totalCPUTime: metadata.totalCPUTime = text
    case .totalSampledTime: metadata.totalSampledTime = text
    case .writesCaused, .totalBytesWritten: metadata.writesCaused = text
    case .terminationCategory: metadata.terminationCategory = text
    case .launchDuration: metadata.launchDuration = text
    case .timeStampBegin: metadata.timeStampBegin = text
    case .timeStampEnd: metadata.timeStampEnd = text
    case .diagnosticType: kind = text.flatMap(DiagnosticKind.init(word:))
    case .isTestFlightApp, .lowPowerModeEnabled, .includesMultipleApplicationVersions, .pid, .signal, .exceptionType,
      .exceptionCode, .exceptionReason,
      .objectiveCexceptionReason:
      break
    }
  }

  private func readExceptionReason(
    _ reader: inout JSONReader, limits: ReadingLimits, notes: inout Notebook
  ) throws(JSONError) -> ExceptionReason? {
    var reason = ExceptionReason()
    switch try reader.next() {
    case .string:
      reason.composedMessage = MetadataValue.limited(reader, limit: limits.textBytes, notes: &notes)
      return reason
    case .null: return nil
    case .beginObject: break
    case .beginArray:
      try reader.leaveContainer()
      fallthrough
    default:
      notes.add(.metadataUnreadable, byte: reader.tokenOffset)
      return nil
    }
    while try reader.nextKey() {
      guard let key = reader.key(in: ExceptionReasonKey.set) else {
        try reader.skipValue()
        continue
      }
      let text = try MetadataValue.text(&reader, limit: limits.textBytes, notes: &notes)
      switch key {
      case .exceptionName: reason.name = text
      case .exceptionType: reason.type = text
      case .className: reason.className = text
      case .formatString: reason.formatString = text
      case .composedMessage: reason.composedMessage = text
      }
    }
    return reason
  }
}

extension DiagnosticMetadata {
  /// Takes from `other` what is not known here.
  mutating func fill(from other: DiagnosticMetadata) {
    bundleIdentifier = bundleIdentifier ?? other.bundleIdentifier
    appVersion = appVersion ?? other.appVersion
    appBuildVersion = appBuildVersion ?? other.appBuildVersion
    spansVersions = spansVersions ?? other.spansVersions
    osVersion = osVersion ?? other.osVersion
    deviceType = deviceType ?? other.deviceType
    platformArchitecture = platformArchitecture ?? other.platformArchitecture
    regionFormat = regionFormat ?? other.regionFormat
    isTestFlightApp = isTestFlightApp ?? other.isTestFlightApp
    lowPowerModeEnabled = lowPowerModeEnabled ?? other.lowPowerModeEnabled
    pid = pid ?? other.pid
    signal = signal ?? other.signal
    exceptionType = exceptionType ?? other.exceptionType
    exceptionCode = exceptionCode ?? other.exceptionCode
    terminationReason = terminationReason ?? other.terminationReason
    terminationCategory = terminationCategory ?? other.terminationCategory
    virtualMemoryRegionInfo = virtualMemoryRegionInfo ?? other.virtualMemoryRegionInfo
    exceptionReason = exceptionReason ?? other.exceptionReason
    hangType = hangType ?? other.hangType
    hangDuration = hangDuration ?? other.hangDuration
    totalCPUTime = totalCPUTime ?? other.totalCPUTime
    totalSampledTime = totalSampledTime ?? other.totalSampledTime
    writesCaused = writesCaused ?? other.writesCaused
    launchDuration = launchDuration ?? other.launchDuration
    timeStampBegin = timeStampBegin ?? other.timeStampBegin
    timeStampEnd = timeStampEnd ?? other.timeStampEnd
  }

  /// The kinds whose own members are present.
  var possibleKinds: [DiagnosticKind] {
    var kinds: [DiagnosticKind] = []
    if signal != nil || exceptionType != nil || exceptionCode != nil || terminationReason != nil
      || virtualMemoryRegionInfo != nil || exceptionReason != nil
    {
      kinds.append(.crash)
    }
    if hangType != nil || hangDuration != nil { kinds.append(.hang) }
    if totalCPUTime != nil || totalSampledTime != nil { kinds.append(.cpuException) }
    if writesCaused != nil { kinds.append(.diskWriteException) }
    if launchDuration != nil { kinds.append(.appLaunch) }
    return kinds
  }
}

extension DiagnosticKind {
  /// The kind that a vendor's word names: `crash`, `cpuException`, `disk_write`, `MXHangDiagnostic`, …
  init?(word: String) {
    guard word.utf8.count <= 64 else { return nil }
    var text = String(word.lowercased().filter { $0.isLetter })
    if text.hasPrefix("mx") { text.removeFirst(2) }
    if text.hasSuffix("diagnostic") { text.removeLast("diagnostic".count) }
    switch text {
    case "crash": self = .crash
    case "hang": self = .hang
    case "cpu", "cpuexception": self = .cpuException
    case "diskwrite", "diskwriteexception": self = .diskWriteException
    case "launch", "applaunch": self = .appLaunch
    case "memory", "memoryexception": self = .memoryException
    default: return nil
    }
  }
}
