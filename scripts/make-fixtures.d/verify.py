"""Holds every diagnostic in fixtures/ against the fault that truth.jsonl says was planted.

Reads only what is checked in: payloads, truth, dSYMs. Symbolicates each app frame with llvm-symbolizer (the offset for the
innermost frame of a thread, the offset less one for a caller) and compares the chain of functions with the plan.
"""
import gzip
import hashlib
import json
import os
import sys
from collections import Counter, defaultdict
from pathlib import Path

from binary import meaningful, symbolicate, text_base, uuid
from chains import parse
from faults import BY_ID, FAULTS
from payloads import ADKIT, KEYS

TOP = Path(os.environ["TOP"])
KINDS = {key: kind for kind, key in KEYS.items()}
OUTERMOST = ("S dyld", "S libsystem_pthread.dylib")
sys.setrecursionlimit(20000)  # only for the JSON reader of Python
problems = []


def problem(text):
    problems.append(text)


def payload_files():
    """(where, bytes) of every payload, duplicates included."""
    for file in sorted((TOP / "fixtures/diagnostics").rglob("*")):
        if file.suffix == ".json":
            yield file.name, file.read_bytes()
        elif file.suffix == ".gz":
            yield file.name, gzip.decompress(file.read_bytes())
        elif file.suffix == ".jsonl":
            for number, line in enumerate(file.read_bytes().split(b"\n")[:-1], 1):
                yield "%s:%d" % (file.name, number), line
        elif file.is_file():
            problem("unexpected file %s" % file)


class Images:
    """The images of all builds by identifier; answers come in one batch for each."""

    def __init__(self):
        self.paths, self.wanted, self.answers = {}, defaultdict(set), {}
        for row in (TOP / "symbols/builds.tsv").read_text().splitlines()[1:]:
            folder, app, version, build = row.split("\t")
            for file in sorted((TOP / "symbols" / folder).glob("*.dSYM/Contents/Resources/DWARF/*")):
                self.paths[uuid(str(file))] = ("L" if file.name == "Lumen" else "K", build, str(file))

    def want(self, frame):
        if frame["uuid"] in self.paths:
            self.wanted[frame["uuid"]].add(frame["look"])

    def resolve(self):
        for identifier, offsets in self.wanted.items():
            path = self.paths[identifier][2]
            self.answers[identifier] = symbolicate(path, sorted(offsets), text_base(path))

    def tokens(self, frame):
        """Planned items, without marks, that this frame stands for, innermost first."""
        if frame["uuid"] in self.paths:
            letter = self.paths[frame["uuid"]][0]
            answer = self.answers[frame["uuid"]][frame["look"]]
            if not answer:
                problem("no function at %s+%#x" % (frame["image"], frame["look"]))
            return ["%s %s" % (letter, f.name) for f in answer if meaningful(f.name)]
        return ["A" if frame["image"] == "AdKit" else "S " + frame["image"]]


def flat(roots, load_bug, crash):
    """Frames of a stack in document order with parent places; `look` is the offset to symbolicate."""
    frames, stack = [], [(root, None) for root in reversed(roots)]
    while stack:
        node, parent = stack.pop()
        children = node.get("subFrames", [])
        load = node["offsetIntoBinaryTextSegment"] if load_bug else node["address"] - node["offsetIntoBinaryTextSegment"]
        offset = node["address"] - load
        exact = parent is None if crash else not children
        if load % 0x4000:
            problem("load address %#x of %s is not page-aligned" % (load, node["binaryName"]))
        frames.append({"uuid": node["binaryUUID"], "image": node["binaryName"], "look": offset if exact else offset - 1,
                       "count": node["sampleCount"], "children": sum(c["sampleCount"] for c in children), "parent": parent})
        stack += [(child, len(frames) - 1) for child in reversed(children)]
    return frames


def squeezed(tokens, cycle=1):
    """Equal neighbours, or equal neighbouring pairs, once."""
    out = []
    for token in tokens:
        if out[-1:] != [token]:
            out.append(token)
    place = 0
    while cycle == 2 and place + 4 <= len(out):
        if out[place:place + 2] == out[place + 2:place + 4]:
            del out[place:place + 2]
        else:
            place += 1
    return out


def planned(chain):
    """The plan in the same words: no marks, no functions of others."""
    out = []
    for letter, function, _ in map(parse, chain):
        out.append("A" if letter == "A" else "S " + function.split(" ")[0] if letter == "S" else letter + " " + function)
    return out


def check_crash(where, fault, stacks, images):
    attributed = [s for s in stacks if s["attributed"]]
    if len(attributed) != 1:
        return problem("%s: %d attributed threads" % (where, len(attributed)))
    frames = attributed[0]["frames"]
    tokens = [t for f in frames for t in images.tokens(f)]
    if any(f["count"] != 1 for f in frames) or any(f["parent"] != (i - 1 if i else None) for i, f in enumerate(frames)):
        problem("%s: a crash stack branches" % where)
    if squeezed(tokens, fault.cycle) != squeezed(planned(fault.chain), fault.cycle):
        problem("%s: %s\n  found   %s\n  planned %s" % (where, fault.id, squeezed(tokens, fault.cycle), squeezed(planned(fault.chain), fault.cycle)))
    if not fault.times and any(one == two and one[0] in "LK" for one, two in zip(tokens, tokens[1:])):
        problem("%s: a function calls itself: %s" % (where, tokens))
    if tokens[-1] not in OUTERMOST:
        problem("%s: the stack ends in %s" % (where, tokens[-1]))
    return len(frames)


