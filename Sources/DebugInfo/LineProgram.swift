internal import Bytes

/// Runs the program of one line table.
struct LineProgram {
  /// One run of rows with ascending addresses, and the address behind it.
  struct Sequence {
    var rows: Range<Int>
    var start: UInt64
    var end: UInt64
  }

  /// One row, its file still in the table's numbers.
  struct Row {
    var address: UInt64
    var file: UInt64
    var line: UInt32
    var column: UInt32
  }

  private(set) var rows: [Row] = []
  private(set) var sequences: [Sequence] = []
  /// The files that the program named are added here.
  private(set) var table: LineTable
  /// Where the program breaks off, if it does; what stands before counts.
  private(set) var damage: ByteError?

  private let order: ByteOrder
  private var first = 0
  /// Whether the sequence was set to a lower address: the rows from there on are a dropped function's.
  private var isDropped = false
  private var address: UInt64 = 0
  private var operation: UInt64 = 0
  private var file: UInt64 = 1
  private var line: Int64 = 1
  private var column: UInt64 = 0

  /// Runs the program of `table`. Cost: linear in its bytes.
  init(_ table: LineTable, order: ByteOrder) {
    self.table = table
    self.order = order
    var cursor = ByteCursor(table.program, order: order)
    do throws(ByteError) {
      while cursor.remaining > 0 { try step(&cursor) }
    } catch {
      damage = error
    }
  }

  private mutating func step(_ cursor: inout ByteCursor) throws(ByteError) {
    let opcode: UInt8 = try cursor.read()
    if opcode >= table.opcodeBase {
      guard table.lineRange > 0 else { throw ByteError(.truncated, at: cursor.offset) }
      let adjusted = opcode - table.opcodeBase
      advance(UInt64(adjusted / table.lineRange))
      line &+= table.lineBase &+ Int64(adjusted % table.lineRange)
      append()
      return
    }
    switch opcode {
    case 0: try extended(&cursor)
    case 1: append()
    case 2: advance(try cursor.readULEB128())
    case 3: line &+= try cursor.readSLEB128()
    case 4: file = try cursor.readULEB128()
    case 5: column = try cursor.readULEB128()
    case 8:
      guard table.lineRange > 0 else { throw ByteError(.truncated, at: cursor.offset) }
      advance(UInt64((255 - table.opcodeBase) / table.lineRange))
    case 9:
      address &+= UInt64(try cursor.read(UInt16.self))
      operation = 0
    default:
      // Statements, blocks, prologues, and opcodes of the future: the header says how many operands to pass over.
      for _ in 0..<table.operandCounts[Int(opcode) - 1] { _ = try cursor.readULEB128() }
    }
  }

  private mutating func extended(_ cursor: inout ByteCursor) throws(ByteError) {
    let length = try cursor.readULEB128()
    let body = try cursor.read(count: length)
    guard let opcode: UInt8 = body.load(at: 0) else { return }
    switch opcode {
    case 1: endSequence()
    case 2:
      let value: UInt64? =
        switch body.count - 1 {
        case 8: body.load(at: 1, order: order)
        case 4: body.load(at: 1, as: UInt32.self, order: order).map(UInt64.init)
        case 2: body.load(at: 1, as: UInt16.self, order: order).map(UInt64.init)
        default: nil
        }
      guard let value else { throw ByteError(.truncated, at: cursor.offset) }
      address = value
      operation = 0
      isDropped = rows.count > first && value < rows[rows.count - 1].address
    case 3:
      if let operand = body.suffix(from: 1) { try table.define(operand, order: order) }
    default: break
    }
  }

  /// Moves on by some operations (DWARF 4, 6.2.5.1).
  private mutating func advance(_ operations: UInt64) {
    if table.operationsPerInstruction == 1 {
      address &+= table.minimumInstructionLength &* operations
      return
    }
    let sum = operation &+ operations
    address &+= table.minimumInstructionLength &* (sum / table.operationsPerInstruction)
    operation = sum % table.operationsPerInstruction
  }

  /// Adds a row. Addresses of a sequence ascend; a row that goes back is damaged and left out (B.25).
  private mutating func append() {
    if rows.count > first, rows[rows.count - 1].address > address { return }
    isDropped = false
    let row = Row(
      address: address, file: file, line: UInt32(clamping: max(0, line)), column: UInt32(clamping: column))
    // Of several rows at one address the last counts: the others cover nothing.
    if rows.count > first, rows[rows.count - 1].address == address {
      rows[rows.count - 1] = row
    } else {
      rows.append(row)
    }
  }

  private mutating func endSequence() {
    // Where the rest was dropped, the last row before it only says how far the one before that reaches (B.18).
    if isDropped, rows.count > first { address = rows[rows.count - 1].address }
    // A row at the very end covers nothing.
    while rows.count > first, rows[rows.count - 1].address >= address { rows.removeLast() }
    if rows.count > first {
      sequences.append(Sequence(rows: first..<rows.count, start: rows[first].address, end: address))
    }
    first = rows.count
    isDropped = false
    address = 0
    operation = 0
    file = 1
    line = 1
    column = 0
  }
}
