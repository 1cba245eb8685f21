"""The rules of Sushi Go! against a slow twin and published tables."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.sushi_go.cards import ACTIONS, CARD_OF, unpack
from mcts_agents.envs.sushi_go.notation import format_action, parse_action
from mcts_agents.envs.sushi_go.rules import rules
from mcts_agents.model import RESULT_NAMES, new_generator
from tests.envs.sushi_go_positions import (
    bunch,
    in_order,
    names,
    play_some,
    positions,
    random_joint,
    table,
)
from tests.envs.sushi_go_twin import CARDS, PUBLISHED_DECK, USE_CHOPSTICKS, Twin

TAG_DECK = {**PUBLISHED_DECK, "maki 2": 8, "maki 3": 12}
EVERY_COUNT = pytest.mark.parametrize("players", [2, 3, 4, 5])


# -- the rules


@EVERY_COUNT
@pytest.mark.parametrize("maki", ["tag2022", "published"])
@pytest.mark.parametrize("rulebook", ["tag", "published"])
def test_random_games_equal_those_of_the_twin(players, maki, rulebook):
    model = rules.model(players=players, maki=maki, rulebook=rulebook)
    deck = TAG_DECK if maki == "tag2022" else PUBLISHED_DECK
    for seed in range(30):
        rng = new_generator(seed)
        state = model.reset(rng)
        view = model.view(state)
        twin = Twin(
            players,
            deck,
            lambda: [names(hand) for hand in view["hands"][:players]],  # noqa: B023
            published=rulebook == "published",
        )
        compare(model, state, twin, deck)
        while twin.movers():
            joint = random_joint(model, state, rng, bold=seed % 2)
            model.apply(state, joint, rng)
            twin.apply(joint)
            compare(model, state, twin, deck)


def compare(model, state, twin, deck):
    """Everything that the two sets of rules say of a position."""
    players, view = model.players, model.view(state)
    assert list(model.movers(state)) == twin.movers()
    for player in twin.movers():
        assert model.legal_actions(state, player).tolist() == twin.legal(player)
    assert model.scores(state).tolist() == twin.scores
    assert [RESULT_NAMES[r] for r in model.results(state)] == twin.results()
    here = Counter(deck) - twin.pile
    here.subtract(twin.removed)
    for player in range(players):
        assert names(view["hands"][player]) == in_order(twin.remaining(player))
        assert names(view["fields"][player]) == in_order(twin.fields[player])
        assert view["on_wasabi"][player].tolist() == [
            twin.fields[player].count(f"{nigiri} on wasabi")
            for nigiri in ("squid", "salmon", "egg")
        ]
        here.subtract(names(view["hands"][player]) + names(view["fields"][player]))
        if view["pending"][player] >= 0:
            here[CARDS[CARD_OF[view["pending"][player]]]] -= 1
    assert names(view["pile"]) == in_order(twin.pile.elements())
    assert not any(here.values())  # no card is lost or made


def test_published_deck_and_tag_deck_have_108_cards():
    for maki, deck in (("tag2022", TAG_DECK), ("published", PUBLISHED_DECK)):
        model = rules.model(maki=maki)
        assert unpack(model.game["deck"][0]).tolist() == list(deck.values())
        assert sum(deck.values()) == 108


# Cards played one a turn, and the points that the published rules give for them.
AT_ONCE = [
    (["tempura"], 0),
    (["tempura"] * 2, 5),
    (["tempura"] * 3, 5),
    (["tempura"] * 4, 10),
    (["sashimi"] * 2, 0),
    (["sashimi"] * 3, 10),
    (["sashimi"] * 5, 10),
    (["sashimi"] * 6, 20),
    (["dumpling"], 1),
    (["dumpling"] * 2, 3),
    (["dumpling"] * 3, 6),
    (["dumpling"] * 4, 10),
    (["dumpling"] * 5, 15),
    (["dumpling"] * 6, 15),
    (["squid", "salmon", "egg"], 6),
    (["wasabi", "squid on wasabi"], 9),
    (["wasabi", "salmon on wasabi"], 6),
    (["wasabi", "egg on wasabi", "squid"], 6),
    (["wasabi", "wasabi", "squid on wasabi", "squid on wasabi"], 18),
    (["squid", "wasabi"], 3),
    (["maki 3", "pudding", "chopsticks"], 0),
    (["tempura", "sashimi", "tempura", "sashimi", "sashimi"], 15),
]


@pytest.mark.parametrize(("plays", "points"), AT_ONCE)
def test_points_paid_at_once(plays, points):
    model = rules.model(players=2)
    rng = new_generator(0)
    state = model.reset(rng)
    view = model.view(state)
    for play in plays:
        action = parse_action(model, play)
        size = int(unpack(view["hands"][0]).sum())
        card = CARDS[CARD_OF[action]]
        view["hands"][:2] = bunch(card, *["maki 1"] * (size - 1))
        assert action in model.legal_actions(state, 0)
        model.apply(state, [action, 0], rng)
    assert model.scores(state).tolist() == [points, 0]


def last_turn(fields, rulebook, last_round=0):
    """The score of each player after a round's last turn, in which all play egg (1)."""
    model = rules.model(players=len(fields), rulebook=rulebook)
    rng = new_generator(0)
    state = model.reset(rng)
    view = model.view(state)
    view["passes"] = model.game["hand_size"][0] - 1
    view["round"] = last_round
    for player, cards in enumerate(fields):
        view["hands"][player] = bunch("egg")
        view["fields"][player] = bunch(*cards)
    model.apply(state, [CARDS.index("egg")] * len(fields), rng)
    return [int(score) - 1 for score in model.scores(state)], model, state


