"""ClusterFuzz: raw logs with the first frame that its maintainers expect to mean something."""
import dataclasses
import json
import re

import logs
import metrics
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


def bare(name: str) -> str:
    """A name as ClusterFuzz writes it: without parameters, template arguments, return type and the hash of Rust."""
    name = re.sub(r"::h[0-9a-f]{16}$", "", name.replace("`anonymous namespace'", "(anonymous namespace)"))
    name = name.replace("(anonymous namespace)::", "")
    depth, kept = 0, []
    for place, letter in enumerate(name):
        if letter == "<" and not name[:place].endswith("operator"):
            depth += 1
        elif letter == ">" and depth and name[place - 1] != "-":
            depth -= 1
        elif depth == 0:
            kept.append(letter)
    name = re.sub(r"\(.*$", "", "".join(kept)).strip()
    return re.sub(r"^(static |virtual |[\w:*&]+ )+(?=\S+$)", "", name)


def measure(program, corpus, options) -> list[rows.Row]:
    with open(corpus / FOLDER / "labels.jsonl", encoding="utf-8") as file:
        labels = {label["file"]: label for label in map(json.loads, file)}
    cases = []
    for name, label in sorted(labels.items()):
        wanted = bare(label.get("state", "").split("\n")[0])
        if OTHER_RUNTIME.match(name) or not wanted or wanted == "NULL":
            continue
        found = logs.first_stack((corpus / FOLDER / "traces" / name).read_text(encoding="utf-8", errors="replace"))
        if any(f["function"] and bare(f["function"]) == wanted for f in found):
            made = [stacks.frame(f["function"], f["image"], file=f["file"], line=f["line"]) for f in found]
            cases.append((name, wanted, stacks.line(name, made, app="target", signal=11)))
    run = program.cluster([line for _, _, line in cases])
    clusters = {cluster["id"]: cluster for cluster in run.report["clusters"]}
    judged = []
    for name, wanted, line in cases:
        place = run.place(line)
        kept = [f["token"].partition("!")[2] for f in clusters[place.cluster]["frames"]] if place else []
        judged.append(Log(name, rows.half(wanted), wanted, bare(kept[0]) if kept else None))
    wrong = [f"{log.file}: expected {log.expected}, ours {log.ours}" for log in judged if log.ours != log.expected]
    return [rows.Row("clusterfuzz.first", SET, f"first meaningful frame ({len(judged)} native logs)",
                     rows.over_halves(judged, lambda part: metrics.share(log.ours == log.expected for log in part)),
                     target=0.90, failures=wrong)]
