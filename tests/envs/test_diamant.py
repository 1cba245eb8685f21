"""The rules of Diamant against a slow twin; what players can know; heuristics."""

import functools
from collections import Counter

import numpy as np
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
    permute_hidden,
    play_both,
    play_some,
    positions,
    random_joint,
)
from tests.envs.diamant_twin import DECK, HAZARDS, TREASURES

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


def table(players, path, *, carried=0, on_path=0, chests=(), cave=0, upcoming=None):
    """A model, and a state in which everybody is in a cave with this path.

    With `upcoming` the deck's order is chosen so that this card comes next.
    """
    model = rules.model(players=players)
    state = model.reset(new_generator(0))
    view = model.view(state)
    faces = [*TREASURES, *HAZARDS]
    deck = set(range(30))
    for card in path:
        deck.remove(min(c for c in deck if names(1 << c) == [card]))
    view["deck"] = sum(1 << card for card in deck)
    view["path_length"] = len(path)
    view["path"][: len(path)] = [faces.index(card) for card in path]
    view["hazards"] = sum(1 << HAZARDS.index(c) for c in path if c in HAZARDS)
    view["carried"], view["on_path"], view["cave"] = carried, on_path, cave
    view["chests"][: len(chests)] = chests
    seed = 1
    while upcoming is not None and coming(model, state)[0] != upcoming:
        view["deck_order"] = new_generator(seed)
        seed += 1
    return model, state


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


# -- what a player knows


@settings(max_examples=100, deadline=None)
@given(positions, st.integers(0, 5), st.integers(0, 2**32), st.randoms())
def test_redeterminise_changes_the_order_of_the_deck_and_nothing_else(
    position, observer, seed, random
):
    model, state = play_some(*position)
    observer %= model.players
    twisted, sample = model.copy(state), model.copy(state)
    permute_hidden(model, twisted, observer, random)
    for other in range(model.players):
        assert (model.observe(twisted, other) == model.observe(state, other)).all()
    model.redeterminise(sample, observer, new_generator(seed))
    model.redeterminise(twisted, observer, new_generator(seed))
    assert (sample == twisted).all()  # equal information and seed
    assert (model.observe(sample, observer) == model.observe(state, observer)).all()
    before, after = model.view(state), model.view(sample)
    for field in set(before.dtype.names) - {"deck_order"}:
        assert np.array_equal(before[field], after[field])
    assert Counter(coming(model, sample)) == Counter(coming(model, state))
    finish(model, sample)


def finish(model, state):
    """A sample is a position of the game: it can be played out to a sound end."""
    rng = new_generator(0)
    while not model.is_over(state):
        assert model.view(state)["path_length"] <= 20
        model.apply(state, random_joint(model, state, rng), rng)
    assert all(r > 0 for r in model.results(state))


def test_samples_have_different_orders():
    model, state = play_some(4, 2, 2, 12)
    rng = new_generator(0)
    orders = set()
    for _ in range(50):
        model.redeterminise(state, 1, rng)
        orders.add(tuple(coming(model, state)))
    assert len(orders) == 50


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 5))
def test_what_an_observation_says(position, observer):
    model, state, twin = play_both(*position)
    observer %= model.players
    seen = model.observe(state, observer).tolist()
    assert seen[:15] == [int(gems in twin.path) for gems in TREASURES]
    assert seen[15:20] == [int(hazard in twin.path) for hazard in HAZARDS]
    assert seen[20:25] == [twin.removed.count(hazard) for hazard in HAZARDS]
    assert seen[25:27] == [twin.pool, twin.caves_ended]
    for seat in range(model.players):
        owner = (observer + seat) % model.players
        row = seen[27 + 5 * seat : 32 + 5 * seat]
        assert row[0] == (owner in twin.inside)
        assert 100 * row[1] + row[2] == twin.chests[owner]
        assert 100 * row[3] + row[4] == twin.hands[owner]


def test_large_numbers_fit_into_an_observation():
    model, state = table(2, [], carried=MOST_GEMS, chests=[695, 101])
    seen = model.observe(state, 0)
    assert seen[27:].tolist() == [1, 6, 95, 1, 39, 1, 1, 1, 1, 39]