# Maki icons of the players; points as published; points where TAG pays differently.
MAKI = [
    ([5, 3, 1, 0], [6, 3, 0, 0], None),
    ([5, 5, 3, 0], [3, 3, 0, 0], [3, 3, 3, 0]),
    ([5, 3, 3, 1], [6, 1, 1, 0], None),
    ([4, 4, 4, 4], [1, 1, 1, 1], None),
    ([2, 0, 0, 0], [6, 0, 0, 0], None),
    ([0, 0, 0, 0], [0, 0, 0, 0], None),
    ([1, 3, 2], [0, 6, 3], None),
    ([2, 2, 2, 1, 1], [2, 2, 2, 0, 0], [2, 2, 2, 1, 1]),
    ([6, 2, 2, 2, 2], [6, 0, 0, 0, 0], None),
]


@pytest.mark.parametrize(("icons", "published", "tag"), MAKI)
def test_maki_points(icons, published, tag):
    fields = [["maki 3"] * (n // 3) + [f"maki {n % 3}"] * (n % 3 > 0) for n in icons]
    assert last_turn(fields, "published")[0] == published
    assert last_turn(fields, "tag")[0] == (tag or published)


PUDDINGS = [
    ([3, 1, 2, 2], [6, -6, 0, 0], None),
    ([3, 3, 1, 1], [3, 3, -3, -3], None),
    ([2, 0, 0, 0], [6, -2, -2, -2], None),
    ([1, 0, 0, 0, 0], [6, -1, -1, -1, -1], None),
    ([2, 2, 2, 2], [0, 0, 0, 0], None),
    ([0, 0, 0], [0, 0, 0], None),
    ([4, 2], [6, 0], [6, -6]),
    ([1, 1], [0, 0], None),
]


@pytest.mark.parametrize(("puddings", "published", "tag"), PUDDINGS)
def test_pudding_points(puddings, published, tag):
    fields = [["pudding"] * n for n in puddings]
    assert last_turn(fields, "published", last_round=2)[0] == published
    assert last_turn(fields, "tag", last_round=2)[0] == (tag or published)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([["maki 1"], [], []], ["won", "lost", "lost"]),
        # Puddings pay 6, -3, -3.
        ([["pudding", "pudding"], ["pudding"], ["pudding"]], ["won", "lost", "lost"]),
        # Puddings pay 3, 3, -6; maki pay the last player 6.
        ([["pudding"], ["pudding"], ["maki 1"]], ["drawn", "drawn", "lost"]),
        ([[], [], []], ["drawn", "drawn", "drawn"]),
    ],
)
def test_results(fields, expected):
    _, model, state = last_turn(fields, "published", last_round=2)
    assert [RESULT_NAMES[r] for r in model.results(state)] == expected
    assert model.is_over(state)


def test_more_puddings_win_where_points_are_equal():
    _, model, state = last_turn([["pudding"], ["maki 1"]], "published", last_round=2)
    assert model.scores(state).tolist() == [7, 7]
    assert [RESULT_NAMES[r] for r in model.results(state)] == ["won", "lost"]


def test_puddings_stay_and_all_else_goes_after_a_round():
    _, model, state = last_turn([["pudding", "wasabi"], ["sashimi"]], "tag")
    view = model.view(state)
    assert [names(field) for field in view["fields"][:2]] == [["pudding"], []]
    assert (view["round"], view["passes"]) == (1, 0)
    assert [len(names(hand)) for hand in view["hands"][:2]] == [10, 10]
    assert not any(a >= 12 for a in model.legal_actions(state, 0))  # wasabi is gone


