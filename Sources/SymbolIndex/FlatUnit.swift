internal import DebugInfo

/// A source position in one function, called from another: one link of an inline chain, before interning.
struct FlatLocation: Hashable {
  /// The function called: an identity, or `~index` of the function of the unit that has this code itself.
  var function: Int32
  var file: Int32
  var line: UInt32
  var column: UInt32
  /// The location this one was inlined into, -1 for the physical function.
  var parent: Int32
  var isApproximate: Bool
}

/// From `start` on, execution is at `location`; up to the next segment of the same function.
struct FlatSegment {
  var start: UInt64
  var location: Int32
}

/// One contiguous range of one function.
struct FlatFunction {
  var range: AddressRange
  /// Index into the unit's functions.
  var function: Int32
  var segments: Range<Int32>
}

/// Line rows that no function covers: assembler, or `-g1` code whose functions only the symbol table knows.
struct LooseLine {
  var range: AddressRange
  var file: Int32
  var line: UInt32
  var column: UInt32
  /// Whether the line is that of a row before this one.
  var isApproximate = false
}

/// A unit turned into ranges: all that the index needs of it, independent of the reader that read it.
struct FlatUnit {
  /// The identity of each function of the unit: what `~index` in a location points at.
  var functionIdentities: [FunctionIdentity] = []
  /// What `FlatLocation.function` numbers of 0 and more point at.
  var identities: [FunctionIdentity] = []
  /// What `FlatLocation.file` and `LooseLine.file` point at.
  var files: [String] = []
  var functions: [FlatFunction] = []
  var segments: [FlatSegment] = []
  var locations: [FlatLocation] = []
  var looseLines: [LooseLine] = []
  var version: UInt16 = 0
  /// See `DebugUnit.producer`.
  var producer: String?
  var damage: String?
  var cutInlines = 0
  var steps = 0
}

extension FlatUnit {
  /// How many things there are that are kept until the index is put together.
  var pieceCount: Int { functions.count + segments.count + looseLines.count }

  /// The segment of `function` that holds `address`: the last that starts at or before it.
  func segment(of function: FlatFunction, at address: UInt64) -> Int {
    var low = Int(function.segments.lowerBound)
    var high = Int(function.segments.upperBound)
    while high - low > 1 {
      let middle = (low + high) / 2
      if segments[middle].start <= address { low = middle } else { high = middle }
    }
    return low
  }
}

/// Values numbered in order of first appearance, each once.
struct InternTable<Value: Hashable> {
  private(set) var values: [Value] = []
  private var index: [Value: Int32] = [:]

  /// The number of `value`.
  mutating func intern(_ value: Value) -> Int32 {
    if let known = index[value] { return known }
    let new = Int32(truncatingIfNeeded: values.count)
    values.append(value)
    index[value] = new
    return new
  }
}
