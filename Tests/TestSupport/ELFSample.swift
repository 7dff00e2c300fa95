/// A small ELF program of ours with an identifier of our choice, compiled with debug information.
public struct ELFSample: Sendable {
  /// Why tests with it are skipped.
  public static let absence = "clang or binutils are absent (apt install clang-19 binutils)"
  /// Whether it can be made here.
  public static let canBeMade = Tool.llvm("clang") != nil && Tool.run("/usr/bin/objcopy", ["--version"]).code == 0

  /// Its identifier in hex.
  public let id: String
  /// The whole file.
  public let path: String
  /// The offset of `outer`, which calls `inner`, in hex.
  public let offset: String

  /// What the program is made of.
  private static let source = """
    int inner(int x) { return x * 3; }
    int outer(int x) { return inner(x) + 1; }
    int main(int c, char **v) { return outer(c); }
    """

  /// Makes one at `name` in `folder`; `nil` when that fails.
  public init?(_ folder: TemporaryFolder, _ name: String, id: String, dwarf: Int = 5) {
    guard let clang = Tool.llvm("clang") else { return nil }
    let source = folder.write(Array(Self.source.utf8), to: "source/sample.c")
    folder.makeFolders(above: name)
    path = folder.entry(name)
    self.id = id
    let made = Tool.run(clang, ["-gdwarf-\(dwarf)", "-O0", "-Wl,--build-id=0x\(id)", "-o", path, source])
    let symbols = Tool.run("/usr/bin/nm", [path])
    guard made.code == 0,
      let line = symbols.lines.first(where: { $0.hasSuffix(" T outer") }),
      let address = line.split(separator: " ").first, let value = UInt64(address, radix: 16)
    else { return nil }
    offset = String(value, radix: 16)
  }

  /// Its debug information alone, at `name` in `folder`.
  public func debugFile(_ folder: TemporaryFolder, _ name: String) -> String? {
    folder.makeFolders(above: name)
    let path = folder.entry(name)
    return Tool.run("/usr/bin/objcopy", ["--only-keep-debug", self.path, path]).code == 0 ? path : nil
  }

  /// Where a `.build-id` tree has its debug file.
  public var buildIDName: String { ".build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug" }

  /// A stack of it, as `cluster` reads it.
  public func stack(_ number: Int = 0) -> String {
    """
    {"schema":"symclust.stack/1","id":"e-\(number)","kind":"crash","app":"com.example.pier","build":"1",\
    "threads":[{"frames":[{"debug_id":"\(id)","offset":"0x\(offset)"}]}]}\n
    """
  }
}
