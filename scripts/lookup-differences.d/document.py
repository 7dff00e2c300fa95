"""docs/symbolication-differences.md: written from the rows, and read back to be held against them."""
import collections
import re
import textwrap

PREAMBLE = """\
# Where lookups differ from the recorded answers

Written by `scripts/lookup-differences --write`; do not edit by hand.

`compare_lookup` of the corpus (`SYMCLUST_CORPUS`) holds `symclust lookup` against what two peers, symbolic {symbolic} and
llvm-symbolizer {llvm}, recorded for the addresses of its symbol files. Of {judged} addresses {matched} match as they are asked. The {rows} that
are listed here differ, each under the rule that shows our answer to be right{but}; {agreed} of them are rows where both peers agree
with each other.

    scripts/lookup-differences --tool PATH            # prove every row again, and hold this list against the rows
    scripts/lookup-differences --tool PATH --write    # the same, and write this list

The evidence for each row is taken from the bytes of the object file by LLVM's tools, not by symclust. A row that differs and that no rule
proves makes the script fail, as does a row that is missing here or no longer differs.

Offsets are hexadecimal and count from the image's base. Addresses in the examples are the file's own. "agreed" counts the rows where
both peers gave one answer. One example stands for each file; `scripts/lookup-differences --evidence` prints that of every row.
"""

LINE = re.compile(r"^\| `(.+)` \| (.+?) \| \d+ \| \d+ \| ([0-9a-f ]+) \|")


def paragraphs(text):
    return "\n".join(textwrap.fill(part, 140, break_long_words=False, break_on_hyphens=False) for part in text.split("\n"))


def render(sections, numbers):
    """The document. A section is (title, argument, [(row, evidence)])."""
    numbers["but"] = f', but for {numbers["wrong"]} under "Not right"' if numbers["wrong"] else ""
    parts = [PREAMBLE.format(**numbers), "| rule | rows | agreed |\n| --- | --- | --- |\n" + "\n".join(
        f"| {title} | {len(found)} | {agreed(r for r, _ in found)} |" for title, _, found in sections) + "\n"]
    for title, argument, found in sections:
        parts.append(f"## {title}\n\n{paragraphs(argument)}\n\n{table(found)}\n")
    return "\n".join(parts)


def agreed(rows):
    return sum(row.agree is True for row in rows)


def table(found):
    groups = collections.defaultdict(list)
    for row, evidence in found:
        groups[row.file, row.slice].append((row, evidence))
    lines = ["| file | slice | rows | agreed | offsets | example |", "| --- | --- | --- | --- | --- | --- |"]
    for (file, slice_), group in groups.items():
        offsets = " ".join(f"{row.offset:x}" for row, _ in group)
        row, evidence = group[0]
        example = printable(f"{row.offset:#x}: {evidence}")
        lines.append(f"| `{file}` | {slice_} | {len(group)} | {agreed(r for r, _ in group)} | {offsets} | {example} |")
    return "\n".join(lines)


def printable(text):
    """Names of assembler labels may hold control characters; a bar would end the cell."""
    text = re.sub(r"[\x00-\x1f\x7f]", lambda c: f"\\x{ord(c[0]):02x}", text)
    return text.replace("|", "\\|").encode("utf-8", "replace").decode()


def listed(text):
    """The rows that a document lists."""
    rows = set()
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            rows |= {(match[1], match[2], int(offset, 16)) for offset in match[3].split()}
    return rows
