/// A measured value out of a display text, in the base unit of its dimension.
///
/// MetricKit writes values as texts for people, which vary with OS and locale: `20 secs.`, `20 sec`, `2,000 byte`,
/// `2000 byte`, `1073.76 MB`. Only what is clearly a number and a known unit is read; otherwise there is no value.
public struct Quantity: Sendable, Hashable {
  /// What is measured.
  public enum Dimension: String, Sendable, Hashable {
    /// Base unit: seconds.
    case duration
    /// Base unit: bytes. kB, MB, GB are powers of 1,000 (as Foundation writes them), KiB, MiB, GiB of 1,024.
    case size
  }

  /// The value in the base unit.
  public let value: Double
  /// What is measured.
  public let dimension: Dimension

  /// A quantity.
  public init(_ value: Double, _ dimension: Dimension) {
    self.value = value
    self.dimension = dimension
  }

  /// The quantity that `text` displays; `nil` when it is not clearly one.
  ///
  /// A comma or point before exactly three last digits of a whole number of bytes groups digits; a comma before
  /// exactly three digits always does; otherwise a single comma or point is a decimal sign.
  public init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let characters = text.filter { !$0.isWhitespace }
    let digits = characters.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    var name = characters.dropFirst(digits.count).lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    guard let (factor, dimension) = Quantity.unit(name),
      let number = Quantity.number(Array(digits.utf8), countsWhole: dimension == .size && factor == 1)
    else { return nil }
    self.init(number * factor, dimension)
  }

  private static func unit(_ name: String) -> (Double, Dimension)? {
    switch name {
    case "s", "sec", "secs", "second", "seconds": (1, .duration)
    case "ms", "msec", "msecs", "millisecond", "milliseconds": (1e-3, .duration)
    case "m", "min", "mins", "minute", "minutes": (60, .duration)
    case "h", "hr", "hrs", "hour", "hours": (3600, .duration)
    case "b", "byte", "bytes": (1, .size)
    case "kb", "kilobyte", "kilobytes": (1e3, .size)
    case "mb", "megabyte", "megabytes": (1e6, .size)
    case "gb", "gigabyte", "gigabytes": (1e9, .size)
    case "tb", "terabyte", "terabytes": (1e12, .size)
    case "kib": (1024, .size)
    case "mib": (1_048_576, .size)
    case "gib": (1_073_741_824, .size)
    default: nil
    }
  }

  private static func number(_ text: [UInt8], countsWhole: Bool) -> Double? {
    let isSign = { (byte: UInt8) in byte == 0x2e || byte == 0x2c }
    guard let first = text.first, let last = text.last, !isSign(first), !isSign(last) else { return nil }
    let groups = text.split(whereSeparator: isSign).map { String(decoding: $0, as: UTF8.self) }
    let signs = text.filter(isSign)
    guard groups.count == signs.count + 1 else { return nil }
    var fraction: String?
    var whole = groups
    if let sign = signs.last, let end = groups.last {
      let isOnlySign = signs.count == 1
      let mayGroup = end.count == 3 && groups[0].count <= 3 && groups[0] != "0"
      let isGrouping = signs.allSatisfy { $0 == sign } && mayGroup && (!isOnlySign || sign == 0x2c || countsWhole)
      if !isGrouping {
        // The decimal sign: the last one, and of its own sort.
        guard signs.dropLast().allSatisfy({ $0 != sign }) else { return nil }
        fraction = whole.removeLast()
      }
      if whole.count > 1 {
        guard Set(signs.prefix(whole.count - 1)).count == 1, whole[0].count <= 3,
          whole.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
      }
    }
    return Double(whole.joined() + (fraction.map { "." + $0 } ?? ""))
  }
}
