"""The planted faults: what happens, in which builds, and the chain of calls that leads there.

A chain is written innermost first. Items: "L name" and "K name" are functions of Lumen and LumenKit by their logical name
(`@symbol` behind it: the frame stands at its call of that function outside the app; `!` behind it: the frame stands at the
source line marked `// fault <id>`; `^`: at the function's entry), "S image function" is the system, "A function" is AdKit.
`times` repeats the first item (or the first two, for F26) between the two numbers.
"""
from dataclasses import dataclass, field

from systems import (ABORT, BACKGROUND, DISPLAY, EVENT, IDLE_MAIN, LAUNCH, LOCK, MAIN_QUEUE, PARKED, QUEUE, SEMAPHORE, THROW, WORKER,
                     path)

ALL = (101, 112, 120)


@dataclass
class Fault:
    id: str
    kind: str
    builds: tuple
    where: str
    what: str
    chain: list = field(default_factory=list)  # crash: the attributed thread
    reason: str = ""
    share: float = 1.0  # how often, against the others
    times: tuple = None
    cycle: int = 1  # how many items at the chain's head are repeated
    # Sampled kinds: (weight, chain) each; `dominating` is the deepest app function with half of the samples.
    samples: list = field(default_factory=list)
    dominating: str = ""


def crash(id, builds, where, what, chain, reason, **more):
    return Fault(id, "crash", builds, where, what, chain=chain, reason=reason, **more)


def sampled(id, kind, builds, where, what, dominating, samples, **more):
    return Fault(id, kind, builds, where, what, dominating=dominating, samples=samples, **more)


CATALOG = ["L Catalog.locked(_:)", "L Catalog.entry(for:)", "L EditorScreen.catalogOpened(_:)"]
GRID = ["L ThumbnailGrid.layout(in:)", "L EditorScreen.gridAppeared(_:)"]
PRESETS = ["L PresetLoader.loadAll(_:)", "L EditorScreen.presetsShown(_:)"]
MIGRATE = ["L LibraryMigrator.waitForImport(_:) @_dispatch_semaphore_wait", "L LibraryMigrator.migrate(_:)", "L EditorScreen.didEnterBackground()"]
SYNC = ["L SyncEngine.merge(_:)", "L SyncEngine.run(_:)", "L lumen_sync_work"]
JOURNAL = ["L Journal.flush(_:)", "L lumen_journal_work"]
SCAN = ["L PluginRegistry.scan(_:)", "L AppDelegate.didFinishLaunching(_:)"]
DYLD_OPEN = path("""
    libsystem_kernel.dylib __open
    dyld dyld4::SyscallDelegate::withFileMapping
    dyld dyld4::Loader::getLoader
    dyld dyld4::APIs::dlopen""")


def at(chain, mark):
    """The same chain with a mark behind its innermost frame."""
    return [chain[0] + mark, *chain[1:]]


