"""The hang matrix: planted causes, each sampled many times from a known distribution of paths.

A planted hang is a call graph of an app: a way in, a function that holds the main thread, what that calls, and other work that is
sampled beside it. One diagnostic is a tree of 10 to 200 samples of it, its children in any order, merged or not, root at either end.
"""
import collections
import dataclasses
import random

import metrics
import rows
import stacks

SET = "hang matrix"
SEED = 20261202
APP = "com.example.pier"
WORDS = """Atlas Border Canvas Draft Export Folder Gallery Header Import Journal Kernel Layout Margin Notebook Outline Palette Query Ribbon
Shelf Timeline Undo Viewer Widget Archive Basket Column Digest Editor Filter Grid History Index Jumper Keyboard Label Merger
Number Option Picker Record""".split()
RUN_LOOP = [("CoreFoundation", "__CFRunLoopRun"), ("GraphicsServices", "GSEventRunModal"), ("UIKitCore", "UIApplicationMain"),
            ("pier", "main"), ("dyld", "start")]
ENDS = [[], [("libsystem_kernel.dylib", "__psynch_mutexwait"), ("libsystem_pthread.dylib", "_pthread_mutex_firstfit_lock_slow")],
        [("libsystem_kernel.dylib", "mach_msg2_trap"), ("libsystem_kernel.dylib", "mach_msg")],
        [("libsystem_kernel.dylib", "pread"), ("Foundation", "-[NSData initWithContentsOfFile:]")],
        [("libsystem_malloc.dylib", "malloc"), ("libswiftCore.dylib", "swift_allocObject")]]
# Share of the samples in the holding function, and how many of twenty planted hangs are of that sort.
SORTS = {"clear": ((0.80, 1.00), 10), "moderate": ((0.62, 0.75), 6), "narrow": ((0.52, 0.58), 2), "mixed": ((0.30, 0.45), 2)}
SAMPLES = (10, 200)


@dataclasses.dataclass
class Hang:
    """A planted cause: paths (frames innermost first) with their weights."""
    id: str
    sort: str
    paths: list


@dataclasses.dataclass
class Sampling:
    label: str
    half: str
    sort: str
    count: int          # samples
    heaviest: tuple     # the app's functions of the heaviest single path, for the baseline
    holder: str | None  # the deepest function of the app with at least half of these samples
    line: bytes
    place: object = None


def app(*names):
    return [("pier", name) for name in names]


