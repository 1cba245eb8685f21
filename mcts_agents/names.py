"""Clear words about unknown names."""

import difflib
from collections.abc import Iterable


def unknown_name(kind: str, name: str, allowed: Iterable[str]) -> str:
    """Return a one-line message that names `name`, the nearest and all allowed ones."""
    allowed = list(allowed)
    near = difflib.get_close_matches(name, allowed, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"unknown {kind} {name!r}: {hint}known: {', '.join(allowed)}"
