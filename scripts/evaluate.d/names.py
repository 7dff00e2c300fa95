"""Names of functions brought to one spelling, for labels and baselines. What symclust makes of a name is measured, not used here."""
import re


def bare(name: str) -> str:
    """The name without parameters, template arguments, return type, anonymous namespaces and the hash of Rust."""
    name = re.sub(r"::h[0-9a-f]{16}$", "", name.replace("`anonymous namespace'", "(anonymous namespace)"))
    name = name.replace("(anonymous namespace)::", "")
    depth, kept = 0, []
    for place, letter in enumerate(name):
        if letter == "<" and not name[:place].endswith("operator"):
            depth += 1
        elif letter == ">" and depth and name[place - 1] != "-":
            depth -= 1
        elif depth == 0:
            kept.append(letter)
    name = re.sub(r"\(.*$", "", "".join(kept)).strip()
    return re.sub(r"^(static |virtual |[\w:*&]+ )+(?=\S+$)", "", name)
