import Bytes
import Glibc
import TestSupport
import Testing

@Suite("Names of files")
struct PathNameTests {
  private func bytes(_ text: String) -> [UInt8] {
    PathName.with(text) { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  @Test("are any bytes, and come back from their text as they were")
  func roundTrip() {
    var generator = SeededGenerator(seed: 0x9a7e)
    let parts: [[UInt8]] = [
      Array("Ñandú".utf8), Array("N\u{303}".utf8), [0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98],
      [0xed, 0xa0, 0x80],
      Array("\u{10ff80}".utf8), Array("\u{10ffff}".utf8), Array("\u{10ff7f}".utf8), Array("😀".utf8),
      [0xf4, 0x90, 0x80, 0x80],
      [0xc0, 0xaf], [0x80], Array("a/b".utf8),
    ]
    var texts: [String: [UInt8]] = [:]
    for _ in 0..<2000 {
      let name = (0..<Int.random(in: 1...5, using: &generator)).flatMap { _ -> [UInt8] in
        Bool.random(using: &generator)
          ? parts.randomElement(using: &generator) ?? [] : [.random(in: 1...255, using: &generator)]
      }
      let text = PathName.text(name)
      #expect(bytes(text) == name)
      // One name, one text; to Swift two Unicode forms are one string, which is why names are compared by bytes.
      if let other = texts[text] {
        #expect(other == name || String(decoding: other, as: UTF8.self) == String(decoding: name, as: UTF8.self))
      }
      texts[text] = name
    }
  }

  @Test("that are text stand as they are")
  func text() {
    for name in ["App", "Ñandú (352.0) β", "😀", "\u{10ff7f}"] { #expect(PathName.text(Array(name.utf8)) == name) }
    #expect(PathName.text([0x61, 0xff]).unicodeScalars.map(\.value) == [0x61, 0x10_ffff])
    #expect(PathName.byte(of: "\u{10ffff}") == 0xff)
    #expect(PathName.byte(of: "a") == nil)
  }

  @Test("lead to their files")
  func system() throws {
    let folder = try #require(TemporaryFolder("names"))
    let name = folder.entry(PathName.text([0x61, 0xff, 0x62]))
    try ByteView([1, 2, 3]).write(to: name)
    #expect(PathName.exists(name))
    #expect(PathName.status(name)?.st_size == 3)
    #expect(try ByteView.reading(path: name, limit: 10).count == 3)
    #expect(PathName.rename(name, folder.entry("plain")) == 0)
    #expect(contents(of: folder.entry("plain")) == [1, 2, 3])
    #expect(!PathName.exists(name))
  }

  @Test("stand in the order of their bytes, whatever Unicode says")
  func order() {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(PathName.precedes(decomposed, composed))
    #expect(!PathName.precedes(composed, decomposed))
  }
}
