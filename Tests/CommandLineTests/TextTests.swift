import CommandLine
import Testing

private let plain = Terminal(isTerminal: false, color: .auto, environment: { _ in nil })

@Suite struct VisibleText {
  @Test(arguments: [
    ("main", "main"), ("größe 大きさ", "größe 大きさ"), ("a\nb\r\t", "a\\nb\\r\\t"), ("\u{1b}[31mred", "\\u{1b}[31mred"),
    ("\u{1b}]8;;http://x\u{7}", "\\u{1b}]8;;http://x\\u{7}"), ("\r\n", "\\r\\n"), ("\u{0}\u{7f}", "\\u{0}\\u{7f}"),
    ("\u{9b}31m", "\\u{9b}31m"), ("user\u{202e}gpj.exe", "user\\u{202e}gpj.exe"),
    ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
    ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("\u{feff}x\u{200b}", "\\u{feff}x\\u{200b}"),
    ("👩\u{200d}🚀", "👩\u{200d}🚀"), ("C:\\x", "C:\\x"),
  ])
  func `shows what would act on a terminal`(text: String, shown: String) {
    #expect(visible(text) == shown)
  }

  @Test func `no control character, C1 or direction control comes through, whatever stands around it`() {
    let directions: [UInt32] =
      [0x61c, 0x200e, 0x200f, 0x2028, 0x2029] + Array(0x202a...0x202e) + Array(0x2066...0x2069)
    for value in Array(0...0x1f) + Array(0x7f...0x9f) + directions {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for text in ["\(scalar)", "a\(scalar)b", "é\(scalar)\(scalar)", "e\(scalar)\u{301}"] {
        #expect(!visible(text).unicodeScalars.contains(scalar))
      }
    }
  }
}

@Suite struct DisplayWidth {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("größe", 5), ("大きさ", 6), ("e\u{301}", 1), ("한국", 4), ("🚀", 2), ("👩\u{200d}🚀", 2),
    ("❤\u{fe0f}", 2),
    ("❤", 1), ("…", 1), ("｡", 1), ("Ａ", 2), ("🇩🇪", 2),
  ])
  func `counts columns`(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(arguments: [("abcdef", 6, "abcdef"), ("abcdef", 4, "abc…"), ("大きさ", 4, "大…"), ("ab", 0, ""), ("ab", 1, "…")])
  func `a cut text fits and says that it was cut`(text: String, width: Int, expected: String) {
    #expect(text.cut(toWidth: width) == expected)
    #expect(text.cut(toWidth: width).displayWidth <= width)
  }
}

@Suite struct Tables {
  @Test func `columns are aligned by width and lines end without spaces`() {
    var table = Table([.init("name"), .init("count", .right), .init("note")])
    table.append(["main", "7", "first"])
    table.append(["大きさ", "1,024", ""])
    table.append(["a\u{1b}[1m", ""])
    #expect(
      table.text(on: plain) == """
        name        count  note
        main            7  first
        大きさ      1,024
        a\\u{1b}[1m

        """)
  }

  @Test func `titles may be left out and an empty table is empty`() {
    var table = Table([.init("a"), .init("b")])
    #expect(table.text(on: plain, showsTitles: false) == "")
    #expect(table.text(on: plain) == "a  b\n")
    table.append(["long cell", "x"])
    #expect(table.text(on: plain, showsTitles: false) == "long cell  x\n")
  }

  @Test func `colour does not disturb the columns`() {
    let colored = Terminal(isTerminal: true, color: .always, environment: { _ in nil })
    var table = Table([.init("a"), .init("b")])
    table.append([.init("x", .red), "y"])
    #expect(table.text(on: colored, showsTitles: false) == "\u{1b}[31mx\u{1b}[0m  y\n")
  }
}

@Suite struct Terminals {
  @Test(
    arguments: [
      (ColorChoice.auto, true, [:], true), (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
      (.auto, true, ["NO_COLOR": ""], true), (.auto, true, ["TERM": "dumb"], false), (.never, true, [:], false),
      (.always, false, ["NO_COLOR": "1"], true),
    ] as [(ColorChoice, Bool, [String: String], Bool)])
  func `colour follows the choice, the terminal and the environment`(
    choice: ColorChoice, isTerminal: Bool, environment: [String: String], expected: Bool
  ) {
    let terminal = Terminal(isTerminal: isTerminal, color: choice, environment: { environment[$0] })
    #expect(terminal.usesColor == expected)
    #expect(terminal.styled("x", .bold) == (expected ? "\u{1b}[1mx\u{1b}[0m" : "x"))
  }

  @Test func `the width is the terminal's, else COLUMNS, else 80`() {
    let columns: (String) -> String? = { $0 == "COLUMNS" ? "120" : nil }
    #expect(Terminal(isTerminal: true, columns: 33, color: .auto, environment: columns).width == 33)
    #expect(Terminal(isTerminal: true, columns: 0, color: .auto, environment: columns).width == 120)
    #expect(Terminal(isTerminal: true, color: .auto, environment: { _ in "-3" }).width == 80)
  }
}

@Suite struct ProgressLine {
  private let terminal = Terminal(isTerminal: true, columns: 60, color: .never, environment: { _ in nil })

