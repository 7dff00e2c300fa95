import Bytes
import CommandLine
import Diagnostics
import Identity
import Pipeline
import SignatureStore
import Signatures

/// An explanation for people: what it is, then why, one decision after the other.
struct ExplanationText {
  /// Frames that are shown of a long stack.
  static let frameLimit = 40

  private let explanation: StackExplanation
  private let rules: Rules
  private let terminal: Terminal
  private let showsAll: Bool
  private var signature: Signature { explanation.signature }

  init(_ explanation: StackExplanation, rules: Rules, terminal: Terminal, showsAll: Bool) {
    self.explanation = explanation
    self.rules = rules
    self.terminal = terminal
    self.showsAll = showsAll
  }

  var text: String {
    [heading, aliases, thread, reason, frames, samples, quality, keys, cluster].filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  // MARK: Sections

  private var heading: String {
    var text = terminal.styled(visible(signature.title), .bold) + "\n"
    switch explanation.subject {
    case .signature(let id):
      text += line("signature \(id); its commonest stack, by the symbols and rules at hand")
    case .diagnostic(let payload, let ordinal): text += line("diagnostic \(ordinal) of payload \(payload.hex)")
    }
    if let recorded = explanation.recorded, recorded.id != signature.id {
      text += sentences([
        "The store counts it as \(recorded.id), by the symbols and rules of another run; the next run of 'cluster' gives it its new id."
      ])
    }
    return text
  }

  private var aliases: String {
    guard !explanation.aliases.isEmpty else { return "" }
    return title("Former ids")
      + explanation.aliases.map { line("\($0.old) -> \($0.new)") + sentences([$0.kind.sentence], indent: 4) }.joined()
  }

  private var thread: String {
    guard let attribution = explanation.attribution else { return "" }
    let number = attribution.stack.map { stack in
      ": stack \(stack)" + (explanation.stacks.map { " of \($0), counted from 0" } ?? "")
    }
    var text =
      title("Thread" + (number ?? "")) + sentences([attribution.basis.sentence, attribution.confidence.sentence])
    if let orientation = explanation.orientation {
      text += sentences([orientation.order.sentence, orientation.basis.sentence])
    }
    return text
  }

  private var reason: String {
    title("Reason: " + visible(signature.reason.description)) + sentences(explanation.reason.sentences)
  }

  private var frames: String {
    let all = explanation.frames
    guard !all.isEmpty else { return "" }
    let shown = Array(showsAll ? all[...] : all.prefix(ExplanationText.frameLimit))
    let width = shown.map { visible($0.frame.rule).displayWidth }.max() ?? 0
    var text = title("Frames, innermost first, with what decided; + takes part")
    var start = 0
    while start < shown.count {
      // Frames that read the same stand once, and under a run of one rule so does the sentence.
      let (line, isKept) = (frame(shown[start].frame, width), shown[start].frame.isKept)
      let end = shown[start...].firstIndex { frame($0.frame, width) != line } ?? shown.endIndex
      let times = end - start > 1 ? "  \(end - start) times" : ""
      text += terminal.styled(cut(line + times), isKept ? .green : .dim) + "\n"
      if end == shown.endIndex || shown[end].frame.rule != shown[start].frame.rule
        || shown[end].sentence != shown[start].sentence
      {
        text += why(shown[start])
      }
      start = end
    }
    if shown.count < all.count { text += line("… and \(grouped(all.count - shown.count)) more; see --all") }
    return text
  }

  private func frame(_ frame: SignatureFrame, _ width: Int) -> String {
    let rule = visible(frame.rule)
    var words = [frame.isKept ? "  +" : "  -", rule + String(repeating: " ", count: width - rule.displayWidth)]
    words.append(visible(frame.token))
    if frame.isSystem, let function = frame.function { words.append(visible(function)) }
    if let file = frame.file?.baseName { words.append(visible("(\(file)\(frame.line.map { ":\($0)" } ?? ""))")) }
    if frame.isInlined { words.append("[inlined]") }
    return words.joined(separator: " ")
  }

  private func why(_ explained: ExplainedFrame) -> String {
    sentences([explained.sentence], indent: 6) + (explained.line.map { line(visible($0), indent: 8) } ?? "")
  }

  private var samples: String {
    guard let sentence = explanation.samplesSentence else { return "" }
    var text = title("Samples") + sentences([sentence])
    let threshold = percent(explanation.threshold)
    text += line(
      signature.dominance.map { "\(percent($0)) of the samples; it takes \(threshold)" } ?? "it takes \(threshold)")
    if !signature.paths.isEmpty { text += line("heaviest paths, innermost first:") }
    for path in signature.paths {
      text += cut("    \(percent(path.share))  \(visible(path.tokens.joined(separator: " < ")))") + "\n"
    }
    return text
  }

  private var quality: String {
    var text = title("Quality: " + signature.quality.rawValue) + sentences([explanation.qualityCause.sentence])
    guard let sentence = explanation.provisionalSentence else { return text }
    text += title("Provisional") + sentences([sentence])
    for image in explanation.waiting where rules.isApp(ImageReference(debugID: image.debugID, name: image.name)) {
      let frames = image.frames == 1 ? "frame waits" : "frames wait"
      text += line(
        "\(grouped(image.frames)) \(frames) for \(visible(image.name ?? "an image without a name")) \(image.debugID)")
    }
    return text
  }

  private var keys: String {
    var text = title("Keys, each with what its SHA-256 is taken of (· stands for U+001F)")
    text += line("raw stack  \(explanation.rawStack.key.hex)")
    text += line(
      "\(grouped(explanation.rawStack.keyBytes.count)) bytes: kind, reason, images and offsets; --json has them",
      indent: 13)
    text += line("signature  \(signature.id)") + fields(signature.keyFields)
    if let blame = signature.blameID {
      text += line("blame      \(blame)") + fields(signature.blameFields)
      text += line("a coarse index for people, and no identity", indent: 13)
    }
    text += line("cluster    \(explanation.cluster)")
    text += line("the signature that founded it", indent: 13)
    if let carrier = signature.carrier {
      text += sentences([
        "What was called (\(carrier)) enters no key, since it depends on whether the system's symbols are at hand."
      ])
    }
    return text
  }

  private var cluster: String {
    guard let explained = explanation.judgement else { return "" }
    let judgement = explained.judgement
    var text = title("Cluster \(explanation.cluster)")
    var words = explained.isRecorded ? [] : ["It was not judged yet; this is what would be decided now."]
    words += explained.sentences
    if explained.neighbours.isEmpty, judgement.sequence != nil {
      words.append("No other cluster was near enough to be told.")
    }
    text += sentences(words)
    for (number, neighbour) in explained.neighbours.enumerated() {
      text += self.neighbour(neighbour, number == 0 ? "nearest" : "runner-up")
    }
    for other in explanation.suggestions {
      text += line("maybe one problem with \(other.cluster), score \(score(other.score))")
    }
    return text
  }

  private func neighbour(_ explained: ExplainedJudgement.Neighbour, _ place: String) -> String {
    let neighbour = explained.neighbour
    var text = line(
      "\(place): \(neighbour.cluster), score \(score(neighbour.score)) with \(neighbour.exemplar), mean \(score(neighbour.average))"
    )
    if let title = explained.title { text += line(visible(title), indent: 4) }
    guard let today = explained.scoreToday else { return text }
    text += line("beside each other, this one left; by the numbers of today the score is \(score(today)):", indent: 4)
    let rows = explained.rows.map { (name($0.own), mark($0), name($0.other)) }
    let width = min(rows.map(\.0.displayWidth).max() ?? 0, max(16, (columns - 16) / 2))
    for row in rows {
      let own = row.0.cut(toWidth: width)
      text +=
        cut("    " + own + String(repeating: " ", count: width - own.displayWidth) + "  \(row.1)  " + row.2) + "\n"
    }
    let credits = Alignment.Credit.allCases.filter { credit in explained.rows.contains { $0.credit == credit } }
    for credit in credits { text += sentences(["\(ExplanationText.mark(credit))  \(credit.sentence)"], indent: 6) }
    return text
  }

  // MARK: Lines

  private var columns: Int { max(40, min(terminal.width, 100)) }

  private func title(_ text: String) -> String { terminal.styled(text, .bold) + "\n" }

  /// A line that is cut only where it would not fit the terminal.
  private func line(_ text: String, indent: Int = 2) -> String {
    cut(String(repeating: " ", count: indent) + text) + "\n"
  }

  private func cut(_ text: String) -> String { terminal.isTerminal ? text.cut(toWidth: terminal.width) : text }

  private func sentences(_ sentences: [String], indent: Int = 2) -> String {
    wrappedText(visible(sentences.joined(separator: " ")), to: columns, indent: indent)
  }

  private func fields(_ fields: [String]) -> String {
    wrappedText(fields.map { visible($0) }.joined(separator: " · "), to: columns, indent: 13)
  }

  private func name(_ token: AlignmentToken?) -> String {
    token.map { visible($0.name) + ($0.isInlined ? " [inlined]" : "") } ?? ""
  }

  private func mark(_ row: ExplainedJudgement.Row) -> String { row.credit.map(ExplanationText.mark) ?? " " }

  private static func mark(_ credit: Alignment.Credit) -> String {
    switch credit {
    case .same: "="
    case .entity: "~"
    case .unknown: "?"
    case .type: "."
    }
  }

  private func score(_ score: Millionths) -> String { decimal(Double(score) / 1e6, places: 3) }

  private func percent(_ share: Double) -> String { decimal(share * 100, places: 1) + " %" }
}
