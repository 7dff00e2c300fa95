"""Why a row may differ: each rule proves its claim for one row from the object file, or says nothing.

A rule takes a row and returns the evidence as text, or None. The first rule that proves a row has it.
"""
import collections
import re

from tools import plain

Rule = collections.namedtuple("Rule", "key kinds title argument prove")
RULES = []


def rule(key, kinds, title):
    def add(prove):
        argument = " ".join((prove.__doc__ or "").split())
        RULES.append(Rule(key, kinds, title, argument, prove))
        return prove
    return add


SYMBOL_MAP = ("The answers need a symbol map", """
These answers are recorded under the name of a BCSymbolMap, for the dSYM beside it: names that bitcode hid, put right by the map.
There is no object file of the name that compare_lookup asks for. Asked for the dSYM's file with `--symbol-map`, every one of them
matches. Checked: compare_lookup runs again, with that question in place of its own.
""")

# Rows where neither we nor the peers are right: file, offsets, our name and the reason.
WRONG_TITLE = "Not right"
WRONG_ARGUMENT = ("Neither our answer nor that of the peers is the name that the file's bytes show. A local symbol without a type may be a "
                  "label or a function of hand-written assembler; nothing tells which, and we take it for a label.")
WRONG = {
    ("elf/pyelftools/dwarf_phantombytes.elf", range(0x2A4, 0x2EC)):
        ("__data_init", "the subroutine `__memcpyd3extended` starts at 0x2a4 (`rcall` at 0x28c leads there); its name is a local label "
                        "without type, so we give `__data_init`, the function before"),
}


def known_wrong(row):
    """The reason, where our answer for a row is known to be wrong."""
    found = (why for (file, offsets), (name, why) in WRONG.items() if row.file == file and row.offset in offsets and row.mine == name)
    return next(found, None)


def prove(row):
    """The first rule that holds for a row, and its evidence."""
    for each in RULES:
        if row.kind in each.kinds:
            evidence = each.prove(row)
            if evidence:
                return each, evidence
    return None, None


def span(start, end):
    return f"{start:#x}..{end:#x}"


def place(image, address):
    section = image.section(address)
    return f"{address:#x} lies in `{section.name}`" if section else f"{address:#x} lies in no section"


# ------------------------------------------------------------------- the peers name something, we do not

def nobody(row):
    """Nothing of the file that states an extent holds the address: the condition of every "no answer"."""
    return not row.image.covering(row.address) and row.stub is None


@rule("header", ("no answer",), "The name of the file's header is no function")
def header(row):
    """`__mh_execute_header` is a symbol that the linker sets on the Mach-O header, at the start of the image. It names no code, and no
    function symbol lies between it and the address. Checked: the symbol's value is the image base, no other symbol lies at or below the
    address in its section."""
    symbol = next((s for s in row.image.named(row.peer) if s.value == row.image.base and "mh_execute_header" in s.name), None)
    if symbol and nobody(row):
        section = row.image.section(row.address)
        if section and not [s for s in row.image.functions() if section.start <= s.value <= row.address]:
            return f"`{symbol.name}` {symbol.value:#x} is the image base; {place(row.image, row.address)}, which holds no symbol"
    return None


@rule("function-start", ("no answer",), "Another function starts between the name and the address")
def function_start(row):
    """A Mach-O symbol has no size; the linker's list of function starts (`LC_FUNCTION_STARTS`) says where functions begin. It has an
    entry behind the named symbol, at or below the address: the address belongs to that later function, whose name was stripped. The
    peers do not read the list and give the nearest symbol below. Checked: the entry, and that no symbol names it."""
    symbol = row.image.nearest(row.peer, row.address)
    start = max((s for s in row.image.starts if s <= row.address), default=None)
    if symbol and start is not None and symbol.value < start and nobody(row):
        if not [s for s in row.image.functions() if start <= s.value <= row.address]:
            return f"`{symbol.name}` {symbol.value:#x}; a function starts at {start:#x}"
    return None


