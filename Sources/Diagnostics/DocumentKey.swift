internal import JSON

/// The members that decide what an object of a document is.
enum DocumentKey: String, CaseIterable, Sendable {
  // v1 payload
  case crashDiagnostics, hangDiagnostics, cpuExceptionDiagnostics, diskWriteExceptionDiagnostics
  case appLaunchDiagnostics, memoryExceptionDiagnostics
  // v1 diagnostic and tree
  case callStackTree, callStacks, callStackPerThread, diagnosticMetaData, version, signpostData
  // metric payload
  case metaData
  // v2 report
  case crashDiagnostic, hangDiagnostic, cpuExceptionDiagnostic, diskWriteExceptionDiagnostic, appLaunchDiagnostic
  case memoryExceptionDiagnostic
  case callStackThreads, binaryInfo, timeRange, environment, applicationBuildVersion
  case result, crash, hang, cpuException, diskWriteException, appLaunch, memoryException
  case firstValue = "_0"
  // envelopes of vendors
  case payload, payloads, diagnostic, diagnostics, diagnosticPayload, diagnosticPayloads, event, events, report, reports
  case body, data
  case callStack, raw, type, kind
  // neighbours
  case bugType = "bug_type"

  static let set = JSONKeySet(DocumentKey.self)

  /// The kind whose array this member is.
  var listedKind: DiagnosticKind? {
    switch self {
    case .crashDiagnostics: .crash
    case .hangDiagnostics: .hang
    case .cpuExceptionDiagnostics: .cpuException
    case .diskWriteExceptionDiagnostics: .diskWriteException
    case .appLaunchDiagnostics: .appLaunch
    case .memoryExceptionDiagnostics: .memoryException
    default: nil
    }
  }

  /// The kind whose single diagnostic this member is: v2, or a vendor's wrapping.
  var singleKind: DiagnosticKind? {
    switch self {
    case .crashDiagnostic, .crash: .crash
    case .hangDiagnostic, .hang: .hang
    case .cpuExceptionDiagnostic, .cpuException: .cpuException
    case .diskWriteExceptionDiagnostic, .diskWriteException: .diskWriteException
    case .appLaunchDiagnostic, .appLaunch: .appLaunch
    case .memoryExceptionDiagnostic, .memoryException: .memoryException
    default: nil
    }
  }
}
