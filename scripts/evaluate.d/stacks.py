"""Stacks in symclust's own form, `symclust.stack/1` (docs/schemas/stack.schema.json)."""
import json


def frame(function=None, image=None, **more) -> dict:
    """One call; without an image it is the app's. What is None is left out."""
    made = {"image": image, "function": function, **more}
    return {key: value for key, value in made.items() if value is not None}


def line(identifier: str, frames: list[dict], *, app: str, kind="crash", build="1", signal=None, exception=None,
         order="innermost_first") -> bytes:
    """One event with one stack, as the bytes of its line."""
    reason = {key: value for key, value in (("signal", signal), ("exception_name", exception)) if value is not None}
    event = {"schema": "symclust.stack/1", "id": identifier, "kind": kind, "app": app, "build": build,
             "threads": [{"attributed": True, "order": order, "frames": frames}]}
    if reason:
        event["reason"] = reason
    return json.dumps(event, separators=(",", ":")).encode()