FAULTS = [
    crash("F01-null-layer", ALL, "Engine/engine.cpp", "C++: a layer without a mask is drawn",
          ["L lumen::Canvas::drawLayer !", "L lumen::Canvas::drawAll", "L engine_render", "L EditorScreen.drawTapped(_:)"] + DISPLAY, "bad-access", share=1.6),
    crash("F02-template", (101, 112), "Engine/engine.hpp", "C++: an index past the end in a class template, mended in 1.2",
          ["L lumen::RingBuffer<>::at !", "L lumen::smooth", "L engine_smooth", "L smoothWork"] + QUEUE, "bad-access"),
    crash("F03-closure", ALL, "Lumen/Import.swift", "Swift: a closure writes through a bad pointer",
          ["L closure in PhotoImporter.importAll(_:) !", "L Batch.each(_:)", "L PhotoImporter.importAll(_:)", "L EditorScreen.importTapped(_:)"] + EVENT,
          "bad-access", share=1.4),
    crash("F04-generic", ALL, "Lumen/Import.swift", "Swift: a generic function, specialised for Filter",
          ["L Shelf.evict(_:) !", "L Shelf.place(_:)", "L FilterCache.pick(_:)", "L EditorScreen.filterPicked(_:)"] + EVENT, "bad-access"),
    crash("F05-recursion", ALL, "Lumen/Model.swift", "Swift: a folder that holds itself; 20 to 120 levels, in some payloads several hundred",
          ["L FolderTree.depth(of:) ^", "L FolderTree.depth(of:)", "L EditorScreen.foldersTapped(_:)"] + EVENT, "stack-overflow", times=(20, 120)),
    crash("F06-index", (112, 120), "Lumen/Model.swift", "Swift runtime failure: index out of range",
          ["L Timeline.clip(at:) !", "L EditorScreen.scrubbed(to:)"] + EVENT, "trap", share=1.3),
    crash("F07-unwrap", (120,), "Lumen/Model.swift", "Swift runtime failure: nil unwrapped; new in 1.2",
          ["L SettingsStore.exposure(for:) !", "L EditorScreen.exposureChanged(_:)"] + EVENT, "trap", share=1.8),
    crash("F08-overflow", ALL, "Lumen/Model.swift", "Swift runtime failure: arithmetic overflow",
          ["L ExposureMeter.add(_:_:) !", "L ExposureMeter.average(_:)", "L EditorScreen.meterShown(_:)"] + DISPLAY, "trap"),
    crash("F09-kit", ALL, "LumenKit/Decoder.swift", "Swift: in the app's own framework, below a call from the app",
          ["K BitReader.next(_:) !", "K TileDecoder.decode(_:)", "K lumenkit_decode", "L PreviewPane.show(_:)", "L EditorScreen.previewShown(_:)"] + DISPLAY,
          "bad-access"),
    crash("F10-inlined", ALL, "Lumen/Model.swift", "Swift: `weigh` is inlined in 112 and 120, `bin` in 120, neither in 101",
          ["L Histogram.weigh(_:) !", "L Histogram.bin(_:)", "L Histogram.peak(of:)", "L EditorScreen.histogramShown(_:)"] + EVENT, "bad-access", share=1.3),
    crash("F11-watchdog", ALL, "Lumen/Background.swift", "the system ends the app: it waits in the background for a semaphore nobody signals",
          SEMAPHORE + MIGRATE + BACKGROUND, "watchdog"),
    sampled("F12-hang-lock", "hang", ALL, "Lumen/Screens.swift", "the main thread waits for a lock that the sync engine holds", "L Catalog.locked(_:)", [
        (70, LOCK + at(CATALOG, " @_pthread_mutex_lock") + EVENT),
        (6, path("libsystem_pthread.dylib pthread_mutex_unlock") + at(CATALOG, " @_pthread_mutex_unlock") + EVENT),
        (4, CATALOG + EVENT), (10, ["L record(_:)", "L Catalog.lookUp(_:)"] + CATALOG + EVENT), (6, IDLE_MAIN)], share=1.3),
    sampled("F13-hang-compute", "hang", ALL, "Lumen/Screens.swift", "the main thread measures each cell against each other", "L ThumbnailGrid.layout(in:)", [
        (34, ["L ThumbnailGrid.measure(_:)"] + GRID + DISPLAY), (46, GRID + DISPLAY), (5, LOCK + at(CATALOG, " @_pthread_mutex_lock") + EVENT),
        (4, path("QuartzCore CA::Layer::setNeedsLayout") + DISPLAY[1:]), (6, IDLE_MAIN)], share=1.2),
    sampled("F14-hang-files", "hang", (112, 120), "Lumen/Screens.swift", "the main thread reads one file after the other", "L PresetLoader.load(_:)", [
        (38, path("libsystem_kernel.dylib __open") + ["L PresetLoader.load(_:) @_open"] + PRESETS + EVENT),
        (36, path("libsystem_kernel.dylib read") + ["L PresetLoader.load(_:) @_read"] + PRESETS + EVENT),
        (8, ["L PresetLoader.load(_:)"] + PRESETS + EVENT), (4, PRESETS + EVENT), (6, IDLE_MAIN)]),
    sampled("F15-cpu-sync", "cpu_exception", ALL, "Lumen/Background.swift", "compares every change with every other", "L SyncEngine.merge(_:)", [
        (34, ["L SyncEngine.compare(_:_:)"] + SYNC + QUEUE), (42, SYNC + QUEUE), (8, IDLE_MAIN), (6, GRID + DISPLAY), (4, PARKED[0])], share=1.2),
    sampled("F16-disk-journal", "disk_write_exception", ALL, "Lumen/Background.swift", "writes the whole journal for each change", "L Journal.flush(_:)", [
        (36, path("libsystem_kernel.dylib write") + ["L Journal.append(_:) @_write"] + JOURNAL + QUEUE),
        (44, path("libsystem_kernel.dylib fsync") + at(JOURNAL, " @_fsync") + QUEUE),
        (10, path("libsystem_kernel.dylib pwrite") + path("CFNetwork _CFURLCacheWrite") + QUEUE)], share=1.2),
    sampled("F17-slow-launch", "app_launch", (101, 112), "Lumen/Background.swift", "opens each plugin before the first picture, mended in 1.2",
            "L PluginRegistry.register(_:)", [
                (70, DYLD_OPEN + ["L PluginRegistry.register(_:) @_dlopen"] + SCAN + LAUNCH), (6, SCAN + LAUNCH),
                (8, path("UIKitCore -[UIScreen _initialize]") + LAUNCH[3:]),
                (8, path("libsystem_kernel.dylib __fcntl") + path("dyld dyld4::prepare") + ["S dyld start"])]),
    crash("F18-uncaught", ALL, "Engine/engine.cpp", "C++: an exception nobody catches",
          THROW + ["L lumen::parseHeader @___cxa_throw", "L lumen::parsePages", "L engine_open", "L EditorScreen.openDocument(_:_:)"] + EVENT, "abort"),
    crash("F19-adkit", ALL, "AdKit (no symbols)", "crashes in the framework of another vendor, whose symbols nobody has",
          ["A parseCreative", "A loadCreative", "A deliver"] + MAIN_QUEUE, "bad-access"),
    crash("F20-ad-callback", ALL, "Lumen/Screens.swift", "in the function that AdKit calls back",
          ["L BannerSlot.resize(_:) !", "L lumen_banner_loaded", "A finish", "A deliver"] + MAIN_QUEUE, "bad-access"),
    crash("F21-over-release", ALL, "Lumen/Background.swift", "an object is released once too often",
          path("libobjc.A.dylib objc_release") + ["L LayerStore.drop(_:) @_objc_release", "L LayerStore.purge(_:)", "L lumen_purge_work"] + QUEUE, "bad-access"),
    crash("F22-inlined-cpp", ALL, "Engine/engine.cpp", "C++: `mix` is a function of its own in 101 and inlined since",
          ["L lumen::Blender::mix !", "L lumen::Blender::blend", "L engine_blend", "L EditorScreen.blendTapped(_:_:)"] + EVENT, "bad-access"),
    crash("F23-abort-open", ALL, "Vault/vault.c", "C: the wrong key ends in vault_fail and abort",
          ABORT + ["L vault_fail @_abort", "L check_key", "L vault_open", "L EditorScreen.unlockTapped(_:)"] + EVENT, "abort"),
    crash("F24-abort-seal", ALL, "Vault/vault.c", "C: vault_fail again, from another caller",
          ABORT + ["L vault_fail @_abort", "L vault_seal", "L EditorScreen.lockTapped(_:)"] + EVENT, "abort"),
    crash("F25-assert", (101, 120), "Vault/vault.c", "C: an assertion",
          ABORT + path("libsystem_c.dylib __assert_rtn") + ["L flush_key @___assert_rtn", "L vault_seal", "L EditorScreen.lockTapped(_:)"] + EVENT, "abort"),
    crash("F26-mutual", (112, 120), "Engine/engine.cpp", "C++: two functions call each other, 10 to 60 rounds",
          ["L lumen::parseNode !", "L lumen::parseList", "L lumen::parseNode", "L engine_outline", "L outlineWork"] + QUEUE, "bad-access", times=(10, 60), cycle=2),
    crash("F27-generic-twin", (112, 120), "Lumen/Import.swift", "Swift: the generic of F04, specialised for Sticker and called from elsewhere",
          ["L Shelf.evict(_:) !F04", "L Shelf.place(_:)", "L FilterCache.pickSticker(_:)", "L stickerPicked(_:)"] + EVENT, "bad-access"),
    sampled("F28-hang-migrate", "hang", (112,), "Lumen/Background.swift", "the wait of F11 where the system had patience", "L LibraryMigrator.waitForImport(_:)", [
        (85, SEMAPHORE + MIGRATE + BACKGROUND), (6, IDLE_MAIN)], share=0.6),
    crash("none-network", ALL, "no app frame", "only system frames, on a queue of the network stack",
          path("""libobjc.A.dylib objc_msgSend
              Network nw_connection_receive
              Network nw_protocol_input
              CFNetwork _CFStreamRead""") + QUEUE, "bad-access"),
    crash("none-graphics", ALL, "no app frame", "only system frames, on a thread of the graphics driver",
          path("""AGXMetalG14 AGX::Fence::wait
              Metal -[MTLCommandBuffer commit]
              QuartzCore CA::Render::Server""") + WORKER, "bad-access"),
]
BY_ID = {fault.id: fault for fault in FAULTS}