def test_chopsticks_play_two_cards_and_go_back_into_the_hand_that_passes():
    model, state = table(
        3,
        [["wasabi", "squid", "egg"], ["tempura"] * 3, ["sashimi"] * 3],
        [["chopsticks"], [], []],
    )
    rng = new_generator(0)
    model.apply(state, {0: 15, 1: 3, 2: 4}, rng)
    assert model.movers(state) == (0,)
    assert model.legal_actions(state, 0).tolist() == [6, 8, 9]  # no second chopsticks
    model.apply(state, {0: 9}, rng)
    assert model.legal_actions(state, 0).tolist() == [6, 8, 12, 14]
    assert model.scores(state).tolist() == [0, 0, 0]
    model.apply(state, {0: 12}, rng)
    view = model.view(state)
    assert model.movers(state) == (0, 1, 2)
    assert model.scores(state).tolist() == [9, 0, 0]
    assert names(view["fields"][0]) == ["squid", "wasabi"]
    assert [names(hand) for hand in view["hands"][:3]] == [
        ["tempura", "tempura"],
        ["sashimi", "sashimi"],
        ["egg", "chopsticks"],
    ]


@pytest.mark.parametrize(
    ("hand", "field", "allowed"),
    [
        (["egg", "squid"], ["chopsticks"], True),
        (["egg"], ["chopsticks"], False),  # two cards are needed
        (["egg", "chopsticks"], [], False),  # must lie on the field
    ],
)
def test_when_chopsticks_may_be_used(hand, field, allowed):
    model, state = table(2, [hand, hand], [field, []])
    assert (USE_CHOPSTICKS in model.legal_actions(state, 0)) == allowed
    assert USE_CHOPSTICKS not in model.legal_actions(state, 1)


def test_wasabi_is_optional_for_tag_and_compulsory_as_published():
    cards = [["egg", "salmon", "tempura"], ["egg"] * 3], [["wasabi"], []]
    tag, state = table(2, *cards)
    assert tag.legal_actions(state, 0).tolist() == [3, 7, 8, 13, 14]
    published, state = table(2, *cards, rulebook="published")
    assert published.legal_actions(state, 0).tolist() == [3, 13, 14]
    assert published.legal_actions(state, 1).tolist() == [8]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"players": 1}, "players=1: sushi_go is for 2 to 5 players"),
        ({"players": 9}, "players=9: sushi_go is for 2 to 5 players"),
        ({"maki": "many"}, "maki='many': sushi_go has 'tag2022', 'published'"),
        ({"rulebook": "x"}, "rulebook='x': sushi_go has 'tag', 'published'"),
        ({"size": 3}, "sushi_go has no option 'size'"),
    ],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**option)


# -- uniform play


@pytest.mark.parametrize("rulebook", ["tag", "published"])
def test_random_actions_are_uniform_among_the_legal(rulebook):
    hand = ["egg", "squid", "squid", "tempura", "pudding", "chopsticks"]
    model, state = table(
        2, [hand, hand], [["wasabi", "chopsticks"], []], rulebook=rulebook
    )
    rng = new_generator(1)
    for player, kinds in ((0, {"tag": 8, "published": 6}[rulebook]), (1, 5)):
        legal = model.legal_actions(state, player).tolist()
        assert len(legal) == kinds
        drawn = Counter(
            model.call("random_action", state.ctypes.data, player, rng.ctypes.data)
            for _ in range(8000)
        )
        assert sorted(drawn) == legal
        assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 130))
def test_playout_is_random_stepping_up_to_its_limit(position, limit):
    """Same generator, same game; no joint decision that would exceed the limit."""
    model, state = play_some(*position)
    played, stepped = model.copy(state), model.copy(state)
    rng, other = new_generator(7), new_generator(7)
    count = model.call("playout", played.ctypes.data, rng.ctypes.data, limit)
    steps = 0
    while (movers := model.movers(stepped)) and steps + len(movers) <= limit:
        joint = {
            p: model.call("random_action", stepped.ctypes.data, p, other.ctypes.data)
            for p in movers
        }
        model.apply(stepped, joint, other)
        steps += len(movers)
    assert count == steps
    assert (played == stepped).all()


# -- notation


def test_actions_are_written_and_read():
    model = rules.model()
    texts = [format_action(model, action) for action in range(ACTIONS)]
    assert texts[3] == "tempura"
    assert texts[10] == "chopsticks"
    assert texts[12] == "squid on wasabi"
    assert texts[15] == "use chopsticks"
    assert [parse_action(model, text) for text in texts] == list(range(ACTIONS))
    assert parse_action(model, "  Squid  ON wasabi ") == 12


def test_unknown_text_is_answered_with_what_was_expected():
    with pytest.raises(
        ValueError, match=r"'sushi' is not an action of sushi_go; .*tempura"
    ):
        parse_action(rules.model(), "sushi")
