"""Compares both tools' answers on one slice and counts what is equal, what a rule explains and what is left."""
import bisect
import collections

import rules
from asking import ask_llvm, ask_symclust, differences, instructions, sample

STEPS_BACK = 200    # how many instructions before a line 0 are asked for the line that we give there


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
    before = {}
    for row in rows:
        row.symbol_debug = at_start
        if row.ours.frames and row.ours.frames[0].approximate:
            at = bisect.bisect_left(every, row.address)
            before[row.address] = every[max(at - STEPS_BACK, 0):at][::-1]
    wanted = sorted({a for all in before.values() for a in all})
    answers = dict(zip(wanted, ask_llvm(part, wanted))) if wanted else {}
    for row in rows:
        row.earlier = [(a, answers[a]) for a in before.get(row.address, [])]
