"""Single rules of Colt Express: cards, characters, the marshal, rounds, the end."""

import numpy as np
import pytest

from mcts_agents.envs.colt_express.draw import regions
from mcts_agents.envs.colt_express.notation import format_action, parse_action
from mcts_agents.envs.colt_express.rules import rules
from mcts_agents.envs.colt_express.table import ansi
from mcts_agents.model import DRAWN, LOST, WON, RulesError, new_generator
from tests.envs.colt_express_positions import CARDS, ITEMS, heap, items, set_heap

CHARACTERS = ("Ghost", "Cheyenne", "Django", "Tuco", "Doc", "Belle")
NOBODY_SPECIAL = ("Doc", "Ghost", "Cheyenne", "Tuco")
ROUNDS = (
    *("angry marshal", "braking", "bridge", "rebellion", "swivel arm", "take it all"),
    *("tunnel", "revenge", "hostage", "pickpocket"),
)


def table(
    places,
    cards=(),
    characters=NOBODY_SPECIAL,
    train=(),
    loot=(),
    marshal=None,
    round_card="tunnel",
    number=0,
    **options,
):
    """A model, and a state in which cards are to be carried out.

    Args:
        places: Of each player the car, and whether it is on the roof.
        cards: Owner and card of the queue.
        characters: By seat.
        train: Car, whether on the roof, and an item.
        loot: Seat and item.
        marshal: His car; the locomotive if not given.
        round_card: The round card.
        number: The number of the round.
        options: Of the variant.
    """
    players = len(places)
    model = rules.model(players=players, asks_forced=True, **options)
    state = model.reset(new_generator(1))
    view = model.view(state)
    view["places"][:players] = [2 * car + is_on_roof for car, is_on_roof in places]
    view["characters"][:players] = [CHARACTERS.index(c) for c in characters[:players]]
    view["on_train"], view["loot"] = 0, 0
    for car, is_on_roof, item in train:
        view["on_train"][2 * car + is_on_roof, ITEMS.index(item)] += 1
    for seat, item in loot:
        view["loot"][seat, ITEMS.index(item)] += 1
    for seat in range(players):
        set_heap(view, "hands", seat, [])
        set_heap(view, "decks", seat, ["move"])
    view["owners"][: len(cards)] = [owner for owner, _ in cards]
    view["cards"][: len(cards)] = [CARDS.index(card) for _, card in cards]
    view["face_up"][: len(cards)] = 1
    view["queued"], view["is_executing"] = len(cards), 1
    view["marshal"] = players if marshal is None else marshal
    view["round"], view["rounds"][number] = number, ROUNDS.index(round_card)
    if cards:
        view["player"] = cards[0][0]
    return model, state


def choices(model, state):
    """The legal actions of the player on turn, as text."""
    (player,) = model.movers(state)
    actions = model.legal_actions(state, player).tolist()
    return [format_action(model, action) for action in actions]


def play(model, state, *texts):
    """Carry out actions; return the fields of the state."""
    rng = new_generator(2)
    for text in texts:
        (player,) = model.movers(state)
        assert text in choices(model, state)
        model.apply(state, {player: parse_action(model, text)}, rng)
    return model.view(state)


def places(view, players):
    """Car and level of each player."""
    return [(int(p) >> 1, int(p) & 1) for p in view["places"][:players]]


def hits(view, players):
    """How many bullets each player has received."""
    return [heap(view, "decks", n).count("bullet") for n in range(players)]


LATER = (0, "collect")  # a second card, so that the round does not end


def test_moves_reach_the_next_car_inside_and_three_on_roofs():
    for place, cars in (
        ((1, 0), (0, 2)),
        ((0, 0), (1,)),
        ((0, 1), (1, 2, 3)),
        ((2, 1), (0, 1, 3, 4)),
    ):
        model, state = table([place, (4, 1), (4, 1), (4, 1)], [(0, "move"), LATER])
        assert choices(model, state) == [f"move to car {car}" for car in cars]
        view = play(model, state, f"move to car {cars[0]}")
        assert places(view, 1) == [(cars[0], place[1])]


def test_the_marshal_shoots_those_who_enter_and_those_he_meets():
    model, state = table([(2, 0), (0, 0), (1, 0)], [(0, "move"), LATER], marshal=1)
    view = play(model, state, "move to car 1")
    assert places(view, 1) == [(1, 1)]
    assert hits(view, 3) == [1, 0, 0]
    model, state = table([(0, 0), (1, 0), (1, 1)], [(0, "marshal"), LATER], marshal=2)
    assert choices(model, state) == ["marshal left", "marshal right"]
    view = play(model, state, "marshal left")
    assert int(view["marshal"]) == 1
    assert places(view, 3) == [(0, 0), (1, 1), (1, 1)]
    assert hits(view, 3) == [0, 1, 0]
    for marshal, only in ((0, "marshal right"), (3, "marshal left")):
        args = [(1, 1)] * 3, [(0, "marshal"), LATER]
        model, state = table(*args, marshal=marshal)
        assert choices(model, state) == [only]


