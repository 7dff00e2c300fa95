import Bytes
import Diagnostics
import Identity
import JSON
import Pipeline
import SignatureStore
import Signatures

extension JSONWriter {
  /// One line of `signatures explain --json`. `place` is what was asked for, or where the diagnostic stands.
  mutating func explanation(_ explanation: StackExplanation, rules: Rules, place: String) {
    let signature = explanation.signature
    beginObject()
    member("schema", "symclust.explanation/1")
    member("place", place)
    switch explanation.subject {
    case .signature:
      member("payload", nil as String?)
      member("diagnostic", nil as Int?)
    case .diagnostic(let payload, let ordinal):
      member("payload", payload.hex)
      member("diagnostic", ordinal)
    }
    member("kind", explanation.rawStack.kind.rawValue)
    member("title", signature.title)
    key("aliases")
    array(explanation.aliases) { writer, alias in
      writer.beginObject()
      writer.member("old", alias.old)
      writer.member("new", alias.new)
      writer.member("kind", alias.kind.rawValue)
      writer.member("sentence", alias.kind.sentence)
      writer.endObject()
    }
    attribution(explanation)
    reason(explanation)
    quality(explanation)
    key("frames")
    array(explanation.frames) { $0.explainedFrame($1) }
    samples(explanation)
    keys(explanation)
    recorded(explanation.recorded)
    judgement(explanation.judgement)
    key("suggested_merges")
    array(explanation.suggestions) { writer, other in
      writer.beginObject()
      writer.member("cluster", other.cluster)
      writer.score("score", other.score)
      writer.endObject()
    }
    key("rules")
    beginObject()
    member("version", rules.version)
    member("digest", rules.digest.hex)
    endObject()
    endObject()
  }

  private mutating func attribution(_ explanation: StackExplanation) {
    key("attribution")
    if let attribution = explanation.attribution {
      beginObject()
      member("stack", attribution.stack)
      member("stacks", explanation.stacks)
      member("basis", attribution.basis.rawValue)
      member("confidence", attribution.confidence.rawValue)
      sentences([attribution.basis.sentence, attribution.confidence.sentence])
      endObject()
    } else {
      null()
    }
    key("orientation")
    if let orientation = explanation.orientation {
      beginObject()
      member("order", orientation.order.rawValue)
      member("basis", orientation.basis.rawValue)
      sentences([orientation.order.sentence, orientation.basis.sentence])
      endObject()
    } else {
      null()
    }
  }

  private mutating func reason(_ explanation: StackExplanation) {
    let (reason, raw) = (explanation.reason, explanation.rawStack.reason)
    key("reason")
    beginObject()
    member("class", explanation.signature.reason.description)
    member("family", explanation.signature.reason.family.rawValue)
    member("basis", reason.basis.rawValue)
    member("refinement", reason.refinement?.rawValue)
    sentences(reason.sentences)
    member("exception_type", raw.exceptionType)
    member("signal", raw.signal)
    member("termination_code", raw.terminationCode?.hex)
    member("resource", raw.resource)
    member("exception_name", raw.exceptionName)
    endObject()
  }

  private mutating func quality(_ explanation: StackExplanation) {
    let signature = explanation.signature
    key("quality")
    beginObject()
    member("word", signature.quality.rawValue)
    member("cause", explanation.qualityCause.rawValue)
    sentences([explanation.qualityCause.sentence])
    endObject()
    member("blame", signature.blame)
    member("carrier", signature.carrier)
    key("provisional")
    beginObject()
    member("value", signature.isProvisional)
    sentences(explanation.provisionalSentence.map { [$0] } ?? [])
    key("waits")
    array(explanation.waiting) { writer, image in
      writer.beginObject()
      writer.member("debug_id", image.debugID.description)
      writer.member("name", image.name)
      writer.member("frames", image.frames)
      writer.endObject()
    }
    endObject()
  }

  private mutating func explainedFrame(_ explained: ExplainedFrame) {
    let frame = explained.frame
    beginObject()
    member("frame", frame.rawFrame)
    member("image", frame.image)
    member("function", frame.function)
    member("token", frame.token)
    member("file", frame.file?.baseName)
    member("line", frame.line)
    member("inlined", frame.isInlined)
    member("system", frame.isSystem)
    member("kept", frame.isKept)
    member("rule", frame.rule)
    member("stage", explained.stage?.rawValue)
    member("class", explained.className)
    member("rule_line", explained.line)
    member("sentence", explained.sentence)
    endObject()
  }

  private mutating func samples(_ explanation: StackExplanation) {
    let signature = explanation.signature
    key("samples")
    guard let sentence = explanation.samplesSentence else { return null() }
    beginObject()
    member("dominating", signature.dominance == nil ? nil : signature.tokens.first)
    optionalDouble("share", signature.dominance)
    optionalDouble("threshold", explanation.threshold)
    sentences([sentence])
    key("paths")
    array(signature.paths) { writer, path in
      writer.beginObject()
      writer.optionalDouble("share", path.share)
      writer.strings("tokens", path.tokens)
      writer.endObject()
    }
    endObject()
  }

  /// The keys with what is hashed for them.
  private mutating func keys(_ explanation: StackExplanation) {
    let signature = explanation.signature
    key("keys")
    beginObject()
    key("raw_stack")
    beginObject()
    member("id", explanation.rawStack.key.hex)
    member("bytes", explanation.rawStack.keyBytes.hex)
    endObject()
    key("signature")
    beginObject()
    member("id", signature.id)
    strings("fields", signature.keyFields)
    endObject()
    key("blame")
    if let id = signature.blameID {
      beginObject()
      member("id", id)
      strings("fields", signature.blameFields)
      endObject()
    } else {
      null()
    }
    key("cluster")
    beginObject()
    member("id", explanation.cluster)
    endObject()
    endObject()
  }

  private mutating func recorded(_ entry: SignatureEntry?) {
    key("recorded")
    guard let entry else { return null() }
    beginObject()
    member("signature", entry.id)
    member("cluster", entry.cluster)
    member("diagnostics", entry.diagnostics)
    endObject()
  }

  private mutating func judgement(_ explained: ExplainedJudgement?) {
    key("judgement")
    guard let explained else { return null() }
    let judgement = explained.judgement
    beginObject()
    member("recorded", explained.isRecorded)
    member("outcome", judgement.outcome.rawValue)
    member("barrier", judgement.barrier?.rawValue)
    member("cluster", judgement.cluster)
    sentences(explained.sentences)
    key("nearest")
    array(explained.neighbours) { $0.neighbour($1) }
    endObject()
  }

  private mutating func neighbour(_ explained: ExplainedJudgement.Neighbour) {
    beginObject()
    member("cluster", explained.neighbour.cluster)
    member("exemplar", explained.neighbour.exemplar)
    member("title", explained.title)
    score("score", explained.neighbour.score)
    score("mean_score", explained.neighbour.average)
    score("score_today", explained.scoreToday)
    key("alignment")
    array(explained.rows) { writer, row in
      writer.beginObject()
      writer.member("own", row.own?.name)
      writer.member("other", row.other?.name)
      writer.member("credit", row.credit?.rawValue)
      writer.member("sentence", row.credit?.sentence)
      writer.endObject()
    }
    endObject()
  }

  private mutating func score(_ name: String, _ score: Millionths?) {
    optionalDouble(name, score.map { Double($0) / 1e6 })
  }

  private mutating func sentences(_ sentences: [String]) { strings("sentences", sentences) }

  private mutating func strings(_ name: String, _ strings: [String]) {
    key(name)
    array(strings) { writer, text in writer.string(text) }
  }
}
