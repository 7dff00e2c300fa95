public import Files
public import Identity
internal import ObjectFiles
internal import SymbolIndex

/// What a release asks of the store once its symbols are taken: these images, with so much of their code covered.
public struct Gates: Sendable {
  /// One image that must be there.
  public struct Requirement: Sendable, Hashable {
    /// The image; `nil` when the file that asks for it does not say.
    public var debugID: DebugID?
    /// The base name of the file that asks for it.
    public var name: String?
    /// Its architecture, if a file asks for it.
    public var architecture: String?
    /// Why the file does not say which image it is.
    var problem: String?
    /// Why no frame can be named by it.
    public var advice: String { problem ?? "it has no debug identifier" }
    /// Where the code of the file lies, by which other code under its identifier is noticed.
    var codeShape: String?

    /// The image `debugID`, whatever it is called.
    public init(_ debugID: DebugID) { self.debugID = debugID }

    init(_ name: String, problem: String) {
      self.name = name
      self.problem = problem
    }
  }

  /// The images that must be there.
  public var requirements: [Requirement] = []
  /// The least share of code that debug information must cover, 0 to 1. Without one a required image must have some, with 0
  /// names are enough.
  public var minimumCoverage: Double?
  /// Names, patterns of names (`libswift*`) and identifiers of images that may be missing or poor: those of vendors, for example.
  public var allowedMissing: [String] = []

  /// No gates.
  public init() {}

  /// Whether nothing is asked.
  public var isEmpty: Bool { requirements.isEmpty && minimumCoverage == nil }
}

/// What a gate says of one image.
public enum GateStatus: String, Sendable, Hashable, CaseIterable {
  /// All is there.
  case met
  /// Something is missing, and may be.
  case allowed
  /// Nothing of the image is retained.
  case missing
  /// Too little of its code has debug information.
  case lowCoverage = "low_coverage"
  /// Something of it is retained, and cannot be used.
  case unusable
  /// Other code is retained under its identifier.
  case conflict
  /// A file of the app that does not say which image it is.
  case unidentified
}

/// What a gate says of one image, and what is to be done.
public struct GateResult: Sendable, Hashable {
  /// The image.
  public var requirement: Gates.Requirement
  /// What it says.
  public var status: GateStatus
  /// The share of the code that has debug information; `nil` when that is not known.
  public var coverage: Double?
  /// What is wrong and what to do about it; `nil` when nothing is wrong.
  public var advice: String?

  /// Whether it lets the release pass.
  public var isMet: Bool { status == .met || status == .allowed }
}

extension Gates {
  /// Requires every image whose code is in the files below `path`: an app, an archive, one binary.
  ///
  /// dSYMs and parts of debug information require nothing. What cannot be identified becomes a requirement that cannot
  /// be met. `temporaryFolder` is where files are copied while they are read. Cost: a copy of each binary, one at a time.
  public mutating func require(imagesIn path: String, temporaryFolder: String) throws(StoreError) {
    try require(imagesIn: path, temporaryFolder: temporaryFolder, kinds: .code)
  }

  /// Which files are looked at.
  enum Kinds {
    /// Those with code.
    case code
    /// dSYMs and parts of debug information, too.
    case all
  }

  mutating func require(imagesIn path: String, temporaryFolder: String, kinds: Kinds) throws(StoreError) {
    let before = requirements.count
    let reader = SymbolFileReader(temporaryFolder: temporaryFolder, looksBeside: false)
    try FileWalk.files(below: [path]) { (file) throws(StoreError) in
      try reader.read(file) { (finding) throws(StoreError) in
        switch finding {
        case .other, .besides: break
        case .refused(let report):
          requirements.append(Requirement(report.path, problem: report.reasons.first ?? report.verdict.rawValue))
        case .file(let file):
          do throws(ObjectFileError) {
            for slice in try Container(file.bytes).slices { require(try slice.get(), file.path, kinds) }
          } catch {
            requirements.append(Requirement(file.path, problem: error.description))
          }
        }
      }
    }
    if requirements.count == before {
      requirements.append(Requirement(path, problem: "no binary was found there"))
    }
  }

