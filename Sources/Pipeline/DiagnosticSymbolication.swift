internal import Bytes
public import Diagnostics
internal import Files
internal import Identity
public import Symbolication

/// One diagnostic with the resolution of every frame of every stack.
public struct SymbolicatedDiagnostic: Sendable {
  /// The diagnostic.
  public var diagnostic: Diagnostic
  /// For each stack the resolution of each of its frames, in their order.
  public var resolutions: [[Resolution]]
}

extension Symbolicator {
  /// Resolves every frame of some diagnostics, images shared between them once.
  public func resolve(_ diagnostics: [Diagnostic]) -> [SymbolicatedDiagnostic] {
    var locations: [CodeLocation] = []
    var callees: [Int?] = []
    for diagnostic in diagnostics {
      for stack in diagnostic.stacks {
        let exact = stack.exactFrames
        let first = locations.count
        for (index, frame) in stack.frames.enumerated() {
          let image = Int(frame.image)
          locations.append(
            CodeLocation(
              image: diagnostic.images.indices.contains(image) ? diagnostic.images[image].debugID : nil,
              offset: frame.offset, isReturnAddress: !exact[index]))
          // Signals are met in crashes only, and those come innermost first.
          callees.append(stack.order == .innermostFirst && frame.parent >= 0 ? first + Int(frame.parent) : nil)
        }
      }
    }
    var rest = resolve(locations, callees: callees)[...]
    return diagnostics.map { diagnostic in
      let resolutions = diagnostic.stacks.map { stack in
        defer { rest = rest.dropFirst(stack.frames.count) }
        var found = Array(rest.prefix(stack.frames.count))
        if !diagnostic.symbols.isEmpty, stack.order == .innermostFirst, stack.isLinear {
          found = found.shared(
            among: stack.frames.map { ReportedPlace(image: $0.image, offset: $0.offset, symbol: $0.symbol) })
        }
        return zip(stack.frames, found).map { frame, resolution in
          let symbol = Int(frame.symbol)
          return resolution.completed(
            by: diagnostic.symbols.indices.contains(symbol) ? diagnostic.symbols[symbol] : nil)
        }
      }
      return SymbolicatedDiagnostic(diagnostic: diagnostic, resolutions: resolutions)
    }
  }
}

extension CallStack {
  /// For each frame whether its address is where execution was. Every other frame's is that of the instruction after
  /// a call: roots are exact where the innermost frame comes first, leaves where it comes last. A frame that repeats
  /// the innermost one is the same place.
  public var exactFrames: [Bool] {
    switch order {
    case .innermostFirst:
      return frames.indices.map { index in
        frames[index].parent < 0 || (index == 1 && frames[1].isSamePlace(as: frames[0]))
      }
    case .outermostFirst:
      var isLeaf = [Bool](repeating: true, count: frames.count)
      for frame in frames where frame.parent >= 0 && Int(frame.parent) < isLeaf.count {
        isLeaf[Int(frame.parent)] = false
      }
      return isLeaf
    }
  }
}

/// Reads documents one after another, without recording anything.
public struct DiagnosticReader {
  private let reader: PayloadReader
  private let source: InputSource

  /// A reader within these limits.
  public init(limits: ReadingLimits = ReadingLimits()) {
    reader = PayloadReader(limits: limits)
    source = InputSource(limits: limits)
  }

  /// Calls `visit` for each payload below `paths`, and `reject` for everything that is none.
  public func read<E: Error>(
    _ paths: [String], reject: (RejectedItem) -> Void, visit: (SourceDocument, Payload) throws(E) -> Void
  ) throws(E) {
    var other = 0
    try source.documents(paths, other: &other, reject: reject) { document throws(E) in
      func rejected(_ reason: String, _ message: String) {
        reject(RejectedItem(path: document.path, line: document.line, reason: reason, message: message))
      }
      let opened = document.opened(limits: reader.limits)
      let payload: Payload
      do throws(PayloadRefusal) {
        payload = try opened.payload(reader)
      } catch {
        return rejected(error.reason.rawValue, error.description)
      }
      if payload.format == .metricPayload {
        return rejected(payload.format.rawValue, "a metric payload holds no diagnostics")
      }
      try visit(opened, payload)
    }
  }
}
