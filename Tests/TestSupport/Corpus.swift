import Glibc

/// The shared corpus of real files, which is not part of the project (its licences differ).
///
/// `SYMCLUST_CORPUS` names it; the default is `../shared/corpus` beside the checkout. Tests that need it are skipped,
/// with a message that says so, where it is absent.
public enum Corpus {
  /// The corpus folder, or `nil` when it is not on this machine.
  public static let root: String? = {
    let named = getenv("SYMCLUST_CORPUS").map { String(cString: $0) }
    let path = named ?? repository + "/../shared/corpus"
    return access(path + "/README.md", R_OK) == 0 ? path : nil
  }()

  /// Whether the corpus is here.
  public static var isPresent: Bool { root != nil }

  /// Why a test was skipped.
  public static let absence: String = "the shared corpus is absent (set SYMCLUST_CORPUS)"

  /// The path of one corpus file.
  public static func path(_ name: String) -> String { (root ?? "/absent") + "/" + name }

  /// The root folder of this checkout.
  public static let repository: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()
}
