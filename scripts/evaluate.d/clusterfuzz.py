"""ClusterFuzz: raw logs with the first frame that its maintainers expect to mean something."""
import dataclasses
import json
import re

import logs
import metrics
import names
import rows
import stacks

SET = "clusterfuzz-stacks"
FOLDER = "clusterfuzz-stacks"
OTHER_RUNTIME = re.compile(r"^(go|java|jazzer|python|pysecsan|wycheproof)")


@dataclasses.dataclass
class Log:
    file: str
    half: str
    expected: str
    ours: str | None


def measure(program, corpus, options) -> list[rows.Row]:
    with open(corpus / FOLDER / "labels.jsonl", encoding="utf-8") as file:
        labels = {label["file"]: label for label in map(json.loads, file)}
    cases = []
    for name, label in sorted(labels.items()):
        wanted = names.bare(label.get("state", "").split("\n")[0])
        if OTHER_RUNTIME.match(name) or not wanted or wanted == "NULL":
            continue
        found = logs.first_stack((corpus / FOLDER / "traces" / name).read_text(encoding="utf-8", errors="replace"))
        if any(f["function"] and names.bare(f["function"]) == wanted for f in found):
            made = [stacks.frame(f["function"], f["image"], file=f["file"], line=f["line"]) for f in found]
            cases.append((name, wanted, stacks.line(name, made, app="target", signal=11)))
    run = program.cluster([line for _, _, line in cases])
    clusters = {cluster["id"]: cluster for cluster in run.report["clusters"]}
    judged = []
    for name, wanted, line in cases:
        place = run.place(line)
        kept = [f["token"].partition("!")[2] for f in clusters[place.cluster]["frames"]] if place else []
        judged.append(Log(name, rows.half(wanted), wanted, names.bare(kept[0]) if kept else None))
    wrong = [f"{log.file}: expected {log.expected}, ours {log.ours}" for log in judged if log.ours != log.expected]
    return [rows.Row("clusterfuzz.first", SET, f"first meaningful frame ({len(judged)} native logs)",
                     rows.over_halves(judged, lambda part: metrics.share(log.ours == log.expected for log in part)),
                     target=0.90, failures=wrong)]