@rule("other-section", ("no answer",), "The named symbol lies in another section")
def other_section(row):
    """The symbol that the peers name states no size, and its section ends at or before the address. Code does not go on from one
    section into another: behind `.init` comes `.plt`, the linker's jump table, whose entries have no names of their own in the file.
    Checked: the symbol's size is 0, its section's end, the section of the address, and that no sized function symbol and no function of
    the debug information holds the address."""
    symbol = row.image.nearest(row.peer, row.address)
    if symbol and symbol.size == 0 and symbol.section.end <= row.address and nobody(row):
        return f"`{symbol.name}` {symbol.value:#x}, `{symbol.section.name}` ends {symbol.section.end:#x}; {place(row.image, row.address)}"
    return None


@rule("stated-end", ("no answer",), "The named function ends before the address")
def stated_end(row):
    """The symbol table or the debug information states where the named function ends: at or before the address. What follows is padding
    up to the next function, or nothing. The peers take the nearest symbol below, or a line row that runs on. Checked: the size of the
    symbol, or the ranges of the function in the debug information, and that no other function holds the address."""
    if not nobody(row):
        return None
    sized = [s for s in row.image.named(row.peer) if s.size and s.value + s.size <= row.address]
    if sized:
        symbol = max(sized, key=lambda s: s.value)
        return f"`{symbol.name}` is {span(symbol.value, symbol.value + symbol.size)} in {symbol.source}"
    # The debug information may spell the name otherwise: a function that starts at the symbol is the same.
    symbol = row.image.nearest(row.peer, row.address)
    ends = [(b, a) for function in row.image.dwarf.functions for a, b in function.spans()
            if b <= row.address and (function.called(row.peer) or symbol and a == symbol.value)]
    if ends:
        end, start = max(ends)
        return f"`{row.peer}` is {span(start, end)} in the debug information"
    return None


@rule("data", ("no answer",), "The name is one of data")
def data(row):
    """The symbol that the peers name is data by its type (`STT_OBJECT`): configuration words in sections that only carry the flag of
    instructions. Checked: the symbol's type and place."""
    symbol = row.image.nearest(row.peer, row.address)
    if symbol and symbol.kind == "Object" and nobody(row):
        return f"`{symbol.name}` {symbol.value:#x} is an object in `{symbol.section.name}`"
    return None


@rule("label", ("no answer",), "A local label is no function")
def label(row):
    """The name is a local label without type and size that the assembler or compiler made (`.LFE0` marks the end of a function,
    `.dinit` and `__config_…` sections of data and of configuration words). Checked: binding, type and size, and that no function holds
    the address."""
    symbol = row.image.nearest(row.peer, row.address)
    if symbol and symbol.local and symbol.kind == "None" and symbol.size == 0 and nobody(row):
        if symbol.name.startswith(".L") and not row.image.section(row.address):
            return f"`{symbol.name}` {symbol.value:#x}; {place(row.image, row.address)}, `{symbol.section.name}` ends {symbol.section.end:#x}"
        if plain(symbol.name) in (symbol.section.name, symbol.section.name.lstrip(".")):
            return f"`{symbol.name}` {symbol.value:#x} is the label of the section itself"
    return None


# ------------------------------------------------------------------- we name something, the peers do not

@rule("stub", ("answer in a gap", "name"), "A stub has the name of the function it leads to")
def stub(row):
    """A stub of a Mach-O file jumps to an imported function. Its section states the size of one stub, and the indirect symbol table
    which symbol each leads to. We name it so; the peers name nothing there, or the function before the section. Checked: the section's
    type, the stub's number and its indirect symbol."""
    if row.stub and plain(row.stub.name) == plain(row.mine):
        return f"stub {span(row.stub.start, row.stub.end)} of `{row.stub.section}` leads to `{row.stub.name}`"
    return None


