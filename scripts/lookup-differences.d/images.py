"""The facts of one object file that the rules rest on: sections, symbols, function starts, stubs.

Everything here is what LLVM's tools print of the file; nothing of symclust is used.
"""
import dataclasses
import functools
import json
import lzma
import os
import re
import struct
import tempfile

from dwarf import Dwarf
from tools import ask, plain, scratch


MAPPING = re.compile(r"\$[adtx](\.|$)")     # ARM: what follows is instructions, or data


@dataclasses.dataclass(frozen=True)
class Section:
    name: str
    start: int
    end: int
    code: bool
    stub: int = 0          # bytes of one stub, in sections of stubs


@dataclasses.dataclass(frozen=True)
class Symbol:
    name: str
    value: int
    size: int              # 0 where the format has none
    kind: str              # Function, None, Object, File, Section (ELF); nlist, export (Mach-O)
    local: bool
    section: Section
    source: str            # where it stands, for the evidence

    def covers(self, address):
        return self.value <= address < self.value + self.size


class Image:
    """One slice of a file. Addresses are the file's own; `base` is what offsets are counted from."""

    base = 0
    starts = ()            # LC_FUNCTION_STARTS
    stubs = {}             # address of a stub: what it leads to
    units = 1              # bytes of a section that one address stands for

    def section(self, address):
        return next((s for s in self.sections if s.start <= address < s.end), None)

    def named(self, name):
        return [s for s in self.symbols if plain(s.name) == plain(name)]

    def is_data(self, address):
        """Whether ARM's mapping symbols say that data lies here, among the instructions."""
        marks = [s for s in self.symbols if MAPPING.match(s.name) and s.section and s.section.start <= s.value <= address < s.section.end]
        return bool(marks) and max(marks, key=lambda s: s.value).name.startswith("$d")

    def nearest(self, name, address):
        """The last symbol of that name at or below the address."""
        below = [s for s in self.named(name) if s.value <= address and s.section]
        return max(below, key=lambda s: s.value, default=None)

    def functions(self):
        """Symbols that name code."""
        return [s for s in self.symbols if s.section and s.section.code and s.kind not in ("Section", "File", "Object")
                and not MAPPING.match(s.name)]

    def covering(self, address):
        """Sized functions of the symbol tables, and functions of the debug information, that hold the address."""
        sized = [s for s in self.functions() if s.kind != "None" and s.covers(address)]
        return sized + self.dwarf.covering(address)

    @functools.cached_property
    def dwarf(self):
        return Dwarf(self.path, self.arch)


# ------------------------------------------------------------------------------------------------ ELF

class ELF(Image):
    EXECINSTR, ALLOC = 4, 2

    def __init__(self, path, label="the symbol table"):
        self.path, self.arch = path, None
        facts = json.loads(ask("llvm-readelf-19", "--elf-output-style=JSON", "--file-header", "--sections", "--symbols",
                               "--dyn-syms", "--program-headers", path))[0]
        machine = facts["ElfHeader"]["Machine"]["Name"]
        # dsPIC counts two addresses for an instruction, which takes four bytes of the section.
        self.units = 2 if machine == "EM_DSPIC30F" else 1
        # Of Thumb code the lowest bit of a symbol is a mark and no part of the address.
        self.mask = ~1 if machine == "EM_ARM" else ~0
        table = [self._section(s["Section"]) for s in facts["Sections"]]
        self.sections = [s for s in table if s]
        loads = [p["ProgramHeader"] for p in facts["ProgramHeaders"]]
        self.base = next((p["VirtualAddress"] for p in loads if p["Type"]["Name"] == "PT_LOAD"), 0)
        self.symbols = [self._symbol(s["Symbol"], table, label) for s in facts["Symbols"]]
        self.symbols += [self._symbol(s["Symbol"], table, "the dynamic symbols") for s in facts.get("DynamicSymbols", [])]
        if machine == "EM_PPC64":
            self.symbols = [self._described(s) for s in self.symbols]

    def _section(self, s):
        if not s["Flags"]["Value"] & self.ALLOC:
            return None
        start, size = s["Address"], s["Size"] // self.units
        return Section(s["Name"]["Name"], start, start + size, bool(s["Flags"]["Value"] & self.EXECINSTR))

    def _symbol(self, s, table, label):
        index, kind = s["Section"]["Value"], s["Type"]["Name"]
        section = table[index] if 0 < index < len(table) else None
        value = s["Value"] & self.mask if kind == "Function" else s["Value"]
        return Symbol(s["Name"]["Name"], value, s["Size"], kind, s["Binding"]["Name"] == "Local", section, label)

    def _described(self, symbol):
        """PowerPC64 symbols name descriptors in `.opd`; the first word of one is the address of the code."""
        if not symbol.section or symbol.section.name != ".opd":
            return symbol
        at = symbol.value - symbol.section.start
        value = int.from_bytes(self._contents(".opd")[at:at + 8], "big")
        return dataclasses.replace(symbol, value=value, section=self.section(value), source="the symbol table, by its descriptor in `.opd`")

    @functools.cached_property
    def companions(self):
        """The files that this one points to, with the way it does, if their code is laid out alike."""
        return [c for c in (self._debuglink(), self._debugdata(), self._buildid()) if c and c._layout() == self._layout()]

    def _layout(self):
        return {(s.name, s.start - self.base) for s in self.sections if s.code}

    def _contents(self, section):
        """The bytes of a section, as the dump shows them."""
        dump = ask("llvm-readelf-19", "-x", section, self.path)
        words = re.findall(r"^0x[0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})", dump, re.M)
        return bytes.fromhex("".join(words).replace(" ", ""))

    def _debuglink(self):
        name = self._contents(".gnu_debuglink").split(b"\0")[0].decode()
        folder = os.path.dirname(self.path)
        for place in (name, os.path.join(".debug", name)):
            path = os.path.join(folder, place)
            if name and os.path.isfile(path) and not os.path.samefile(path, self.path):
                return ELF(path, f"`{place}`, named by `.gnu_debuglink`")
        return None

    def _buildid(self):
        note = re.search(r"Build ID: ([0-9a-f]+)", ask("llvm-readelf-19", "-n", self.path))
        if not note:
            return None
        tail = os.path.join(note[1][:2], note[1][2:] + ".debug")
        for place in ("buildid", ".build-id"):
            path = os.path.join(os.path.dirname(self.path), place, tail)
            if os.path.isfile(path):
                return ELF(path, f"`{place}/{tail}`, named by the build identifier")
        return None

    def _debugdata(self):
        packed = self._contents(".gnu_debugdata")
        if not packed:
            return None
        with tempfile.NamedTemporaryFile() as file:
            file.write(lzma.decompress(packed))
            file.flush()
            return ELF(file.name, "`.gnu_debugdata`")


