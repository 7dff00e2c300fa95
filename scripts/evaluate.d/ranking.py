"""How well the nearest clusters that are told of a stack rank: MAP, RR@k, and the AUC of the top score.

A part of a set is recorded. Of each other stack symclust is asked, without recording it, where it would go and what is nearest: a
signature that is known is first in its cluster, with score 1; else the nearest cluster and the runner-up are told, from the
score on from which a merger is suggested. A cluster is right when it holds the label. MAP: the mean over the queries of the mean
precision at the right clusters, one that is not told counting 0. RR@k: how many queries have a right one among the first k.
Both over queries whose label was recorded (a predecessor). AUC: how often the top score of one with a predecessor is above that
of one without, a tie counting half.
"""
import dataclasses
import json
import pathlib
import tempfile

import metrics
import rows

K = 2   # more is not told


@dataclasses.dataclass
class Query:
    label: str
    half: str
    right: frozenset        # the clusters that hold the label
    told: tuple             # (cluster, score), nearest first

    def mean_precision(self) -> float:
        hits = [place for place, (cluster, _) in enumerate(self.told, 1) if cluster in self.right]
        return sum(number / place for number, place in enumerate(hits, 1)) / min(len(self.right), K)

    def found(self, k: int) -> bool:
        return any(cluster in self.right for cluster, _ in self.told[:k])

    @property
    def top(self) -> float:
        return self.told[0][1] if self.told else 0.0


def asked(program, store, lines: list[bytes]) -> list[tuple]:
    """What is told of each line: the clusters with their scores, nearest first."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="queries-", dir=program.folder))
    (work / "stacks.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    found = []
    for text in program.run("signatures", "explain", work / "stacks.jsonl", "--json", "--store", store).splitlines():
        told = json.loads(text)
        judgement = told["judgement"]
        near = [(n["cluster"], n["score"]) for n in judgement["nearest"]] if judgement and not judgement["recorded"] else []
        known = told["recorded"] or (judgement and judgement["recorded"] and {"cluster": judgement["cluster"]})
        found.append(((known["cluster"], 1.0),) if known else tuple(near))
    return found


def auc(queries) -> float | None:
    """The probability that one with a predecessor scores higher than one without."""
    old, new = ([q.top for q in queries if bool(q.right) == known] for known in (True, False))
    if not old or not new:
        return None
    return sum((a > b) + (a == b) / 2 for a in old for b in new) / (len(old) * len(new))


def measure(program, store, key: str, set_: str, first, rest) -> list[rows.Row]:
    """Rows for `rest` asked of a store to which `first` is added; both (label, half, line)."""
    run = program.cluster([line for _, _, line in first], store=store)
    holding = {}
    for label, _, line in first:
        if place := run.place(line):
            holding.setdefault(label, set()).add(place.cluster)
    told = asked(program, store, [line for _, _, line in rest])
    queries = [Query(label, half, frozenset(holding.get(label, ())), near)
               for (label, half, _), near in zip(rest, told, strict=True)]
    old = [query for query in queries if query.right]
    note = f"{len(old)} queries with a predecessor, {len(queries) - len(old)} without, {len(first)} recorded"

    def row(name, what, values, **more):
        return rows.Row(f"{key}.{name}", set_, f"  ranking: {what}", values, slack=0.02, **more)
    found = [
        row("map", "MAP", rows.over_halves(old, lambda part: mean(q.mean_precision() for q in part)), note=note),
        row("rr1", "RR@1", rows.over_halves(old, lambda part: metrics.share(q.found(1) for q in part))),
        row("rr2", "RR@2", rows.over_halves(old, lambda part: metrics.share(q.found(2) for q in part))),
    ]
    return found + ([row("auc", "AUC of the top score", rows.over_halves(queries, auc))] if len(old) < len(queries) else [])


def mean(values) -> float | None:
    values = list(values)
    return sum(values) / len(values) if values else None