@settings(max_examples=60, deadline=None)
@given(positions, st.randoms())
def test_keys_are_equal_for_equal_information(position, random):
    model, state, twin = play_both(*position)
    twisted = model.copy(state)
    permute_hidden(model, twisted, 0, random)
    keys = {model.state_key(s, p) for s in (state, twisted) for p in range(2)}
    assert len(keys) == 1
    assert model.state_key(twisted) != model.state_key(state)
    view = model.view(twisted)
    view["path"][: len(twin.path)] = view["path"][: len(twin.path)][::-1]
    assert model.state_key(twisted, 0) in keys  # the order of the path is past
    view["chests"][random.randrange(model.players)] += 1
    assert model.state_key(twisted, 0) not in keys


def test_keys_tell_all_positions_of_many_games_apart():
    keys = {}
    for players in (2, 3, 6):
        for seed in range(6):
            for decisions in range(25):
                model, state, twin = play_both(players, seed, decisions, 5)
                known = repr(
                    (
                        players, sorted(map(str, twin.path)), twin.pool, twin.chests,
                        twin.hands, sorted(twin.removed), twin.caves_ended, twin.inside,
                    )
                )  # fmt: skip
                keys.setdefault(model.state_key(state, 1), set()).add(known)
    assert len(keys) > 200
    assert all(len(positions) == 1 for positions in keys.values())


def test_decisions_are_open_once_made():
    model, state = play_some(3, 0, 0, 2)
    for actor, action in enumerate([CONTINUE, EXIT, EXIT]):
        for observer in range(3):
            joint = [CONTINUE, EXIT, EXIT]
            assert model.visible_action(state, joint, actor, observer) == action


# -- heuristics


@settings(max_examples=100, deadline=None)
@given(positions)
def test_heuristics_equal_the_twins(position):
    model, state, twin = play_both(*position)
    alive = 1.0
    if twin.inside:
        danger, size = twin.danger(), len(twin.deck)
        alive = 1 - danger / size
        rng = new_generator(0)
        policy = functools.partial(model.call, "policy_cautious")
        stake = twin.stake()
        going_on = alive * stake + twin.gain() / size
        for player in twin.inside:
            addresses = state.ctypes.data, player, 0, rng.ctypes.data
            chosen = policy(*addresses)
            assert chosen == (danger * stake > twin.gain())
            values = model.action_values(state, player)
            expected = np.array([going_on, stake]) / (going_on + stake)
            assert values == pytest.approx(expected)
    worth = np.array(twin.chests) + alive * np.array(twin.hands)
    if worth.sum() == 0:
        worth[:] = 1
    assert model.evaluate(state) == pytest.approx(worth / worth.sum())


def test_leaving_looks_better_with_more_gems_and_more_hazards():
    def value_of_exit(path, carried):
        model, state = table(3, path, carried=carried)
        return model.action_values(state, 0)[EXIT]

    assert value_of_exit(["gas"], 4) < value_of_exit(["gas"], 9)
    assert value_of_exit(["gas"], 9) < value_of_exit(["gas", "snakes"], 9)


def test_cautious_beats_random_play():
    model = rules.model(players=2)
    policy = functools.partial(model.call, "policy_cautious")
    rng = new_generator(3)
    won = 0
    for game in range(200):
        state = model.reset(rng)
        while movers := model.movers(state):
            joint = random_joint(model, state, rng, 2)
            careful = game % 2
            if careful in movers:
                addresses = state.ctypes.data, careful, 0, rng.ctypes.data
                joint[careful] = policy(*addresses)
            model.apply(state, joint, rng)
        won += RESULT_NAMES[model.results(state)[game % 2]] == "won"
    assert won > 130


# -- notation and text


def test_actions_are_written_and_read():
    model = rules.model()
    assert [format_action(model, a) for a in (0, 1)] == ["continue", "exit"]
    assert parse_action(model, " Exit ") == EXIT
    with pytest.raises(ValueError, match="'out' is no action of diamant; expected con"):
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
