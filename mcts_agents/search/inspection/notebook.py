"""A search's result as HTML, for notebooks. It needs nothing but the browser."""

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

# Rows of the table; the rest is counted.
MOST_ROWS = 12
MOST_LINE = 8

_CELL = "padding:.15em .6em;text-align:right"
_BAR = (
    "display:inline-block;height:.8em;border-radius:2px;background:#3987c9;"
    "vertical-align:middle"
)


def result_html(result: Any, name: Callable[[int], str] = str) -> str:
    """Return a `SearchResult` as HTML: actions with bars, and the expected line.

    Args:
        result: The result.
        name: Writes an action.
    """
    shares = result.policy
    order = np.lexsort((-result.visits, -shares))
    most = max(float(shares.max(initial=0.0)), 1e-9)
    rows = "".join(
        _row(
            name(int(result.actions[n])),
            float(shares[n]) / most,
            int(result.visits[n]),
            float(result.values[n]),
            bool(result.actions[n] == result.action),
        )
        for n in order[:MOST_ROWS]
    )
    rest = len(order) - MOST_ROWS
    head = "".join(
        f'<th style="{_CELL}">{word}</th>' for word in ("action", "", "visits", "value")
    )
    return (
        f"<div><p>{escape(_figures(result, name))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        + (f"<p>and {rest} more actions</p>" if rest > 0 else "")
        + _line(result, name)
        + "</div>"
    )


def _row(action: str, share: float, visits: int, value: float, best: bool) -> str:
    shown = f"<b>{escape(action)}</b>" if best else escape(action)
    bar = f'<span style="{_BAR};width:{100 * share:.1f}%"></span>'
    told = "" if np.isnan(value) else f"{value:.3f}"
    return (
        f'<tr><td style="{_CELL}">{shown}</td>'
        f'<td style="text-align:left;width:10em">{bar}</td>'
        f'<td style="{_CELL}">{visits:,}</td><td style="{_CELL}">{told}</td></tr>'
    )


def _figures(result: Any, name: Callable[[int], str]) -> str:
    parts = [f"Plays {name(result.action)}"]
    if result.simulations:
        parts.append(f"{result.simulations:,} simulations")
    if result.seconds:
        parts.append(f"{result.seconds:.3g} s")
    if result.depth:
        parts.append(f"depth {result.depth}")
    if result.solved:
        parts.append("solved")
    return ", ".join(parts)


def _line(result: Any, name: Callable[[int], str]) -> str:
    try:
        line = result.principal_variation[:MOST_LINE]
    except RuntimeError:  # the search has gone on to another decision
        return ""
    if not line:
        return ""
    steps = ", ".join(f"player_{player} {name(int(action))}" for player, action in line)
    return f"<p>It expects: {escape(steps)}</p>"
