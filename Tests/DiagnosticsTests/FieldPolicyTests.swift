import Diagnostics
import Identity
import TestSupport
import Testing

@Suite("What is kept of a diagnostic")
struct FieldPolicyTests {
  @Test("is decided for every field, and said in docs/data.md")
  func complete() throws {
    #expect(Mirror(reflecting: DiagnosticMetadata()).children.compactMap(\.label) == FieldPolicy.metadata.map(\.field))
    let page = String(decoding: try #require(contents(of: Corpus.repository + "/docs/data.md")), as: UTF8.self)
    let rows = page.split(separator: "\n").filter { $0.count(where: { $0 == "|" }) == 6 }.dropFirst(2).map(String.init)
    #expect(
      rows
        == (FieldPolicy.metadata + FieldPolicy.parts).map {
          "| \($0.field) | \($0.privacy.rawValue) | \($0.keeping.rawValue) | \($0.retention.rawValue) | \($0.purpose) |"
        })
  }

  @Test("lives with the document when nothing else is kept of it")
  func retention() {
    for policy in FieldPolicy.metadata + FieldPolicy.parts {
      #expect((policy.keeping == .rawOnly) == (policy.retention == .document), "\(policy.field)")
    }
  }

  @Test("is nothing that the list keeps in the document")
  func allowList() {
    var diagnostic = Diagnostic(kind: .crash)
    diagnostic.metadata.deviceType = "x"
    diagnostic.metadata.regionFormat = "x"
    diagnostic.metadata.pid = 1
    diagnostic.metadata.virtualMemoryRegionInfo = "x"
    diagnostic.metadata.hangDuration = "x"
    diagnostic.metadata.timeStampBegin = "yesterday, at Ada's"
    diagnostic.metadata.appVersion = "1.2"
    let kept = diagnostic.kept.metadata
    var wanted = DiagnosticMetadata()
    wanted.appVersion = "1.2"
    #expect(kept == wanted)
  }

  @Test(
    "of labels is all but what looks like a person's",
    arguments: [
      ("1.2.3 (45)", true), ("com.example.app", true), ("202606011234", true), ("2.0-beta+7", true),
      ("ada@example.com", false),
      ("/Users/ada", false), ("C:\\Users\\ada", false), ("a@b", true),
    ])
  func labels(text: String, isKept: Bool) { #expect(Redaction.label(text) == (isKept ? text : Redaction.mark)) }

  @Test(
    "of paths is the name at their end",
    arguments: [
      ("/Users/ada/App.swift", "App.swift"), ("App", "App"), ("My App Name", "My App Name"),
      ("/var/123456789", Redaction.mark), ("ada@example.com", Redaction.mark),
      ("libsystem_kernel.dylib", "libsystem_kernel.dylib"),
      ("/", "/"),
    ])
  func paths(text: String, name: String) { #expect(Redaction.fileName(text) == name) }

  @Test(
    "of functions is their name, whatever signs it has",
    arguments: [
      ("operator/", true), ("memcpy@GLIBC_2.2.5", true), ("memcpy@@GLIBC_2.14", true), ("-[A b:c:]", true),
      ("call(ada@example.org)", false),
    ])
  func functions(text: String, isKept: Bool) { #expect(Redaction.name(text) == (isKept ? text : Redaction.mark)) }
}
