import Glibc
import SymbolServers
import Testing

@Suite("Addresses of symbol servers")
struct ServerAddressTests {
  @Test("are shown without user, password and query")
  func names() throws {
    for (text, name) in [
      ("https://debuginfod.example.org/", "https://debuginfod.example.org"),
      ("http://anna:hush@Example.org:8002/x/", "http://example.org:8002/x"),
      ("http://a@b@example.org/", "http://example.org"),
      ("https://example.org/x?key=hush", "https://example.org/x"),
      ("HTTP://example.org", "http://example.org"),
    ] {
      #expect(try #require(ServerAddress(text)).name == name)
    }
  }

  @Test(
    "are of HTTP or HTTPS and have a host",
    arguments: [
      "", "example.org", "file:///etc/passwd", "ftp://example.org", "http://", "http:///x", "http://:80/",
      "https://a b",
      "http://a@", "gopher://example.org", "http:/example.org", "http://exämple.org",
    ])
  func refused(text: String) { #expect(ServerAddress(text) == nil) }

  @Test("stand in one variable with spaces between them; each counts once")
  func list() throws {
    let found = try ServerAddress.list(
      " http://a/  https://b\timA:x".replacing("imA:x", with: "ima:enforcing") + "\nhttp://a ")
    #expect(found.map(\.name) == ["http://a", "https://b"])
    #expect(throws: BadServerAddress.self) { try ServerAddress.list("http://a b") }
  }
}

@Suite("Addresses that redirects may lead to")
struct AddressPolicyTests {
  private func isPublic(_ text: String) -> Bool? {
    var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
    guard inet_pton(bytes.count == 16 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
    return AddressPolicy.isPublic(bytes)
  }

  @Test(
    "are none of this machine, its neighbours or nobody",
    arguments: [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.19.255.255",
      "198.51.100.1", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
      "::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
      "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:c0a8:1::1", "2001::1", "2001:db8::1", "100::1",
    ])
  func closed(text: String) { #expect(isPublic(text) == false) }

  @Test(
    "are all others",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.0",
      "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
      "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1", "2003::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
      "2002:808:808::1",
    ])
  func open(text: String) { #expect(isPublic(text) == true) }

  @Test("have 4 or 16 bytes", arguments: [0, 3, 5, 15, 17])
  func lengths(count: Int) { #expect(!AddressPolicy.isPublic([UInt8](repeating: 8, count: count))) }
}
