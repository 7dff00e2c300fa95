"""Socorro: the normal form of C++ and Rust names under a production system."""
import dataclasses
import json

import metrics
import rows
import stacks

SET = "socorro"
FILE = "socorro-signature/normalisation-vectors.jsonl"
WHOLE = ("test_normalize_cpp_function", "test_normalize_rust_function")
HELPERS = ("test_collapse_arguments", "test_drop_prefix_and_return_type", "test_collapse_types")
# Expectations that are not ours, each with the reason: they count neither for nor against.
ARGUED = {
    "fnNeedNumber:23": "a line never enters a token",
    "ShutdownWorkThreads::$::__invoke": "a lambda of clang: `lambda in ShutdownWorkThreads`, as gcc's and LLVM's spellings of it",
    "<rayon_core::job::HeapJob<BODY> as rayon_core::job::Job>::execute":
        "type arguments of Rust fall inside `<T as Trait>`, too: mangled names of two instances are one function",
    "core::ptr::drop_in_place<T>": "a rule looks through Rust's core library: such a frame is in no signature",
    "<T>Foo": "no name of a function",
    "Foo<T>": "brackets that nothing closes: a name that was cut stays as it is",
}


@dataclasses.dataclass
class Case:
    test: str
    half: str
    function: str
    expected: str
    ours: str | None

    @property
    def agrees(self) -> bool:
        return self.ours is not None and same_spelling(self.ours) == same_spelling(self.expected)


def same_spelling(name: str) -> str:
    """Template arguments are `<T>` there and `<>` here: the same statement."""
    return name.replace("<T>", "<>").replace("`anonymous namespace'", "(anonymous namespace)")


def tokens(program, names: list[str]) -> dict[str, str]:
    """How symclust writes each name when it is the only frame of a stack; names that a rule leaves out are missing."""
    lines = {name: stacks.line(name, [stacks.frame(name)], app="app", signal=11) for name in names}
    run = program.cluster(list(lines.values()))
    kept = {cluster["id"]: cluster["tokens"] for cluster in run.report["clusters"]}
    found = {name: kept[place.cluster] for name, line in lines.items() if (place := run.place(line))}
    return {name: made[0].removeprefix("app!") for name, made in found.items() if made}


def measure(program, corpus, options) -> list[rows.Row]:
    with open(corpus / FILE, encoding="utf-8") as file:
        vectors = [v for v in map(json.loads, file) if v["test"] in WHOLE + HELPERS and v.get("function")]
    known = tokens(program, sorted({v["function"] for v in vectors} | {v["expected"] for v in vectors if v["test"] in HELPERS}))
    cases, argued = [], sum(v["expected"] in ARGUED for v in vectors)
    for v in vectors:
        # A helper does a part of the work: both spellings must lead to one token.
        expected = v["expected"] if v["test"] in WHOLE else known.get(v["expected"])
        if expected and v["expected"] not in ARGUED:
            cases.append(Case(v["test"], rows.half(v["function"]), v["function"], expected, known.get(v["function"])))
    wrong = [f"{c.test}: {c.function} → {c.ours}, there {c.expected}" for c in cases if not c.agrees]

    def row(key, what, tests, target):
        chosen = [c for c in cases if c.test in tests]
        return rows.Row(key, SET, f"{what} ({len(chosen)})", rows.over_halves(chosen, lambda part: metrics.share(c.agrees for c in part)),
                        target=target, failures=[text for text in wrong if text.startswith(tests)])
    whole = row("socorro.whole", "normal form of C++ and Rust names", WHOLE, 0.95)
    whole.note = f"{argued} expectations are not ours, for reasons that socorro.py lists"
    return [whole, row("socorro.helpers", "two spellings, one token", HELPERS, None)]
