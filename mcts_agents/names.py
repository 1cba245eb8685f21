"""Names and specs in text, and clear words about unknown ones."""

import difflib
import dis
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from traceback import walk_tb
from types import CodeType

# Agents in agents, in a spec, in a file or in one another's files.
MAX_NESTING = 8

# Characters of a spec.
MOST_SPEC = 10_000

# Characters of a value in a message.
MOST_SHOWN = 200

# Characters of an argument in the `repr` of an object that was made with it.
MOST_ARGUMENT = 60

# An option that is so like what was given was probably meant.
_GOOD_GUESS = 0.8
# So many options an error may always list.
_FEW_OPTIONS = 8
_RAISES = {dis.opmap["RAISE_VARARGS"], dis.opmap["RERAISE"]}

_WORDS = {"true": True, "false": False, "none": None}

# `module:Class` at the beginning of a spec, where options may follow.
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_IN_MODULE = re.compile(rf"\s*({_DOTTED})\s*:\s*{_DOTTED}\s*(?=:|$)")


def error_line(error: BaseException) -> str:
    """Return an exception's type and message, in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def quoted(value: object) -> str:
    """Return a value as messages show it: the middle of a long one is left out."""
    try:
        return shortened(repr(value), MOST_SHOWN)
    except ValueError:  # Python writes no more digits than 4300
        return "a number of thousands of digits"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, its middle left out if need be."""
    if len(text) <= most:
        return text
    gap = f"...({len(text):,} characters)..."
    end = (most - len(gap)) // 3
    return f"{text[: most - len(gap) - end]}{gap}{text[-end:]}"


def made_with(name: str, options: Mapping[str, object]) -> str:
    """Return one line that shows a call with keywords, for `repr`.

    Functions and classes are shown by their names, and the middle of a long value is
    left out.
    """
    return f"{name}({', '.join(f'{n}={_argument(v)}' for n, v in options.items())})"


def _argument(value: object) -> str:
    text = getattr(value, "__qualname__", None)  # of a function or a class
    if not isinstance(text, str):
        text = " ".join(repr(value).split())
    return shortened(text, MOST_ARGUMENT)


def unknown_name(kind: str, name: str, allowed: Iterable[str]) -> str:
    """Return a one-line message that names `name`, the nearest and all allowed ones.

    Of options there are many, so a good guess takes the place of their list.
    """
    allowed = list(allowed)
    near = nearest(name[:MOST_SHOWN], allowed)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    if kind.startswith("option") and near and len(allowed) > _FEW_OPTIONS:
        if _likeness(name, near[0]) >= _GOOD_GUESS:
            return f"unknown {kind} {quoted(name)}: {hint.rstrip()}"
    return f"unknown {kind} {quoted(name)}: {hint}known: {', '.join(allowed)}"


def nearest(name: str, allowed: list[str]) -> list[str]:
    """Return the names most like `name`, none of them much less so than the first."""
    near = difflib.get_close_matches(name, allowed, n=3, cutoff=0.5)
    likeness = [_likeness(other, name) for other in near]
    return [
        n for n, like in zip(near, likeness, strict=True) if like > likeness[0] - 0.2
    ]


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def parse_spec(
    spec: str, known: Callable[[str], bool] | None = None
) -> tuple[str, dict[str, object]]:
    """Split a spec into its name and its options.

    A value in parentheses is a spec itself: `mcts:opponent_model=(one-step:samples=3)`.
    It becomes a mapping, `{"agent": "one-step", "samples": 3}`.

    Args:
        spec: The text.
        known: Says of a name whether options follow it. With it, a name of two parts,
            `module:Class`, stands where the first part is not known, and a known name
            may have colons, as the path of a file has; without it, no name has a colon.

    Raises:
        ValueError: An option without a value or named twice, or parentheses that do
            not match; the message says where. Or it is longer than `MOST_SPEC`.
    """
    if len(spec) > MOST_SPEC:
        raise ValueError(
            f"{quoted(spec)}: longer than the {MOST_SPEC:,} characters allowed"
        )
    return _Spec(spec, known).parsed(0, len(spec), 0)


def name_in(spec: str, known: Callable[[str], bool]) -> str:
    """Return what stands before the options of a spec; see `parse_spec`."""
    colon = _Spec(spec, known)._colon(0, len(spec))
    return (spec if colon < 0 else spec[:colon]).strip()


def begins_in_module(text: str) -> bool:
    """Say whether a text begins as `module:Class` or `module:Class:option=value` do."""
    return _IN_MODULE.match(text) is not None


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


