internal import Demangling
internal import Diagnostics
internal import SymbolIndex
internal import Symbolication

extension Resolution {
  /// The resolution, or what the report itself said when no retained symbols name the frame.
  ///
  /// Retained symbols come first: they are of this very build and tell inlined calls; a report says what somebody's tool
  /// made of it.
  func completed(by symbol: ReportedSymbol?) -> Resolution {
    guard status != .resolved, let symbol else { return self }
    return Resolution(status: .reported, frames: [Frame(symbol)])
  }
}

extension Frame {
  /// A frame with the name that a report gave it, which may be mangled or spelled for people.
  init(_ symbol: ReportedSymbol) {
    let name = Demangler().demangle(symbol.function)
    self.init(
      function: name.display, mangled: name.isDemangled ? symbol.function : nil, token: name.token, file: symbol.file,
      line: symbol.line, source: .report, traits: name.traits)
  }
}
