extension Rules {
  /// The images of Apple's systems, and of a Linux system, by name. What no pattern covers is the app's.
  ///
  /// The diagnostics hold no paths, so names must do. An app's own framework that has the name of a system framework
  /// would be taken for it; a rules file can say otherwise.
  static let systemImages: [Rule] = systemImageNames.split(whereSeparator: { $0 == " " || $0 == "\n" })
    .compactMap { Rule("S.\($0)", .system, image: String($0)) }

  private static let systemImageNames = """
    libsystem_* libdispatch.dylib libobjc* libswift* dyld dyld_sim libdyld.dylib libc++* libxpc.dylib
    libsqlite3.dylib libicucore* libz.1.dylib libxml2* libnetwork.dylib libboringssl.dylib libcorecrypto*
    libcache.dylib libmacho.dylib libcompression.dylib libMobileGestalt* libAccessibility.dylib libGPU*
    libdiagnosticMessages* liblzma* libbsm* libresolv* libremovefile* libunwind* libusrtcp.dylib libnotify*
    libedit* libcharset* libiconv* libarchive* libapp_launch_measurement* libAWD* libBacktraceRecording.dylib
    libMainThreadChecker.dylib libViewDebuggerSupport.dylib libclang_rt* libdebugger* libGSFont* libbase*
    liblog_* libAudio* libEDR* libMTL* libTelephony* libquarantine* libcoreroutine* libIOReport* libheimdal*
    libspindump* libmis.dylib libkdebug* libpcap* libinfo* kernel kernel.* mach_kernel UIKit UIKitCore
    UIFoundation UIKitServices AppKit CoreFoundation CFNetwork Foundation FoundationEssentials GraphicsServices
    QuartzCore CoreGraphics CoreText CoreImage ImageIO CoreVideo CoreMedia CoreAudio* AudioToolbox* AudioSession*
    AVFoundation AVFCore AVFAudio AVKit AVRouting MediaToolbox MediaPlayer MediaRemote MediaServices VideoToolbox
    CMCapture Celestial CoreAnimation SwiftUI SwiftUICore SwiftData AttributeGraph RenderBox DesignLibrary
    Combine CoreData CloudKit CloudKitDaemon CloudDocs CoreLocation CoreLocationUI MapKit VectorKit GeoServices
    CoreMotion CoreBluetooth CoreTelephony CoreHaptics CoreNFC CoreWLAN CoreSpotlight CoreServices
    CoreServicesInternal CoreSymbolication CoreAutoLayout CoreUI CoreML CoreNLP CoreHandwriting CoreSuggestions*
    CoreDuet* CoreAccessories CoreMaterial CoreUtils CoreEmoji CorePrediction CoreSVG CoreTransferable
    CoreFollowUp CoreTime CoreOptimization CoreRE CoreRC WebKit WebKitLegacy WebCore WebGPU WebUI JavaScriptCore
    SafariServices SafariShared Metal MetalKit MetalPerformanceShaders* MPS* MetalTools MetalFX AGX* GPUCompiler*
    GPURawCounter IOSurface IOSurfaceAccelerator IOKit IOGPU IOMobileFramebuffer OpenGLES OpenGL GLEngine GLKit
    AppleGVA* AppleIntel* TextInput TextInputUI TextInputCore TextRecognition TextToSpeech* KeyboardServices
    UIKitMacHelper UIAccessibility AXRuntime AXCoreUtilities AXSpeech* Accessibility* HIToolbox CarbonCore
    SkyLight ViewBridge AE LaunchServices BackBoardServices BackBoardHIDServices FrontBoardServices FrontBoard
    RunningBoardServices RunningBoard SpringBoardServices SpringBoardUIServices SpringBoardFoundation BaseBoard
    BaseBoardUI BoardServices AssertionServices MobileCoreServices MobileGestalt ManagedConfiguration
    ManagedSettings* PersonalizationPortrait* ProactiveSupport PrototypeTools PrototypeToolsUI UserNotifications
    UserNotificationsUI UserManagement StoreKit StoreKitUI StoreServices PassKit PassKitCore PassKitUI Photos
    PhotosUI PhotosUICore PhotoLibraryServices PhotoLibraryServicesCore PhotoFoundation Contacts ContactsUI
    ContactsFoundation EventKit EventKitUI HealthKit HealthKitUI HomeKit GameKit GameController GameplayKit
    GameCenterFoundation SceneKit SpriteKit ARKit ARKitCore RealityKit RealityFoundation RealityKitFoundation
    Vision VisionKit VisionKitCore NaturalLanguage SoundAnalysis ShazamKit Security SecurityFoundation
    LocalAuthentication* CryptoKit CryptoTokenKit AuthenticationServices AuthKit AppSSO AppSSOCore DeviceCheck
    DeviceIdentity TrustedPeers Network NetworkExtension NetworkServiceProxy SystemConfiguration CaptiveNetwork
    WirelessCoexManager MultipeerConnectivity RemoteServiceDiscovery RemoteXPC QuickLook QuickLookThumbnailing
    QuickLookUI QuickLookSupport PDFKit PencilKit PaperKit MarkupUI AnnotationKit PlugInKit ExtensionFoundation
    ExtensionKit ShareSheet MessageUI MessagesKit IMCore IMFoundation WatchConnectivity WatchKit WidgetKit
    ActivityKit AppIntents AppIntentsServices IntentsUI IntentsFoundation IntentsCore SiriKit* AssistantServices
    VoiceServices VoiceShortcut* WorkflowKit LoggingSupport SignpostSupport SignpostMetrics MetricKit
    MetricKitCore MetricKitServices PerformanceTrace PerfPowerServices* PowerLog PowerLogCore Spindump ktrace
    kperf* DebugSymbols CrashReporterSupport SymptomPresentation* OSAnalytics AdSupport AdServices
    AppTrackingTransparency AdAttributionKit BackgroundTasks BackgroundTaskAgent DuetActivityScheduler
    NewsstandKit PushKit CallKit LinkPresentation TipKit Charts Observation OSLog os_log RegexBuilder simd
    Accelerate vImage vecLib BLAS LAPACK libBLAS.dylib libLAPACK.dylib libvDSP.dylib libvMisc.dylib libBNNS.dylib
    ColorSync CoreCDP DataDetectors* DataAccess DataMigration DictionaryServices DocumentManager* DiskArbitration
    DiskImages* DocumentCamera EmojiFoundation FileProvider FileProviderUI FontServices FontParser
    libFontParser.dylib libFontRegistry.dylib Futhark GenerationalStorage InternationalSupport
    InternationalTextSearch iAd iCalendar iTunesCloud* JetEngine* LanguageModeling LatentSemanticMapping
    MobileAsset MobileInstallation MobileKeyBag MobileIcons MobileSpotlightIndex MobileWiFi NanoRegistry
    NanoPreferencesSync NotesShared OnBoardingKit PreferencesUI ProtocolBuffer SearchFoundation ScreenTime*
    SetupAssistant* SFSymbols StatusKit* SystemStatus* Tightbeam TCC TelephonyUtilities TouchRemote
    UniformTypeIdentifiers UsageTracking VideoSubscriberAccount* VideosUI* WelcomeKit* XCTest*
    XCTAutomationSupport XCUIAutomation libc.so* libpthread.so* libm.so* libdl.so* librt.so* ld-linux* ld-musl*
    linux-vdso* libstdc++.so* libgcc_s.so* libFoundation.so libFoundationEssentials.so lib_FoundationICU.so
    libFoundationInternationalization.so libFoundationNetworking.so libFoundationXML.so libdispatch.so
    libBlocksRuntime.so lib_InternalSwift* lib_StringProcessing.so lib_TestDiscovery* [vdso] vdso
    """
}
