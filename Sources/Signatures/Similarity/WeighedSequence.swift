internal import Identity

/// In how many problems each token occurs. A table is made once and frozen: nothing that is judged with it changes it.
///
/// How often a problem is seen does not count, nor in how many variants: a cluster counts once. Else the frames of a
/// problem with many variants would pass for boilerplate, and each new variant would fit less.
public struct TokenFrequencies: Sendable {
  private var counts: [String: Int] = [:]
  /// How many problems were counted.
  public private(set) var problems = 0

  /// A table with one problem for each cluster of `judged` and for each of `new`.
  public init(judged: [JudgedSignature], new: [AlignmentSequence] = []) {
    var names: [String: Set<String>] = [:]
    for signature in judged { names[signature.cluster, default: []].formUnion(signature.sequence.tokens.map(\.name)) }
    for tokens in names.values { count(tokens) }
    for sequence in new { count(Set(sequence.tokens.map(\.name))) }
  }

  private mutating func count(_ names: Set<String>) {
    problems += 1
    for name in names { counts[name, default: 0] += 1 }
  }

  /// The share of problems that hold the token, with `prior` problems more that do not.
  func share(of name: String, prior: Int) -> Double {
    Double(counts[name] ?? 0) / Double(max(1, problems + prior))
  }
}

/// A token with numbers for its terms, for comparing, and its weights in millionths.
struct WeighedToken: Sendable, Hashable {
  /// Numbers of its terms, -1 for none: the whole name; the name without labels; the type; the image of a function
  /// without a name.
  var name: Int32 = -1
  var entity: Int32 = -1
  var type: Int32 = -1
  var unknown: Int32 = -1
  /// Of a function without a name: the names of the app's functions that it called and that called it, -1 for none.
  var callee: Int32 = -1
  var caller: Int32 = -1
  /// Its weight, and what it costs without a partner.
  var weight: Millionths
  var gap: Millionths
  /// The most that a partner with an equal name can weigh: the weight at the innermost place.
  var partner: Millionths
  /// The place, from 1; inlined calls and images of the system take none.
  var position: Int
  /// Whether it is a function of the app, with a name, in few problems.
  var isRare: Bool
  /// Whether it is an inlined call of the app, and whether calls inlined into it would be seen.
  var isInlined = false
  var knowsInlining = false

  /// Whether it is a function of the app.
  var isOfApp: Bool { entity >= 0 || unknown >= 0 }
}

/// A sequence that is ready to be aligned.
struct WeighedSequence: Sendable, Hashable {
  var tokens: [WeighedToken]
  /// The sum of the weights.
  var total: Millionths
  /// The compilations of the app in which it was seen; empty when none is known.
  var compilations: Set<Int32>
  /// The compilations in which the names of its tokens were seen, where their entity has other names as well. Beside the tokens,
  /// since these are copied for each pair.
  var seenIn: [Int32: Set<Int32>]

  /// A sequence of `tokens`.
  init(_ tokens: [WeighedToken], compilations: Set<Int32> = [], seenIn: [Int32: Set<Int32>] = [:]) {
    self.tokens = tokens
    self.compilations = compilations
    self.seenIn = seenIn
    total = tokens.reduce(0) { $0 + $1.weight }
  }

  /// Whether calls that were inlined in it can be seen.
  var knowsInlining: Bool { tokens.contains(where: \.knowsInlining) }

  /// The sequence without its inlined calls that `other` does not have. They take no place, so the weights of the others stay.
  func withoutInlined(unknownTo other: WeighedSequence) -> WeighedSequence {
    WeighedSequence(
      tokens.filter { token in !token.isInlined || other.tokens.contains { $0.entity == token.entity } },
      compilations: compilations, seenIn: seenIn)
  }

  /// The innermost function of the app, inlined or not.
  var innermost: WeighedToken? { tokens.first(where: \.isOfApp) }

