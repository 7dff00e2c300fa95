"""Runs programs beside each other and keeps what they cost."""
import math
import os
import resource
import statistics
import sys
import time


class Cost:
    """Seconds by the clock and of the processor, and the peak of memory, of some runs."""

    def __init__(self):
        self.wall, self.processor, self.memory = [], [], []

    def median(self, what="wall"):
        return statistics.median(getattr(self, what))


def once(command, stdin=None, ok=(0, 3)):
    """Runs `command`, its output thrown away; gives wall seconds, processor seconds and peak kilobytes."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(os.open(stdin, os.O_RDONLY) if stdin else null, 0)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            os.execvp(str(command[0]), [str(word) for word in command])
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in ok:
        sys.exit(f"bench: '{' '.join(map(str, command))}' ended with {code}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def beside(contenders, runs):
    """Runs each contender `runs` times, in turns, so that what the machine does meanwhile meets all of them.

    A contender is a name and a function that gives what `once` gives.
    """
    costs = {name: Cost() for name, _ in contenders}
    for _ in range(runs):
        for name, run in contenders:
            wall, processor, memory = run()
            costs[name].wall.append(wall)
            costs[name].processor.append(processor)
            costs[name].memory.append(memory)
    return costs


def table(title, costs, ours, rates=None):
    """Prints one table: each contender's median as a multiple of ours."""
    print(f"\n### {title}\n")
    print("| | by the clock | processor | peak memory |" + (" rate |" if rates else ""))
    print("| --- | ---: | ---: | ---: |" + (" ---: |" if rates else ""))
    base = costs[ours]
    for name, cost in costs.items():
        def ratio(what):
            value = base.median(what)
            return f"{cost.median(what) / value:.2f}" if value else "-"
        line = f"| {name} | {ratio('wall')} | {ratio('processor')} | {cost.median('memory') / 1024:.0f} MB |"
        print(line + (f" {rates[name]} |" if rates else ""))
    sys.stdout.flush()


def exponent(sizes, values):
    """The slope of a line through the logarithms: 1 is linear."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in values]
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)
