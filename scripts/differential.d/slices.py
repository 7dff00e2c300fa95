"""What the script knows of one slice of a symbol file: its code, its symbols and where functions begin.

It is filled by readers of our own (elf.py, macho.py): a proof that used the tool under test, or the tool that it is
held against, would prove nothing.
"""
import bisect
import struct


class Section:
    """One section that holds instructions; `readable_end` is where the file itself ends, at the latest."""
    __slots__ = ("name", "start", "end", "has_bytes", "readable_end")

    def __init__(self, name, start, size, has_bytes, in_file):
        self.name, self.start, self.end, self.has_bytes = name, start, start + size, has_bytes
        self.readable_end = start + min(size, in_file)


class Symbol:
    """One symbol; size 0 says that the table states none."""
    __slots__ = ("name", "address", "size", "is_local", "is_untyped")

    def __init__(self, name, address, size, is_local, is_untyped=False):
        self.name, self.address, self.size = name, address, size
        self.is_local, self.is_untyped = is_local, is_untyped


class Slice:
    """One architecture of one file."""

    def __init__(self, path, arch, is_macho):
        self.path, self.arch, self.is_macho = path, arch, is_macho
        self.bytes = b""
        self.peer_path = path        # the file that LLVM's programs are asked about
        self.base = 0                # what offsets count from
        self.step = 1                # how wide an instruction is, 1 where that differs
        self.sections = []
        self.symbols = []            # those that may name code
        self.is_object = False       # not linked: every section begins at 0
        self.data_names = set()      # the names of symbols that are no code
        self.file_symbols = set()    # the names in STT_FILE symbols: sources, not functions
        self.starts = []             # where functions begin, as the linker recorded it
        self.stubs = []              # (start, end, name) of each slot of a stub section
        self.exports = []            # symbols of the export trie
        self.mini_symbols = []       # symbols of the table packed in .gnu_debugdata
        self.common = b""            # the file that .gnu_debugaltlink names
        self.old_compression = False # .zdebug_ sections
        self.same_start = False      # several sections of code begin at 0

    def finish(self):
        for symbols in (self.symbols, self.exports, self.mini_symbols):
            symbols.sort(key=lambda s: s.address)
        self.starts.sort()
        self.sections.sort(key=lambda s: s.start)
        self._addresses = [s.address for s in self.symbols]
        return self

    def section_of(self, address):
        return next((s for s in self.sections if s.start <= address < s.end), None)

    def names_at(self, address):
        """Every name that the symbol tables have for exactly this address."""
        first, last = bisect.bisect_left(self._addresses, address), bisect.bisect_right(self._addresses, address)
        return {s.name for s in self.symbols[first:last]}

    def last_symbol(self, name, address):
        """The last symbol of this name at or below `address`."""
        at = bisect.bisect_right(self._addresses, address)
        return next((self.symbols[i] for i in range(at - 1, -1, -1) if self.symbols[i].name == name), None)

    def symbols_below(self, address, count):
        """The last `count` symbols at or below `address`."""
        at = bisect.bisect_right(self._addresses, address)
        return self.symbols[max(at - count, 0):at]

    def next_address(self, address):
        """The first symbol behind `address`, or infinity."""
        at = bisect.bisect_right(self._addresses, address)
        return self._addresses[at] if at < len(self._addresses) else float("inf")

    def has_common_name(self, name):
        """Whether the file that dwz put shared entries into has this name, in its table of texts or in an entry."""
        return bool(name) and name.encode() + b"\0" in self.common

    def start_between(self, low, high):
        """Whether a function begins after `low` and not after `high`."""
        at = bisect.bisect_right(self.starts, low)
        return at < len(self.starts) and self.starts[at] <= high


FIXED_WIDTH = {"aarch64": 4, "ppc64": 4, "ppc": 4, "mips": 4, "arm64": 4, "arm64e": 4, "arm64_32": 4}


def text_at(data, offset):
    end = data.find(b"\0", offset)
    return data[offset:end].decode("utf-8", "replace") if 0 <= offset < len(data) and end >= 0 else ""


def uleb(data, offset):
    value = shift = 0
    while True:
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, offset


def read(path):
    """The slices of a file; none when it is neither ELF nor Mach-O."""
    import elf
    import macho
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"\x7fELF":
        return [elf.read(path, data)]
    if data[:4] in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf") and struct.unpack_from(">I", data, 4)[0] < 32:
        layout = ">IIQQII" if data[3] == 0xBF else ">IIIII"
        rows = [struct.unpack_from(layout, data, 8 + i * struct.calcsize(layout))
                for i in range(struct.unpack_from(">I", data, 4)[0])]
        return [macho.read(path, data[row[2]:row[2] + row[3]]) for row in rows]
    if data[:4] in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe"):
        return [macho.read(path, data)]
    return []
