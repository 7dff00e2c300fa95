internal import Bytes
public import Files
internal import Identity
internal import SymbolIndex

/// Something about a store that is not as it must be.
public struct StoreFinding: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    /// Something is lost or wrong.
    case damage
    /// Something lies about that nothing needs.
    case leftover
  }

  /// How bad it is.
  public var severity: Severity
  /// The file, or what it concerns.
  public var place: String
  /// What is wrong.
  public var problem: String
  /// What to do.
  public var advice: String

  /// A finding with these parts.
  public init(_ severity: Severity, _ place: String, _ problem: String, advice: String) {
    self.severity = severity
    self.place = place
    self.problem = problem
    self.advice = advice
  }
}

extension SymbolStore {
  /// Looks at every file: manifests, records, retained files against their digests, indexes against their checksums, and
  /// that each names only what is there. Nothing is changed.
  ///
  /// Cost: decompressing and hashing everything that is retained.
  public func audit() throws(StoreError) -> [StoreFinding] {
    var findings: [StoreFinding] = []
    func damaged(_ error: StoreError, _ advice: String) {
      findings.append(StoreFinding(.damage, error.path, error.detail, advice: advice))
    }
    let records = try records {
      damaged($0, "remove the file and upload the symbols again")
    }
    let manifests = try manifests {
      damaged($0, "remove the file and upload the build again")
    }
    do throws(StoreError) { _ = try pins() } catch { damaged(error, "remove the file and pin again") }
    let retained = Set(records.map(\.debugID))
    for manifest in manifests {
      for image in manifest.images where !retained.contains(image.debugID) {
        let build = manifest.build
        findings.append(
          StoreFinding(
            .damage, directory.path(recordName(image.debugID)),
            "\(image.name) \(image.debugID) belongs to \(build.app) \(build.version) (\(build.build)), and nothing of it is "
              + "retained any more", advice: "upload the symbols of the build again"))
      }
    }
    for record in records {
      for digest in digests(of: record) {
        do throws(StoreError) { try check(digest) } catch {
          damaged(error, "upload the symbols of \(record.name) \(record.debugID) again")
        }
      }
      do throws(StoreError) { try checkIndex(of: record.debugID) } catch {
        damaged(error, "look it up once, or upload the symbols of \(record.name) again: it is built anew")
      }
    }
    for name in try orphans(records) {
      findings.append(
        StoreFinding(
          .leftover, directory.path(name), "no image needs it; an interrupted run left it", advice: "run 'symbols gc'"))
    }
    for name in try directory.list("tmp") {
      findings.append(
        StoreFinding(
          .leftover, directory.path("tmp/\(name)"), "a file of a run that is not over, or was interrupted",
          advice: "the next run that changes the store removes it, if it is ours"))
    }
    return findings
  }

  private func check(_ digest: ContentDigest) throws(StoreError) { _ = try retained(digest) }

  private func checkIndex(of id: DebugID) throws(StoreError) {
    if let index = try openIndex(of: id).get() {
      guard (try? index.summary()) != nil else {
        throw StoreError(.damaged, directory.path(indexName(id)), "it does not say what it holds")
      }
      return
    }
    throw StoreError(.damaged, directory.path(indexName(id)), "the index is missing")
  }
}
