"""The kinds of symbol files that are made on the spot: a name, and what makes it in a Workshop (generate.py).

Each stands for something that changes debug information: a compiler, a DWARF version, a level of optimisation, a
linker's way to drop or fold code, a tool that strips, packs or splits.
"""
import shutil

KINDS = {}

ELF_TARGET = "--target=x86_64-linux-gnu"
MAC = "macosx12"


def kind(name):
    """Adds a recipe under `name`."""
    def add(recipe):
        KINDS[name] = recipe
        return recipe
    return add


# ---------------------------------------------------------------- ELF, one shared object for each set of flags

def shared_object(compiler, flags, link=(), linker="ld.lld", sources=None):
    def recipe(shop):
        target = [ELF_TARGET] if compiler == "clang" and not any(f.startswith("--target") for f in flags) else []
        chosen = shop.own_sources(*sources) if sources else shop.own_sources() + shop.app_sources()
        objects = shop.compile(compiler, chosen, *target, "-fPIC", "-DBUILD_120", *flags)
        shop.link_elf("lib.so", objects, *link, linker=linker)
    return recipe


for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
    for version in (4, 5):
        KINDS[f"elf-clang{level}-dwarf{version}"] = shared_object("clang", [level, "-g", f"-gdwarf-{version}"])
for version in (2, 3, 4, 5):
    for level in ("-O0", "-O2", "-O3"):
        KINDS[f"elf-gcc{level}-dwarf{version}"] = shared_object("gcc", [level, "-g", f"-gdwarf-{version}"])
    KINDS[f"elf-gcc-O2-strict-dwarf{version}"] = shared_object("gcc", ["-O2", "-g", f"-gdwarf-{version}", "-gstrict-dwarf"])

CLANG_FLAGS = {
    "Oz": ["-Oz", "-g"],
    "dwarf2": ["-O2", "-g", "-gdwarf-2"],
    "dwarf3": ["-O2", "-g", "-gdwarf-3"],
    "dwarf64": ["-O2", "-g", "-gdwarf64"],
    "g1": ["-O2", "-g1"],
    "lines-only": ["-O2", "-gline-tables-only"],
    "lines-only-O0": ["-O0", "-gline-tables-only"],
    "no-columns": ["-O2", "-g", "-gno-column-info"],
    "type-units": ["-O2", "-g", "-gdwarf-4", "-fdebug-types-section"],
    "simple-names": ["-O2", "-g", "-gsimple-template-names"],
    "profiling": ["-O2", "-g", "-fdebug-info-for-profiling"],
    "unique-names": ["-O2", "-g", "-funique-internal-linkage-names"],
    "blocks": ["-O2", "-g", "-fbasic-block-sections=all"],
    "hot-cold": ["-O2", "-g", "-mllvm", "-hot-cold-split=true", "-mllvm", "-hotcoldsplit-threshold=0"],
    "checked": ["-O1", "-g", "-fsanitize=undefined", "-fsanitize-trap=all"],
    "aranges": ["-O2", "-g", "-gdwarf-4", "-gdwarf-aranges"],
    "here": ["-O2", "-g", "-fdebug-compilation-dir=."],
    "no-inline": ["-O2", "-g", "-fno-inline"],
}
GCC_FLAGS = {
    "g1": ["-O2", "-g1"],
    "own-lines": ["-O2", "-g", "-gno-as-loc-support"],
    "no-views": ["-O2", "-g", "-gno-variable-location-views", "-gno-inline-points"],
    "no-columns": ["-O2", "-g", "-gno-column-info"],
    "type-units": ["-O2", "-g", "-fdebug-types-section"],
    "cold": ["-O3", "-g", "-freorder-blocks-and-partition"],
    "Os": ["-Os", "-g"],
    "Og": ["-Og", "-g3"],
    "dwarf64": ["-O2", "-g", "-gdwarf64"],
}
for name, flags in CLANG_FLAGS.items():
    KINDS["elf-clang-" + name] = shared_object("clang", flags)
for name, flags in GCC_FLAGS.items():
    KINDS["elf-gcc-" + name] = shared_object("gcc", flags)
for arch in ("aarch64-linux-gnu", "armv7-linux-gnueabihf", "i686-linux-gnu", "riscv64-linux-gnu", "s390x-linux-gnu"):
    KINDS["elf-" + arch.split("-")[0]] = shared_object("clang", ["--target=" + arch, "-O2", "-g"], sources=["names.cpp"])


# ---------------------------------------------------------------- ELF, what linkers drop, fold and place

SECTIONS = ["-O2", "-g", "-ffunction-sections", "-fvisibility=hidden"]
KEEP = ["--gc-sections", "-u", "names_entry", "--init=names_entry"]
for linker in ("ld.lld", "ld.bfd", "ld.gold"):
    for compiler, version in (("clang", 5), ("clang", 4), ("gcc", 5)):
        KINDS[f"elf-{compiler}-dropped-{linker[3:]}-dwarf{version}"] = shared_object(
            compiler, [*SECTIONS, f"-gdwarf-{version}"], KEEP, linker)
