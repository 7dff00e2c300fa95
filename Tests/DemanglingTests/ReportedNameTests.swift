import Demangling
import TestSupport
import Testing

/// A name as some tool writes it for people, and its token.
struct Words: Sendable, CustomTestStringConvertible {
  var text: String
  var token: String
  var testDescription: String { text }

  init(_ text: String, _ token: String) {
    self.text = text
    self.token = token
  }
}

private func token(_ text: String) -> String { Demangler().demangle(reported: text).token }

@Suite("Names that come in words get the token of the function")
struct ReportedNameTests {
  @Test(
    "C++, by whomever it was demangled",
    arguments: [
      Words("void ns::f<int>(int) const", "ns::f<>"),
      Words("f3(s,t,u)", "f3"),
      Words("f( *s)", "f"),
      Words("f<3>(s,t,u)", "f<>"),
      Words("ns::Box<int>::put<char> const", "ns::Box<>::put<>"),
      Words("ns::Maybe<unsigned long>::value() const &", "ns::Maybe<>::value"),
      Words("(anonymous namespace)::foo(int (*)(int))", "(anonymous namespace)::foo"),
      Words("`anonymous namespace'::foo", "(anonymous namespace)::foo"),
      Words("static bool `anonymous-namespace'::Analyzer::run()", "(anonymous namespace)::Analyzer::run"),
      Words("Foo::bar[abi:cxx11](int)", "Foo::bar"),
      // Copies and parts of functions, as GNU, LLVM and gdb write them.
      Words("foo(int) [clone .cold.638]", "foo"),
      Words("foo(int) [clone .isra.0] [clone .cold]", "foo"),
      Words("foo(int) (.part.0)", "foo"),
      Words("foo(int) (.llvm.1234)", "foo"),
      Words("ns::foo.constprop.0", "ns::foo"),
      Words("std::logic_error::what() const@@GLIBCXX_3.4", "std::logic_error::what"),
      // Lambdas of gcc, clang, LLVM's demangler, gcc's debug information, Windows, and our own.
      Words("foo(int)::{lambda(int)#2}::operator()(int) const", "lambda in foo"),
      Words("foo(int)::$_0::operator()() const", "lambda in foo"),
      Words("Threads::$_52::__invoke", "lambda in Threads"),
      Words("foo(int)::'lambda0'(int)::operator()(int) const", "lambda in foo"),
      Words("foo()::'lambda'()::operator()() const::'lambda'(int)::operator()(int) const", "lambda in lambda in foo"),
      Words("main()::<lambda(int)>::operator()(int) const", "lambda in main"),
      Words("foo::<lambda_8f1ad1a5e2c5>::operator()", "lambda in foo"),
      Words("lambda #2 in lambda #1 in ns::foo<int>", "lambda in lambda in ns::foo<>"),
      Words("invocation function for block in Foo::Foo(int)", "block in Foo::Foo"),
      Words("foo()::'unnamed'::run()", "{unnamed type}::run in foo"),
      // Operators whose brackets are no brackets.
      Words("operator()(s,t,u)", "operator()"),
      Words("js::Position::operator<(js::Position) const", "js::Position::operator<"),
      Words("js::Position::operator<=>(js::Position const&) const", "js::Position::operator<=>"),
      Words("bool operator==<B>(B const&, B const&)", "operator==<>"),
      Words("std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<< <>"),
      Words("std::ostream& std::operator<<<char>(std::ostream&, char)", "std::operator<< <>"),
      Words("bool ns::operator<<int>(ns::A<int>, int)", "ns::operator< <>"),
      Words("A::operator std::vector<int, std::allocator<int> >() const", "A::operator std::vector<>"),
      Words("ns::Ref<ns::Object>::operator=(ns::Ref<ns::Object> const&)&", "ns::Ref<>::operator="),
      Words("operator new[](unsigned long)", "operator new[]"),
      Words("non-virtual thunk to A::f()", "A::f"),
      // Windows writes access, calling convention and `class`; its thunks say how they find the object.
      Words("public: virtual void __thiscall A::f(class B *)", "A::f"),
      Words("static const class Mask<3,3,3> & const cached_mask(float, float)", "cached_mask"),
      Words("[thunk]:Item::Query`adjustor{12}' (_GUID const&, void**)", "Item::Query"),
      // gdb writes values.
      Words("ns::find (this=0x7fffffffcee0, name=\"a(b\")", "ns::find"),
      Words("main ()", "main"), Words("dispatch (argc=2)", "dispatch"),
    ])
  func cxx(_ words: Words) { #expect(token(words.text) == words.token) }

  @Test(
    "Swift, in full and in short",
    arguments: [
      Words(
        "MyApp.Cart.apply(coupon: Swift.String, to: Swift.Int) throws -> Swift.Int", "MyApp.Cart.apply(coupon:to:)"),
      Words("Cart.apply(coupon:to:)", "Cart.apply(coupon:to:)"),
      Words("closure #1 in f(_:)", "closure in f(_:)"),
      Words(
        "closure #2 (Swift.Int) -> Swift.Int in closure #1 () -> () in MyApp.f() -> ()",
        "closure in closure in MyApp.f()"),
      Words("implicit closure #1 in Cart.total.getter", "Cart.total"),
      Words("specialized Array.append(_:)", "Array.append(_:)"),
      Words("generic specialization <Swift.Int> of Swift.Array.append(__owned A) -> ()", "Swift.Array.append(_:)"),
      Words("partial apply for closure #1 in Cart.apply(coupon:to:)", "closure in Cart.apply(coupon:to:)"),
      Words("static Pier.main()", "Pier.main()"),
      Words("@objc Cart.apply()", "Cart.apply()"),
      Words("Cart.init(x:)", "Cart.init(x:)"),
      Words("MyApp.Cart.__allocating_init(x: Swift.Int) -> MyApp.Cart", "MyApp.Cart.init(x:)"),
      Words("Cart.__deallocating_deinit", "Cart.deinit"),
      Words("MyApp.(Priv in _928FD29E8D17D0254FC564E9864FE29E).m() -> ()", "MyApp.Priv.m()"),
      Words(
        "(extension in MyApp):Swift.Array<A where A == Swift.Int>.sum(by: Swift.Int) -> Swift.Int",
        "MyApp:Swift.Array.sum(by:)"),
      Words(
        "protocol witness for MyApp.Shape.area() -> Swift.Double in conformance MyApp.Square : MyApp.Shape in MyApp",
        "MyApp.Square.area()"),
      Words("protocol witness for Shape.area() in conformance Square", "Square.area()"),
      Words("(2) await resume partial function for MyApp.work() async -> ()", "MyApp.work()"),
      Words(
        "MyApp.Grid.subscript.getter : (row: Swift.Int, col: Swift.Int) -> Swift.Int", "MyApp.Grid.subscript(row:col:)"),
      Words("static MyApp.Money.< infix(MyApp.Money, MyApp.Money) -> Swift.Bool", "MyApp.Money.< infix(_:_:)"),
      Words("outlined destroy of MyApp.Cart<Swift.String>", "{outlined destroy}"),
      Words("thunk for @escaping @callee_guaranteed () -> ()", "{thunk}"),
      Words("Swift runtime failure: Index out of range", "Swift runtime failure: Index out of range"),
    ])
  func swift(_ words: Words) { #expect(token(words.text) == words.token) }

  @Test(
    "Rust, Objective-C and C",
    arguments: [
      Words("core::fmt::Formatter::pad::h0123456789abcdef", "core::fmt::Formatter::pad"),
      Words("<alloc::vec::Vec<T> as my::Shape>::area::h0123456789abcdef", "<alloc::vec::Vec as my::Shape>::area"),
      Words("<my::Job<B> as my::Run>::run", "<my::Job as my::Run>::run"),
      Words("std::panicking::begin_panic::{{closure}}::h24a720cc2cb38136", "closure in std::panicking::begin_panic"),
      Words("mycrate[8787f43e282add37]::run::{closure#0}", "closure in mycrate::run"),
      Words("mycrate::sort::<u8>", "mycrate::sort"),
      // LLVM takes the older mangling for C++.
      Words("core::ptr::drop_in_place$LT$my..Job$GT$::hd62a05dc9c9074a6", "core::ptr::drop_in_place"),
      Words("-[Cart(Coupons) apply:]", "-[Cart(Coupons) apply:]"),
      Words("__41-[C m]_block_invoke_2", "block in -[C m]"),
      Words("block in -[C m]", "block in -[C m]"),
      Words("memcpy@@GLIBC_2.14", "memcpy"), Words("strlen$VARIANT$neon", "strlen"),
      Words("parse.cold", "parse"), Words("parse.constprop.0", "parse"),
      Words("__interceptor_malloc", "malloc"), Words("OUTLINED_FUNCTION_12", "OUTLINED_FUNCTION"),
      // What is mangled is demangled.
      Words("_ZN3foo3barEi", "foo::bar"), Words("$s5MyApp4workyyYaF", "MyApp.work()"),
    ])
  func others(_ words: Words) { #expect(token(words.text) == words.token) }

  @Test(
    "Words of no language that is known stay as they are",
    arguments: [
      "main", "<redacted>", "<unknown>", "???", "__hidden#12_", "<name omitted>", "<unknown in ntdll.pdb>", "",
      // A member may be called like a compiler's tail.
      "Page.content", "Door.exit", "Menu.default", "Task.resume", "module.str",
      // Java, Kotlin, JavaScript, Go, Ruby, Python, C#, Dart.
      "com.foo.Bar.run(Bar.java:12)", "getAddons(Manager.kt)", "Object.wait(Native Method)", "Foo.<init>(Foo.java)",
      "Object.<anonymous>", "new Foo (file.js:1:2)", "async Promise.all (index 0)", "main.(*Server).handle",
      "Foo::Bar#baz", "<module>", "System.Foo.Bar(System.String)", "_Foo.run.<anonymous closure>",
      // Sentences and damage.
      "out of memory (malloc)", "Foo<bar", "foo(bar", "foo)", "a > b", "https://example.com/a(b)", "((((",
      "{type metadata}",
    ])
  func unknown(_ text: String) {
    let name = Demangler().demangle(reported: text)
    #expect(name.token == text && name.display == text && name.outcome == .plain)
  }

  @Test("No text traps, every answer is bounded and the same again, and long ones take no deep stack")
  func hostile() {
    var random = SeededGenerator(seed: 11)
    let seeds = [
      "void ns::f<int>(int) const", "foo()::'lambda'(int)::operator()(int) const",
      "a::operator<<<char>(char) [clone .cold]",
      "closure #2 (Swift.Int) -> () in MyApp.(P in _928FD29E).f(a: Swift.Int) -> ()", "<a<b> as c>::d::{closure#0}",
      "core::drop$LT$u8$GT$::h0123456789abcdef", "lambda #1 in a::b in c",
      "protocol witness for A.b() in conformance C",
      "`anonymous namespace'::f`adjustor{1}' (this=1)", "generic specialization <A> of B.c : D in E",
    ]
    for _ in 0..<20_000 {
      var bytes = Array(seeds[Int(random.next() % UInt64(seeds.count))].utf8)
      for _ in 0...(random.next() % 4) where !bytes.isEmpty {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next() % 127)
        case 1: bytes.remove(at: at)
        default: bytes.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: at)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let name = Demangler().demangle(reported: text)
      #expect(name.token.utf8.count <= 2 * text.utf8.count + 64)
      #expect(Demangler().demangle(reported: text) == name)
    }
    for part in [
      "(", "<", "f(", "a::", " in ", "lambda in ", "block in ", "closure #1 in ", " (a=", "`adjustor{", "<lambda",
      "operator<",
      "(a in _F).", " const", ".cold", " [clone ", "@", "{{", "specialized ", "a.b() in ", "[f]::", " -> ", "'unnamed",
    ] {
      let text = String(repeating: part, count: 60_000 / part.utf8.count)
      #expect(Demangler().demangle(reported: text).token.utf8.count <= 3 * text.utf8.count)
      #expect(Demangler().demangle(reported: "a::b(" + text + ")").token.utf8.count <= 3 * text.utf8.count)
    }
    let long = String(repeating: "a::", count: Demangler.lengthLimit)
    #expect(Demangler().demangle(reported: long).outcome == .tooLong)
  }
}
