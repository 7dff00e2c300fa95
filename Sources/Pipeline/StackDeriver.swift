internal import Diagnostics
internal import Identity
public import SignatureStore
public import Signatures
public import Symbolication
public import Workers

/// Derives signatures from raw stacks with the symbols at hand.
///
/// A pure function of stack, symbols and rules: the same in any order and on any number of threads.
public struct StackDeriver: Sendable {
  private let symbolicator: Symbolicator
  private let builder: SignatureBuilder
  private let workers: Workers

  /// A deriver with these symbols and rules.
  public init(symbolicator: Symbolicator, builder: SignatureBuilder = SignatureBuilder(), workers: Workers = Workers())
  {
    self.symbolicator = symbolicator
    self.builder = builder
    self.workers = workers
  }

  /// The rules in force.
  public var rules: Rules { builder.rules }

  /// The derivation of each stack, in their order. Frames of all stacks are resolved together.
  public func derive(_ stacks: [RawStack]) -> [Derivation] {
    resolved(stacks) { stack, found, named in
      Derivation(
        signature: builder.signature(of: stack, resolutions: named), waiting: stack.waitedImages(found))
    }
  }

  /// The same of recorded stacks, by key.
  func derivations(of stacks: [StoredRawStack]) -> [ContentDigest: Derivation] {
    Dictionary(zip(stacks.map(\.key), derive(stacks.map(\.stack))), uniquingKeysWith: { first, _ in first })
  }

  /// The resolutions of the frames of each stack, in their order.
  public func resolve(_ stacks: [RawStack]) -> [[Resolution]] { resolved(stacks) { _, _, named in named } }

  /// What `make` makes of each stack with what symbols say of its frames, and that with what the report says besides.
  private func resolved<Result: Sendable>(
    _ stacks: [RawStack], _ make: @Sendable (RawStack, _ found: [Resolution], _ named: [Resolution]) -> Result
  ) -> [Result] {
    let locations = stacks.flatMap(\.locations)
    var starts = [0]
    for stack in stacks { starts.append((starts.last ?? 0) + stack.frames.count) }
    let callees = zip(stacks, starts).flatMap { stack, start in
      stack.frames.indices.map { stack.isInnermost($0) || stack.kind.isSampled ? nil : start + $0 + 1 }
    }
    let resolutions = symbolicator.resolve(locations, callees: callees)
    let offsets = starts
    return workers.map(stacks.count) {
    } _: { _, number in
      let stack = stacks[number]
      let found = Array(resolutions[offsets[number]..<offsets[number + 1]])
      let named = stack.sharingInlined(found).enumerated().map { $1.completed(by: stack.symbol(of: $0)) }
      return make(stack, found, named)
    }
  }
}

extension RawStack {
  /// The resolutions, with inlined calls where the report has lines of their own for them. Frames of a chain stand
  /// outermost first.
  fileprivate func sharingInlined(_ found: [Resolution]) -> [Resolution] {
    if symbols.isEmpty || kind.isSampled { return found }
    let places = frames.reversed().map { ReportedPlace(image: $0.image, offset: $0.offset, symbol: $0.symbol) }
    return Array(Array(found.reversed()).shared(among: places).reversed())
  }

  /// The place of each frame, for looking it up.
  var locations: [CodeLocation] {
    frames.indices.map { index in
      CodeLocation(
        image: image(of: index)?.debugID, offset: frames[index].offset, isReturnAddress: !isInnermost(index))
    }
  }
}
