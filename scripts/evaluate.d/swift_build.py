"""Builds the programs of the Swift matrix, runs them, and reads where they died: real return addresses of real code."""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import swift_faults

HERE = pathlib.Path(__file__).resolve().parent
APP = "Harbor"
OPTIMISATION = {"Onone": ["-Onone"], "O": ["-O"], "Osize": ["-Osize"], "O-wmo": ["-O", "-wmo"], "Osize-wmo": ["-Osize", "-wmo"]}


@dataclasses.dataclass(frozen=True)
class Build:
    """One build: how it was optimised, what was changed in its sources, what was stripped of it."""
    number: int
    variant: str
    optimisation: str

    @property
    def name(self) -> str:
        return f"{self.variant} {self.optimisation}"

    @property
    def changes(self) -> frozenset:
        if self.variant == "all":
            return frozenset(("closure", "label", "generic", "extension", "never"))
        return frozenset(()) if self.variant in ("base", "symtab", "stripped") else frozenset((self.variant,))

    @property
    def identifier(self) -> str:
        return hashlib.sha256(b"harbor\0" + self.name.encode()).hexdigest()[:32]


FULL = """base Onone, base O, base Osize, base O-wmo, base Osize-wmo, closure Onone, closure O, closure Osize-wmo, label Onone, label O,
generic O, generic O-wmo, extension Onone, extension O-wmo, always Onone, always O, always Osize, never O, never Osize, all Onone,
all O-wmo, symtab O, stripped O"""
QUICK = "base Onone, base O-wmo, closure Osize, label O"


def builds(quick: bool) -> list[Build]:
    return [Build(number, *text.split()) for number, text in enumerate((QUICK if quick else FULL).split(","), 101)]


@dataclasses.dataclass(frozen=True)
class Death:
    """How one fault ended in one build: the signal, and (module, offset) of each frame, innermost first."""
    fault: str
    build: Build
    signal: int
    frames: tuple


class CannotBuild(OSError):
    """A compiler is missing or refused."""


def run(arguments, folder) -> str:
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise CannotBuild(f"{arguments[0]} failed in {folder}: {(done.stderr + done.stdout)[:600]}")
    return done.stdout


def swiftc() -> str | None:
    return os.environ.get("SWIFTC") or shutil.which("swiftc")


def clang() -> str | None:
    return next(filter(shutil.which, ("clang-19", "clang", "cc")), None)


def make(build: Build, faults, folder: pathlib.Path) -> tuple[pathlib.Path, list[Death]]:
    """The program of one build with its symbols (as they are uploaded), and its deaths. What is there already is used again."""
    here = folder / build.name.replace(" ", "-")
    chains = here / "chains.txt"
    program = here / APP
    if not chains.is_file():
        here.mkdir(parents=True, exist_ok=True)
        files = swift_faults.sources(faults, build.changes, recursion=10 + build.number % 30)
        for name, text in files.items():
            (here / name).write_text(text)
        # The program is named after the app on every device, whatever the build.
        run([swiftc(), "-swift-version", "5", "-g", *OPTIMISATION[build.optimisation], "-module-name", APP, "-import-objc-header",
             HERE / "swift/pier.h", *sorted(files), "-L", folder, "-lpier", "-Xlinker", "-rpath", "-Xlinker", folder,
             "-Xlinker", f"--build-id=0x{build.identifier}", "-o", APP], here)
        text = run([program], here)
        if build.variant == "symtab":
            run(["strip", "--strip-debug", APP], here)
        elif build.variant == "stripped":
            run(["strip", "--strip-all", APP], here)
        chains.write_text(text)
    deaths = []
    for line in chains.read_text().splitlines():
        fault, signal, *frames = line.split("\t")
        places = tuple((module, int(offset, 16)) for module, offset in (frame.rsplit(" ", 1) for frame in frames))
        deaths.append(Death(fault, build, int(signal), places))
    return program, deaths


def make_all(wanted: list[Build], faults, folder: pathlib.Path):
    """All builds, each with its program and deaths, in order."""
    if not swiftc() or not clang():
        raise CannotBuild("needed and not found: swiftc, and clang or cc")
    folder.mkdir(parents=True, exist_ok=True)
    run([clang(), "-O1", "-g", "-fPIC", "-shared", "-fno-omit-frame-pointer", HERE / "swift/pier.c", "-o", "libpier.so"], folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(zip(wanted, pool.map(lambda build: make(build, faults, folder), wanted)))
