import CommandLine
import JSON
import SignatureStore

extension JSONWriter {
  /// The document of `signatures facts --json`.
  mutating func facts(_ facts: [Fact]) {
    beginObject()
    member("schema", "symclust.facts/1")
    key("facts")
    array(facts) { writer, fact in writer.fact(fact) }
    endObject()
  }

  /// The document of a decision with `--json`; one that was refused has none.
  mutating func factOutcome(_ outcome: FactOutcome) {
    var recorded: Fact?
    var notice: FactNotice?
    switch outcome {
    case .recorded(let fact): recorded = fact
    case .unchanged(let reason): notice = reason
    case .refused: break
    }
    beginObject()
    member("schema", "symclust.fact/1")
    member("recorded", recorded != nil)
    key("fact")
    if let recorded { fact(recorded) } else { null() }
    member("notice", notice?.description)
    endObject()
  }

  private mutating func fact(_ fact: Fact) {
    beginObject()
    member("number", fact.number)
    member("kind", fact.kind.rawValue)
    key("subjects")
    array(fact.subjects) { writer, subject in writer.string(subject) }
    member("object", fact.object)
    member("ended_by", fact.endedBy)
    key("bearers")
    array(fact.bearers) { writer, bearer in
      writer.beginObject()
      writer.member("subject", bearer.subject)
      writer.member("signature", bearer.signature)
      writer.member("divided", bearer.isDivided)
      writer.endObject()
    }
    endObject()
  }
}

/// Facts for people.
enum FactText {
  static func outcome(_ outcome: FactOutcome) -> String {
    switch outcome {
    case .recorded(let fact): "Fact \(fact.number): \(visible(sentence(fact))).\n"
    case .unchanged(let notice): "Nothing changed: \(visible(notice.description)).\n"
    case .refused(let refusal): visible(refusal.description) + "\n"
    }
  }

  static func list(_ facts: [Fact], on terminal: Terminal) -> String {
    if facts.isEmpty { return "No facts.\n" }
    var table = Table([.init("Fact", .right), .init("Kind"), .init("What")])
    for fact in facts {
      var what = sentence(fact)
      if let end = fact.endedBy { what += "; taken back by fact \(end)" }
      for bearer in fact.bearers {
        what += "; \(bearer.subject) "
        if let signature = bearer.signature {
          what += bearer.isDivided ? "was divided, the larger part is \(signature)" : "is \(signature) now"
        } else {
          what += "has nothing left"
        }
      }
      table.append([.init(String(fact.number)), .init(fact.kind.rawValue), .init(what)])
    }
    return table.text(on: terminal)
  }

  private static func sentence(_ fact: Fact) -> String {
    let subjects = fact.subjects.joined(separator: ", ")
    let one = fact.subjects.count == 1
    let object = fact.object ?? "nothing"
    return switch fact.kind {
    case .merge: "\(subjects) \(one ? "is" : "are") shown as \(object)"
    case .split:
      "\(subjects) \(one ? "is" : "are") a cluster of \(one ? "its" : "their") own" + (one ? "" : ", \(object)")
    case .pin: "\(subjects) belongs to \(object)"
    case .alias: "\(subjects) leads to \(object)"
    case .undo: "fact \(subjects) is taken back"
    }
  }
}
