import Demangling
import Testing

/// One linker name and what must become of it.
struct Golden: Sendable, CustomTestStringConvertible {
  var mangled: String
  var display: String
  var token: String
  var traits: FunctionTraits = []
  var testDescription: String { mangled }

  init(_ mangled: String, _ display: String, _ token: String, _ traits: FunctionTraits = []) {
    self.mangled = mangled
    self.display = display
    self.token = token
    self.traits = traits
  }
}

@Suite("Names become what people read and what signatures compare")
struct GoldenNameTests {
  @Test(
    "Swift",
    arguments: [
      Golden("$s5MyApp4CartV5apply6coupon2toSiSS_SitKF", "Cart.apply(coupon:to:)", "MyApp.Cart.apply(coupon:to:)"),
      // Closures keep their depth; the ordinal is for people only.
      Golden(
        "$s5MyApp4CartV5apply6coupon2toSiSS_SitKFS2icfU_S2iXEfU0_TA",
        "closure #2 in closure #1 in Cart.apply(coupon:to:)", "closure in closure in MyApp.Cart.apply(coupon:to:)",
        [.closure, .thunk]),
      // Functions and types inside functions.
      Golden(
        "$s5MyApp4CartV5apply6coupon2toSiSS_SitKF5localL_yS2iSHRzlF", "local(_:) in Cart.apply(coupon:to:)",
        "local(_:) in MyApp.Cart.apply(coupon:to:)"),
      Golden("$s5MyApp6localsSiyF1LL_V1mSiyF", "m() in L in locals()", "m() in L in MyApp.locals()"),
      Golden("$s5MyApp6localsSiyF1LL_VADycfC", "init() in L in locals()", "init() in L in MyApp.locals()"),
      // Private discriminators are not part of the name.
      Golden(
        "$s5MyApp4Priv33_928FD29E8D17D0254FC564E9864FE29ELLV1myyF", "Priv.m()", "MyApp.Priv.m()"),
      // Async parts are the function.
      Golden("$s5MyApp4workyyYaFTY2_", "work()", "MyApp.work()", .asyncPart),
      Golden("$s5MyApp4workyyYaFTQ1_", "work()", "MyApp.work()", .asyncPart),
      Golden(
        "$s5MyApp4ImplV3req1aS2i_tYaKFSiyYacfU_TA.14TQ0_", "closure #1 in Impl.req(a:)",
        "closure in MyApp.Impl.req(a:)",
        [.closure, .thunk, .asyncPart]),
      Golden(
        "$s5MyApp11UsesWrapperV5levelSivM.resume.0", "UsesWrapper.level.modify", "MyApp.UsesWrapper.level.modify",
        .asyncPart),
      // Specialisations, also merged ones and those of Embedded Swift.
      Golden(
        "$e3Big12GridAccount6V7performyS2iFSi_Tg5Tm", "GridAccount6.perform(_:)", "Big.GridAccount6.perform(_:)",
        [.specialization, .merged]),
      Golden(
        "$ss15ContiguousArrayV16_createNewBuffer14bufferIsUnique15minimumCapacity13growForAppendySb_SiSbtFSi_Tg5",
        "ContiguousArray._createNewBuffer(bufferIsUnique:minimumCapacity:growForAppend:)",
        "Swift.ContiguousArray._createNewBuffer(bufferIsUnique:minimumCapacity:growForAppend:)", .specialization),
      // The code of an extension belongs to the extending module: this is no code of the standard library.
      Golden(
        "$sSa5MyAppSiRszlE5sumUp2byS2i_tFS2i_SitXEfU_", "closure #1 in Array.sumUp(by:)",
        "closure in MyApp:Swift.Array.sumUp(by:)", .closure),
      Golden("$s5MyApp5ShapePAAE5twiceSdyF", "Shape.twice()", "MyApp.Shape.twice()"),
      // Initialisers and deinitialisers have two entries each and one name.
      Golden("$s5MyApp4BaseC1xACSi_tcfC", "Base.init(x:)", "MyApp.Base.init(x:)"),
      Golden("$s5MyApp4BaseC1xACSi_tcfc", "Base.init(x:)", "MyApp.Base.init(x:)"),
      Golden("$s5MyApp6SquareCfD", "Square.deinit", "MyApp.Square.deinit"),
      // Operators whose brackets are no brackets.
      Golden("$s5MyApp11UsesWrapperV1loiySbAC_ACtFZ", "UsesWrapper.< infix(_:_:)", "MyApp.UsesWrapper.< infix(_:_:)"),
      Golden("$s5MyApp3pppoiyS2i_SitF", "+++ infix(_:_:)", "MyApp.+++ infix(_:_:)"),
      // Accessors: a getter is called as the property; subscripts have their labels.
      Golden("$s5MyApp4CartV5totalSivg", "Cart.total", "MyApp.Cart.total"),
      Golden("$s5MyApp4CartV2lzSivs", "Cart.lz.setter", "MyApp.Cart.lz.setter"),
      Golden(
        "$s5MyApp11UsesWrapperV3row3colS2i_Sitcig", "UsesWrapper.subscript(row:col:)",
        "MyApp.UsesWrapper.subscript(row:col:)"),
      Golden("$s5MyApp4CartVyxSicis", "Cart.subscript(_:).setter", "MyApp.Cart.subscript(_:).setter"),
      // A witness is said by the type that conforms.
      Golden("$s5MyApp6SquareCAA5ShapeA2aDP4areaSdyFTW", "Square.area()", "MyApp.Square.area()", .thunk),
      Golden("$s5MyApp4ImplVAA1QA2aDPyS2icigTW", "Impl.subscript(_:)", "MyApp.Impl.subscript(_:)", .thunk),
      Golden(
        "$sSl9formIndex5aftery0B0Qzz_tFTj", "Collection.formIndex(after:)", "Swift.Collection.formIndex(after:)", .thunk
      ),
      Golden("$s5MyApp7DerivedC1pSivpACTK", "Derived.p", "MyApp.Derived.p", .thunk),
      // A lazily made global keeps its context.
      Golden("$s5MyApp4Priv33_928FD29E8D17D0254FC564E9864FE29ELLV4onceADvau", "Priv.once", "MyApp.Priv.once", .thunk),
      Golden("$s5MyApp4Priv33_928FD29E8D17D0254FC564E9864FE29ELLV4once_WZ", "Priv.once", "MyApp.Priv.once"),
      // Code without an entity.
      Golden(
        "$s5MyApp4CartVySSGWOh", "outlined destroy of Cart<String>", "{outlined destroy}",
        [.thunk, .outlined, .synthetic]),
      Golden("$s5MyApp4CartVMa", "type metadata accessor for Cart", "{type metadata accessor}", [.thunk, .synthetic]),
      Golden(
        "$s5MyApp11UsesWrapperV0026weirdnamehere_HmaeFBIEJfpayS2iF", "UsesWrapper.`weird\u{a0}name\u{a0}here`(_:)",
        "MyApp.UsesWrapper.`weird\u{a0}name\u{a0}here`(_:)"),
      Golden("$e6corpus0016summen_gre_eEaJyyS2iF", "summen_größe(_:)", "corpus.summen_größe(_:)"),
      // An operator that this demangler does not know yet does not hide the function.
      Golden("$s5MyApp4workyyYaFTgm9x", "work()", "MyApp.work()", .specialization),
      // The Mach-O underscore that the caller should have stripped does no harm.
      Golden("_$s5MyApp4workyyYaF", "work()", "MyApp.work()"),
    ])
  func swift(_ golden: Golden) { check(golden, .swift) }