  /// Whether one build holds both names, so that they are two functions.
  func hasRival(_ name: Int32, of other: Int32, in sequence: WeighedSequence) -> Bool {
    guard !seenIn.isEmpty, let mine = seenIn[name], let theirs = sequence.seenIn[other] else { return false }
    return !mine.isDisjoint(with: theirs)
  }

  /// Whether the two share a function of the app that few others have.
  func sharesRareFrame(with other: WeighedSequence) -> Bool {
    tokens.contains { token in
      token.isRare && other.tokens.contains { $0.isRare && ($0.name == token.name || $0.entity == token.entity) }
    }
  }
}

/// Turns sequences into numbers: terms by a table that grows, weights by the parameters and the frequencies.
struct Weighing {
  let parameters: SimilarityParameters
  private let frequencies: TokenFrequencies
  private let compilations: Compilations
  private var numbers: [String: Int32] = [:]

  init(
    _ parameters: SimilarityParameters, _ frequencies: TokenFrequencies, _ compilations: Compilations = Compilations()
  ) {
    self.parameters = parameters
    self.frequencies = frequencies
    self.compilations = compilations
  }

  mutating func weigh(_ sequence: AlignmentSequence, in builds: Set<DebugID> = []) -> WeighedSequence {
    var tokens: [WeighedToken] = []
    var position = 1
    for token in sequence.tokens {
      tokens.append(weigh(token, at: position))
      if !token.isLight { position += 1 }
    }
    let ofApp = sequence.tokens.indices.filter { sequence.tokens[$0].isOfApp }
    for (order, place) in ofApp.enumerated() where tokens[place].unknown >= 0 {
      func neighbour(_ order: Int) -> Int32 {
        guard ofApp.indices.contains(order) else { return -1 }
        let token = tokens[ofApp[order]]
        return token.unknown >= 0 ? token.unknown : token.name
      }
      tokens[place].callee = neighbour(order - 1)
      tokens[place].caller = neighbour(order + 1)
    }
    var seenIn: [Int32: Set<Int32>] = [:]
    for (token, weighed) in zip(sequence.tokens, tokens) where weighed.isOfApp && weighed.name >= 0 {
      let builds = compilations.compilations(of: token.name)
      if !builds.isEmpty { seenIn[weighed.name] = builds }
    }
    return WeighedSequence(tokens, compilations: compilations.numbers(of: builds), seenIn: seenIn)
  }

  private mutating func weigh(_ token: AlignmentToken, at position: Int) -> WeighedToken {
    let share = frequencies.share(of: token.name, prior: parameters.priorProblems)
    let rarity = parameters.rarity(share)
    let own = parameters.weight(token.frameClass) * rarity
    // A token can be of either class of its side in another stack.
    let most =
      token.isOfApp
      ? max(parameters.appWeight, parameters.frameworkWeight)
      : max(parameters.systemWeight, parameters.carrierWeight)
    let weight = max(1, SimilarityParameters.millionths(own * parameters.depth(position)))
    var result = WeighedToken(
      weight: weight, gap: token.isLight ? weight * parameters.lightGap / SimilarityParameters.one : weight,
      partner: max(1, SimilarityParameters.millionths(most * rarity)), position: position,
      isRare: token.isOfApp && !token.isUnknown && share < parameters.commonShare,
      isInlined: token.isOfApp && token.isInlined,
      knowsInlining: token.isOfApp && token.knowsInlining && !token.isUnknown)
    if token.isUnknown {
      result.unknown = number("?" + token.name)
    } else {
      result.name = number("=" + token.name)
      if token.isOfApp {
        let terms = NameTerms(token.name)
        result.entity = number("~" + terms.entity)
        result.type = terms.type.map { number("^" + $0) } ?? -1
      }
    }
    return result
  }

  private mutating func number(_ term: String) -> Int32 {
    if let known = numbers[term] { return known }
    let number = Int32(truncatingIfNeeded: numbers.count)
    numbers[term] = number
    return number
  }
}
