/// A time that a diagnostic states, read from its text.
///
/// MetricKit writes `2020-10-11 03:59:00 +0000` or, since iOS 16, `2022-10-24 08:16:00` without a zone; version 2 writes
/// RFC 3339. Without a zone the time is read as UTC and says so: it may be off by up to 14 hours.
public struct PointInTime: Hashable, Sendable, Comparable {
  /// Seconds since 1970-01-01 00:00:00 UTC.
  public var seconds: Int64
  /// Whether the text named its zone.
  public var isZoneKnown: Bool

  /// A time with these parts.
  public init(seconds: Int64, isZoneKnown: Bool) {
    self.seconds = seconds
    self.isZoneKnown = isZoneKnown
  }

  /// The time that `text` states; `nil` when it is none of the known forms or no date of the years 1970 to 9999.
  public init?(parsing text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 64, bytes.count >= 19, bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[13] == 0x3a,
      bytes[16] == 0x3a,
      bytes[10] == 0x20 || bytes[10] == 0x54 || bytes[10] == 0x74
    else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), year >= 1970, (1...12).contains(month),
      (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var rest = bytes[19...]
    if rest.first == 0x2e {
      rest = rest.dropFirst().drop { $0 >= 0x30 && $0 <= 0x39 }
    }
    if rest.first == 0x20 { rest = rest.dropFirst() }
    var zone: Int64?
    switch rest.count {
    case 0: zone = nil
    case 1 where rest.first == 0x5a || rest.first == 0x7a: zone = 0
    case 5, 6:
      let digits = rest.dropFirst().filter { $0 != 0x3a }
      guard rest.first == 0x2b || rest.first == 0x2d, digits.count == 4, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
      else {
        return nil
      }
      let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
      let minutes = value / 100 * 60 + value % 100
      zone = rest.first == 0x2d ? -minutes : minutes
    default: return nil
    }
    // Days from the civil calendar: shift the year to begin in March, so that the leap day is its last.
    let shifted = month > 2 ? month - 3 : month + 9
    let years = month > 2 ? year : year - 1
    let dayOfYear = (153 * shifted + 2) / 5 + day - 1
    let days = 365 * years + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    self.init(seconds: ((days * 24 + hour) * 60 + minute - (zone ?? 0)) * 60 + second, isZoneKnown: zone != nil)
  }

  /// The time as RFC 3339 in UTC.
  public var text: String {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let time = seconds - days * 86_400
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let civil = month < 10 ? month + 3 : month - 9
    let year = yearOfEra + era * 400 + (civil <= 2 ? 1 : 0)
    func pad(_ value: Int64, _ width: Int = 2) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(pad(year, 4))-\(pad(civil))-\(pad(day))T\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60))Z"
  }

  /// By seconds; of equal ones the unknown zone first.
  public static func < (a: PointInTime, b: PointInTime) -> Bool {
    a.seconds == b.seconds ? !a.isZoneKnown && b.isZoneKnown : a.seconds < b.seconds
  }
}
