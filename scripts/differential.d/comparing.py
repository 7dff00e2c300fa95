"""Compares both tools' answers on one slice and counts what is equal, what a rule explains and what is left."""
import bisect
import collections

import rules
from asking import CannotAsk, ask_llvm, ask_symclust, differences, instructions, sample

STEPS_BACK = (100, 5000)    # how many instructions before a line 0 are asked for the line that we give there


class Result:
    """What became of the addresses of one slice."""

    def __init__(self, part):
        self.part = part
        self.asked = self.equal = 0
        self.explained = collections.Counter()
        self.unexplained = []    # rows
        self.failure = None      # why the slice could not be compared


def compare(tool, part, limit):
    result = Result(part)
    every = instructions(part)
    asked = sample(part, every, limit)
    result.asked = len(asked)
    if not asked:
        # A file with code of which nothing was asked has proved nothing.
        if any(section.end > section.start for section in part.sections):
            raise CannotAsk("llvm-objdump shows no instruction of its code")
        return result
    rows = []
    for address, theirs, ours in zip(asked, ask_llvm(part, asked), ask_symclust(tool, part, asked)):
        open_ = differences(theirs, ours) | trap(ours)
        if open_:
            rows.append(rules.Row(part, address, theirs, ours, open_))
        else:
            result.equal += 1
    gather_proofs(part, rows, every)
    for row in rows:
        used = rules.explain(row)
        if used is None:
            result.unexplained.append(row)
        else:
            result.explained["+".join(used)] += 1
    return result


def trap(ours):
    """A frame that only says why the program stopped must also be the answer's reason, word for word."""
    prefix = "Swift runtime failure: "
    said = [f.name[len(prefix):] for f in ours.frames if f.name.startswith(prefix)][:1]
    return set() if said == ([ours.trap_reason] if ours.trap_reason else []) else {("trap_reason", 0)}


def gather_proofs(part, rows, every):
    """Asks llvm-symbolizer the second questions that the rules need, all at once."""
    if not rows:
        return
    for row, answer in zip(rows, ask_llvm(part, [r.address for r in rows], names="short")):
        row.debug = answer
    starts = sorted({s.address for r in rows for s in [r.their_symbol(), *r.symbols_below()] if s})
    at_start = dict(zip(starts, ask_llvm(part, starts, names="short"))) if starts else {}
    for row in rows:
        row.symbol_debug = at_start
    for steps in STEPS_BACK:
        find_nearest_lines(part, [r for r in rows if needs_line(r)], every, steps)


def needs_line(row):
    return bool(row.ours.frames) and row.ours.frames[0].approximate and row.nearest is None


def find_nearest_lines(part, rows, every, steps):
    """For each row the nearest of the `steps` instructions before it that lies in the same call and has a line."""
    before = {}
    for row in rows:
        at = bisect.bisect_left(every, row.address)
        before[row.address] = every[max(at - steps, 0):at]
    wanted = sorted({a for all in before.values() for a in all})
    answers = dict(zip(wanted, ask_llvm(part, wanted, names="short"))) if wanted else {}
    for row in rows:
        for address in reversed(before[row.address]):
            answer = answers[address]
            if answer.frames and answer.frames[0].line and same_call(answer, row.debug):
                row.nearest = answer.frames[0]
                break


def same_call(one, other):
    """Whether two answers lie in the same call: the same functions, called from the same places."""
    def chain(answer):
        return [f.name for f in answer.frames], [f.start for f in answer.frames], \
            [(f.line, f.column) for f in answer.frames[1:]]
    return chain(one) == chain(other)
