extension Demangler {
  /// The readable form, token and traits of a name as a report spells it: mangled, or in words, as a demangler, a debugger
  /// or a person wrote it.
  ///
  /// A name in words gets the token that the mangled name of the function gets, as far as the words tell: parameters,
  /// template arguments, result types, ordinals and hashes are gone. The language is told by the spelling alone, so that
  /// a name has one token wherever it stands; words of no language that is known here stay as they are. What words do not
  /// tell: the module of a Swift name in its short form, and whether `work()` is Swift's; it is taken for C++.
  ///
  /// Never fails; the outcome of a name in words is `plain`. Cost: linear in the name.
  public func demangle(reported name: String) -> DemangledName {
    guard name.utf8.count <= Demangler.lengthLimit, !Demangler.isForLinkers(name) else { return demangle(name) }
    let suffix = NameSuffix(splitting: name, inWords: true)
    var result = inWords(suffix.base)
    result.traits.formUnion(suffix.traits)
    return result
  }

  /// Whether the name is spelled for linkers, or is no name of a function.
  private static func isForLinkers(_ name: String) -> Bool {
    swiftSpelling(name[...]) != nil || isCxx(name[...]) || name.hasPrefix("_R") || name.hasPrefix("\u{1}")
      || name.hasPrefix("Swift runtime failure: ") || name.utf8.contains(0)
  }

  private func inWords(_ text: Substring) -> DemangledName {
    for prefix in ["block in ", "invocation function for block in "] where text.hasPrefix(prefix) {
      var name = written(text.dropFirst(prefix.count))
      name.display = "block in " + name.display
      name.token = "block in " + name.token
      name.traits.insert(.closure)
      return name
    }
    return written(text)
  }

  private func written(_ text: Substring) -> DemangledName {
    if BlockName(text) != nil || text.utf8.allSatisfy(isIdentifier) { return named(text, nil) }
    if let rust = RustName(words: text) {
      return DemangledName(display: rust.display, token: rust.token, traits: rust.traits, language: .rust)
    }
    if let swift = SwiftName(words: text) {
      return DemangledName(display: swift.display, token: swift.token, traits: swift.traits, language: .swift)
    }
    if let cxx = CxxName(words: text) {
      return DemangledName(display: cxx.display, token: cxx.token, traits: cxx.traits, language: .cxx)
    }
    return DemangledName(display: String(text), token: String(text))
  }
}