@rule("stub-helper", ("answer in a gap", "name"), "The symbol ` stub helpers` names its section")
def stub_helper(row):
    """Apple's linker sets the symbol ` stub helpers` on the start of `__stub_helper`, the code that binds imports at their first call.
    It is the nearest symbol below, and it lies in the section of the address; the function that the peers name lies in the section
    before. Checked: both symbols and the section."""
    section = row.image.section(row.address)
    if plain(row.mine) != " stub helpers" or not section or section.name != "__stub_helper":
        return None
    symbol = row.image.nearest(row.mine, row.address)
    other = row.peer and row.image.nearest(row.peer, row.address)
    if symbol and symbol.value >= section.start and not (other and other.value >= section.start):
        before = f"; `{other.name}` {other.value:#x} is in `{other.section.name}`" if other else ""
        return f"`{symbol.name}` {symbol.value:#x} is in `__stub_helper` {span(section.start, section.end)}{before}"
    return None


@rule("covers", ("answer in a gap", "name"), "A sized symbol with our name holds the address")
def covers(row):
    """A function symbol with our name states a size, and its range holds the address. It stands in the file itself, in the debug file
    that it names (`.gnu_debuglink`, build identifier) or in the symbols packed into it (`.gnu_debugdata`); the peers read fewer of
    these. Checked: the symbol's range, from the file or the companion. Where the peers give another name, that name is a label or an
    object inside the range."""
    for image in (row.image, *row.image.companions):
        address = row.address - row.image.base + image.base
        for symbol in image.functions():
            if symbol.covers(address) and plain(symbol.name) == plain(row.mine) and inner_label(row, symbol):
                return f"`{symbol.name}` is {span(symbol.value, symbol.value + symbol.size)} in {symbol.source}{inner_label(row, symbol)}"
    return None


def inner_label(row, outer):
    """What the peers' other name is: nothing, or a label or object inside our function."""
    if row.kind != "name":
        return " "
    inner = row.image.nearest(row.peer, row.address)
    if inner and outer.value < inner.value and inner.local and (inner.kind in ("None", "Object") or inner.size == 0):
        return f"; `{inner.name}` {inner.value:#x} is a local {'object' if inner.kind == 'Object' else 'label'} inside it"
    return None


@rule("export", ("answer in a gap", "name"), "The export trie names the function")
def export(row):
    """The file is stripped; its names are left in the export trie, which the peers do not read. The function that we name is exported,
    the address follows it in the same section, and the list of function starts has no entry in between. What the peers name, where they
    do, lies before that. Checked: the trie's entry, the function starts, the section."""
    return exported(row, padding=False)


@rule("export-padding", ("answer in a gap", "name"), "Padding behind an exported function")
def export_padding(row):
    """As in the section before, but the bytes from the address up to the next function start are zeros or instructions that do
    nothing: a gap that was put behind the function on purpose. Nothing in a stripped file states where the function ends, so its name
    is given up to the next start. "Nothing" would be as good an answer: the recorded answers contradict each other here. For the
    library before it was stripped, with the same bytes of code, both peers agree on the name that we give. Checked: the same as before,
    that `__text` of both files is equal, and the agreed answer for the other file."""
    evidence = exported(row, padding=True)
    twin = row.beside(UNSTRIPPED.get(row.file))
    if evidence and twin and twin.agree and twin.image.code() == row.image.code() and plain(twin.peer) == plain(row.mine):
        return f"{evidence}; both peers give `{twin.peer}` in `{twin.file}`"
    return None


UNSTRIPPED = {"generated/macho/stripped/libcorpus-all.dylib": "generated/macho/arm64-O2-dw4/libcorpus.dylib"}


def exported(row, padding):
    """The evidence for a name of the export trie, if the address lies in code, or in padding, as asked."""
    entry = row.image.nearest(row.mine, row.address)
    if entry and entry.kind == "export" and entry.section is row.image.section(row.address):
        last = max((s for s in row.image.starts if s <= row.address), default=entry.value)
        if row.image.padded(row.address) != padding:
            return None
        other = row.peer and row.image.nearest(row.peer, row.address)
        if last == entry.value and not (other and other.value >= entry.value):
            before = f"; `{other.name}` {other.value:#x} lies before" if other else ""
            return f"`{entry.name}` {entry.value:#x} is exported; no function starts up to {row.address:#x}{before}"
    return None


