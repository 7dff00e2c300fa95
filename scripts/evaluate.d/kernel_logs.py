"""Frames and reasons out of the console of a Linux kernel that reports itself."""
import re

PREFIX = re.compile(r"^(?:<\d+>)?\s*(?:\[\s*\d+\.\d+\]\s*(?:\[\s*[A-Z]+\d+\]\s?)?)?(?:\[\s*[TC]\d+\]\s?)?")
PLACE = re.compile(r"^\s*(?:\[<[0-9a-f]+>\]\s*)?(?:\(?<[0-9a-f]+>\)?\s*)?(?P<guess>\? )?(?P<name>[A-Za-z_][\w.$]*)"
                   r"\+0x[0-9a-f]+/0x[0-9a-f]+(?:\s+\[\w+\])?(?:\s+(?P<file>\S+):(?P<line>\d+))?")
INLINED = re.compile(r"^\s*(?:\[< *inline *>\]\s*)?(?P<name>[A-Za-z_]\w*)\s+(?P<file>[\w./-]+):(?P<line>\d+)(?:\s+\[inline\])?$")
COUNTER = re.compile(r"^(?:RIP: 0010:|RIP: [0-9a-f]{4}:|IP: |pc : |PC is at |epc : |NIP .*?\] )\s*(?:\[<[0-9a-f]+>\]\s*(?:\[<[0-9a-f]+>\]\s*)?)?"
                     r"(?P<name>[A-Za-z_][\w.$]*)\+0x[0-9a-f]+/0x[0-9a-f]+(?:\s+(?P<file>\S+):(?P<line>\d+))?")
ARM = re.compile(r"^\s*(?:\[<[0-9a-f]+>\] )?\(?(?P<name>[A-Za-z_][\w.]*)\)? from (?:\[<[0-9a-f]+>\] )?\(?(?P<caller>[A-Za-z_][\w.]*)\+0x")
END = re.compile(r"(?i)^(allocated by|freed by|memory state|the buggy|uninit was|---\[|kernel offset|other info|={10}|cpu:|local variable"
                 r"|last potentially|raw: |page dumped|call trace:|backtrace:)")
PATIENCE = 12   # lines of others that may stand within a trace
BEGIN = re.compile(r"(?i)call trace:|stack backtrace:|^backtrace:|BUG: K(MSAN|FENCE|CSAN):")
HANG = re.compile(r"blocked (?:in I/O wait )?for more than|detected stall|self-detected stall|soft lockup|hung_task|stalls on")
BAD_ACCESS = re.compile(r"KASAN|KMSAN|KFENCE|general protection fault|unable to handle|Unable to handle|paging request|null-ptr-deref")


def kind_and_signal(text: str) -> tuple[str, int | None]:
    """What the console says that happened: a hang, a bad access, or one of the kernel's own checks."""
    if HANG.search(text):
        return "hang", None
    return "crash", 11 if BAD_ACCESS.search(text) else 5


def frame(found) -> dict:
    parts = found.groupdict()
    name = re.sub(r"\.(?:constprop|isra|part|cold|llvm)\b.*$", "", parts["name"])
    return {"function": name, "file": parts.get("file"), "line": int(parts["line"]) if parts.get("line") else None}


def stack(text: str) -> list[dict]:
    """The first call trace, innermost first, below the instruction that the processor stood at; without guessed frames."""
    lines = [PREFIX.sub("", line) for line in text.splitlines()]
    frames, counter, within, others = [], None, False, 0
    for line in lines:
        if not within:
            if found := COUNTER.match(line.strip()):
                counter = counter or frame(found)
            within = bool(BEGIN.search(line))
            continue
        before, stripped = len(frames), line.strip()
        if found := PLACE.match(line):
            if not found["guess"]:
                frames.append(frame(found))
        elif found := ARM.match(line):
            if not frames:
                frames.append({"function": found["name"], "file": None, "line": None})
            frames.append({"function": found["caller"], "file": None, "line": None})
        elif found := INLINED.match(line) or COUNTER.match(stripped):   # an interrupt or a trap tells where it came from
            frames.append(frame(found))
        elif frames and (END.match(stripped) or others > PATIENCE):
            break
        elif frames and not re.match(r"</?(TASK|IRQ|NMI|SOFTIRQ|#DF)>|\[<[0-9a-f]+>\]|RIP:|R[A-Z0-9]{2}:|r\d+ ?:|\? |$", stripped):
            others += 1
        if len(frames) > before:
            others = 0
    if counter and not any(f["function"] == counter["function"] for f in frames):
        frames.insert(0, counter)
    return frames
