"""The made-up devices: OS builds, system images with their identifiers and addresses, and the system's own call paths.

No offset or identifier here is Apple's: each is a digest of (OS build, architecture, image, function), so that they differ
from OS build to OS build, as the real ones do, and are the same in every diagnostic of one OS build.
"""
import hashlib


def digest(*parts):
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")


class System:
    """One OS build."""

    def __init__(self, number, build, year):
        self.number, self.build, self.year = number, build, year
        self.name = "iPhone OS %s (%s)" % (number, build)
        self.major = int(number.split(".")[0])


SYSTEMS = [System("15.8.1", "19H370", 2024), System("16.7.2", "20H115", 2023), System("17.5.1", "21F90", 2024),
           System("18.1.1", "22B91", 2024), System("18.5", "22F76", 2025)]
# device type, architecture, OS majors it runs
DEVICES = [("iPhone10,4", "arm64", (15, 16)), ("iPhone12,1", "arm64e", (15, 16, 17, 18)), ("iPhone13,2", "arm64e", (15, 16, 17, 18)),
           ("iPhone14,5", "arm64e", (15, 16, 17, 18)), ("iPhone15,2", "arm64e", (16, 17, 18)), ("iPhone16,1", "arm64e", (17, 18)),
           ("iPad13,16", "arm64e", (15, 16, 17, 18))]
REGIONS = ["US", "DE", "GB", "FR", "JP", "CA"]

# image: (size of its text, place in the shared cache in MiB)
IMAGES = {
    "libobjc.A.dylib": (0x41000, 0), "dyld": (0x8c000, 2), "libsystem_kernel.dylib": (0x38000, 1650), "libsystem_pthread.dylib": (0xd000, 1700),
    "libsystem_c.dylib": (0x7e000, 60), "libdispatch.dylib": (0x47000, 50), "libc++abi.dylib": (0x1b000, 70), "libswiftCore.dylib": (0x3f5000, 80),
    "CoreFoundation": (0x41f000, 120), "Foundation": (0x8e3000, 140), "GraphicsServices": (0x9000, 700), "UIKitCore": (0x171c000, 200),
    "QuartzCore": (0x32a000, 260), "Network": (0x9b2000, 300), "CFNetwork": (0x318000, 330), "Metal": (0x1a1000, 360), "AGXMetalG14": (0x50e000, 380),
    "ImageIO": (0x3f8000, 420), "FrontBoardServices": (0xb5000, 460),
}


def system_uuid(system, arch, image):
    """A name-based identifier, in the form Apple's linker writes."""
    b = bytearray(hashlib.sha256(("uuid\0%s\0%s\0%s" % (system.build, arch, image)).encode()).digest()[:16])
    b[6], b[8] = b[6] & 0x0F | 0x30, b[8] & 0x3F | 0x80
    h = b.hex().upper()
    return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))


class Device:
    """One process on one device: where its images were loaded this time."""

    @staticmethod
    def model(rng, system):
        """(device type, architecture, region) of one that runs this OS."""
        name, arch, _ = rng.choice([d for d in DEVICES if system.major in d[2]])
        return name, arch, rng.choice(REGIONS)

    def __init__(self, rng, system, model, app_images):
        self.system = system
        self.type, self.arch, self.region = model
        self.pid = rng.randrange(300, 30000)
        cache = 0x180000000 + rng.randrange(0, 0x2000) * 0x4000
        self.loads = {name: cache + place * 0x100000 + digest("place", system.build, name) % 0x40 * 0x4000 for name, (_, place) in IMAGES.items()}
        if system.major == 15:  # dyld was not yet part of the shared cache
            self.loads["dyld"] = 0x100000000 + rng.randrange(0x2000, 0x2800) * 0x4000
        # App images: main image first, then the embedded frameworks behind it.
        at = 0x100000000 + rng.randrange(0, 0x1400) * 0x4000
        self.images = {}
        for name, (identifier, end) in app_images.items():
            self.loads[name] = at
            self.images[name] = identifier
            at += (end + 0x3FFF) // 0x4000 * 0x4000 + rng.randrange(4, 64) * 0x4000

    def uuid(self, image):
        return self.images.get(image) or system_uuid(self.system, self.arch, image)


def system_offset(system, arch, image, function, exact):
    """The offset of a place in a system function: `exact` is where a thread stands, otherwise it is a return address."""
    size = IMAGES[image][0]
    start = digest("function", system.build, arch, image, function) % (size - 0x1000) // 64 * 64 + 0x400
    if image == "libsystem_kernel.dylib" and exact:
        return start + 8  # behind the supervisor call
    return start + (digest("exact" if exact else "call", system.build, function) % 120 + 2) * 4


# Call paths of the system, innermost first. "S image function".
def path(text):
    return ["S " + line.strip() for line in text.strip().splitlines()]


RUN_LOOP = path("""
    CoreFoundation __CFRunLoopRun
    CoreFoundation CFRunLoopRunSpecific
    GraphicsServices GSEventRunModal
    UIKitCore -[UIApplication _run]
    UIKitCore UIApplicationMain""")
MAIN = ["L static LumenApp.main() @_UIApplicationMain", "L static LumenApp.$main()", "L main", "S dyld start"]
EVENT = path("""
    UIKitCore -[UIApplication sendAction:to:from:forEvent:]
    UIKitCore -[UIControl sendAction:to:forEvent:]
    UIKitCore -[UIControl _sendActionsForEvents:withEvent:]
    UIKitCore -[UIButton touchesEnded:withEvent:]
    UIKitCore -[UIWindow _sendTouchesForEvent:]
    UIKitCore -[UIApplication sendEvent:]
    UIKitCore __dispatchPreprocessedEventFromEventQueue
    UIKitCore __processEventQueue
    CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
    CoreFoundation __CFRunLoopDoSource0
    CoreFoundation __CFRunLoopDoSources0""") + RUN_LOOP + MAIN
