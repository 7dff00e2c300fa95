internal import Diagnostics
internal import Identity

/// One recorded diagnostic, as counts need it: numbers of rows, and its time.
struct DiagnosticRow {
  /// The payload.
  var payload: Int64
  /// Its digest.
  var digest: ContentDigest
  /// Its generation.
  var generation: PayloadGeneration
  /// The chosen stack.
  var rawStack: Int64
  /// The build and system.
  var cohort: Int64
  /// When it began to be watched, if that is known.
  var begin: PointInTime?
  /// When it was reported, if that is known.
  var end: PointInTime?
}

extension SQLiteSignatureStore {
  /// Calls `body` for every recorded diagnostic, payload by payload, so that payloads are counted with one number for each count.
  func eachDiagnostic(_ body: (DiagnosticRow) throws(SignatureStoreError) -> Void) throws(SignatureStoreError) {
    var payload: (row: Int64, generation: PayloadGeneration, digest: ContentDigest)?
    try database.rows(
      """
      SELECT d.payload, d.raw_stack, d.cohort, d.begins, d.ends, d.zone_known, p.generation, p.digest
      FROM diagnostics d JOIN payloads p ON p.id = d.payload ORDER BY d.payload, d.ordinal
      """
    ) { row throws(SignatureStoreError) in
      let id = row.integer(0)
      let current: (row: Int64, generation: PayloadGeneration, digest: ContentDigest)
      if let payload, payload.row == id {
        current = payload
      } else {
        current = (id, try word(row, 6), try digest(row, 7))
        payload = current
      }
      let isZoneKnown = row.integer(5) != 0
      func time(_ column: Int32) -> PointInTime? {
        row.isNull(column) ? nil : PointInTime(seconds: row.integer(column), isZoneKnown: isZoneKnown)
      }
      try body(
        DiagnosticRow(
          payload: id, digest: current.digest, generation: current.generation, rawStack: row.integer(1),
          cohort: row.integer(2), begin: time(3), end: time(4)))
    }
  }
}
