/// How a linker's name spells a function.
public enum NameLanguage: String, Sendable, Hashable, CaseIterable {
  /// Swift, also Embedded Swift.
  case swift
  /// C++ by the Itanium ABI.
  case cxx
  /// Rust, legacy or v0.
  case rust
  /// An Objective-C method or block.
  case objectiveC = "objc"
  /// C, assembler, or anything that is not mangled.
  case plain
}

/// One linker name in readable form, with what it tells about the function.
public struct DemangledName: Sendable, Hashable {
  /// What the demangler made of the name.
  public enum Outcome: String, Sendable, Hashable {
    /// The name is not mangled: one of C, one that a report has in words, or none that is known.
    case plain
    /// The name was demangled.
    case demangled
    /// The name looks mangled and could not be demangled, or its text would be longer than the limit. It is kept mangled.
    case failed
    /// The name is longer than `Demangler.lengthLimit`. It is kept, cut, and not demangled.
    case tooLong
  }

  /// A short form to show: types, member and argument labels; no modules, no argument types.
  public var display: String
  /// The normal form that may enter a signature, without the image: module, types, member and argument labels; no
  /// argument types, generic arguments, private discriminators, ordinals, specialisations or compiler suffixes.
  public var token: String
  /// What kind of code it is.
  public var traits: FunctionTraits
  /// The language of the spelling.
  public var language: NameLanguage
  /// What the demangler made of the name.
  public var outcome: Outcome

  /// Whether the name was demangled.
  public var isDemangled: Bool { outcome == .demangled }

  /// A name with these parts.
  public init(
    display: String, token: String, traits: FunctionTraits = [], language: NameLanguage = .plain,
    outcome: Outcome = .plain
  ) {
    self.display = display
    self.token = token
    self.traits = traits
    self.language = language
    self.outcome = outcome
  }
}
