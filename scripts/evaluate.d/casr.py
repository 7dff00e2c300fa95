"""casr: the same crashing inputs, reported by a sanitizer's build and by a plain build under gdb."""
import collections
import dataclasses
import json

import logs
import metrics
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


def signal(report: dict) -> int:
    """The signal behind casr's severity; it names memory errors in many ways."""
    return 6 if report["severity"]["ShortDescription"] in ("AbortSignal", "SafeFunctionCheck") else 11


def line(name: str, report: dict) -> bytes:
    frames = [logs.frame(text) for text in report["stack"]]
    made = [stacks.frame(f["function"], f["image"], file=f["file"], line=f["line"]) for f in frames if f]
    return stacks.line(f"{name}/{report['id']}", made, app=report["exe"], build=name, signal=signal(report))


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
            by_input[report["input"]].setdefault(name, []).append(run.place(text))
    pairs = [Pair(key, rows.half(key), san, gdb, (titles[san.cluster], titles[gdb.cluster]))
             for key, found in sorted(by_input.items()) for san in found.get("san", []) for gdb in found.get("gdb", [])]
    small = program.cluster(lines["small"])
    kinds = collections.Counter(p.titles for p in pairs if p.san.signature != p.gdb.signature)
    split = [f"{count} × {' ≠ '.join(two)}" for two, count in kinds.most_common()]
    clusters = len(run.report["clusters"])
    return [
        rows.Row("casr.fine", SET, "equal signature across builds",
                 rows.over_halves(pairs, lambda part: metrics.share(p.san.signature == p.gdb.signature for p in part)),
                 baseline="0.960 app names", target=0.97, failures=split),
        rows.Row("casr.cluster", SET, "same cluster",
                 rows.over_halves(pairs, lambda part: metrics.share(p.san.cluster == p.gdb.cluster for p in part)),
                 baseline="0.981 PDM 0.3", target=0.99, failures=split),
        rows.Row("casr.count", SET, "clusters in the joint run", {"whole": clusters}, target=9),
        rows.Row("casr.small", "casr small", "clusters (its authors: 9)", {"whole": len(small.report["clusters"])}),
    ]
