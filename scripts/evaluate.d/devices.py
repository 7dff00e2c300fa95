"""MetricKit's form of a death: image offsets, made-up load addresses, and the frames of a made-up system that differ per OS build."""
import hashlib
import json

SYSTEMS = ["iPhone OS 17.5.1 (21F90)", "iPhone OS 18.1.1 (22B91)", "iPhone OS 18.5 (22F76)", "iPhone OS 26.0 (23A341)"]
# What the modules of a Linux process stand for.
IMAGES = {"libswiftCore.so": "libswiftCore.dylib", "libswift_Concurrency.so": "libswift_Concurrency.dylib", "libdispatch.so": "libdispatch.dylib",
          "libpier.so": "UIKitCore", "libc.so.6": "dyld"}
REASONS = {4: (6, 5), 5: (6, 5), 6: (10, 6), 7: (1, 10), 8: (3, 8), 11: (1, 11)}  # signal → Mach exception, signal as Apple has it


def number(*parts) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")


def uuid(text: str) -> str:
    text = text.upper()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:32]))


def frames(random, death, app: str, system: str) -> list[dict]:
    """The frames, innermost first; those of the system as this OS build has them."""
    load = {}
    made = []

    def add(name, identifier, offset):
        base = load.setdefault(name, random.randrange(0x100000000, 0x200000000, 0x4000))
        made.append({"binaryUUID": uuid(identifier), "binaryName": name, "offsetIntoBinaryTextSegment": offset,
                     "address": base + offset, "sampleCount": 1})

    def add_system(name, function):
        add(name, f"{number('uuid', system, name):016x}" * 2, number(system, name, function) % 0x400000 * 4)

    for module, offset in death.frames:
        if module == app:
            add(app, death.build.identifier, offset)
        elif module == "libpier.so":
            # The way of an event to the app is another on every OS.
            for step in range(1 + number("steps", system, offset) % 3):
                add_system("UIKitCore", (offset, step))
        else:
            add_system(IMAGES.get(module, "libsystem_c.dylib"), offset)
    return made


def payload(random, death, app: str, system: str) -> bytes:
    """One document with one crash."""
    root = None
    for frame in reversed(frames(random, death, app, system)):
        if root:
            frame["subFrames"] = [root]
        root = frame
    exception, signal = REASONS.get(death.signal, (10, death.signal))
    tree = {"callStackPerThread": True, "callStacks": [{"threadAttributed": True, "callStackRootFrames": [root]}]}
    about = {"appVersion": "1.0", "appBuildVersion": str(death.build.number), "osVersion": system, "deviceType": "iPhone14,5",
             "bundleIdentifier": "com.example.harbor", "platformArchitecture": "arm64e", "regionFormat": "US",
             "exceptionType": exception, "exceptionCode": 1, "signal": signal, "pid": random.randrange(300, 30000)}
    event = {"version": "1.0.0", "callStackTree": tree, "diagnosticMetaData": about}
    return json.dumps({"timeStampBegin": "2026-06-30 17:41:00", "timeStampEnd": "2026-06-30 17:41:00", "crashDiagnostics": [event]},
                      separators=(",", ":")).encode()
