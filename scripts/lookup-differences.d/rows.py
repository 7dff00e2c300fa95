"""The rows that differ: compare_lookup's list, joined with the recorded answers and with ours."""
import collections
import dataclasses
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

from images import image

Frame = collections.namedtuple("Frame", "name file line")
Stub = collections.namedtuple("Stub", "section start end name")
HEAD = re.compile(r"^(.*)\.expected\.jsonl (.+?) (0x[0-9a-f]+) (\S+): (.+)$")
SUFFIX = ".expected.jsonl"


@dataclasses.dataclass
class Row:
    file: str              # as in the corpus
    slice: str
    offset: int
    kind: str
    agree: object          # True: both peers answer alike
    wanted: list           # the answers that would have matched, each a list of frames
    ours: list
    path: str

    @functools.cached_property
    def image(self):
        return image(self.path, self.slice)

    @property
    def address(self):
        return self.image.base + self.offset

    @property
    def mine(self):
        return (self.ours[-1].get("mangled") or self.ours[-1]["function"]) if self.ours else None

    @property
    def peer(self):
        """The peers' name of the function; of several answers that count, the first that has one."""
        return next((frames[-1].name for frames in self.wanted if frames), None)

    @property
    def stub(self):
        section = self.image.section(self.address)
        if not section or not section.stub:
            return None
        start = self.address - (self.address - section.start) % section.stub
        name = self.image.stubs.get(start)
        return Stub(section.name, start, start + section.stub, name) if name else None

    def beside(self, file):
        """The recorded row of another file for the same slice and offset."""
        if not file:
            return None
        corpus = self.path[:-len(os.path.join("symbols", self.file))]
        entry = recorded(corpus, file, self.slice).get(self.offset)
        path = os.path.join(corpus, "symbols", file)
        return entry and Row(file, self.slice, self.offset, "", entry.get("agree"), wanted(entry), [], path)

    def different_names(self):
        """Pairs of our name and the peers', frame by frame, where they differ."""
        mine = [f.get("mangled") or f["function"] for f in self.ours]
        pairs = zip(mine, (f.name for f in self.wanted[0]))
        return [(a, b) for a, b in pairs if a.lstrip("_") != (b or "").lstrip("_")]

    def __str__(self):
        ours = [(f.get("mangled") or f["function"], f.get("file"), f.get("line")) for f in self.ours]
        return f"{self.file} {self.slice} {self.offset:#x}: {self.kind}\n  want {[[tuple(f) for f in w] for w in self.wanted]}\n  got  {ours}"


def compare(corpus, tool, only=""):
    """compare_lookup's output."""
    script = os.path.join(corpus, "compare_lookup.py")
    run = subprocess.run([sys.executable, script, os.path.join(corpus, "symbols"), "--tool", tool, "--show", "1000000", "--only", only],
                         capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip() or f"compare_lookup ended with {run.returncode}")
    return run.stdout


def differing(corpus, tool, output):
    """The rows that the output lists, by file and slice."""
    groups = collections.defaultdict(list)
    for line in output.splitlines():
        head = HEAD.match(line)
        if head:
            groups[head[1], head[2]].append((int(head[3], 16), head[5]))
    rows = []
    for (file, slice_), listed in groups.items():
        path = os.path.join(corpus, "symbols", file)
        answers = recorded(corpus, file, slice_)
        ours = lookup(tool, path, slice_, [offset for offset, _ in listed])
        rows += [Row(file, slice_, offset, kind, answers[offset].get("agree"), wanted(answers[offset]), mine, path)
                 for (offset, kind), mine in zip(listed, ours)]
    return rows


@functools.lru_cache(maxsize=None)
def recorded(corpus, file, slice_):
    with open(os.path.join(corpus, "symbols", "expected", file + SUFFIX), encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    return {int(e["addr"], 16): e for e in entries if "addr" in e and e["slice"] == slice_}


def wanted(entry):
    """The answers that compare_lookup lets count."""
    symbolic = frames(entry["frames"])
    llvm = symbolic if entry.get("llvm", "=") == "=" else frames(entry["llvm"])
    by_rule = {"symbolic": [symbolic], "llvm": [llvm], "either": [symbolic, llvm], "none": [[]]}
    right = entry.get("right")
    found = [symbolic] if entry.get("agree") in (True, None) and right not in ("llvm", "either", "none") else by_rule[right]
    return found + ([[]] if entry.get("doubt") == "outside" else [])


def answer_files(corpus, ending):
    """Files of the corpus with recorded answers and that ending, as the rows name them."""
    root = os.path.join(corpus, "symbols", "expected")
    return sorted(os.path.relpath(os.path.join(folder, name), root)[:-len(SUFFIX)]
                  for folder, _, names in os.walk(root) for name in names if name.endswith(ending + SUFFIX))


def whole(corpus, file):
    """All rows of a file's answers."""
    with open(os.path.join(corpus, "symbols", "expected", file + SUFFIX), encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    return [Row(file, e["slice"], int(e["addr"], 16), "file failed", e.get("agree"), [], [], "") for e in entries if "addr" in e]


def peers(corpus):
    """The peers' versions, as the first answers state them."""
    first = answer_files(corpus, "")[0]
    with open(os.path.join(corpus, "symbols", "expected", first + SUFFIX), encoding="utf-8") as lines:
        return json.loads(lines.readline())["peers"]


def frames(recorded_frames):
    return [Frame(f[0], re.split(r"[/\\]", f[-3] or "")[-1], f[-2]) for f in recorded_frames]


def lookup(tool, path, slice_, offsets):
    """Our answers, one list of frames for each offset."""
    with open(path, "rb") as file:
        architecture = [] if file.read(4) == b"\x7fELF" else ["--arch", slice_]
    run = subprocess.run([tool, "lookup", "--object", path, *architecture, "--json"],
                         input="".join(f"{o:#x}\n" for o in offsets), capture_output=True, text=True)
    answers = [json.loads(line)["frames"] for line in run.stdout.splitlines()]
    if len(answers) != len(offsets):
        raise RuntimeError(f"{path}: {run.stderr.strip()}")
    return answers


# ------------------------------------------------------------------ files that are no objects: symbol maps

WRAPPER = """#!/bin/sh
# lookup --object DSYM.bcsymbolmap …: the same question of the dSYM's file, with the map that lies beside it
shift; object=${{2%.bcsymbolmap}}; shift 2
exec "{tool}" lookup --object "$object" --symbol-map "$(dirname "$object")"/*.bcsymbolmap "$@"
"""


def with_symbol_map(corpus, tool):
    """compare_lookup's output for the answers of a dSYM read with its .bcsymbolmap."""
    with tempfile.NamedTemporaryFile("w", delete=False) as script:
        script.write(WRAPPER.format(tool=os.path.abspath(tool)))
    os.chmod(script.name, 0o755)
    try:
        return compare(corpus, script.name, ".bcsymbolmap")
    finally:
        os.unlink(script.name)
