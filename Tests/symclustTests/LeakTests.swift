import JSON
import TestSupport
import Testing

/// Personal data in every place that a payload has: none of it leaves the document.
@Suite("Personal data", .enabled(if: programIsBuilt, programAbsence))
struct LeakTests {
  /// Things that stand for a person, each findable by its word.
  private static let secrets = [
    "ada.lovelace@example.com", "/Users/lovelace/Secrets/App", "49151512345678", "C:\\\\Users\\\\lovelace\\\\App",
  ]

  /// A payload that has one of them in every text, known or not.
  private func payload(_ secret: String) -> String {
    let names = [
      "bundleIdentifier", "appVersion", "appBuildVersion", "osVersion", "deviceType", "platformArchitecture",
      "regionFormat", "terminationReason", "virtualMemoryRegionInfo", "hangType", "hangDuration", "totalCPUTime",
      "writesCaused", "launchDuration", "somethingNew", "timeStampBegin",
    ]
    // A number alone may well be a build; everything else is a person's.
    let isNumber = secret.allSatisfy(\.isNumber)
    let facts = names.filter {
      !isNumber || !["appBuildVersion", "appVersion", "bundleIdentifier", "osVersion"].contains($0)
    }
    .map { #""\#($0)":"\#(secret)""# }
    let reason = ["exceptionName", "className", "formatString", "composedMessage", "exceptionType"]
      .filter { !isNumber || $0 != "exceptionName" }.map { #""\#($0)":"\#(secret)""# }
    return #"""
      {"timeStampBegin":"\#(secret)","timeStampEnd":"\#(secret)","\#(secret)":"\#(secret)","crashDiagnostics":[{"version":"\#(secret)",\#
      "diagnosticMetaData":{\#(facts.joined(separator: ",")),"exceptionReason":{\#(reason.joined(separator: ","))},"signal":6},\#
      "callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{\#
      "binaryName":"\#(secret)","binaryUUID":"11111111-1111-1111-1111-111111111111","symbol":"\#(secret)",\#
      "offsetIntoBinaryTextSegment":4096,"address":4294971392,"sampleCount":1}]}]}}]}
      """#
  }

  @Test("stays in the document: not in the store, the report, or what is said", arguments: secrets)
  func leaks(secret: String) throws {
    let store = try Store()
    let path = store.folder.write(Array(payload(secret).utf8), to: "in/payload.json")
    let json = store.run("cluster", "--json", path, "--assignments", store.folder.entry("lines.jsonl"))
    #expect(try json.json()["run"]?.count("accepted_diagnostics") == 1, "\(json.errorText)")
    let text = store.run("cluster", path)
    var said: [(String, [UInt8])] = [
      ("json", json.output), ("errors", json.errors), ("text", text.output), ("text errors", text.errors),
      ("assignments", contents(of: store.folder.entry("lines.jsonl")) ?? []),
    ]
    for name in files(below: store.path) { said.append((name, contents(of: "\(store.path)/\(name)") ?? [])) }
    #expect(store.run("export", "--output", store.folder.entry("bundle")).code == 0)
    for name in files(below: store.folder.entry("bundle")) {
      said.append((name, contents(of: store.folder.entry("bundle/\(name)")) ?? []))
    }
    #expect(said.count > 8)
    for word in ["lovelace", "49151512345678", "Secrets"] {
      for (place, bytes) in said {
        #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) in \(place)")
      }
    }
  }
}