  @Test(
    "C++",
    arguments: [
      Golden("_ZN3foo3barEi", "foo::bar", "foo::bar"),
      Golden("_ZN3foo3barEv.part.3.constprop.0", "foo::bar", "foo::bar", .specialization),
      Golden("_ZN3foo3barEv.cold", "foo::bar", "foo::bar"),
      Golden(
        "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back",
        "std::vector<>::push_back"),
      // The result type of a template function is not its name.
      Golden("_Z3maxIiET_S0_S0_", "max<int>", "max<>"),
      Golden("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo", "(anonymous namespace)::foo"),
      Golden("_ZN3FooB5cxx113barEv", "Foo::bar", "Foo::bar"),
      // Lambdas, nested ones, and clang's other spelling.
      Golden("_ZZ3foovENKUlvE_clEv", "lambda #1 in foo", "lambda in foo", .closure),
      Golden(
        "_ZZZ3foovENKUlvE_clEvENKUlvE0_clEv", "lambda #2 in lambda #1 in foo", "lambda in lambda in foo", .closure),
      Golden("_ZZ3foovENK3$_0clEv", "lambda in foo", "lambda in foo", .closure),
      Golden("_ZZ3foovEN3Bar3bazEv", "Bar::baz in foo", "Bar::baz in foo"),
      // Operators whose brackets are no brackets, and conversions.
      Golden("_ZltRK1AS1_", "operator<", "operator<"),
      Golden(
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<< <std::char_traits<char> >",
        "std::operator<< <>"),
      Golden("_ZeqI1BEbRKT_S3_", "operator==<B>", "operator==<>"),
      Golden("_ZNK1AclEv", "A::operator()", "A::operator()"),
      Golden("_ZN1AixEi", "A::operator[]", "A::operator[]"),
      Golden("_ZN1AptEv", "A::operator->", "A::operator->"),
      Golden(
        "_ZN1AcvSt6vectorIiSaIiEEEv", "A::operator std::vector<int, std::allocator<int> >", "A::operator std::vector<>"),
      Golden("_Znam", "operator new[]", "operator new[]"),
      Golden("_ZNKSt8functionIFvvEEclEv", "std::function<void ()>::operator()", "std::function<>::operator()"),
      Golden("_ZThn16_N1A1fEv", "A::f", "A::f", .thunk),
      Golden("___ZN3FooC1Ev_block_invoke_2", "block in Foo::Foo", "block in Foo::Foo", .closure),
    ])
  func cxx(_ golden: Golden) { check(golden, .cxx) }

