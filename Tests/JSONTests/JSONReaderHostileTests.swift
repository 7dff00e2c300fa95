import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

private let sample =
  Array(
    #"{"timeStampEnd" : "2020-10-11 03:59:00 +0000","a\u00e9":[1,-2.5e+3,true,false,null,{"é漢😀":"\uD83D\uDE00\/"}],"#
      .utf8)
  + Array(#""n":18446741874824079528 , "deep":[[[{"x":{}}]]]}"#.utf8)

@Suite("Hostile documents")
struct JSONReaderHostileTests {
  @Test("may be as deep as the limit and no deeper, on a small stack", arguments: ["array", "object"])
  func depth(container: String) {
    let (begin, end) = container == "array" ? ("[", "]") : (#"{"a":"#, "}")
    for limit in [1, 63, 64, 65, 128, JSONReader.defaultDepthLimit] {
      @Sendable func nested(_ levels: Int) -> [UInt8] {
        let middle = container == "array" ? "" : "0"
        return Array((String(repeating: begin, count: levels) + middle + String(repeating: end, count: levels)).utf8)
      }
      let errors = Mutex<[JSONError?]>([])
      onSmallStack {
        let accepted = refusal(of: nested(limit), depthLimit: limit)
        let refused = refusal(of: nested(limit + 1), depthLimit: limit)
        errors.withLock { $0 = [accepted, refused] }
      }
      #expect(errors.withLock { $0 } == [nil, JSONError(.tooDeep, at: limit * begin.utf8.count)])
    }
  }

  @Test("of a million open brackets end in one error")
  func bracketBomb() {
    let text = [UInt8](repeating: 0x5b, count: 1_000_000)
    #expect(refusal(of: text) == JSONError(.tooDeep, at: JSONReader.defaultDepthLimit))
    #expect(refusal(of: text, depthLimit: .max) == JSONError(.unexpectedEnd, at: 1_000_000))
  }

  @Test("remember what is open across the words of the depth stack")
  func mixedNesting() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      let shape = (0..<300).map { _ in Bool.random(using: &generator) }
      let begin = shape.map { $0 ? #"{"k":["# : "[[" }.joined()
      let end = shape.reversed().map { $0 ? "]}" : "]]" }.joined()
      #expect(refusal(of: begin + end) == nil)
      let wrong = begin + end.replacingOccurrences(of: "}", with: "]")
      #expect((refusal(of: wrong) != nil) == shape.contains(true))
    }
  }

  @Test("cut at any byte end in an error at the cut")
  func truncation() {
    #expect(refusal(of: sample) == nil)
    for length in 0..<sample.count {
      let error = refusal(of: Array(sample[..<length]))
      #expect(error == JSONError(.unexpectedEnd, at: length), "cut at \(length)")
    }
  }

  @Test("mutated at random are read or refused like Foundation does, and never trap")
  func mutations() {
    var generator = SeededGenerator(seed: 42)
    for round in 0..<20_000 {
      var text = sample
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let at = Int.random(in: 0..<text.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text[at] = UInt8.random(in: 0...255, using: &generator)
        case 1: text.remove(at: at)
        case 2: text.insert(Array("{}[]\":,\\u0e+-.\u{1} \n".utf8).randomElement(using: &generator) ?? 0, at: at)
        default: text.swapAt(at, Int.random(in: 0..<text.count, using: &generator))
        }
      }
      let ours = refusal(of: text)
      if round % 10 == 0, let known = agreement(of: text) {
        #expect((ours == nil) == known, "\(String(decoding: text, as: UTF8.self))")
      }
      if let ours { #expect((0...text.count).contains(ours.offset)) }
    }
  }

  /// What Foundation says; `nil` where it is known to differ from the RFC or from our stated rules.
  private func agreement(of text: [UInt8]) -> Bool? {
    let plain = String(decoding: text, as: UTF8.self)
    // Zeros make it guess another encoding; a lone surrogate is refused there; huge exponents are refused there.
    if text.contains(0) || plain.lowercased().contains("\\ud") || plain.contains("e") && plain.contains("+3") == false {
      return nil
    }
    return (try? JSONSerialization.jsonObject(with: Data(text), options: [.fragmentsAllowed])) != nil
  }

  @Test("made at random mean the same to Foundation")
  func differential() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let value = randomValue(depth: 5, using: &generator)
      for layout in [JSONWriter.Layout.compact, .pretty] {
        var writer = JSONWriter(layout)
        writer.value(value)
        let bytes = try writer.finish()
        #expect(try JSONValue.parse(bytes) == value)
        let object = try JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
        let back = try JSONSerialization.data(withJSONObject: object, options: [.fragmentsAllowed])
        #expect(try normal(JSONValue.parse(Array(back))) == normal(value))
      }
    }
  }

  /// With members in the order of their names and every number a double, as Foundation leaves them.
  private func normal(_ value: JSONValue) -> JSONValue {
    switch value {
    case .number(let number): .number(.real(number.double))
    case .array(let elements): .array(elements.map(normal))
    case .object(let members):
      .object(members.map { JSONMember($0.name, normal($0.value)) }.sorted { $0.name < $1.name })
    default: value
    }
  }

  private func randomValue(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .number(.unsigned(generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
    case 3: return .number(.negative(-Int64.random(in: 1...Int64.max, using: &generator)))
    case 4: return .number(.real(Double.random(in: -1e6...1e6, using: &generator) + 0.5))
    case 5: return .string(randomText(using: &generator))
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &generator)).map { _ in randomValue(depth: depth - 1, using: &generator) })
    default:
      return .object(
        (0..<Int.random(in: 0..<5, using: &generator)).map {
          JSONMember("\($0)" + randomText(using: &generator), randomValue(depth: depth - 1, using: &generator))
        })
    }
  }

  private func randomText(using generator: inout SeededGenerator) -> String {
    let alphabet = Array("abcdefgh \"\\/\n\t\r\u{1}\u{7f}\u{85}é漢😀\u{2028}\u{202e}")
    return String(
      (0..<Int.random(in: 0..<20, using: &generator)).compactMap { _ in alphabet.randomElement(using: &generator) })
  }
}
