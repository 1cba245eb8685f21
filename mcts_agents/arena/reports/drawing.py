"""The style of result pictures: size, type, colours, and SVG output."""

import io
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches; 1056 CSS pixels, so that a page 1200 wide shows letters of 9 points as 12.
WIDTH = 11.0
FONT_SIZE = 9.0
LINE = 1.35 * FONT_SIZE / 72  # height of a line of text in inches
CHARACTER = 0.62 * FONT_SIZE / 72  # width of a character, rather too much

# Colours that people with any colour vision tell apart, after M. Okabe and K. Ito,
# Color Universal Design, 2008; black is that of lines and letters.
_COLOURS = (
    "#0072B2",  # blue
    "#E69F00",  # orange
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#56B4E9",  # sky blue
    "#D55E00",  # vermilion
    "#F0E442",  # yellow
)
# Further agents take the same colours with other fillings and marks.
_HATCHES = ("", "///", "...", "xxx")
_MARKERS = ("o", "s", "D", "^")

_STYLE = {
    # Measured with the font that comes with matplotlib, the same on any machine and
    # wide; where a browser lacks it, or a letter of it, another one is narrower.
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": FONT_SIZE,
    "axes.titlesize": FONT_SIZE + 1,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # letters of any script, that can be searched for
    "svg.hashsalt": "mcts-agents",  # names of parts are the same each time
}
_BREAK = re.compile(r"[^,:;/\s(]*[,:;/\s(]?")


def colour(agent: int) -> str:
    """Return the colour of an agent by its number in the tournament."""
    return _COLOURS[agent % len(_COLOURS)]


def hatch(agent: int) -> str:
    """Return the fill of an agent's bars."""
    return _HATCHES[agent // len(_COLOURS) % len(_HATCHES)]


def marker(agent: int) -> str:
    """Return the mark of an agent's points."""
    return _MARKERS[agent // len(_COLOURS) % len(_MARKERS)]


def wrapped(name: str, width: int) -> str:
    """Return a name in lines of at most `width` characters.

    It is broken behind commas, colons and the like where that is possible.
    """
    lines = [""]
    for part in _BREAK.findall(name):
        while part:
            if _width(lines[-1]) + _width(part.rstrip()) <= width:
                lines[-1] += part
                break
            if lines[-1]:
                lines.append("")
            else:
                fits = sum(
                    1 for n in range(len(part)) if _width(part[: n + 1]) <= width
                )
                lines[-1], part = part[:fits], part[fits:]
                lines.append("")
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _width(text: str) -> int:
    """Return how many letters wide a text is; East Asian ones count twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "FW" else 1 for c in text)


def size_of(text: str) -> tuple[int, int]:
    """Return the width of a text in characters and its height in lines."""
    lines = text.split("\n")
    return max(_width(line) for line in lines), len(lines)


def literal(texts: Sequence[str]) -> list[str]:
    """Return texts escaped for matplotlib, so that a dollar starts no formula."""
    return [text.replace("$", r"\$") for text in texts]


@contextmanager
def style() -> Iterator[None]:
    """Draw in this style, independent of the user's matplotlib settings."""
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE]):
        yield


def svg_of(figure: "Figure", name: str, description: str) -> str:
    """Return a figure as one self-contained `svg` element.

    Args:
        figure: Drawn within `style`.
        name: Begins the names of all its parts, so that several pictures can stand in
            one page.
        description: What the picture shows, for people who do not see it.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    written = io.StringIO()
    with warnings.catch_warnings():
        # Letters that the font lacks are measured as boxes; browsers have them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        FigureCanvasSVG(figure).print_svg(
            written, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
        )
    text = written.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    label = quoteattr(description)
    return text.replace("<svg", f'<svg role="img" aria-label={label}', 1)
