"""The sample app of this repository: planted faults in three builds (fixtures/truth.jsonl)."""
import json

import metrics
import rows

SET = "sample app"


def measure(program, top, options) -> list[rows.Row]:
    with open(top / "fixtures/truth.jsonl", encoding="utf-8") as file:
        truth = [json.loads(line) for line in file]
    store = program.new_store()
    for folder in sorted((top / "symbols").glob("*-*")):
        version, build = folder.name.split("-")
        program.run("upload-symbols", folder, "--app", "com.example.lumen", "--version", version, "--build", build, "--store", store)
    run = program.cluster_paths([top / "fixtures/diagnostics"], store=store)
    items = [(t["fault"], (place := run.places.get((t["payload"], t["diagnostic"]))) and place.cluster) for t in truth]
    found = metrics.agreement(items)
    return [rows.Row("sample.f1", SET, "B³ F1 on the planted fault", {"whole": found.f1}, target=0.97, note=str(found)),
            rows.Row("sample.false", SET, "false joins, share of pairs", {"whole": found.false_joins}, target=0.005, lower=True, slack=0.005)]
