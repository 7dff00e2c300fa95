import Demangling
import TestSupport
import Testing

/// For real names: the words that other tools make of a name lead to the token of the mangled name itself.
@Suite("Words and mangled names have one token")
struct ReportedNamePropertyTests {
  /// One name for which they have not.
  struct Difference: CustomStringConvertible {
    var mangled: String
    var words: String
    var token: String
    var reported: String
    var description: String { "\(mangled)\n  \(words)\n  \(token)\n  \(reported)" }
  }

  /// The differences between `names` and what `printer` makes of them; `expected` says what of the token words can tell.
  private func differences(
    _ names: [String], _ printer: String, expected: (_ token: String) -> String = { $0 }
  ) -> [Difference] {
    zip(names, lines(filtering: names, through: printer)).compactMap { mangled, words in
      let name = Demangler().demangle(mangled)
      guard words != mangled, name.isDemangled else { return nil }
      let reported = Demangler().demangle(reported: words).token
      let token = expected(name.token)
      return token == reported ? nil : Difference(mangled: mangled, words: words, token: token, reported: reported)
    }
  }

  /// The functions that the compiler made of `source`, mangled.
  private func compiled(_ source: String, as file: String, by commands: [String]) throws -> [String] {
    let folder = try #require(output("mktemp -d").split(separator: "\n").first.map(String.init))
    defer { _ = output("rm -rf '\(folder)'") }
    try #require(write(source, to: folder + "/" + file))
    let names = commands.flatMap { command in
      output("cd '\(folder)' && \(command) -o a.o && nm a.o | awk '$2 ~ /[tTW]/ { print $3 }' && rm a.o")
        .split(separator: "\n").map(String.init)
    }
    return Set(names).sorted()
  }

