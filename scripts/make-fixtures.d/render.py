"""JSON as Apple's writer prints it, and minified, for documents of any depth."""


def quoted(text):
    """A JSON string with Apple's `\\/`."""
    out = ['"']
    for c in text:
        out.append({'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\t": "\\t"}.get(c, c))
    return "".join(out) + '"'


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else str(value)


def render(value, pretty):
    """The document as text, without a newline at its end."""
    out = []
    space, newline = (" : ", "\n") if pretty else (":", "")
    stack = [("value", value, 0)]
    while stack:
        what, item, depth = stack.pop()
        if what == "text":
            out.append(item)
        elif isinstance(item, (dict, list)):
            opening, closing = "{}" if isinstance(item, dict) else "[]"
            if not item:
                out.append(opening + newline * 2 + ("  " * depth if pretty else "") + closing)
                continue
            out.append(opening)
            work = []
            entries = list(item.items()) if isinstance(item, dict) else [(None, v) for v in item]
            for place, (key, child) in enumerate(entries):
                lead = ("," if place else "") + newline + ("  " * (depth + 1) if pretty else "")
                work.append(("text", lead + (quoted(key) + space if key is not None else ""), 0))
                work.append(("value", child, depth + 1))
            work.append(("text", newline + ("  " * depth if pretty else "") + closing, 0))
            stack.extend(reversed(work))
        else:
            out.append(scalar(item))
    return "".join(out)
