import CommandLine
import Diagnostics
import JSON

let configCommand = Command(
  spec: CommandSpec(
    "config", "Print the limits of reading, as they are set",
    discussion: """
      What a limit cuts or refuses is told: in the notes of the report, or as a rejected item. --limit sets one, here as \
      with the commands that read diagnostics.
      """,
    options: [CommonOptions.limit, CommonOptions.json],
    examples: [.init("symclust config --limit frames=5000", "the limits with one of them changed")]),
  run: config)

private func config(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  let limits = try session.readingLimits()
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", "symclust.config/1")
    writer.key("limits")
    writer.beginObject()
    for limit in ReadingLimits.all { writer.member(limit.name, limits[keyPath: limit.place]) }
    writer.endObject()
    writer.endObject()
    try session.print(writer)
    return .done
  }
  var table = Table([.init("Limit"), .init("Value", .right), .init("Bounds")])
  for limit in ReadingLimits.all {
    table.append([.init(limit.name), .init(grouped(limits[keyPath: limit.place])), .init(limit.help)])
  }
  session.out.write(table.text(on: session.terminal))
  return .done
}

extension Session {
  /// The limits of reading, with what the command line sets.
  func readingLimits() throws(CommandFailure) -> ReadingLimits {
    var limits = ReadingLimits()
    for word in command.list(CommonOptions.limit) {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let limit = ReadingLimits.all.first(where: { $0.name == parts[0] }) else {
        let names = ReadingLimits.all.map(\.name).joined(separator: ", ")
        throw CommandFailure(.usage, "--limit \(word): write NAME=N with one of \(names)")
      }
      guard let value = Int(parts[1]), limit.range.contains(value) else {
        throw CommandFailure(
          .usage, "--limit \(word): not a whole number from \(limit.range.lowerBound) to \(limit.range.upperBound)")
      }
      limits[keyPath: limit.place] = value
    }
    return limits
  }
}