DISPLAY = path("""
    UIKitCore -[UIView(CALayerDelegate) layoutSublayersOfLayer:]
    QuartzCore CA::Layer::layout_if_needed
    QuartzCore CA::Context::commit_transaction
    QuartzCore CA::Transaction::commit
    UIKitCore _UIApplicationFlushCATransaction
    UIKitCore _runAfterCACommitDeferredBlocks
    CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
    CoreFoundation __CFRunLoopDoObservers""") + RUN_LOOP + MAIN
MAIN_QUEUE = path("""
    libdispatch.dylib _dispatch_client_callout
    libdispatch.dylib _dispatch_main_queue_drain
    libdispatch.dylib _dispatch_main_queue_callback_4CF
    CoreFoundation __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__""") + RUN_LOOP + MAIN
BACKGROUND = path("""
    UIKitCore -[UIApplication _sendWillEnterBackgroundCallbacks]
    UIKitCore __101-[_UISceneLifecycleMultiplexer]_block_invoke
    FrontBoardServices -[FBSScene _callOutQueue_updateSettings]
    FrontBoardServices __94-[FBSWorkspaceScenesClient]_block_invoke
    libdispatch.dylib _dispatch_client_callout
    libdispatch.dylib _dispatch_block_invoke_direct
    FrontBoardServices __FBSSERIALQUEUE_IS_CALLING_OUT_TO_A_BLOCK__
    CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
    CoreFoundation __CFRunLoopDoSource0""") + RUN_LOOP + MAIN
LAUNCH = path("""
    UIKitCore -[UIApplication _handleDelegateCallbacksWithOptions:isSuspended:restoreState:]
    UIKitCore -[UIApplication _callInitializationDelegatesWithActions:forCanvas:payload:fromOriginatingProcess:]
    UIKitCore -[UIApplication _runWithMainScene:transitionContext:completion:]
    UIKitCore _UIApplicationMain
    UIKitCore UIApplicationMain""") + MAIN
WORKER = path("""
    libsystem_pthread.dylib _pthread_wqthread
    libsystem_pthread.dylib start_wqthread""")
QUEUE = path("""
    libdispatch.dylib _dispatch_client_callout
    libdispatch.dylib _dispatch_lane_serial_drain
    libdispatch.dylib _dispatch_lane_invoke
    libdispatch.dylib _dispatch_root_queue_drain
    libdispatch.dylib _dispatch_worker_thread2""") + WORKER
THREAD = path("""
    libsystem_pthread.dylib _pthread_start
    libsystem_pthread.dylib thread_start""")
ABORT = path("""
    libsystem_kernel.dylib __pthread_kill
    libsystem_pthread.dylib pthread_kill
    libsystem_c.dylib abort""")
THROW = ABORT + path("""
    libc++abi.dylib abort_message
    libc++abi.dylib demangling_terminate_handler
    libobjc.A.dylib _objc_terminate
    libc++abi.dylib std::__terminate
    libc++abi.dylib __cxa_throw""")
LOCK = path("""
    libsystem_kernel.dylib __psynch_mutexwait
    libsystem_pthread.dylib _pthread_mutex_firstfit_lock_wait
    libsystem_pthread.dylib _pthread_mutex_firstfit_lock_slow""")
SEMAPHORE = path("""
    libsystem_kernel.dylib semaphore_wait_trap
    libdispatch.dylib _dispatch_sema4_wait
    libdispatch.dylib _dispatch_semaphore_wait_slow""")
MESSAGE = path("""
    libsystem_kernel.dylib mach_msg2_trap
    libsystem_kernel.dylib mach_msg""")
IDLE_MAIN = MESSAGE + path("CoreFoundation __CFRunLoopServiceMachPort") + RUN_LOOP + MAIN

# What the other threads do, innermost first.
PARKED = [
    path("libsystem_kernel.dylib __workq_kernreturn") + WORKER,
    path("""libsystem_kernel.dylib __psynch_cvwait
        libsystem_pthread.dylib _pthread_cond_wait
        Foundation -[NSCondition waitUntilDate:]
        Foundation -[NSThread main]
        Foundation __NSThread__start__""") + THREAD,
    MESSAGE + path("""CoreFoundation __CFRunLoopServiceMachPort
        CoreFoundation __CFRunLoopRun
        CoreFoundation CFRunLoopRunSpecific
        UIKitCore -[UIEventFetcher threadMain]
        Foundation __NSThread__start__""") + THREAD,
    MESSAGE + path("""CFNetwork _CFURLStorageSessionCopyCache
        Foundation __NSThread__start__""") + THREAD,
    SEMAPHORE + ["L SyncEngine.idle() @_dispatch_semaphore_wait", "L lumen_sync_idle"] + QUEUE,
    MESSAGE + ["A heartbeat", "A workerMain"] + THREAD,
]


def vary(system, chain):
    """The same path on another OS has some UIKit frames more or less; the runs of equal images stay."""
    out = []
    for place, item in enumerate(chain):
        twin = 0 < place < len(chain) - 1 and item.startswith("S UIKitCore") and chain[place - 1].startswith("S UIKitCore")
        chance = digest("vary", system.build, item) % 20 if twin else 20
        if chance >= 5:
            out.append(item)
        if chance in (5, 6, 7):
            out.append(item + " (variant)")
    return out
