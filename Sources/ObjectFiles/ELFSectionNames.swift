internal import Bytes

/// The names of an ELF file's sections, each text made once however many sections share it.
struct ELFSectionNames {
  /// A section's name, and what its DWARF section is called.
  struct Name {
    var text = ""
    /// The usual name of a DWARF section, `nil` for any other.
    var dwarf: String?
    /// Whether it is named as GNU tools name compressed ones.
    var isGnuZlib = false
  }

  /// The longest name, in bytes; what is longer is cut: nothing that is looked for has such a name.
  private static let maximumLength = 256

  private let table: ByteView
  private var known: [UInt32: Name] = [:]
  /// How many more bytes the names may have together: names may overlap, so that few bytes hold many of them.
  private var budget: Int

  /// The names in `table`, the section of names.
  init(_ table: ByteView) {
    self.table = table
    budget = CodeSymbol.nameBudget(table)
  }

  /// The name at `offset` of the table; empty where there is none.
  mutating func name(at offset: UInt32) -> Name {
    if let name = known[offset] { return name }
    guard budget > 0, let rest = table.suffix(from: UInt64(offset)) else { return Name() }
    let window = rest.slice(at: 0, count: UInt64(min(rest.count, Self.maximumLength))) ?? .empty
    let length = window.withBytes { $0.firstIndex(of: 0) }
    // At the end of the table a text must have its zero.
    guard length != nil || rest.count > window.count else { return Name() }
    var name = Name(text: (window.slice(at: 0, count: UInt64(length ?? window.count)) ?? .empty).text)
    budget -= name.text.utf8.count + 1
    name.isGnuZlib = name.text.hasPrefix(".zdebug")
    if name.isGnuZlib {
      name.dwarf = "." + name.text.dropFirst(2)
    } else if name.text.hasPrefix(".debug_") {
      name.dwarf = name.text
    }
    known[offset] = name
    return name
  }
}
