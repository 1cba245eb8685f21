"""Replaying games of Colt Express that the TAG framework has recorded.

TAG asks for every action, forced ones included, so the games are replayed with
`asks_forced`; it also asks seats that cannot do anything (`nothing`), and these steps
are left out. Cards drawn and hands dealt are chance: how many, and of which cards, is
compared, then the record is taken. A random item must be one that some chance gives.
Decks are compared without order, and bullets without who has shot them.
"""

from collections import Counter

import numpy as np

from mcts_agents.envs.colt_express.cards import (
    BULLET,
    CAR_LOOT,
    CARD_NAMES,
    CHARACTERS,
    COLLECT_KIND,
    DOC,
    KIND_NAMES,
    MARSHAL_LEFT,
    MOST_QUEUED,
    PUNCH_NOBODY,
    PUNCH_SEAT,
    PURSE_VALUES,
    PURSES,
    REGULAR_ROUNDS,
    ROUND_CARDS,
    ROUNDS,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    TO_CAR,
    VALUES,
    VERTICAL,
)
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

PLAN, EXECUTE, OVER = "plan", "execute", "over"
NOTHING = "nothing"  # a seat that TAG asks although it cannot do anything
ITEM_NAMES = tuple(
    f"{'purse' if item < PURSE_VALUES else KIND_NAMES[item - PURSE_VALUES + 1]} {value}"
    for item, value in enumerate(VALUES.tolist())
)
ROUND_NAMES = tuple(name for name, *_ in ROUND_CARDS)
END_NAMES = ROUND_NAMES[REGULAR_ROUNDS:]
PRINTED_LOOT = tuple(
    ["jewel"] * jewels + ["purse"] * purses for purses, jewels in CAR_LOOT.tolist()
)
# A bug of TAG's that changes a car at the end of the game, and nobody's loot.
COPIED_PURSE = "pickpocket leaves a copy of the purse in the car"
TRIES = 100  # of chance, until a random item is the recorded one


def _tag_names() -> tuple[str, ...]:
    names = [f"play {name}" for name in CARD_NAMES[:BULLET]] + ["draw"]
    names += [f"move to {car}" for car in range(VERTICAL - TO_CAR)]
    names += ["climb", "marshal left", "marshal right"]
    names += [f"collect {kind}" for kind in KIND_NAMES]
    names += [f"shoot {seat}" for seat in range(SHOOT_NOBODY - SHOOT_SEAT)]
    names += ["shoot nobody"]
    for code in range(PUNCH_NOBODY - PUNCH_SEAT):
        side = ("left", "right")[code >> 2 & 1]
        names.append(f"punch {code >> 3} {side} {KIND_NAMES[code & 3]}")
    return (*names, "punch nobody")


# By action.
TAG_NAMES = _tag_names()
assert TAG_NAMES[MARSHAL_LEFT] == "marshal left"
assert TAG_NAMES[COLLECT_KIND] == "collect purse"


def position(model: ForwardModel, state: np.ndarray) -> dict:
    """Return a state as TAG records it, all piles sorted, bullets alike."""
    view, seats = model.view(state), range(model.players)
    queue = range(int(view["executed"]), int(view["queued"]))
    is_executing = bool(view["is_executing"])
    return {
        "phase": EXECUTE if is_executing else PLAN,
        "round": int(view["round"]),
        "first_player": int(view["round"]) % model.players,
        "turn": None if is_executing else int(view["turn"]),
        "moves_in_turn": None if is_executing else int(view["moved"]),
        "second_action": bool(view["is_second"]),
        "positions": [
            [
                int(view["places"][seat]) >> 1,
                ("inside", "roof")[view["places"][seat] & 1],
            ]
            for seat in seats
        ],
        "marshal": int(view["marshal"]),
        "cars": [
            [_items(view["on_train"][2 * car + level]) for level in range(2)]
            for car in range(model.players + 1)
        ],
        "loot": [_items(view["loot"][seat]) for seat in seats],
        "bullets_left": view["bullets"][seats].tolist(),
        "queue": [
            [
                int(view["owners"][place]),
                CARD_NAMES[view["cards"][place]],
                bool(view["face_up"][place]),
            ]
            for place in queue
        ],
        "hands": [_cards(view["hands"][seat]) for seat in seats],
        "decks": [_cards(view["decks"][seat]) for seat in seats],
        "score": [int(score) for score in model.scores(state)],
    }


def _items(numbers: np.ndarray) -> list[str]:
    return sorted(
        Counter(dict(zip(ITEM_NAMES, numbers.tolist(), strict=True))).elements()
    )


def _cards(numbers: np.ndarray) -> list[str]:
    # A heap has room for one kind more.
    return sorted(
        Counter(dict(zip(CARD_NAMES, numbers.tolist(), strict=False))).elements()
    )


