internal import Glibc

/// When to use colour, as `--color` says.
public enum ColorChoice: String, CaseIterable, Hashable, Sendable {
  /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
  case auto
  /// Always.
  case always
  /// Never.
  case never
}

/// What is known about the terminal behind one output stream.
public struct Terminal: Hashable, Sendable {
  /// Whether the stream is a terminal.
  public let isTerminal: Bool
  /// The number of columns; 80 when it is not known.
  public let width: Int
  /// Whether to use colour there.
  public let usesColor: Bool

  /// A stream that is a terminal or not, with `columns` as the system reports them (0 or `nil`: not known).
  ///
  /// `environment` looks up a variable: `COLUMNS` (a width when the system knows none), `NO_COLOR` (no-color.org: counts
  /// when it is not empty), `TERM`.
  public init(isTerminal: Bool, columns: Int? = nil, color: ColorChoice, environment: (String) -> String?) {
    self.isTerminal = isTerminal
    let known = [columns, environment("COLUMNS").flatMap { Int($0) }].compactMap { $0 }.first { $0 > 0 }
    self.width = min(known ?? 80, 10_000)
    usesColor =
      switch color {
      case .always: true
      case .never: false
      case .auto: isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
      }
  }

  /// The stream `descriptor` of this process.
  public init(descriptor: Int32, color: ColorChoice, environment: (String) -> String?) {
    var size = winsize()
    let isTerminal = isatty(descriptor) == 1
    let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    self.init(
      isTerminal: isTerminal, columns: isKnown ? Int(size.ws_col) : nil, color: color, environment: environment)
  }

  /// `text` in `style` where colour is used, otherwise as it is.
  public func styled(_ text: String, _ style: TextStyle) -> String {
    usesColor && !text.isEmpty ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
  }
}

/// A way to make text stand out, by its number in ECMA-48 SGR.
public enum TextStyle: Int, Hashable, Sendable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case cyan = 36
}