@rule("nearest", ("answer in a gap",), "The symbol below is of the same section, and nothing lies between")
def nearest(row):
    """The symbol with our name states no size, or the format has none. It lies in the section of the address, at or below it, and no
    other symbol and no function start lies between. For ELF it may stand in the debug file that `.gnu_debuglink` names, which the peers
    did not read; a few bytes of alignment behind such a function count to it, as they do for the peers where they read the symbol.
    Checked: the symbol, its section, the symbols and function starts between, and that no mapping symbol says that data lies there."""
    for image in (row.image, *row.image.companions):
        address = row.address - row.image.base + image.base
        symbol = image.nearest(row.mine, address)
        if not symbol or symbol.size or symbol.section is not image.section(address) or symbol.kind == "export":
            continue
        starts = {s.value for s in image.functions()} | set(image.starts)
        if image.is_data(address):
            continue
        if not [s for s in starts if symbol.value < s <= address] and not image.covering(address):
            section = symbol.section
            return f"`{symbol.name}` {symbol.value:#x} in {symbol.source}, `{section.name}` {span(section.start, section.end)}"
    return None


# ------------------------------------------------------------------------------------- names that differ

@rule("alias", ("name",), "Both names are of one address")
def alias(row):
    """Two symbols have one value: constructors C1 and C2, destructors D1 and D2, handlers that share a body, functions folded into one
    by the linker, or two spellings of one name. Both are right; ours is chosen by the rule in `symbolication.md` and the others are in
    `aliases`. Checked: both symbols have the same value at or below the address."""
    proofs = []
    for mine, peer in row.different_names():
        pair = [(a, b) for i in (row.image, *row.image.companions) for a in i.functions() if plain(a.name) == plain(mine)
                for b in i.functions() if b.value == a.value and same_function(b.name, peer)
                and a.value - i.base <= row.offset]
        if not pair:
            return None
        proofs.append(f"`{pair[-1][0].name}` and `{pair[-1][1].name}` are both {pair[-1][0].value:#x}")
    return "; ".join(dict.fromkeys(proofs)) or None


def same_function(symbol, peer):
    return plain(symbol) == plain(peer)


@rule("local-label", ("name",), "The peers' name is a label inside the function")
def local_label(row):
    """The peers give a label of the assembler or compiler (`.L3`, `hlt`, `C$$EXIT`): a symbol with local binding, without size and
    without the type of a function. We give the function in which it lies. Checked: the label's binding, type and size; that our symbol
    is a function or a global name, starts before the label, in the same section, and that no other such symbol lies between."""
    inner, outer = row.image.nearest(row.peer, row.address), row.image.nearest(row.mine, row.address)
    if not inner or not outer or inner.size or inner.section != outer.section or outer.value > inner.value:
        return None
    if inner.kind != "None" or not inner.local:
        return None
    # Of several symbols at one address the function's name is wanted, not a mark that the linker set.
    if outer.kind != "Function" and [s for s in row.image.functions() if s.value == outer.value and s.kind == "Function"]:
        return None
    between = [s for s in row.image.functions() if outer.value < s.value <= row.address and (s.kind == "Function" or not s.local)]
    if between or not (outer.kind == "Function" or not outer.local):
        return None
    return f"`{inner.name}` {inner.value:#x} is a local label without type; `{outer.name}` starts {outer.value:#x}"


@rule("full-name", ("name",), "The debug information has the bare name, the symbol table the whole")
def full_name(row):
    """An old compiler gave the function a bare name in the debug information and no linkage name. The symbol table has the whole,
    mangled name for the same range; we give that, demangled and mangled. The place in the source is the same. Checked: the symbol's
    range, that the function of the debug information starts where it does, and its name."""
    for image in (row.image, *row.image.companions):
        address = row.address - row.image.base + image.base
        for symbol in image.functions():
            entries = [f for f in image.dwarf.covering(address) if f.called(row.peer) and f.spans()[0][0] == symbol.value]
            if symbol.covers(address) and plain(symbol.name) == plain(row.mine) and entries and row.peer in symbol.name:
                extent = span(symbol.value, symbol.value + symbol.size)
                return f"`{symbol.name}` is {extent} in {symbol.source}; there the debug information has `{row.peer}`"
    return None


