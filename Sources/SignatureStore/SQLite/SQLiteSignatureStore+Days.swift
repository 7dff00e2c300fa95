internal import Diagnostics

extension SQLiteSignatureStore {
  /// Which day the interval of table `t` belongs to: `ReportingDay`'s rule, in SQL. Its division cuts towards zero.
  private static func day(of t: String, _ calendar: ReportingCalendar) -> String {
    let middle = """
      ((COALESCE(\(t).begins, \(t).ends) + (COALESCE(\(t).ends, \(t).begins) - COALESCE(\(t).begins, \(t).ends)) / 2) \
      + \(calendar.offset))
      """
    return "((\(middle) - CASE WHEN \(middle) < 0 THEN 86399 ELSE 0 END) / 86400)"
  }

  /// The report-days of each build on each system.
  func reportDayCounts(_ calendar: ReportingCalendar) throws(SignatureStoreError) -> [ReportDayCount] {
    var counts: [ReportDayCount] = []
    try database.rows(
      """
      SELECT b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build, \(Self.day(of: "r", calendar)), COUNT(*)
      FROM report_days r JOIN cohorts c ON c.id = r.cohort JOIN builds b ON b.id = c.build
      GROUP BY c.id, 8 ORDER BY 1, 4, 2, 3, 5, 6, 7, 8
      """
    ) { row throws(SignatureStoreError) in
      let day = row.isNull(7) ? nil : ReportingDay(number: row.integer(7))
      let (build, system) = (build(row, 0), system(row, 4))
      if counts.last?.build != build || counts.last?.system != system {
        counts.append(ReportDayCount(build: build, system: system, days: []))
      }
      counts[counts.count - 1].days.append(.init(day: day, reportDays: Int(row.integer(8))))
    }
    return counts
  }
}
