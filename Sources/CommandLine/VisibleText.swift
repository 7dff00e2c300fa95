/// `text` with everything escaped that could make a terminal or a reader see something else than stands there.
///
/// Escaped are control characters (C0 with tab and line ends, DEL, C1), line and paragraph separators and all invisible
/// format characters, among them the controls of writing direction: as `\n`, `\r`, `\t` or `\u{1b}`, and bytes of names that
/// are no text (see `PathName`), as `\xff`. The two joiners that
/// scripts and emoji need (U+200C, U+200D) stay. Whatever came from outside goes through here before it is printed.
/// The result is for reading; it cannot be turned back. Cost: linear, and a scan only when nothing is to be escaped.
public func visible(_ text: some StringProtocol) -> String {
  if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return String(text) }
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where scalar.value >= 0x10_ff80: result += "\\x" + String(scalar.value & 0xff, radix: 16)
    case _ where isUnsafe(scalar): result += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: true
  case .format: scalar != "\u{200c}" && scalar != "\u{200d}"
  default: false
  }
}