# --------------------------------------------------------------------------------------------- Mach-O

LC_SYMTAB, LC_DYSYMTAB = 2, 11


class MachO(Image):
    companions = ()

    def __init__(self, path, arch):
        self.path, self.arch = repaired(path), arch
        self.sections, self.base = self._sections(self._dump("--private-headers"))
        self.symbols = [*self._nlist(), *self._exports()]
        self.starts = sorted(int(a, 16) & self._thumb for a in re.findall(r"^([0-9a-f]{8,16})$", self._dump("--function-starts"), re.M))
        self.stubs = {int(a, 16): name for a, name in
                      re.findall(r"^0x([0-9a-f]+) +\d+ (.+)$", self._dump("--indirect-symbols"), re.M)}

    def _dump(self, *options):
        return ask("llvm-objdump-19", "--macho", f"--arch={self.arch}", *options, self.path)

    @property
    def _thumb(self):
        return ~1 if self.arch.startswith("armv7") else ~0

    def _sections(self, text):
        sections, base = [], 0
        segment = re.search(r"segname __TEXT\s+vmaddr (0x[0-9a-f]+)", text)
        if segment:
            base = int(segment[1], 16)
        for part in re.split(r"^Section\n", text, flags=re.M)[1:]:
            field = dict(re.findall(r"^ *(sectname|segname|addr|size|type|attributes|reserved2) (.*)$", part, re.M))
            start, size = int(field["addr"], 16), int(field["size"], 16)
            stub = int(field["reserved2"].split()[0]) if "SYMBOL_STUBS" in field["type"] else 0
            sections.append(Section(field["sectname"], start, start + size, "INSTRUCTIONS" in field["attributes"], stub))
        return sections, base

    def code(self):
        """The words of `__text` by address, as the dump shows them."""
        dump = ask("llvm-objdump-19", "-s", "--section=__text", self.path)
        rows = re.findall(r"^ ([0-9a-f]+) ((?:[0-9a-f]{8} ){1,4})", dump, re.M)
        return {int(start, 16) + 4 * i: word for start, row in rows for i, word in enumerate(row.split())}

    def padded(self, address):
        """Whether nothing but zeros and "no operation" of arm64 lies between an address and the next function start."""
        if not self.arch.startswith("arm64"):
            return False
        address &= ~3
        end = min((s for s in self.starts if s > address), default=self.section(address).end)
        words = self.code()
        return {words.get(a) for a in range(address, end, 4)} <= {"00000000", "1f2003d5"}

    def _nlist(self):
        """Symbols of sections; the debug map's entries and undefined names are none."""
        for line in self._dump("--syms").splitlines():
            match = re.match(r"([0-9a-f]{8,16}) (.{7}) (\S+?),(\S+) (?:\.hidden )?(.*)$", line)
            if match:
                value = int(match[1], 16)
                section = next((s for s in self.sections if s.name == match[4] and s.start <= value <= s.end), None)
                yield Symbol(match[5], value, 0, "nlist", match[2].startswith("l"), section, "the symbol table")

    def _exports(self):
        for value, name in re.findall(r"^0x([0-9A-Fa-f]+)  (\S+)", self._dump("--exports-trie"), re.M):
            address = int(value, 16)
            if "image base" not in name:
                yield Symbol(name, address, 0, "export", False, self.section(address), "the export trie")


def repaired(path):
    """The file itself, or a copy whose LC_DYSYMTAB counts no more symbols than there are; the tools refuse it otherwise."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if data[:4] != b"\xcf\xfa\xed\xfe":
        return path
    at, commands = 32, {}
    for _ in range(int.from_bytes(data[16:20], "little")):
        command, size = struct.unpack_from("<2I", data, at)
        commands[command], at = at, at + size
    if LC_SYMTAB not in commands or LC_DYSYMTAB not in commands:
        return path
    count = struct.unpack_from("<I", data, commands[LC_SYMTAB] + 12)[0]
    first, undefined = struct.unpack_from("<2I", data, commands[LC_DYSYMTAB] + 24)
    if first + undefined <= count:
        return path
    struct.pack_into("<I", data, commands[LC_DYSYMTAB] + 28, count - first)
    copy = os.path.join(scratch(), os.path.basename(path))
    with open(copy, "wb") as file:
        file.write(data)
    return copy


@functools.lru_cache(maxsize=None)
def image(path, arch):
    with open(path, "rb") as file:
        elf = file.read(4) == b"\x7fELF"
    return ELF(path) if elf else MachO(path, arch)