def check_sampled(where, fault, stacks, images):
    attributed = [s for s in stacks if s["attributed"]] or stacks
    frames = attributed[0]["frames"]
    total = sum(f["count"] for f in frames if f["parent"] is None)
    shares, paths = Counter(), []
    for frame in frames:
        above = paths[frame["parent"]] if frame["parent"] is not None else ()
        if frame["parent"] is None and images.tokens(frame)[-1] not in OUTERMOST:
            problem("%s: a root is %s" % (where, images.tokens(frame)))
        path = above
        for token in reversed(images.tokens(frame)):
            if token[0] in "LK":
                if path[-1:] == (token,):
                    problem("%s: %s calls itself" % (where, token))
                path = (*path, token)
        paths.append(path)
        if frame["children"] > frame["count"]:
            problem("%s: children have more samples than their parent" % where)
        shares[path] += frame["count"] - frame["children"]
    # Inclusive shares of app paths.
    inclusive = Counter()
    for path, count in shares.items():
        for depth in range(1, len(path) + 1):
            inclusive[path[:depth]] += count
    heavy = [p for p, n in inclusive.items() if 2 * n >= total]
    deepest = max(heavy, key=len, default=())
    chain = next(c for _, c in fault.samples if any(i.split(" @")[0] == fault.dominating for i in c))
    app = [t for t in planned(chain) if t[0] in "LK"]
    spine = tuple(reversed(app[app.index(fault.dominating):]))
    if deepest != spine:
        problem("%s: %s\n  found   %s\n  planned %s" % (where, fault.id, deepest, spine))
    return len(frames)


def check_words():
    """No file may name a place on this machine."""
    places = {str(TOP), os.path.expanduser("~") + "/", "/tmp/", "/root/", "/home/", os.environ.get("SWIFT_TOOLCHAIN", str(TOP))}
    for folder in ("fixtures", "symbols"):
        for file in (TOP / folder).rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                data = gzip.decompress(data) if file.suffix == ".gz" else data
                for place in places:
                    if len(place) > 3 and place.encode() in data:
                        problem("%s holds %s" % (file, place))


def main():
    images = Images()
    truth = {}
    for line in (TOP / "fixtures/truth.jsonl").read_text().splitlines():
        row = json.loads(line)
        key = (row["payload"], row["diagnostic"])
        if key in truth:
            problem("twice in truth: %s" % (key,))
        truth[key] = row
    seen, payloads, copies, checks, adkit = set(), set(), 0, [], 0
    for where, data in payload_files():
        digest = hashlib.sha256(data).hexdigest()
        if digest in payloads:
            copies += 1
            continue
        payloads.add(digest)
        document = json.loads(data)
        index = 0
        for key, rows in document.items():
            for diagnostic in rows if key in KINDS else []:
                meta = diagnostic["diagnosticMetaData"]
                row = truth.get((digest, index))
                name = "%s#%d" % (where, index)
                seen.add((digest, index))
                index += 1
                if row is None:
                    problem("%s is not in truth" % name)
                    continue
                if row["kind"] != KINDS[key] or row["build"] != meta["appBuildVersion"] or BY_ID[row["fault"]].kind != row["kind"] \
                        or int(row["build"]) not in BY_ID[row["fault"]].builds:
                    problem("%s: truth says %s" % (name, row))
                crash = key == "crashDiagnostics"
                bug = crash and "iPhone OS 15" in meta["osVersion"]
                stacks = [{"attributed": s.get("threadAttributed", False), "frames": flat(s["callStackRootFrames"], bug, crash)}
                          for s in diagnostic["callStackTree"]["callStacks"]]
                for stack in stacks:
                    for frame in stack["frames"]:
                        images.want(frame)
                        known = images.paths.get(frame["uuid"])
                        if known and known[1] != row["build"]:
                            problem("%s: %s of another build" % (name, frame["image"]))
                        adkit += frame["uuid"] == ADKIT[0]
                checks.append((name, row, stacks))
    for key in truth.keys() - seen:
        problem("in truth only: %s" % (key,))
    images.resolve()
    longest = Counter()
    table = defaultdict(Counter)
    for name, row, stacks in checks:
        fault = BY_ID[row["fault"]]
        check = check_crash if fault.kind == "crash" else check_sampled
        longest[fault.id] = max(longest[fault.id], check(name, fault, stacks, images) or 0)
        for stack in stacks:  # every app frame of every thread has a name
            for frame in stack["frames"]:
                images.tokens(frame)
        table[fault.id][row["build"]] += 1
    if longest["F05-recursion"] <= 253:
        problem("no stack of more than 253 frames")
    different = Counter()
    for fault in FAULTS:
        tokens = squeezed(planned(fault.chain), fault.cycle)
        app = tuple(t for t in tokens if t[0] in "LKA")
        different[(fault.kind, fault.reason, fault.dominating, app or tuple(tokens))] += 1
    for key, count in different.items():
        if count > 1:
            problem("two faults look the same: %s" % (key,))
    check_words()

    builds = sorted({row["build"] for row in truth.values()})
    print("%-20s %-21s %s   total  longest" % ("fault", "kind", "  ".join(builds)))
    for fault in FAULTS:
        counts = table[fault.id]
        print("%-20s %-21s %s %7d %8d" % (fault.id, fault.kind, "  ".join("%3s" % (counts[b] or ".") for b in builds), sum(counts.values()), longest[fault.id]))
    print("%d diagnostics in %d payloads, %d copies; %d frames in AdKit, which has no symbols" % (len(truth), len(payloads), copies, adkit))
    for text in problems[:40]:
        print("problem:", text)
    print("%d problems" % len(problems))
    sys.exit(1 if problems else 0)


main()
