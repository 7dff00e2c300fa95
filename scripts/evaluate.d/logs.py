"""Frames out of what sanitizers, gdb and Chromium print of a stack."""
import re

HEAD = re.compile(r"^\s*#(?P<number>\d+)(?:\.\d+)?\s+(?:(?P<address>0x[0-9a-zA-Z]+)\s*)?(?:in\s+)?(?P<rest>.*)$")
MAC = re.compile(r"^(?P<number>\d+)\s{2,}(?P<module>\S.*?)\s{2,}0x[0-9a-f]+ (?P<name>\S+) \+ \d+$")
TAILS = [re.compile(pattern) for pattern in (
    r"\s*\(BuildId: [0-9a-f]+\)$",
    r"\s*\((?P<module>[^()]*?)\+0x[0-9a-zA-Z]+\)$",           # (/lib/libc.so.6+0x351)
    r"\s*<(?P<module>[^<>]+|<\w+>)>\+0x[0-9a-f]+$",            # <libc.so>+0x1f, <<application>>+0x5c579
    r"(?:^|\s+)(?P<file>[^\s()]+?):(?P<line>\d+)(?::\d+)?$",     # dir/file.cc:12:3
    r"(?:^|\s+)(?P<file>(?:/|[A-Za-z]:\\)[^\s()]+\.\w+)$",
)]
GDB = re.compile(r"^(?P<call>.*) at (?P<file>\S+):(?P<line>\d+)$|^(?P<from>.*) from (?P<module>\S+)$")

# What the paths of a log say about the image: these files are built into no program, or are a sanitizer's.
LIBC = re.compile(r"/e?glibc|/sysdeps/|^bionic/|^/bionic/|/bionic/libc/|/libc-start\.c$|/csu/"
                  r"|^(malloc|abort|assert|raise|fortify_fail|libc_fatal|libc-start|printf|vfprintf)[\w-]*\.c$")
SANITIZER = re.compile(r"/compiler-rt/|/libfuzzer/Fuzzer|/asan/asan_|/sanitizer_common/")
LIBC_IMAGE, SANITIZER_IMAGE = "libc.so.6", "libclang_rt.asan.so"


def image(module: str | None, file: str | None) -> str | None:
    """The image of a frame when the log tells it, by module or by the path of the source; None for the app."""
    if file and LIBC.search(file):
        return LIBC_IMAGE
    if file and SANITIZER.search(file):
        return SANITIZER_IMAGE
    name = re.split(r"[/\\]", module)[-1] if module else ""
    return name if ".so" in name or name.endswith((".dll", ".dylib")) else None


def without_arguments(call: str) -> str:
    """gdb writes `name (arguments)`: the name, whose own parentheses have no blank before them."""
    depth = 0
    for place, letter in enumerate(call):
        if letter == "(" and depth == 0 and place and call[place - 1] == " ":
            return call[:place].strip()
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(letter, 0)
    return call.strip()


def frame(line: str) -> dict | None:
    """One frame: number, name, file, line, image; None when the line is none."""
    if mac := MAC.match(line):
        name = None if mac["name"].startswith("0x") else mac["name"]
        return {"number": int(mac["number"]), "function": name, "image": None, "file": None, "line": None}
    head = HEAD.match(line.rstrip())
    if not head or (not head["address"] and " (" not in head["rest"] and " in " not in line):
        return None
    rest, module, file, number = head["rest"], None, None, None
    if by_gdb := GDB.match(rest):
        rest = without_arguments(by_gdb["call"] or by_gdb["from"])
        file, number, module = by_gdb["file"], by_gdb["line"], by_gdb["module"]
    else:
        for tail in TAILS:
            if found := tail.search(rest):
                parts = found.groupdict()
                module, file, number = parts.get("module") or module, parts.get("file") or file, parts.get("line") or number
                rest = rest[:found.start()]
        if rest.endswith(" ()"):
            rest = rest[:-3]
    name = rest.strip()
    known = name and name not in ("??", "<unknown>", "<null>") and not name.startswith(("<unknown module>", "(<unknown module>)"))
    return {"number": int(head["number"]), "function": name if known else None, "image": image(module, file),
            "file": file and re.split(r"[/\\]", file)[-1], "line": int(number) if number else None}


def first_stack(text: str) -> list[dict]:
    """The first stack of a log that has a name in it, innermost first."""
    stacks, current = [], []
    for line in text.splitlines():
        found = frame(line)
        if not found:
            if line.strip() and current:
                stacks.append(current)
                current = []
            continue
        if current and found["number"] == 0 and current[-1]["number"] != 0:
            stacks.append(current)
            current = []
        current.append(found)
    stacks.append(current)
    return next((stack for stack in stacks if any(f["function"] for f in stack)), [])
