/// `text` in lines of at most `width` columns, broken between words: the first indented by `indent`, the others by that and
/// `hanging`. A word that is wider stands on a line of its own. Every line ends in a line end.
public func wrappedText(_ text: some StringProtocol, to width: Int, indent: Int, hanging: Int = 0) -> String {
  var lines: [String] = []
  var line = String(repeating: " ", count: indent)
  var isFresh = true
  for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
    if !isFresh && line.displayWidth + 1 + word.displayWidth > width {
      lines.append(line)
      line = String(repeating: " ", count: indent + hanging)
      isFresh = true
    }
    line += (isFresh ? "" : " ") + word
    isFresh = false
  }
  return (lines + [line]).map { $0 + "\n" }.joined()
}
