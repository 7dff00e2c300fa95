public import Files
public import Identity
internal import ObjectFiles
internal import SymbolIndex

/// Whether the symbols of one image would name its frames.
public enum ImageStatus: String, Sendable, Hashable, CaseIterable {
  /// They are here and can be used.
  case found
  /// Something is retained, and cannot be used.
  case unusable
  /// Nothing is retained.
  case missing
  /// Nothing is retained of it, but of the same image for another architecture.
  case wrongArchitecture = "wrong_architecture"
}

/// One image that something refers to, and whether its symbols are here.
public struct ImageVerification: Sendable, Hashable {
  /// The image.
  public var debugID: DebugID
  /// Its name, if one is known.
  public var name: String?
  /// Its architecture, if it is known.
  public var architecture: String?
  /// Whether it is the app's; symbols of the system's images are not expected.
  public var isApp: Bool
  /// Whether its symbols are here.
  public var status: ImageStatus
  /// Why not, and what to do.
  public var reason: String?
  /// The share of its code that debug information covers.
  public var coverage: Double?

  /// Whether it may be missing.
  public var isAllowed = false

  /// Whether frames of the app stay without names, and somebody has to do something.
  public var isGap: Bool { isApp && status != .found && !isAllowed }
}

extension SymbolStore {
  /// Whether frames of the image `id` would be named, found out in the way that naming them does.
  ///
  /// `named` are all retained images by name, for telling a build for another architecture; see `recordsByName`.
  public func verification(
    of id: DebugID, name: String?, architecture: String? = nil, isApp: Bool, among named: [String: [ImageRecord]]
  ) -> ImageVerification {
    var result = ImageVerification(debugID: id, name: name, architecture: architecture, isApp: isApp, status: .found)
    func fail(_ status: ImageStatus, _ reason: String) -> ImageVerification {
      result.status = status
      result.reason = reason
      return result
    }
    do throws(StoreError) {
      var damage: StoreError?
      guard let index = try index(of: id, onDamage: { damage = $0 }) else {
        let others = name.flatMap { named[$0] } ?? []
        if let architecture, !others.isEmpty, others.allSatisfy({ $0.architecture != architecture }) {
          let found = Set(others.map(\.architecture)).sorted().joined(separator: ", ")
          return fail(.wrongArchitecture, "retained for \(found) only: upload the symbols of \(architecture)")
        }
        let what =
          try removedImages().images[id] == nil ? "nothing of it is retained" : "'symbols gc' removed what was retained"
        return fail(
          .missing,
          others.isEmpty ? what : "\(what), but \(others.count) other \(others.count == 1 ? "build" : "builds") of it")
      }
      let record = try anyRecord(of: id)
      result.name = name ?? record?.name
      result.architecture = record?.architecture ?? architecture
      guard let summary = try? index.summary() else { return fail(.unusable, "its index does not say what it holds") }
      result.coverage = summary.coverage
      if summary.debugInfoBytes == 0, summary.symbolBytes == 0 {
        return fail(.unusable, "it names no code: upload its dSYM, or build it with -g")
      }
      if let source = record?.borrowedFrom { result.reason = "borrowed from \(source); its files are not retained" }
      if let damage { result.reason = "\(damage); it was rebuilt from the retained files" }
      return result
    } catch {
      return fail(.unusable, "\(error): upload its symbols again")
    }
  }

  /// All retained images by the name that people know them by.
  public func recordsByName() throws(StoreError) -> [String: [ImageRecord]] {
    Dictionary(grouping: try records(), by: \.name)
  }
}

/// Whether a binary and a file of symbols belong together, slice by slice.
public struct SlicePair: Sendable, Hashable {
  /// The architecture.
  public var architecture: String
  /// The identifier in the binary; `nil` when it has no such slice, or the slice has none.
  public var binary: DebugID?
  /// The identifier in the symbols.
  public var symbols: DebugID?

  /// Whether both are one image.
  public var matches: Bool { binary != nil && binary == symbols }
}

extension SlicePair {
  /// The slices of two files side by side, by architecture. A dSYM is named by its bundle, or by the file in it.
  public static func pairs(binary: String, symbols: String, temporaryFolder: String) throws(StoreError) -> [SlicePair] {
    let first = try identifiers(in: binary, temporaryFolder)
    let second = try identifiers(in: symbols, temporaryFolder)
    return Set(first.keys).union(second.keys).sorted().map {
      SlicePair(architecture: $0, binary: first[$0], symbols: second[$0])
    }
  }

  private static func identifiers(in path: String, _ folder: String) throws(StoreError) -> [String: DebugID] {
    var gates = Gates()
    try gates.require(imagesIn: path, temporaryFolder: folder, kinds: .all)
    var found: [String: DebugID] = [:]
    var problem: String?
    for requirement in gates.requirements {
      if let id = requirement.debugID {
        found[requirement.architecture ?? "?"] = id
      } else {
        problem = requirement.problem
      }
    }
    guard !found.isEmpty else { throw StoreError(.inputOutput, path, problem ?? "no binary was found there") }
    return found
  }
}
