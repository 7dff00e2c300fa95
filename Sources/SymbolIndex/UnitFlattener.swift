internal import DebugInfo

/// Turns the functions, inlined calls and line rows of one unit into runs of addresses with one inline chain each.
///
/// Who gets which line (symbolication.md B.31): the innermost frame has the line of the row; every frame around it has
/// the call site of the inlined call directly below it.
struct UnitFlattener {
  private let unit: DebugUnit
  private let reader: DebugInfoReader
  private let stepLimit: Int
  private let pieceLimit: Int
  private var flat = FlatUnit()
  private var locations = InternTable<FlatLocation>()
  /// For each inlined call, the location of its caller at the call; interned when first needed.
  private var callers: [Int32]
  /// For each inlined call (and at the end for the function itself), the last row with a line, and its sequence.
  private var lastKnown: [Int32: LineRow] = [:]

  /// The flat form of `unit`, which `reader` has just read. Cost: the inlined calls of each function times their depth.
  ///
  /// Ranges and calls of a damaged file may overlap in any number; after `stepLimit` steps or with more than `pieceLimit`
  /// pieces the rest is left out, which the steps and pieces of the result tell.
  static func flatten(
    _ unit: DebugUnit, of reader: DebugInfoReader, stepLimit: Int, pieceLimit: Int
  ) -> FlatUnit {
    var flattener = UnitFlattener(unit, reader, stepLimit, pieceLimit)
    for index in unit.functions.indices where !flattener.isOver { flattener.flatten(function: index) }
    flattener.collectLooseLines()
    return flattener.finish()
  }

  /// Whether a limit was passed: what follows is not needed any more.
  private var isOver: Bool { flat.steps > stepLimit || flat.pieceCount > pieceLimit }

  private init(_ unit: DebugUnit, _ reader: DebugInfoReader, _ stepLimit: Int, _ pieceLimit: Int) {
    self.stepLimit = stepLimit
    self.pieceLimit = pieceLimit
    self.unit = unit
    self.reader = reader
    callers = Array(repeating: -1, count: unit.inlines.count)
  }

  /// Replaces the reader's numbers by numbers of the unit's own.
  private func finish() -> FlatUnit {
    var result = flat
    result.functionIdentities = unit.functions.map { reader.identities[Int($0.identity)] }
    (result.version, result.damage, result.cutInlines) = (unit.version, unit.damage, unit.cutInlines)
    result.producer = unit.producer
    let steps = flat.steps.addingReportingOverflow(unit.steps)
    result.steps = steps.overflow ? .max : steps.partialValue
    var identities = InternTable<Int32>()
    var files = InternTable<Int32>()
    result.locations = locations.values.map { location in
      var location = location
      if location.function >= 0 { location.function = identities.intern(location.function) }
      if location.file >= 0 { location.file = files.intern(location.file) }
      return location
    }
    for index in result.looseLines.indices where result.looseLines[index].file >= 0 {
      result.looseLines[index].file = files.intern(result.looseLines[index].file)
    }
    result.identities = identities.values.map { reader.identities[Int($0)] }
    result.files = files.values.map { reader.files[Int($0)] }
    return result
  }

  private mutating func flatten(function index: Int) {
    let function = unit.functions[index]
    let calls = callIntervals(of: function)
    var next = 0
    var near: [CallInterval] = []
    for range in function.ranges.map({ unit.ranges[Int($0)] }).sorted(by: { $0.start < $1.start }) {
      let first = Int32(flat.segments.count)
      // Both are sorted by start. A call that reaches over several ranges of its function stays for the next one.
      near.removeAll { $0.end <= range.start }
      while next < calls.count, calls[next].start < range.end {
        if calls[next].end > range.start { near.append(calls[next]) }
        next += 1
      }
      flat.steps += near.count
      guard !isOver else { return }
      sweep(range, function: Int32(index), near)
      flat.functions.append(
        FlatFunction(range: range, function: Int32(index), segments: first..<Int32(flat.segments.count)))
    }
  }

  /// One range of one inlined call.
  private struct CallInterval {
    var start: UInt64
    var end: UInt64
    var call: Int32
    var depth: Int
  }

  /// The ranges of the function's inlined calls, sorted by start.
  private func callIntervals(of function: DebugFunction) -> [CallInterval] {
    var intervals: [CallInterval] = []
    for number in function.inlines {
      let call = unit.inlines[Int(number)]
      for part in call.ranges {
        let part = unit.ranges[Int(part)]
        intervals.append(CallInterval(start: part.start, end: part.end, call: number, depth: Int(call.depth)))
      }
    }
    intervals.sort { ($0.start, $0.call) < ($1.start, $1.call) }
    return intervals
  }

  /// Walks through `range`; wherever the row or the innermost inlined call changes, a segment begins (B.26).
  ///
  /// The innermost call is the one that nests deepest, whatever the sizes of the ranges (B.33). Its chain is that of
  /// the nesting, even where a call around it does not state this address: strict DWARF 2 states one range of several.
  private mutating func sweep(_ range: AddressRange, function: Int32, _ intervals: [CallInterval]) {
    // At most one call of each depth: of two that overlap, which no compiler writes, the later one counts.
    var open: [CallInterval] = []
    var nextInterval = 0
    let rows = rows(of: function, range)
    var row = rows.index(atOrBefore: range.start)
    var position = range.start
    lastKnown.removeAll(keepingCapacity: true)
    while position < range.end {
      open.removeAll { $0.end <= position }
      while nextInterval < intervals.count, intervals[nextInterval].start <= position {
        open.removeAll { $0.depth == intervals[nextInterval].depth }
        open.append(intervals[nextInterval])
        nextInterval += 1
      }
      while row + 1 < rows.count, rows[row + 1].address <= position {
        row += 1
        if rows[row].endsSequence { lastKnown.removeAll(keepingCapacity: true) }
      }
      var next = range.end
      var innermost: CallInterval?
      for interval in open {
        next = min(next, interval.end)
        if interval.depth >= innermost?.depth ?? 0 { innermost = interval }
      }
      emit(at: position, function: function, call: innermost?.call ?? -1, row: row < 0 ? nil : rows[row])
      if nextInterval < intervals.count { next = min(next, intervals[nextInterval].start) }
      if row + 1 < rows.count { next = min(next, rows[row + 1].address) }
      position = next
      flat.steps += 1
      if isOver { return }
    }
  }