def planted(source, number: int, sort: str, low: float, high: float) -> Hang:
    """One cause. Neighbours share the way in, so that it tells nothing."""
    word, screen = WORDS[number % len(WORDS)], WORDS[number // 4 % len(WORDS)]
    action = [("UIKitCore", "-[UIApplication sendAction:to:from:forEvent:]")]
    way_in = app(f"{screen}Screen.reload()", f"{screen}Screen.tapped(_:)") + action + RUN_LOOP
    holder = app(f"{word}Service.load(_:)", f"{word}Store.open()") + way_in
    below = [app(f"{word}Parser.{verb}()") + holder for verb in ("parse", "scan", "check", "copy")] + [holder]
    beside = [app(f"{screen}Screen.draw()") + way_in, app(f"{screen}Cell.fill(_:)", f"{screen}Screen.rows()") + way_in,
              app("Theme.color(_:)", "Theme.apply()") + way_in[3:], [("CoreFoundation", "__CFRunLoopServiceMachPort")] + RUN_LOOP]
    inside = source.uniform(low, high)
    shares = [source.uniform(0.3, 1) for _ in below]
    paths = []
    for path, share in zip(below, shares):
        ends = source.sample(ENDS, 2)
        # What the holder calls shares its time; none of it is planned to hold half.
        paths += [(end + path, inside * share / sum(shares) / 2) for end in ends]
    rest = [source.uniform(0.2, 1) for _ in beside]
    paths += [(path, (1 - inside) * share / sum(rest)) for path, share in zip(beside, rest)]
    return Hang(f"{sort}-{number}", sort, paths)


def tree(source, picked, merge: bool, order: str) -> list[dict]:
    """Frames with parents and samples; unmerged paths have a root each."""
    frames, known = [], {}
    items = list(collections.Counter(picked).items())
    source.shuffle(items)
    for turn, (path, count) in enumerate(items):
        parent = -1
        chain = path if order == "innermost_first" else tuple(reversed(path))
        for depth in range(len(chain)):
            key = (chain[:depth + 1], None if merge else turn)
            if key not in known:
                image, name = chain[depth]
                known[key] = len(frames)
                frames.append(stacks.frame(name, image, parent=parent, samples=0))
            parent = known[key]
            frames[parent]["samples"] += count
    return frames


def functions(path) -> tuple:
    """The app's own functions, innermost first."""
    return tuple(name for image, name in path if image == "pier" and name != "main")


def holder(picked) -> str | None:
    """The deepest function of the app with at least half of the samples, counted by its way from the root."""
    ways = collections.Counter()
    for path in picked:
        outermost_first = functions(path)[::-1]
        ways.update(outermost_first[:depth + 1] for depth in range(len(outermost_first)))
    holding = [way for way, count in ways.items() if 2 * count >= len(picked)]
    return max(holding, key=len)[-1] if holding else None


def draw(source, hang: Hang, number: int) -> Sampling:
    count = round(SAMPLES[0] * (SAMPLES[1] / SAMPLES[0]) ** source.random())
    paths, weights = zip(*hang.paths)
    picked = [tuple(path) for path in source.choices(paths, weights, k=count)]
    merge, order = source.random() < 0.7, source.choice(("outermost_first", "outermost_first", "innermost_first"))
    heaviest = collections.Counter(picked).most_common(1)[0][0]
    line = stacks.line(f"{hang.id}/{number}", tree(source, picked, merge, order), app=APP, kind="hang", build=str(300 + number % 5), order=order)
    return Sampling(hang.id, rows.half(hang.id), hang.sort, count, functions(heaviest), holder(picked), line)


def gather(program, options) -> tuple[list[Sampling], object]:
    source, scale = random.Random(SEED), 1 if options.quick else 2
    hangs = []
    for sort, ((low, high), count) in SORTS.items():
        hangs += [planted(source, len(hangs) + place, sort, low, high) for place in range(count * scale)]
    drawn = [draw(source, hang, number) for hang in hangs for number in range(8 if options.quick else 20)]
    run = program.cluster([sampling.line for sampling in drawn])
    for sampling in drawn:
        sampling.place = run.place(sampling.line)
    return drawn, run


def same_key(samplings) -> float | None:
    """How many re-samplings have the commonest signature of their cause."""
    keys = collections.defaultdict(collections.Counter)
    for sampling in samplings:
        keys[sampling.label][sampling.place.signature] += 1
    total = sum(sum(found.values()) for found in keys.values())
    return sum(max(found.values()) for found in keys.values()) / total if total else None


def right_blame(samplings, run) -> float | None:
    """How many trees with a holder blame it: whether the rule is followed, whatever chance made of the samples."""
    blames = {cluster["id"]: cluster["blame"] for cluster in run.report["clusters"]}
    return metrics.share(blames[s.place.cluster] == f"pier!{s.holder}" for s in samplings if s.holder)


def failures(samplings, run) -> list[str]:
    titles = {cluster["id"]: cluster["title"] for cluster in run.report["clusters"]}
    told, by_label, by_cluster = [], collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(set)
    for sampling in samplings:
        by_label[sampling.label][sampling.place.cluster].append(sampling.count)
        by_cluster[sampling.place.cluster].add(sampling.label)
    for label, clusters in by_label.items():
        if len(clusters) > 1:
            parts = sorted(clusters.items(), key=lambda c: -len(c[1]))
            told.append(f"split: {label}:\n      " + "\n      ".join(
                f"{len(counts)} of {min(counts)} to {max(counts)} samples: {titles[c]}" for c, counts in parts))
    told += [f"joined: {' = '.join(sorted(labels))}: {titles[c]}" for c, labels in sorted(by_cluster.items()) if len(labels) > 1]
    return told


def measure(program, corpus, options) -> list[rows.Row]:
    mode = "hangs.quick" if options.quick else "hangs"
    drawn, run = gather(program, options)

    def f1(part, of):
        return metrics.agreement((s.label, of(s)) for s in part).f1
    base = f1(drawn, lambda s: s.heaviest)
    found = [
        rows.Row(f"{mode}.f1", SET, "B³ F1 on the planted cause", rows.over_halves(drawn, lambda p: f1(p, lambda s: s.place.cluster)),
                 baseline=f"{base:.3f} heaviest path", target=0.90, failures=failures(drawn, run),
                 note=str(metrics.agreement((s.label, s.place.cluster) for s in drawn))),
        rows.Row(f"{mode}.key", SET, "same signature for re-samplings", rows.over_halves(drawn, same_key), target=0.95),
    ]
    found.append(rows.Row(f"{mode}.blame", SET, "blames what holds half of the samples",
                          rows.over_halves(drawn, lambda part: right_blame(part, run)), target=0.99))
    for sort, ((low, high), _) in SORTS.items():
        part = [s for s in drawn if s.sort == sort]
        found.append(rows.Row(f"{mode}.{sort}", SET, f"  of {sort} hangs (share {low:g} to {high:g})", rows.over_halves(part, same_key)))
    return found
