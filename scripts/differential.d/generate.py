"""Compiles and links the symbol files of kinds.py from the sample app's sources and those in sources/."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import asking
import kinds

LLVM_PROGRAMS = {"clang": "clang-19", "clang++": "clang-19", "ld.lld": "lld-19", "ld64.lld": "lld-19"}
PACKAGES = {"gcc": "gcc", "g++": "g++", "ld.bfd": "binutils", "ld.gold": "binutils", "objcopy": "binutils", "dwz": "dwz",
            "rustc": "rustc", "swiftc": "no package: swift.org"}


class CannotMake(Exception):
    """A kind of file cannot be made here; the text says why."""


class Workshop:
    """Runs the compilers for one kind of file; `out` is where its files go, `work` where its objects go."""

    def __init__(self, top, out, work):
        self.out, self.work = out, work
        self.app = top / "fixtures" / "app"
        self.own = pathlib.Path(__file__).resolve().parent / "sources"

    def program(self, name):
        """The path of a program, with LLVM's version behind its name where it has one."""
        if name == "swiftc":
            found = shutil.which(os.environ.get("SWIFTC", "swiftc"))
        else:
            is_llvm = name in LLVM_PROGRAMS or name.startswith(("llvm-", "dsymutil"))
            found = shutil.which(asking.llvm_program(name) if is_llvm else name)
        if not found:
            package = LLVM_PROGRAMS.get(name) or PACKAGES.get(name, "llvm-19")
            raise CannotMake(f"{name} is missing ({package})")
        return found

    def run(self, name, *arguments, cwd=None):
        done = subprocess.run([self.program(name), *map(str, arguments)], cwd=cwd or self.work, capture_output=True,
                              text=True, errors="replace", env={**os.environ, "LC_ALL": "C", "ZERO_AR_DATE": "1"})
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["?"]
            raise CannotMake(f"{name}: {lines[0].strip()}")

    def no_paths(self):
        """The flags that keep the machine's folders out of debug information: the same file everywhere is the same."""
        return [f"-ffile-prefix-map={folder}={name}" for folder, name in
                ((self.app, "/app"), (self.own, "/own"), (self.work, "/work"))]

    def compile(self, compiler, sources, *flags):
        """The objects of C, C++ and Objective-C sources: compiler is "gcc" or "clang"."""
        made = []
        for number, source in enumerate(sources):
            program, extra = compiler, ["-w"]
            if source.suffix == ".cpp":
                program, extra = {"gcc": "g++", "clang": "clang++"}[compiler], ["-w", "-std=c++17"]
            elif source.suffix == ".m":
                extra += ["-fblocks", "-fobjc-runtime=macosx"]
            if compiler == "gcc":
                extra.append("-D_Nullable=")
            target = self.work / f"{number}-{source.stem}.o"
            # A language flag would be refused for the others.
            usable = [f for f in flags if source.suffix == ".cpp" or not f.startswith("-std=c++")]
            self.run(program, *extra, *self.no_paths(), *usable, "-c", source, "-o", target)
            made.append(target)
        return made

    def app_sources(self):
        return [self.app / "Engine/engine.cpp", self.app / "Vault/vault.c", self.app / "Vault/callbacks.c",
                self.app / "LumenKit/words.c"]

    def own_sources(self, *names):
        return [self.own / name for name in names or ("names.cpp", "flow.c")]

    def swift(self, target, module, *flags):
        """The object of one Swift module of the sample app."""
        bridge = f"{module}/{module}-Bridging.h"
        sources = [str(p.relative_to(self.app)) for p in sorted((self.app / module).glob("*.swift"))]
        made = self.work / f"{module}.o"
        self.run("swiftc", "-target", target, "-enable-experimental-feature", "Embedded", "-wmo", "-g", "-parse-as-library",
                 "-module-name", module, "-disable-bridging-pch", "-import-objc-header", bridge, "-Xfrontend",
                 "-no-clang-module-breadcrumbs", "-module-cache-path", self.work / "modules", "-debug-prefix-map",
                 f"{self.app}=/app", "-file-compilation-dir", "/app", *flags, "-c", *sources,
                 "-o", made, cwd=self.app)
        return made

    # Nothing made here is ever run, so that undefined symbols may stay undefined.

    def link_elf(self, name, objects, *flags, linker="ld.lld", shared=True):
        """An ELF image in `out`, by lld, bfd or gold."""
        target = self.out / name
        kind = ["-shared"] if shared else ["--unresolved-symbols=ignore-all", "-e", "names_entry"]
        self.run(linker, *kind, "--build-id=sha1", *flags, "-o", target, *objects)
        return target

    def link_macho(self, arch, name, objects, *flags, platform=("macos", "12.0", "12.0"), executable=False):
        target = self.out / name
        kind = ["-e", "_names_entry"] if executable else ["-dylib", "-install_name", "@rpath/" + name]
        self.run("ld64.lld", "-arch", arch, "-platform_version", *platform, "-undefined", "dynamic_lookup", *kind, *flags,
                 "-o", target, *objects)
        return target

    def dsym(self, image, *flags):
        """The image's dSYM beside it; the image itself keeps no way to its objects."""
        bundle = image.with_name(image.name + ".dSYM")
        self.run("dsymutil", *flags, image, "-o", bundle)
        shutil.rmtree(bundle / "Contents/Resources/Relocations", ignore_errors=True)
        self.run("llvm-strip", "-S", image)
        return bundle / "Contents/Resources/DWARF" / image.name


def make(top, made, scratch, name, recipe):
    """Makes one kind; returns why it could not be made, or None."""
    out, work = made / name, scratch / "work" / name
    for folder in (out, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    try:
        recipe(Workshop(top, out, work))
        return None
    except CannotMake as reason:
        shutil.rmtree(out)
        return f"generated/{name}: {reason}"
    finally:
        shutil.rmtree(work, ignore_errors=True)


def everything(top, made, scratch, workers, only):
    """Makes all kinds whose files `only` may mean; returns what was skipped, with the reason."""
    chosen = [(name, recipe) for name, recipe in kinds.KINDS.items()
              if only in "generated/" + name or "generated/" + name in only]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(make, top, made, scratch, name, recipe) for name, recipe in chosen]
        return [reason for reason in (one.result() for one in waiting) if reason]
