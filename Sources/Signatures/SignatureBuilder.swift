internal import Diagnostics
internal import Identity
public import Symbolication

/// Derives signatures from raw stacks.
///
/// **What enters the key.** Of a stack with frames of the app: kind, reason family, and the tokens of the app's functions,
/// innermost first, without their images. Images are left out since MetricKit omits the app's name in some versions and
/// since the same code moves between an app, its frameworks and its debug library; Swift tokens carry their module.
/// Frames of the system do not enter: their number and names differ between versions of the system, so they would split
/// one bug. Neither does the carrier (`release`, `lock`): it depends on the system's symbols.
///
/// Of a stack without frames of the app: kind, detailed reason and the images of the system in order, each run once.
/// Quality is low. Of a stack without any informative frame: the raw stack key alone, so that strangers never share it.
///
/// **Frames of the app without symbols.** Inner to the innermost function that has a name they are where the fault is, and
/// enter with debug identifier and offset: only equal raw frames join. Outer to it they are `image!?`, runs once, so that a
/// framework whose symbols nobody has does not split a bug with every release. Both make the signature provisional.
///
/// **Inlining.** Every inlined function of the app is a token of its own, and library code that inlining or specialisation
/// brought into the app is dropped by rule: the sequence is the same whether the compiler inlined or not.
public struct SignatureBuilder: Sendable {
  /// The rules in force.
  public let rules: Rules
  /// At most this many tokens, from the innermost, enter the key of a call chain, unless the rules say otherwise.
  public static let tokenLimit = 24
  /// At most this many tokens, from the dominating one outwards, enter the key of a sampled tree, unless the rules say
  /// otherwise.
  public static let spineLimit = 12

  /// A builder with these rules.
  public init(rules: Rules = .standard) { self.rules = rules }

  /// The signature of `stack`, whose frame `i` was resolved to `resolutions[i]`. Missing resolutions count as missing images.
  ///
  /// Never fails. Cost: a few microseconds for each frame.
  public func signature(of stack: RawStack, resolutions: [Resolution]) -> Signature {
    let reader = FrameReader(stack: stack, resolutions: resolutions, rules: rules)
    if stack.kind.isSampled, !stack.frames.isEmpty {
      return SampledTree(reader: reader).signature(by: self)
    }
    return chain(reader, reader.levels(), path: SignatureBuilder.heaviestPath(stack))
  }

  /// The signature of the chain of raw frames `path`, innermost first, whose levels are among `levels`.
  func chain(_ reader: FrameReader, _ levels: [[FrameReader.Level]], path: [Int]) -> Signature {
    var chain = FrameChain(levels: path.flatMap { levels[$0] })
    chain.cutCallers(from: chain.cutReporter())
    chain.settleThunksAndEntries()
    let reason = chain.refine(ReasonClass(kind: reader.stack.kind, raw: reader.stack.reason))
    let entries = chain.appEntries()
    if !entries.isEmpty {
      let kept = chain.keep(entries, limit: rules.limits.tokens)
      return finish(reader, chain, kept: kept, blame: FrameChain.blame(entries), reason: reason)
    }
    return systemOnly(reader, chain, reason: reason)
  }

  /// A signature of the app's tokens at the places `kept` of `chain`, innermost first.
  func finish(
    _ reader: FrameReader, _ chain: FrameChain, kept: [FrameChain.Entry], blame: FrameChain.Entry?, reason: ReasonClass
  ) -> Signature {
    let stack = reader.stack
    let named = kept.filter { !$0.isUnsymbolicated }
    let informative = named.count + (chain.hasInformativeSystem ? 1 : 0)
    let fields = SignatureBuilder.fields(stack, ["app", reason.family.rawValue] + kept.map(\.key))
    let tokens = kept.map(\.token)
    // The title begins with what is to blame; helpers that were called for it come before.
    let start = blame.flatMap { tokens.firstIndex(of: $0.token) } ?? 0
    let shown = chain.shown(reason)
    return Signature(
      id: SignatureBuilder.id(fields), kind: stack.kind, reason: shown, tokens: tokens, keyFields: fields,
      blameFields: blame.map {
        ["symclust-blame", String(Signature.algorithmVersion), stack.kind.rawValue, reason.family.rawValue, $0.key]
      } ?? [],
      compilation: chain.levels.first(where: \.frame.isKept).flatMap { stack.image(of: $0.frame.rawFrame)?.debugID },
      title: SignatureBuilder.title(
        stack, shown == reason ? reason.family.rawValue : shown.description, Array(tokens[start...])),
      blame: blame?.token, carrier: chain.carrier,
      quality: named.isEmpty || informative < 2 ? .low : .normal, isProvisional: named.count < kept.count,
      dominance: nil, paths: [], frames: chain.levels.map(\.frame), rulesDigest: rules.digest)
  }

  /// The signature of a chain without frames of the app.
  func systemOnly(_ reader: FrameReader, _ chain: FrameChain, reason: ReasonClass) -> Signature {
    let stack = reader.stack
    var chain = chain
    let images = chain.keepSystem()
    let isInformative = chain.hasInformativeSystem && !images.isEmpty
    let fields = SignatureBuilder.fields(
      stack, isInformative ? ["system", reason.description] + images : ["raw", stack.key.hex])
    let tokens = isInformative ? images.map { $0 + "*" } : []
    let shown = chain.shown(reason)
    if !isInformative { chain.dropAll() }
    return Signature(
      id: SignatureBuilder.id(fields), kind: stack.kind, reason: shown, tokens: tokens, keyFields: fields,
      title: SignatureBuilder.title(stack, shown.description, tokens), blame: nil, carrier: chain.carrier,
      quality: isInformative ? .low : .none, isProvisional: false, dominance: nil, paths: [],
      frames: chain.levels.map(\.frame), rulesDigest: rules.digest)
  }

  private static func fields(_ stack: RawStack, _ key: [String]) -> [String] {
    ["symclust-sig", String(Signature.algorithmVersion), stack.kind.rawValue] + key
  }

  private static func id(_ fields: [String]) -> String { "sig-" + Signature.digits(of: fields) }

  static func title(_ stack: RawStack, _ reason: String, _ tokens: [String]) -> String {
    let kind = stack.kind.rawValue
    let head = stack.kind.isSampled || reason == kind ? kind : kind + " " + reason
    let names = tokens.prefix(3).map { $0.count > 120 ? $0.prefix(119) + "…" : $0[...] }
    return head + " | " + (names.isEmpty ? "no informative frame" : names.joined(separator: " < "))
  }

  /// The raw frames from the innermost of the heaviest path to its root. Ties go to the first in canonical order.
  static func heaviestPath(_ stack: RawStack) -> [Int] {
    guard !stack.frames.isEmpty else { return [] }
    let weights = stack.inclusiveWeights
    // Heaviest child of each frame; -1 stands for the roots.
    var best = [Int](repeating: -1, count: stack.frames.count + 1)
    for (index, frame) in stack.frames.enumerated() {
      let parent = Int(frame.parent) + 1
      if best[parent] < 0 || weights[index] > weights[best[parent]] { best[parent] = index }
    }
    var path: [Int] = []
    var next = best[0]
    while next >= 0 {
      path.append(next)
      next = best[next + 1]
    }
    return path.reversed()
  }
}