  /// The line rows of a function's range: those of the unit, or where several functions were folded into one, those of
  /// the sequence whose first line is nearest behind the function's declaration (B.24).
  private func rows(of function: Int32, _ range: AddressRange) -> [LineRow] {
    guard let folded = unit.foldedRows[range.start], let declared = unit.functions[Int(function)].declaration else {
      return unit.rows
    }
    func distance(_ row: LineRow?) -> UInt32 {
      guard let row, row.file == declared.file, row.line >= declared.line else { return .max }
      return row.line - declared.line
    }
    let index = unit.rows.index(atOrBefore: range.start)
    var best = (distance: distance(index < 0 ? nil : unit.rows[index]), rows: unit.rows)
    for rows in folded where distance(rows.first) < best.distance { best = (distance(rows.first), rows) }
    return best.rows
  }

  private mutating func emit(at position: UInt64, function: Int32, call: Int32, row: LineRow?) {
    var file: Int32 = -1
    var line: UInt32 = 0
    var column: UInt32 = 0
    var isApproximate = false
    if let current = row, !current.endsSequence {
      (file, line, column) = (current.file, current.line, current.column)
      if line != 0 {
        lastKnown[call] = current
      } else if !isPseudoFile(file) {
        // Line 0 means that no line has this code: show the nearest before it in the same call and file, else where the
        // function is declared in that file (B.27).
        if let known = lastKnown[call], known.file == file {
          (line, column, isApproximate) = (known.line, known.column, true)
        } else if let declared = declaration(call, function), declared.file == file {
          (line, column, isApproximate) = (declared.line, 0, true)
        }
      }
    }
    let location = locations.intern(
      FlatLocation(
        function: identity(call, function), file: file, line: line, column: column,
        parent: call < 0 ? -1 : caller(of: call, function), isApproximate: isApproximate))
    let first = flat.functions.last?.segments.upperBound ?? 0
    if flat.segments.count > Int(first), flat.segments.last?.location == location { return }
    flat.segments.append(FlatSegment(start: position, location: location))
  }

  private func declaration(_ call: Int32, _ function: Int32) -> Declaration? {
    call < 0 ? unit.functions[Int(function)].declaration : unit.inlines[Int(call)].declaration
  }

  private func identity(_ call: Int32, _ function: Int32) -> Int32 {
    call < 0 ? ~function : unit.inlines[Int(call)].identity
  }

  /// The location of the code around an inlined call, at the call. Parents first, so no recursion is needed.
  private mutating func caller(of call: Int32, _ function: Int32) -> Int32 {
    if callers[Int(call)] >= 0 { return callers[Int(call)] }
    var chain: [Int32] = []
    var current = call
    while current >= 0, callers[Int(current)] < 0 {
      chain.append(current)
      current = unit.inlines[Int(current)].parent
    }
    for inner in chain.reversed() {
      let call = unit.inlines[Int(inner)]
      callers[Int(inner)] = locations.intern(
        FlatLocation(
          function: identity(call.parent, function), file: call.callFile, line: call.callLine, column: call.callColumn,
          parent: call.parent < 0 ? -1 : callers[Int(call.parent)], isApproximate: false))
    }
    return callers[Int(call)]
  }

  private func isPseudoFile(_ file: Int32) -> Bool {
    file >= 0 && SourceFileName.isPseudo(reader.files[Int(file)])
  }

  private mutating func collectLooseLines() {
    let covered = unit.functions.flatMap { $0.ranges.map { unit.ranges[Int($0)] } }.sorted { $0.start < $1.start }
    var next = 0
    var reached: UInt64 = 0
    for (index, row) in unit.rows.enumerated() where !row.endsSequence {
      guard index + 1 < unit.rows.count, !isOver else { break }
      let end = unit.rows[index + 1].address
      while next < covered.count, covered[next].start <= row.address {
        reached = max(reached, covered[next].end)
        next += 1
      }
      var start = max(row.address, reached)
      while start < end {
        let stop = next < covered.count ? min(end, max(start, covered[next].start)) : end
        if start < stop {
          flat.looseLines.append(
            LooseLine(
              range: AddressRange(start: start, end: stop), file: row.file, line: row.line, column: row.column))
        }
        // Behind a function inside the row the row goes on.
        guard next < covered.count, covered[next].start < end else { break }
        reached = max(reached, covered[next].end)
        start = max(stop, reached)
        next += 1
      }
    }
  }
}

extension [LineRow] {
  /// The last row at or before `address`, -1 when there is none.
  fileprivate func index(atOrBefore address: UInt64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}

/// Names of source files that are not files.
enum SourceFileName {
  /// Whether the last component marks synthetic code, for example `<compiler-generated>` or a macro expansion.
  static func isPseudo(_ path: String) -> Bool {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    return name.utf8.first == UInt8(ascii: "<") || name.hasPrefix("@__swiftmacro_")
  }
}
