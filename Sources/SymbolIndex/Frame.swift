public import Demangling

/// Where a frame's name came from.
public enum FrameSource: String, Sendable, Hashable, CaseIterable {
  /// Debug information.
  case dwarf
  /// The symbol table.
  case symbolTable = "symtab"
  /// The export trie of a Mach-O file.
  case exportTrie = "export"
  /// A stub named by its indirect symbol.
  case stub
  /// The report that brought the frame; no index has such names.
  case report
}

/// One resolved call: function, file, line, column, and whether it is inlined.
public struct Frame: Sendable, Hashable {
  /// The name to show.
  public var function: String
  /// The name as the linker knows it, without a Mach-O underscore; `nil` when there is none.
  public var mangled: String?
  /// The normal form of the name that may enter a signature, without the image; where several functions share the
  /// code, one for all of them.
  public var token: String
  /// The source file as the debug information names it; `nil` when unknown.
  public var file: String?
  /// The line, from 1; `nil` when there is none.
  public var line: UInt32?
  /// The column, from 1; `nil` when there is none.
  public var column: UInt32?
  /// Whether this call was inlined into the next frame.
  public var isInlined: Bool
  /// Whether the line is the nearest known one and not that of the address.
  public var isApproximate: Bool
  /// Where the name came from.
  public var source: FrameSource
  /// What kind of code it is.
  public var traits: FunctionTraits
  /// The linker's names of other functions that share this code, at most eight; it may be any of them.
  public var aliases: [String] = []

  /// A frame with the given parts.
  public init(
    function: String, mangled: String? = nil, token: String? = nil, file: String? = nil, line: UInt32? = nil,
    column: UInt32? = nil, isInlined: Bool = false, isApproximate: Bool = false, source: FrameSource = .dwarf,
    traits: FunctionTraits = []
  ) {
    self.function = function
    self.mangled = mangled
    self.token = token ?? function
    self.file = file
    self.line = line
    self.column = column
    self.isInlined = isInlined
    self.isApproximate = isApproximate
    self.source = source
    self.traits = traits
  }
}
