import JSON
import TestSupport
import Testing

/// Texts that would make a terminal or a reader see something else than stands there.
private let traps = "\u{1b}[2J\u{1b}]0;x\u{07}\u{202e}\u{2066}\r\n\u{9b}31m\u{2028}\u{7f}"

/// The scalars in `traps` that no output may hold raw; line ends only as ends of our own lines.
private let forbidden = Set(traps.unicodeScalars).subtracting(["\n"]).filter { !$0.isASCIIPrintable }

extension Unicode.Scalar {
  fileprivate var isASCIIPrintable: Bool { (0x20...0x7e).contains(value) }
}

@Suite("Texts from outside", .enabled(if: programIsBuilt, programAbsence))
struct HostileTextTests {
  /// A payload with traps in every text of its metadata and frames.
  private func payload(_ name: String) throws -> [UInt8] {
    var writer = JSONWriter()
    let trap = JSONValue.string(name + traps + "end")
    let frame = JSONValue.object([
      JSONMember("binaryUUID", .string(Sample.kitID)), JSONMember("binaryName", trap),
      JSONMember("offsetIntoBinaryTextSegment", .number(.unsigned(0x4040))),
      JSONMember("address", .number(.unsigned(0x1_0000_4040))), JSONMember("sampleCount", .number(.unsigned(1))),
      JSONMember(
        "subFrames",
        .array([
          .object([
            JSONMember("binaryUUID", .string("11111111-1111-1111-1111-111111111111")), JSONMember("binaryName", trap),
            JSONMember("offsetIntoBinaryTextSegment", .number(.unsigned(64))),
            JSONMember("address", .number(.unsigned(0x2_0000_0040))),
          ])
        ])),
    ])
    let texts = [
      "bundleIdentifier", "appVersion", "appBuildVersion", "osVersion", "deviceType", "platformArchitecture",
      "terminationReason", "regionFormat", "virtualMemoryRegionInfo", "hangDuration",
    ]
    let crash = JSONValue.object([
      JSONMember("version", .string("1.0.0")),
      JSONMember(
        "diagnosticMetaData",
        .object(
          texts.map { JSONMember($0, trap) } + [
            JSONMember("signal", .number(.unsigned(11))),
            JSONMember(
              "objectiveCexceptionReason",
              .object(["className", "exceptionName", "composedMessage", "formatString"].map { JSONMember($0, trap) })),
          ])),
      JSONMember(
        "callStackTree",
        .object([
          JSONMember("callStackPerThread", .bool(true)),
          JSONMember(
            "callStacks",
            .array([
              .object([
                JSONMember("threadAttributed", .bool(true)), JSONMember("callStackRootFrames", .array([frame])),
              ])
            ])),
        ])),
    ])
    writer.value(
      .object([
        JSONMember("timeStampBegin", trap), JSONMember("timeStampEnd", trap),
        JSONMember("crashDiagnostics", .array([crash])),
      ]))
    return try writer.finish()
  }

  private func check(_ outcome: Tool.Outcome, _ what: String) {
    for (stream, text) in [("output", outcome.text), ("errors", outcome.errorText)] {
      let raw = Set(text.unicodeScalars).intersection(forbidden)
      #expect(raw.isEmpty, "\(what), \(stream): \(raw.map { String($0.value, radix: 16) })")
    }
    #expect(outcome.ended)
  }

