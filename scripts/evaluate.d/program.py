"""Runs symclust as a user would, and reads what it says of each stack."""
import dataclasses
import hashlib
import json
import pathlib
import subprocess
import tempfile


class ProgramFailed(Exception):
    """symclust ended with a code that no input of ours should give."""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where one diagnostic ended up."""
    signature: str
    cluster: str
    provisional: bool


@dataclasses.dataclass
class Run:
    """One run of `symclust cluster`: the places of diagnostics by (digest of the payload, ordinal), and the raw output."""
    places: dict[tuple[str, int], Place]
    report: dict
    output: bytes       # the report and the assignments, for comparison byte by byte

    def place(self, line: bytes, diagnostic: int = 0) -> Place | None:
        """The place of a diagnostic of the payload `line`; None when it was refused."""
        return self.places.get((digest(line), diagnostic))

    def cluster(self, identifier: str) -> dict:
        """What the report says of a cluster."""
        return next(c for c in self.report["clusters"] if c["id"] == identifier)


def digest(line: bytes) -> str:
    """How symclust knows a payload: the digest of its bytes, of a line without its end."""
    return hashlib.sha256(line).hexdigest()


class Program:
    """A symclust, and a folder for the stores that it makes."""

    def __init__(self, path: str, folder: pathlib.Path):
        self.path, self.folder = path, folder

    def new_store(self) -> pathlib.Path:
        return pathlib.Path(tempfile.mkdtemp(prefix="store-", dir=self.folder)) / "store"

    def run(self, *arguments: str, allowed=(0, 3)) -> bytes:
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True)
        if done.returncode not in allowed:
            told = done.stderr.decode(errors="replace").strip().splitlines()
            raise ProgramFailed(f"symclust {arguments[0]} ended with {done.returncode}: {' / '.join(told[:3])}")
        return done.stdout

    def cluster(self, lines: list[bytes], store=None, jobs: int | None = None) -> Run:
        """Groups payloads, one a line, in a fresh store unless `store` names one."""
        work = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.folder))
        (work / "stacks.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        return self.cluster_paths([work / "stacks.jsonl"], store=store, jobs=jobs)

    def cluster_paths(self, paths, store=None, jobs: int | None = None) -> Run:
        """Groups the payloads in files and folders."""
        work = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.folder))
        assignments = work / "assignments.jsonl"
        output = self.run("cluster", *paths, "--store", store or self.new_store(), "--assignments", assignments, "--json",
                          *(["--jobs", jobs] if jobs else []))
        told = assignments.read_bytes()
        rows = [json.loads(row) for row in told.splitlines()]
        places = {(r["payload"], r["diagnostic"]): Place(r["signature"], r["cluster"], r["provisional"]) for r in rows}
        return Run(places, json.loads(output), output + told)

    def explain(self, line: bytes) -> bytes:
        """What it says of a payload that no store knows, as one line for each of its diagnostics."""
        work = pathlib.Path(tempfile.mkdtemp(prefix="explain-", dir=self.folder))
        (work / "stack.jsonl").write_bytes(line + b"\n")
        return self.run("signatures", "explain", work / "stack.jsonl", "--json", "--store", work / "store")
