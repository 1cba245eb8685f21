"""How cards, organs and actions of Virus! are written."""

from collections.abc import Callable
from functools import cache

from mcts_agents.envs.virus.cards import (
    ACTIONS,
    CARD_OF,
    DISCARD,
    DRAW_HAND,
    GLOVE,
    HAND,
    KINDS,
    MEDICINE,
    OTHER_OF,
    OWN_OF,
    PLAY_GLOVE,
    SLOT_OF,
    SPREADING,
    THIEF,
    TRANSPLANT,
    VIRUS,
)
from mcts_agents.model import ForwardModel

COLOUR_NAMES = ("heart", "brain", "stomach", "bone", "wild")
CARD_NAMES = (
    *(f"{card} {c}" for card in ("organ", "medicine", "virus") for c in COLOUR_NAMES),
    *("thief", "spreading", "transplant", "glove", "error"),
)
assert len(CARD_NAMES) == KINDS


def action_text(
    action: int, other_name: Callable[[int], str], is_published: bool
) -> str:
    """Return an action as text.

    Args:
        action: The action, from 0 to 447.
        other_name: The name of another player by the distance in seats, from 1.
        is_published: Whether a glove is meant for all others.
    """
    if action == DRAW_HAND:
        return "draw"
    if action > DISCARD:
        places = [place for place in range(HAND) if action - DISCARD >> place & 1]
        return "discard " + " ".join(str(place + 1) for place in places)
    if is_published and action == PLAY_GLOVE:
        return "glove all"
    card = int(CARD_OF[action])
    own, slot = (COLOUR_NAMES[of[action]] for of in (OWN_OF, SLOT_OF))
    other = other_name(int(OTHER_OF[action]) + 1)
    if card < MEDICINE:
        return CARD_NAMES[card]
    if card < VIRUS:
        return f"{CARD_NAMES[card]} on {slot}"
    if card < THIEF:
        return f"{CARD_NAMES[card]} on {slot} of {other}"
    if card >= GLOVE:
        return f"{CARD_NAMES[card]} {other}"
    words = {
        THIEF: slot,
        SPREADING: f"{own} to {slot}",
        TRANSPLANT: f"{own} for {slot}",
    }
    return f"{CARD_NAMES[card]} {words[card]} of {other}"


@cache
def _names(is_published: bool) -> tuple[str, ...]:
    """Return the names of all actions, in a rule book."""
    return tuple(
        action_text(action, lambda distance: f"+{distance}", is_published)
        for action in range(ACTIONS)
    )


def is_published(model: ForwardModel) -> bool:
    """Return whether the published rules are played."""
    return bool(model.game["published"][0])


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text, such as `"virus heart on brain of +1"`.

    `+1` is the next player in seat order, `+2` the one after that. `"discard 1 3"`
    names cards by their places in the sorted hand.
    """
    return _names(is_published(model))[action]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action that `format_action` writes so; case and spacing are free.

    Raises:
        ValueError: No action is written so; the message says what is.
    """
    plain = " ".join(text.lower().split())
    names = _names(is_published(model))
    if plain not in names:
        glove = "glove all" if is_published(model) else "glove +1"
        raise ValueError(
            f"{text!r} is not an action of virus; expected 'organ heart', 'medicine "
            "heart on wild', 'virus wild on brain of +1' (the next player), 'thief "
            "bone of +2', 'spreading heart to wild of +1', 'transplant heart for brain "
            f"of +1', '{glove}', 'error +1', 'discard 1 3' or 'draw'; the colours are "
            f"{', '.join(COLOUR_NAMES)}"
        )
    return names.index(plain)
