internal import Bytes
internal import Identity

/// The identifiers in an ELF file's notes. Source: the gABI, "Note Section".
struct ELFNotes {
  private let order: ByteOrder
  /// How many more notes may be looked at.
  private var budget: Int
  private var goBuildID: ByteView?

  /// A search in a file of `fileSize` bytes.
  ///
  /// A note takes 12 bytes, and a section and a segment may both hold it: who reads more than these reads the same
  /// bytes again and again.
  private init(order: ByteOrder, fileSize: Int) {
    self.order = order
    budget = fileSize / 6
  }

  /// The GNU build-id; failing that a Go build-id, digested, since it is a text longer than an identifier may be.
  static func buildID(in areas: some Sequence<ByteView>, order: ByteOrder, fileSize: Int) -> DebugID? {
    var notes = ELFNotes(order: order, fileSize: fileSize)
    for area in areas {
      if let id = notes.gnuBuildID(in: area) { return id }
    }
    return notes.goBuildID.flatMap { DebugID(bytes: ContentDigest(of: $0).bytes.prefix(20)) }
  }

  /// The GNU build-id in one section or segment; the first Go build-id that is met on the way is kept.
  private mutating func gnuBuildID(in area: ByteView) -> DebugID? {
    var cursor = ByteCursor(area, order: order)
    while cursor.remaining >= 12, budget > 0 {
      budget -= 1
      guard let (type, name, description) = try? Self.next(&cursor) else { return nil }
      if type == 3, Self.isOwner("GNU", name), let id = description.withBytes({ DebugID(bytes: $0) }) { return id }
      if type == 4, goBuildID == nil, !description.isEmpty, Self.isOwner("Go", name) { goBuildID = description }
    }
    return nil
  }

  private static func next(
    _ cursor: inout ByteCursor
  ) throws(ByteError) -> (type: UInt32, name: ByteView, description: ByteView) {
    let nameSize: UInt32 = try cursor.read()
    let descriptionSize: UInt32 = try cursor.read()
    let type: UInt32 = try cursor.read()
    let name = try cursor.read(count: UInt64(nameSize))
    try cursor.skip(UInt64((4 - nameSize % 4) % 4))
    let description = try cursor.read(count: UInt64(descriptionSize))
    try cursor.skip(min(UInt64((4 - descriptionSize % 4) % 4), UInt64(cursor.remaining)))
    return (type, name, description)
  }

  /// Whether `name` is `owner` up to its first zero. No more of it is read: it may be as long as the file.
  private static func isOwner(_ owner: String, _ name: ByteView) -> Bool {
    let length = owner.utf8.count
    return name.withBytes { bytes in
      bytes.starts(with: owner.utf8) && (bytes.count == length || bytes[length] == 0)
    }
  }
}