@pytest.mark.parametrize(
    ("rulebook", "place", "hit"), [("tag", (1, 0), 0), ("published", (1, 1), 1)]
)
def test_climbing_down_to_the_marshal(rulebook, place, hit):
    args = [(1, 1), (0, 0)], [(0, "climb"), LATER]
    model, state = table(*args, marshal=1, rulebook=rulebook)
    view = play(model, state, "climb")
    assert places(view, 1) == [place]
    assert hits(view, 1) == [hit]


def test_collecting_takes_one_item_of_the_kind_that_is_chosen():
    train = [(0, 0, "purse 300"), (0, 0, "jewel"), (0, 1, "strongbox")]
    model, state = table([(0, 0), (1, 0)], [(0, "collect"), LATER], train=train)
    assert choices(model, state) == ["collect purse", "collect jewel"]
    view = play(model, state, "collect jewel")
    assert items(view["loot"][0]) == ["jewel"]
    assert items(view["on_train"][0]) == ["purse 300"]
    model, state = table([(1, 1), (0, 0)], [(0, "collect"), LATER], train=train)
    assert choices(model, state) == ["collect nothing"]


def test_shots_inside_reach_a_next_car_and_on_roofs_the_nearest_bandits():
    inside = [(1, 0), (0, 0), (2, 1), (3, 0)]
    model, state = table(inside, [(0, "shoot"), LATER])
    assert choices(model, state) == ["shoot player_1"]
    roofs = [(1, 1), (0, 1), (3, 1), (4, 1)]
    model, state = table(roofs, [(0, "shoot"), LATER])
    assert choices(model, state) == ["shoot player_1", "shoot player_2"]
    view = play(model, state, "shoot player_2")
    assert hits(view, 4) == [0, 0, 1, 0]
    assert view["bullets"].tolist()[:4] == [5, 6, 6, 6]
    model, state = table(roofs, [(0, "shoot"), LATER])
    model.view(state)["bullets"][0] = 0
    view = play(model, state, "shoot player_2")
    assert hits(view, 4) == [0] * 4
    model, state = table([(0, 0), (2, 0)], [(0, "shoot"), LATER])
    assert choices(model, state) == ["shoot nobody"]


def test_who_is_punched_drops_loot_and_is_pushed():
    loot = [(1, "purse 450"), (1, "jewel")]
    args = [(1, 1), (1, 1), (1, 0)], [(0, "punch"), LATER]
    model, state = table(*args, loot=loot)
    texts = [
        f"punch player_1 {side}, drops {kind}"
        for side in ("left", "right")
        for kind in ("purse", "jewel")
    ]
    assert choices(model, state) == texts
    view = play(model, state, texts[2])
    assert places(view, 2) == [(1, 1), (2, 1)]
    assert items(view["on_train"][3]) == ["purse 450"]
    assert items(view["loot"][1]) == ["jewel"]
    model, state = table([(0, 0), (0, 0)], [(0, "punch"), LATER], marshal=1)
    view = play(model, state, "punch player_1 right, drops nothing")
    assert places(view, 2) == [(0, 0), (1, 1)]
    assert hits(view, 2) == [0, 1]
    model, state = table([(0, 0), (0, 1)], [(0, "punch"), LATER])
    assert choices(model, state) == ["punch nobody"]


def test_cheyenne_takes_purses_and_nothing_else():
    for item, is_taken in (("purse 250", True), ("jewel", False)):
        args = [(0, 0), (0, 0)], [(0, "punch"), LATER], ("Cheyenne", "Doc")
        model, state = table(*args, loot=[(1, item)])
        kind = item.split()[0]
        view = play(model, state, f"punch player_1 right, drops {kind}")
        assert items(view["loot"][0]) == [item] * is_taken
        assert items(view["on_train"][0]) == [item] * (not is_taken)


