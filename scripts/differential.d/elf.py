"""Reads the sections and symbols of an ELF file."""
import lzma
import pathlib
import struct

from slices import FIXED_WIDTH, Section, Slice, Symbol, text_at

MACHINES = {3: "i386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv"}
ET_REL, PT_LOAD = 1, 1
SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 2, 8, 11
SHF_EXECINSTR = 4
STT_NOTYPE, STT_FUNC, STT_FILE, STT_GNU_IFUNC = 0, 2, 4, 10


class Header:
    """The file header and the two tables it leads to."""

    def __init__(self, data):
        self.wide, self.order = data[4] == 2, "<" if data[5] == 1 else ">"
        self.kind, self.machine = struct.unpack_from(self.order + "HH", data, 16)
        row = struct.unpack_from(self.order + ("QQQIHHHHHH" if self.wide else "IIIIHHHHHH"), data, 24)
        self.segments = self.table(data, row[1], row[5], row[6], "IIQQQQQQ" if self.wide else "8I")
        self.sections = self.table(data, row[2], row[7], row[8], "IIQQQQIIQQ" if self.wide else "10I")
        names = self.sections[row[9]] if self.sections else None
        self.names = data[names[4]:names[4] + names[5]] if names else b""

    def table(self, data, offset, size, count, layout):
        return [struct.unpack_from(self.order + layout, data, offset + i * size) for i in range(count)]


def read(path, data):
    header = Header(data)
    result = Slice(path, MACHINES.get(header.machine, str(header.machine)), False)
    result.bytes = data
    result.step = FIXED_WIDTH.get(result.arch, 1)
    for row in header.segments:
        if row[0] == PT_LOAD:
            address, align = (row[3] if header.wide else row[2]), row[7]
            result.base = address & ~(align - 1) if align > 1 else address
            break
    code = {}
    for index, (name, kind, flags, address, offset, size, *_) in enumerate(header.sections):
        text = text_at(header.names, name)
        result.old_compression |= text.startswith(".zdebug_")
        if flags & SHF_EXECINSTR and size:
            code[index] = Section(text, address, size, kind != SHT_NOBITS, size)
        if text == ".gnu_debugdata":
            result.mini_symbols = mini_symbols(data[offset:offset + size])
        elif text == ".gnu_debugaltlink":
            common = pathlib.Path(path).parent / text_at(data, offset)
            result.common = common.read_bytes() if common.is_file() else b""
    result.sections = list(code.values())
    result.is_object = header.kind == ET_REL
    result.same_start = result.is_object and len(code) > 1
    for _, kind, _, _, offset, size, link, _, _, entry in header.sections:
        if kind in (SHT_SYMTAB, SHT_DYNSYM) and entry and offset + size <= len(data):
            strings = data[header.sections[link][4]:header.sections[link][4] + header.sections[link][5]]
            read_symbols(result, data[offset:offset + size], strings, header, code)
    return result.finish()


def read_symbols(result, table, strings, header, code):
    for row in struct.iter_unpack(header.order + ("IBBHQQ" if header.wide else "IIIBBH"), table):
        if header.wide:
            name, info, _, section, value, size = row
        else:
            name, value, size, info, _, section = row
        text, kind = text_at(strings, name), info & 15
        if kind == STT_FILE:
            result.file_symbols.add(text)
        elif text and section in code and kind in (STT_NOTYPE, STT_FUNC, STT_GNU_IFUNC):
            # On 32-bit ARM the lowest bit says Thumb and is no part of the place.
            value &= ~1 if result.arch == "arm" else ~0
            result.symbols.append(Symbol(text, value, size, info >> 4 == 0, kind == STT_NOTYPE))
        elif text:
            result.data_names.add(text)


def mini_symbols(packed):
    """The symbols of a second ELF file, packed with xz, that distributions put into stripped files."""
    try:
        return read("", lzma.decompress(packed)).symbols
    except (lzma.LZMAError, struct.error, IndexError):
        return []
