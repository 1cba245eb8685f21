"""Replaying games of Diamant that the TAG framework has recorded.

Chance decides which card is next. The generators in the state and of the step are
therefore chosen, by trying one after another, such that the recorded card comes;
everything else follows from the rules.
"""

import numpy as np

from mcts_agents.envs.diamant.cards import (
    ALL_CARDS,
    CARDS,
    FACE,
    HAZARDS,
    TREASURES,
)
from mcts_agents.envs.diamant.caves import ALL_LEFT, GOES_ON
from mcts_agents.envs.diamant.notation import ACTION_NAMES, format_action, parse_action
from mcts_agents.envs.tag_records import (
    Compared,
    Recorded,
    TagRecords,
    compared_choice,
    compared_end,
    compared_opening,
    compared_states,
    recorded_steps,
)
from mcts_agents.model import ForwardModel, new_generator

FACE_NAMES = (*map(str, TREASURES), *HAZARDS)
# A card comes in one of 30 tries or more often. That it never does is a difference.
TRIES = 2000


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it, sets of cards sorted."""
    view = model.view(state)
    players = range(model.players)
    inside = [bool(view["inside"] >> player & 1) for player in players]
    return {
        "cave": int(view["cave"]),
        "chests": view["chests"][: model.players].tolist(),
        "hands": [int(view["carried"]) * is_inside for is_inside in inside],
        "inside": inside,
        "gems_on_path": int(view["on_path"]),
        "path": [FACE_NAMES[face] for face in view["path"][: view["path_length"]]],
        "deck": _names(int(view["deck"])),
        "removed": _names(ALL_CARDS & ~int(view["box"])),
    }


def _names(cards: int) -> list[str]:
    """Return the names of a set of cards, sorted."""
    return sorted(FACE_NAMES[FACE[card]] for card in range(CARDS) if cards >> card & 1)


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state with its sets of cards sorted."""
    return {name: _sorted(name, value) for name, value in recorded.items()}


def _sorted(name: str, value: object) -> object:
    return sorted(value) if name in ("deck", "removed") else value


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    state = _begun(model, game["start"])
    start = _expected(game["start"])
    yield from compared_opening(model, start, position(model, state), state)
    for ply, step, before, after in recorded_steps(game):
        deciding = [seat for seat, choice in enumerate(step["a"]) if choice is not None]
        yield ply, "the players to move", deciding, list(model.movers(state)), state
        joint = {}
        for seat in deciding:
            actions = model.legal_actions(state, seat)
            ours = [format_action(model, action) for action in actions]
            move = step["a"][seat]
            # TAG's file has no legal sets: who is in the cave may do both.
            legal = sorted(ACTION_NAMES)
            yield from compared_choice(ply, state, seat, legal, move, ours)
            joint[seat] = parse_action(model, move)
        do_all_leave = step["a"].count("exit") == len(deciding)
        card = None if do_all_leave else before["deck"][0]
        state = _applied(model, state, joint, card, after)
        found = position(model, state)
        if after["phase"] == "over":  # the rest means nothing any more
            found = {name: found[name] for name in ("cave", "chests")}
        yield from compared_states(ply, _expected(after), found, state)
    yield from compared_end(model, game, state)


def _begun(model: ForwardModel, start: Recorded) -> np.ndarray:
    """Return the opening whose first card is the recorded one, if there is any."""
    for seed in range(TRIES):
        state = model.reset(new_generator(seed))
        if position(model, state)["path"] == start["path"]:
            break
    return state


def _applied(
    model: ForwardModel,
    state: np.ndarray,
    joint: dict[int, int],
    card: str | None,
    after: Recorded,
) -> np.ndarray:
    """Return the state after a step in which chance decides as recorded, if it can.

    Args:
        model: The forward model.
        state: The state before the step; its deck is shuffled.
        joint: The joint action.
        card: The card that is turned, None if all leave.
        after: The recorded state, whose path has the first card of a new cave.
    """
    view = model.view(state)
    for seed in range(TRIES):
        view["deck_order"] = new_generator(seed)
        found = _tried(model, state, joint, 0)
        if card is None or _turned(model, found) == card:
            break
    for seed in range(TRIES):
        found = _tried(model, state, joint, seed)
        path = position(model, found)["path"]
        if len(path) != 1 or path == after["path"]:
            break
    return found


def _tried(
    model: ForwardModel, state: np.ndarray, joint: dict[int, int], seed: int
) -> np.ndarray:
    """Return the state after a step whose shuffles begin with this seed."""
    found = model.copy(state)
    model.apply(found, joint, new_generator(seed))
    return found


def _turned(model: ForwardModel, state: np.ndarray) -> str | None:
    """Return the card that was turned in the last step, None if all have left."""
    view = model.view(state)
    end = int(view["last_end"])
    if end == ALL_LEFT:
        return None
    face = int(view["path"][view["path_length"] - 1]) if end == GOES_ON else end
    return FACE_NAMES[face]


RECORDS = TagRecords({"diamant": {}}, compared)
