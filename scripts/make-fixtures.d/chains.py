"""Finds a planned chain in a built binary: which physical frames, at which addresses, say these functions.

One physical frame may stand for several planned functions (inlining) or for none (a helper of the language's runtime).
A frame that is not the innermost stands at a call whose target is the frame before it.
"""
import re

from binary import meaningful


class Impossible(Exception):
    """The built code does not hold the planned chain."""


def parse(item):
    """(image letter, function, mark) of one planned item."""
    letter, rest = item.split(" ", 1)
    if letter in "LK":
        m = re.match(r"(.*?)(?: (@\S+|!\S*|\^))?$", rest)
        return letter, m.group(1), m.group(2) or ""
    return letter, rest, ""


IMAGE = {"L": "Lumen", "K": "LumenKit", "A": "AdKit"}
LOADS = ("ldr", "ldrb", "ldrsb", "ldrh", "ldrsw", "str", "strb", "ldp", "stp", "ldur", "stur", "brk")


class Solver:
    """Finds chains in the two images of one build."""

    def __init__(self, images, lines):
        self.images = images  # name → Binary
        self.lines = lines  # fault number → (file, line)
        self.known = {}

    def solve(self, chain, fault):
        """Physical frames innermost first: (letter, places, exact). For an app frame `places` are offsets of which any will
        do, as a payload writes them (behind the call, unless exact); for others it is the planned text."""
        key = (fault, tuple(chain))
        if key not in self.known:
            planned = [parse(item) for item in chain]
            found = self.search(planned, 0, None, fault, 0)
            if found is None:
                raise Impossible("%s: %s" % (fault, " < ".join(f for l, f, _ in planned if l in "LK")))
            self.known[key] = found
        return self.known[key]

    def search(self, planned, start, inner, fault, noise):
        """Solves planned[start:]; `inner` is the physical app frame below, if the chain goes straight from it."""
        if start == len(planned):
            return []
        letter, function, mark = planned[start]
        if letter not in "LK":
            rest = self.search(planned, start + 1, (letter, None, None), fault, 0)
            if rest is None:
                return None
            return [(letter, function, start == 0)] + rest
        binary = self.images[IMAGE[letter]]
        groups = {}
        for one in self.candidates(binary, letter, mark, inner, fault, start, start > 0 and planned[start - 1][1].startswith("closure in ")):
            used = len(one.names)
            if used == 0 and noise < 3 and start > 0 and inner and inner[1] is not None:
                groups.setdefault((one.function, 0), []).append(one.offset)
            elif used and [(l, f) for l, f, _ in planned[start:start + used]] == [(letter, n) for n in one.names]:
                # A mark inside an inlined group belongs to the group's innermost function.
                if all(not m for _, _, m in planned[start + 1:start + used]):
                    groups.setdefault((one.function, used), []).append(one.offset)
        for (physical, used), offsets in sorted(groups.items(), key=lambda g: (-g[0][1], g[0][0])):
            symbol = self.symbol_at(binary, physical)
            rest = self.search(planned, start + used, (letter, physical, symbol), fault, noise + 1 if used == 0 else 0)
            if rest is not None:
                shift = 0 if start == 0 else 4
                return [(letter, [o + shift for o in offsets], start == 0)] + rest
        return None

    def symbol_at(self, binary, physical):
        return next(i.frames[-1].raw for i in binary.instructions if i.offset == physical and i.frames)

    def candidates(self, binary, letter, mark, inner, fault, start, planned_closure):
        if mark.startswith("@"):
            return [i for i in binary.calls_to.get(mark[1:], [])]
        if start == 0:
            return self.innermost(binary, mark, fault)
        if inner[1] is None:
            raise Impossible("%s: an app frame above the system says no call" % fault)
        if inner[0] == letter:
            direct = binary.calls_to.get(inner[1], [])
            if planned_closure:
                return direct + [i for i in binary.instructions if i.mnemonic == "blr"]
            return direct
        return binary.calls_to.get("_" + inner[2], [])

    def innermost(self, binary, mark, fault):
        if mark == "^":  # the entry of the function, where the stack ends
            first = {}
            for i in binary.instructions:
                if i.mnemonic in ("stp", "str") and i.offset - i.function <= 16:
                    first.setdefault(i.function, i)
            return list(first.values())
        if not mark:
            return binary.instructions
        wanted = self.lines[mark[1:] or fault.split("-")[0]]
        found = [i for i in binary.instructions if i.mnemonic in LOADS
                 and next(((f.file, f.line) for f in i.frames if meaningful(f.name)), None) == wanted]
        traps = [i for i in found if i.mnemonic == "brk"]
        # What is kept on the stack is not what faults.
        return traps or [i for i in found if not re.search(r"\[(sp|x29)\b", i.operands)]


def marked_lines(root):
    """Source lines marked `// fault F..`, by id."""
    lines = {}
    for file in sorted(root.rglob("*")):
        if file.suffix in (".swift", ".cpp", ".hpp", ".c"):
            for number, text in enumerate(file.read_text().splitlines(), 1):
                m = re.search(r"// fault (F\d+)$", text)
                if m:
                    lines[m.group(1)] = (file.name, number)
    return lines
