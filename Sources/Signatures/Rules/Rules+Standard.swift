extension Rules {
  /// The rules for apps on Apple's systems and for Linux programs, parsed at first use. Written for this project from
  /// public facts.
  ///
  /// System images are told by name alone, since their symbols are rarely at hand and a signature must not depend on
  /// whether they are. Rules with a name match frames of the system when their names are known, and then serve explanations.
  public static let standard: Rules = {
    var parser = RulesParser(file: "apple-default", bases: [])
    // A test holds the text to the language; a table without rules is what a mistake in it would leave.
    return (try? parser.parse(Array(standardText.utf8), isTrusted: true))
      ?? Rules(version: "apple-default@0", rules: [])
  }()

  /// The text of `standard`, as a rules file with its tests.
  public static var standardText: String {
    [appleHeader, appleImages, appleFrames, linuxKernel, appleTests].joined(separator: "\n")
  }

  /// A change of any rule below needs another version: stores refuse other rules under a version that they know.
  private static let appleHeader = """
    symclust-rules 1 name=apple-default version=2

    """

  private static let appleTests = """

    # Every mechanism once: what is said here holds.
    test E1 stack="libsystem_kernel.dylib!__pthread_kill;libsystem_c.dylib!abort;Shop!Cart.apply(coupon:);UIKitCore" blame="Shop!Cart.apply(coupon:)" reason=abort
    test E2 stack="libobjc.A.dylib!objc_msgSend;Shop!Cart.apply(coupon:);dyld!start" blame="Shop!Cart.apply(coupon:)" carrier=msgsend
    test E3 stack="libsystem_malloc.dylib!_xzm_free;libsystem_malloc.dylib!free;Shop!Cart.clear()" blame="Shop!Cart.clear()" carrier=memory
    test E4 stack="libobjc.A.dylib!objc_exception_throw;CoreFoundation!-[__NSArrayM objectAtIndex:];Shop!-[Cart row:]" blame="Shop!-[Cart row:]" reason=objc-exception
    test E5 stack="Shop!OUTLINED_FUNCTION;Shop!Swift.Array.subscript(_:);Shop!Cart.total()" tokens="Shop!Cart.total()"
    test E6 stack="Shop!closure in SwiftUI.Button.init(action:label:);Shop!Cart.pay();SwiftUI;Shop!main;dyld" tokens="Shop!Cart.pay()"
    test E7 stack="Shop!DatadogInternal.MethodSwizzler.call();Shop!Cart.pay();UIKitCore" tokens="Shop!Cart.pay()"
    test E8 stack="Shop!kscm_handleException;libsystem_platform.dylib!_sigtramp;Shop!Cart.pay()" tokens="Shop!Cart.pay()"
    test E9 stack="libc.so.6!raise;libc.so.6!abort;pier!std::panicking::begin_panic;pier!core::result::unwrap_failed;pier!pier::cache::evict;pier!main" blame="pier!pier::cache::evict" reason=panic
    test E10 stack="pier!__sanitizer::Die;pier!__asan::ReportGenericError;pier!__asan_report_load8;pier!parse_header;pier!LLVMFuzzerTestOneInput;pier!fuzzer::Fuzzer::ExecuteCallback;pier!main" tokens="pier!parse_header"
    test E11 stack="gate!runtime.raise;gate!runtime.dieFromSignal;gate!runtime.gopanic;gate!gate/store.(*Cache).Evict;gate!runtime.goexit" blame="gate!gate/store.(*Cache).Evict" reason=panic
    test E12 kind=hang stack="libsystem_kernel.dylib!__psynch_mutexwait;Shop!Store.reload();UIKitCore;Shop!main" blame="Shop!Store.reload()" carrier=lock
    test E13 stack="UIKitCore;CoreFoundation!__CFRunLoopRun;Shop!main;dyld" blame=none
    test E14 stack="libsystem_platform.dylib!_platform_memmove$VARIANT$Haswell;Shop!Buffer.copy()" blame="Shop!Buffer.copy()" carrier=memory
    test E15 stack="gate!memcpy;gate!__asan_memcpy;gate!parse_header" tokens="gate!parse_header"
    test E16 stack="libc.so.6!abort;gate!logging::LogMessage::~LogMessage;gate!Cart::total;gate!main" tokens="gate!Cart::total"
    test E17 stack="GeForceGLDriver!gldFinishQueue;OpenCL!clFinish;Shop!Filter.run()" tokens="Shop!Filter.run()"
    test E18 stack="gate!fuzzer::PrintStackTrace;gate!fuzzer::Fuzzer::ExitCallback;libc.so.6!exit;gate!WTFCrash;gate!parse_header;gate!LLVMFuzzerTestOneInput" tokens="gate!parse_header"
    """
}
