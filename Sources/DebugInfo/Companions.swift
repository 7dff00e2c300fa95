public import Bytes
internal import Identity
public import ObjectFiles

/// A file that holds a part of an object's debug information.
public struct CompanionFile: Sendable {
  /// What a companion holds.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    /// The debug information that was split off the object: another file of the same image.
    case debugFile = "debug_file"
    /// What dwz moved out of several files, because they share it.
    case common
    /// The entries of one unit: a `.dwo` file.
    case split
    /// The entries of many units: a `.dwp` file.
    case package
  }

  /// What it holds.
  public var role: Role
  /// Of a `.dwo` file, the identifier of its unit.
  public var unit: UInt64?
  /// Its bytes.
  public var bytes: ByteView
  /// The file that holds the bytes; `nil` when they are in memory only.
  public var path: String?

  /// A companion with these parts.
  public init(role: Role, unit: UInt64? = nil, bytes: ByteView, path: String? = nil) {
    self.role = role
    self.unit = unit
    self.bytes = bytes
    self.path = path
  }
}

/// The companions of one object, opened.
public struct DebugCompanions: Sendable {
  /// The file that dwz moved shared entries to.
  public var alternate: ObjectFile?
  /// The `.dwo` files, by the identifier of their unit.
  public var splitFiles: [UInt64: ObjectFile] = [:]
  /// The packages (`.dwp`) of many split units.
  public var packages: [ObjectFile] = []

  /// No companions.
  public init() {}

  /// Those of `files` that hold a part of `object`; the others, and what is no object file, are passed over.
  public init(_ files: [CompanionFile], of object: ObjectFile) {
    let link = object.alternateLink
    for file in files {
      guard let companion = try? Container(file.bytes).objects.first else { continue }
      switch file.role {
      case .debugFile: break
      case .common:
        guard let link, alternate == nil else { break }
        if companion.debugID == link.id || companion.supplementaryID == link.id { alternate = companion }
      case .split: if let unit = file.unit { splitFiles[unit] = companion }
      case .package: packages.append(companion)
      }
    }
  }
}
