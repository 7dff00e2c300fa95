"""syzkaller: consoles of Linux kernels, each with the title under which its maintainers file it."""
import dataclasses
import json

import kernel_logs
import metrics
import ranking
import rows
import stacks

SET = "syzkaller linux"
FOLDER = "syzkaller-reports"


@dataclasses.dataclass
class Report:
    label: str
    half: str
    first: str
    cluster: str | None
    signature: str | None
    file: str


def f1(items, of):
    return metrics.agreement((item.label, of(item)) for item in items).f1


def measure(program, corpus, options) -> list[rows.Row]:
    with open(corpus / FOLDER / "labels.jsonl", encoding="utf-8") as file:
        labels = [label for label in map(json.loads, file)
                  if label["os"] == "linux" and label["kind"] == "report" and label.get("corrupted") != "Y" and label.get("title")]
    cases, unread = [], 0
    for label in labels:
        text = (corpus / FOLDER / label["file"]).read_text(encoding="utf-8", errors="replace")
        text = text.partition("\n\n")[2]   # behind the header with the answers
        found = kernel_logs.stack(text)
        if not found:
            unread += 1
            continue
        kind, signal = kernel_logs.kind_and_signal(text)
        made = [stacks.frame(f["function"], file=f["file"], line=f["line"]) for f in found]
        cases.append((label, found[0]["function"], stacks.line(label["file"], made, app="vmlinux", kind=kind, signal=signal)))
    run = program.cluster([line for _, _, line in cases])
    titles = {cluster["id"]: cluster["title"] for cluster in run.report["clusters"]}
    judged = []
    for label, first, line in cases:
        place = run.place(line)
        judged.append(Report(label["title"], rows.half(label["title"]), first, place and place.cluster, place and place.signature, label["file"]))
    parts = {"tune": [], "judge": []}
    for label, _, line in cases:
        parts[rows.half("ranking of " + label["file"])].append((label["title"], rows.half(label["title"]), line))
    base = metrics.agreement((r.label, r.first) for r in judged).f1
    ours = metrics.agreement((r.label, r.cluster) for r in judged)
    return [
        rows.Row("syzkaller.f1", SET, "B³ F1 on the title", rows.over_halves(judged, lambda part: f1(part, lambda r: r.cluster)),
                 baseline=f"{base:.3f} first frame", target=0.95, failures=failures(judged, titles),
                 note=f"{ours}; {unread} of {len(labels)} have no call trace that we read"),
        *ranking.measure(program, program.new_store(), "syzkaller", SET, parts["tune"], parts["judge"]),
    ]


def failures(judged, titles) -> list[str]:
    found = []
    by_label, by_cluster = {}, {}
    for report in judged:
        by_label.setdefault(report.label, []).append(report)
        by_cluster.setdefault(report.cluster, []).append(report)
    for label, group in by_label.items():
        if len({r.cluster for r in group}) > 1:
            found.append(f"split: {label}: " + "  ≠  ".join(sorted({titles.get(r.cluster, "-") for r in group})))
    for cluster, group in by_cluster.items():
        if len({r.label for r in group}) > 1:
            found.append(f"joined in {titles.get(cluster, '-')}: " + "  =  ".join(sorted({r.label for r in group})))
    return found
