import JSON
import Testing

@Suite("A small document as a tree")
struct JSONValueTests {
  @Test("is read by names and indexes")
  func access() throws {
    let text = #"{"name":"App","sizes":[1,-2,2.5,18446744073709551615],"ok":true,"none":null,"in":{"x":"y"}}"#
    let value = try JSONValue.parse(Array(text.utf8))
    #expect(value["name"]?.string == "App")
    #expect(value["sizes"]?[0]?.uint == 1)
    #expect(value["sizes"]?[1]?.int == -2)
    #expect(value["sizes"]?[2]?.double == 2.5)
    #expect(value["sizes"]?[3]?.uint == .max)
    #expect(value["sizes"]?[4] == nil)
    #expect(value["sizes"]?.array?.count == 4)
    #expect(value["ok"]?.bool == true)
    #expect(value["none"]?.isNull == true)
    #expect(value["in"]?["x"]?.string == "y")
    #expect(value["absent"] == nil)
    #expect(value.members?.map(\.name) == ["name", "sizes", "ok", "none", "in"])
    #expect(value["name"]?.uint == nil)
    #expect(value["name"]?["x"] == nil)
  }

  @Test("lets the last of two equal names win")
  func duplicates() throws {
    let value = try JSONValue.parse(Array(#"{"a":1,"b":2,"a":3}"#.utf8))
    #expect(value["a"]?.uint == 3)
    #expect(value.members?.count == 3)
  }

  @Test("has at most 64 levels")
  func depth() throws {
    func nested(_ levels: Int) -> [UInt8] {
      [UInt8](repeating: 0x5b, count: levels) + [UInt8](repeating: 0x5d, count: levels)
    }
    #expect(try JSONValue.parse(nested(64)).array?.count == 1)
    #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONValue.parse(nested(65)) }
  }

  @Test("is refused whole when anything in it is wrong")
  func refusals() {
    #expect(throws: JSONError(.trailingContent, at: 3)) { try JSONValue.parse(Array("{} x".utf8)) }
    #expect(throws: JSONError(.numberOutOfRange, at: 1)) { try JSONValue.parse(Array("[1e999]".utf8)) }
    #expect(throws: JSONError(.tooManyValues, at: 5)) { try JSONValue.parse(Array("[1,2,3]".utf8), maximumValues: 2) }
    #expect(throws: JSONError(.unexpectedEnd, at: 0)) { try JSONValue.parse([]) }
  }

  @Test("can be read out of the middle of a document, in the right place only")
  func partial() throws {
    try JSONReader.read(Array(#"{"a":{"b":[1]},"c":2}"#.utf8)) { (reader) throws in
      #expect(try reader.next() == .beginObject)
      #expect(try reader.nextKey())
      #expect(try JSONValue.read(&reader)["b"]?[0]?.uint == 1)
      #expect(throws: JSONError(.wrongType, at: 16)) { try JSONValue.read(&reader) }
    }
  }
}
