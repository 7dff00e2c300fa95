import JSON
import TestSupport
import Testing

@Suite("lookup", .enabled(if: programIsBuilt, programAbsence))
struct LookupTests {
  /// Offsets that hit every function of the sample framework, and places outside.
  private let offsets = (0..<450).map { "0x" + String(0x3ff8 + $0 * 4, radix: 16) }

  /// What LLVM says of the frames at an offset: name, base name of the file, line.
  private func peer(_ offset: String) throws -> [String] {
    let tool = try #require(Tool.llvm("llvm-symbolizer"))
    let outcome = Tool.run(
      tool, ["--obj=\(Sample.kitFile)", "--relative-address", "--no-demangle", "--basenames", offset])
    return outcome.lines.map(String.init).filter { !$0.isEmpty }
  }

  @Test("names what LLVM names in a dSYM", .enabled(if: Tool.llvm("llvm-symbolizer") != nil, "no llvm-symbolizer"))
  func object() throws {
    let answers = try symclust(["lookup", "--object", Sample.kitFile, "--json"] + offsets).jsonLines()
    #expect(answers.map { $0["offset"]?.string } == offsets)
    let resolved = answers.filter { $0["status"]?.string == "resolved" && $0["frames"]?[0]?["line"]?.uint != nil }
    #expect(resolved.count > 30)
    for answer in resolved.enumerated().filter({ $0.offset % 20 == 0 }).map(\.element) {
      let lines = try peer(answer["offset"]?.string ?? "")
      let frames = try #require(answer["frames"]?.array)
      #expect(lines.count == 2 * frames.count)
      for (index, frame) in frames.enumerated() where 2 * index + 1 < lines.count {
        #expect(frame["mangled"]?.string.map { lines[2 * index].hasSuffix($0) } != false)
        let file = frame["file"]?.string?.split(separator: "/").last ?? ""
        // Where no line is known LLVM says 0, and we say the nearest one and that it is no more than that.
        let line = frame["approximate"]?.bool == true ? 0 : frame["line"]?.uint ?? 0
        #expect(lines[2 * index + 1].hasPrefix("\(file):\(line):"))
        #expect(frame["inlined"]?.bool == (index < frames.count - 1))
      }
    }
  }

  @Test("says the same of a file, of the retained image, of arguments and of standard input")
  func ways() throws {
    let store = try Store()
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
    let direct = symclust(["lookup", "--object", Sample.kitFile, "--json"] + offsets)
    // Some of the offsets lie outside all code.
    #expect(direct.code == 3)
    for id in [Sample.kitID, Sample.kitID.lowercased(), Sample.kitID.filter { $0 != "-" }] {
      let stored = symclust(["lookup", "--image", id, "--store", store.path, "--json"] + offsets)
      #expect(stored.output == direct.output)
    }
    for separator in ["\n", "\r\n", "\n\n  "] {
      let piped = symclust(
        ["lookup", "--object", Sample.kitFile, "--json"], input: Array(offsets.joined(separator: separator).utf8))
      #expect(piped.output == direct.output)
      #expect(piped.code == 3)
    }
    let bare = symclust(["lookup", "--object", Sample.kitFile, "--json"] + offsets.map { String($0.dropFirst(2)) })
    #expect(bare.output == direct.output)
    let plain = symclust(["lookup", "--object", Sample.kitFile] + offsets)
    #expect(plain.lines.filter { $0.hasPrefix("0x") }.count == offsets.count)
    let nothing = symclust(["lookup", "--object", Sample.kitFile])
    #expect(nothing.code == 0)
    #expect(nothing.output.isEmpty)
  }

  @Test("takes a return address as the call before it")
  func returnAddresses() throws {
    func answers(_ words: [String]) throws -> [JSONValue] {
      try symclust(["lookup", "--object", Sample.kitFile, "--json"] + words).jsonLines()
    }
    let here = try answers(offsets)
    let next = offsets.map { "0x" + String((UInt64($0.dropFirst(2), radix: 16) ?? 0) + 1, radix: 16) }
    let called = try answers(["--return-addresses"] + next)
    #expect(called.map { $0["frames"] } == here.map { $0["frames"] })
    // Behind the last instruction of a function stands another one, or nothing.
    let exact = try answers(offsets)
    let caller = try answers(["--return-addresses"] + offsets)
    #expect(exact.map { $0["frames"] } != caller.map { $0["frames"] })
    #expect(try answers(["--return-addresses", "0"])[0]["status"]?.string != "resolved")
  }

