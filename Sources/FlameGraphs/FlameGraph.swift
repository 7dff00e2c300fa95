/// A flame graph as one SVG, or as one HTML page around it: no script, no style and no font from elsewhere.
///
/// The width of a box is its share of the whole, the outermost call is at the top. Colour tells the app's code from the
/// system's, and follows the reader's choice of light or dark. Every box has its whole name and share as a tooltip.
public struct FlameGraph: Sendable {
  /// The title above the graph.
  public var title: String
  /// The width of the drawing in pixels; it scales with the page.
  public static let width = 1200.0
  private static let rowHeight = 18.0
  private static let top = 40.0
  /// A character of the 12-pixel face, roughly.
  private static let characterWidth = 6.7
  /// Boxes narrower than this, in pixels, are not drawn: nobody can see them. How much that is, the graph says.
  private static let leastWidth = 0.3
  /// Calls deeper than this are not drawn: a page has an end. That it was cut, the graph says.
  public static let depthLimit = 400

  /// A graph with this title.
  public init(title: String) { self.title = title }

  /// One box to draw.
  private struct Box {
    var node: CallTree.Node
    var x: Double
    var width: Double
  }

  /// The boxes of `tree`, in preorder, and whether the tree is deeper than what is drawn.
  private func boxes(_ tree: CallTree) -> (boxes: [Box], isCut: Bool) {
    let total = Double(max(tree.total, 1))
    var boxes: [Box] = []
    var isCut = false
    // Where the next child of each node begins; siblings follow each other in preorder.
    var starts = [Double](repeating: 0, count: tree.nodes.count)
    var nextRoot = 0.0
    for (index, node) in tree.nodes.enumerated() {
      let width = Double(node.total) / total * Self.width
      let x = node.parent < 0 ? nextRoot : starts[node.parent]
      if node.parent < 0 { nextRoot += width } else { starts[node.parent] += width }
      starts[index] = x
      if node.depth >= Self.depthLimit {
        isCut = true
      } else if width >= Self.leastWidth {
        boxes.append(Box(node: node, x: x, width: width))
      }
    }
    return (boxes, isCut)
  }

  /// The graph of `tree` as an SVG document.
  public func svg(_ tree: CallTree) -> String {
    let tree = tree.sorted
    let (boxes, isCut) = boxes(tree)
    let rows = (boxes.map(\.node.depth).max() ?? 0) + 1
    let height = Self.top + Double(rows) * Self.rowHeight + 24
    let total = max(tree.total, 1)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(height))" role="img" \
      aria-label="\(escaped(title))">
      <style>\(Self.style)</style>
      <text class="t" x="4" y="22">\(escaped(title))</text>

      """
    for box in boxes {
      let frame = box.node.frame
      let y = Self.top + Double(box.node.depth) * Self.rowHeight
      let name = frame.image.map { $0 == frame.name ? $0 : "\(frame.name) — \($0)" } ?? frame.name
      let share = number(Double(box.node.total) / Double(total) * 100)
      let own = number(Double(box.node.own) / Double(total) * 100)
      text += "<g class=\"\(frame.isSystem ? "s" : "a")\"><title>"
      text += "\(escaped(name)): \(share) %, \(own) % in it</title>"
      text += "<rect x=\"\(number(box.x))\" y=\"\(number(y))\" width=\"\(number(box.width))\" height=\"17\" rx=\"2\"/>"
      let label = cut(frame.name, to: box.width - 6)
      if !label.isEmpty {
        text += "<text x=\"\(number(box.x + 3))\" y=\"\(number(y + 12.5))\">\(escaped(label))</text>"
      }
      text += "</g>\n"
    }
    var notes: [String] = []
    if isCut { notes.append("calls below \(Self.depthLimit) levels are not drawn") }
    if boxes.isEmpty { notes.append("no samples") }
    if !notes.isEmpty {
      text += "<text class=\"n\" x=\"4\" y=\"\(number(height - 8))\">\(escaped(notes.joined(separator: "; ")))</text>\n"
    }
    return text + "</svg>\n"
  }

  /// The graph of `tree` as a whole HTML page.
  public func html(_ tree: CallTree) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>\(escaped(title))</title>
    <style>
    body { margin: 1rem; background: #fff; } svg { width: 100%; height: auto; }
    @media (prefers-color-scheme: dark) { body { background: #16181c; } }
    </style>
    </head>
    <body>
    \(svg(tree))</body>
    </html>

    """
  }

  private static let style = """
    text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1b1b1b}\
    .t{font:600 15px system-ui,sans-serif}.n{fill:#666}.a rect{fill:#f4a259}.s rect{fill:#cfd6dd}\
    rect{stroke:#fff;stroke-width:.5}g:hover rect{stroke:#1b1b1b;stroke-width:1}\
    @media (prefers-color-scheme:dark){.t,.n{fill:#d8dade}.a rect{fill:#c9762b}.s rect{fill:#59616b}\
    rect{stroke:#16181c}text{fill:#f2f2f2}g:hover rect{stroke:#f2f2f2}}
    """

  /// As much of `name` as fits into `width` pixels; nothing when that would say nothing.
  private func cut(_ name: String, to width: Double) -> String {
    let room = Int(width / Self.characterWidth)
    if name.count <= room { return name }
    return room < 3 ? "" : String(name.prefix(room - 1)) + "…"
  }

  /// A coordinate with two decimals at most. No formatter: locales differ.
  private func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, part) = (hundredths / 100, hundredths % 100)
    if part == 0 { return String(whole) }
    return "\(whole)." + (part % 10 == 0 ? String(part / 10) : part < 10 ? "0\(part)" : String(part))
  }

  /// The text for element content and attributes. What XML cannot hold, and what would turn the line's direction, is shown
  /// as a replacement character.
  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{200e}", "\u{200f}", "\u{202a}"..."\u{202e}",
        "\u{2066}"..."\u{2069}", "\u{fffe}", "\u{ffff}":
        result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
