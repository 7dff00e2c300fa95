internal import Bytes
internal import Glibc

/// Patterns of paths, as a shell expands them. They reach a program when they were quoted, or stand in a configuration.
public enum PathPattern {
  /// The paths that exist and match `pattern`, sorted by bytes; `pattern` itself when it names something, is no pattern, or
  /// matches nothing. Names beginning with a dot match only a dot. Cost: one listing for each folder that can match.
  public static func expanded(_ pattern: String) -> [String] {
    guard pattern.utf8.contains(where: { [0x2a, 0x3f, 0x5b].contains($0) }), !PathName.exists(pattern) else {
      return [pattern]
    }
    var found = glob_t()
    defer { globfree(&found) }
    // Safety: `glob` fills `found` with `gl_pathc` C strings, which live until `globfree`.
    guard PathName.with(pattern, { glob($0, GLOB_NOSORT, nil, &found) }) == 0, let paths = found.gl_pathv else {
      return [pattern]
    }
    let names = (0..<Int(found.gl_pathc)).compactMap { paths[$0].map { PathName.text(cString: $0) } }
    return names.sorted(by: PathName.precedes)
  }

  /// Whether `name` matches `pattern` as a whole, as a shell would say; a name without wildcards is a pattern of itself.
  public static func matches(_ pattern: String, _ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}
