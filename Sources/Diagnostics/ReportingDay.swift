/// The calendar that report-days are counted by: days begin at midnight of one zone for all devices, since payloads do not
/// say where theirs was.
public struct ReportingCalendar: Hashable, Sendable {
  /// How far the zone is ahead of UTC, in seconds; within 14 hours.
  public let offset: Int64

  /// UTC.
  public static let utc = ReportingCalendar(offset: 0)

  private init(offset: Int64) { self.offset = offset }

  /// The calendar of the zone `text`: `UTC`, or hours and maybe minutes ahead of it, as `+2`, `-03:30`; `nil` for others.
  public init?(_ text: String) {
    if text == "UTC" {
      self = .utc
      return
    }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard let sign = text.first, sign == "+" || sign == "-", parts.count <= 2,
      parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hours = parts.first.flatMap({ Int64($0) }), let minutes = parts.count == 2 ? Int64(parts[1]) : 0, minutes < 60
    else { return nil }
    let seconds = (hours * 60 + minutes) * 60
    guard seconds <= 14 * 3600 else { return nil }
    offset = sign == "-" ? -seconds : seconds
  }

  /// `UTC+02:00`.
  public var description: String {
    let minutes = abs(offset) / 60
    func pad(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }
    return "UTC" + (offset < 0 ? "-" : "+") + pad(minutes / 60) + ":" + pad(minutes % 60)
  }
}

/// One day of a reporting calendar.
///
/// A payload's day is the one that holds the middle of its interval: a device's interval ends when it is charged at
/// night, some minutes before or after midnight, and most of it lies in the day before.
public struct ReportingDay: Hashable, Sendable, Comparable {
  /// Days since 1970-01-01.
  public let number: Int64

  /// The day with this number.
  public init(number: Int64) { self.number = number }

  /// The day of the interval from `begin` to `end`, of which one may be unknown; `nil` when both are.
  public init?(from begin: PointInTime?, to end: PointInTime?, in calendar: ReportingCalendar) {
    guard let first = begin ?? end, let last = end ?? begin else { return nil }
    let middle = first.seconds + (last.seconds - first.seconds) / 2 + calendar.offset
    number = (middle >= 0 ? middle : middle - 86_399) / 86_400
  }

  /// The day as in RFC 3339: `2026-05-01`.
  public var text: String {
    String(PointInTime(seconds: number * 86_400, isZoneKnown: true).text.prefix(10))
  }

  /// By time.
  public static func < (a: ReportingDay, b: ReportingDay) -> Bool { a.number < b.number }
}
