"""Sentry's inputs: events that came from one production issue."""
import dataclasses
import itertools
import json
import re

import rows
import stacks

SET = "sentry group_N"
FOLDER = "sentry-grouping"
SCRUBBED = "stripped_application_code"      # stands for many functions, so it is no name


@dataclasses.dataclass
class Event:
    group: str
    half: str
    file: str
    cluster: str | None


def frames_of(event: dict) -> list[dict]:
    """The frames of the innermost exception or else of the crashed thread, outermost first as Sentry keeps them."""
    traces = [value.get("stacktrace") for value in (event.get("exception") or {}).get("values") or []]
    traces += [thread.get("stacktrace") for thread in (event.get("threads") or {}).get("values") or [] if thread.get("crashed")]
    traces += [event.get("stacktrace")]
    return next((trace["frames"] for trace in reversed(traces[:-1] or traces) if trace and trace.get("frames")), [])


def line(file: str, event: dict) -> bytes:
    made = []
    for frame in frames_of(event):
        package = frame.get("package") or frame.get("module")
        name = frame.get("function")
        made.append(stacks.frame(None if name == SCRUBBED else name, re.split(r"[/\\]", package)[-1] if package else None,
                                 file=frame.get("filename"), line=frame.get("lineno")))
    kinds = [value.get("type") or "" for value in (event.get("exception") or {}).get("values") or []]
    signal = 11 if any("BAD_ACCESS" in kind or "SIGSEGV" in kind for kind in kinds) else 6
    return stacks.line(file, made, app="app", signal=signal, order="outermost_first")


def whole_groups(events) -> int:
    groups = {}
    for event in events:
        groups.setdefault(event.group, []).append(event.cluster)
    return sum(len(clusters) > 1 and len(set(clusters)) == 1 for clusters in groups.values())


def joins(events) -> int:
    return sum(a.group != b.group and a.cluster == b.cluster for a, b in itertools.combinations(events, 2))


def measure(program, corpus, options) -> list[rows.Row]:
    files = {path.name: path for folder in ("categorization_inputs", "grouping_inputs") for path in (corpus / FOLDER / folder).glob("group_*.json")}
    lines = {name: line(name, json.loads(path.read_text(encoding="utf-8"))) for name, path in sorted(files.items())}
    run = program.cluster(list(lines.values()))
    titles = {cluster["id"]: cluster["title"] for cluster in run.report["clusters"]}
    events = []
    for name, text in lines.items():
        group = re.match(r"group_\d+", name)[0]
        place = run.place(text)
        events.append(Event(group, rows.half(group), name, place and place.cluster))
    sizes = {}
    for event in events:
        sizes[event.group] = sizes.get(event.group, 0) + 1
    several = sum(count > 1 for count in sizes.values())
    told = [f"{e.file}: {titles.get(e.cluster, 'refused')} ({e.cluster})" for e in events if sizes[e.group] > 1]
    told += [f"joined: {a.file} = {b.file}: {titles[a.cluster]}" for a, b in itertools.combinations(events, 2)
             if a.group != b.group and a.cluster == b.cluster]
    return [
        rows.Row("sentry.groups", SET, f"groups in one cluster (of {several} here, 6 with the held-out part)",
                 rows.over_halves(events, whole_groups), baseline="3 of 4", target=several, slack=0, failures=told),
        rows.Row("sentry.joins", SET, "joins between different groups", rows.over_halves(events, joins), target=0, lower=True, slack=0),
        rows.absent("sentry.categories", "sentry categories", "rule for each frame, P and R", "needs signatures explain",
                    target=0.95),
    ]
