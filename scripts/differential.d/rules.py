"""The differences that are known and meant, each with its reason and with a proof for the row at hand.

A rule gets one row and returns those of its open differences that it can prove. It never excuses a difference by its
look alone: the proof comes from the file itself (slices.py), or from a second question to llvm-symbolizer: `row.debug`
is its answer from the debug information alone, without the symbol table. A row whose differences are not all proved is
unexplained. Where symclust is wrong, symclust is mended; no rule is added.
"""
import re

NEAREST = 64 << 10    # how far a symbol without a size reaches where function starts are unknown (docs/symbolication.md)


class Row:
    """One address, what both tools say of it, and which differences are still open."""

    def __init__(self, part, address, theirs, ours, open_):
        self.part, self.address, self.theirs, self.ours, self.open = part, address, theirs, ours, open_
        self.debug = None      # llvm-symbolizer's answer from the debug information alone
        self.nearest = None    # its innermost frame at the nearest instruction before, in the same call, that has a line
        self.symbol_debug = {} # llvm-symbolizer's answer at the start of the symbol that it names

    @property
    def outermost(self):
        return len(self.theirs.frames) - 1

    @property
    def has_function(self):
        """Whether the debug information alone has a function at this address."""
        return has_function(self.debug)

    def debug_file(self, number):
        """The file of one frame by the debug information alone."""
        return self.debug.frames[number].file if number < len(self.debug.frames) else None

    def symbols_below(self):
        """The last few symbols at or below the address; one of them would cover it, if any does."""
        return self.part.symbols_below(self.address, 8)

    def their_symbol(self):
        """The symbol that llvm-symbolizer took the name of its outermost frame from."""
        return self.part.last_symbol(self.theirs.frames[-1].name, self.address) if self.theirs.frames else None


def has_function(answer):
    """Whether an answer from the debug information alone found a function, maybe one without a short name."""
    return bool(answer and answer.frames and (answer.frames[-1].name or answer.frames[-1].start))


def why_ended(row, symbol):
    """What shows that the code of `symbol` ends before the row's address; None when nothing does."""
    part, address = row.part, row.address
    section = part.section_of(symbol.address)
    if symbol.size and symbol.address + symbol.size <= address:
        return "its stated size"
    if section is None or address >= section.end:
        return "its section"
    if not symbol.size and part.start_between(symbol.address, address):
        return "another function's start"
    if not symbol.size and any(s.address <= symbol.address < s.address + s.size <= address for s in row.symbols_below()):
        return "the stated size of the function around it"
    if not symbol.size and not part.starts and address - symbol.address >= NEAREST:
        return "its distance"
    if has_function(row.symbol_debug.get(symbol.address)) and not row.has_function:
        return "its debug information"
    return None


def hole(row):
    """llvm-symbolizer names the nearest symbol below an address, however far; we say nothing behind its end, because
    what lies there is padding or a stripped function. Proof: the debug information has no function there, and the
    symbol's size, its section, a recorded function start or its own debug information ends before the address."""
    symbol = row.their_symbol()
    if not row.ours.frames and len(row.theirs.frames) == 1 and not row.has_function and symbol and why_ended(row, symbol):
        return row.open
    return set()


def padding(row):
    """A line row can go on behind the last function of its sequence; llvm-symbolizer then gives a place without a name,
    which is no answer to "which function". Proof: no name in its answer, and no symbol that still reaches the address."""
    frames = row.theirs.frames
    if row.ours.frames or len(frames) != 1 or frames[0].name:
        return set()
    return row.open if all(why_ended(row, s) for s in row.symbols_below()) else set()


def folded(row):
    """Several functions or constructors can be one code; the names are equally true and each tool has its own order of
    choice. Proof: both names stand in the file's symbol tables at one address, which is the symbol's that llvm took."""
    symbol = row.their_symbol()
    explained = set()
    if symbol and ("name", row.outermost) in row.open:
        if row.ours.frames[-1].name in row.part.names_at(symbol.address):
            explained.add(("name", row.outermost))
    return explained


