"""Sentry's inputs: events that came from one production issue."""
import collections
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


# What a rule of ours says of a frame, in Sentry's words. Ours do not tell getting memory from giving it back.
STAGES = {"base": "threadbase", "throw": "throw", "reporter": "handler", "transp": "telemetry"}
CLASSES = {"memory": "memory", "release": "memory"}
LABELS = {"threadbase": "threadbase", "throw": "throw", "handler": "handler", "telemetry": "telemetry", "malloc": "memory",
          "free": "memory"}
NOISE = {"internals", "indirection"}
APPLE = re.compile(r"\.dylib$|^/usr/lib/|^/System/Library/|^(UIKit|UIKitCore|CoreFoundation|Foundation|AppKit|dyld)$")


@dataclasses.dataclass
class Judged:
    half: str
    place: str
    found: str | None
    wanted: str | None
    label: str | None


def ours(frame: dict) -> str | None:
    if frame["stage"] == "carrier":
        return CLASSES.get(frame["class"])
    if frame["stage"] == "transp" and "everywhere=yes" in frame["rule_line"]:
        return None     # made by the compiler
    return STAGES.get(frame["stage"])


def judged_frames(program, corpus) -> list[Judged]:
    """The frames of all inputs of Apple's systems, each with what `signatures explain` says and what the label says."""
    found = []
    for text in (corpus / FOLDER / "labels-categories.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(text)
        frames = label["frames_outermost_first"]
        if not any(APPLE.search(frame["package"] or "") for frame in frames):
            continue
        made = [stacks.frame(frame["function"], re.split(r"[/\\]", frame["package"])[-1] if frame["package"] else None)
                for frame in frames]
        told = json.loads(program.explain(stacks.line(label["input"], made, app="app", signal=6, order="outermost_first")))
        said = {frame["frame"]: frame for frame in told["frames"]}     # a chain is stored outermost first
        for place, frame in enumerate(frames):
            mine = said.get(place)
            found.append(Judged(rows.half(label["group_key"]), f"{label['input']}: {frame['package']} {frame['function']}",
                                mine and ours(mine), LABELS.get(frame["category"]), frame["category"]))
    return found


def categories(program, corpus) -> list[rows.Row]:
    judged = judged_frames(program, corpus)

    def share(which, of) -> float | None:
        counted = [frame for frame in of if getattr(frame, which)]
        return sum(frame.found == frame.wanted for frame in counted) / len(counted) if counted else None

    told = {which: [f"{frame.place}: {frame.found}, label {frame.label}" for frame in judged
                    if getattr(frame, which) and frame.found != frame.wanted] for which in ("found", "wanted")}
    counts = {which: sum(bool(getattr(frame, which)) for frame in judged) for which in ("found", "wanted")}
    told["found"].sort(key=lambda text: text.endswith(tuple(f"label {word}" for word in NOISE)))
    ours_alone = [frame for frame in judged if frame.found == frame.wanted or frame.label not in NOISE]
    note = ("threadbase, throw, handler, malloc or free, telemetry; inputs of Apple's systems. Run loops, queues and kills are where "
            "threads begin and how events are raised to us, and 'internals' or 'indirection' to Sentry: noise in both")
    return [
        rows.Row("sentry.categories.precision", "sentry categories", f"P per frame, of {counts['found']} that a rule names",
                 rows.over_halves(judged, lambda part: share("found", part)), target=0.95, note=note, failures=told["found"]),
        rows.Row("sentry.categories.recall", "sentry categories", f"R per frame, of {counts['wanted']} that are labelled",
                 rows.over_halves(judged, lambda part: share("wanted", part)), target=0.85, failures=told["wanted"]),
        rows.Row("sentry.categories.noise", "sentry categories", "P without frames that Sentry calls other noise",
                 rows.over_halves(ours_alone, lambda part: share("found", part))),
    ]


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
    sizes = collections.Counter(event.group for event in events)

    def several(part) -> int:
        return len({event.group for event in part if sizes[event.group] > 1})

    targets = rows.over_halves(events, several)
    told = [f"{e.file}: {titles.get(e.cluster, 'refused')} ({e.cluster})" for e in events if sizes[e.group] > 1]
    told += [f"joined: {a.file} = {b.file}: {titles[a.cluster]}" for a, b in itertools.combinations(events, 2)
             if a.group != b.group and a.cluster == b.cluster]
    return [
        rows.Row("sentry.groups", SET, f"groups in one cluster (of {targets['whole']} here, 6 with the held-out part)",
                 rows.over_halves(events, whole_groups), baseline="3 of 4", target=targets, slack=0, failures=told),
        rows.Row("sentry.joins", SET, "joins between different groups", rows.over_halves(events, joins), target=0, lower=True, slack=0),
        *categories(program, corpus),
    ]
