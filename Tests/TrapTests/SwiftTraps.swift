import Bytes
import Demangling
import Diagnostics
import Identity
import Signatures
import SymbolIndex
import Symbolication
import TestSupport
import Testing

/// B.45 to B.53: what is peculiar to Swift.
@Suite struct SwiftTraps {
  private let apply = "$s4Shop4CartV5applyyyF"
  private let load = "$s4Shop4CartV4loadyyYaF"

  private func demangle(_ name: String) -> DemangledName { Demangler().demangle(name) }

  /// The frames of `outer` [1000, 1040), which holds inlined calls of `inner`, innermost last, each in its file.
  private func frames(
    _ outer: String, inlining inner: [(name: String, file: UInt64, line: UInt8)] = [],
    files: [String] = ["a.swift", "<compiler-generated>"], row: LineStep = .row(0x1000, line: 7)
  ) throws -> [Frame] {
    let made = unit { unit in
      for (name, _, _) in inner { unit.entry(DW.function, [(DW.linkageName, .string(name))], label: name) }
      unit.begin(DW.function, [(DW.linkageName, .string(outer))] + unit.code(0x1000, 0x1040))
      for (name, file, line) in inner {
        unit.begin(
          DW.inlined,
          [(DW.origin, .label(name)), (DW.callFile, .data1(UInt8(file))), (DW.callLine, .data1(line))]
            + unit.code(0x1000, 0x1040))
      }
    }
    return try index(DebugFileBuilder(made, lines: lineTable(files: files, steps: [row, .end(0x1040)])))
      .lookup(0x1000).frames
  }

  /// The signature of a crash whose raw frames resolve to `stacks`, innermost first.
  private func signature(_ stacks: [[Frame]]) throws -> Signature {
    let places = stacks.indices.map { (UInt64($0 + 1) * 0x100, 0x1_0000_0000 + UInt64($0 + 1) * 0x100) }
    let read = RawStack.reading(try diagnostic(nested(places)), stack: 0)
    return SignatureBuilder().signature(
      of: read.stack, resolutions: read.sources.map { Resolution(status: .resolved, frames: stacks[$0]) })
  }