def label(row):
    """Assembler temporaries (`.L…` in ELF, `l_…` in Mach-O) and other labels inside a function are no functions. Proof:
    llvm's name is a local symbol without a size, and is spelled like a temporary or lies inside the stated size of the
    symbol that we name."""
    symbol = row.their_symbol()
    if not symbol or symbol.size or not symbol.is_local:
        return set()
    ours = row.ours.frames[-1].name if row.ours.frames else None
    around = row.part.last_symbol(ours, row.address) if ours else None
    inside = around and around.size and around.address <= symbol.address < around.address + around.size
    temporary = re.match(r"l_|L|ltmp" if row.part.is_macho else r"\.L|\$", symbol.name)
    if ours:
        return {("name", row.outermost)} & row.open if temporary or inside else set()
    return row.open if temporary and not row.has_function else set()


def part(row):
    """The parts of a function that a compiler put elsewhere have symbols of their own (`f.cold`, `f.__part.1`, `f.eh`).
    llvm-symbolizer and we do not always agree on when such a symbol stands before the name in the debug information;
    for people and signatures the ending is taken off. Proof: one name is the other with such an ending, and is a symbol."""
    theirs = row.theirs.frames[-1].name or "" if row.theirs.frames else ""
    ours = row.ours.frames[-1].name or "" if row.ours.frames else ""
    long, short = sorted((theirs, ours), key=len, reverse=True)
    known = short and re.fullmatch(re.escape(short) + r"\.(cold|eh|__part\.\d+)", long)
    return {("name", row.outermost)} & row.open if known and row.part.last_symbol(long, row.address) else set()


def short_name(row):
    """A function without a linkage name in the debug information has its short name there, which llvm-symbolizer does not
    give when it is asked for linkage names. Proof: asked for short names it gives ours."""
    given = {("name", i) for i, (a, b) in enumerate(zip(row.debug.frames, row.ours.frames)) if a.name == b.name}
    missing = {("name", i) for i, frame in enumerate(row.theirs.frames) if not frame.name}
    return given & missing & row.open


def untyped(row):
    """We take a local symbol without a type for a label and not for a function, as assemblers write both. Proof: llvm's
    name is such a symbol of an ELF file, and the debug information has no function there."""
    symbol = row.their_symbol()
    known = symbol and symbol.is_local and symbol.is_untyped and not row.has_function
    return row.open if known and not row.ours.frames and len(row.theirs.frames) == 1 else set()


def clipped(row):
    """Strict DWARF 2 cannot say that a function has several parts, but the calls inlined into the other parts keep their
    addresses; we clip calls to the function that holds them (docs/traps.md, B.32). Proof: that function begins behind
    the address, and ours is the symbol that llvm names outermost, with llvm's innermost place."""
    theirs, ours = row.theirs.frames, row.ours.frames
    if len(ours) != 1 or len(theirs) < 2 or ours[0].name != theirs[-1].name or not row.debug.frames:
        return set()
    start = row.debug.frames[-1].start
    place = (theirs[0].file, theirs[0].line, theirs[0].column)
    clip = start and int(start, 16) > row.address
    return row.open if clip and place == (ours[0].file, ours[0].line, ours[0].column) else set()


def common_file(row):
    """dwz moves names that several files share into a file of their own, where llvm-symbolizer does not look. Proof: the
    file has a `.gnu_debugaltlink`, llvm gives no name, and ours stands in the file that the link names."""
    explained = set()
    for aspect, number in row.open:
        if aspect == "name" and not row.theirs.frames[number].name and row.part.has_common_name(row.ours.frames[number].name):
            explained.add((aspect, number))
    return explained


def other_section(row):
    """In an object file every section begins at 0; llvm-symbolizer also takes symbols of data for the address. Proof:
    the file is not linked, only data has llvm's name, and ours is that of the nearest symbol of the code."""
    names = row.part.data_names
    if not row.part.is_object or not row.theirs.frames or not row.ours.frames or ("depth", 0) in row.open:
        return set()
    theirs, ours = row.theirs.frames[-1].name, row.ours.frames[-1].name
    below = row.part.symbols_below(row.address, 1)
    if theirs in names and not row.their_symbol() and below and ours in row.part.names_at(below[0].address):
        return {("name", row.outermost)} & row.open
    return set()


