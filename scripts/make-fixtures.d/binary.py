"""One built image read back through the LLVM tools: its instructions, calls and the logical frames of each address.

The maker does not trust the compiler to keep a planned chain: it looks up what the built code really says.
A logical frame is a function as written in the source; inlined ones are expanded, innermost first.
"""
import json
import os
import re
import subprocess

LLVM = os.environ.get("LLVM_BIN", "")
SWIFT_DEMANGLE = os.environ.get("SWIFT_DEMANGLE", "swift-demangle")
SUFFIX = os.environ.get("LLVM_SUFFIX", "-19")


def tool(name, *arguments, text=None):
    """Runs one LLVM tool and returns what it prints."""
    program = os.path.join(LLVM, name) if LLVM else name + SUFFIX
    return subprocess.run([program, *arguments], input=text, check=True, capture_output=True, text=True).stdout


def demangle(names):
    """Swift names in short form; all others unchanged."""
    swift = sorted({n for n in names if n.startswith(("$e", "$s"))})
    short = {}
    if swift:
        out = subprocess.run([SWIFT_DEMANGLE, "-compact", "-simplified"], input="\n".join(swift) + "\n",
                             check=True, capture_output=True, text=True).stdout.splitlines()
        short = dict(zip(swift, out, strict=True))
    return {n: short.get(n, n) for n in names}


def logical(name):
    """The function behind a compiled name: specialisations, closure ordinals and C++ parameters say nothing."""
    name = re.sub(r"^(specialized|merged|partial apply for|implicit) ", "", name)
    name = re.sub(r"^(specialized|merged|partial apply for) ", "", name)
    name = re.sub(r"closure #\d+ in ", "closure in ", name)
    if "::" in name:
        name = name.replace("(anonymous namespace)::", "")
        name = re.sub(r"<[^<>]*>", "<>", name)
        name = re.sub(r"\([^()]*\)( const)?$", "", name)
    return name


RUNTIME = re.compile(
    r"^(Swift runtime failure: .*|swift_\w+|_swift\w+|OUTLINED_FUNCTION_\d+|"
    r"_?_?(Array|ContiguousArray|UnsafeMutablePointer|UnsafePointer|Int|String|_ContiguousArray\w*)\..*|"
    r"static (Int|UInt\d*|Int\d*)\..*)$")


def meaningful(name):
    """Whether a logical frame belongs to the app's own source."""
    return not RUNTIME.match(name)


class Frame:
    """One logical frame of one address."""
    __slots__ = ("name", "raw", "file", "line")

    def __init__(self, name, raw, file, line):
        self.name, self.raw, self.file, self.line = name, raw, file, line


def symbolicate(path, addresses, base):
    """Logical frames, innermost first, for each offset from `base`."""
    if not addresses:
        return {}
    lines = "".join("0x%x\n" % (a + base) for a in addresses)
    out = tool("llvm-symbolizer", "--obj=" + path, "--functions=linkage", "--output-style=JSON", "--no-debuginfod", text=lines)
    answers = [json.loads(line) for line in out.splitlines() if line.strip()]
    names = {s["FunctionName"] for a in answers for s in a.get("Symbol", [])}
    short = demangle(names)
    result = {}
    for address, answer in zip(addresses, answers, strict=True):
        result[address] = [Frame(logical(short[s["FunctionName"]]), s["FunctionName"], os.path.basename(s["FileName"]), s["Line"])
                           for s in answer.get("Symbol", []) if s["FunctionName"]]
    return result


def text_base(path):
    """The address of the Mach-O header in the file's own numbering."""
    out = tool("llvm-objdump", "--macho", "--private-headers", path)
    return int(re.search(r"segname __TEXT\n\s+vmaddr (0x[0-9a-f]+)", out).group(1), 16)


def uuid(path):
    """The image's debug identifier, upper case with dashes."""
    return re.search(r"UUID: ([0-9A-F-]{36})", tool("llvm-dwarfdump", "--uuid", path)).group(1)


class Instruction:
    """One instruction; `callee` is the called function's start, `symbol` the called function outside the image."""
    __slots__ = ("offset", "mnemonic", "operands", "callee", "symbol", "frames", "function")

    def __init__(self, offset, mnemonic, operands):
        self.offset, self.mnemonic, self.operands = offset, mnemonic, operands
        self.callee = self.symbol = self.function = None
        self.frames = []

    @property
    def names(self):
        """The app's own logical frames at this place, innermost first."""
        return [f.name for f in self.frames if meaningful(f.name)]

    @property
    def calls(self):
        return self.mnemonic in ("bl", "blr")


class Binary:
    """A linked image and its dSYM."""

    def __init__(self, image, dsym):
        self.base = text_base(image)
        self.uuid = uuid(dsym)
        assert self.uuid == uuid(image)
        stubs = {}
        for line in tool("llvm-objdump", "--macho", "--indirect-symbols", image).splitlines():
            m = re.match(r"0x([0-9a-f]+)\s+\d+ (\S+)", line)
            if m:
                stubs.setdefault(int(m.group(1), 16), m.group(2))
        self.instructions = []
        start = None
        for line in tool("llvm-objdump", "-d", "--no-show-raw-insn", "--section=__text", image).splitlines():
            m = re.match(r"([0-9a-f]+) <(.*)>:$", line)
            if m:
                start = int(m.group(1), 16) - self.base
                continue
            m = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)$", line)
            if not m:
                continue
            one = Instruction(int(m.group(1), 16) - self.base, m.group(2), m.group(3))
            one.function = start
            if one.mnemonic in ("bl", "b") and re.match("0x[0-9a-f]+ <", one.operands):
                target = int(one.operands.split()[0], 16)
                if target in stubs:
                    one.symbol = stubs[target]
                else:
                    one.callee = target - self.base
            self.instructions.append(one)
        frames = symbolicate(dsym, [i.offset for i in self.instructions], self.base)
        for one in self.instructions:
            one.frames = frames[one.offset]
        # A call of an outlined function that ends in a jump is, for the stack, a call of the jump's target.
        jumps = {}
        for one in self.instructions:
            if one.mnemonic == "b" and one.frames and one.frames[-1].raw.startswith("OUTLINED_FUNCTION_"):
                jumps[one.function] = one.callee if one.callee is not None else one.symbol
        self.end = self.instructions[-1].offset + 4
        self.calls_to = {}
        for one in self.instructions:
            if one.calls:
                target = one.callee if one.callee is not None else one.symbol
                self.calls_to.setdefault(jumps.get(target, target), []).append(one)