def _plain(cards: list[str]) -> list[str]:
    """Return cards sorted, bullets without who has shot them."""
    return sorted(card.split()[0] for card in cards)


def _expected(recorded: Recorded) -> dict:
    """Return a recorded state in the words of `position`."""
    expected = dict(recorded)
    expected["cars"] = [[sorted(items) for items in car] for car in recorded["cars"]]
    expected["loot"] = [sorted(items) for items in recorded["loot"]]
    expected["hands"] = [_plain(cards) for cards in recorded["hands"]]
    expected["decks"] = [_plain(cards) for cards in recorded["decks"]]
    return expected


def set_position(model: ForwardModel, state: np.ndarray, recorded: Recorded) -> None:
    """Set a recorded state.

    Raises:
        ValueError: It is no state of this variant.
    """
    view, seats = model.view(state), range(model.players)
    require(recorded["phase"] in (PLAN, EXECUTE), f"no phase {recorded['phase']!r}")
    by_seat = ("characters", "positions", "loot", "bullets_left", "hands", "decks")
    for name in by_seat:
        require(
            len(recorded[name]) == len(seats), f"{name} not of {len(seats)} players"
        )
    require(len(recorded["cars"]) == len(seats) + 1, "the number of cars")
    require(len(recorded["queue"]) <= MOST_QUEUED, "the length of the queue")
    require(len(recorded["round_cards"]) == ROUNDS, "the number of round cards")
    require(0 <= recorded["marshal"] <= len(seats), "the marshal's car")
    require(recorded["round"] in range(ROUNDS), "the round")
    first = recorded["round"] % len(seats)
    require(recorded["first_player"] == first, "the first player of the round")
    for name, letters in recorded["round_cards"]:
        wanted = ROUND_CARDS[ROUND_NAMES.index(name)][1 + (len(seats) > 4)]
        require(letters == wanted, f"the turns of {name}")
    is_executing = recorded["phase"] == EXECUTE
    unused = Counter(dict(zip(ITEM_NAMES, PURSES.tolist(), strict=False)))
    view["on_train"][:] = 0
    for car, levels in enumerate(recorded["cars"]):
        for level, items in enumerate(levels):
            view["on_train"][2 * car + level] = _numbers(items, ITEM_NAMES)
            unused.subtract(items)
    for seat in seats:
        car, level = recorded["positions"][seat]
        require(0 <= car <= len(seats), "a bandit's car")
        view["places"][seat] = 2 * car + ("inside", "roof").index(level)
        view["characters"][seat] = CHARACTERS.index(recorded["characters"][seat])
        view["loot"][seat] = _numbers(recorded["loot"][seat], ITEM_NAMES)
        unused.subtract(recorded["loot"][seat])
        hand, deck = recorded["hands"][seat], recorded["decks"][seat]
        view["hands"][seat, : BULLET + 1] = _numbers(_plain(hand), CARD_NAMES)
        view["decks"][seat, : BULLET + 1] = _numbers(_plain(deck), CARD_NAMES)
    # TAG gives more purses of a value than there are.
    view["unused"][:] = [max(unused[name], 0) for name in ITEM_NAMES[:PURSE_VALUES]]
    view["bullets"][seats] = recorded["bullets_left"]
    for place, (owner, card, is_face_up) in enumerate(recorded["queue"]):
        view["owners"][place] = owner
        view["cards"][place] = CARD_NAMES.index(card)
        view["face_up"][place] = is_face_up
    view["queued"], view["executed"] = len(recorded["queue"]), 0
    view["rounds"][:] = [ROUND_NAMES.index(name) for name, _ in recorded["round_cards"]]
    view["marshal"], view["round"] = recorded["marshal"], recorded["round"]
    view["turn"] = 0 if is_executing else recorded["turn"]
    view["moved"] = 0 if is_executing else recorded["moves_in_turn"]
    view["is_second"] = bool(recorded["second_action"])
    view["is_executing"], view["is_over"] = is_executing, 0
    is_owner_next = is_executing and recorded["queue"]
    view["player"] = recorded["queue"][0][0] if is_owner_next else recorded["player"]


def _numbers(held: list[str], names: tuple[str, ...]) -> list[int]:
    require(set(held) <= set(names), f"one of {held}")
    return [held.count(name) for name in names]