def _plain(name: str) -> str:
    """Return a name of one or two parts without the spaces around them."""
    return ":".join(part.strip() for part in name.split(":"))


class _Spec:
    """A spec being read; positions count characters of the whole text from 1."""

    def __init__(self, text: str, known: Callable[[str], bool] | None):
        self.text = text
        self.known = known

    def parsed(
        self, start: int, end: int, nesting: int
    ) -> tuple[str, dict[str, object]]:
        """Read the spec that lies between two positions."""
        if nesting > MAX_NESTING:
            raise self._error(start, f"nested more than {MAX_NESTING} deep")
        colon = self._colon(start, end)
        name_end = end if colon < 0 else colon
        name = self.text[start:name_end]
        for sign in "()":
            if sign in name:
                at = start + name.index(sign)
                raise self._error(at, f"{sign!r} is allowed only around a value")
        options: dict[str, object] = {}
        if colon < 0 or colon + 1 == end:
            return _plain(name), options
        for first, last in self._parts(colon + 1, end):
            self._read_option(first, last, options, nesting)
        return _plain(name), options

    def _colon(self, start: int, end: int) -> int:
        """Return where the options' colon stands, -1 if there is none."""
        first = self.text.find(":", start, end)
        known = self.known
        if first < 0 or known is None or known(self.text[start:first].strip()):
            return first
        in_module = _IN_MODULE.match(self.text, start, end)
        if in_module is not None:
            return self.text.find(":", in_module.end(), end)
        # The path of a file may have colons: the options' is the last before a value.
        equals = self.text.find("=", first, end)
        last = end if equals < 0 else self.text.rfind(":", first, equals)
        if known(self.text[start:last].strip()):
            return -1 if last == end else last
        return first

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Find the options between commas that stand in no parentheses."""
        opened: list[int] = []
        first = start
        for at in range(start, end):
            sign = self.text[at]
            if sign == "(":
                opened.append(at)
            elif sign == ")":
                if not opened:
                    raise self._error(at, "')' without a matching '('")
                opened.pop()
            elif sign == "," and not opened:
                yield first, at
                first = at + 1
        if opened:
            raise self._error(opened[-1], "'(' is never closed")
        yield first, end

    def _read_option(self, start, end, options, nesting) -> None:
        part = self.text[start:end]
        option, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals or not option or not text:
            raise self._error(start, f"expected option=value, not {quoted(part)}")
        if option in options:
            raise self._error(start, f"option {quoted(option)} is given twice")
        if "(" not in text:
            options[option] = parse_value(text)
            return
        opening = self.text.index("(", start)
        closing = start + part.rindex(")")
        if not text.startswith("(") or not text.endswith(")"):
            around = f"parentheses go around a whole value: {quoted(text)}"
            raise self._error(opening, around)
        if not self.text[opening + 1 : closing].strip():
            empty = f"option {quoted(option)}: nothing in the parentheses"
            raise self._error(opening, empty)
        name, inner = self.parsed(opening + 1, closing, nesting + 1)
        options[option] = {"agent": name, **inner}

    def _error(self, at: int, what: str) -> ValueError:
        return ValueError(f"{quoted(self.text)}, character {at + 1}: {what}")


def in_lines(spec: str, most: int) -> str:
    """Return a spec in lines for a narrow column, broken where its parts end.

    Args:
        spec: A spec, or any name.
        most: Characters of a line; only an option that is longer gives a longer one.
    """
    parts = re.findall(r"[^,:(]*[,:(]|[^,:(]+", spec)
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def is_raised(error: BaseException) -> bool:
    """Whether a statement `raise` made an error, not what another statement does."""
    last = error.__traceback__
    if last is None:
        return False
    while last.tb_next is not None:
        last = last.tb_next
    return last.tb_frame.f_code.co_code[last.tb_lasti] in _RAISES


def line_of(error: BaseException, is_wanted: Callable[[CodeType], bool]) -> str:
    """Return `" (FILE, line N)"`: where an error left a file of somebody else.

    Args:
        error: The error.
        is_wanted: Says of code on the way to the error whether its file is meant; the
            last such file is taken, and its last line on the way.

    Returns:
        The text; empty if there is no such file, or the error names it already.
    """
    way = [(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    wanted = [code.co_filename for code, _ in way if is_wanted(code)]
    if not wanted:
        return ""
    line = next(line for code, line in way[::-1] if code.co_filename == wanted[-1])
    name = Path(wanted[-1]).name
    return "" if name in str(error) else f" ({name}, line {line})"