  @Test("in payloads, file names and symbol files are never printed raw")
  func everywhere() throws {
    let store = try Store()
    let file = store.folder.write(try payload("a"), to: "in\u{1b}[31m\u{202e}\n/evil\u{1b}[2J.json")
    let folder = String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
    store.folder.write(Array("{\u{1b}[2J".utf8), to: "in\u{1b}[31m\u{202e}\n/bad\u{9b}\r.json")
    #expect(Tool.run("/bin/cp", [Sample.kitFile, folder + "/Kit\u{1b}[2J\n"]).code == 0)
    store.folder.write(Array("junk".utf8), to: "in\u{1b}[31m\u{202e}\n/junk\u{1b}[2J\n")
    for arguments in [
      [
        "upload-symbols", folder + "/Kit\u{1b}[2J\n", folder + "/junk\u{1b}[2J\n", "--app", "a" + traps, "--version",
        traps, "--build", traps,
      ],
      ["cluster", folder], ["cluster", folder, "--json"], ["cluster", folder, "--color", "always", "--top", "0"],
      ["symbolicate", folder], ["symbolicate", folder, "--json"], ["cluster", "/absent\u{1b}[2J"],
      ["signatures", "explain", folder], ["signatures", "explain", folder, "--json"],
      ["signatures", "explain", folder, "--color", "always", "--all"], ["signatures", "explain", "sig-" + traps],
      ["signatures", "explain", "/absent" + traps],
      ["symbolicate", "/absent\u{1b}\n"], ["lookup", "--image", traps, "1"],
      ["lookup", "--image", Sample.kitID, traps],
      ["upload-symbols", folder, "--json"],
    ] {
      let outcome = symclust(arguments + ["--store", store.path])
      if arguments.contains("always") {
        // Our own colours are the only escape sequences.
        let plain = [0, 1, 2, 32].reduce(outcome.text) { $0.replacing("\u{1b}[\($1)m", with: "") }
        #expect(Set(plain.unicodeScalars).intersection(forbidden).isEmpty)
      } else {
        check(outcome, arguments[0])
      }
    }
    for arguments in [
      ["check", folder], ["check", folder, "--json"], ["lookup", "--object", folder + "/junk\u{1b}[2J\n", "1"],
      ["lookup", "--object", folder + "/Kit\u{1b}[2J\n", "--arch", traps, "1"], ["frob" + traps], ["--frob" + traps],
      ["cluster", "x", "--jobs", traps], ["cluster", "x", "--color", traps], ["completions", traps],
      ["cluster", "x", "--store", "/absent" + traps],
    ] {
      check(symclust(arguments), "\(arguments[0].prefix(12))")
    }
  }

  @Test("keep their meaning in JSON")
  func json() throws {
    let store = try Store()
    let file = store.folder.write(try payload("a"), to: "a.json")
    let report = try store.report([file])
    #expect(report["denominators"]?[0]?["app"]?.string == "a" + traps + "end")
    #expect(report["missing_images"]?.array?.contains { $0["name"]?.string == "a" + traps + "end" } == true)
    #expect(try SchemaChecker(named: "cluster-report").problems(report) == [])
    let shown = try store.run("symbolicate", file, "--json").jsonLines()[0]
    #expect(shown["device"]?.string == "a" + traps + "end")
    #expect(try SchemaChecker(named: "symbolicated-diagnostic").problems(shown) == [])
  }

  @Test("in symbol names are shown with their escapes")
  func symbolNames() throws {
    let store = try Store()
    var bytes = try #require(contents(of: Sample.kitFile))
    // A name of the sample framework with a few bytes of it replaced by an escape sequence, in debug information and symbols.
    let name = Array("version".utf8)
    var replaced = 0
    for start in bytes.indices.dropLast(name.count) where bytes[start..<start + name.count].elementsEqual(name) {
      bytes.replaceSubrange(start..<start + 4, with: [0x1b, 0x5b, 0x32, 0x4a])
      replaced += 1
    }
    #expect(replaced > 0)
    let file = store.folder.write(bytes, to: "Kit")
    let offsets = (0..<300).map { String(0x4000 + $0 * 4, radix: 16) }
    let text = symclust(["lookup", "--object", file] + offsets)
    check(text, "lookup")
    #expect(text.text.contains("\\u{1b}[2J"))
    check(symclust(["lookup", "--object", file, "--json"] + offsets), "lookup --json")
    check(store.run("upload-symbols", file), "upload-symbols")
    check(store.run("cluster", store.folder.write(try payload("b"), to: "b.json")), "cluster")
  }
}
