public import Identity
public import SymbolIndex
public import Workers

/// What a source of symbols has for one image.
public enum IndexAvailability: Sendable {
  /// Its index.
  case available(SymbolIndex)
  /// Nothing is retained of it.
  case missing
  /// What is retained cannot be used; the text says why.
  case unusable(String)
}

/// Names places in images, a batch at a time.
///
/// Places are grouped by image and each image is opened once; equal places are looked up once. The answers do not
/// depend on the order of the places, on the batches, or on the number of workers.
public struct Symbolicator: Sendable {
  /// Finds the index of an image.
  public typealias Source = @Sendable (DebugID) -> IndexAvailability

  private let source: Source
  private let workers: Workers

  /// A symbolicator that asks `source` for indexes.
  public init(source: @escaping Source, workers: Workers = Workers()) {
    self.source = source
    self.workers = workers
  }

  /// The resolution of each place, in the order of `locations`.
  ///
  /// Cost: sorting, one look-up for each distinct place; parallel by image.
  public func resolve(_ locations: [CodeLocation]) -> [Resolution] {
    var indicesOfImage: [DebugID: [Int]] = [:]
    for (index, location) in locations.enumerated() {
      if let image = location.image, location.offset != nil { indicesOfImage[image, default: []].append(index) }
    }
    let groups = indicesOfImage.sorted { $0.key < $1.key }
    let resolved = workers.map(groups.count) {
    } _: { _, number in
      resolve(groups[number].value, of: groups[number].key, locations)
    }
    var results = [Resolution](repeating: Resolution(status: .unknownImage), count: locations.count)
    for (group, answers) in zip(groups, resolved) {
      for (index, answer) in zip(group.value, answers) { results[index] = answer }
    }
    return results
  }

  /// The resolution of each place of some call chains; `callees[i]` is the number of the place that place `i` called.
  ///
  /// What called a signal's trampoline did not call it: it was interrupted, so its address is exact
  /// (symbolication.md B.3). Cost: that of `resolve`, and again for the places above trampolines.
  public func resolve(_ locations: [CodeLocation], callees: [Int?]) -> [Resolution] {
    var results = resolve(locations)
    var interrupted: [Int] = []
    for (index, callee) in callees.enumerated().prefix(locations.count) {
      guard let callee, results.indices.contains(callee), locations[index].isReturnAddress,
        results[callee].frames.last?.mangled == "_sigtramp"
      else { continue }
      interrupted.append(index)
    }
    let exact = resolve(
      interrupted.map { CodeLocation(image: locations[$0].image, offset: locations[$0].offset, isReturnAddress: false) }
    )
    for (index, resolution) in zip(interrupted, exact) { results[index] = resolution }
    return results
  }

  /// The resolutions of the places numbered `indices`, all in `image`.
  private func resolve(_ indices: [Int], of image: DebugID, _ locations: [CodeLocation]) -> [Resolution] {
    let index: SymbolIndex
    switch source(image) {
    case .available(let found): index = found
    case .missing: return indices.map { _ in Resolution(status: .missingImage) }
    case .unusable: return indices.map { _ in Resolution(status: .indexCorrupt) }
    }
    var known: [CodeLocation: Resolution] = [:]
    return indices.map { number in
      let location = locations[number]
      if let answer = known[location] { return answer }
      let answer = Resolution(index.lookup(location.offset ?? 0, isReturnAddress: location.isReturnAddress))
      known[location] = answer
      return answer
    }
  }
}

extension Resolution {
  /// The resolution that an index's answer means.
  public init(_ answer: IndexAnswer) {
    switch answer {
    case .frames(let frames): self.init(status: .resolved, frames: frames)
    case .hole: self.init(status: .noSymbol)
    case .outsideImage: self.init(status: .outsideImage)
    case .corrupt: self.init(status: .indexCorrupt)
    }
  }
}