KINDS["elf-clang-folded"] = shared_object("clang", [*SECTIONS, "-fvisibility=default"], ["--icf=all"])
KINDS["elf-clang-lto"] = shared_object("clang", ["-O2", "-g", "-flto"])
KINDS["elf-clang-base"] = shared_object("clang", ["-O2", "-g"], ["--image-base=0x40000000"])
KINDS["elf-clang-library"] = shared_object("clang", ["-O2", "-g"], sources=["library.cpp"])
KINDS["elf-gcc-library"] = shared_object("gcc", ["-O2", "-g"], sources=["library.cpp"])
KINDS["elf-gcc-library-O0"] = shared_object("gcc", ["-O0", "-g", "-gdwarf-4"], sources=["library.cpp"])
KINDS["elf-clang-by-hand"] = shared_object("clang", ["-g"], sources=["rows.s"])
KINDS["elf-gcc-by-hand"] = shared_object("gcc", ["-g"], sources=["rows.s", "flow.c"])


@kind("elf-gcc-lto")
def gcc_lto(shop):
    objects = shop.compile("gcc", shop.own_sources() + shop.app_sources(), "-O2", "-g", "-fPIC", "-flto")
    shop.run("g++", "-O2", "-g", "-fPIC", "-flto", "-shared", "-nostdlib", "-flto-partition=none", "-o", shop.out / "lib.so",
             *objects)


@kind("elf-programs")
def programs(shop):
    objects = shop.compile("clang", shop.own_sources(), ELF_TARGET, "-O2", "-g", "-fPIE")
    shop.link_elf("fixed", objects, shared=False)
    shop.link_elf("moved", objects, "-pie", "--emit-relocs", shared=False)
    shop.link_elf("by-bfd", objects, linker="ld.bfd", shared=False)


@kind("elf-objects")
def objects(shop):
    # Only those with one section of code: where several begin at 0 an address does not say which is meant.
    for compiler, version in (("clang", 5), ("clang", 4), ("gcc", 5)):
        for made in shop.compile(compiler, shop.app_sources()[1:], "-O1", "-g", f"-gdwarf-{version}"):
            shutil.move(made, shop.out / f"{compiler}{version}-{made.name}")


# ---------------------------------------------------------------- ELF, what other tools make of a file

@kind("elf-stripped")
def stripped(shop):
    objects = shop.compile("clang", shop.own_sources() + shop.app_sources(), ELF_TARGET, "-O2", "-g", "-fPIC")
    full = shop.link_elf("full.so", objects)
    shop.run("llvm-strip", "-S", "-o", shop.out / "symbols.so", full)
    shop.run("llvm-strip", "--strip-all", "-o", shop.out / "exports.so", full)
    shop.run("llvm-objcopy", "--only-keep-debug", full, shop.out / "only.debug")


@kind("elf-compressed")
def compressed(shop):
    objects = shop.compile("clang", shop.own_sources(), ELF_TARGET, "-O2", "-g", "-gdwarf-4", "-fPIC")
    full = shop.link_elf("full.so", objects)
    for how in ("zlib", "zstd"):
        shop.run("llvm-objcopy", "--compress-debug-sections=" + how, full, shop.out / (how + ".so"))
    shop.run("objcopy", "--compress-debug-sections=zlib-gnu", full, shop.out / "zlib-gnu.so")


@kind("elf-dwz")
def dwz(shop):
    shop.program("dwz")
    objects = shop.compile("gcc", shop.own_sources() + shop.app_sources(), "-O2", "-g", "-gdwarf-4", "-fPIC")
    one, two = shop.link_elf("one.so", objects), shop.link_elf("two.so", objects[:2])
    shop.run("dwz", "-o", shop.out / "alone.so", one)
    shop.run("dwz", "-m", "common.debug", "-M", "common.debug", one.name, two.name, cwd=shop.out)


def split(version):
    def recipe(shop):
        # The names of the split files are relative, and both tools look beside the image.
        for name in ("names.cpp", "flow.c"):
            program, flags = ("clang++", ["-std=c++17"]) if name.endswith("cpp") else ("clang", [])
            shop.run(program, "-w", ELF_TARGET, *flags, "-O2", "-g", f"-gdwarf-{version}", "-gsplit-dwarf", "-fPIC",
                     *shop.no_paths(), "-fdebug-compilation-dir=.", "-c", shop.own / name, "-o", name + ".o", cwd=shop.out)
        objects = [shop.out / "names.cpp.o", shop.out / "flow.c.o"]
        shop.link_elf("lib.so", objects)
        shop.run("llvm-dwp", "names.cpp.dwo", "flow.c.dwo", "-o", "lib.so.dwp", cwd=shop.out)
        for name in ("names.cpp", "flow.c"):
            (shop.out / (name + ".o")).unlink()
            (shop.out / (name + ".dwo")).unlink()
    return recipe


