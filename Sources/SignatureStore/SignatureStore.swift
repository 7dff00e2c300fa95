public import Diagnostics
public import Identity
public import Signatures

/// Where counts live: payload digests, raw stacks, and the mapping from raw stacks to signatures (the two-level key).
///
/// Counts hang on raw stacks and never move; symbols, rules and demanglers change only the mapping. Engines are
/// interchangeable and pass the same conformance tests. One value is one connection, used by one task at a time.
public protocol SignatureStore {
  /// Records a batch in one transaction: all of it or nothing. Payloads that are there already change nothing.
  func record(_ batch: Batch) throws(SignatureStoreError) -> RecordOutcome

  /// Says anew what raw stacks mean, in one transaction: `body` hands them to `map`, a part after the other. Unknown keys are
  /// passed over. Where an id changes, an alias stays behind; a signature that takes over all raw stacks of another continues
  /// its cluster. What becomes of ids is a function of all that was handed over, not of the parts.
  func remap(
    _ body: (_ map: ([ContentDigest: Derivation]) throws(SignatureStoreError) -> Void) throws(SignatureStoreError) ->
      Void
  ) throws(SignatureStoreError) -> RemapOutcome

  /// Runs `body`, which says anew what raw stacks mean and what belongs together, as one transaction: all that it writes is kept,
  /// or nothing when it fails, or when `isDryRun` says so. Tells what is other than before.
  func changing(
    isDryRun: Bool, _ body: () throws(SignatureStoreError) -> RemapOutcome
  ) throws(SignatureStoreError) -> StoreChanges

  /// Takes back which signatures belong together by themselves: each is a cluster of its own again, and none was judged. What
  /// people decided stays.
  func foundAnew() throws(SignatureStoreError)

  /// Lets each id that has no raw stacks any more follow what it became, and with it what people said of it as a cluster.
  func settleFormerSignatures() throws(SignatureStoreError)

  /// Which of `payloads` are recorded already.
  func known(payloads: [ContentDigest]) throws(SignatureStoreError) -> Set<ContentDigest>

  /// Which of the raw stacks `keys` have a signature already, so that they need not be resolved again.
  func known(rawStacks keys: [ContentDigest]) throws(SignatureStoreError) -> Set<ContentDigest>

  /// The images without symbols that diagnostics wait for: most diagnostics first, then by identifier.
  func missingImages() throws(SignatureStoreError) -> [MissingImage]

  /// The same with who waits, of the builds with this number or of all.
  func waitingImages(ofBuild build: String?) throws(SignatureStoreError) -> [WaitingImage]

  /// When a diagnostic of each of the raw stacks `keys` was seen last; without those of which no time is known.
  func lastSeen(_ keys: [ContentDigest]) throws(SignatureStoreError) -> [ContentDigest: PointInTime]

  /// The revision of each image's symbols that the mapping was derived with, as far as there were any.
  func symbolRevisions() throws(SignatureStoreError) -> [DebugID: ContentDigest]

  /// Notes which symbols the mapping is derived with; images not named keep what was noted.
  func note(symbolRevisions: [DebugID: ContentDigest]) throws(SignatureStoreError)

  /// Forgets by which symbols the mapping was derived, since all of it is derived anew.
  func forgetSymbolRevisions() throws(SignatureStoreError)

  /// The raw stacks with these keys, in their order; unknown keys are passed over.
  func rawStacks(_ keys: [ContentDigest]) throws(SignatureStoreError) -> [StoredRawStack]

  /// At most `limit` of the selected raw stacks that follow the one with `key`, in an order that holds still: for deriving them
  /// anew, a page at a time. All are sorted by key, but for those that wait.
  func rawStacks(
    _ selection: StackSelection, after key: ContentDigest?, limit: Int
  ) throws(SignatureStoreError) -> [StoredRawStack]

  /// The digest of the rules that the store knows under a name and version; `nil` when it knows none.
  func rules(version: String) throws(SignatureStoreError) -> ContentDigest?

  /// Remembers which rules go by a name and version; what is known already stays.
  func note(rules digest: ContentDigest, version: String) throws(SignatureStoreError)

  /// How many diagnostics have each of the raw stacks `keys`; unknown keys are left out.
  func diagnosticCounts(_ keys: [ContentDigest]) throws(SignatureStoreError) -> [ContentDigest: Int]

  /// The diagnostics of at most `limit` payloads whose digests follow `payload`, sorted by payload and position: for reading
  /// all of them, a page at a time. A page that is empty is the last; one payload is never cut.
  func diagnostics(after payload: ContentDigest?, limit: Int) throws(SignatureStoreError) -> [StoredDiagnostic]

