/// `number` with a comma after every third digit: `1,234,567`.
public func grouped(_ number: some BinaryInteger) -> String {
  let digits = String(number.magnitude)
  var text = ""
  for (index, digit) in digits.enumerated() {
    if index > 0 && (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + text
}

/// `number` with `places` digits after the point, rounded half away from zero, at most 15 places.
public func decimal(_ number: Double, places: Int) -> String {
  guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
  let places = max(0, min(places, 15))
  let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
  let scaled = (abs(number) * scale).rounded()
  guard scaled < 1e18 else { return "\(number)" }
  let digits = String(Int64(scaled))
  let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
  let sign = number < 0 && scaled > 0 ? "-" : ""
  return sign + padded.dropLast(places) + (places > 0 ? "." + padded.suffix(places) : "")
}

/// A number of bytes in decimal units: `999 B`, `1.5 kB`, `12.3 GB`.
public func byteText(_ bytes: Int) -> String {
  var value = Double(bytes)
  var unit = "B"
  // 999.95 would show as 1000.0 of the smaller unit.
  for next in ["kB", "MB", "GB", "TB", "PB", "EB"] where abs(value) >= (unit == "B" ? 1_000 : 999.95) {
    value /= 1_000
    unit = next
  }
  return decimal(value, places: unit == "B" ? 0 : 1) + " " + unit
}

/// A length of time in its two largest units: `8 s`, `3 min 20 s`, `2 h 5 min`.
public func durationText(_ seconds: Double) -> String {
  guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "unknown time" }
  let whole = Int(seconds.rounded())
  switch whole {
  case ..<60: return "\(whole) s"
  case ..<3_600: return "\(whole / 60) min \(whole % 60) s"
  default: return "\(whole / 3_600) h \(whole / 60 % 60) min"
  }
}

extension Int {
  /// The whole part of `number`, cut to what fits; 0 for what is not a number.
  init(clamping number: Double) {
    self = number.isNaN ? 0 : number >= 9.2e18 ? .max : number <= -9.2e18 ? .min : Int(number)
  }
}
