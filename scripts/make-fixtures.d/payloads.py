"""One diagnostic as a device would have written it: call stack tree and metadata, with the quirks of its OS version."""
from systems import IDLE_MAIN, PARKED, digest, system_offset, vary

IMAGE = {"L": "Lumen", "K": "LumenKit", "A": "AdKit"}
ADKIT = ("7B1D0C52-4E0A-3F6B-9C55-D1A3E8F04B27", 0x1C4000)  # another vendor's; the same file in every build
KEYS = {"crash": "crashDiagnostics", "hang": "hangDiagnostics", "cpu_exception": "cpuExceptionDiagnostics",
        "disk_write_exception": "diskWriteExceptionDiagnostics", "app_launch": "appLaunchDiagnostics"}


class Place:
    """One frame of one device: image, offset, and whether a thread stands there."""
    __slots__ = ("image", "offset")

    def __init__(self, image, offset):
        self.image, self.offset = image, offset


class Recorder:
    """Records diagnostics of one process on one device."""

    def __init__(self, rng, device, solver, version, build):
        self.rng, self.device, self.solver, self.version, self.build = rng, device, solver, version, build

    def places(self, chain, fault, choose=None):
        """The chain on this device, innermost first."""
        system = self.device.system
        result = []
        for letter, where, exact in self.solver.solve(vary(system, chain), fault):
            if letter in "LK":
                offset = (choose or self.rng.choice)(where)
                result.append(Place(IMAGE[letter], offset))
            elif letter == "A":
                start = digest("AdKit", where) % (ADKIT[1] - 0x1000) // 64 * 64
                result.append(Place("AdKit", start + (digest("at", where, exact) % 60 + 3) * 4))
            else:
                image, function = where.split(" ", 1)
                result.append(Place(image, system_offset(system, self.device.arch, image, function, exact)))
        return result

    def frame(self, place, count, load_bug):
        load = self.device.loads[place.image]
        return {"binaryUUID": self.device.uuid(place.image), "offsetIntoBinaryTextSegment": load if load_bug else place.offset,
                "sampleCount": count, "subFrames": [], "binaryName": place.image, "address": load + place.offset}

    def linear(self, places, count=1, load_bug=False):
        """Root frame of a stack that does not branch, in the order given."""
        root = None
        for place in reversed(places):
            frame = self.frame(place, count, load_bug)
            if root is None:
                del frame["subFrames"]
            else:
                frame["subFrames"].append(root)
            root = frame
        return root

    # -- crashes

    def crash(self, fault, repeat=None):
        bug = self.device.system.major == 15  # there the field holds the load address
        chain = fault.chain
        if repeat:
            # Solve a short recursion, then repeat its inner turn: the same call sites again and again.
            places = self.places(chain, fault.id)
            turn = places[1:1 + fault.cycle]
            places = places[:1] + turn * (repeat - 1) + places[1:]
        else:
            places = self.places(chain, fault.id)
        stacks = [self.linear(places, load_bug=bug)]
        others = self.rng.sample(PARKED, self.rng.randrange(1, 4))
        stacks += [self.linear(self.places(p, "parked"), load_bug=bug) for p in others]
        attributed = 0
        if chain[-1] != "S dyld start":  # not the main thread: that one comes first
            stacks.insert(0, self.linear(self.places(IDLE_MAIN, "parked"), load_bug=bug))
            attributed = self.rng.randrange(1, len(stacks))
            stacks.insert(attributed, stacks.pop(1))
        tree = {"callStacks": [{"threadAttributed": i == attributed, "callStackRootFrames": [root]} for i, root in enumerate(stacks)],
                "callStackPerThread": True}
        return self.diagnostic(tree, self.crash_reason(fault.reason))

    def crash_reason(self, reason):
        rng, old = self.rng, self.device.system.major == 15
        signal_text = {5: "Trace/BPT trap: 5", 6: "Abort trap: 6", 11: "Segmentation fault: 11"}
        kinds = {"bad-access": (1, 1, 11), "stack-overflow": (1, 2, 11), "trap": (6, 1, 5), "abort": (10, 0, 6), "watchdog": (10, 0, 9)}
        kind, code, signal = kinds[reason]
        meta = {"exceptionType": kind, "exceptionCode": code, "signal": signal}
        if reason == "watchdog":
            if old:
                meta["terminationReason"] = "Namespace SPRINGBOARD, Code 0x8badf00d"
            else:
                meta["terminationReason"] = (
                    "FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog transgression: "
                    "app<com.example.lumen>:%d exhausted real (wall clock) time allowance of %d.00 seconds\nProcessVisibility: Background\n"
                    "ProcessState: Running\nWatchdogEvent: scene-update\nWatchdogVisibility: Background\n"
                    "WatchdogCPUStatistics: (\n\"Elapsed total CPU time (seconds): %d.%03d\"\n) reportType:CrashLog maxTerminationResistance:Interactive>"
                    % (self.device.pid, rng.choice((5, 10)), rng.randrange(1, 9), rng.randrange(1000)))
        elif rng.random() < 0.9:
            meta["terminationReason"] = ("Namespace SIGNAL, Code 0x%x" % signal if old else "Namespace SIGNAL, Code %d %s" % (signal, signal_text[signal]))
        if reason == "bad-access" and rng.random() < 0.8:
            at = rng.choice((0, 8, 16, 24, 0x40, rng.randrange(1 << 36)))
            start = self.device.loads["Lumen"]
            meta["virtualMemoryRegionInfo"] = (
                "%d is not in any region.  Bytes before following region: %d\n      REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n"
                "      UNUSED SPACE AT START\n--->  \n      __TEXT                   %x-%x [   32K] r-x/r-x SM=COW  /var/containers/Bundle/Application/Lumen.app/Lumen"
                % (at, max(start - at, 4096), start, start + 0x8000))
        elif reason == "stack-overflow":
            meta["virtualMemoryRegionInfo"] = (
                "%d is in 16f%03x000-16f%03x000;  bytes after start: 16368  bytes before end: 15\n      REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n"
                "--->  STACK GUARD              [   16K] ---/rwx SM=NUL  ... for thread 0" % (0x16F000000 + rng.randrange(0x800000), 0x100, 0x104))
        return meta

    # -- sampled trees

    def sampled(self, fault):
        """A tree of sampled stacks, outermost first; the dominating function holds in every one."""
        rng = self.rng
        low, high = {"hang": (15, 120), "cpu_exception": (40, 300), "disk_write_exception": (20, 150), "app_launch": (20, 80)}[fault.kind]
        total = rng.randrange(low, high)
        weights = [w * rng.uniform(0.7, 1.3) for w, _ in fault.samples]
        while True:
            picks = rng.choices(range(len(fault.samples)), weights, k=total)
            if self.dominates(fault, picks):
                break
        spots = {}  # at a time, few addresses of a function are seen

        def choose(where):
            key = tuple(where)
            if key not in spots:
                spots[key] = rng.sample(where, min(5, len(where)))
            return rng.choice(spots[key])

        roots = {}
        for pick in picks:
            level = roots
            chain = fault.samples[pick][1]
            places = self.places(chain, fault.id, choose)
            for depth, place in enumerate(reversed(places)):
                node = level.setdefault((place.image, place.offset, depth == len(places) - 1), [place, 0, {}])
                node[1] += 1
                level = node[2]
        frames = [self.branch(node) for node in roots.values()]
        if fault.kind in ("hang", "app_launch"):
            stacks = [{"threadAttributed": True, "callStackRootFrames": frames}]
            for parked in rng.sample(PARKED, rng.randrange(0, 2)):
                places = self.places(parked, "parked")
                stacks.append({"threadAttributed": False, "callStackRootFrames": [self.linear(places[::-1], total)]})
        else:
            stacks = [{"callStackRootFrames": frames}]
        tree = {"callStacks": stacks, "callStackPerThread": fault.kind in ("hang", "app_launch")}
        seconds = rng.randrange(2, 60)
        old = self.device.system.major == 15
        byte = lambda n: ("{:,} byte" if old else "{} byte").format(n)
        meta = {"hang": lambda: {"hangDuration": "%d sec" % seconds},
                "cpu_exception": lambda: {"totalCPUTime": "%d sec" % (seconds + 80), "totalSampledTime": "%d sec" % (seconds + 100)},
                "disk_write_exception": lambda: {"writesCaused": byte(1073741824 + rng.randrange(1 << 28))},
                "app_launch": lambda: {"launchDuration": "%d ms" % (seconds * 1000 + rng.randrange(1000))}}[fault.kind]()
        diagnostic = self.diagnostic(tree, meta)
        if fault.kind == "hang" and self.device.system.major >= 17:
            diagnostic["hangType"] = "Main Runloop Hang"
        return diagnostic

    @staticmethod
    def dominates(fault, picks):
        """At least 58 % of the samples lie in the dominating function and under 43 % in any app function below it."""
        inside, below = 0, {}
        for pick in picks:
            app = [item.split(" @")[0] for item in fault.samples[pick][1] if item[0] in "LK"]
            if fault.dominating in app:
                inside += 1
                for deeper in app[:app.index(fault.dominating)]:
                    below[deeper] = below.get(deeper, 0) + 1
        return inside >= 0.58 * len(picks) and all(n < 0.43 * len(picks) for n in below.values())

    def branch(self, root):
        # Depth first without recursion: children are made before their parent takes them in.
        order, stack = [], [root]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(node[2].values())
        made = {}
        for node in reversed(order):
            frame = self.frame(node[0], node[1], False)
            frame["subFrames"] = [made[id(child)] for child in node[2].values()]
            if not frame["subFrames"]:
                del frame["subFrames"]
            made[id(node)] = frame
        return made[id(root)]

    # -- around them

    def diagnostic(self, tree, reason):
        device, rng = self.device, self.rng
        meta = {"appVersion": self.version, "appBuildVersion": str(self.build), "osVersion": device.system.name, "deviceType": device.type,
                "regionFormat": device.region, "platformArchitecture": device.arch, "bundleIdentifier": "com.example.lumen", **reason}
        if device.system.major >= 17:
            meta.update({"isTestFlightApp": False, "lowPowerModeEnabled": rng.random() < 0.2, "pid": device.pid})
        keys = list(meta)
        rng.shuffle(keys)
        return {"version": "1.0.0", "callStackTree": tree, "diagnosticMetaData": {k: meta[k] for k in keys}}
