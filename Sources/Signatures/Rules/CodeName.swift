/// The name of one function as rules see it.
struct CodeName: Hashable, Sendable {
  /// The token, with its module: `closure in Shop.Cart.total()`.
  let token: String
  /// The token as reports show it behind the image: without the module when the image has the same name.
  let short: String?
  /// What the name begins with up to the first `.` or `:`, behind the last ` in `; empty when there is none.
  let module: String
  /// The byte of the token where the outermost level begins: 0, or behind the last ` in `.
  let entityStart: Int

  /// The name of a function whose token is `token`, in `image`.
  init(_ token: String, image: String) {
    self.token = token
    let bytes = Array(token.utf8)
    // The module stands before the outermost level: at the start, or behind the last ` in `.
    var start = 0
    if bytes.count > 4 {
      for index in stride(from: bytes.count - 4, to: 0, by: -1)
      where bytes[index] == 0x20 && bytes[index + 1] == 0x69 && bytes[index + 2] == 0x6e && bytes[index + 3] == 0x20 {
        start = index + 4
        break
      }
    }
    entityStart = start
    // `Shop.Cart.apply()`, or `Shop:Swift.Array.pick()` for an extension of another module's type.
    guard let end = bytes[start...].firstIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }),
      end > start
    else {
      module = ""
      short = nil
      return
    }
    module = String(decoding: bytes[start..<end], as: UTF8.self)
    // `pier::cache::evict` is a path of a crate or namespace, which is shown whole.
    short =
      module == image && end + 1 < bytes.count && bytes[end + 1] != UInt8(ascii: ":")
      ? String(decoding: bytes[..<start] + bytes[(end + 1)...], as: UTF8.self) : nil
  }

  /// The token with the image before it, as reports show it.
  func shown(image: String) -> String { image + "!" + (short ?? token) }
}