  @Test(
    "Rust",
    arguments: [
      Golden(
        "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad", "core::fmt::Formatter::pad"),
      Golden(
        "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.1234", "core::fmt::Formatter::pad",
        "core::fmt::Formatter::pad"),
      Golden("_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"),
      Golden("_RNCNvCs1234_7mycrate3foo0B3_", "closure in mycrate::foo", "closure in mycrate::foo", .closure),
      Golden(
        "_ZN3std9panicking11begin_panic28_$u7b$$u7b$closure$u7d$$u7d$17h24a720cc2cb38136E",
        "closure in std::panicking::begin_panic", "closure in std::panicking::begin_panic", .closure),
    ])
  func rust(_ golden: Golden) { check(golden, .rust) }

  @Test(
    "Objective-C",
    arguments: [
      Golden("-[Cart(Coupons) apply:]", "-[Cart(Coupons) apply:]", "-[Cart(Coupons) apply:]"),
      Golden("+[Cart shared]", "+[Cart shared]", "+[Cart shared]"),
      Golden("__24-[Cart apply:]_block_invoke_2.33", "block in -[Cart apply:]", "block in -[Cart apply:]", .closure),
      Golden(
        "____24-[Cart apply:]_block_invoke_block_invoke", "block in block in -[Cart apply:]",
        "block in block in -[Cart apply:]", .closure),
      Golden("__14+[Cart shared]_block_invoke", "block in +[Cart shared]", "block in +[Cart shared]", .closure),
    ])
  func objectiveC(_ golden: Golden) { check(golden, .objectiveC) }

  @Test(
    "Names that are not mangled",
    arguments: [
      Golden("main", "main", "main"),
      Golden("memcpy@@GLIBC_2.14", "memcpy", "memcpy"),
      Golden("strlen$VARIANT$neon", "strlen", "strlen"),
      Golden("je_ctl_bymibname.constprop.0", "je_ctl_bymibname", "je_ctl_bymibname", .specialization),
      Golden("__interceptor_malloc", "__interceptor_malloc", "malloc"),
      Golden("OUTLINED_FUNCTION_12", "OUTLINED_FUNCTION_12", "OUTLINED_FUNCTION", [.outlined, .synthetic]),
      Golden(
        "Swift runtime failure: Index out of range", "Swift runtime failure: Index out of range",
        "Swift runtime failure: Index out of range", [.runtimeFailure, .synthetic]),
      Golden(
        "__copy_helper_block_e8_32s", "__copy_helper_block_e8_32s", "__copy_helper_block_e8_32s", [.thunk, .synthetic]),
      Golden("_RESET_Cause", "_RESET_Cause", "_RESET_Cause"),
    ])
  func plain(_ golden: Golden) {
    let name = Demangler().demangle(golden.mangled)
    #expect(name.display == golden.display)
    #expect(name.token == golden.token)
    #expect(name.traits == golden.traits)
    #expect(name.outcome == .plain)
  }

  private func check(_ golden: Golden, _ language: NameLanguage) {
    let name = Demangler().demangle(golden.mangled)
    #expect(name.display == golden.display)
    #expect(name.token == golden.token)
    #expect(name.traits == golden.traits)
    #expect(name.language == language)
    #expect(name.isDemangled)
  }
}
