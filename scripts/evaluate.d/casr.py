"""casr: the same crashing inputs, reported by a sanitizer's build and by a plain build under gdb."""
import collections
import dataclasses
import json

import logs
import metrics
import names
import ranking
import rows
import stacks

SET = "casr pairs"
FOLDER = "casr-casrep"


@dataclasses.dataclass
class Pair:
    label: str
    half: str
    san: object     # program.Place
    gdb: object
    titles: tuple
    baseline: bool      # whether plain names of the app's functions are equal


def signal(report: dict) -> int:
    """The signal behind casr's severity; it names memory errors in many ways."""
    return 6 if report["severity"]["ShortDescription"] in ("AbortSignal", "SafeFunctionCheck") else 11


def line(name: str, report: dict, spell=lambda function: function) -> bytes:
    """The report's stack; `spell` may write the functions in another way."""
    frames = [logs.frame(text) for text in report["stack"]]
    made = [stacks.frame(f["function"] and spell(f["function"]), f["image"], file=f["file"], line=f["line"]) for f in frames if f]
    return stacks.line(f"{name}/{report['id']}", made, app=report["exe"], build=name, signal=signal(report))


def app_names(report: dict) -> list[str]:
    """The baseline: bare names of the app's frames down to the fuzzer's entry, repetitions once, without the standard library."""
    found = []
    for text in report["stack"]:
        frame = logs.frame(text)
        name = names.bare(frame["function"]) if frame and frame["function"] and not frame["image"] else None
        if name and not name.startswith(("std::", "__gnu_cxx::", "__asan", "__interceptor")) and found[-1:] != [name]:
            found.append(name)
        if name == "LLVMFuzzerTestOneInput":
            break
    return found


def read(folder, name: str) -> list[dict]:
    with open(folder / FOLDER / f"{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(text) for text in file]


def measure(program, corpus, options) -> list[rows.Row]:
    reports = {name: read(corpus, "test_clustering_" + name) for name in ("san", "gdb", "small")}
    lines = {name: [line(name, report) for report in reports[name]] for name in reports}
    run = program.cluster(lines["san"] + lines["gdb"])
    titles = {cluster["id"]: cluster["title"] for cluster in run.report["clusters"]}

    by_input = collections.defaultdict(dict)
    for name in ("san", "gdb"):
        for report, text in zip(reports[name], lines[name]):
            by_input[report["input"]].setdefault(name, []).append((run.place(text), app_names(report)))
    pairs = [Pair(key, rows.half(key), san, gdb, (titles[san.cluster], titles[gdb.cluster]), one == other)
             for key, found in sorted(by_input.items()) for san, one in found.get("san", []) for gdb, other in found.get("gdb", [])]
    spelled = program.cluster([line(name, report, names.bare) for name in ("san", "gdb") for report in reports[name]])
    gdb_reports = {report["input"]: report for report in reports["gdb"]}
    plain = [(spelled.place(line("san", report, names.bare)), spelled.place(line("gdb", gdb_reports[report["input"]], names.bare)))
             for report in reports["san"] if report["input"] in gdb_reports]
    small = program.cluster(lines["small"])
    kinds = collections.Counter(p.titles for p in pairs if p.san.signature != p.gdb.signature)
    split = [f"{count} × {' ≠ '.join(two)}" for two, count in kinds.most_common()]
    clusters = len(run.report["clusters"])
    return [
        rows.Row("casr.fine", SET, "equal signature across builds",
                 rows.over_halves(pairs, lambda part: metrics.share(p.san.signature == p.gdb.signature for p in part)),
                 baseline=f"{metrics.share(p.baseline for p in pairs):.3f} app names", target=0.97, failures=split),
        rows.Row("casr.cluster", SET, "same cluster",
                 rows.over_halves(pairs, lambda part: metrics.share(p.san.cluster == p.gdb.cluster for p in part)),
                 baseline="0.981 PDM 0.3", target=0.99, failures=split),
        rows.Row("casr.plain", SET, "equal signature when names come bare", {"whole": metrics.share(a.signature == b.signature for a, b in plain)}),
        rows.Row("casr.count", SET, "clusters in the joint run", {"whole": clusters}, target=9),
        rows.Row("casr.small", "casr small", "clusters (its authors: 9)", {"whole": len(small.report["clusters"])}),
        *ranking.measure(program, program.new_store(), "casr", SET, *(
            [(report["input"], rows.half(report["input"]), text) for report, text in zip(reports[name], lines[name])] for name in ("san", "gdb"))),
    ]