def source_symbol(row):
    """Without debug information for a function llvm-symbolizer gives the name in the STT_FILE symbol as its file: a base
    name of the time of linking, and no place. Proof: that file is the name of an STT_FILE symbol, no line comes with it,
    and the debug information alone gives no file."""
    explained = set()
    for aspect, number in row.open:
        if aspect == "file" and row.ours.frames[number].file is None:
            theirs = row.theirs.frames[number]
            if theirs.file in row.part.file_symbols and not theirs.line and not row.debug_file(number):
                explained.add((aspect, number))
    return explained


def line_zero(row):
    """Line 0 says that no line has this code; we give the nearest line before it in the same call and file, marked
    `approximate`. Proof: llvm's line is 0, and of the instructions before it the nearest in the same call that has a
    line has, by llvm-symbolizer, exactly the place that we give."""
    if not row.theirs.frames or not {d for d in row.open if d[1] == 0 and d[0] in ("line", "column")}:
        return set()
    theirs, ours = row.theirs.frames[0], row.ours.frames[0]
    if theirs.line or not ours.approximate:
        return set()
    nearest = row.nearest
    same = nearest and (nearest.file, nearest.line, nearest.column) == (theirs.file, ours.line, ours.column)
    return {("line", 0), ("column", 0)} & row.open if same else set()


def declared(row):
    """Where no instruction before it in the same range of the same call has a line, line 0 becomes the line of the function's declaration,
    when that is in the same file, marked `approximate`. Proof: llvm's line is 0 and ours is the line at which, by
    llvm-symbolizer, the function is declared."""
    if not row.theirs.frames or not {d for d in row.open if d[1] == 0 and d[0] == "line"}:
        return set()
    theirs, ours = row.theirs.frames[0], row.ours.frames[0]
    if theirs.line or not ours.approximate:
        return set()
    declarations = [theirs.declared] + [frame.declared for frame in row.debug.frames[:1]]
    return {("line", 0), ("column", 0)} & row.open if (theirs.file, ours.line) in declarations else set()


def stub(row):
    """A slot of a Mach-O stub section jumps to one imported function; we name it by its indirect symbol, as Apple's
    tools do, llvm-symbolizer does not. Proof: the indirect symbol table has our name for this very slot."""
    slot = next((s for s in row.part.stubs if s[0] <= row.address < s[1]), None)
    ours = row.ours.frames
    return row.open if slot and len(ours) == 1 and ours[0].source == "stub" and ours[0].name == slot[2] else set()


def export(row):
    """A stripped image still has its export trie, which llvm-symbolizer does not read. Proof: the trie has our name at
    an address from which no symbol, export or function start leads further to the row's address."""
    ours = row.ours.frames
    if len(ours) != 1 or ours[0].source != "export":
        return set()
    below = [s for s in row.part.exports if s.address <= row.address]
    last = below[-1].address if below else None
    if last is None or ours[0].name not in {s.name for s in below if s.address == last}:
        return set()
    nearer = row.part.start_between(last, row.address) or row.part.next_address(last) <= row.address
    return set() if nearer else row.open


def packed_symbols(row):
    """`.gnu_debugdata` holds a second symbol table, packed; llvm-symbolizer does not read it. Proof: unpacked, it has
    our name for a range that holds the address."""
    ours = row.ours.frames
    if len(ours) == 1 and ours[0].source == "symtab":
        for symbol in row.part.mini_symbols:
            if symbol.name == ours[0].name and symbol.address <= row.address < symbol.address + symbol.size:
                return row.open
    return set()


def capped_section(row):
    """llvm takes a section that is longer than what is left of its file for shorter. The sections of a small dSYM are:
    they have addresses, but no bytes. Proof: the address lies behind where the file would end, and our name is that
    of the nearest symbol below."""
    section = row.part.section_of(row.address)
    ours = row.ours.frames
    if row.theirs.frames or len(ours) != 1 or not section or row.address < section.readable_end:
        return set()
    symbol = row.part.last_symbol(ours[0].name, row.address)
    return row.open if symbol and row.part.next_address(symbol.address) > row.address else set()


RULES = [hole, padding, folded, label, part, short_name, untyped, clipped, common_file, other_section, source_symbol,
         line_zero, declared, stub, export, packed_symbols, capped_section]


def explain(row):
    """The names of the rules that prove all differences of the row; None when something stays open."""
    used = []
    for rule in RULES:
        proved = rule(row) & row.open
        if proved:
            row.open = row.open - proved
            used.append(rule.__name__)
    return None if row.open else used
