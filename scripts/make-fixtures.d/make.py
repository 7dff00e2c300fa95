"""Makes fixtures/diagnostics, fixtures/truth.jsonl, the table in fixtures/app/README.md and symbols/builds.tsv.

Called by scripts/make-fixtures after the three builds. Everything depends on the seed below and on the built code alone.
"""
import gzip
import hashlib
import io
import json
import os
import random
import shutil
import sys
from datetime import datetime, timedelta
from pathlib import Path

from binary import Binary
from chains import Solver, marked_lines
from faults import BY_ID, FAULTS
from payloads import ADKIT, KEYS, Recorder
from render import render
from systems import SYSTEMS, Device

TOP, WORK = Path(os.environ["TOP"]), Path(os.environ["WORK"])
SEED = 20260307
BUILDS = [("1.0", 101, datetime(2026, 3, 9)), ("1.1", 112, datetime(2026, 4, 20)), ("1.2", 120, datetime(2026, 6, 1))]
IMAGES = {"Lumen": "Lumen.app.dSYM", "LumenKit": "LumenKit.framework.dSYM"}
DEEP = [(286, 655), (300, 512), (270, 411)]  # levels of the deep F05 of each build
SYSTEM_WEIGHTS = [12, 18, 25, 20, 25]


class Maker:
    """Draws payloads; one random source, one order."""

    def __init__(self):
        self.rng = random.Random(SEED)
        lines = marked_lines(TOP / "fixtures/app")
        self.solvers, self.app_images = {}, {}
        for version, build, _ in BUILDS:
            images = {name: Binary(str(WORK / str(build) / name), str(TOP / "symbols" / ("%s-%d" % (version, build)) / bundle / "Contents/Resources/DWARF" / name))
                      for name, bundle in IMAGES.items()}
            self.solvers[build] = Solver(images, lines)
            self.app_images[build] = {**{n: (b.uuid, b.end) for n, b in images.items()}, "AdKit": ADKIT}

    def tasks(self, place, build):
        """(fault, levels of recursion) for each diagnostic of a build, shuffled."""
        tasks = []
        for fault in FAULTS:
            if build not in fault.builds:
                continue
            count = max(2, round(5 * fault.share) + self.rng.randrange(-1, 2))
            for number in range(count):
                levels = None
                if fault.times:
                    levels = self.rng.randrange(*fault.times)
                    if fault.id == "F05-recursion" and number < 2:
                        levels = DEEP[place][number]
                tasks.append((fault, levels))
        self.rng.shuffle(tasks)
        return tasks

    def diagnostic(self, system, model, place, task):
        version, build, _ = BUILDS[place]
        fault, levels = task
        device = Device(self.rng, system, model, self.app_images[build])
        recorder = Recorder(self.rng, device, self.solvers[build], version, build)
        return recorder.crash(fault, levels) if fault.kind == "crash" else recorder.sampled(fault)

    def payload(self, entries):
        """A payload of (place of the build, task) entries and what is true of its diagnostics, in document order."""
        rng = self.rng
        kinds = {task[0].kind for _, task in entries}
        systems, weights = SYSTEMS, SYSTEM_WEIGHTS
        if "app_launch" in kinds:  # a kind of iOS 16 and later
            systems, weights = SYSTEMS[1:], SYSTEM_WEIGHTS[1:]
        system = rng.choices(systems, weights)[0]
        model = Device.model(rng, system)  # one payload comes from one device
        end = BUILDS[max(place for place, _ in entries)][2] + timedelta(minutes=rng.randrange(0, 30 * 24 * 60))
        arrays = {}
        for place, task in entries:
            made = self.diagnostic(system, model, place, task)
            arrays.setdefault(task[0].kind, []).append((made, task[0], BUILDS[place][1]))
        if system.major == 15:
            begin, stamp = end - timedelta(hours=24), "%Y-%m-%d %H:%M:00 +0000"
        else:
            begin, stamp = end, "%Y-%m-%d %H:%M:00"
        parts = [("timeStampBegin", begin.strftime(stamp)), ("timeStampEnd", end.strftime(stamp))]
        parts += [(KEYS[kind], [made for made, _, _ in rows]) for kind, rows in arrays.items()]
        rng.shuffle(parts)
        document = dict(parts)
        by_key = {KEYS[kind]: rows for kind, rows in arrays.items()}
        truth = [(fault, build) for key in document if key in by_key for _, fault, build in by_key[key]]
        return document, truth


