import Bytes
import Identity
import Testing

@Suite struct DebugIDs {
  static let uuid = "0B1E6F5A-77C0-3A3D-9D0E-5A1B2C3D4E5F"
  static let buildID = "8e1b1d5c6f2a4b3c9d0e1f2a3b4c5d6e7f801122"

  @Test(arguments: [
    uuid, uuid.lowercased(), "0b1e6f5a77c03a3d9d0e5a1b2c3d4e5f", "0B1E6F5A77C03A3D9D0E5A1B2C3D4E5F",
    "0B1e6F5a-77C0-3A3D-9D0E5a1B2C3D4E5f",
  ])
  func `all ways to write one UUID are one identifier`(text: String) throws {
    let id = try #require(DebugID(text))
    #expect(id == DebugID(DebugIDs.uuid))
    #expect(id.bytes.count == 16)
    #expect(id.description == DebugIDs.uuid)
    #expect(id.hex == "0b1e6f5a77c03a3d9d0e5a1b2c3d4e5f")
  }

  @Test func `a build-id is shown as lower-case hex`() throws {
    let id = try #require(DebugID(DebugIDs.buildID.uppercased()))
    #expect(id.bytes.count == 20)
    #expect(id.description == DebugIDs.buildID)
    #expect(id.hex == DebugIDs.buildID)
  }

  @Test(arguments: 0...70) func `two to 64 bytes are accepted`(count: Int) {
    let bytes = [UInt8](repeating: 0xab, count: count)
    let isAccepted = (2...64).contains(count)
    #expect((DebugID(bytes: bytes) != nil) == isAccepted)
    #expect((DebugID(bytes.hex) != nil) == isAccepted)
  }

  @Test(arguments: [2, 16, 20, 64]) func `an identifier of zeros is refused, since all such collide`(count: Int) {
    var bytes = [UInt8](repeating: 0, count: count)
    #expect(DebugID(bytes: bytes) == nil)
    #expect(DebugID(bytes.hex) == nil)
    bytes[count - 1] = 1
    #expect(DebugID(bytes: bytes) != nil)
  }

  @Test(arguments: [
    "", "-", "ab", "abc", "xyz0", "0x1234", "{\(uuid)}", uuid + " ", " " + uuid, uuid + "\n", "12é4",
    "../../etc/passwd", String(repeating: "-", count: 200) + "abcd",
  ])
  func `anything else is refused`(text: String) {
    #expect(DebugID(text) == nil)
  }

  @Test func `a text of any length is refused quickly`() {
    let isAccepted = DebugID(String(repeating: "a", count: 10_000_000)) != nil
    #expect(!isAccepted)
  }

  @Test func `what is shown can be read again, and the order is that of the bytes`() throws {
    let all = try [[0, 1], [0, 1, 0], [0, 2], [1, 0], [0xff, 0xff]].map { try #require(DebugID(bytes: $0 as [UInt8])) }
    #expect(all.sorted() == all && all.reversed().sorted() == all)
    for id in all {
      #expect(DebugID(id.description) == id)
      #expect(DebugID(id.hex) == id)
    }
  }
}
