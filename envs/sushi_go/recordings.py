"""Replaying games of Sushi Go! that the TAG framework has recorded.

A recorded step is a turn: all choose a card, and those who use chopsticks two. The deal
of a new round is chance; the hands and the pile are taken from the record there, after
all the rest was compared.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from mcts_agents.envs.sushi_go.cards import (
    EGG,
    PUDDING,
    SALMON,
    SQUID,
    WASABI,
    pack,
    unpack,
)
from mcts_agents.envs.sushi_go.notation import CARD_NAMES, format_action
from mcts_agents.envs.sushi_go.turns import ROUNDS
from mcts_agents.envs.tag_records import (
    Compared,
    Recorded,
    TagRecords,
    compared_choice,
    compared_end,
    compared_going_on,
    compared_opening,
    compared_states,
    recorded_steps,
    require,
)
from mcts_agents.model import ForwardModel, new_generator

VARIANTS = {
    "sushi_go": {},
    "sushi_go_published": {"maki": "published", "rulebook": "published"},
}
TAG_NAMES = tuple(name.replace(" ", "-") for name in CARD_NAMES)
CHOICES = 3  # of a player in one turn: "use chopsticks" and two cards


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state between two turns as TAG records it, the pile sorted."""
    view, seats = model.view(state), slice(model.players)
    return {
        "round": int(view["round"]),
        "passes": int(view["passes"]),
        "scores": view["scores"][seats].tolist(),
        "fields": [_counts(field) for field in view["fields"][seats]],
        "wasabi": view["wasabi"][seats].tolist(),
        "on_wasabi": view["on_wasabi"][seats].tolist(),
        "hands": [_counts(hand) for hand in view["hands"][seats]],
        "pile": sorted(Counter(_counts(view["pile"])).elements()),
    }


def _counts(bunch: int) -> dict[str, int]:
    """Return packed cards as TAG has them: how many of each type that is there."""
    numbers = unpack(bunch).tolist()
    return {name: n for name, n in zip(TAG_NAMES, numbers, strict=True) if n}


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state between two turns.

    Raises:
        ValueError: It is no state of this variant.
    """
    view, players = model.view(state), model.players
    hands = [_numbers(hand) for hand in recorded["hands"]]
    fields = [_numbers(field) for field in recorded["fields"]]
    pile = [recorded["pile"].count(name) for name in TAG_NAMES]
    size = int(model.game["hand_size"][0])
    round_, passes = int(recorded["round"]), int(recorded["passes"])
    require(0 <= round_ < ROUNDS and 0 <= passes < size, "the round or its turn")
    require(len(hands) == len(fields) == players, f"not {players} hands and fields")
    require(all(sum(hand) == size - passes for hand in hands), "the size of a hand")
    require(
        sum(pile) == len(recorded["pile"]) >= players * size * (ROUNDS - 1 - round_),
        "the cards of the pile",
    )
    totals = np.sum([*hands, *fields, pile], axis=0)
    require(bool((totals <= unpack(model.game["deck"][0])).all()), "too many of a card")
    wasabi = [int(number) for number in recorded["wasabi"]]
    most = [field[WASABI] for field in fields]
    require(
        len(wasabi) == players
        and all(0 <= n <= limit for n, limit in zip(wasabi, most, strict=True)),
        "the unused wasabi",
    )
    # Of all in the box: where TAG laid another card than the nigiri, it counts it here.
    on_wasabi = np.array(recorded["on_wasabi"], np.int64)
    nigiri = unpack(model.game["deck"][0])[[SQUID, SALMON, EGG]]
    require(
        on_wasabi.shape == (players, len(nigiri))
        and bool(((on_wasabi >= 0) & (on_wasabi <= nigiri)).all()),
        "the nigiri on wasabi",
    )
    view["hands"][:players] = [pack(hand) for hand in hands]
    view["fields"][:players] = [pack(field) for field in fields]
    view["pile"] = pack(pile)
    view["scores"][:players] = recorded["scores"]
    view["wasabi"][:players] = wasabi
    view["on_wasabi"][:players] = on_wasabi
    view["round"], view["passes"] = round_, passes


def _numbers(counts: Mapping[str, int]) -> list[int]:
    """Return how many cards of each type a hand or a field has."""
    require(set(counts) <= set(TAG_NAMES), "the name of a card")
    numbers = [int(counts.get(name, 0)) for name in TAG_NAMES]
    require(all(0 <= number < 16 for number in numbers), "the number of a card")
    return numbers


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    opening = model.reset(new_generator(0))
    state = model.copy(opening)
    set_position(model, state, game["start"])
    found, expected = position(model, opening), _expected(game["start"])
    yield from compared_opening(model, _dealt(expected), _dealt(found), opening)
    yield from compared_states(
        0, _expected(game["start"]), position(model, state), state
    )
    for ply, step, _, after in recorded_steps(game):
        yield from _compared_choices(model, state, ply, step)
        is_over = after["phase"] == "over"
        if "tag_bug" not in step:
            found, expected = position(model, state), _expected(after)
            if step.get("dealt"):
                yield from compared_going_on(ply, model, state)
                found, expected = _dealt(found), _dealt(expected)
            if is_over:
                _keep_what_counts(found)
                _keep_what_counts(expected)
            yield from compared_states(ply, expected, found, state)
        elif is_over:
            return
        if not is_over and (step.get("dealt") or "tag_bug" in step):
            set_position(model, state, after)
    yield from compared_end(model, game, state)


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state with its pile sorted."""
    return {**recorded, "pile": sorted(recorded["pile"])}


def _dealt(deal: dict) -> dict:
    """Return a state with hands and pile as one heap: which are dealt is chance."""
    kept = dict(deal)
    hands, pile = kept.pop("hands"), kept.pop("pile")
    kept["cards left"] = sum(map(Counter, (*hands, pile)), Counter())
    kept["sizes of hands"] = [sum(hand.values()) for hand in hands]
    return kept


def _keep_what_counts(over: dict) -> None:
    """Leave of a finished game's state the round, the scores and the puddings."""
    name = TAG_NAMES[PUDDING]
    puddings = [field.get(name, 0) for field in over["fields"]]
    kept = {key: over[key] for key in ("round", "scores")}
    over.clear()
    over.update(kept, puddings=puddings)


def _compared_choices(
    model: ForwardModel, state: np.ndarray, ply: int, step: Recorded
) -> Compared:
    """Play the joint decisions of one turn, three if somebody uses chopsticks."""
    rng = new_generator(0)
    for number in range(CHOICES):
        deciding = [seat for seat, done in enumerate(step["a"]) if len(done) > number]
        if not deciding:
            return
        yield ply, "the players to move", deciding, list(model.movers(state)), state
        joint = {}
        for seat in deciding:
            actions = model.legal_actions(state, seat).tolist()
            ours = [tag_name(format_action(model, action)) for action in actions]
            legal, move = step["legal"][seat][number], step["a"][seat][number]
            yield from compared_choice(ply, state, seat, legal, move, ours)
            joint[seat] = actions[ours.index(move)]
        model.apply(state, joint, rng)


def tag_name(name: str) -> str:
    """Return an action's name as TAG's files have it: `"maki-1"`, `"egg on wasabi"`."""
    return name.replace("maki ", "maki-")


RECORDS = TagRecords(VARIANTS, compared)
