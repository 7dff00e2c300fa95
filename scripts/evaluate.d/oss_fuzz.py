"""OSS-Fuzz: separately fixed defects whose top three frames are alike. Nearly every join of two is wrong."""
import collections
import dataclasses
import itertools
import json
import re

import rows
import stacks

SET = "OSS-Fuzz states"
FILE = "oss-fuzz-vulns/states.jsonl"
NO_CALL = re.compile(r"^[\w.+-]+\.(c|cc|cpp|cxx|h|go|rs|java|py)$")     # a state can name a file instead of a function


@dataclasses.dataclass
class Defect:
    project: str
    half: str
    state: tuple
    fixed: frozenset
    place: object


def signal(crash_type: str) -> int:
    if re.match(r"ASSERT|Check failed|Uncaught|Security exception|Out-of-memory|Timeout", crash_type):
        return 6
    return 8 if crash_type.startswith(("Divide", "Floating")) else 11


def extra_pairs(defects):
    """Pairs of one project that share a cluster although their states differ."""
    groups = collections.defaultdict(list)
    for defect in defects:
        if defect.place:
            groups[defect.project, defect.place.cluster].append(defect)
    return [two for group in groups.values() for two in itertools.combinations(group, 2) if two[0].state != two[1].state]


def common_lines(a: tuple, b: tuple) -> int:
    """The longest common subsequence of two states, each of three lines at most."""
    sizes = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, j in itertools.product(range(len(a)), range(len(b))):
        sizes[i + 1][j + 1] = sizes[i][j] + 1 if a[i] == b[j] else max(sizes[i][j + 1], sizes[i + 1][j])
    return sizes[-1][-1]


def baseline_pairs(defects):
    """ClusterFuzz's rule: two lines in common."""
    projects = collections.defaultdict(list)
    for defect in defects:
        projects[defect.project].append(defect)
    return [two for group in projects.values() for two in itertools.combinations(group, 2)
            if two[0].state != two[1].state and common_lines(two[0].state, two[1].state) >= 2]


def common_fix(pairs):
    return sum(bool(a.fixed & b.fixed) for a, b in pairs) / len(pairs) if pairs else None


def measure(program, corpus, options) -> list[rows.Row]:
    with open(corpus / FILE, encoding="utf-8") as file:
        records = [record for record in map(json.loads, file) if not record["withdrawn"]]
    lines = [stacks.line(r["id"], [stacks.frame(name) for name in r["state"] if not NO_CALL.match(name)], app=r["project"],
                         signal=signal(r["crash_type"])) for r in records]
    run = program.cluster(lines)
    defects = [Defect(r["project"], rows.half(r["project"]), tuple(r["state"]), frozenset(r["fixed"]), run.place(line))
               for r, line in zip(records, lines)]
    extra = extra_pairs(defects)
    wrong = [f"{a.project}: {' < '.join(a.state)} = {' < '.join(b.state)}" for a, b in extra if not a.fixed & b.fixed]
    base = baseline_pairs(defects)
    groups = collections.defaultdict(list)
    for defect in defects:
        groups[defect.project, defect.state].append(defect)
    exact = [two for group in groups.values() for two in itertools.combinations(group, 2)]
    # A project that is named like an image of the system is taken for it: none of its functions counts.
    images = {c["id"] for c in run.report["clusters"] if c["tokens"] and c["tokens"][0].endswith("*")}
    named = sum(a.place.cluster in images for a, _ in extra)
    apart = sum(a.place.cluster != b.place.cluster for a, b in exact)
    return [
        rows.Row("oss-fuzz.extra", SET, "pairs merged beyond equal states", rows.over_halves(defects, lambda p: len(extra_pairs(p))),
                 baseline=f"{len(base)} LCS 2", target=150, lower=True, failures=wrong,
                 note=f"{named} of {len(extra)} in projects that are named like an image of the system"),
        rows.Row("oss-fuzz.fix", SET, "of these, share with a common fix",
                 rows.over_halves(defects, lambda part: common_fix(extra_pairs(part))), baseline=f"{common_fix(base):.3f} LCS 2", target=0.5),
        rows.Row("oss-fuzz.apart", SET, f"equal states kept apart (of {len(exact)} pairs)", {"whole": apart}, lower=True),
    ]
