import Bytes
import ObjectFiles
import TestSupport
import Testing

/// Files in which something is wrong: each ends in an error or in an answer, never in a trap, and never in more than
/// its bytes can hold.
@Suite struct HostileFiles {
  private static let samples: [(name: String, order: ByteOrder, bytes: [UInt8], fields: [HeaderField])] = {
    var samples: [(String, ByteOrder, [UInt8], [HeaderField])] = []
    for is64Bit in [true, false] {
      for order in [ByteOrder.little, .big] {
        var machO = Sample.machO {
          $0.is64Bit = is64Bit
          $0.order = order
        }
        let machOBytes = machO.build()
        samples.append(("Mach-O \(is64Bit ? 64 : 32) \(order)", order, machOBytes, machO.fields))
        var elf = Sample.elf {
          $0.is64Bit = is64Bit
          $0.order = order
        }
        let elfBytes = elf.build()
        samples.append(("ELF \(is64Bit ? 64 : 32) \(order)", order, elfBytes, elf.fields))
      }
    }
    return samples
  }()

  @Test(arguments: 0..<8) func `cut off at every byte`(number: Int) {
    let sample = Self.samples[number]
    for length in 0..<sample.bytes.count { readAll(Array(sample.bytes[..<length])) }
    #expect(refusal(sample.bytes) == nil, "\(sample.name) as a whole is good")
    #expect(refusal(Array(sample.bytes[..<20])) != nil)
  }

  @Test(arguments: 0..<8) func `every number of the headers at its extremes`(number: Int) {
    let sample = Self.samples[number]
    #expect(sample.fields.count > 10)
    for field in sample.fields {
      for value in extremeNumbers {
        let found = readAll(field.setting(value, in: sample.bytes, order: sample.order))
        // Symbols, starts and sections each need at least a byte.
        #expect(found <= sample.bytes.count, "\(sample.name): \(field.name) = \(value)")
      }
    }
  }

  @Test(arguments: 0..<8) func `every pair of counts at its extremes`(number: Int) {
    let sample = Self.samples[number]
    let counts = sample.fields.filter { field in
      ["ncmds", "sizeofcmds", "nsects", "nsyms", "cmdsize", "e_shnum", "e_shentsize", "e_phnum", "e_phentsize"]
        .contains { field.name.hasSuffix($0) }
    }
    for first in counts {
      for second in counts where first.offset < second.offset {
        for (one, two) in [(UInt64.max, UInt64.max), (.max, 0), (0, .max), (1, 1 << 31)] {
          let changed = first.setting(one, in: sample.bytes, order: sample.order)
          readAll(second.setting(two, in: changed, order: sample.order))
        }
      }
    }
    #expect(counts.count >= 3)
  }

  @Test(arguments: 0..<8) func `every byte turned over`(number: Int) {
    let sample = Self.samples[number]
    for index in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[index] = ~bytes[index]
      readAll(bytes)
    }
    #expect(refusal(sample.bytes) == nil)
  }

  @Test func `stub sections that share one indirect table cost no more than the table`() throws {
    var builder = MachOBuilder()
    let stubs = 400
    builder.indirectSymbols = [UInt32](repeating: 0, count: 2_000)
    builder.symbols = [.init("_puts", 0, type: 1, section: 0)]
    builder.sections = (0..<stubs).map { number in
      .init("__TEXT", "__stubs\(number)", at: 0x1_0000_1000, size: 1 << 40, flags: 0x8000_0408, reserved: (0, 1))
    }
    let file = builder.build()
    #expect(try object(file).codeSymbols().count <= file.count)
  }

  @Test func `names that overlap cost no more than a few times the file`() throws {
    // Every symbol's name begins one byte later in one long text without an end.
    var builder = MachOBuilder()
    builder.sections = [.code(at: 0x1_0000_1000, size: 0x1_0000)]
    let long = String(repeating: "a", count: 60_000)
    builder.symbols = [.init(long, 0x1_0000_1000)] + (0..<4_000).map { .init("", 0x1_0000_1000 + $0) }
    var file = builder.build()
    let table = try #require(builder.fields.first { $0.name == "symoff" })
    let offset = Int(ByteView(file).load(at: table.offset, as: UInt32.self) ?? 0)
    for number in 1...4_000 {
      file = HeaderField("n_strx", offset + 16 * number, 4).setting(UInt64(number), in: file, order: .little)
    }
    let total = try object(file).codeSymbols().reduce(0) { $0 + $1.name.count }
    #expect(total <= 64 * file.count)
  }
}
