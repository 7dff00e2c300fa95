/// The dSYMs of the sample app, which every checkout has.
public enum SampleSymbols {
  /// One DWARF file.
  public struct File: Sendable, Hashable, CustomTestName {
    /// For a test report, for example `1.0-101/Lumen`.
    public var name: String
    /// Where it is.
    public var path: String
  }

  /// All of them: three builds of an app and of its framework.
  public static let all: [File] = ["1.0-101", "1.1-112", "1.2-120"].flatMap { build in
    [("Lumen.app", "Lumen"), ("LumenKit.framework", "LumenKit")].map { bundle, name in
      File(
        name: "\(build)/\(name)",
        path: "\(Corpus.repository)/symbols/\(build)/\(bundle).dSYM/Contents/Resources/DWARF/\(name)")
    }
  }

  /// The smallest one: the framework of build 120.
  public static let small = all[5]
  /// The richest one: the app of build 101.
  public static let rich = all[0]
}
