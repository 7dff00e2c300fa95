"""What the debug information of a file states: functions, inlined calls, rows of lines."""
import dataclasses
import functools
import os
import re
import tempfile

from tools import ask, plain, scratch

ENTRY = re.compile(r"^0x([0-9a-f]+):( +)(?:DW_TAG_(\w+)|NULL)")
ATTRIBUTE = re.compile(r"^ +DW_AT_(\w+)\t\((.*)$")
RANGE = re.compile(r"^ +\[0x([0-9a-f]+), 0x([0-9a-f]+)\)")
ROW = re.compile(r"^0x([0-9a-f]+) +(\d+) +\d+ +\d+ .*?(end_sequence)?$")


@dataclasses.dataclass
class Entry:
    """A function, or a call that was put into one (`inlined`)."""
    inlined: bool
    depth: int
    names: list = dataclasses.field(default_factory=list)
    low: int = None
    high: int = None
    ranges: list = dataclasses.field(default_factory=list)
    facts: dict = dataclasses.field(default_factory=dict)
    calls: list = dataclasses.field(default_factory=list)

    def spans(self):
        return self.ranges or ([(self.low, self.high)] if self.low is not None and self.high else [])

    def covers(self, address):
        return any(a <= address < b for a, b in self.spans())

    def called(self, name):
        return any(plain(n) == plain(name) for n in self.names)


class Dwarf:
    def __init__(self, path, arch):
        self.path, self.options = path, (f"--arch={arch}",) if arch else ()

    def _dump(self, *options):
        return ask("llvm-dwarfdump-19", *self.options, *options, self.path)

    @functools.cached_property
    def functions(self):
        return list(self._read(self._dump("--debug-info")))

    @functools.cached_property
    def split(self):
        """Functions of the .dwo files beside this one that its skeletons name, with addresses.

        The tool looks for them where they were built, and for a package beside the file: so they are packed first."""
        folder = os.path.dirname(self.path)
        named = re.findall(r'DW_AT_(?:GNU_)?dwo_name\t\("(?:.*/)?(.*)"\)', self._dump("--debug-info"))
        parts = [os.path.join(folder, name) for name in dict.fromkeys(named)]
        copy = os.path.join(tempfile.mkdtemp(dir=scratch()), os.path.basename(self.path))
        os.symlink(os.path.abspath(self.path), copy)
        ask("llvm-dwp-19", *filter(os.path.isfile, parts), "-o", copy + ".dwp")
        return list(self._read(ask("llvm-dwarfdump-19", "--debug-info", "--dwo", copy)))

    def _read(self, text):
        """Functions with the calls inside them; everything else of the tree is passed over."""
        entry, outer, in_ranges = None, [], False
        for line in text.splitlines():
            head = ENTRY.match(line)
            if head:
                entry, in_ranges = None, False
                depth = len(head[2])
                outer = [e for e in outer if e.depth < depth]
                if head[3] in ("subprogram", "inlined_subroutine"):
                    entry = Entry(head[3] != "subprogram", depth)
                    if not entry.inlined:
                        yield entry
                    elif outer:
                        outer[-1].calls.append(entry)
                    outer.append(entry)
            elif entry:
                in_ranges = self._attribute(entry, line, in_ranges)

    @staticmethod
    def _attribute(entry, line, in_ranges):
        attribute = ATTRIBUTE.match(line)
        if attribute:
            name, value = attribute.groups()
            entry.facts[name] = value.rstrip(")")
            quoted = re.search(r'"(.*)"', value)
            if quoted and name in ("name", "linkage_name", "MIPS_linkage_name", "abstract_origin", "specification"):
                entry.names.append(quoted[1])
            number = re.search(r"0x([0-9a-f]+)\)$", value)
            if number and name == "low_pc":
                entry.low = int(number[1], 16)
            if number and name == "high_pc":
                entry.high = int(number[1], 16)
            return name == "ranges"
        span = RANGE.match(line)
        if span and in_ranges:
            entry.ranges.append((int(span[1], 16), int(span[2], 16)))
        return in_ranges

    def covering(self, address):
        return [f for f in self.functions if f.covers(address)]

    def chain(self, address, split=False):
        """The function at an address and the calls inside it, innermost first."""
        found = [f for f in (self.split if split else self.functions) if f.covers(address)]
        chain = found[-1:]
        while chain:
            inside = [c for c in chain[0].calls if c.covers(address)]
            if not inside:
                return chain
            chain.insert(0, inside[0])
        return chain

    @functools.cached_property
    def sequences(self):
        """Runs of line rows: lists of (address, line), the last of which ends the run."""
        runs, run = [], []
        for line in self._dump("--debug-line").splitlines():
            row = ROW.match(line)
            if row:
                run.append((int(row[1], 16), int(row[2])))
                if row[3]:
                    runs.append(run)
                    run = []
        return runs

    def rows_at(self, address):
        return [run for run in self.sequences if run[0][0] <= address < run[-1][0]]
