/// Rows of cells in aligned columns, for people.
///
/// Every cell is made `visible` here, so text from outside may be put in as it is.
public struct Table: Hashable, Sendable {
  /// On which side of its column a cell stands.
  public enum Alignment: Hashable, Sendable {
    case left
    case right
  }

  /// One column.
  public struct Column: Hashable, Sendable {
    /// The text in the first row.
    public let title: String
    /// The side on which its cells stand.
    public let alignment: Alignment

    /// A column called `title`.
    public init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  /// One cell.
  public struct Cell: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String
    let style: TextStyle?

    /// A cell that shows `text`, in `style` where colour is used.
    public init(_ text: String, _ style: TextStyle? = nil) {
      self.text = visible(text)
      self.style = style
    }

    /// A cell that shows `value`.
    public init(stringLiteral value: String) { self.init(value) }
  }

  /// The columns.
  public let columns: [Column]
  private var rows: [[Cell]] = []

  /// A table without rows.
  public init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row. Missing cells are empty; cells without a column are not shown.
  public mutating func append(_ row: [Cell]) { rows.append(row) }

  /// The table as lines with two spaces between columns and none at the ends.
  ///
  /// Without titles when `showsTitles` is false. Cost: linear in the text.
  public func text(on terminal: Terminal, showsTitles: Bool = true) -> String {
    let titles = columns.map { Cell($0.title, .bold) }
    let lines = showsTitles ? [titles] + rows : rows
    let widths = columns.indices.map { column in
      lines.map { column < $0.count ? $0[column].text.displayWidth : 0 }.max() ?? 0
    }
    return lines.map { line(of: $0, widths, terminal) + "\n" }.joined()
  }

  private func line(of row: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
    var line = ""
    var gap = 0
    for (index, cell) in row.prefix(columns.count).enumerated() {
      let padding = widths[index] - cell.text.displayWidth
      let (before, after) = columns[index].alignment == .right ? (padding, 0) : (0, padding)
      // Spaces are written only before text, so that no line ends in them.
      if !cell.text.isEmpty {
        line += String(repeating: " ", count: gap + before)
        line += cell.style.map { terminal.styled(cell.text, $0) } ?? cell.text
        gap = after + 2
      } else {
        gap += padding + 2
      }
    }
    return line
  }
}
