/// An Objective-C method, or a block in a method or function: `-[Cart apply:]`, `__24-[Cart apply:]_block_invoke_2`.
struct BlockName {
  /// The method or function; for one in C++ its mangled name.
  let function: Substring
  /// Whether the code is a block in that function and not the function itself.
  let isBlock: Bool

  /// Whether the function is an Objective-C method.
  var isMethod: Bool { BlockName.isMethod(function) }

  /// Reads `name`; `nil` when it is neither a method nor a block.
  init?(_ name: Substring) {
    if BlockName.isMethod(name) {
      function = name
      isBlock = false
      return
    }
    guard name.hasPrefix("__") else { return nil }
    var rest = name.dropFirst(2)
    guard let cut = BlockName.suffix(rest) else { return nil }
    rest = rest[..<cut]
    // The length of the method's name stands before it.
    let method = rest.drop { $0.isASCII && $0.isNumber }
    if BlockName.isMethod(method) { rest = method }
    guard !rest.isEmpty else { return nil }
    function = rest
    isBlock = true
  }

  private static func isMethod(_ name: Substring) -> Bool {
    (name.hasPrefix("-[") || name.hasPrefix("+[")) && name.hasSuffix("]") && name.utf8.contains(UInt8(ascii: " "))
  }

  /// Where `_block_invoke` or `_block_invoke_2` begins at the end of `name`.
  private static func suffix(_ name: Substring) -> Substring.Index? {
    let digits = name.utf8.reversed().prefix(while: isDigit).count
    var head = name
    if digits > 0 {
      // Old compilers wrote the number without an underscore.
      head = name.dropLast(digits)
      if head.hasSuffix("_") { head = head.dropLast() }
    }
    guard head.hasSuffix("_block_invoke") else { return nil }
    return head.dropLast(13).endIndex
  }
}
