import Bytes
import CommandLine
import Diagnostics
import Identity
import Pipeline
import SymbolIndex
import Symbolication

/// A symbolicated diagnostic as text, laid out like Apple's crash reports: aligned, one line for each frame, inlined
/// calls on lines of their own.
struct StackText {
  private let symbolicated: SymbolicatedDiagnostic
  private var diagnostic: Diagnostic { symbolicated.diagnostic }
  private let nameWidth: Int

  init(_ symbolicated: SymbolicatedDiagnostic) {
    self.symbolicated = symbolicated
    nameWidth = symbolicated.diagnostic.images.map { visible($0.shownName).displayWidth }.max() ?? 3
  }

  var text: String {
    var text = heading
    for number in diagnostic.stacks.indices { text += "\n" + self.text(ofStack: number) }
    return text + images + "\n"
  }

  private var heading: String {
    let metadata = diagnostic.metadata
    var parts = [diagnostic.kind.rawValue]
    parts += [metadata.bundleIdentifier, metadata.appVersion, metadata.appBuildVersion.map { "(\($0))" }]
      .compactMap { $0 }
    parts += [metadata.osVersion, metadata.deviceType].compactMap { $0 }
    var text = visible("Diagnostic \(diagnostic.ordinal): \(parts.joined(separator: "  "))") + "\n"
    let facts: [(String, String?)] = [
      ("Exception type", metadata.exceptionType.map { String($0) }),
      ("Exception code", metadata.exceptionCode.map { $0.hex }), ("Signal", metadata.signal.map { String($0) }),
      ("Exception", metadata.exceptionReason?.text), ("Termination", metadata.terminationReason),
      ("Termination category", metadata.terminationCategory),
      ("Memory region", metadata.virtualMemoryRegionInfo?.firstLine),
      ("Time", metadata.interval),
      ("Hang", metadata.hangDuration),
      ("CPU time", metadata.totalCPUTime), ("Written", metadata.writesCaused), ("Launch", metadata.launchDuration),
    ]
    for case (let name, let value?) in facts { text += "\(name): \(visible(value))\n" }
    let context = diagnostic.context
    if !context.states.isEmpty {
      text += "States: " + context.states.map { visible("\($0.domain): \($0.label)") }.joined(separator: ", ") + "\n"
    }
    if !context.signposts.isEmpty {
      text += "Signposts: " + context.signposts.map { visible($0) }.joined(separator: ", ") + "\n"
    }
    return text
  }

  /// The images by their identifiers, and which of them have no symbols here: what to upload.
  private var images: String {
    guard !diagnostic.images.isEmpty else { return "" }
    var missing = Set<Int>()
    for (stack, resolutions) in zip(diagnostic.stacks, symbolicated.resolutions) {
      for (frame, resolution) in zip(stack.frames, resolutions)
      where resolution.status == .missingImage || resolution.status == .reported { missing.insert(Int(frame.image)) }
    }
    var text = "\nImages:\n"
    for (index, image) in diagnostic.images.enumerated() {
      text +=
        "  " + pad(visible(image.name ?? "???"), nameWidth) + "  " + (image.debugID?.description ?? "no identifier")
      text += missing.contains(index) && image.debugID != nil ? "  no symbols\n" : "\n"
    }
    return text
  }

  private func text(ofStack number: Int) -> String {
    let stack = diagnostic.stacks[number]
    let name = stack.name.map { visible(" \"\($0)\"") } ?? ""
    let mark = name + (stack.isAttributed == true ? " (attributed)" : "")
    guard !stack.frames.isEmpty else { return "Stack \(number)\(mark): no frames\n" }
    return "Stack \(number)\(mark):\n" + (stack.isLinear ? chain(number) : tree(number))
  }

  /// One call chain, innermost first.
  private func chain(_ number: Int) -> String {
    let stack = diagnostic.stacks[number]
    let order = stack.order == .innermostFirst ? Array(stack.frames.indices) : stack.frames.indices.reversed()
    let numberWidth = max(4, String(order.count).count + 1)
    var text = ""
    for (position, index) in order.enumerated() {
      let lines = lines(of: stack.frames[index], symbolicated.resolutions[number][index])
      for (depth, line) in lines.enumerated() {
        text += pad(depth == 0 ? String(position) : "", numberWidth) + prefix(stack.frames[index], depth) + line + "\n"
      }
    }
    return text
  }

  /// A tree of samples as it stands, indented, with the number of samples in front.
  private func tree(_ number: Int) -> String {
    let stack = diagnostic.stacks[number]
    var depths = [Int](repeating: 0, count: stack.frames.count)
    var text = ""
    for (index, frame) in stack.frames.enumerated() {
      if frame.parent >= 0 { depths[index] = depths[Int(frame.parent)] + 1 }
      let lines = lines(of: frame, symbolicated.resolutions[number][index])
      // Of a call chain that was inlined into one frame the outermost comes first, as everywhere in this tree.
      for (depth, line) in lines.reversed().enumerated() {
        let count = depth == 0 ? frame.sampleCount.map { String($0) } ?? "?" : ""
        text += pad(count, 7) + String(repeating: " ", count: min(depths[index], 60)) + line
        text += "  (\(visible(imageName(frame))))\n"
      }
    }
    return text
  }

  private func prefix(_ frame: RawFrame, _ depth: Int) -> String {
    let address = depth == 0 ? frame.address.map { paddedHex($0) } ?? "" : ""
    return pad(visible(imageName(frame)), nameWidth) + "  " + pad(address, 18) + "  "
  }

  /// The frames, innermost first; without any the image and the offset, as it has always been read.
  private func lines(of frame: RawFrame, _ resolution: Resolution) -> [String] {
    if !resolution.frames.isEmpty { return resolution.frames.lines }
    return [visible(frame.offset.map { "\(imageName(frame)) + \($0)" } ?? imageName(frame))]
  }

  private func imageName(_ frame: RawFrame) -> String {
    let index = Int(frame.image)
    return diagnostic.images.indices.contains(index) ? diagnostic.images[index].shownName : "???"
  }

  private func paddedHex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.displayWidth))
  }
}

extension DiagnosticMetadata {
  /// When it happened, as far as it says.
  fileprivate var interval: String? {
    // Reports of one moment have it as both.
    let end = timeStampEnd == timeStampBegin ? nil : timeStampEnd
    return [timeStampBegin, end].compactMap { $0 }.joined(separator: " to ").nonEmpty
  }
}

extension ExceptionReason {
  /// Name and message, as far as they are known.
  fileprivate var text: String? {
    [name ?? className ?? type, composedMessage ?? formatString].compactMap { $0 }.joined(separator: ": ").nonEmpty
  }
}

extension String {
  /// The first line; the others of a memory region are a map of what lies around it.
  fileprivate var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }

  /// The text; `nil` when it is empty.
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension ImageReference {
  /// The name, or the identifier of an image that came without one.
  fileprivate var shownName: String { name ?? debugID?.description ?? "???" }
}
