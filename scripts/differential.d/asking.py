"""Asks llvm-symbolizer and symclust about the same addresses and puts both answers into one form."""
import hashlib
import json
import os
import posixpath
import random
import re
import subprocess

FULL_SAMPLE = 20_000


class CannotAsk(Exception):
    """A program did not answer; the text says why."""


class Frame:
    """One call of an answer; 0 and None stand for what is not known."""
    __slots__ = ("name", "file", "line", "column", "approximate", "source", "start", "declared")

    def __init__(self, name, file, line, column, approximate=False, source=None, start=None, declared=None):
        self.name, self.file, self.line, self.column = name, file, line, column
        self.approximate, self.source, self.start, self.declared = approximate, source, start, declared

    def __str__(self):
        mark = "~" if self.approximate else ""
        return f"{self.name or '???'} ({self.file or '-'}:{self.line}:{self.column}{mark})"


class Answer:
    """What one tool says of one address, innermost call first; no frames when it knows nothing."""
    __slots__ = ("frames", "trap_reason")

    def __init__(self, frames, trap_reason=None):
        self.frames, self.trap_reason = frames, trap_reason

    def __str__(self):
        return " < ".join(map(str, self.frames)) or "nothing"


def llvm_program(name):
    folder = os.environ.get("LLVM_BIN")
    return os.path.join(folder, name) if folder else name + "-19"


def run(arguments, text=None):
    """Runs a program; returns what it prints, and why it failed if it did."""
    done = subprocess.run(arguments, input=text, capture_output=True, text=True, errors="replace")
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return done.stdout, f"{os.path.basename(arguments[0])} ({done.returncode}): {last}" if done.returncode else None


# ---------------------------------------------------------------- which addresses

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s", re.MULTILINE)


def instructions(part):
    """Every instruction address of a slice, in order."""
    found = set()
    if any(s.has_bytes for s in part.sections):
        text, failure = run([llvm_program("llvm-objdump"), "-d", "-z", "--no-show-raw-insn", part.peer_path])
        if failure:
            raise CannotAsk(failure)
        found = {a for a in (int(m, 16) for m in INSTRUCTION.findall(text)) if part.section_of(a)}
    for section in part.sections:
        if not section.has_bytes:
            # A dSYM has no instructions of its own: where their width is not fixed, every byte may begin one.
            found.difference_update(range(section.start, section.end))
            found.update(range(section.start, section.end, part.step))
    return sorted(found)


def sample(part, every, limit):
    """All of `every`, or a sample that is the same for the same file, whatever else is asked."""
    limit = min(limit or FULL_SAMPLE, FULL_SAMPLE)
    if len(every) <= limit:
        return every
    seed = hashlib.sha256(part.bytes).hexdigest()
    return sorted(random.Random(seed).sample(every, limit))


# ---------------------------------------------------------------- what each says

def ask_llvm(part, asked, names="linkage"):
    """llvm-symbolizer's answers; with names="short" those of the debug information alone, without the symbol table."""
    arguments = [llvm_program("llvm-symbolizer"), "--obj=" + part.peer_path, "--output-style=JSON", "--inlines",
                 "--functions=" + names, "--no-demangle", "--no-debuginfod"]
    if part.is_macho:
        arguments.append("--default-arch=" + part.arch)
    out, failure = run(arguments, lines(asked))
    rows = [json.loads(line) for line in out.splitlines() if line.strip()]
    failure = failure or next((r["Error"]["Message"] for r in rows if "Error" in r), None)
    if failure:
        raise CannotAsk(failure)
    frames = [[llvm_frame(s) for s in r["Symbol"]] for r in rows]
    # One frame without anything in it is how llvm-symbolizer says that it knows nothing.
    frames = [[] if len(all) == 1 and not all[0].name and not all[0].file else all for all in frames]
    return checked("llvm-symbolizer", [Answer(all) for all in frames], asked)


def llvm_frame(symbol):
    return Frame(symbol["FunctionName"], symbol["FileName"] or None, symbol["Line"], symbol["Column"],
                 start=symbol["StartAddress"] or None, declared=(symbol["StartFileName"], symbol["StartLine"]))


def ask_symclust(tool, part, asked):
    arguments = [tool, "lookup", "--object", part.path, "--json", "--jobs", "1"]
    if part.is_macho:
        arguments += ["--arch", part.arch]
    out, failure = run(arguments, lines(a - part.base for a in asked))
    rows = [json.loads(line) for line in out.splitlines() if line.strip()]
    # An exit code alone is no failure: it also says that no address of the sample has a name.
    if failure and len(rows) != len(asked):
        raise CannotAsk(failure)
    return checked("symclust", [Answer([our_frame(f) for f in r["frames"]], r.get("trap_reason")) for r in rows], asked)


def our_frame(frame):
    return Frame(frame["mangled"] or frame["function"], frame["file"], frame["line"] or 0, frame["column"] or 0,
                 frame.get("approximate", False), frame["source"])


def lines(addresses):
    return "".join(f"0x{a:x}\n" for a in addresses)


def checked(program, answers, asked):
    if len(answers) != len(asked):
        raise CannotAsk(f"{program} gave {len(answers)} answers to {len(asked)} addresses")
    return answers


# ---------------------------------------------------------------- where they differ

def same_file(theirs, ours):
    """Whether two names mean one file: as paths when both are absolute, else by their last component."""
    if not theirs or not ours:
        return not theirs and not ours
    if theirs.startswith("/") and ours.startswith("/"):
        return posixpath.normpath(theirs) == posixpath.normpath(ours)
    return re.split(r"[/\\]", theirs)[-1] == re.split(r"[/\\]", ours)[-1]


def differences(theirs, ours):
    """What differs: ("depth", 0), or the aspect and the number of each frame that is not the same."""
    if len(theirs.frames) != len(ours.frames):
        return {("depth", 0)}
    found = set()
    for number, (a, b) in enumerate(zip(theirs.frames, ours.frames)):
        found |= {(aspect, number) for aspect, same in (
            ("name", a.name == b.name), ("file", same_file(a.file, b.file)),
            ("line", a.line == b.line), ("column", a.column == b.column)) if not same}
    return found
