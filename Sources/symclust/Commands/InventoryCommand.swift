import CommandLine
import Diagnostics
import JSON
import SignatureStore

let inventoryCommand = Command(
  spec: CommandSpec(
    "inventory", "Show what is kept of a diagnostic, why, and how long",
    discussion: """
      First what a diagnostic may hold and what becomes of it, then every column of the counts. A store holds nothing of a \
      diagnostic that is not listed here; docs/data.md explains the words.
      """,
    options: [CommonOptions.json], positionals: [],
    examples: [.init("symclust inventory --json", "the data inventory for a privacy review, as a program reads it")]),
  run: inventory)

private func inventory(_ session: inout Session) throws(CommandFailure) -> ExitCode {
  if session.command.flag(CommonOptions.json) {
    var writer = JSONWriter(.pretty)
    writer.beginObject()
    writer.member("schema", "symclust.inventory/1")
    writer.inventory()
    writer.endObject()
    try session.print(writer)
    return .done
  }
  var fields = Table([.init("Of a diagnostic"), .init("Privacy"), .init("Kept"), .init("With"), .init("What for")])
  for field in FieldPolicy.metadata + FieldPolicy.parts {
    fields.append([
      .init(field.field), .init(field.privacy.rawValue), .init(field.keeping.rawValue),
      .init(field.retention.rawValue), .init(field.purpose),
    ])
  }
  var columns = Table([.init("In the store"), .init("Privacy"), .init("With"), .init("What for")])
  for column in StoredColumn.all {
    columns.append([
      .init("\(column.table).\(column.name)"), .init(column.privacy.rawValue), .init(column.retention.rawValue),
      .init(column.purpose),
    ])
  }
  session.out.write(fields.text(on: session.terminal) + "\n" + columns.text(on: session.terminal))
  return .done
}

extension JSONWriter {
  /// The members `fields` and `columns` of the data inventory.
  mutating func inventory() {
    key("fields")
    beginArray()
    for field in FieldPolicy.metadata + FieldPolicy.parts {
      beginObject()
      member("field", field.field)
      member("privacy", field.privacy.rawValue)
      member("kept", field.keeping.rawValue)
      member("retention", field.retention.rawValue)
      member("purpose", field.purpose)
      endObject()
    }
    endArray()
    key("columns")
    beginArray()
    for column in StoredColumn.all {
      beginObject()
      member("table", column.table)
      member("column", column.name)
      member("privacy", column.privacy.rawValue)
      member("retention", column.retention.rawValue)
      member("purpose", column.purpose)
      endObject()
    }
    endArray()
  }
}
