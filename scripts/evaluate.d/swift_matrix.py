"""The Swift build matrix: some seventy planted faults, each in builds of every optimisation and with changed sources around it."""
import collections
import dataclasses
import hashlib
import json
import random
import re
import shutil

import devices
import metrics
import ranking
import rows
import swift_build
import swift_faults

SET = "Swift matrix"
SEED = 20261201
SLACK = 0.03    # what compilers inline and fold differs between their versions


@dataclasses.dataclass
class Item:
    fault: str
    half: str
    build: swift_build.Build
    line: bytes
    place: object = None
    top: str | None = None      # the function of the innermost frame of the app, for the baseline


def gather(program, options) -> tuple[list[Item], object, object]:
    """Two devices for each fault and build, grouped with the symbols of all builds but those that were stripped, in one run; with
    a store that holds the symbols and nothing else."""
    faults = swift_faults.planted()
    made = swift_build.make_all(swift_build.builds(options.quick), faults, program.folder / "swift")
    source, store, items = random.Random(SEED), program.new_store(), []
    for build, (path, deaths) in made:
        if build.variant != "stripped":
            program.run("upload-symbols", path, "--app", "com.example.harbor", "--version", "1.0", "--build", str(build.number), "--store", store)
        for death in deaths:
            for system in source.sample(devices.SYSTEMS, 2):
                items.append(Item(death.fault, rows.half(death.fault), build, devices.payload(source, death, swift_build.APP, system)))
    run = place(program, copy(program, store), items)
    top_frames(program, store, items)
    return items, run, store


def copy(program, store):
    """A store with the same symbols."""
    return shutil.copytree(store, program.new_store())


def place(program, store, items):
    """Groups the items in the store and notes their places."""
    run = program.cluster([item.line for item in items], store=store)
    for item in items:
        item.place = run.place(item.line)
    return run


def half_seen(items) -> list[Item]:
    """Of each two deaths one, by a stable hash: a fault is not seen in every build that has it."""
    return [dataclasses.replace(item) for item in items if rows.half(f"{item.fault} in {item.build.name}") == "tune"]


def in_series(program, store, items) -> list[Item]:
    """The builds one after the other, a run for each, as they come in life."""
    copies = [dataclasses.replace(item) for item in items]
    for number in sorted({item.build.number for item in items}):
        place(program, store, [item for item in copies if item.build.number == number])
    return copies


