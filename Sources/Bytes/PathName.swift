public import Glibc

/// Names of files as text, without losing a byte.
///
/// To Linux a name is any bytes but NUL and slash. Most are UTF-8 and are that text. A byte that is none (an old archive's
/// Latin-1, say) stands in the text as one private-use character, U+10FF00 plus the byte, so that the file can be opened by
/// the text; where a name really has such a character, its bytes are written that way, too. Each name has one text.
public enum PathName {
  /// The text of a name or path. Cost: linear; one check when the bytes are UTF-8.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !mayHoldBytes(text) { return text }
    var text = ""
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      if let character = String(validating: rest.prefix(length), as: UTF8.self),
        let scalar = character.unicodeScalars.first,
        character.unicodeScalars.count == 1, byte(of: scalar) == nil
      {
        text.unicodeScalars.append(scalar)
        rest = rest.dropFirst(character.utf8.count)
      } else {
        if let scalar = Unicode.Scalar(firstScalar + UInt32(first)) { text.unicodeScalars.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The text of what a C string holds.
  public static func text(cString: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
  }

  /// The byte that a character of a name's text stands for; `nil` when it stands for itself.
  public static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    scalar.value >= firstScalar + 0x80 ? UInt8(truncatingIfNeeded: scalar.value) : nil
  }

  /// Whether one name stands before another: in the order of their bytes. Text alone will not do, for which two Unicode forms
  /// of a name are the same.
  public static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

  /// Calls `body` with the bytes of `path`, for the system.
  public static func with<R>(_ path: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
    guard mayHoldBytes(path) else { return path.withCString(body) }
    var bytes: [CChar] = []
    for scalar in path.unicodeScalars {
      if let byte = byte(of: scalar) {
        bytes.append(CChar(bitPattern: byte))
      } else {
        bytes += UTF8.encode(scalar).map { $0.map(CChar.init(bitPattern:)) } ?? []
      }
    }
    return (bytes + [0]).withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) } ?? path.withCString(body)
  }

  private static let firstScalar: UInt32 = 0x10_ff00

  /// The last plane's characters are the only ones of which UTF-8 begins with this byte.
  private static func mayHoldBytes(_ text: String) -> Bool { text.utf8.contains(0xf4) }
}

/// The system's calls that take a path, by its text (see `PathName`). Errors are in `errno`, as the system leaves them.
extension PathName {
  /// open(2).
  public static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    with(path) { Glibc.open($0, flags, mode) }
  }

  /// stat(2), or lstat(2) when links are not followed; `nil` when it fails.
  public static func status(_ path: String, followingLinks: Bool = true) -> stat? {
    var status = stat()
    return with(path) { followingLinks ? stat($0, &status) : lstat($0, &status) } == 0 ? status : nil
  }

  /// Whether access(2) finds something there.
  public static func exists(_ path: String) -> Bool { with(path) { access($0, F_OK) } == 0 }

  /// opendir(3).
  public static func openFolder(_ path: String) -> OpaquePointer? { with(path) { opendir($0) } }

  /// mkdir(2), for the owner alone.
  public static func makeFolder(_ path: String) -> Int32 { with(path) { mkdir($0, 0o700) } }

  /// unlink(2).
  @discardableResult
  public static func unlink(_ path: String) -> Int32 { with(path) { Glibc.unlink($0) } }

  /// rmdir(2).
  @discardableResult
  public static func removeFolder(_ path: String) -> Int32 { with(path) { rmdir($0) } }

  /// link(2): another name for a file.
  public static func link(_ old: String, _ new: String) -> Int32 {
    with(old) { old in with(new) { Glibc.link(old, $0) } }
  }

  /// realpath(3): the whole path, without links; `nil` when it leads nowhere.
  public static func real(_ path: String) -> String? {
    guard let found = with(path, { realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return text(cString: found)
  }

  /// rename(2).
  public static func rename(_ old: String, _ new: String) -> Int32 {
    with(old) { old in with(new) { Glibc.rename(old, $0) } }
  }
}