def test_django_pushes_whom_he_shoots_on_both_levels_and_into_the_caboose():
    for level in (0, 1):
        args = [(2, level), (1, level)], [(0, "shoot"), LATER], ("Django", "Doc")
        model, state = table(*args)
        view = play(model, state, "shoot player_1")
        assert places(view, 2) == [(2, level), (0, level)]
    model, state = table([(1, 0), (0, 0)], [(0, "shoot"), LATER], ("Django", "Doc"))
    view = play(model, state, "shoot player_1")
    assert places(view, 2) == [(1, 0), (0, 0)]
    args = [(0, 0), (1, 0)], [(0, "shoot"), LATER], ("Django", "Doc")
    model, state = table(*args, marshal=2)
    view = play(model, state, "shoot player_1")
    assert places(view, 2) == [(0, 0), (2, 1)]
    assert hits(view, 2) == [0, 2]


def test_tuco_shoots_through_the_roof():
    for levels in ((0, 1), (1, 0)):
        where = [(1, levels[0]), (1, levels[1])]
        model, state = table(where, [(0, "shoot"), LATER], ("Tuco", "Doc"))
        assert choices(model, state) == ["shoot player_1"]
        model, state = table(where, [(0, "shoot"), LATER], ("Doc", "Tuco"))
        assert choices(model, state) == ["shoot nobody"]


def test_belle_is_a_target_only_if_there_is_no_other():
    who = ("Doc", "Belle", "Ghost")
    model, state = table([(1, 0), (0, 0), (2, 0)], [(0, "shoot"), LATER], who)
    assert choices(model, state) == ["shoot player_2"]
    model, state = table([(1, 0), (0, 0), (3, 0)], [(0, "shoot"), LATER], who)
    assert choices(model, state) == ["shoot player_1"]
    model, state = table([(0, 0)] * 3, [(0, "punch"), LATER], who)
    assert choices(model, state) == ["punch player_2 right, drops nothing"]


def test_hands_of_a_round_and_draws():
    model = rules.model(players=6)
    state = model.reset(new_generator(4))
    view = model.view(state)
    for seat in range(6):
        is_doctor = CHARACTERS[view["characters"][seat]] == "Doc"
        assert len(heap(view, "hands", seat)) == 6 + is_doctor
    size = len(heap(view, "hands", 0))
    play(model, state, "draw")
    assert len(heap(view, "hands", 0)) == min(size + 3, 10)


def planning(card, players, characters):
    """A model, and the first turn of a round with this card."""
    model = rules.model(players=players, asks_forced=True)
    state = model.reset(new_generator(5))
    view = model.view(state)
    view["characters"][:players] = [CHARACTERS.index(name) for name in characters]
    view["rounds"][0] = ROUNDS.index(card)
    for seat in range(players):
        set_heap(view, "hands", seat, ["move", "climb", "shoot", "shoot", "marshal"])
        set_heap(view, "decks", seat, ["punch", "collect"])
    return model, state


@pytest.mark.parametrize(
    ("card", "players", "order", "up"),
    [
        ("angry marshal", 3, "012012012021", "111111000111"),
        ("bridge", 3, "012001122012", "1" * 12),
        ("take it all", 2, "0101001101", "1100111111"),
        ("tunnel", 2, "0101010101", "1100110011"),
        ("braking", 5, "01234" * 4, "11111" + "0" * 15),
        ("rebellion", 5, "012340123401234" + "04321", "1" * 5 + "0" * 5 + "1" * 10),
    ],
)
def test_turns_of_round_cards(card, players, order, up):
    """Who plays in which order, and whether the cards lie face up."""
    who = ("Doc", "Cheyenne", "Django", "Tuco", "Belle")[:players]
    model, state = planning(card, players, who)
    view, found = model.view(state), ""
    for _ in order:
        assert not view["is_executing"]
        (player,) = model.movers(state)
        found += str(player)
        play(model, state, choices(model, state)[0])
    assert found == order
    assert view["is_executing"]
    assert "".join(map(str, view["face_up"][: len(order)].tolist())) == up


def test_the_card_of_ghost_lies_face_down_in_the_first_turn():
    model, state = planning("tunnel", 2, ("Ghost", "Doc"))
    view = play(model, state, "play move", "play climb")
    assert view["face_up"][:2].tolist() == [0, 1]
    assert "player_0 ?" in ansi(model, state, 1)
    assert "player_0 move" in ansi(model, state, 0)


def after_round(card, where, number=0, **options):
    """The fields of the state after a round, and its model."""
    extra = options.pop("characters", NOBODY_SPECIAL)
    model, state = table(
        where, [(0, "collect")], extra, round_card=card, number=number, **options
    )
    (text,) = choices(model, state)
    return model, state, play(model, state, text)


def received(view, players):
    """Bullets in decks and hands."""
    cards = [heap(view, "hands", n) + heap(view, "decks", n) for n in range(players)]
    return [one.count("bullet") for one in cards]


