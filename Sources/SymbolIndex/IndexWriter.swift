internal import Bytes
internal import DebugInfo
internal import Demangling
internal import Identity
internal import JSON
internal import ObjectFiles

/// Lays out the finished tables as the bytes of an index.
struct IndexWriter {
  let object: ObjectFile
  let starts: [UInt32]
  let rangeLocations: [UInt32]
  let tables: IndexTables

  func write(_ summary: IndexSummary, sources: [ContentDigest]) throws(IndexError) -> [UInt8] {
    let sections = try self.sections(summary, sources: sources)
    var file = [UInt8](repeating: 0, count: IndexFormat.headerSize)
    file.append(UInt32(sections.count))
    file.append(UInt32(0))
    let directory = file.count
    file += [UInt8](repeating: 0, count: sections.count * IndexFormat.directoryEntrySize)
    var entries: [UInt8] = []
    for (kind, bytes) in sections {
      file += [UInt8](
        repeating: 0, count: (IndexFormat.alignment - file.count % IndexFormat.alignment) % IndexFormat.alignment)
      entries.append(kind.rawValue)
      entries.append(UInt32(kind.elementSize))
      entries.append(UInt64(file.count))
      entries.append(UInt64(bytes.count))
      entries.append(bytes.crc32c)
      entries.append(UInt32(0))
      file += bytes
    }
    file.replaceSubrange(directory..<(directory + entries.count), with: entries)
    file.replaceSubrange(0..<IndexFormat.headerSize, with: header(fileSize: file.count, summary))
    let crc = file[..<(directory + entries.count)].crc32c
    file.replaceSubrange(12..<16, with: crc.littleEndianBytes)
    return file
  }

  private func header(fileSize: Int, _ summary: IndexSummary) -> [UInt8] {
    let id = object.debugID?.bytes ?? []
    var flags: UInt32 = 0
    if summary.unitCount == 0 { flags |= IndexFormat.flagNoDebugInfo }
    if object.imageSize > UInt64(UInt32.max) { flags |= IndexFormat.flagBeyond4GiB }
    var header = IndexFormat.magic
    header.append(IndexFormat.major)
    header.append(IndexFormat.minor)
    header.append(UInt32(0))
    header.append(UInt64(fileSize))
    header.append(flags)
    header.append(IndexFormat.builderRevision)
    header += [UInt8(id.count), UInt8(object.pointerSize), 0, 0]
    header.append(object.architecture.cpuType)
    header.append(object.architecture.cpuSubtype)
    header.append(object.platform)
    header += id + [UInt8](repeating: 0, count: 64 - id.count)
    header.append(object.imageBase)
    header.append(object.imageSize)
    return header
  }

  private func sections(
    _ summary: IndexSummary, sources: [ContentDigest]
  ) throws(IndexError) -> [(IndexFormat.SectionKind, [UInt8])] {
    let locations = tables.locations.values
    let functions = tables.functions.values
    guard tables.strings.bytes.count <= Int(UInt32.max), locations.count <= Int(Int32.max) else {
      throw IndexError(.tooLarge, "the names of this image pass 4 GiB")
    }
    var rows: [UInt8] = []
    rows.reserveCapacity(locations.count * IndexFormat.locationSize)
    for location in locations {
      for field in [location.file, location.line, location.function, location.parent] { rows.append(field) }
    }
    var functionRows: [UInt8] = []
    for function in functions {
      for field in [function.name, function.display, function.token, function.alias] { functionRows.append(field) }
      functionRows += [function.language, function.source.code]
      functionRows.append(function.traits.rawValue)
    }
    return [
      (.starts, starts.flatMap(\.littleEndianBytes)),
      (.runs, rangeLocations.flatMap(\.littleEndianBytes)),
      (.locations, rows),
      (.columns, locations.flatMap(\.column.littleEndianBytes)),
      (.marks, locations.map { $0.isApproximate ? IndexFormat.markApproximate : 0 }),
      (.functions, functionRows),
      (.aliases, tables.aliases.flatMap(\.littleEndianBytes)),
      (.files, tables.files.flatMap { $0.directory.littleEndianBytes + $0.base.littleEndianBytes }),
      (.strings, tables.strings.bytes),
      (.meta, try summary.json(sources: sources)),
    ]
  }
}

extension FixedWidthInteger {
  var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

extension [UInt8] {
  /// Appends a number, lowest byte first.
  mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

extension IndexSummary {
  /// The META section: keys in a fixed order.
  func json(sources: [ContentDigest]) throws(IndexError) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    let numbers: [(String, UInt64)] = [
      ("code_bytes", codeBytes), ("debug_info_bytes", debugInfoBytes), ("symbol_bytes", symbolBytes),
      ("line_bytes", lineBytes), ("functions", UInt64(functionCount)), ("ranges", UInt64(rangeCount)),
      ("locations", UInt64(locationCount)), ("units", UInt64(unitCount)),
      ("demangle_failures", UInt64(demangleFailures)), ("hidden_names", UInt64(hiddenNames)),
      ("starts", UInt64(startCount)), ("cut_inlines", UInt64(cutInlines)),
    ]
    for (key, value) in numbers {
      writer.key(key)
      writer.integer(value)
    }
    writer.key("debug_info_failure")
    if let debugInfoFailure { writer.string(debugInfoFailure.rawValue) } else { writer.null() }
    writer.key("dwarf_versions")
    writer.beginArray()
    for version in dwarfVersions { writer.integer(version) }
    writer.endArray()
    for (key, texts) in [("producers", producers), ("problems", problems), ("sources", sources.map(\.hex))] {
      writer.key(key)
      writer.beginArray()
      for text in texts { writer.string(text) }
      writer.endArray()
    }
    writer.endObject()
    do throws(JSONWriterError) {
      return try writer.finish()
    } catch {
      throw IndexError(.tooLarge, "the summary cannot be written: \(error)")
    }
  }

  /// The summary that META says; missing numbers are 0.
  init(_ meta: JSONValue) {
    self.init()
    func number(_ key: String) -> UInt64 { meta[key]?.uint ?? 0 }
    codeBytes = number("code_bytes")
    debugInfoBytes = number("debug_info_bytes")
    symbolBytes = number("symbol_bytes")
    lineBytes = number("line_bytes")
    functionCount = Int(clamping: number("functions"))
    rangeCount = Int(clamping: number("ranges"))
    locationCount = Int(clamping: number("locations"))
    unitCount = Int(clamping: number("units"))
    demangleFailures = Int(clamping: number("demangle_failures"))
    hiddenNames = Int(clamping: number("hidden_names"))
    cutInlines = Int(clamping: number("cut_inlines"))
    startCount = Int(clamping: number("starts"))
    producers = (meta["producers"]?.array ?? []).compactMap(\.string)
    dwarfVersions = (meta["dwarf_versions"]?.array ?? []).compactMap { $0.uint.map { Int(clamping: $0) } }
    debugInfoFailure = meta["debug_info_failure"]?.string.flatMap(DebugInfoError.Code.init)
    problems = (meta["problems"]?.array ?? []).compactMap(\.string)
  }
}
