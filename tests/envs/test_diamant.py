"""The rules of Diamant against a slow twin, and what is written of them."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.diamant.cards import MOST_GEMS, share_of
from mcts_agents.envs.diamant.notation import format_action, parse_action
from mcts_agents.envs.diamant.rules import rules
from mcts_agents.envs.diamant.table import ansi
from mcts_agents.model import RESULT_NAMES, new_generator
from mcts_agents.model.random import draw_uint64
from tests.envs.diamant_positions import (
    coming,
    names,
    path_of,
    play_both,
    play_some,
    positions,
    random_joint,
    table,
)
from tests.envs.diamant_twin import DECK

CONTINUE, EXIT = 0, 1


# -- the rules


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("leaving", [2, 8, 1000])
def test_random_games_equal_those_of_the_twin(players, leaving):
    for seed in range(20):
        model, state, twin = play_both(players, seed, 0)
        rng = new_generator(seed)
        compare(model, state, twin)
        while not model.is_over(state):
            joint = random_joint(model, state, rng, leaving)
            model.apply(state, joint, rng)
            twin.apply(joint)
            compare(model, state, twin)


def compare(model, state, twin):
    """Everything that the two sets of rules say of a position."""
    view, players = model.view(state), model.players
    assert list(model.movers(state)) == twin.inside
    for player in twin.inside:
        assert model.legal_actions(state, player).tolist() == [CONTINUE, EXIT]
        assert view["carried"] == twin.hands[player]
    assert model.scores(state).tolist() == twin.chests
    assert [RESULT_NAMES[r] for r in model.results(state)] == twin.results()
    assert view["on_path"] == twin.pool
    assert path_of(model, state) == twin.path
    if twin.inside:
        assert coming(model, state) == twin.deck
    assert model.turn(state) == twin.decisions
    assert model.round(state) == twin.caves_ended
    # Thirty cards, and every gem that was turned is somewhere.
    box = names(view["box"])
    assert Counter(box) + Counter(twin.removed) == DECK
    assert Counter(names(view["deck"])) + Counter(twin.path) == Counter(box)
    here = sum(twin.chests) + sum(twin.hands) + twin.pool + twin.lost
    assert here == twin.taken
    assert view["chests"][players:].tolist() == [0] * (6 - players)


def test_shares_are_whole_quotients():
    for gems in range(MOST_GEMS + 1):
        for number in range(1, 7):
            assert share_of(gems, number) == gems // number


def test_a_treasure_is_divided_among_those_inside():
    model, state = table(3, ["gas"], carried=1, on_path=1, upcoming=17)
    model.apply(state, {0: CONTINUE, 1: CONTINUE, 2: CONTINUE}, new_generator(0))
    view = model.view(state)
    assert (view["carried"], view["on_path"]) == (6, 3)
    assert path_of(model, state) == ["gas", 17]


def test_who_leaves_divides_the_path_before_the_next_card():
    model, state = table(4, [5, 7], carried=2, on_path=5, upcoming=9)
    rng = new_generator(0)
    model.apply(state, {0: EXIT, 1: CONTINUE, 2: EXIT, 3: CONTINUE}, rng)
    assert model.scores(state).tolist() == [4, 0, 4, 0]
    assert model.movers(state) == (1, 3)
    view = model.view(state)
    assert (view["carried"], view["on_path"]) == (2 + 4, 1 + 1)
    model.apply(state, {1: EXIT, 3: EXIT}, rng)
    assert model.scores(state).tolist() == [4, 7, 4, 7]
    assert model.movers(state) == (0, 1, 2, 3)
    assert model.round(state) == 1


def test_the_second_hazard_takes_what_is_carried_and_leaves_the_game():
    model, state = table(2, ["gas", 7], carried=3, on_path=1, upcoming="gas")
    model.apply(state, {0: EXIT, 1: CONTINUE}, new_generator(0))
    assert model.scores(state).tolist() == [4, 0]
    view = model.view(state)
    assert names(view["box"]).count("gas") == 2
    assert model.movers(state) == (0, 1)
    assert len(path_of(model, state)) == 1
    assert "player_0 leaves; second gas in cave 1" in ansi(model, state, None)


@pytest.mark.parametrize(
    ("chests", "expected"),
    [
        ([3, 1, 2], ["won", "lost", "lost"]),
        ([3, 1, 3], ["drawn", "lost", "drawn"]),
        ([0, 0, 0], ["drawn", "drawn", "drawn"]),
    ],
)
def test_results(chests, expected):
    model, state = table(3, ["gas"], chests=chests, cave=4)
    assert [RESULT_NAMES[r] for r in model.results(state)] == ["playing"] * 3
    model.apply(state, [EXIT] * 3, new_generator(0))
    assert model.is_over(state)
    assert [RESULT_NAMES[r] for r in model.results(state)] == expected
    assert model.observe(state, 0)[26] == 5


def test_every_cave_and_game_has_an_order_of_its_own():
    """TAG's program shuffled every cave of a game alike."""
    model = rules.model(players=2)
    orders = set()
    for seed in range(5):
        rng = new_generator(seed)
        state = model.reset(rng)
        for _ in range(5):
            orders.add((*path_of(model, state), *coming(model, state)))
            model.apply(state, [EXIT, EXIT], rng)
    assert len(orders) == 25


