import Bytes
import Diagnostics
import TestSupport
import Testing

@testable import Pipeline

@Suite("A large file of JSON Lines")
struct LineFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try #require(TemporaryFolder("lines")) }

  /// Each document with the number of its line and its place in the file.
  private func documents(_ path: String, part: Int) throws -> [String]? {
    guard var lines = try LineFile(path: path, limits: ReadingLimits(), partBytes: part) else { return nil }
    var found: [String] = []
    while let part = try lines.next() {
      for document in DocumentStream(lines: part.bytes, startingAt: part.line) {
        found.append("\(document.line) \(part.offset + document.offset) \(document.bytes.text)")
      }
    }
    return found
  }

  @Test(
    "gives the same documents in parts of any size, with their lines and places",
    arguments: [
      "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n", "{\"a\":1}\r\n{\"b\":2}\r\n{\"c\":3}",
      "{\"a\":1}\n\n\n{\"b\":2}\n  \n{\"c\":3}\n\n",
      "\u{feff}{\"a\":1}\n{\"b\":2}\n{\"long\":\"" + String(repeating: "x", count: 300) + "\"}\n{\"d\":4}\n",
    ])
  func parts(text: String) throws {
    let bytes = Array(text.utf8)
    let path = folder.write(bytes, to: "lines.jsonl")
    let whole = DocumentStream(ByteView(bytes)).map { "\($0.line) \($0.offset) \($0.bytes.text)" }
    #expect(whole.count >= 3)
    // A beginning that is too short may not show that it is lines.
    for part in [16, 17, 23, 31, 64, 100, 1000] {
      if let found = try documents(path, part: part) { #expect(found == whole, "parts of \(part)") }
    }
    #expect(try documents(path, part: 1 << 20) == whole)
    #expect(try documents(path, part: 32) == whole)
  }

  @Test("is no file of another kind")
  func others() throws {
    for text in ["{\n \"a\": 1\n}\n", "[1,\n2]\n", "not JSON\nat all\n", ""] {
      #expect(try documents(folder.write(Array(text.utf8), to: "other"), part: 1 << 20) == nil, "\(text)")
    }
  }

  @Test("may not have a line that is longer than an input")
  func longLine() throws {
    let long = "{\"d\":\"" + String(repeating: "x", count: 10_000) + "\"}"
    let text = "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n\(long)\n{\"e\":5}\n"
    let path = folder.write(Array(text.utf8), to: "long")
    var limits = ReadingLimits()
    limits.inputBytes = 1000
    guard var lines = try LineFile(path: path, limits: limits, partBytes: 64) else {
      Issue.record("it is lines")
      return
    }
    #expect(throws: FileError.self) { while try lines.next() != nil {} }
  }
}
