public import Diagnostics
public import Identity

extension SQLiteSignatureStore {
  /// The images without symbols that diagnostics wait for, of one build or of all. Cost: one look-up for each diagnostic
  /// that waits for each image.
  public func waitingImages(ofBuild build: String?) throws(SignatureStoreError) -> [WaitingImage] {
    var images: [WaitingImage] = []
    try database.rows(
      """
      SELECT w.debug_id, MAX(w.name), b.app, b.version, b.build, b.mixed, c.platform, c.os_version, c.os_build, SUM(w.frames),
        COUNT(*), MIN(COALESCE(d.ends, d.begins) * 2 + d.zone_known), MAX(COALESCE(d.ends, d.begins) * 2 + d.zone_known)
      FROM waits w JOIN diagnostics d ON d.raw_stack = w.raw_stack JOIN cohorts c ON c.id = d.cohort
      JOIN builds b ON b.id = c.build WHERE ?1 IS NULL OR b.build = ?1
      GROUP BY w.debug_id, c.id ORDER BY w.debug_id
      """, [SQLiteValue(build)]
    ) { row throws(SignatureStoreError) in
      guard let id = DebugID(bytes: row.bytes(0)) else { throw damaged("a debug identifier is none") }
      var image = images.last?.debugID == id ? images.removeLast() : WaitingImage(id, name: nil)
      image.name = [image.name, row.text(1)].compactMap(\.self).min()
      image.builds.append(self.build(row, 2))
      image.systems.append(system(row, 6))
      image.frames += Int(row.integer(9))
      image.diagnostics += Int(row.integer(10))
      if !row.isNull(11) {
        let (first, last) = (Self.time(row.integer(11)), Self.time(row.integer(12)))
        image.firstSeen = min(image.firstSeen ?? first, first)
        image.lastSeen = max(image.lastSeen ?? last, last)
      }
      images.append(image)
    }
    for index in images.indices {
      images[index].builds = Set(images[index].builds).sorted()
      images[index].systems = Set(images[index].systems).sorted()
    }
    return images.sorted {
      $0.diagnostics == $1.diagnostics ? $0.debugID < $1.debugID : $0.diagnostics > $1.diagnostics
    }
  }

  /// When a diagnostic of each of the raw stacks `keys` was seen last; without those of which no time is known.
  public func lastSeen(_ keys: [ContentDigest]) throws(SignatureStoreError) -> [ContentDigest: PointInTime] {
    try database.snapshot { () throws(SignatureStoreError) in
      var times: [ContentDigest: PointInTime] = [:]
      for key in keys {
        let packed = try database.number(
          """
          SELECT MAX(COALESCE(d.ends, d.begins) * 2 + d.zone_known) FROM raw_stacks r JOIN diagnostics d ON d.raw_stack = r.id
          WHERE r.key = ?1 HAVING COUNT(d.ends) + COUNT(d.begins) > 0
          """, [.blob(key.bytes)])
        if let packed { times[key] = Self.time(packed) }
      }
      return times
    }
  }

  /// A time and whether its zone is known, from one number.
  private static func time(_ packed: Int64) -> PointInTime {
    PointInTime(seconds: packed >> 1, isZoneKnown: packed & 1 != 0)
  }
}
