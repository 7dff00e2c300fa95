import Bytes
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "gives the bytes of RFC 4648's examples",
    arguments: [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
      ("Zm9vYmFy", "foobar"), ("Zm9vYg", "foob"),
    ])
  func examples(text: String, plain: String) { #expect([UInt8](base64: text.utf8) == Array(plain.utf8)) }

  @Test("knows both alphabets")
  func alphabets() {
    #expect([UInt8](base64: "-_8".utf8) == [0xfb, 0xff])
    #expect([UInt8](base64: "+/8=".utf8) == [0xfb, 0xff])
  }

  @Test(
    "is nothing else",
    arguments: [
      "Z", "Zg=", "Zg===", "Z===", "=", "Zm9v ", "Zm 9", "Zh==", "Zm9vYh", "Zm=v", "{}", "Zg=a", "Zm9v=", "ä",
    ])
  func refused(text: String) { #expect([UInt8](base64: text.utf8) == nil) }

  @Test("has one spelling for all bytes, of every length")
  func roundTrip() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ count) }
      var text: [UInt8] = []
      for start in stride(from: 0, to: count, by: 3) {
        let group = bytes[start..<min(start + 3, count)]
        let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
        for digit in 0..<(group.count + 1) { text.append(alphabet[Int(bits >> UInt32(18 - 6 * digit) & 63)]) }
      }
      #expect([UInt8](base64: text) == bytes)
    }
  }
}