  /// The raw stacks of `cluster`, each with its signature and its diagnostics, sorted by key; none for an unknown cluster.
  func rawStacks(ofCluster cluster: String) throws(SignatureStoreError) -> [ClusterStack]

  /// Where the diagnostics of `payloads` ended up, sorted by payload and position.
  func assignments(of payloads: [ContentDigest]) throws(SignatureStoreError) -> [Assignment]

  /// The live signatures that `id` leads to: itself, or what its aliases end in, sorted; empty for an unknown id.
  func resolve(signature id: String) throws(SignatureStoreError) -> [String]

  /// The live signatures that were never judged, by id.
  func unjudgedSignatures() throws(SignatureStoreError) -> [UnjudgedSignature]

  /// The live signatures that were judged and can be compared with others, by id, with the clusters they are shown in.
  func judgedSignatures() throws(SignatureStoreError) -> [JudgedSignature]

  /// Records judgements and suggestions in one transaction. A signature that was judged before, or whose cluster was decided
  /// otherwise, keeps what it has.
  func record(_ verdict: Verdict) throws(SignatureStoreError)

  /// How `signature` was judged; `nil` when it was not.
  func judgement(of signature: String) throws(SignatureStoreError) -> Judgement?

  /// The aliases that lead from `id` to live signatures, each once: those nearer to `id` first, then by id.
  func aliases(from id: String) throws(SignatureStoreError) -> [SignatureAlias]

  /// What is known of a signature, live or not; `nil` for an unknown id.
  func entry(ofSignature id: String) throws(SignatureStoreError) -> SignatureEntry?

  /// The raw stack that stands for `signature`: the one with the most diagnostics, of equal ones the least key; `nil` when it has
  /// none now.
  func example(ofSignature id: String) throws(SignatureStoreError) -> ClusterStack?

  /// Other clusters that may be one problem with `cluster`, most similar first, then by id.
  func suggestedMerges(ofCluster cluster: String) throws(SignatureStoreError) -> [SimilarCluster]

  /// At most `limit` recorded payloads whose digests begin with the hex digits `prefix`, sorted; none when these are no hex digits.
  func payloads(beginningWith prefix: String, limit: Int) throws(SignatureStoreError) -> [ContentDigest]

  /// How the stack of a diagnostic was chosen when it came; `nil` for an unknown one. Which one it was is not kept: its `stack` is
  /// `nil`.
  func attribution(ofDiagnostic ordinal: Int, in payload: ContentDigest) throws(SignatureStoreError) -> Attribution?

  /// Makes a fact of `decision`, in one transaction, and shows the clusters accordingly. What counts by itself is not moved:
  /// with the fact taken back everything is as if it had not been.
  func record(_ decision: Decision) throws(SignatureStoreError) -> FactOutcome

  /// What people decided, in order, with where the signatures are now that it is about.
  func facts() throws(SignatureStoreError) -> [Fact]

  /// The signatures of which a fact says where they belong, with the clusters they are shown in.
  func pins() throws(SignatureStoreError) -> [String: String]

  /// Counts, clusters and missing images, with days of `calendar`. Cost: one pass over the recorded diagnostics.
  func report(calendar: ReportingCalendar) throws(SignatureStoreError) -> StoreReport

  /// What was accepted of one app, cell by cell, in payloads of one generation, with days of `calendar`: what builds are compared
  /// by. Cost: one pass over the recorded diagnostics.
  func health(
    app: String, generation: PayloadGeneration, calendar: ReportingCalendar
  ) throws(SignatureStoreError) -> HealthTable

  /// The apps of which diagnostics were recorded, sorted.
  func apps() throws(SignatureStoreError) -> [String]

  /// Checks every invariant of the store; the findings in words, none when all is well. Cost: a pass over the store.
  func verify() throws(SignatureStoreError) -> [String]
}

/// Which raw stacks are asked for.
public enum StackSelection: Sendable, Hashable {
  /// All of them.
  case all
  /// Those whose mapping was not derived by the rules with this digest.
  case notDerivedBy(ContentDigest)
  /// Those with frames in this image, whose symbols were missing.
  case waitingFor(DebugID)
  /// Those that diagnostics of this build have, of whichever app and version.
  case ofBuild(String)
  /// Those that have this signature now.
  case ofSignature(String)
}

extension SignatureStore {
  /// Says anew what the raw stacks of `derivations` mean, in one transaction.
  public func remap(_ derivations: [ContentDigest: Derivation]) throws(SignatureStoreError) -> RemapOutcome {
    try remap { (map) throws(SignatureStoreError) in try map(derivations) }
  }

  /// Counts, clusters and missing images, with days in UTC.
  public func report() throws(SignatureStoreError) -> StoreReport { try report(calendar: .utc) }
}
