internal import Bytes
internal import Compression
public import Files
public import Identity

/// Where payload bytes lie in a store.
public enum RawTier {
  /// The file of one payload, compressed.
  public static func name(_ digest: ContentDigest) -> String { "raw/\(digest.hex.prefix(2))/\(digest.hex).zst" }

  /// The largest payload that is read back, in bytes.
  private static let maximumSize = 16 << 30

  /// The payloads that are kept, sorted, each held against its digest. A damaged file goes to `onDamage`, and is left out.
  ///
  /// Cost: decompressing and hashing all of them.
  public static func payloads(
    in directory: StoreDirectory, onDamage: (StoreError) -> Void
  ) throws(StoreError) -> [ContentDigest] {
    var payloads: [ContentDigest] = []
    for folder in try directory.list("raw") {
      for file in try directory.list("raw/\(folder)") {
        let path = directory.path("raw/\(folder)/\(file)")
        guard let digest = ContentDigest(hex: String(file.prefix { $0 != "." })),
          let compressed = try directory.read("raw/\(folder)/\(file)"), name(digest) == "raw/\(folder)/\(file)"
        else {
          onDamage(StoreError(.damaged, path, "this is no kept payload"))
          continue
        }
        do throws(CompressionError) {
          let bytes = try Zstd.decompress(compressed, limit: OutputLimit(bytes: maximumSize, ratio: .max))
          if ContentDigest(of: bytes) == digest {
            payloads.append(digest)
          } else {
            onDamage(StoreError(.damaged, path, "its bytes are not those it is named after"))
          }
        } catch {
          onDamage(StoreError(.damaged, path, "\(error)"))
        }
      }
    }
    return payloads
  }
}
