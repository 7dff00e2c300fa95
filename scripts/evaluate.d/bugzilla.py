"""Bugzilla: Java stacks whose bugs people marked as duplicates. Tiny and noisy."""
import json

import metrics
import rows
import stacks

FILE = "bugzilla-java-stacks/stacks.jsonl"


def measure(program, corpus, options) -> list[rows.Row]:
    with open(corpus / FILE, encoding="utf-8") as file:
        records = [json.loads(text) for text in file]
    lines = [stacks.line(r["id"], [stacks.frame(f["symbol"], file=f["file"], line=f["line"] or None) for f in r["frames"]],
                         app=r["set"], signal=6) for r in records]
    run = program.cluster(lines)
    items = [(r["group"], (place := run.place(line)) and place.cluster) for r, line in zip(records, lines)]
    found = metrics.agreement(items)
    return [rows.Row("bugzilla.f1", "bugzilla java", "B³ F1 on duplicates", {"whole": found.f1}, note=str(found))]
