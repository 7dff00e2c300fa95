"""Whether order, workers and batches change the outcome. Order and workers must not change a byte."""
import json
import random

import hang_matrix
import metrics
import rows

SET = "stability"
SEED = 20261203
BATCHES = 10


def lines_to_shuffle(program, options) -> list[bytes]:
    """Stacks in many forms: the hang matrix, and the sample app's diagnostics."""
    drawn, _ = hang_matrix.gather(program, options)
    lines = [sampling.line for sampling in drawn]
    for path in sorted((options.top / "fixtures/diagnostics/lines").glob("*.jsonl")):
        lines += path.read_bytes().splitlines()
    return lines


def final_clusters(program, lines, store) -> list[str | None]:
    """Where each line is now: the same lines again change nothing and are told."""
    run = program.cluster(lines, store=store)
    return [place and place.cluster for place in map(run.place, lines)]


def drift(program, lines) -> tuple[float, int]:
    """B³ F1 between the partition of one batch and that of ten, and how many clusters differ."""
    one, ten = program.new_store(), program.new_store()
    program.cluster(lines, store=one)
    for batch in range(BATCHES):
        program.cluster(lines[batch::BATCHES], store=ten)
    before, after = final_clusters(program, lines, one), final_clusters(program, lines, ten)
    return metrics.agreement(zip(before, after)).f1, len(set(before) ^ set(after))


def measure(program, corpus, options) -> list[rows.Row]:
    lines = lines_to_shuffle(program, options)
    source = random.Random(SEED)
    first = program.cluster(lines)
    same, failures = [], []
    for number in range(options.shuffles):
        shuffled = source.sample(lines, len(lines))
        run = program.cluster(shuffled)
        same.append(run.output == first.output)
        if not same[-1] and not failures:
            failures.append(f"shuffle {number}: {difference(first, run)}")
    jobs = [program.cluster(lines, jobs=count).output == first.output for count in (1, 2, 16)]
    source.shuffle(lines)
    partition, moved = drift(program, lines)
    return [
        rows.Row("stability.shuffles", SET, f"identical bytes over {options.shuffles} shuffles", {"whole": metrics.share(same)}, target=1.0,
                 slack=0, failures=failures),
        rows.Row("stability.jobs", SET, "identical bytes with 1, 2 and 16 workers", {"whole": metrics.share(jobs)}, target=1.0, slack=0),
        rows.Row("stability.batches", SET, "one batch against ten, B³ F1", {"whole": partition}, target=0.99,
                 note=f"{moved} cluster ids in one of the two only"),
    ]


def difference(a, b) -> str:
    """The first line of the reports, printed alike, that differs."""
    lines = (json.dumps(run.report, indent=1).splitlines() for run in (a, b))
    return next((f"{x.strip()} ≠ {y.strip()}" for x, y in zip(*lines) if x != y), "only the assignments differ")