  @Test func `nothing is shown where there is no terminal`() {
    var progress = Progress("indexing", total: 10, unit: .items("files"), on: plain)
    for step in 0...100 { #expect(progress.update(step, after: .seconds(step)) == nil) }
    #expect(progress.clear() == nil)
  }

  @Test func `there are at most ten updates a second`() {
    var progress = Progress("indexing", total: nil, unit: .items("files"), on: terminal)
    let shown = (0..<3_000).filter { progress.update($0, after: .milliseconds($0)) != nil }
    #expect(shown == Array(stride(from: 100, to: 3_000, by: 100)))
  }

  @Test func `rate and time left are shown after the first second`() {
    var progress = Progress("indexing", total: 1_200, unit: .items("files"), on: terminal)
    #expect(progress.update(50, after: .milliseconds(500)) == "\r\u{1b}[Kindexing: 50 of 1,200 files")
    #expect(
      progress.update(200, after: .seconds(2)) == "\r\u{1b}[Kindexing: 200 of 1,200 files, 100/s, 10 s left")
    #expect(progress.update(1_200, after: .seconds(12)) == "\r\u{1b}[Kindexing: 1,200 of 1,200 files, 100/s")
    #expect(progress.clear() == "\r\u{1b}[K")
    #expect(progress.clear() == nil)
  }

  @Test func `a bar shows the part that is done where there is room`() {
    let wide = Terminal(isTerminal: true, columns: 100, color: .never, environment: { _ in nil })
    var progress = Progress("reading", total: 400, unit: .items("files"), on: wide)
    #expect(progress.update(0, after: .milliseconds(100)) == "\r\u{1b}[Kreading: [....................] 0 of 400 files")
    #expect(progress.update(219, after: .milliseconds(200))?.contains("[##########..........] 219") == true)
    #expect(progress.update(400, after: .milliseconds(300))?.contains("[####################] 400") == true)
    // More than was there at first: a file grew.
    #expect(progress.update(500, after: .milliseconds(400))?.contains("[####################] 500") == true)
  }

  @Test func `bytes have units, and a label from outside cannot act on the terminal`() {
    var progress = Progress("a\u{1b}[2J", total: 3_000_000_000, unit: .bytes, on: terminal)
    #expect(
      progress.update(1_000_000_000, after: .seconds(4))
        == "\r\u{1b}[Ka\\u{1b}[2J: 1.0 GB of 3.0 GB, 250.0 MB/s, 8 s left")
    let narrow = Terminal(isTerminal: true, columns: 10, color: .never, environment: { _ in nil })
    var short = Progress("indexing", total: nil, unit: .bytes, on: narrow)
    #expect(short.update(1, after: .seconds(1)) == "\r\u{1b}[Kindexing…")
  }
}

@Suite struct Quantities {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"), (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `digits are grouped`(number: Int, text: String) {
    #expect(grouped(number) == text)
  }

  @Test(arguments: [
    (0.0, 2, "0.00"), (1.005, 1, "1.0"), (0.05, 1, "0.1"), (-0.25, 1, "-0.3"), (-0.01, 1, "0.0"), (12.5, 0, "13"),
    (0.999, 2, "1.00"),
    (.infinity, 1, "inf"),
  ])
  func `decimals are rounded`(number: Double, places: Int, text: String) {
    #expect(decimal(number, places: places) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (12_345_678_901, "12.3 GB"),
    (Int.max, "9.2 EB"),
  ])
  func `bytes have decimal units`(bytes: Int, text: String) {
    #expect(byteText(bytes) == text)
  }

  @Test(arguments: [
    (0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min"),
    (.nan, "unknown time"),
  ])
  func `times have their two largest units`(seconds: Double, text: String) {
    #expect(durationText(seconds) == text)
  }
}
