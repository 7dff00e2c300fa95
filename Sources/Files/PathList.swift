public import Bytes

/// A list of paths, as `find` prints them.
public enum PathList {
  /// The paths in `bytes`: separated by NUL bytes if there is one (`find -print0`), else one a line. Empty ones are passed
  /// over; nothing is quoted, so a line is a path with all its spaces.
  public static func paths(in bytes: ByteView) -> [String] {
    bytes.withBytes { raw in
      let separator: UInt8 = raw.contains(0) ? 0 : UInt8(ascii: "\n")
      return raw.split(separator: separator).map(PathName.text)
    }
  }
}
