"""How actions of Dominion are written."""

from mcts_agents.envs.dominion.cards import (
    ACTIONS,
    BUY,
    DISCARD,
    DONE,
    END,
    GAIN,
    KINGDOM,
    PLAY,
    REVEAL,
    TRASH,
)
from mcts_agents.model import ForwardModel

CARD_NAMES = (
    "copper",
    "silver",
    "gold",
    "estate",
    "duchy",
    "province",
    "cellar",
    "market",
    "merchant",
    "militia",
    "mine",
    "moat",
    "remodel",
    "smithy",
    "village",
    "workshop",
)
_PLAIN = {END: "end", REVEAL: "reveal moat", DONE: "done"}
_VERBS = {PLAY: "play", BUY: "buy", GAIN: "gain", DISCARD: "discard", TRASH: "trash"}


def _name(action: int) -> str:
    if action in _PLAIN:
        return _PLAIN[action]
    first = max(start for start in _VERBS if start <= action)
    card = action - first + (KINGDOM if first == PLAY else 0)
    return f"{_VERBS[first]} {CARD_NAMES[card]}"


ACTION_NAMES = tuple(_name(action) for action in range(ACTIONS))


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text, such as `"play smithy"` or `"buy gold"`.

    `"end"` ends the actions or the buys, `"done"` the discards for a Cellar, and it
    declines to show a Moat or to use the published Mine.
    """
    return ACTION_NAMES[action]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action that `format_action` writes so; case and spacing are free.

    Raises:
        ValueError: No action is written so; the message says what is.
    """
    plain = " ".join(text.lower().split())
    if plain not in ACTION_NAMES:
        raise ValueError(
            f"{text!r} is not an action of dominion; expected a card with a verb "
            "('play smithy', 'buy gold', 'gain silver', 'discard estate', 'trash "
            "copper'), 'end', 'reveal moat' or 'done'"
        )
    return ACTION_NAMES.index(plain)