def compared(model: ForwardModel, game: Recorded) -> Compared:
    """Replay a recorded game and yield what is to be equal."""
    opening = model.reset(new_generator(0))
    state = model.copy(opening)
    set_position(model, state, game["start"])
    yield from _compared_opening(model, game["start"], opening)
    for ply, step, _, after in recorded_steps(game):
        if step["a"] == NOTHING:
            yield ply, "nothing, forced", True, bool(step.get("forced")), state
        else:
            yield (
                ply,
                "the players to move",
                [step["p"]],
                list(model.movers(state)),
                state,
            )
            actions = model.legal_actions(state, step["p"]).tolist()
            ours = [TAG_NAMES[action] for action in actions]
            yield from compared_choice(
                ply, state, step["p"], step["legal"], step["a"], ours
            )
            action = actions[ours.index(step["a"])]
            likely = {"loot": _expected(after)["loot"]}
            if "tag_bug" not in step:
                likely["cars"] = _expected(after)["cars"]
            state = _likely(model, state, {step["p"]: action}, likely)
        if after["phase"] == EXECUTE and not after["queue"]:
            continue  # TAG ends the round in the next step, in which it asks a seat
        is_over = after["phase"] == OVER
        if "tag_bug" not in step or (is_over and step["tag_bug"] == COPIED_PURSE):
            is_dealt = bool(step.get("shuffled")) or step["a"] == "draw"
            yield from _compared_step(model, ply, after, state, is_dealt)
        elif is_over:
            return
        if not is_over and is_new(step):
            set_position(model, state, after)
    yield from compared_end(model, game, state)


def _compared_opening(
    model: ForwardModel, start: Recorded, opening: np.ndarray
) -> Compared:
    """Compare how our own rules lay out the train, and what they deal."""
    view = model.view(opening)
    seats = range(model.players)
    found = position(model, opening)
    found["characters"] = [CHARACTERS[view["characters"][seat]] for seat in seats]
    found["round_cards"] = [ROUND_CARDS[card] for card in view["rounds"]]
    expected = _expected(start)
    yield from compared_opening(model, _laid_out(expected), _laid_out(found), opening)
    items = [*view["on_train"], *view["loot"]]
    purses = view["unused"] + sum(heap[:PURSE_VALUES].astype(int) for heap in items)
    yield 0, "all purses at the start", PURSES.tolist(), purses.tolist(), opening


def _laid_out(deal: dict) -> dict:
    """Return what is no chance of a set-up: how many cards and things lie where.

    Each car has the loot that is printed on one of them, and the Doctor a card more.
    """
    names = [card[0] for card in deal["round_cards"]]
    *cars, locomotive = deal["cars"]
    more = [character == CHARACTERS[DOC] for character in deal["characters"]]
    both = list(zip(deal["hands"], deal["decks"], strict=True))
    return {
        **deal,
        "characters": len(set(deal["characters"])),
        "round_cards": len(set(names)),
        "which round cards are of the end": [name in END_NAMES for name in names],
        "cars": [*([_is_printed(inside), roof] for inside, roof in cars), locomotive],
        "hands": [len(hand) - one for (hand, _), one in zip(both, more, strict=True)],
        "decks": [len(deck) + one for (_, deck), one in zip(both, more, strict=True)],
        "hands and decks": [sorted(hand + deck) for hand, deck in both],
    }


def _is_printed(inside: list[str]) -> bool:
    """Whether a car has the loot, sorted, that is printed on one of the cars."""
    return [item.split()[0] for item in inside] in PRINTED_LOOT


def is_new(step: Recorded) -> bool:
    """Whether the recorded state is taken after a step: chance, or a slip of TAG's."""
    return bool(step.get("shuffled")) or "tag_bug" in step or step["a"] == "draw"


def _likely(
    model: ForwardModel, state: np.ndarray, joint: dict[int, int], expected: Recorded
) -> np.ndarray:
    """Return the state after an action, of several chances one that is as expected."""
    for seed in range(TRIES):
        reached = state.copy()
        model.apply(reached, joint, new_generator(seed))
        found = position(model, reached)
        if all(found[name] == value for name, value in expected.items()):
            break
    return reached


def _compared_step(
    model: ForwardModel, ply: int, after: Recorded, state: np.ndarray, is_dealt: bool
) -> Compared:
    """Compare the state after a step, of cards that were dealt how many and which."""
    found, expected = position(model, state), _expected(after)
    if after["phase"] == OVER:
        found = {name: found[name] for name in ("score", "loot", "bullets_left")}
    else:
        yield from compared_going_on(ply, model, state)
    if is_dealt and after["phase"] != OVER:
        for one in (found, expected):
            hands, decks = one.pop("hands"), one.pop("decks")
            one["sizes of hands"] = [len(hand) for hand in hands]
            one["cards"] = [
                sorted(hand + deck) for hand, deck in zip(hands, decks, strict=True)
            ]
    if found.get("phase") == PLAN:
        found["player"] = int(model.view(state)["player"])
    yield from compared_states(ply, expected, found, state)


RECORDS = TagRecords({"colt_express": {"asks_forced": True}}, compared)