# -------------------------------------------------------------------------- files, lines and inlined calls

@rule("symbol-file", ("file",), "The peers' file is a symbol, not a line")
def symbol_file(row):
    """The symbol table has entries of the type `STT_FILE` (`crti.o`, `crtstuff.c`) before the local symbols of an object. One peer puts
    that name in the place of the source file, without a line. It often is the name of an object file, and it is no record of where the
    instruction comes from. We give the same function and no file. (The debug information of the dsPIC file is written with padding
    bytes that neither LLVM's tools nor symclust read; the names in its `STT_FILE` symbols are those of the sources.) Checked: the file
    name is such a symbol, and no row of the line table holds the address."""
    frame = row.wanted[0][0]
    name = frame.file
    listed = [s for s in row.image.symbols if s.kind == "File" and s.name.endswith(name)]
    if name and not frame.line and listed and not row.image.dwarf.rows_at(row.address) and len(row.ours) == 1:
        return f"`{name}` is an `STT_FILE` symbol; no line row holds {row.address:#x}"
    return None


@rule("no-call-file", ("file",), "A call without a file has no file")
def no_call_file(row):
    """Strict DWARF 2 has no attributes for the place of an inlined call. The peers print the compilation directory in place of the
    file, or nothing; we print nothing. Checked: the inlined calls at the address have no `DW_AT_call_file`, and the peers' file is the
    last part of a `DW_AT_comp_dir`, with line 0."""
    chain = row.image.dwarf.chain(row.address)
    bare = [e for e in chain if e.inlined and "call_file" not in e.facts]
    names = {f.file for f in row.wanted[0][1:]}
    directories = set(re.findall(r'DW_AT_comp_dir\t\("(?:.*/)?(.*?)"\)', row.image.dwarf._dump("--debug-info")))
    if bare and len(bare) == len(chain) - 1 and not [f for f in row.ours[1:] if f.get("file")] and names <= directories:
        return f"{len(bare)} calls at {row.address:#x} without `DW_AT_call_file`; `{', '.join(sorted(names))}` is the compilation directory"
    return None


@rule("split", ("depth",), "The inlined calls are in the split debug information")
def split(row):
    """The unit in the file is a skeleton; functions and inlined calls are in the `.dwo` file beside it, which the peers did not find.
    We give the whole chain. Checked: the function and the inlined calls that the `.dwo` files state for the address are ours, in order,
    by name and by the line of each call."""
    chain = row.image.dwarf.chain(row.address, split=True)
    ours = [f.get("mangled") or f["function"] for f in row.ours]
    calls = [e.facts.get("call_line", "").lstrip("(") for e in chain if e.inlined]
    if calls != [str(f["line"]) for f in row.ours[1:]]:
        return None
    if len(chain) == len(ours) > len(row.wanted[0]) and all(e.called(n) for e, n in zip(chain, ours)):
        return " in ".join(f"`{n}`" for n in ours) + " in the `.dwo`"
    return None


@rule("own-sequence", ("line",), "Of two runs of line rows, the function's own counts")
def own_sequence(row):
    """Two runs of line rows overlap: an old linker cut the bytes of one function, and the rows of the function before run on into the
    next. The run that begins with the function that holds the address counts. Checked: both runs, and that ours begins at the
    function's first address and gives our line."""
    runs = row.image.dwarf.rows_at(row.address)
    function = row.image.dwarf.covering(row.address)
    if len(runs) < 2 or not function:
        return None
    own = [r for r in runs if r[0][0] == function[-1].spans()[0][0]]
    lines = {max((a, i, line) for i, (a, line) in enumerate(r[:-1]) if a <= row.address)[2] for r in own}
    if lines == {row.ours[0]["line"]}:
        others = [span(r[0][0], r[-1][0]) for r in runs if r not in own]
        return f"the function and its run start {own[0][0][0]:#x} with line {lines.pop()}; the other run is {', '.join(others)}"
    return None
