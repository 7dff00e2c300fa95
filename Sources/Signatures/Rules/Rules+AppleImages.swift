/// The text of the default rules that says which images are the system's.
///
/// Patterns come first: a literal name behind them is decided by one look-up.
extension Rules {
  static let appleImages = """
    # Images of Apple's systems, and of a Linux system, by name. What nothing here covers is the app's. Diagnostics hold no
    # paths, so names must do: an app's own framework that has the name of a system framework is taken for it, unless a
    # project's file declares it with 'app'.
    system S1 image=libsystem_* | image=libobjc* | image=libswift* | image=libc++* | image=libicucore* | image=libxml2*
    system S2 image=libcorecrypto* | image=libMobileGestalt* | image=libGPU* | image=libdiagnosticMessages*
    system S3 image=liblzma* | image=libbsm* | image=libresolv* | image=libremovefile* | image=libunwind*
    system S4 image=libnotify* | image=libedit* | image=libcharset* | image=libiconv* | image=libarchive*
    system S5 image=libapp_launch_measurement* | image=libAWD* | image=libclang_rt* | image=libdebugger*
    system S6 image=libGSFont* | image=libbase* | image=liblog_* | image=libAudio* | image=libEDR* | image=libMTL*
    system S7 image=libTelephony* | image=libquarantine* | image=libcoreroutine* | image=libIOReport*
    system S8 image=libheimdal* | image=libspindump* | image=libkdebug* | image=libpcap* | image=libinfo*
    system S9 image=kernel.* | image=CoreAudio* | image=AudioToolbox* | image=AudioSession* | image=CoreSuggestions*
    system S10 image=CoreDuet* | image=MetalPerformanceShaders* | image=MPS* | image=AGX* | image=GPUCompiler*
    system S11 image=AppleGVA* | image=AppleIntel* | image=TextToSpeech* | image=AXSpeech* | image=Accessibility*
    system S12 image=ManagedSettings* | image=PersonalizationPortrait* | image=LocalAuthentication* | image=SiriKit*
    system S13 image=VoiceShortcut* | image=PerfPowerServices* | image=kperf* | image=SymptomPresentation*
    system S14 image=DataDetectors* | image=DocumentManager* | image=DiskImages* | image=iTunesCloud* | image=JetEngine*
    system S15 image=ScreenTime* | image=SetupAssistant* | image=StatusKit* | image=SystemStatus*
    system S16 image=VideoSubscriberAccount* | image=VideosUI* | image=WelcomeKit* | image=XCTest* | image=libc.so*
    system S17 image=libpthread.so* | image=libm.so* | image=libdl.so* | image=librt.so* | image=ld-linux*
    system S18 image=ld-musl* | image=linux-vdso* | image=libstdc++.so* | image=libgcc_s.so* | image=lib_InternalSwift*
    system S19 image=lib_TestDiscovery*
    # Drivers of GPUs and what lies over them on a Mac.
    system S95 image=GeForce* | image=AMDRadeon* | image=AMDMTL* | image=AMDShared* | image=ATIRadeon* | image=GLRenderer*
    system S96 image=AppleMetal*Renderer | image=OpenCL | image=libcldcpuengine.dylib | image=libCLVM*

    # The same without patterns.
    system S20 image=libdispatch.dylib | image=dyld | image=dyld_sim | image=libdyld.dylib | image=libxpc.dylib
    system S21 image=libsqlite3.dylib | image=libz.1.dylib | image=libnetwork.dylib | image=libboringssl.dylib
    system S22 image=libcache.dylib | image=libmacho.dylib | image=libcompression.dylib | image=libAccessibility.dylib
    system S23 image=libusrtcp.dylib | image=libBacktraceRecording.dylib | image=libMainThreadChecker.dylib
    system S24 image=libViewDebuggerSupport.dylib | image=libmis.dylib | image=kernel | image=mach_kernel | image=UIKit
    system S25 image=UIKitCore | image=UIFoundation | image=UIKitServices | image=AppKit | image=CoreFoundation
    system S26 image=CFNetwork | image=Foundation | image=FoundationEssentials | image=GraphicsServices
    system S27 image=QuartzCore | image=CoreGraphics | image=CoreText | image=CoreImage | image=ImageIO
    system S28 image=CoreVideo | image=CoreMedia | image=AVFoundation | image=AVFCore | image=AVFAudio | image=AVKit
    system S29 image=AVRouting | image=MediaToolbox | image=MediaPlayer | image=MediaRemote | image=MediaServices
    system S30 image=VideoToolbox | image=CMCapture | image=Celestial | image=CoreAnimation | image=SwiftUI
    system S31 image=SwiftUICore | image=SwiftData | image=AttributeGraph | image=RenderBox | image=DesignLibrary
    system S32 image=Combine | image=CoreData | image=CloudKit | image=CloudKitDaemon | image=CloudDocs
    system S33 image=CoreLocation | image=CoreLocationUI | image=MapKit | image=VectorKit | image=GeoServices
    system S34 image=CoreMotion | image=CoreBluetooth | image=CoreTelephony | image=CoreHaptics | image=CoreNFC
    system S35 image=CoreWLAN | image=CoreSpotlight | image=CoreServices | image=CoreServicesInternal
    system S36 image=CoreSymbolication | image=CoreAutoLayout | image=CoreUI | image=CoreML | image=CoreNLP
    system S37 image=CoreHandwriting | image=CoreAccessories | image=CoreMaterial | image=CoreUtils | image=CoreEmoji
    system S38 image=CorePrediction | image=CoreSVG | image=CoreTransferable | image=CoreFollowUp | image=CoreTime
    system S39 image=CoreOptimization | image=CoreRE | image=CoreRC | image=WebKit | image=WebKitLegacy | image=WebCore
    system S40 image=WebGPU | image=WebUI | image=JavaScriptCore | image=SafariServices | image=SafariShared
    system S41 image=Metal | image=MetalKit | image=MetalTools | image=MetalFX | image=GPURawCounter | image=IOSurface
    system S42 image=IOSurfaceAccelerator | image=IOKit | image=IOGPU | image=IOMobileFramebuffer | image=OpenGLES
    system S43 image=OpenGL | image=GLEngine | image=GLKit | image=TextInput | image=TextInputUI | image=TextInputCore
    system S44 image=TextRecognition | image=KeyboardServices | image=UIKitMacHelper | image=UIAccessibility
    system S45 image=AXRuntime | image=AXCoreUtilities | image=HIToolbox | image=CarbonCore | image=SkyLight
    system S46 image=ViewBridge | image=AE | image=LaunchServices | image=BackBoardServices | image=BackBoardHIDServices
    system S47 image=FrontBoardServices | image=FrontBoard | image=RunningBoardServices | image=RunningBoard
    system S48 image=SpringBoardServices | image=SpringBoardUIServices | image=SpringBoardFoundation | image=BaseBoard
    system S49 image=BaseBoardUI | image=BoardServices | image=AssertionServices | image=MobileCoreServices
    system S50 image=MobileGestalt | image=ManagedConfiguration | image=ProactiveSupport | image=PrototypeTools
    system S51 image=PrototypeToolsUI | image=UserNotifications | image=UserNotificationsUI | image=UserManagement
    system S52 image=StoreKit | image=StoreKitUI | image=StoreServices | image=PassKit | image=PassKitCore
    system S53 image=PassKitUI | image=Photos | image=PhotosUI | image=PhotosUICore | image=PhotoLibraryServices
    system S54 image=PhotoLibraryServicesCore | image=PhotoFoundation | image=Contacts | image=ContactsUI
    system S55 image=ContactsFoundation | image=EventKit | image=EventKitUI | image=HealthKit | image=HealthKitUI
    system S56 image=HomeKit | image=GameKit | image=GameController | image=GameplayKit | image=GameCenterFoundation
    system S57 image=SceneKit | image=SpriteKit | image=ARKit | image=ARKitCore | image=RealityKit
    system S58 image=RealityFoundation | image=RealityKitFoundation | image=Vision | image=VisionKit
    system S59 image=VisionKitCore | image=NaturalLanguage | image=SoundAnalysis | image=ShazamKit | image=Security
    system S60 image=SecurityFoundation | image=CryptoKit | image=CryptoTokenKit | image=AuthenticationServices
    system S61 image=AuthKit | image=AppSSO | image=AppSSOCore | image=DeviceCheck | image=DeviceIdentity
    system S62 image=TrustedPeers | image=Network | image=NetworkExtension | image=NetworkServiceProxy
    system S63 image=SystemConfiguration | image=CaptiveNetwork | image=WirelessCoexManager
    system S64 image=MultipeerConnectivity | image=RemoteServiceDiscovery | image=RemoteXPC | image=QuickLook
    system S65 image=QuickLookThumbnailing | image=QuickLookUI | image=QuickLookSupport | image=PDFKit | image=PencilKit
    system S66 image=PaperKit | image=MarkupUI | image=AnnotationKit | image=PlugInKit | image=ExtensionFoundation
    system S67 image=ExtensionKit | image=ShareSheet | image=MessageUI | image=MessagesKit | image=IMCore
    system S68 image=IMFoundation | image=WatchConnectivity | image=WatchKit | image=WidgetKit | image=ActivityKit
    system S69 image=AppIntents | image=AppIntentsServices | image=IntentsUI | image=IntentsFoundation
    system S70 image=IntentsCore | image=AssistantServices | image=VoiceServices | image=WorkflowKit
    system S71 image=LoggingSupport | image=SignpostSupport | image=SignpostMetrics | image=MetricKit
    system S72 image=MetricKitCore | image=MetricKitServices | image=PerformanceTrace | image=PowerLog
    system S73 image=PowerLogCore | image=Spindump | image=ktrace | image=DebugSymbols | image=CrashReporterSupport
    system S74 image=OSAnalytics | image=AdSupport | image=AdServices | image=AppTrackingTransparency
    system S75 image=AdAttributionKit | image=BackgroundTasks | image=BackgroundTaskAgent | image=DuetActivityScheduler
    system S76 image=NewsstandKit | image=PushKit | image=CallKit | image=LinkPresentation | image=TipKit | image=Charts
    system S77 image=Observation | image=OSLog | image=os_log | image=RegexBuilder | image=simd | image=Accelerate
    system S78 image=vImage | image=vecLib | image=BLAS | image=LAPACK | image=libBLAS.dylib | image=libLAPACK.dylib
    system S79 image=libvDSP.dylib | image=libvMisc.dylib | image=libBNNS.dylib | image=ColorSync | image=CoreCDP
    system S80 image=DataAccess | image=DataMigration | image=DictionaryServices | image=DiskArbitration
    system S81 image=DocumentCamera | image=EmojiFoundation | image=FileProvider | image=FileProviderUI
    system S82 image=FontServices | image=FontParser | image=libFontParser.dylib | image=libFontRegistry.dylib
    system S83 image=Futhark | image=GenerationalStorage | image=InternationalSupport | image=InternationalTextSearch
    system S84 image=iAd | image=iCalendar | image=LanguageModeling | image=LatentSemanticMapping | image=MobileAsset
    system S85 image=MobileInstallation | image=MobileKeyBag | image=MobileIcons | image=MobileSpotlightIndex
    system S86 image=MobileWiFi | image=NanoRegistry | image=NanoPreferencesSync | image=NotesShared
    system S87 image=OnBoardingKit | image=PreferencesUI | image=ProtocolBuffer | image=SearchFoundation
    system S88 image=SFSymbols | image=Tightbeam | image=TCC | image=TelephonyUtilities | image=TouchRemote
    system S89 image=UniformTypeIdentifiers | image=UsageTracking | image=XCTAutomationSupport | image=XCUIAutomation
    system S90 image=libFoundation.so | image=libFoundationEssentials.so | image=lib_FoundationICU.so
    system S91 image=libFoundationInternationalization.so | image=libFoundationNetworking.so | image=libFoundationXML.so
    system S92 image=libdispatch.so | image=libBlocksRuntime.so | image=lib_StringProcessing.so | image=[vdso]
    system S93 image=vdso
    """
}
