import Demangling
import TestSupport
import Testing

@Suite("Names from strangers do no harm")
struct HostileNameTests {
  @Test(
    "A name that cannot be demangled stays as it is and says so",
    arguments: ["$s", "$s5", "_Z", "_ZZ", "$s5MyApp4WorkyyY"])
  func failed(_ mangled: String) {
    let name = Demangler().demangle(mangled)
    #expect(name.outcome == .failed)
    #expect(name.token == mangled && name.display == mangled)
  }

  @Test("A name beyond the length limit is cut and says so")
  func tooLong() {
    let name = Demangler().demangle("$s" + String(repeating: "5MyApp", count: 20_000))
    #expect(name.outcome == .tooLong)
    #expect(name.display.utf8.count <= 1024)
  }

  @Test("A short name that would print a gigabyte is refused")
  func doubling() {
    var cxx = "_Z1f1AI1BS0_E"
    for number in 2..<28 {
      let last = "S" + String(number - 1, radix: 36).uppercased() + "_"
      cxx += "S_I\(last)\(last)E"
    }
    let name = Demangler().demangle(cxx)
    #expect(name.outcome == .failed)
    #expect(name.display == cxx)

    // Each level is a generic type of two equal arguments: the text doubles.
    var swift = "$s1f2fnyyAA1GV"
    swift += String(repeating: "yAD", count: 40) + "yS2iG"
    for level in 0..<40 { swift += "A" + (level < 22 ? String(UnicodeScalar(UInt8(69 + level))) : "\(level)_") + "G" }
    #expect(Demangler().demangle(swift + "F").display.utf8.count < 1 << 20)
    #expect(Demangler().demangle(swift + "WOh").display.utf8.count < 1 << 20)
  }

  @Test(
    "Deep nesting needs no deep stack",
    arguments: [
      "_Z1f" + String(repeating: "P", count: 4000) + "i", "_Z" + String(repeating: "Z", count: 4000),
      "_Z1f" + String(repeating: "1AI", count: 1300) + "i" + String(repeating: "E", count: 1300) + "v",
      "_RIN" + String(repeating: "C", count: 60_000), "$sSi" + String(repeating: "Sg", count: 30_000) + "D",
      "$s1f1gyy" + String(repeating: "yc", count: 30_000) + "F", "$s" + String(repeating: "U_", count: 30_000),
      "a" + String(repeating: ".1", count: 30_000), "_ZN1a1bEv" + String(repeating: ".cold", count: 12_000),
      "__" + String(repeating: "x", count: 60_000) + "_block_invoke_2",
      String(repeating: "__", count: 4000) + "x" + String(repeating: "_block_invoke", count: 4000),
      "@" + String(repeating: "@", count: 60_000),
    ])
  func nesting(_ mangled: String) {
    let name = Demangler().demangle(mangled)
    #expect(!name.token.isEmpty)
    #expect(name.token.utf8.count <= 1 << 20)
  }

  @Test("No mutation of a real name traps, and every answer is bounded")
  func mutations() {
    var random = SeededGenerator(seed: 42)
    let seeds = [
      "$s5MyApp4CartV5apply6coupon2toSiSS_SitKFS2icfU_S2iXEfU0_TA", "$s5MyApp6SquareCAA5ShapeA2aDP4areaSdyFTW",
      "$sSa5MyAppSiRszlE5sumUp2byS2i_tFS2i_SitXEfU_", "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
      "_ZZZ3foovENKUlvE_clEvENKUlvE0_clEv", "_RNCNvCs1234_7mycrate3foo0B3_", "__24-[Cart apply:]_block_invoke_2.33",
      "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.1234", "$s5MyApp3pppoiyS2i_SitF.cold.1",
    ]
    for _ in 0..<20_000 {
      var bytes = Array(seeds[Int(random.next() % UInt64(seeds.count))].utf8)
      for _ in 0...(random.next() % 4) {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next() % 127)
        case 1: bytes.remove(at: at)
        default: bytes.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: at)
        }
        if bytes.isEmpty { bytes = [95] }
      }
      let mangled = String(decoding: bytes, as: UTF8.self)
      let name = Demangler().demangle(mangled)
      #expect(name.token.utf8.count <= 1 << 20)
      #expect(Demangler().demangle(mangled) == name)
    }
  }
}
