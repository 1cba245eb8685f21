"""Names and specs in text, and clear words about unknown ones."""

import difflib
from collections.abc import Callable, Iterable

_WORDS = {"true": True, "false": False, "none": None}


def unknown_name(kind: str, name: str, allowed: Iterable[str]) -> str:
    """Return a one-line message that names `name`, the nearest and all allowed ones."""
    allowed = list(allowed)
    near = difflib.get_close_matches(name, allowed, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"unknown {kind} {name!r}: {hint}known: {', '.join(allowed)}"


def parse_spec(spec: str) -> tuple[str, dict[str, object]]:
    """Split a spec into its name and its options.

    Raises:
        ValueError: An option without a value, or one named twice.
    """
    name, _, rest = spec.partition(":")
    options: dict[str, object] = {}
    for part in rest.split(",") if rest else []:
        option, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals or not option or not text:
            raise ValueError(f"{spec!r}: expected option=value, not {part!r}")
        if option in options:
            raise ValueError(f"{spec!r}: option {option!r} is given twice")
        options[option] = parse_value(text)
    return name.strip(), options


def parse_value(text: str) -> object:
    """Read an integer, a number, true, false or none; anything else is a word."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    readers: tuple[Callable[[str], object], ...] = (int, float)
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    return text