  @Test("wants one slice of a fat file to be named")
  func fat() throws {
    let folder = try #require(TemporaryFolder("fat"))
    let arm = try #require(contents(of: Sample.kitFile))
    // The same file marked as another processor's and another image's.
    var intel = arm
    intel.replaceSubrange(4..<12, with: [0x07, 0, 0, 0x01, 0x03, 0, 0, 0])
    let file = folder.write(fatFile([arm, intel]), to: "Fat")
    let vague = symclust(["lookup", "--object", file, "0x4000"])
    #expect(vague.code == 64)
    #expect(vague.errorText.contains("say --arch; there are: arm64, x86_64"))
    let wrong = symclust(["lookup", "--object", file, "--arch", "ppc", "0x4000"])
    #expect(wrong.code == 64)
    #expect(wrong.errorText.contains("no slice is ppc"))
    let thin = symclust(["lookup", "--object", Sample.kitFile, "--json"] + offsets)
    let one = symclust(["lookup", "--object", file, "--arch", "arm64", "--json"] + offsets)
    #expect(one.output == thin.output)
    #expect(
      symclust(["lookup", "--object", Sample.kitFile, "--arch", "arm64", "--json"] + offsets).output == thin.output)
  }

  @Test(
    "refuses what is no offset, with the word",
    arguments: ["zz", "0x", "+5", "0x1g", "0x10000000000000000", "5.0", "٣"])
  func badOffset(word: String) {
    let outcome = symclust(["lookup", "--object", Sample.kitFile, "--", "0x4000", word])
    #expect(outcome.code == 64)
    #expect(outcome.errorText.contains("'\(word)' is not a hexadecimal offset"))
    // One bad line of many is told and loses nothing else.
    let piped = symclust(["lookup", "--object", Sample.kitFile], input: Array("0x4000\n\(word)\n0x4000\n".utf8))
    #expect(piped.code == 3)
    #expect(piped.errorText.contains("-:2: '\(word)' is not a hexadecimal offset"))
    let answers = piped.text.replacing("\n", with: " ").split(separator: "0x4000")
    #expect(answers.count == 2 && answers[0] == answers[1])
  }

  @Test("takes a dSYM for the file in it")
  func bundle() {
    let offsets = ["0x4000", "0x4100"]
    let wanted = symclust(["lookup", "--object", Sample.kitFile] + offsets)
    #expect(wanted.text.contains("LumenKit") || wanted.code != 1)
    #expect(symclust(["lookup", "--object", Sample.kit] + offsets).output == wanted.output)
  }

  @Test("says what is missing")
  func missing() throws {
    let store = try Store()
    #expect(store.run("lookup", "--image", Sample.kitID, "0").code == 1)
    #expect(!files(below: store.folder.path).contains { $0.hasPrefix("store/") }, "reading made a store")
    #expect(store.run("upload-symbols", Sample.kit).code == 0)
    let unknown = store.run("lookup", "--image", "00000000-0000-0000-0000-000000000001", "0")
    #expect(unknown.code == 1)
    #expect(unknown.errorText.contains("no symbols of image 00000000-0000-0000-0000-000000000001 are retained"))
    for id in ["xyz", "0", "", "00000000-0000-0000-0000-000000000000"] {
      #expect(store.run("lookup", "--image", id, "0").code == 64, "\(id)")
    }
    for file in ["/absent", "/etc/passwd", "/", Sample.symbols] {
      let outcome = symclust(["lookup", "--object", file, "0"])
      #expect(outcome.code == 1, "\(file)")
      #expect(outcome.errorText.contains("\(file): "), "\(file)")
    }
    #expect(symclust(["lookup", "0"]).code == 64)
    #expect(symclust(["lookup", "--object", Sample.kitFile, "--image", Sample.kitID, "0"]).code == 64)
  }

  @Test(
    "answers as the peers do in the corpus",
    .enabled(
      if: Corpus.isPresent && Tool.run("/usr/bin/python3", ["--version"]).code == 0,
      "needs python3 and the shared corpus (set SYMCLUST_CORPUS)"))
  func peers() throws {
    let outcome = Tool.run(
      "/usr/bin/python3",
      [Corpus.path("compare_lookup.py"), Corpus.path("symbols"), "--tool", Tool.symclust ?? "", "--min", "0.97"],
      seconds: 300)
    #expect(outcome.code == 0, "\(outcome.text.suffix(2000)) \(outcome.errorText.suffix(500))")
    #expect(outcome.text.contains("matched "))
  }
}
