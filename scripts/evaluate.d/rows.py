"""The rows of the table: what was measured, on the whole and on both halves, and the verdict against target and floor."""
import dataclasses
import hashlib
import json

HALVES = ("whole", "tune", "judge")


def half(key: str) -> str:
    """Which half a label belongs to: a stable hash, so that a group is never on both sides and never moves."""
    return "tune" if hashlib.sha256(b"half\0" + key.encode(errors="replace")).digest()[0] % 2 == 0 else "judge"


@dataclasses.dataclass
class Row:
    """One measured value. `target` and floors bound it from below, or from above where `lower` is better."""
    key: str                    # in floors.json
    set: str
    what: str
    values: dict                # by half: number or None
    baseline: str = "-"
    target: float | dict | None = None      # one for all, or one for each half
    lower: bool = False
    slack: float = 0.01         # how far below a reached value its floor lies; counts: a tenth, unless there is to be none
    note: str = ""              # why it was not measured, or what belongs to the number
    failures: list = dataclasses.field(default_factory=list)

    def reaches(self, value, bound) -> bool:
        return value <= bound + 1e-9 if self.lower else value >= bound - 1e-9

    def bound(self, half: str):
        return self.target[half] if isinstance(self.target, dict) else self.target

    def fallen(self, floors: dict) -> list[str]:
        """The halves whose value lies below the recorded floor. One that is gone has fallen, too."""
        floor = floors.get(self.key, {})
        return [h for h in ("whole", "judge") if h in floor
                and (self.values.get(h) is None or not self.reaches(self.values[h], floor[h]))]

    def verdict(self, floors: dict) -> str:
        if self.values.get("whole") is None and self.key not in floors:
            return "not measured"
        if fallen := self.fallen(floors):
            return "FELL below " + ", ".join(f"{floors[self.key][h]} ({h})" for h in fallen)
        if self.target is None:
            return "informational"
        met = [self.values.get(h) is None or self.reaches(self.values[h], self.bound(h)) for h in ("whole", "judge")]
        return "reached" if all(met) else "below target"

    def floor(self) -> dict:
        """A floor for these values, a little below them. One of nothing would hold nothing up."""
        found = {}
        for h in ("whole", "judge"):
            value = self.values.get(h)
            if value is None:
                continue
            slack = self.slack if isinstance(value, float) or not self.slack else max(1, round(abs(value) / 10))
            bound = value + slack if self.lower else value - slack
            if bound > 0 or self.lower:
                found[h] = round(bound, 4) if isinstance(value, float) else int(bound)
        return found


def over_halves(items, measure) -> dict:
    """`measure` of all items and of each half; items have a `half`."""
    items = list(items)
    parts = {"whole": items, **{h: [i for i in items if i.half == h] for h in HALVES[1:]}}
    return {h: measure(part) for h, part in parts.items()}


def absent(key: str, set_: str, what: str, note: str, **more) -> Row:
    """A row that could not be measured, and why."""
    return Row(key, set_, what, dict.fromkeys(HALVES), note=note, **more)


def shown(value) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def table(rows: list[Row], floors: dict) -> str:
    """The rows as text."""
    head = ("set", "what is measured", "ours", "tune", "judge", "baseline", "target", "verdict")
    cells = [head]
    for row in rows:
        bound = row.bound("whole")
        target = "-" if bound is None else ("≤ " if row.lower else "≥ ") + f"{bound:g}"
        cells.append((row.set, row.what, *(shown(row.values.get(h)) for h in HALVES), row.baseline, target, row.verdict(floors)))
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    numbers = {2, 3, 4, 6}
    lines = ["  ".join(text.rjust(width) if column in numbers else text.ljust(width)
                       for column, (text, width) in enumerate(zip(line, widths))).rstrip() for line in cells]
    notes = [f"{row.set}, {row.what}: {row.note}" for row in rows if row.note]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:], *([""] + notes if notes else [])])


def read_floors(path) -> dict:
    with open(path, encoding="utf-8") as file:
        return json.load(file)