def test_all_cards_come_equally_often():
    model, state = table(2, ["gas", "snakes", 1])
    rng = new_generator(4)
    drawn = Counter()
    for _ in range(6000):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        drawn[coming(model, sample)[0]] += 1
    held = Counter(names(model.view(state)["deck"]))
    expected = [6000 * n / 27 for n in held.values()]
    found = [drawn[card] for card in held]
    assert stats.chisquare(found, expected).pvalue > 1e-4


@pytest.mark.parametrize("players", [0, 1, 7, -2])
def test_wrong_numbers_of_players_are_refused(players):
    with pytest.raises(ValueError, match=f"players={players}: diamant is for 2 to 6"):
        rules.model(players=players)


# -- uniform play


def test_random_actions_are_fair():
    model, state = play_some(3, 1, 1, 12)
    rng = new_generator(1)
    player = model.movers(state)[0]
    drawn = Counter(
        model.call("random_action", state.ctypes.data, player, rng.ctypes.data)
        for _ in range(4000)
    )
    assert sorted(drawn) == [CONTINUE, EXIT]
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 80))
def test_playout_is_random_stepping_up_to_its_limit(position, limit):
    """A bit of one draw is each mover's coin; no joint decision exceeds the limit."""
    model, state = play_some(*position)
    played, stepped = model.copy(state), model.copy(state)
    rng, other = new_generator(7), new_generator(7)
    count = model.call("playout", played.ctypes.data, rng.ctypes.data, limit)
    steps = 0
    while (movers := model.movers(stepped)) and steps + len(movers) <= limit:
        coins = draw_uint64(other) >> 58
        model.apply(stepped, {p: coins >> p & 1 for p in movers}, other)
        steps += len(movers)
    assert count == steps <= limit
    assert (played == stepped).all()


# -- notation and text


def test_actions_are_written_and_read():
    model = rules.model()
    assert [format_action(model, a) for a in (0, 1)] == ["continue", "exit"]
    assert parse_action(model, " Exit ") == EXIT
    message = "'out' is not an action of diamant; expected con"
    with pytest.raises(ValueError, match=message):
        parse_action(model, "out")


def test_text_shows_the_table():
    model, state = table(
        2, ["gas", 13, "snakes"], carried=6, on_path=1, chests=[0, 12], cave=2
    )
    model.view(state)["inside"] = 0b10
    assert ansi(model, state, 0).splitlines() == [
        "Diamant  cave 3 of 5",
        "",
        "path     gas, 13, snakes",
        "on path  1 gem",
        "deck     27 cards, 4 of them would end the cave",
        "removed  -",
        "",
        "  player_0  chest   0  has left",
        "> player_1  chest  12  in the cave, carries 6",
    ]