  @Test func `B.45 closures of one function have one token, whatever their number`() {
    let names = ["U_", "U0_", "U7_"].map { demangle(apply + "yycf" + $0) }
    #expect(Set(names.map(\.token)) == ["closure in Shop.Cart.apply()"])
    #expect(
      names.map(\.display) == [
        "closure #1 in Cart.apply()", "closure #2 in Cart.apply()", "closure #9 in Cart.apply()",
      ])
    #expect(names.allSatisfy { $0.traits.contains(.closure) })
  }

  @Test(arguments: ["TQ0_", "TQ1_", "TY1_", "TY22_", "TQ0_.resume.0"])
  func `B.46 every part of an async function is that function`(part: String) throws {
    let frame = try #require(try frames(load + part).first)
    #expect(frame.function == "Cart.load()")
    #expect(frame.token == "Shop.Cart.load()")
    #expect(frame.traits.contains(.asyncPart))
    #expect(frame.mangled == load + part)
  }

  @Test func `B.46 a part and its function make one signature`() throws {
    let entry = try signature([try frames(load), try frames(apply)])
    #expect(try signature([try frames(load + "TQ0_"), try frames(apply)]).id == entry.id)
    #expect(try signature([try frames(load + "TY1_"), try frames(load + "TQ2_"), try frames(apply)]).id == entry.id)
  }

  @Test(arguments: [
    "$s4Shop4CartVAA7PayableA2aDP5applyyyFTW", "$s4Shop4CartV5applyyyFTA", "$s4Shop4CartC5applyyyFTo",
    "$s4Shop4CartC5applyyyFTj", "$s4Shop4CartC5applyyyFTc", "$s4Shop4CartC5applyyyFTTE", "$sIeg_IeyB_TR",
    "$s4Shop4CartVWOe", "$s4Shop4CartVMa",
  ])
  func `B.47 code that the compiler made is marked and enters no signature beside the function that it leads to`(
    name: String
  ) throws {
    let demangled = demangle(name)
    #expect(!demangled.traits.isDisjoint(with: [.thunk, .outlined]))
    let direct = try signature([try frames(apply), try frames(load)])
    #expect(try signature([try frames(apply), try frames(name), try frames(load)]).tokens == direct.tokens)
  }

  @Test func `B.48 a trap's reason is lifted and the function of the user is blamed`() throws {
    let failure = "Swift runtime failure: Index out of range"
    let trapped = try frames(
      apply, inlining: [("$sSayxSicig", 1, 12), (failure, 2, 0)], row: .row(0x1000, file: 2, line: 0))
    #expect(trapped.map(\.function) == [failure, "Array.subscript(_:)", "Cart.apply()"])
    #expect(trapped[0].traits.isSuperset(of: [.runtimeFailure, .synthetic]))
    #expect(trapped[2].line == 12)
    let signature = try signature([trapped, try frames(load)])
    #expect(signature.blame == "App!Shop.Cart.apply()")
    #expect(!signature.tokens.contains { $0.contains("runtime failure") })
    #expect(signature.frames[0].rule == "runtime-failure")
  }

  @Test(.enabled(if: Tool.symclust != nil, "the program was not built"))
  func `B.48 the trap's reason is a field of the answer`() throws {
    let folder = try TestStore.folder("trap")
    let made = unit { unit in
      unit.entry(DW.function, [(DW.name, .string("Swift runtime failure: Index out of range"))], label: "failure")
      unit.begin(DW.function, [(DW.linkageName, .string(apply))] + unit.code(0x1000, 0x1040))
      unit.entry(DW.inlined, [(DW.origin, .label("failure")), (DW.callLine, .data1(0))] + unit.code(0x1010, 0x1014))
    }
    let path = folder.write(DebugFileBuilder(made).build(), to: "App")
    let program = try #require(Tool.symclust)
    let lines = Tool.run(program, ["lookup", "--object", path, "--json", "0x1010", "0x1000"]).lines
    #expect(lines[0].contains(#""trap_reason":"Index out of range""#))
    #expect(!lines[1].contains("trap_reason"))
  }

  @Test(arguments: ["Tg5", "TG5", "TGq5", "Tf4n_n", "Tf4nd_n", "Tm", "Tg5Tf4n_n", "Tgm5", "Tt0g5", "TZz9_"])
  func `B.49 a specialisation is the function that it was made of, even one that the demangler does not know`(
    suffix: String
  ) {
    let demangled = demangle(apply + suffix)
    #expect(demangled.token == "Shop.Cart.apply()")
    #expect(demangled.isDemangled)
  }

  @Test func `B.49 a name that cannot be demangled is kept and counted`() throws {
    let broken = "$s4Shop4CartV5applQQQ"
    let file = DebugFileBuilder(unit { $0.function(broken, 0x1000, 0x1010) })
    #expect(try index(file).lookup(0x1000).frames.map(\.function) == [broken])
    #expect(try summary(file).demangleFailures == 1)
  }

  @Test
  func `B.50 the linker's name is kept beside the display, and tokens hold no type that a demangler might spell anew`()
    throws
  {
    let name = "$s4Shop4CartV5apply6couponySaySSG_tF"
    let frame = try #require(try frames(name + "Tg5").first)
    #expect(frame.mangled == name + "Tg5")
    #expect(frame.token == "Shop.Cart.apply(coupon:)")
  }

  @Test func `B.51 hostile names are bounded and never crash`() throws {
    let deep =
      "$s4Shop4CartV5applyyy" + String(repeating: "Say", count: 4000) + "Si" + String(repeating: "G", count: 4000) + "F"
    let names = [
      "$s" + String(repeating: "A", count: 200_000), deep, "_Z" + String(repeating: "N", count: 60_000) + "E",
      "_RN" + String(repeating: "vC", count: 20_000), "_Z1f" + String(repeating: "P", count: 60_000) + "v",
    ]
    for name in names { #expect(demangle(name).display.utf8.count <= 1 << 20) }
    var file = DebugFileBuilder()
    file.symbols = names.enumerated().map { ($1, 0x1000 + UInt64($0) * 0x10, 0x10) }
    let index = try index(file)
    for number in names.indices { #expect(index.lookup(0x1000 + UInt64(number) * 0x10).frames.count == 1) }
  }

  @Test(arguments: ["main", "async_Main", "async_MainTQ0_", "$s4Shop7ShopAppV5$mainyyFZ"])
  func `B.52 the program's entry takes no part beside anything else`(name: String) throws {
    let crash = try signature([try frames(apply), try frames(name)])
    #expect(crash.tokens == ["App!Shop.Cart.apply()"])
  }

  @Test func `B.52 the mark of synthetic code is the pseudo-file, not line 0`() throws {
    let found = try frames(
      "main", inlining: [("$s4Shop7ShopAppV5$mainyyFZ", 2, 12)], row: .row(0x1000, file: 2, line: 9))
    #expect(found.map(\.file) == ["<compiler-generated>", "<compiler-generated>"])
    #expect(found.map(\.line) == [9, 12])
    #expect(found.allSatisfy { $0.traits.contains(.synthetic) })
  }

  @Test func `B.55 a placeholder that bitcode left is no name for a signature`() throws {
    let hidden = try index(
      image {
        $0.symbols = [.init("__hidden#7_", 0x1000)]
      }
    ).lookup(0x1000).frames
    let signature = try signature([hidden, try frames(apply)])
    #expect(signature.isProvisional)
    #expect(!signature.tokens.contains { $0.contains("hidden") })
  }

  @Test func `B.53 a macro's expansion is synthetic and its caller keeps the line where it is attached`() throws {
    let expansion = "@__swiftmacro_4Shop9stringifyfMf_.swift"
    let found = try frames(
      apply, inlining: [("$s4Shop9stringifyyyFMf_", 1, 31)], files: ["a.swift", expansion],
      row: .row(0x1000, file: 2, line: 1))
    #expect(found[0].traits.contains(.synthetic))
    #expect(found[0].file?.hasSuffix(expansion) == true)
    #expect(!found[1].traits.contains(.synthetic))
    #expect(found[1].summary == apply + " /src/a.swift:31")
  }
}
