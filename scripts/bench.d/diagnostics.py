"""Writes many MetricKit v1 crash payloads with a given number of distinct stacks: what a day of devices sends.

Each payload has its own time, process id and load addresses, so each has a digest of its own; which stack it has follows
Zipf's law, as crashes do. Offsets into the app are drawn from a list, so that they mean functions of a real symbol file.
"""
import argparse
import hashlib
import json
import pathlib
import random
import sys
import uuid

SYSTEM = ["UIKitCore", "Foundation", "CoreFoundation", "libdispatch.dylib", "libsystem_kernel.dylib", "libsystem_pthread.dylib",
          "SwiftUI", "QuartzCore", "dyld", "GraphicsServices"]
SYSTEM_IMAGES = {name: str(uuid.UUID(bytes=hashlib.sha256(name.encode()).digest()[:16])).upper() for name in SYSTEM}
sys.setrecursionlimit(20_000)  # a frame is two levels of JSON

SLIDES = 4  # devices' load addresses: so many variants of the text of each stack
MARK = "@@TREE@@"


def images(app, slide):
    """Name, identifier and load address of each image in one process."""
    rng = random.Random(slide)
    places = {app[0]: (app[1], 0x100000000 + rng.randrange(1 << 16) * 0x4000)}
    for name, identifier in SYSTEM_IMAGES.items():
        places[name] = (identifier, 0x180000000 + rng.randrange(1 << 18) * 0x4000)
    return places


def thread(rng, app, offsets, depth, own):
    """Frames of one thread, innermost first: image name and offset."""
    frames = []
    for level in range(depth):
        if own and level < own and level > 0 or (own and rng.random() < 0.1):
            frames.append((app, rng.choice(offsets)))
        else:
            frames.append((rng.choice(SYSTEM), rng.randrange(0x1000, 0x200000) // 4 * 4))
    return frames


def chain(frames, places):
    node = None
    for image, offset in reversed(frames):
        identifier, load = places[image]
        frame = {"binaryUUID": identifier, "offsetIntoBinaryTextSegment": offset, "sampleCount": 1}
        if node is not None:
            frame["subFrames"] = [node]
        frame["binaryName"] = image
        frame["address"] = load + offset
        node = frame
    return node


class Stacks:
    """The distinct trees, rendered once for each slide."""

    def __init__(self, count, app, offsets, threads, depth, pretty, seed):
        self.rng = random.Random(seed)
        self.pretty = pretty
        parked = [thread(self.rng, app[0], offsets, self.rng.randrange(6, 18), 0) for _ in range(40)]
        self.texts = []
        places = [images(app, slide) for slide in range(SLIDES)]
        for number in range(count):
            crashed = thread(self.rng, app[0], offsets, max(2, int(self.rng.gauss(depth, depth / 6))), 6)
            others = self.rng.sample(parked, threads - 1)
            variants = []
            for slide in range(SLIDES):
                stacks = [{"threadAttributed": True, "callStackRootFrames": [chain(crashed, places[slide])]}]
                stacks += [{"threadAttributed": False, "callStackRootFrames": [chain(frames, places[slide])]} for frames in others]
                variants.append(self.text({"callStacks": stacks, "callStackPerThread": True}))
            self.texts.append(variants)
        # Zipf with exponent 1, as cumulative weights.
        total, self.weights = 0.0, []
        for rank in range(count):
            total += 1 / (rank + 1)
            self.weights.append(total)

    def text(self, value):
        if not self.pretty:
            return json.dumps(value, separators=(",", ":"))
        # Apple's writer puts spaces on both sides of the colon; the tree stands three levels deep.
        return json.dumps(value, indent=2, separators=(",", " : ")).replace("\n", "\n      ")

    def payload(self, number):
        """The text of payload `number`; the first ones take each stack once."""
        rng = self.rng
        if number < len(self.texts):
            variants = self.texts[number]
        else:
            variants = rng.choices(self.texts, cum_weights=self.weights)[0]
        day, second = rng.randrange(1, 29), rng.randrange(86400)
        build = rng.choice(("811", "812"))
        payload = {
            "timeStampBegin": f"2026-06-{day:02d} 00:00:00", "timeStampEnd": f"2026-06-{day:02d} 23:59:00",
            "crashDiagnostics": [{
                "version": "1.0.0",
                "callStackTree": MARK,
                "diagnosticMetaData": {
                    "appVersion": "8.1", "appBuildVersion": build, "osVersion": rng.choice(("iPhone OS 18.5 (22F76)", "iPhone OS 26.0 (23A341)")),
                    "deviceType": rng.choice(("iPhone16,1", "iPhone14,5")), "bundleIdentifier": "com.example.bench", "platformArchitecture": "arm64e",
                    "regionFormat": "US", "pid": number + 1000, "isTestFlightApp": False, "lowPowerModeEnabled": False,
                    "signal": 11, "exceptionType": 1, "exceptionCode": 0, "terminationReason": f"Namespace SIGNAL, Code 11 at {second}",
                },
            }],
        }
        frame = json.dumps(payload, separators=(",", ":")) if not self.pretty else json.dumps(payload, indent=2, separators=(",", " : "))
        return frame.replace(f'"{MARK}"', rng.choice(variants))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path, help="a folder of files, or a .jsonl file (minified, one payload a line)")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--stacks", type=int, default=2_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--depth", type=int, default=24, help="frames of the crashed thread in the mean")
    parser.add_argument("--offsets", type=pathlib.Path, help="hexadecimal offsets into the app, one a line")
    parser.add_argument("--app", default="libbig.dylib=00000000-0000-0000-0000-000000000001", help="NAME=UUID of the app's image")
    parser.add_argument("--pretty", action="store_true", help="as Apple writes it, instead of minified")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    name, _, identifier = options.app.partition("=")
    offsets = [int(line, 16) for line in options.offsets.read_text().split()] if options.offsets else list(range(0x4000, 0x400000, 0x90))
    stacks = Stacks(options.stacks, (name, identifier), offsets, options.threads, options.depth, options.pretty, options.seed)
    if options.out.suffix == ".jsonl":
        with open(options.out, "w", buffering=1 << 20) as file:
            for number in range(options.count):
                file.write(stacks.payload(number))
                file.write("\n")
        return
    for number in range(options.count):
        folder = options.out / f"{number // 1000:04d}"
        if number % 1000 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:07d}.json").write_text(stacks.payload(number))


if __name__ == "__main__":
    main()