  private mutating func require(_ object: ObjectFile, _ path: String, _ kinds: Kinds) {
    guard kinds == .all || (object.kind != .debugCompanion && !object.isCompanion) else { return }
    guard let id = object.debugID else {
      requirements.append(Requirement(path, problem: "it has no debug identifier, so no frame can refer to it"))
      return
    }
    var requirement = Requirement(id)
    requirement.name = path.baseName
    requirement.architecture = object.architecture.name
    requirement.codeShape = object.codeShape
    requirements.append(requirement)
  }

  /// Whether an image may be missing or poor.
  func allows(_ requirement: Requirement) -> Bool {
    AllowedImages(allowedMissing).contains(requirement.debugID, name: requirement.name)
  }
}

extension SymbolStore {
  /// What the gates say of the store as it is now: of each required image, and of the coverage of each image that
  /// `reports` retained. Each image is told once.
  ///
  /// Cost: opening the index of each; where one is missing, reading all records once.
  public func results(of gates: Gates, after reports: [SliceReport]) throws(StoreError) -> [GateResult] {
    var results: [GateResult] = []
    var seen: Set<DebugID> = []
    var retainedNames: [String: Int]?
    for requirement in gates.requirements {
      if let id = requirement.debugID, !seen.insert(id).inserted { continue }
      var result = result(of: requirement, needing: gates.minimumCoverage, isRequired: true)
      if result.status == .missing, let name = requirement.name {
        if retainedNames == nil { retainedNames = try imageNames() }
        if let count = retainedNames?[name] {
          result.advice? += "; \(count) other \(count == 1 ? "build" : "builds") of \(name) retained"
        }
      }
      results.append(result)
    }
    guard let minimum = gates.minimumCoverage else { return results.map { allowing($0, gates) } }
    for report in reports where report.verdict.isRetained && report.verdict != .companion {
      guard let id = report.debugID, seen.insert(id).inserted else { continue }
      var requirement = Gates.Requirement(id)
      requirement.name = report.path.split(separator: "/").last.map(String.init)
      requirement.architecture = report.architecture
      results.append(result(of: requirement, needing: minimum, isRequired: false))
    }
    return results.map { allowing($0, gates) }
  }

  private func allowing(_ result: GateResult, _ gates: Gates) -> GateResult {
    var result = result
    if !result.isMet, gates.allows(result.requirement) { result.status = .allowed }
    return result
  }

  private func result(
    of requirement: Gates.Requirement, needing minimum: Double?, isRequired: Bool
  ) -> GateResult {
    var result = GateResult(requirement: requirement, status: .met)
    func fail(_ status: GateStatus, _ advice: String) -> GateResult {
      result.status = status
      result.advice = advice
      return result
    }
    guard let id = requirement.debugID else {
      return fail(.unidentified, requirement.advice)
    }
    do throws(StoreError) {
      guard let record = try record(of: id) else {
        return fail(
          .missing, "nothing of it is retained: upload the dSYM or debug file that was made with this very build")
      }
      guard let summary = try index(of: id).flatMap({ try? $0.summary() }) else {
        return fail(.unusable, "its index cannot be read: upload its symbols again")
      }
      result.coverage = summary.coverage
      if let shape = requirement.codeShape, record.codeShape != shape, !shape.isEmpty {
        return fail(
          .conflict, "other code is retained under its identifier: build it again with an identifier of its own")
      }
      let coverage = summary.coverage ?? 1
      let covered = "debug information covers \(summary.debugInfoBytes) of \(summary.codeBytes) bytes of its code"
      if let minimum, coverage < minimum {
        return fail(
          .lowCoverage, "\(covered), less than the \(minimum) asked for: upload its dSYM, or build it with -g")
      }
      if minimum == nil, isRequired, summary.debugInfoBytes == 0 {
        return fail(.lowCoverage, "names only, no debug information: upload its dSYM, or build it with -g")
      }
      return result
    } catch {
      return fail(.unusable, "\(error); upload its symbols again")
    }
  }
}