KINDS["elf-split-dwarf4"], KINDS["elf-split-dwarf5"] = split(4), split(5)


@kind("elf-rust")
def rust(shop):
    shop.run("rustc", "-g", "-O", "--edition", "2021", "--crate-type", "cdylib", f"--remap-path-prefix={shop.own}=/own",
             shop.own / "lib.rs", "-o", shop.out / "lib.so")


# ---------------------------------------------------------------- Mach-O

def mac_objects(shop, arch, *flags):
    sources = shop.own_sources("names.cpp", "flow.c", "objects.m") + shop.app_sources()
    return shop.compile("clang", sources, f"--target={arch}-apple-{MAC}", "-DBUILD_112", *flags)


def image(arch, flags, link=(), dsymutil=(), executable=False):
    def recipe(shop):
        made = shop.link_macho(arch, "image", mac_objects(shop, arch, *flags), *link, executable=executable)
        shop.dsym(made, *dsymutil)
    return recipe


for arch in ("arm64", "x86_64"):
    for level in ("-O0", "-O2", "-Os"):
        for version in (4, 5):
            KINDS[f"mac-{arch}{level}-dwarf{version}"] = image(arch, [level, "-g", f"-gdwarf-{version}"])
    KINDS[f"mac-{arch}-program"] = image(arch, ["-O2", "-g"], executable=True)
    KINDS[f"mac-{arch}-lines-only"] = image(arch, ["-O2", "-gline-tables-only"])
    KINDS[f"mac-{arch}-folded"] = image(arch, ["-O2", "-g"], ["--icf=all"])
KINDS["mac-arm64-dwarf2"] = image("arm64", ["-O2", "-g", "-gdwarf-2"])
KINDS["mac-arm64-g1"] = image("arm64", ["-O2", "-g1"])
KINDS["mac-arm64-dropped"] = image("arm64", ["-O2", "-g", "-fvisibility=hidden"],
                                   ["-dead_strip", "-exported_symbol", "_names_entry"])
KINDS["mac-arm64-outlined"] = image("arm64", ["-Oz", "-g", "-mllvm", "-enable-machine-outliner=always"], ["--icf=all"])
KINDS["mac-arm64-hot-cold"] = image("arm64", CLANG_FLAGS["hot-cold"])
KINDS["mac-arm64-parallel"] = image("arm64", ["-O2", "-g"], dsymutil=["--linker=parallel"])
KINDS["mac-arm64-no-odr"] = image("arm64", ["-O2", "-g"], dsymutil=["--no-odr", "--accelerator=Pub"])


@kind("mac-arm64-lto")
def mac_lto(shop):
    objects = mac_objects(shop, "arm64", "-O2", "-g", "-flto")
    shop.dsym(shop.link_macho("arm64", "image", objects, "-object_path_lto", shop.work / "lto.o"))


@kind("mac-objects")
def mac_object_files(shop):
    for made in mac_objects(shop, "arm64", "-O1", "-g"):
        shutil.move(made, shop.out / made.name)


@kind("mac-stripped")
def mac_stripped(shop):
    full = shop.link_macho("arm64", "full", mac_objects(shop, "arm64", "-O2"))
    shop.run("llvm-strip", "-x", "-o", shop.out / "globals", full)
    shop.run("llvm-strip", "--strip-all", "-o", shop.out / "exports", full)


@kind("mac-fat")
def mac_fat(shop):
    dsyms = []
    for arch in ("arm64", "x86_64"):
        (shop.work / arch).mkdir()
        made = shop.link_macho(arch, arch, mac_objects(shop, arch, "-O2", "-g", "-gdwarf-4"))
        dsyms.append(shop.work / arch / "dwarf")
        shop.run("dsymutil", "--flat", made, "-o", dsyms[-1])
        made.unlink()
    shop.run("llvm-lipo", "-create", *dsyms, "-output", shop.out / "fat.dwarf")


# ---------------------------------------------------------------- Swift

def swift_image(module, level):
    def recipe(shop):
        made = [shop.swift("arm64-apple-ios18.0", module, level, "-D", "BUILD_112")]
        if module == "Lumen":
            made += shop.compile("clang", shop.app_sources()[:3], "--target=arm64-apple-ios15.0", "-O2", "-g")
        shop.dsym(shop.link_macho("arm64", module, made, platform=("ios", "15.0", "18.0")))
    return recipe


for level in ("-Onone", "-O", "-Osize"):
    KINDS["swift-app" + level] = swift_image("Lumen", level)
    KINDS["swift-kit" + level] = swift_image("LumenKit", level)


@kind("swift-elf")
def swift_elf(shop):
    made = shop.swift("x86_64-unknown-linux-gnu", "LumenKit", "-O", "-Xcc", "-fPIC")
    shop.link_elf("kit.so", [made], "-z", "notext")