def ranked(program, store, items, mode: str) -> list[rows.Row]:
    """The later builds asked of a store that has the earlier ones, but for a third of the faults."""
    middle = sorted({item.build.number for item in items})[len({item.build.number for item in items}) // 2]
    early = [i for i in items if i.build.number < middle and hashlib.sha256(i.fault.encode()).digest()[0] % 3]
    late = {(i.fault, i.build.number): i for i in items if i.build.number >= middle}
    return ranking.measure(program, store, mode, SET, *([(i.fault, i.half, i.line) for i in part] for part in (early, late.values())))


def other_runs(program, store, items, mode: str) -> list[rows.Row]:
    """What becomes of it when half of the deaths are not seen, and when each build comes by itself."""
    sparse = half_seen(items)
    place(program, copy(program, store), sparse)
    found = []
    for name, what, part in (("sparse", "half of the deaths unseen", sparse), ("series", "build by build", in_series(program, copy(program, store), items))):
        def of(half, part=part):
            return agreement(half, lambda i: i.place.cluster)
        found += [
            rows.Row(f"{mode}.{name}.f1", SET, f"  {what}: B³ F1", rows.over_halves(part, lambda p: of(p).f1), slack=SLACK, note=str(of(part))),
            rows.Row(f"{mode}.{name}.continuity", SET, f"  {what}: same cluster", rows.over_halves(part, continuity), slack=SLACK),
            rows.Row(f"{mode}.{name}.false", SET, f"  {what}: false joins", rows.over_halves(part, lambda p: of(p).false_joins),
                     target=0.005, lower=True, slack=0.005),
        ]
    return found


def top_frames(program, store, items):
    """Sets the name that a symbol table gives to the innermost frame of the app."""
    path = program.folder / "harbor.jsonl"
    path.write_bytes(b"".join(item.line + b"\n" for item in items))
    answers = [json.loads(line) for line in program.run("symbolicate", path, "--store", store, "--json").splitlines()]
    for item, answer in zip(items, answers, strict=True):
        of_app = (frame for frame in answer["stacks"][0]["frames"] if frame["image"] == swift_build.APP)
        item.top = next((frame["frames"][-1]["function"] for frame in of_app if frame["frames"]), None)


def agreement(items, of) -> metrics.Agreement:
    return metrics.agreement((item.fault, of(item)) for item in items)


def continuity(items) -> float | None:
    """Of each fault and each two builds in a row, whether they share a cluster."""
    clusters = collections.defaultdict(set)
    order = sorted({item.build.number for item in items})
    for item in items:
        clusters[item.fault, item.build.number].add(item.place.cluster)
    steps = [(clusters[fault, a], clusters[fault, b]) for fault in sorted({item.fault for item in items}) for a, b in zip(order, order[1:])]
    return metrics.share(bool(a & b) for a, b in steps if a and b)


def kept(items, variant: str) -> dict:
    """The share of faults whose cluster is that of the unchanged sources, at the same optimisation when that was built."""
    base = collections.defaultdict(dict)
    for item in items:
        if item.build.variant == "base":
            base[item.fault].setdefault(item.build.optimisation, item.place.cluster)

    def stays(item):
        known = base[item.fault]
        optimisation = item.build.optimisation
        return item.place.cluster == known[optimisation] if optimisation in known else item.place.cluster in known.values()
    return rows.over_halves([item for item in items if item.build.variant == variant], lambda part: metrics.share(map(stays, part)))


def cause(usual: list[str], other: list[str]) -> str:
    """In what the tokens of a part that was split off differ from those of the largest part."""
    def plain(token):
        return re.sub(r"\([^()]*\)", "()", token)
    if any("!?" in token for token in other):
        return "no symbols"
    names, others = list(map(plain, usual)), list(map(plain, other))
    if names == others:
        return "label renamed"
    renamed = ", label renamed" if any(plain(t) in names and t not in usual for t in other) else ""
    short, long = sorted((names, others), key=len)
    if long[:len(short)] == short:
        return "outermost frame missing" + renamed
    left = iter(long)
    if all(name in left for name in short):
        return ("innermost" if short[0] != long[0] else "inner") + " frame missing" + renamed
    return "other frames" + renamed


def failures(items, run) -> list[str]:
    """Joins and splits; splits ordered by cause, the commonest first."""
    tokens = {cluster["id"]: cluster["tokens"] for cluster in run.report["clusters"]}
    by_fault, by_cluster = collections.defaultdict(dict), collections.defaultdict(set)
    for item in items:
        by_fault[item.fault].setdefault(item.place.cluster, []).append(item.build.name)
        by_cluster[item.place.cluster].add(item.fault)
    told = [f"joined: {' = '.join(sorted(faults))}: {' < '.join(tokens[cluster])}"
            for cluster, faults in sorted(by_cluster.items()) if len(faults) > 1]
    causes = collections.defaultdict(list)
    for fault, clusters in by_fault.items():
        usual, *others = sorted(clusters, key=lambda c: (-len(clusters[c]), c))
        for other in others:
            names = ", ".join(dict.fromkeys(clusters[other]))
            causes[cause(tokens[usual], tokens[other])].append(
                (len(clusters[other]), f"{fault} in {names}:\n      {' < '.join(tokens[other])}\n      usually {' < '.join(tokens[usual])}"))
    for name, found in sorted(causes.items(), key=lambda c: -sum(count for count, _ in c[1])):
        faults = {text.split(" in ")[0] for _, text in found}
        share = f"{sum(count for count, _ in found)} of {len(items)} diagnostics"
        examples = "\n    ".join(text for _, text in found[:3])
        told.append(f"{name}: {len(found)} splits of {len(faults)} faults, {share}; for example\n    {examples}")
    return told


def measure(program, corpus, options) -> list[rows.Row]:
    mode = "swift.quick" if options.quick else "swift"
    try:
        everything, run, store = gather(program, options)
    except swift_build.CannotBuild as error:
        return [rows.absent(f"{mode}.f1", SET, "B³ F1 on the planted fault", str(error), target=0.97)]
    items = [item for item in everything if item.build.variant != "stripped"]
    whole = agreement(items, lambda i: i.place.cluster)
    base = agreement(items, lambda i: i.top)
    told = failures(items, run)
    found = [
        rows.Row(f"{mode}.f1", SET, "B³ F1 on the planted fault",
                 rows.over_halves(items, lambda p: agreement(p, lambda i: i.place.cluster).f1),
                 baseline=f"{base.f1:.3f} top frame", target=0.97, slack=SLACK, failures=told, note=str(whole)),
        rows.Row(f"{mode}.fine", SET, "B³ F1 of signatures",
                 rows.over_halves(items, lambda p: agreement(p, lambda i: i.place.signature).f1), slack=SLACK),
        rows.Row(f"{mode}.continuity", SET, "same cluster from build to build", rows.over_halves(items, continuity), target=0.98, slack=SLACK),
        rows.Row(f"{mode}.false", SET, "false joins, share of pairs",
                 rows.over_halves(items, lambda p: agreement(p, lambda i: i.place.cluster).false_joins),
                 baseline=f"{base.false_joins:.4f} top frame", target=0.005, lower=True, slack=0.005),
    ]
    for variant in dict.fromkeys(item.build.variant for item in everything):
        if variant != "base":
            found.append(rows.Row(f"{mode}.{variant}", SET, f"  same cluster as unchanged: {variant}", kept(everything, variant), slack=SLACK))
    return found + other_runs(program, store, items, mode) + ranked(program, copy(program, store), items, mode)
