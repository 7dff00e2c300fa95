/// The text of the default rules that says which frames tell nothing about a bug.
///
/// The last rule that matches decides, so rules by image stand before those by name.
extension Rules {
  static let appleFrames = """

    # Reporters and handlers: frames that exist because the crash was already on its way.
    reporter H1 name=_sigtramp everywhere=yes
    reporter H2 name=__restore_rt everywhere=yes
    reporter H3 name=kscm_*
    reporter H4 name=kscrash*
    reporter H5 name=sentrycrash*
    reporter H6 name=plcrash_*
    reporter H7 name=FIRCLS*
    reporter H8 name=bsg_kscrash*
    reporter H9 name=__asan_report_* | name=__asan::Report* | name=__asan::ScopedInErrorReport* | name=__asan::Asan*Die*
    reporter H10 name=__sanitizer::Die* | name=__sanitizer::Abort* | name=__sanitizer::ReportDeadlySignal*
    reporter H11 name=__ubsan_handle_* | name=__ubsan::* | name=__tsan::Report* | name=__tsan::OutputReport*
    reporter H12 name=fuzzer::Fuzzer::*Crash* | name=fuzzer::Fuzzer::*Death* | name=fuzzer::Fuzzer::*Alarm*
    reporter H13 name=fuzzer::Fuzzer::RssLimitCallback* | name=fuzzer::PrintStackTrace*
    reporter H14 name=bsg_ksmach*
    reporter H15 name=fuzzer::*ExitCallback* | name=fuzzer::*CrashHandler* | name=CrashTrampolineAsm | name=__sanitizer_print_stack_trace
    reporter H16 name=kasan_report* | name=__kasan_report* | name=__asan::*Error* | name=__msan_warning* | name=__hwasan::Report*

    # The throw chain: from the raise to the kernel. Without names, the images that it runs through.
    throw R50 image=libc++abi.dylib everywhere=yes
    throw R51 image=libsystem_c.dylib everywhere=yes
    throw R1 name=abort reason=abort everywhere=yes
    throw R2 name=__abort reason=abort everywhere=yes
    throw R3 name=*pthread_kill everywhere=yes
    throw R4 name=raise everywhere=yes
    throw R5 name=__assert_rtn | name=__assert | name=__assert2 | name=__assert_func reason=assertion everywhere=yes
    throw R6 name=__cxa_throw reason=cxx-exception everywhere=yes
    throw R7 name=__cxa_rethrow reason=cxx-exception everywhere=yes
    throw R8 name=objc_exception_throw reason=objc-exception everywhere=yes
    throw R9 name=objc_exception_rethrow reason=objc-exception everywhere=yes
    throw R10 name=_objc_terminate* everywhere=yes
    throw R11 name=std::terminate* everywhere=yes
    throw R12 name=std::__terminate* everywhere=yes
    throw R13 name=__exceptionPreprocess reason=objc-exception everywhere=yes
    throw R14 name=_objc_fatal* everywhere=yes
    throw R15 name="-[NSException raise*" reason=objc-exception everywhere=yes
    throw R16 name="+[NSException raise*" reason=objc-exception everywhere=yes
    throw R17 name=abort_message everywhere=yes
    throw R18 name=demangling_terminate_handler* everywhere=yes
    throw R19 name=__clang_call_terminate everywhere=yes
    throw R20 name=_Unwind_* everywhere=yes
    throw R21 name=Swift.fatalError* reason=trap everywhere=yes
    throw R22 name=Swift._assertionFailure* reason=trap everywhere=yes
    throw R23 name=Swift._fatalErrorMessage* reason=trap everywhere=yes
    throw R24 name=Swift.preconditionFailure* reason=trap everywhere=yes
    throw R25 name=Swift.assertionFailure* reason=trap everywhere=yes
    throw R26 name=Swift.precondition(* reason=trap everywhere=yes
    throw R27 name=Swift.assert(* reason=trap everywhere=yes
    throw R28 name=Swift._preconditionFailure* reason=trap everywhere=yes
    throw R29 name=core::panicking::* reason=panic everywhere=yes
    throw R30 name=std::panicking::* reason=panic everywhere=yes
    throw R31 name=rust_begin_unwind reason=panic everywhere=yes
    throw R32 name=swift_unexpectedError reason=trap everywhere=yes
    throw R33 name=__pthread_kill_* everywhere=yes
    throw R34 name=__cxa_bad_cast everywhere=yes
    # Rust's and Go's panics.
    throw R35 name=core::option::unwrap_failed | name=core::option::expect_failed reason=panic everywhere=yes
    throw R36 name=core::result::unwrap_failed | name=core::result::expect_failed reason=panic everywhere=yes
    throw R37 name=rust_panic* | name=__rust_start_panic | name=__rust_foreign_exception reason=panic everywhere=yes
    throw R38 name=runtime.gopanic | name=runtime.panic* | name=runtime.goPanic* | name=runtime.sigpanic* reason=panic everywhere=yes
    throw R39 name=runtime.throw | name=runtime.fatalthrow | name=runtime.fatalpanic | name=runtime.dopanic* reason=panic everywhere=yes
    throw R40 name=runtime.raise* | name=runtime.dieFromSignal | name=runtime.crash everywhere=yes
    # The C library's checks, on Apple's systems and in glibc.
    throw R41 name=__assert_fail* | name=__assert_perror_fail reason=assertion everywhere=yes
    throw R42 name=__stack_chk_fail* | name=__fortify_fail* | name=__chk_fail* | name=__GI___fortify_fail* everywhere=yes
    throw R43 name=__libc_message* | name=__libc_fatal* | name=malloc_printerr* | name=malloc_error_break everywhere=yes
    throw R44 name=tgkill | name=gsignal | name=__GI_raise | name=__GI_abort | name=__GI_gsignal everywhere=yes
    throw R45 name=abort_with_* | name=__abort_with_payload | name=terminate_with_* | name=_os_crash* everywhere=yes
    # Objective-C's machinery on the way to the raise.
    throw R46 name=_CFThrowFormattedException* | name=__raiseError | name=__handleUncaughtException everywhere=yes
    throw R47 name="-[NSAssertionHandler handleFailure*" reason=objc-exception everywhere=yes
    throw R48 name="-[NSObject*doesNotRecognizeSelector:*" | name=___forwarding___ | name=_CF_forwarding_prep_* reason=objc-exception everywhere=yes
    # How well-known bases of code give up: Chromium's, V8, WebKit, Mozilla's, Android's, Abseil and glog, Skia, Qt, GLib.
    throw R60 name=base::ImmediateCrash* | name=base::debug::BreakDebugger* | name=base::debug::*CollectStackTrace* | name=base::debug::StackTrace::*
    throw R61 name=logging::LogMessage::* | name=logging::LogMessageFatal::* | name=logging::CheckError::* | name=logging::*NotReachedError::* | name=logging::RawLog* | name=logging::RawCheck* reason=assertion
    throw R62 name=base::TerminateBecauseOutOfMemory* | name=base::internal::OnNoMemory* | name=partition_alloc::*OnNoMemory* | name=partition_alloc::TerminateBecauseOutOfMemory*
    throw R63 name=V8_Fatal* | name=V8_Dcheck* | name=v8::base::OS::Abort* | name=v8::base::FatalOOM* | name=v8::Utils::ReportApiFailure* | name=v8::Utils::ReportOOMFailure* | name=v8::internal::V8::FatalProcessOutOfMemory* | name=v8::internal::Heap::FatalProcessOutOfMemory*
    throw R64 name=WTFCrash* | name=WTFReport* | name=WTFPrintBacktrace* | name=WTF::CrashOnOverflow::* | name=CrashOnOverflow::*
    throw R65 name=MOZ_Crash* | name=MOZ_Report* | name=mozalloc_abort* | name=NS_DebugBreak* | name=mozilla::detail::InvalidArrayIndex_CRASH*
    throw R66 name=__android_log_assert* | name=android::base::LogMessage::* | name=android::base::DefaultAborter* | name=art::Runtime::Abort*
    throw R67 name=absl::*log_internal::LogMessage* | name=absl::*raw_log_internal::* | name=google::LogMessage* | name=google::protobuf::internal::LogMessage::* reason=assertion
    throw R68 name=SkAbort_FileLine* | name=sk_abort* | name=QMessageLogger::fatal* | name=qt_assert* | name=g_assertion_message* reason=assertion
    throw R49 image=kernel* name=panic* | image=kernel* name=Debugger* | image=mach_kernel name=panic*
    # Kotlin's way from an exception that nobody declared to the end of the process.
    throw R70 name=konan::abort* | name=kotlin::ProcessUnhandledException* reason=kotlin-exception everywhere=yes
    throw R71 name="(anonymous namespace)::*nhandledException*" reason=kotlin-exception everywhere=yes
    throw R72 name=Kotlin_ObjCExport_trapOn* reason=kotlin-exception everywhere=yes

    # Carriers. By image, then by name where there is one.
    carrier C50 image=libobjc.A.dylib class=objc
    carrier C51 image=libsystem_malloc.dylib class=memory
    carrier C52 image=libsystem_platform.dylib class=memory
    carrier C53 image=libsystem_pthread.dylib class=lock
    carrier C54 image=libsystem_kernel.dylib class=kernel
    carrier C55 image=libswiftCore.dylib class=swift-runtime
    carrier C56 image=libxpc.dylib class=ipc
    carrier C57 image=libswiftCore.so class=swift-runtime
    carrier C58 image=kernel* class=kernel
    carrier C59 image=libsqlite3.dylib class=io
    carrier C23 name=stat* class=io
    carrier C22 name=__open* class=io
    carrier C21 name=fsync* class=io
    carrier C20 name=pwrite* class=io
    carrier C19 name=pread* class=io
    carrier C18 name=write* class=io
    carrier C17 name=read* class=io
    carrier C16 name=xpc_connection_send_message_with_reply_sync class=ipc
    carrier C15 name=mach_msg* class=ipc
    carrier C14 name=__ulock_wait* class=lock
    carrier C13 name=semaphore_* class=lock
    carrier C12 name=*dispatch_semaphore_wait* class=lock
    carrier C11 name=__psynch_* class=lock
    carrier C10 name=*pthread_mutex_* class=lock
    carrier C9 name=*os_unfair_lock_* class=lock
    carrier C8 name=_swift_release_* class=release
    carrier C7 name=swift_bridgeObjectRelease* class=release
    carrier C6 name=swift_retain* class=retain
    carrier C5 name=swift_release* class=release
    carrier C4 name=objc_autorelease* class=release
    carrier C3 name=objc_retain* class=retain
    carrier C2 name=objc_release* class=release
    carrier C1 name=objc_msgSend* class=msgsend
    carrier C24 name=malloc* | name=calloc | name=realloc* | name=free | name=cfree | name=posix_memalign class=memory
    carrier C25 name=_malloc_* | name=_xzm_* | name=xzm_* | name=szone_* | name=tiny_* | name=nano_* | name=_nano_* class=memory
    carrier C26 name=_int_malloc* | name=_int_free* | name=_int_realloc* | name=__libc_malloc | name=__libc_free class=memory
    carrier C27 name=_platform_mem* | name=memcpy* | name=memmove* | name=memset* | name=__mem*_avx* class=memory
    carrier C28 name=swift_bridgeObjectRetain* class=retain
    carrier C29 name=swift_beginAccess* | name=swift_dynamicCast* | name=swift_getWitnessTable* class=swift-runtime
    carrier C30 name=__kevent* | name=kevent* | name=poll | name=epoll_* | name=select* class=ipc
    carrier C31 name=futex_* | name=__lll_lock_wait* | name=__futex_* class=lock

    # Where threads, run loops, queues and tasks begin.
    base B1 image=dyld
    base B2 image=libdyld.dylib
    base B3 image=libdispatch.dylib
    base B4 image=libsystem_pthread.dylib
    base B5 image=libswift_Concurrency.dylib
    base B6 image=GraphicsServices
    base B7 image=CoreFoundation name=*CFRunLoop*
    base B8 image=libdispatch.so
    base B9 image=ld-linux*
    base B10 image=libc.so*
    base B11 image=libswift_Concurrency.so
    base B17 image=libpthread.so*
    base B12 name=_pthread_start
    base B13 name=thread_start
    base B14 name=start_wqthread
    base B15 name=UIApplicationMain
    base B16 name=NSApplicationMain
    # Where events of people and views reach the app.
    base B18 image=UIKit* name="-[UIApplication send*" | image=UIKit* name="-[UIControl *endAction*"
    base B19 image=UIKit* name="-[UIWindow sendEvent:*" | image=UIKit* name=__*EventQueue* | image=UIKit* name="-[UIGesture*"
    base B20 image=SwiftUI name=*sendAction* | image=SwiftUI name=*GestureGraph* | image=SwiftUI name=*runTransaction*
    base B21 image=CoreFoundation name=__CFRUNLOOP_IS_CALLING_OUT* | image=QuartzCore name=CA::Transaction::commit*
    base B22 name=start_thread | name=__clone* | name=clone3
    # The program's own entry. Frames of the app, so these are the only ones of this stage that can touch the app.
    base B50 name=main everywhere=yes
    base B51 name=*.$main() everywhere=yes
    base B52 name=async_Main everywhere=yes
    base B53 name=start everywhere=yes
    base B54 name=_start everywhere=yes
    base B55 name=__libc_start* everywhere=yes
    base B56 name="*.$main() in *" everywhere=yes
    base B57 name=__swift_async_main everywhere=yes
    base B58 name=LLVMFuzzerTestOneInput | name=fuzzer::* everywhere=yes
    base B59 name=runtime.goexit* | name=runtime.main | name=runtime.mstart* everywhere=yes
    base B60 name=std::rt::lang_start* | name=std::sys_common::backtrace::__rust_begin_short_backtrace* everywhere=yes

    # Helpers to look through: what the compiler makes,
    transp T1 name=OUTLINED_FUNCTION | name=OUTLINED_FUNCTION_* everywhere=yes
    transp T2 name={*} everywhere=yes
    transp T13 name=__copy_helper_block_* everywhere=yes
    transp T14 name=__destroy_helper_block_* everywhere=yes
    transp T15 name=__swift_* everywhere=yes
    # and what telemetry puts between the app and the system; by image, and by name where it is linked into the app.
    transp T3 name=*SentrySwizzle* | module=Sentry | module=SentrySwift*
    transp T4 image=Sentry
    transp T5 image=SentryPrivate
    transp T6 image=Bugsnag | module=Bugsnag* | name="-[Bugsnag*" | name="+[Bugsnag*"
    transp T7 image=FirebaseCrashlytics | module=FirebaseCrashlytics* | name="-[FIRCLS*" | name="+[FIRCLS*"
    transp T8 image=DatadogRUM | module=DatadogRUM
    transp T9 image=DatadogCrashReporting | module=DatadogCrashReporting
    transp T16 image=DatadogInternal | image=DatadogCore | module=DatadogInternal | module=DatadogCore
    transp T10 image=NewRelic* | name="-[NRMA*" | name="+[NRMA*"
    transp T11 image=KSCrash*
    transp T12 image=CrashReporter
    transp T17 image=FirebasePerformance | module=FirebasePerformance | name="-[FPR*" | name="+[FPR*"
    transp T18 name="-[GUL*Swizzler*" | name="+[GUL*Swizzler*" | module=GoogleUtilities*
    transp T19 image=Embrace* | module=Embrace* | image=Instabug* | module=Instabug* | image=AppCenter* | module=AppCenter*
    # Their swizzlers are methods and, more often, blocks in methods.
    transp T21 name="-[Sentry*" | name="+[Sentry*" | name="block in *[Sentry*" | name="block in *[Bugsnag*"
    transp T22 name="block in *[FIRCLS*" | name="block in *[FPR*" | name="block in *[GUL*Swizzler*"
    transp T23 name="block in *[NRMA*"
    transp T20 image=OpenTelemetry* | module=OpenTelemetry* | module=URLSessionInstrumentation

    # Library code that inlining and specialisation bring into the app's image.
    library L1 module=Swift everywhere=yes
    library L3 name="Swift runtime failure: *" everywhere=yes
    library L4 module=Foundation everywhere=yes
    library L6 module=Dispatch everywhere=yes
    library L8 module=SwiftUI everywhere=yes
    library L10 module=Combine everywhere=yes
    library L12 module=Observation everywhere=yes
    library L14 module=FoundationEssentials everywhere=yes
    library L15 module=ObjectiveC everywhere=yes
    library L16 module=SwiftUICore everywhere=yes
    library L18 module=Synchronization everywhere=yes
    library L19 module=_Concurrency everywhere=yes
    library L20 module=__C everywhere=yes
    library L21 module=SwiftOnoneSupport everywhere=yes
    library L22 module=_StringProcessing | module=RegexBuilder | module=_RegexParser everywhere=yes
    library L30 name=std::* everywhere=yes
    library L31 name=__gnu_cxx::* everywhere=yes
    library L32 name="* in std::*" everywhere=yes
    library L33 name="operator new*" everywhere=yes
    library L34 name="operator delete*" everywhere=yes
    library L35 name=__cxa_* everywhere=yes
    library L36 name=__gxx_personality* everywhere=yes
    library L40 name=core::* everywhere=yes
    library L41 name=alloc::* everywhere=yes
    library L42 name=<core::* everywhere=yes
    library L43 name=<alloc::* everywhere=yes
    library L44 name=<std::* everywhere=yes
    library L45 name="* in core::*" everywhere=yes
    library L46 name=__rust_* everywhere=yes
    library L47 name=swift_* everywhere=yes
    library L48 name=_swift_* everywhere=yes
    library L49 name=__asan_* | name=__asan::* | name=__sanitizer::* everywhere=yes
    library L50 name=__interceptor_* | name=___interceptor_* everywhere=yes
    library L51 name=__sanitizer_* | name=__msan_* | name=__tsan_* | name=__hwasan_* | name=__lsan_* | name=__ubsan_* | name="* _asan_rtl_" everywhere=yes
    library L52 name=__msan::* | name=__tsan::* | name=__hwasan::* | name=__lsan::* | name=__interception::* everywhere=yes
    # The C library where static linking or a sanitizer put it into the app's image. Who builds one says so, and is spared.
    library L60 name=memcpy | name=memmove | name=memset | name=memcmp | name=memchr | name=memrchr | name=mempcpy | name=memmem | name=bcopy | name=bcmp | name=bzero
    library L61 name=strlen | name=strnlen | name=strcpy | name=strncpy | name=strlcpy | name=stpcpy | name=strcat | name=strncat | name=strlcat | name=strdup | name=strndup
    library L62 name=strcmp | name=strncmp | name=strcasecmp | name=strncasecmp | name=strcoll | name=strchr | name=strchrnul | name=strrchr | name=strstr | name=strspn | name=strcspn | name=strpbrk | name=strtok | name=strtok_r
    library L63 name=wcslen | name=wcscpy | name=wcscmp | name=wmemcpy | name=wmemset | name=__mem*_chk | name=__str*_chk | name=__aeabi_mem* | name=__mem*_avx* | name=__mem*_sse* | name=__str*_avx* | name=__str*_sse*
    library L64 name=malloc | name=calloc | name=realloc | name=reallocarray | name=free | name=cfree | name=posix_memalign | name=aligned_alloc | name=memalign | name=valloc
    library L65 name=printf | name=fprintf | name=sprintf | name=snprintf | name=vsnprintf | name=vfprintf | name=qsort | name=bsearch
    library L67 name=__GI_* | name=__libc_* | name=_IO_* | name=__*printf_internal | name=__*printf_chk | name=__run_exit_handlers
    # What other bases of code have in place of the C++ library: pointers, containers, and what checks them.
    library L68 name=WTF::* | name=scoped_refptr::* | name=base::RefCounted* | name=base::subtle::RefCounted* | name=base::WeakPtr::* | name=base::raw_ptr::* | name=base::span::*
    library L69 name=boost::shared_ptr::* | name=boost::scoped_ptr::* | name=boost::intrusive_ptr::* | name=boost::detail::* | name=absl::container_internal::* | name=absl::InlinedVector::* | name=absl::Span::* | name=absl::*leanup*
    # These operators can only be members: without their class they say nothing.
    library L66 name=operator[] | name=operator-> | name=operator()
    """
}
