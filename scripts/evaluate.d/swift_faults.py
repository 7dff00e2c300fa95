"""The planted faults of the Swift matrix: Swift source for each kind, with places where a variant changes it.

Marks in a template: NOUN the name of the fault's own type; LABEL an argument label; INLINE an attribute of the function between;
CLOSURE a statement with a closure before the faulty one; SPLIT(Type) where the rest moves to an extension; GENERIC(statement) a
further call of a generic function. MARK is different for each noun.
"""
import dataclasses
import re

NOUNS = """Anchor Ballast Barge Beacon Berth Bollard Bridge Buoy Cabin Canal Cargo Chain Chart Compass Crane Crate Crew Current
Customs Deck Depth Derrick Dock Dredge Engine Ferry Flag Fleet Freight Gangway Harbor Hatch Helm Hull Island Jetty Keel Ladder
Lagoon Ledger Lighthouse Lock Manifest Mast Mooring Paddle Pallet Pilot Pontoon Quay Radar Reef Rigging Rudder Sail Schedule
Signal Sluice Sonar Storm Stowage Tanker Tender Tide Tug Vessel Voyage Wharf Winch Yard""".split()

KINDS = {
    "index": """
struct NOUNShelf {
  var items: [Int]
  SPLIT(NOUNShelf)
  INLINE func pick(LABEL index: Int) -> Int { MARK; CLOSURE; return items[index] }
  func best(of count: Int) -> Int { MARK; return pick(LABEL: count &+ 40) &+ 1 }
}
func runNOUN() { MARK; sink(NOUNShelf(items: makeList(3)).best(of: opaque(2))) }""",
    "unwrap": """
final class NOUNBook {
  var rows: [Int: Int] = [1: 2]
  SPLIT(NOUNBook)
  INLINE func row(LABEL key: Int) -> Int { MARK; CLOSURE; return rows[key]! }
  func total(_ keys: [Int]) -> Int {
    MARK
    var sum = 0
    for key in keys { sum &+= row(LABEL: key) }
    return sum
  }
}
func runNOUN() { MARK; sink(NOUNBook().total(makeList(4))) }""",
    "overflow": """
enum NOUNMeter {
  SPLIT(NOUNMeter)
  INLINE static func add(_ a: Int8, LABEL b: Int8) -> Int8 { MARK; CLOSURE; return a + b }
  static func sum(_ values: [Int]) -> Int {
    MARK
    var level: Int8 = 100
    for value in values { level = add(level, LABEL: Int8(truncatingIfNeeded: value &+ 60)) }
    return Int(level)
  }
}
func runNOUN() { MARK; sink(NOUNMeter.sum(makeList(4))) }""",
    "closure": """
struct NOUNFilter {
  var parts: Int
  SPLIT(NOUNFilter)
  func apply(_ values: [Int], LABEL shift: Int) -> [Int] {
    MARK
    CLOSURE
    return values.map { value in
      MARK
      return (value &+ shift) / parts
    }
  }
}
func runNOUN() { MARK; sink(NOUNFilter(parts: opaque(0)).apply(makeList(3), LABEL: opaque(1)).count) }""",
    "nested": """
@inline(never) func eachNOUN(_ values: [Int], _ body: (Int) -> Void) { for value in values { body(value) }; MARK }
struct NOUNPlan {
  var limits: [Int]
  SPLIT(NOUNPlan)
  func check(LABEL values: [Int]) {
    MARK
    CLOSURE
    eachNOUN(values) { outer in
      eachNOUN(limits) { inner in MARK; sink(limits[outer &+ inner &+ 20]) }
      MARK
    }
  }
}
func runNOUN() { MARK; NOUNPlan(limits: makeList(3)).check(LABEL: makeList(2)) }""",
    "generic": """
struct NOUNRank<Element: Comparable> {
  var list: [Element]
  SPLIT(NOUNRank)
  INLINE func ranked(LABEL rank: Int) -> Element { MARK; CLOSURE; return list.sorted()[rank] }
  func first(after count: Int) -> Element { MARK; return ranked(LABEL: count &+ 9) }
}
func extraNOUN() { GENERIC(sink(NOUNRank(list: ["a", "b"]).first(after: opaque(0)).count)) }
func runNOUN() { MARK; sink(NOUNRank(list: makeList(5)).first(after: opaque(3))) }""",
    "protocol": """
protocol NOUNRoute { func cost(LABEL step: Int) -> Int }
struct NOUNShort: NOUNRoute { func cost(LABEL step: Int) -> Int { step &+ 1 } }
struct NOUNLong: NOUNRoute {
  var legs: [Int]
  SPLIT(NOUNLong)
  func cost(LABEL step: Int) -> Int { MARK; CLOSURE; return leg(step) &+ 1 }
  INLINE func leg(_ step: Int) -> Int { MARK; return legs[step &+ 7] }
}
@inline(never) func routesNOUN() -> [any NOUNRoute] { MARK; return opaque(1) == 1 ? [NOUNShort(), NOUNLong(legs: makeList(2))] : [NOUNShort()] }
func runNOUN() { MARK; for route in routesNOUN() { sink(route.cost(LABEL: opaque(3))) } }""",
    "override": """
class NOUNBase {
  func load(LABEL amount: Int) -> Int { MARK; return amount &+ 1 }
}
final class NOUNHeavy: NOUNBase {
  var slots: [Int] = makeList(2)
  override func load(LABEL amount: Int) -> Int { MARK; CLOSURE; return slot(amount) &+ super.load(LABEL: amount) }
  INLINE func slot(_ amount: Int) -> Int { MARK; return slots[amount &+ 11] }
}
@inline(never) func makeNOUN() -> NOUNBase { MARK; return opaque(1) == 1 ? NOUNHeavy() : NOUNBase() }
func runNOUN() { MARK; sink(makeNOUN().load(LABEL: opaque(4))) }""",
    "getter": """
struct NOUNGauge {
  var readings: [Int]
  SPLIT(NOUNGauge)
  var peak: Int { MARK; CLOSURE; return readings.max()! }
  INLINE func spread(LABEL base: Int) -> Int { MARK; return peak &- base }
}
func runNOUN() { MARK; sink(NOUNGauge(readings: makeList(opaque(0))).spread(LABEL: opaque(1))) }""",
    "subscript": """
struct NOUNGrid {
  var cells: [Int]
  SPLIT(NOUNGrid)
  subscript(LABEL row: Int) -> Int { MARK; CLOSURE; return cells[row &* 4] }
  INLINE func corner(_ size: Int) -> Int { MARK; return self[LABEL: size] &+ 1 }
}
func runNOUN() { MARK; sink(NOUNGrid(cells: makeList(6)).corner(opaque(5))) }""",
    "initialiser": """
struct NOUNTicket {
  var number: Int
  init(LABEL value: Int) {
    MARK
    CLOSURE
    precondition(value > 5, "a small number")
    number = value
  }
}
INLINE func issueNOUN(_ value: Int) -> NOUNTicket { MARK; return NOUNTicket(LABEL: value &- 3) }
func runNOUN() { MARK; sink(issueNOUN(opaque(4)).number) }""",
    "switch": """
enum NOUNState: Int {
  case open, shut, lost
  SPLIT(NOUNState)
  INLINE static func name(LABEL state: NOUNState) -> Int {
    MARK
    CLOSURE
    switch state {
    case .open: return 4
    case .shut: return 5
    case .lost: fatalError("lost")
    }
  }
  static func all(_ values: [Int]) -> Int { MARK; return values.reduce(0) { $0 &+ name(LABEL: NOUNState(rawValue: $1) ?? .open) } }
}
func runNOUN() { MARK; sink(NOUNState.all(makeList(3))) }""",
    "recursion": """
struct NOUNTree {
  var limits: [Int]
  SPLIT(NOUNTree)
  @inline(never) func depth(LABEL level: Int) -> Int {
    MARK
    CLOSURE
    return level > limits.count ? limits[level] : depth(LABEL: level &+ 1) &+ 1
  }
}
func runNOUN() { MARK; sink(NOUNTree(limits: makeList(opaque(RANDOM))).depth(LABEL: opaque(0))) }""",
    "pointer": """
struct NOUNBuffer {
  var base: UInt
  SPLIT(NOUNBuffer)
  INLINE func write(_ value: Int, LABEL offset: Int) {
    MARK
    CLOSURE
    UnsafeMutablePointer<Int>(bitPattern: base &+ UInt(offset))!.pointee = value
  }
  func fill(_ values: [Int]) { MARK; for value in values { write(value, LABEL: 8 &* value) } }
}
func runNOUN() { MARK; NOUNBuffer(base: UInt(opaque(64))).fill(makeList(3)) }""",
    "stdlib": """
extension Array where Element == Int {
  INLINE func pickNOUN(LABEL place: Int) -> Int { MARK; CLOSURE; return self[count &+ place] }
}
struct NOUNUser {
  var values: [Int]
  func use() -> Int { MARK; return values.pickNOUN(LABEL: opaque(2)) &* 2 }
}
func runNOUN() { MARK; sink(NOUNUser(values: makeList(3)).use()) }""",
    "helper": """
struct NOUNForm {
  var fields: [Int: Int]
  SPLIT(NOUNForm)
  INLINE func field(LABEL key: Int) -> Int { MARK; CLOSURE; return Guardrail.require(fields[key], "a field") }
  func submit() -> Int { MARK; return field(LABEL: opaque(3)) &+ 2 }
}
func runNOUN() { MARK; sink(NOUNForm(fields: [1: 1]).submit()) }""",
    "lazy": """
final class NOUNCache {
  var seeds: [Int] = makeList(2)
  lazy var table: [Int] = { MARK; CLOSURE; return [seeds[opaque(5)]] }()
  func lookup(LABEL key: Int) -> Int { MARK; return table[key] }
}
func runNOUN() { MARK; sink(NOUNCache().lookup(LABEL: opaque(0))) }""",
    "comparator": """
struct NOUNOrder {
  var weights: [Int]
  SPLIT(NOUNOrder)
  func sorted(LABEL values: [Int]) -> [Int] {
    MARK
    CLOSURE
    return values.sorted { a, b in MARK; return weights[a &+ 30] < weights[b] }
  }
}
func runNOUN() { MARK; sink(NOUNOrder(weights: makeList(4)).sorted(LABEL: makeList(6)).count) }""",
    "try": """
struct NOUNFailure: Error { var code: Int }
struct NOUNReader {
  var limit: Int
  SPLIT(NOUNReader)
  func read(LABEL count: Int) throws -> Int {
    MARK
    CLOSURE
    guard count < limit else { throw NOUNFailure(code: count) }
    return count
  }
  INLINE func force(_ count: Int) -> Int { MARK; return try! read(LABEL: count) }
}
func runNOUN() { MARK; sink(NOUNReader(limit: opaque(2)).force(opaque(7))) }""",
    "deinit": """
final class NOUNHandle {
  var slots: [Int] = makeList(2)
  deinit { MARK; CLOSURE; sink(slots[opaque(8)]) }
}
final class NOUNOwner {
  var handle: NOUNHandle? = NOUNHandle()
  INLINE func drop(LABEL count: Int) { MARK; handle = nil; sink(count) }
}
func runNOUN() { MARK; NOUNOwner().drop(LABEL: opaque(1)) }""",
    "async": """
actor NOUNDesk {
  var seats: [Int] = makeList(3)
  func seat(LABEL number: Int) -> Int { MARK; CLOSURE; return seats[number] }
}
struct NOUNBooking {
  var desk = NOUNDesk()
  func book(_ place: Int) async -> Int { MARK; return await desk.seat(LABEL: place &+ 20) &+ 1 }
}
func runNOUN() {
  MARK
  Task.detached { await sink(NOUNBooking().book(opaque(1))) }
  pier_wait()
}""",
    "observer": """
struct NOUNDial {
  var marks: [Int]
  var value: Int = 0 { didSet { MARK; CLOSURE; sink(marks[value]) } }
  INLINE mutating func turn(LABEL amount: Int) { MARK; value &+= amount }
}
func runNOUN() { MARK; var dial = NOUNDial(marks: makeList(3)); dial.turn(LABEL: opaque(12)); sink(dial.value) }""",
    "local": """
struct NOUNParser {
  var bytes: [Int]
  SPLIT(NOUNParser)
  func parse(LABEL start: Int) -> Int {
    MARK
    CLOSURE
    func next(_ place: Int) -> Int { MARK; return bytes[place &+ start] }
    return next(1) &+ next(opaque(2))
  }
  INLINE func all() -> Int { MARK; return parse(LABEL: opaque(15)) }
}
func runNOUN() { MARK; sink(NOUNParser(bytes: makeList(5)).all()) }""",
    "hashing": """
struct NOUNKey: Hashable {
  var parts: [Int]
  static func == (a: NOUNKey, b: NOUNKey) -> Bool { a.parts == b.parts }
  func hash(into hasher: inout Hasher) { MARK; CLOSURE; hasher.combine(parts[opaque(6)]) }
}
struct NOUNIndex {
  var map: [NOUNKey: Int] = [:]
  mutating func insert(LABEL value: Int) { MARK; map[NOUNKey(parts: makeList(value))] = value }
}
func runNOUN() { MARK; var index = NOUNIndex(); index.insert(LABEL: opaque(2)); sink(index.map.count) }""",
    # Neighbours, two faults in one source: strangers that differ in the innermost frame only.
    "sibling": """
struct NOUNOffice {
  var files: [Int]
  SPLIT(NOUNOffice)
  INLINE func read(LABEL place: Int) -> Int { MARK; CLOSURE; return files[place &+ 9] }
  INLINE func erase(LABEL place: Int) -> Int { MARK; CLOSURE; return files[place &+ 19] &+ 1 }
  func work(_ mode: Int) -> Int { mode == 1 ? read(LABEL: mode) &+ 2 : erase(LABEL: mode) &* 3 }
  func open(_ mode: Int) -> Int { MARK; return work(mode) &+ 1 }
}
@inline(never) func startNOUN(_ mode: Int) { sink(NOUNOffice(files: makeList(3)).open(opaque(mode))); MARK }
func runNOUN() { startNOUN(1); MARK }
func runNOUNTwo() { startNOUN(2); MARK }""",
    "overload": """
struct NOUNArm {
  var stops: [Int]
  SPLIT(NOUNArm)
  INLINE func move(to place: Int) -> Int { MARK; CLOSURE; return stops[place &+ 9] }
  INLINE func move(by steps: Int) -> Int { MARK; CLOSURE; return stops[steps &* 9] &+ 1 }
  func step(_ mode: Int) -> Int { mode == 1 ? move(to: mode) &+ 2 : move(by: mode) &* 3 }
  func lift(LABEL mode: Int) -> Int { MARK; return step(mode) &+ 1 }
}
@inline(never) func startNOUN(_ mode: Int) { sink(NOUNArm(stops: makeList(3)).lift(LABEL: opaque(mode))); MARK }
func runNOUN() { startNOUN(1); MARK }
func runNOUNTwo() { startNOUN(2); MARK }""",
    # Two ways to one function in one build: strangers that differ by a caller, as one fault does in two builds.
    "shortcut": """
struct NOUNStore {
  var boxes: [Int]
  SPLIT(NOUNStore)
  INLINE func fetch(LABEL place: Int) -> Int { MARK; CLOSURE; return boxes[place &+ 9] }
  INLINE func restore(_ mode: Int) -> Int { MARK; return fetch(LABEL: mode) &+ 2 }
  func open(_ mode: Int) -> Int { MARK; return (mode == 1 ? restore(mode) : fetch(LABEL: mode &* 7) &* 3) &+ 1 }
}
@inline(never) func startNOUN(_ mode: Int) { sink(NOUNStore(boxes: makeList(3)).open(opaque(mode))); MARK }
func runNOUN() { startNOUN(1); MARK }
func runNOUNTwo() { startNOUN(2); MARK }""",
}
SUPPORT = """
/// Opaque to the optimiser, as input is.
func opaque(_ value: Int) -> Int { pier_number(value) }
func sink(_ value: Int) { pier_sink(value) }
@inline(never) func makeList(_ count: Int) -> [Int] { (0..<count).map { opaque($0) } }
enum Guardrail {
  @inline(never) static func require<T>(_ value: T?, _ name: StaticString) -> T {
    guard let value else { preconditionFailure("missing") }
    return value
  }
}
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    id: str
    kind: str
    noun: str
    entry: str      # the function that leads to it


def mark(ordinal: int) -> str:
    """A statement whose shape is the noun's own: compilers fold functions that differ in numbers only."""
    steps = [("&* opaque(2)", "&+ opaque(3)", "^ opaque(4)")[ordinal // 3 ** digit % 3] for digit in range(4)]
    return f"sink(opaque({ordinal}) {' '.join(steps)})"


def planted() -> list[Fault]:
    """The first twelve kinds three times, the others twice; neighbours twice each."""
    nouns, found = iter(NOUNS), []
    for place, (kind, text) in enumerate(KINDS.items()):
        for number in range(3 if place < 12 else 2):
            noun = next(nouns)
            entries = [name.replace("NOUN", noun) for name in ("runNOUN", "runNOUNTwo") if f"func {name}()" in text]
            letters = ["", "b"] if len(entries) > 1 else [""]
            found += [Fault(f"{kind}-{number + 1}{letter}", kind, noun, entry) for letter, entry in zip(letters, entries)]
    return found


def source(fault: Fault, variants: frozenset, recursion: int) -> str:
    """The fault's source under these variants."""
    text = KINDS[fault.kind].replace("NOUN", fault.noun).replace("RANDOM", str(recursion))
    text = text.replace("MARK", mark(NOUNS.index(fault.noun)))
    text = text.replace("LABEL", "position" if "label" in variants else "at")
    closure = "sink(makeList(2).filter { $0 > opaque(9) }.count)"
    text = text.replace("CLOSURE", closure) if "closure" in variants else re.sub(r"CLOSURE;? ?", "", text)
    text = text.replace("INLINE", "@inline(__always)" if "always" in variants else "@inline(never)" if "never" in variants else "")
    split = r"}\n\nextension \1 {" if "extension" in variants else ""
    text = re.sub(r"SPLIT\((\w+)\)", split, text)
    return re.sub(r"GENERIC\((.*)\) }$", r"\1 }" if "generic" in variants else "}", text, flags=re.M)


def sources(faults: list[Fault], variants: frozenset, recursion: int) -> dict[str, str]:
    """All files of one build: twelve sources a file, and the file that registers the faults."""
    files = {"Support.swift": SUPPORT}
    apart = [fault for fault in faults if not fault.entry.endswith("Two")]   # neighbours share their source
    for start in range(0, len(apart), 12):
        part = apart[start:start + 12]
        files[f"Part{start // 12}.swift"] = "\n".join(source(fault, variants, recursion) for fault in part) + "\n"
    calls = [f'pier_register("{fault.id}", {fault.entry})' for fault in faults]
    extra = [f"if opaque(0) == 1 {{ extra{fault.noun}() }}" for fault in faults if fault.kind == "generic"]
    files["main.swift"] = "\n".join(extra + calls + ["_ = pier_run()"]) + "\n"
    return files