def packed(data):
    """gzip without a name or a time in it."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(data)
    return out.getvalue()


def describe(faults):
    """The table of planted faults."""
    rows = ["| fault | kind | file: function | builds | what happens |", "| --- | --- | --- | --- | --- |"]
    for fault in faults:
        chain = fault.chain or []
        function = fault.dominating or next((item for item in chain if item[0] in "LK" and "LumenApp" not in item and item != "L main"), "")
        function = function[2:].split(" @")[0].split(" !")[0].split(" ^")[0]
        place = "%s: `%s`" % (fault.where, function) if function else fault.where
        rows.append("| %s | %s | %s | %s | %s |" % (fault.id, fault.kind, place, " ".join(map(str, fault.builds)), fault.what))
    return "\n".join(rows) + "\n"


def main():
    maker = Maker()
    rng = maker.rng
    out = TOP / "fixtures/diagnostics"
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("single", "compact", "compressed", "lines", "again"):
        (out / folder).mkdir(parents=True)

    groups = []
    for place, (_, build, _) in enumerate(BUILDS):
        tasks = maker.tasks(place, build)
        while tasks:
            size = rng.choices((1, 2, 3, 5), (82, 11, 5, 2))[0]
            groups.append([(place, tasks.pop()) for _ in range(min(size, len(tasks)))])
    # Some devices updated the app within one delivery: two builds in one payload.
    for _ in range(4):
        one = rng.choice([g for g in groups if len(g) == 1 and g[0][0] == 0])
        two = rng.choice([g for g in groups if len(g) == 1 and g[0][0] == 1])
        groups.remove(one)
        groups.remove(two)
        groups.append(one + two)
    rng.shuffle(groups)

    def deep(group):
        return any(levels and levels > 150 for _, (_, levels) in group)

    truth, lines, number, singles = [], {place: [] for place in range(len(BUILDS))}, 0, []
    counts = {"single": 68, "compact": 16, "compressed": 72}
    for group in groups:
        document, facts = maker.payload(group)
        number += 1
        name = "payload-%04d" % number
        if deep(group) and counts["compressed"] and rng.random() < 0.5:
            form = "compressed"
        elif deep(group):
            form = "compact"
        elif number % 3 == 0 and counts["single"] and len(group) <= 2:
            form = "single"
        elif number % 4 == 1 and counts["compressed"]:
            form = "compressed"
        elif number % 17 == 2 and counts["compact"]:
            form = "compact"
        else:
            form = "lines"
        text = render(document, pretty=form in ("single", "compressed")).encode()
        if form == "single":
            (out / "single" / (name + ".json")).write_bytes(text)
            singles.append(name)
        elif form == "compact":
            (out / "compact" / (name + ".json")).write_bytes(text)
        elif form == "compressed":
            (out / "compressed" / (name + ".json.gz")).write_bytes(packed(text))
        else:
            lines[max(place for place, _ in group)].append(text)
        if form in counts:
            counts[form] -= 1
        key = hashlib.sha256(text).hexdigest()
        truth += [{"payload": key, "diagnostic": i, "fault": fault.id, "kind": fault.kind, "build": str(build)} for i, (fault, build) in enumerate(facts)]

    # The same bytes once more, under other names and in other containers.
    for copy, name in enumerate(rng.sample(singles, 7), 1):
        data = (out / "single" / (name + ".json")).read_bytes()
        if copy <= 5:
            (out / "again" / ("retry-%02d.json" % copy)).write_bytes(data)
        else:
            (out / "again" / ("retry-%02d.json.gz" % copy)).write_bytes(packed(data))
    for rows in lines.values():
        rows.insert(rng.randrange(len(rows)), rng.choice(rows))
    (out / "again" / "retry-line.json").write_bytes(rng.choice(lines[1]))
    for place, rows in lines.items():
        (out / "lines" / ("lumen-%s-%d.jsonl" % BUILDS[place][:2])).write_bytes(b"".join(row + b"\n" for row in rows))

    truth.sort(key=lambda t: (t["payload"], t["diagnostic"]))
    (TOP / "fixtures/truth.jsonl").write_text("".join(json.dumps(t, separators=(",", ":")) + "\n" for t in truth))
    head = (Path(__file__).parent / "app-readme.md").read_text()
    (TOP / "fixtures/app/README.md").write_text(head + "\n" + describe(FAULTS))
    (TOP / "symbols/builds.tsv").write_text(
        "folder\tapp\tversion\tbuild\n" + "".join("%s-%d\tcom.example.lumen\t%s\t%d\n" % (v, b, v, b) for v, b, _ in BUILDS))
    unknown = {t["fault"] for t in truth} ^ set(BY_ID)
    if unknown:
        sys.exit("faults without a diagnostic: %s" % sorted(unknown))


main()
