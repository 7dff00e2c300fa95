import JSON
import TestSupport
import Testing

/// `docs/pipelines.md` is copied into other people's pipelines, so it is held against the program.
@Suite("The page on pipelines", .enabled(if: programIsBuilt, programAbsence))
struct PipelinesPageTests {
  private static let page = String(
    decoding: contents(of: Corpus.repository + "/docs/pipelines.md") ?? [], as: UTF8.self)

  /// The fenced blocks of the page with their languages.
  private static let blocks: [(language: String, text: String)] = {
    let parts = page.split(separator: "\n```", omittingEmptySubsequences: false)
    // Every second part is a block: its first line is the language.
    return parts.indices.filter { $0 % 2 == 1 }.map { index in
      let text = parts[index]
      let end = text.firstIndex(of: "\n") ?? text.endIndex
      return (String(text[..<end]), String(text[end...]))
    }
  }()

  /// The command lines of `symclust`, as a shell reads them.
  private static let commands: [String] = blocks.flatMap { block in
    block.text.split(separator: "\n").compactMap { line in
      var line = line.drop { $0 == " " }
      for prefix in ["- ", "run: ", "podman run --rm --volume symclust:/store "] where line.hasPrefix(prefix) {
        line = line.dropFirst(prefix.count)
      }
      // What follows takes gaps for normal, and would hide the code.
      if let end = line.firstRange(of: " || ")?.lowerBound { line = line[..<end] }
      return line.hasPrefix("symclust ") ? String(line) : nil
    }
  }

  /// Runs a command line in a folder of its own, with every path of the page inside it.
  private func run(_ command: String) throws -> Tool.Outcome {
    let folder = try #require(TemporaryFolder("pipelines"))
    let line = command.replacing("/srv/", with: folder.path + "/")
    return bash(
      """
      cd "$1" && ln -s "$symclust" "$1/symclust" && PATH="$1:$PATH"
      export VERSION=2.1 BUILD=812 REV=c0ffee ACTOR=ci archive=App.xcarchive.zip
      export CI_COMMIT_TAG=2.1 CI_PIPELINE_IID=812 CI_COMMIT_SHA=c0ffee GITLAB_USER_LOGIN=ci
      set -- App.zip com.example.app 2.1 812 c0ffee
      \(line)
      """, [folder.path])
  }

  @Test("has command lines that the program understands, each option of them", arguments: commands)
  func understood(command: String) throws {
    let outcome = try run(command)
    #expect(outcome.ended && outcome.code != 64 && outcome.code != 127, "\(command)\n\(outcome.errorText)")
    // The same with an option that is none is not understood: what was seen was the parser.
    #expect(try run(command.replacing("symclust ", with: "symclust --no-such-option ")).code == 64)
  }

  @Test("covers every pipeline and service that it promises, and uses the gate in each")
  func complete() {
    for title in ["## GitHub Actions", "## GitLab CI", "## Xcode Cloud", "## fastlane"] {
      let section = Self.page.components(after: "\n\(title)\n")
      #expect(section.contains("symclust upload-symbols ") && section.contains("--require-app "), "\(title)")
    }
    for service in ["Crashlytics", "Sentry", "App Center", "Bugsnag", "Datadog"] {
      #expect(Self.page.contains("\n| \(service) | "), "\(service)")
    }
    #expect(Self.commands.count > 7)
  }

  @Test("has scripts that a shell can read")
  func scripts() throws {
    let folder = try #require(TemporaryFolder("pipelines"))
    for block in Self.blocks where block.language == "sh" {
      let file = folder.write(Array(block.text.utf8), to: "script.sh")
      let outcome = Tool.run("/bin/sh", ["-n", file])
      #expect(outcome.code == 0, "\(outcome.errorText)")
    }
  }

  /// What `jq` makes of `event` with a program of the page, counted in a store with the symbols of one build.
  private func cluster(_ event: String, by program: String) throws -> JSONValue? {
    let store = try Store()
    #expect(store.run("upload-symbols", Sample.symbols + "/1.2-120").code == 0)
    let converted = Tool.run(
      "/usr/bin/jq", ["-c", "-f", "\(Corpus.repository)/docs/import/\(program)"], input: Array(event.utf8))
    #expect(converted.code == 0, "\(converted.errorText)")
    #expect(converted.lines.count == 2)
    #expect(try SchemaChecker(named: "stack").problems(JSONValue.parse(converted.output)) == [])
    return try store.report([store.folder.write(converted.output, to: "stacks.jsonl")])
  }

  @Test("brings Sentry's events over: addresses are looked up in the symbols of the image, names stand for the rest")
  func sentry() throws {
    let report = try cluster(
      """
      {"event_id":"0123","contexts":{"app":{"app_identifier":"com.example.lumen","app_version":"1.2","app_build":"120"},
       "os":{"name":"iOS","version":"18.5"}},
       "debug_meta":{"images":[{"type":"macho","debug_id":"\(Sample.kitID.lowercased())","image_addr":"0x104c00000",
       "code_file":"/private/var/containers/Bundle/Application/X/Lumen.app/Frameworks/LumenKit.framework/LumenKit"}]},
       "exception":{"values":[{"type":"EXC_BAD_ACCESS","mechanism":{"type":"mach","meta":{"signal":{"number":11}}},
       "stacktrace":{"frames":[
         {"function":"LumenApp.main()","package":"/private/var/X/Lumen.app/Lumen","instruction_addr":"0x102000010"},
         {"function":"wrong name","package":"LumenKit","image_addr":"0x104c00000","instruction_addr":"0x104c04000"}]}}]}}
      """, by: "sentry.jq")
    let cluster = report?["clusters"]?[0]
    #expect(cluster?["kind"]?.string == "crash" && cluster?["reason_class"]?.string == "bad-access")
    #expect(try text(cluster?["tokens"]) == #"["LumenKit!version","Lumen!LumenApp.main()"]"#)
    #expect(report?["denominators"]?[0]?["build"]?.string == "120")
  }

  @Test("brings rows of Crashlytics' export over, with the names they have")
  func crashlytics() throws {
    let report = try cluster(
      """
      {"event_id":"a1","bundle_identifier":"com.example.lumen","application":{"build_version":"120","display_version":"1.2"},
       "operating_system":{"name":"iOS","display_version":"18.5"},"threads":[
       {"crashed":"false","frames":[{"library":"libsystem_kernel.dylib","symbol":"mach_msg2_trap","line":"0"}]},
       {"crashed":"true","frames":[{"library":"Lumen","symbol":"Vault.seal(_:)","file":"Vault.swift","line":"12"},
       {"library":"Lumen","symbol":"Editor.save()","file":"Editor.swift","line":"40"}]}]}
      """, by: "crashlytics.jq")
    let cluster = report?["clusters"]?[0]
    #expect(try text(cluster?["tokens"]) == #"["Lumen!Vault.seal(_:)","Lumen!Editor.save()"]"#)
    #expect(cluster?["frames"]?[0]?["line"]?.int == 12)
  }
}

extension String {
  /// What stands after `mark` and before the next title.
  fileprivate func components(after mark: String) -> String {
    guard let start = firstRange(of: mark)?.upperBound else { return "" }
    let rest = self[start...]
    return String(rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)])
  }
}
