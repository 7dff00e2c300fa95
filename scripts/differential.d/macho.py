"""Reads the sections, symbols, stubs, exports and function starts of one Mach-O slice."""
import struct

from slices import FIXED_WIDTH, Section, Slice, Symbol, text_at, uleb

CPUS = {(0x0100000C, 0): "arm64", (0x0100000C, 1): "arm64", (0x0100000C, 2): "arm64e", (0x0200000C, 1): "arm64_32",
        (0x01000007, 3): "x86_64", (0x01000007, 8): "x86_64h", (7, 3): "i386", (12, 9): "armv7"}
MH_OBJECT = 1
LC_SEGMENT, LC_SYMTAB, LC_DYSYMTAB, LC_SEGMENT_64 = 1, 2, 11, 25
LC_DYLD_INFO, LC_DYLD_INFO_ONLY, LC_FUNCTION_STARTS, LC_DYLD_EXPORTS_TRIE = 0x22, 0x80000022, 0x26, 0x80000033
S_SYMBOL_STUBS = 8
INSTRUCTIONS = 0x80000400
N_STAB, N_TYPE, N_SECT, N_EXT = 0xE0, 0x0E, 0x0E, 1


def read(path, data):
    wide = data[0] == 0xCF
    _, cpu, subtype, kind, count, _, _ = struct.unpack_from("<7I", data)
    result = Slice(path, CPUS.get((cpu, subtype & 0xFFFFFF), str(cpu)), True)
    result.bytes = data
    result.step = FIXED_WIDTH.get(result.arch, 1)
    commands, at = {}, 32 if wide else 28
    sections = []
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command in (LC_SEGMENT, LC_SEGMENT_64):
            sections += segment(result, data, at, command == LC_SEGMENT_64)
        commands[command] = at + 8
        at += size
    code = {n: s for n, (s, flags, _, _) in enumerate(sections, 1) if flags & INSTRUCTIONS and s.end > s.start}
    result.sections = list(code.values())
    if LC_SYMTAB in commands:
        names = read_symbols(result, data, commands[LC_SYMTAB], wide, code, kind == MH_OBJECT)
        if LC_DYSYMTAB in commands:
            read_stubs(result, data, sections, names, commands[LC_DYSYMTAB])
    if LC_FUNCTION_STARTS in commands:
        read_starts(result, data, *struct.unpack_from("<II", data, commands[LC_FUNCTION_STARTS]))
    for command, skip in ((LC_DYLD_INFO, 32), (LC_DYLD_INFO_ONLY, 32), (LC_DYLD_EXPORTS_TRIE, 0)):
        if command in commands:
            offset, size = struct.unpack_from("<II", data, commands[command] + skip)
            result.exports += exports(data[offset:offset + size], result.base)
    return result.finish()


def segment(result, data, at, wide):
    """(section, flags, reserved1, reserved2) of each section of a segment; notes the image's base on the way."""
    address = struct.unpack_from("<Q" if wide else "<I", data, at + 24)[0]
    if text_at(data[at + 8:at + 24] + b"\0", 0) == "__TEXT":
        result.base = address
    layout = "<16s16sQQ8I" if wide else "<16s16sII7I"
    rows = []
    for i in range(struct.unpack_from("<I", data, at + (64 if wide else 48))[0]):
        row = struct.unpack_from(layout, data, at + (72 if wide else 56) + i * struct.calcsize(layout))
        name, offset = row[0].rstrip(b"\0").decode(), row[4]
        rows.append((Section(name, row[2], row[3], offset != 0, max(len(data) - offset, 0)), row[8], row[9], row[10]))
    return rows


def read_symbols(result, data, at, wide, code, is_object):
    """Adds the symbols of code; returns the names of all symbols by number, for the indirect table."""
    offset, count, strings_at, strings_size = struct.unpack_from("<4I", data, at)
    strings = data[strings_at:strings_at + strings_size]
    layout = "<IBBHQ" if wide else "<IBBHI"
    names = []
    for i in range(count):
        name, kind, section, _, value = struct.unpack_from(layout, data, offset + i * struct.calcsize(layout))
        text = text_at(strings, name)
        # One underscore belongs to the format and not to the name.
        text = text[1:] if text.startswith("_") else text
        names.append(text)
        if not kind & N_STAB and kind & N_TYPE == N_SECT and text and section in code:
            result.symbols.append(Symbol(text, value, 0, not kind & N_EXT))
    return names


def read_stubs(result, data, sections, names, at):
    row = struct.unpack_from("<18I", data, at)
    table, count = row[12], row[13]
    for section, flags, first, size in sections:
        if flags & 0xFF == S_SYMBOL_STUBS and size:
            for i in range(min((section.end - section.start) // size, max(count - first, 0))):
                number = struct.unpack_from("<I", data, table + 4 * (first + i))[0]
                if number < len(names):
                    start = section.start + i * size
                    result.stubs.append((start, start + size, names[number]))


def read_starts(result, data, position, size):
    address, end = result.base, position + size
    while position < end:
        delta, position = uleb(data, position)
        if not delta:
            break
        address += delta
        result.starts.append(address & ~1 if result.arch == "armv7" else address)


def exports(trie, base):
    """The symbols of an export trie that are addresses of this image."""
    found, waiting = [], [(0, b"")]
    while waiting and len(found) < 1 << 20:
        at, prefix = waiting.pop()
        if at >= len(trie):
            continue
        size, at = uleb(trie, at)
        if size:
            flags, value_at = uleb(trie, at)
            if flags & ~4 == 0:      # an ordinary or weak definition: no re-export, no resolver, no absolute value
                name = prefix.decode("utf-8", "replace")
                found.append(Symbol(name[1:] if name.startswith("_") else name, base + uleb(trie, value_at)[0], 0, False))
        at += size
        count, at = trie[at], at + 1
        for _ in range(count):
            end = trie.index(b"\0", at)
            child, next_at = uleb(trie, end + 1)
            waiting.append((child, prefix + trie[at:end]))
            at = next_at
    return found
