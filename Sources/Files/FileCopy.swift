public import Bytes
internal import Glibc
public import Identity

/// A copy of a file of the user's, which nobody else changes; it goes away with this value.
///
/// What is mapped must not become shorter meanwhile, and what was looked at twice must not have changed: a release
/// script may well write the next build over a file that is being uploaded.
public struct FileCopy: ~Copyable {
  /// Where the copy lies.
  public let path: String
  /// The bytes of the copy, mapped. They stay when the copy has gone away.
  public let bytes: ByteView
  /// Whether the original changed while it was copied: somebody is still writing it, and the copy may be no state that
  /// it ever had.
  public let hasChanged: Bool
  /// The digest of the bytes, when they were copied here: it is made on the way.
  public let digest: ContentDigest?

  /// Copies the regular file `original` into the folder `folder`. Cost: one pass over its bytes; holes stay holes.
  ///
  /// What is wrong with the original has its path, also when it is too large to be mapped: its copy is as large.
  public init(of original: String, in folder: String) throws(FileError) {
    try self.init(of: original, in: folder) {}
  }

  /// The same; `meanwhile` is called once the bytes are copied and before it is seen whether they changed.
  init(of original: String, in folder: String, meanwhile: () -> Void) throws(FileError) {
    let path = Self.newPath(in: folder)
    do throws(FileError) {
      let file = try OriginalFile(original)
      let digest = try Self.copy(file, to: path)
      meanwhile()
      let hasChanged = try file.hasChanged()
      bytes = try Self.mapping(path, of: original)
      (self.path, self.hasChanged, self.digest) = (path, hasChanged, digest)
    } catch {
      PathName.unlink(path)
      throw error
    }
  }

  /// Takes over the file at `path`, which only this program knows: it goes away with this value.
  public init(taking path: String) throws(FileError) {
    do throws(FileError) {
      bytes = try ByteView.mapping(path: path)
      (self.path, hasChanged, digest) = (path, false, nil)
    } catch {
      PathName.unlink(path)
      throw error
    }
  }

  deinit { PathName.unlink(path) }

  private static func mapping(_ path: String, of original: String) throws(FileError) -> ByteView {
    do throws(FileError) {
      return try ByteView.mapping(path: path)
    } catch {
      throw error.errno == ENOMEM ? FileError(path: original, step: error.step, errno: ENOMEM) : error
    }
  }

  /// A path in `folder` that nobody uses.
  public static func newPath(in folder: String) -> String {
    "\(folder)/\(StoreDirectory.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max).hex)"
  }

  /// Copies, and tells the digest of what was copied.
  private static func copy(_ original: borrowing OriginalFile, to path: String) throws(FileError) -> ContentDigest {
    let target = PathName.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw FileError(path: path, step: "create") }
    defer { close(target) }
    guard ftruncate(target, off_t(original.byteCount)) == 0 else { throw FileError(path: path, step: "write") }
    var digest = DigestStream()
    try original.read(0..<original.byteCount) { (part, isHole, position) throws(FileError) in
      digest.add(part)
      if isHole { return }
      var done = 0
      while done < part.count {
        let written = pwrite(target, part.baseAddress.map { $0 + done }, part.count - done, off_t(position + done))
        if written < 0, errno != EINTR { throw FileError(path: path, step: "write") }
        done += max(0, written)
      }
    }
    return digest.finish()
  }
}