def test_events_of_rounds():
    where = [(0, 0), (1, 1), (2, 1)]
    _, _, view = after_round("angry marshal", where, marshal=2)
    assert received(view, 3) == [0, 0, 1]
    assert int(view["marshal"]) == 1
    _, _, view = after_round("braking", where)
    assert places(view, 3) == [(0, 0), (2, 1), (3, 1)]
    _, _, view = after_round("rebellion", where)
    assert received(view, 3) == [1, 0, 0]
    _, _, view = after_round("swivel arm", where)
    assert places(view, 3) == [(0, 0), (0, 1), (0, 1)]
    _, _, view = after_round("take it all", where, marshal=1)
    assert items(view["on_train"][2]) == ["strongbox"]
    for card in ("bridge", "tunnel"):
        _, _, view = after_round(card, where, marshal=1)
        assert places(view, 3) == where
        assert received(view, 3) == [0, 0, 0]
    assert int(view["round"]) == 1
    assert int(view["player"]) == 1


@pytest.mark.parametrize(
    ("rulebook", "kept"), [("tag", "purse 300"), ("published", "purse 450")]
)
def test_marshals_revenge_takes_a_purse(rulebook, kept):
    loot = [(1, "purse 450"), (1, "purse 300"), (1, "jewel"), (0, "purse 500")]
    args = "revenge", [(0, 0), (1, 1)], 4
    _, _, view = after_round(*args, loot=loot, marshal=1, rulebook=rulebook)
    assert items(view["loot"][1]) == [kept, "jewel"]
    assert items(view["loot"][0]) == ["purse 500"]


def test_hostage_and_pickpocket():
    where = [(0, 0), (3, 1), (3, 0)]
    _, _, view = after_round("hostage", where, 4)
    assert [items(view["loot"][n]) for n in range(3)] == [
        [],
        ["purse 250"],
        ["purse 250"],
    ]
    train = [(1, 0, "purse 350"), (2, 1, "purse 400"), (2, 1, "jewel")]
    where = [(0, 0), (1, 0), (2, 1), (2, 1)]
    _, _, view = after_round("pickpocket", where, 4, train=train)
    assert [items(view["loot"][n]) for n in range(4)] == [[], ["purse 350"], [], []]
    assert items(view["on_train"][2]) == []


def ended(loot, bullets, decks):
    """The scores and the results of a game that ends so."""
    where = [(0, 0), (1, 0), (2, 0)]
    model, state = table(
        where, [(0, "collect")], loot=loot, round_card="pickpocket", number=4
    )
    view = model.view(state)
    view["bullets"][:3] = bullets
    for seat, cards in enumerate(decks):
        set_heap(view, "decks", seat, cards)
    play(model, state, "collect nothing")
    assert model.is_over(state)
    assert not np.any(model.results(state) == DRAWN)
    return model.scores(state).tolist(), model.results(state).tolist()


def test_the_end():
    """Most dollars win, 1000 for the fewest bullets left; then fewest received."""
    jewels = [(0, "jewel"), (1, "jewel"), (2, "strongbox")]
    none, one = [], ["bullet"]
    scores, results = ended(jewels, (6, 2, 6), (none, none, none))
    assert scores == [500, 1500, 1000]
    assert results == [LOST, WON, LOST]
    scores, results = ended(jewels, (2, 2, 6), (one, none, none))
    assert scores == [1500, 1500, 1000]
    assert results == [LOST, WON, LOST]
    assert ended(jewels, (2, 2, 6), (one, one, none))[1] == [WON, WON, LOST]


def test_punches_take_two_clicks_and_everything_else_one():
    loot = [(1, "purse 450")]
    args = [(1, 1), (1, 1), (1, 1)], [(0, "punch"), LATER]
    model, state = table(*args, loot=loot)
    found = regions(model, state, 0, 0)
    assert len({region.shape for region in found}) == 2
    assert all(region.until is not None for region in found)
    model, state = table([(1, 1), (1, 1)], [(0, "move"), LATER])
    assert all(region.until is None for region in regions(model, state, 0, 0))


def test_wrong_options_and_texts():
    for options, words in (
        ({"players": 7}, "players=7: colt_express is for 2 to 6 players"),
        ({"rulebook": "none"}, "rulebook='none': colt_express has 'tag', 'published'"),
        ({"asks_forced": 1}, "asks_forced=1: expected true or false"),
    ):
        with pytest.raises((RulesError, ValueError), match=words):
            rules.model(**options)
    model = rules.model()
    for action in range(77):
        text = format_action(model, action)
        assert parse_action(model, f"  {text.upper()} ") == action
    with pytest.raises(ValueError, match="'fly' is not an action of colt_express"):
        parse_action(model, "fly")