  @Test("C++ of two compilers, in the words of GNU's demangler and of LLVM's")
  func cxx() throws {
    let source = """
      namespace ns {
      struct Base { virtual ~Base(); virtual int go(int) = 0; };
      struct Other { virtual int stay() const; int there; };
      struct Sub : Other, Base { int go(int) override; int stay() const override; };
      Base::~Base() {}
      int Other::stay() const { return there; }
      int Sub::go(int n) { return n; }
      int Sub::stay() const { return 1; }
      template <class T> struct Box {
        T item;
        Box(T t) : item(t) {}
        template <class U> __attribute__((noinline)) auto put(U u, T t) const -> U { return u + t; }
        operator T*() { return &item; }
        bool operator==(const Box& o) const { return item == o.item; }
        bool operator<(const Box& o) const { return item < o.item; }
        T operator()(T t) { return t; }
        T operator[](int n) { return item + n; }
        Box* operator->() { return this; }
      };
      template <class T> bool operator>(Box<T> a, T b) { return a.item > b; }
      template <class T> bool operator-(Box<T> a, T b) { return a.item - b; }
      template <class T> T largest(T a, T b) { return a > b ? a : b; }
      __attribute__((abi_tag("v2"))) int tagged(int n) { return n; }
      int (*chosen(int n))(int) { return n ? tagged : nullptr; }
      int work() { return 0; }
      }
      namespace { __attribute__((noinline)) int hidden(ns::Other* o, int (*f)(int)) { return f(o->there); } }
      int outer(ns::Other* o) {
        struct Local { __attribute__((noinline)) int run(int n) { return n + 1; } };
        auto twice = [](int n) { auto inner = [n](int m) { return n * m; }; return inner(n); };
        return hidden(o, ns::chosen(1)) + twice(3) + Local().run(4);
      }
      int use(ns::Sub* s) {
        ns::Box<int> a(1), b(2);
        return a.put<long>(1, 2) + *(int*)a + (a == b) + (a < b) + a(1) + a[1] + a->item + (a > 1) + (a - 1)
          + ns::largest(1, 2) + ns::work() + s->go(1) + outer(s);
      }
      """
    let names = try compiled(
      source, as: "a.cpp", by: ["clang++ -std=c++17 -c a.cpp", "g++ -std=c++17 -c a.cpp"]
    ).filter { $0.hasPrefix("_Z") }
    #expect(names.count > 30 && names.contains { $0.contains("put") } && names.contains { $0.hasPrefix("_ZThn") })
    #expect(differences(names, "c++filt").isEmpty)
    #expect(differences(names, "c++filt -p").isEmpty)
    if !output("command -v llvm-cxxfilt-19").isEmpty { #expect(differences(names, "llvm-cxxfilt-19").isEmpty) }
  }

  @Test("Swift, in full and in short")
  func swift() throws {
    let source = """
      public protocol Shape { func area(of n: Int) -> Int; subscript(_ n: Int) -> Int { get } }
      public class Square: Shape {
        var side = 1
        public init(side: Int) { self.side = side }
        deinit { print(side) }
        public func area(of n: Int) -> Int { side * n }
        public subscript(n: Int) -> Int { side + n }
        public static func < (a: Square, b: Square) -> Bool { a.side < b.side }
      }
      public struct Cart<Item: Hashable> {
        public var items: [Item] = [] { didSet { print(oldValue.count) } }
        public init() {}
        @inline(never) fileprivate func hidden(_ x: Int) -> Int { x + items.count }
        @inline(never) public func apply(coupon: String, to n: Int = 3, _ f: (Int) throws -> Int) rethrows -> Int {
          @inline(never) func local(_ q: Int) -> Int { q &+ hidden(n) }
          return try [1, 2, 3].map { try f($0 + local(n)) }.reduce(0, +)
        }
      }
      @inline(never) public func work(_ n: Int) throws -> Int { n &* 3 }
      @inline(never) public func rest() -> Int { 7 }
      public func call() throws -> Int { try Cart<String>().apply(coupon: "a") { try work($0) } &+ rest() }
      extension Array where Element == Int { @inline(never) public func sum(by k: Int) -> Int { reduce(0) { $0 + $1 * k } } }
      public actor Bank { public var x = 0; @inline(never) public func pay(_ n: Int) async { x += n; await Task.yield() } }
      """
    let names = try compiled(
      source, as: "a.swift",
      by: ["-Onone", "-O"].map { "swiftc -emit-object \($0) -wmo -parse-as-library -module-name MyApp a.swift" }
    ).filter { $0.hasPrefix("$s") && !Demangler().demangle($0).traits.contains(.synthetic) }
    #expect(names.count > 40)
    #expect(differences(names, "swift-demangle -compact").isEmpty)
    // In short the labels of subscripts and the module are missing, and `rest()` may be C++.
    let short = names.filter { mangled in
      let token = Demangler().demangle(mangled).token
      return !token.contains("subscript") && !token.hasSuffix("MyApp.rest()") && !token.hasSuffix("MyApp.call()")
    }
    #expect(differences(short, "swift-demangle -compact -simplified", expected: withoutModule).isEmpty)
  }

  private func withoutModule(_ token: String) -> String {
    var levels = token.split(separator: " ").map(String.init)
    guard
      let place = levels.firstIndex(where: {
        $0.hasPrefix("MyApp.") || $0.hasPrefix("MyApp:") || $0.hasPrefix("Swift.")
      })
    else { return token }
    let level = levels[place].split(separator: ":", maxSplits: 1)
    // `MyApp:Swift.Array.sum(by:)` is `Array.sum(by:)` in short.
    let path = levels[place].hasPrefix("MyApp:") ? String(level[1]) : levels[place]
    levels[place] = path.split(separator: ".").dropFirst().joined(separator: ".")
    return levels.joined(separator: " ")
  }

  @Test("A token is its own token, and our display forms lead to it")
  func fixedPoints() {
    let names = [
      "_ZN3foo3barEi", "_ZNSt6vectorIiSaIiEE9push_backERKi", "_Z3maxIiET_S0_S0_", "_ZN12_GLOBAL__N_13fooEv",
      "_ZZZ3foovENKUlvE_clEvENKUlvE0_clEv", "_ZZ3foovEN3Bar3bazEv", "_ZltRK1AS1_", "_ZNK1AclEv", "_ZN1AptEv",
      "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "_ZN1AcvSt6vectorIiSaIiEEEv", "_Znam",
      "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "_RNCNvCs1234_7mycrate3foo0B3_",
      "_ZN64_$LT$std..backtrace..Backtrace$u20$as$u20$core..fmt..Display$GT$3fmt28_$u7b$$u7b$closure$u7d$$u7d$17ha4fc056ba9f26dc2E",
      "__24-[Cart apply:]_block_invoke_2.33", "___ZN3FooC1Ev_block_invoke_2",
    ]
    for mangled in names {
      let name = Demangler().demangle(mangled)
      #expect(name.isDemangled)
      #expect(token(name.token) == name.token && token(name.display) == name.token, "\(mangled)")
    }
    let swift = [
      "$s5MyApp4CartV5apply6coupon2toSiSS_SitKFS2icfU_S2iXEfU0_TA", "$sSa5MyAppSiRszlE5sumUp2byS2i_tFS2i_SitXEfU_",
      "$s5MyApp11UsesWrapperV1loiySbAC_ACtFZ", "$s5MyApp6localsSiyF1LL_V1mSiyF", "$s5MyApp4CartVySSGWOh",
    ]
    for mangled in swift {
      let known = Demangler().demangle(mangled).token
      #expect(token(known) == known, "\(mangled)")
    }
  }

  private func token(_ text: String) -> String { Demangler().demangle(reported: text).token }

  @Test(
    "Names of real files, but for those of which the words tell something else",
    .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func corpus() {
    let names = RealNameTests.corpusNames.filter { Demangler().demangle($0).token.first != "{" }
    // C++, and Rust in both manglings.
    let cxx = names.filter { $0.hasPrefix("_Z") || $0.hasPrefix("_R") }
    let data = ["vtable for ", "VTT for ", "typeinfo ", "guard variable for ", "construction vtable for "]
    for printer in ["c++filt", "c++filt -p", "llvm-cxxfilt-19"] {
      let left = differences(cxx, printer).filter { difference in
        // The names of data differ by blanks; GNU writes the abbreviations of `std` out; a result type that is a lambda
        // has parameters of its own.
        !data.contains(where: difference.words.hasPrefix) && !difference.reported.hasPrefix("std::basic_")
          && !(difference.reported.hasPrefix("lambda in ") && difference.words.contains(")::'lambda'"))
      }
      #expect(left.isEmpty, "\(printer)")
    }
    let swift = names.filter { $0.hasPrefix("$s") || $0.hasPrefix("$e") }
    // Variables are no functions.
    let left = differences(swift, "swift-demangle -compact").filter { !$0.mangled.hasSuffix("vp") }
    #expect(left.map(\.mangled) == ["$e20swift_willThrowTyped6corpus10ParseErrorO_Ttg5"])
    for mangled in names {
      let name = Demangler().demangle(mangled)
      guard name.isDemangled, !name.traits.contains(.synthetic) else { continue }
      #expect(token(name.token) == name.token)
    }
  }
}
