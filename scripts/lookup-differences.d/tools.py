"""LLVM's tools, asked once for each question."""
import atexit
import functools
import re
import shutil
import subprocess
import tempfile

NEEDED = ("llvm-readelf-19", "llvm-objdump-19", "llvm-dwarfdump-19", "llvm-dwp-19")


def missing():
    return [tool for tool in NEEDED if not shutil.which(tool)]


@functools.lru_cache(maxsize=None)
def ask(*command):
    """What a tool prints. Its exit code says little: most complain about something in old files and go on."""
    run = subprocess.run(command, capture_output=True)
    return run.stdout.decode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=None)
def scratch():
    """A folder for copies, gone when the script ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def plain(name):
    """A name without the marks that differ between formats: the leading underscores, the versions of ELF."""
    return re.sub(r"@@?[A-Z][\w.]*$", "", name or "").lstrip("_")
