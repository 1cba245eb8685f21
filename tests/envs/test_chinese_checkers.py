"""Chinese Checkers against recorded games, a slow twin and facts of the rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.chinese_checkers.board import star
from mcts_agents.envs.chinese_checkers.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.chinese_checkers.rules import rules
from mcts_agents.envs.chinese_checkers.view import position
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator, random_below
from tests.envs.chinese_checkers_positions import arranged, compare_positions
from tests.envs.chinese_checkers_twin import Twin, distance
from tests.golden import are_enough, golden_folder, recorded_games

every_count = pytest.mark.parametrize("players", [2, 3, 4, 6])
every_board = pytest.mark.parametrize("fields", [73, 121])


# -- recorded games


@every_count
def test_recorded_games(players):
    name = f"chinese_checkers_turns_{players}p"
    header, games = recorded_games(golden_folder("openspiel") / f"{name}.jsonl.gz")
    model, rng = rules.model(**recorded_variant(header)), new_generator(0)
    assert are_enough(len(games), f"openspiel: games of {name}", 70)
    for game in games:
        state = model.reset(rng)
        for move, player, legal in zip(
            game["moves"], game["players"], game["legal"], strict=True
        ):
            assert model.movers(state) == (player,)
            actions = model.legal_actions(state, player)
            assert sorted(format_action(model, a) for a in actions) == legal.split()
            model.apply(state, {player: parse_action(model, move)}, rng)
        # The random ones were cut; OpenSpiel pays the winner all others' stakes.
        assert model.is_over(state) == any(game["returns"])
        assert model.returns(state) == [min(value, 1) for value in game["returns"]]


# -- the twin


@every_board
@every_count
@pytest.mark.parametrize("win_rule", ["near", "any", "strict"])
@settings(max_examples=3, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.7, 0.95]), st.integers(1, 40))
def test_games_equal_those_of_the_twin(players, fields, win_rule, seed, greed, cap):
    options = {"players": players, "fields": fields, "win_rule": win_rule}
    twin = play_both(options, seed, greed, cap)
    assert twin.winner is not None or twin.plies == cap * players


@every_board
@every_count
@pytest.mark.parametrize("win_rule", ["near", "any"])
def test_games_that_are_won_equal_those_of_the_twin(players, fields, win_rule):
    options = {"players": players, "fields": fields, "win_rule": win_rule}
    twins = [play_both(options, seed, 0.93, 80) for seed in range(3)]
    assert any(twin.winner is not None for twin in twins)


def play_both(options, seed, greed, cap):
    """Play a game by both sets of rules, moves that gain most with chance `greed`."""
    players = options["players"]
    model = rules.model(**options, max_plies_per_player=cap)
    twin, rng = Twin(**options, most_plies=cap * players), new_generator(seed)
    choose = np.random.default_rng(seed)
    state = model.reset(rng)
    compare(model, state, twin)
    while not twin.over:
        moves = sorted(twin.moves(twin.turn))
        if choose.random() < greed:
            tip = twin.tips[twin.turn]
            gains = [distance(tip, start) - distance(tip, end) for start, end in moves]
            moves = [m for m, g in zip(moves, gains, strict=True) if g == max(gains)]
        move = moves[choose.integers(len(moves))]
        model.apply(state, {twin.turn: number(twin, move)}, rng)
        twin.play(*move)
        compare(model, state, twin)
    return twin


def number(twin, move):
    origin, end = (twin.fields.index(field) for field in move)
    return origin * len(twin.fields) + end


def compare(model, state, twin):
    """Everything that the two sets of rules say of a position."""
    expected = () if twin.over else (twin.turn,)
    assert model.movers(state) == expected
    for player in expected:
        actions = model.legal_actions(state, player).tolist()
        assert len(set(actions)) == len(actions) <= model.legal_limit
        assert set(actions) == {number(twin, m) for m in twin.moves(player)}
    if twin.winner is None:
        expected = [DRAWN if twin.over else PLAYING] * twin.players
    else:
        expected = [WON if p == twin.winner else LOST for p in range(twin.players)]
    assert model.results(state).tolist() == expected
    assert model.scores(state) == pytest.approx(
        [{WON: 1, DRAWN: 1 / twin.players}.get(result, 0) for result in expected]
    )
    shown = position(model, state)
    assert shown.owner == {twin.fields.index(f): p for f, p in twin.pieces.items()}
    assert shown.to_go == [twin.to_go(player) for player in range(twin.players)]
    bound = {73: 72, 121: 160}[len(twin.fields)]
    shares = np.array([bound - length for length in shown.to_go])
    assert model.evaluate(state) == pytest.approx(shares / shares.sum())
    for player in range(twin.players):
        compare_observation(model, state, twin, player)


def compare_observation(model, state, twin, player):
    *planes, goal, turn = model.observe(state, player)
    for offset, plane in enumerate(planes):
        other = (player + offset) % twin.players
        assert [twin.fields[f] for f in np.flatnonzero(plane)] == sorted(
            twin.own(other), key=twin.fields.index
        )
    assert {twin.fields[f] for f in np.flatnonzero(goal)} == set(twin.goals[player])
    assert set(turn) == {int(player == twin.turn and not twin.over)}


def test_the_moves_of_random_positions_are_those_of_the_twin():
    """`chinese_checkers_positions` is a command, too, which compares 10,000."""
    assert compare_positions(400) > 400


# -- positions made by hand


def field(row, index):
    return star(73).rows[row][index]


# Player 0 of two goes to the last six fields, 67 to 72; the last but one is 71.
SOUTH = range(67, 73)


@pytest.mark.parametrize(
    ("case", "winning_rules"),
    [
        ("six own", {"near", "any", "strict"}),
        ("five own and one near", {"near", "any"}),
        ("five own and one far", {"any"}),
        ("a hole", set()),
        ("none own", set()),
    ],
)
def test_foreign_pieces_in_the_goal(case, winning_rules):
    """A step of player 0 after which the goal holds what the case says."""
    inside = list(SOUTH)
    far_north = [0, 1, 2, 3, 4]
    # Seen from the tip 12.0, field 8.4 is 4 steps away and field 7.4 is 5.
    own, foreign, move = {
        "six own": ([*inside[1:], field(9, 3)], [*far_north, 5], "9.3>10.0"),
        "five own and one near": (
            [*inside[:5], field(7, 3)],
            [*far_north, 72],
            "7.3>8.4",
        ),
        "five own and one far": (
            [*inside[:5], field(7, 3)],
            [*far_north, 72],
            "7.3>7.4",
        ),
        "a hole": ([*inside[:5], field(8, 3)], [*far_north, 5], "8.3>9.4"),
        "none own": (
            [0, 1, 2, 3, 4, field(6, 3)],
            inside,
            "6.3>7.3",
        ),
    }[case]
    for win_rule in ("near", "any", "strict"):
        model, state = arranged([own, foreign], win_rule=win_rule)
        action = parse_action(model, move)
        assert action in model.legal_actions(state, 0)
        model.apply(state, {0: action}, new_generator(1))
        won = win_rule in winning_rules
        assert model.results(state).tolist() == ([WON, LOST] if won else [0, 0]), (
            win_rule
        )


def test_who_is_shut_in_is_skipped_until_a_way_opens():
    """Player 1 of three has its pieces in the top corner behind two full rows."""
    wall = [field(3, i) for i in (3, 4, 5, 6)] + [field(4, i) for i in (2, 3, 4, 5, 6)]
    free = [field(9, 0), field(9, 9), field(12, 0)]
    model, state = arranged([wall[:6], range(6), wall[6:] + free], turn=2)
    rng = new_generator(1)
    assert len(model.legal_actions(state, 1)) == 0
    model.apply(state, {2: parse_action(model, "12.0>11.0")}, rng)
    assert model.movers(state) == (0,)
    # All pieces of player 0 stand in the wall: any move opens it.
    model.apply(state, {0: parse_action(model, "3.3>3.2")}, rng)
    assert model.movers(state) == (1,)
    twin = Twin(3)
    shown = position(model, state)
    twin.pieces = {twin.fields[f]: owner for f, owner in shown.owner.items()}
    through_the_gap = {number(twin, move) for move in twin.moves(1)}
    assert set(model.legal_actions(state, 1).tolist()) == through_the_gap != set()


def test_skipping_passes_the_turn_to_the_next_but_one():
    wall = [field(3, i) for i in (3, 4, 5, 6)] + [field(4, i) for i in (2, 3, 4, 5, 6)]
    free = [field(9, 0), field(9, 9), field(12, 0)]
    model, state = arranged([free + wall[:3], range(6), wall[3:]], turn=0)
    model.apply(state, {0: parse_action(model, "12.0>11.0")}, new_generator(1))
    assert model.movers(state) == (2,)
    assert model.view(state)["plies"] == 1


def test_who_can_only_hop_is_not_skipped():
    """One full row shuts the corner for steps, but it can be hopped over."""
    wall = [field(3, i) for i in (3, 4, 5, 6)]
    free = [field(row, i) for row in (9, 10) for i in (0, 1)]
    model, state = arranged(
        [
            [*free, field(12, 0), field(9, 9)],
            range(6),
            [*wall, field(7, 0), field(7, 7)],
        ]
    )
    model.apply(state, {0: parse_action(model, "12.0>11.0")}, new_generator(1))
    assert model.movers(state) == (1,)
    moves = {format_action(model, a) for a in model.legal_actions(state, 1)}
    assert all(move.split(">")[1].startswith("4.") for move in moves)


@every_board
@every_count
def test_a_pass_only_hands_the_move_over(players, fields):
    model, rng = rules.model(players=players, fields=fields), new_generator(players)
    state = model.reset(rng)
    for plies in range(30):
        (player,) = model.movers(state)
        passed = model.copy(state)
        model.pass_turn(passed)
        assert model.movers(passed) == ((player + 1) % players,)
        before, after = position(model, state), position(model, passed)
        assert (before.owner, before.to_go) == (after.owner, after.to_go)
        assert model.turn(passed) == plies
        assert model.state_key(passed) != model.state_key(state)
        actions = model.legal_actions(state, player)
        action = int(actions[random_below(rng, len(actions))])
        model.apply(state, {player: action}, rng)


def test_a_pass_skips_who_is_shut_in():
    wall = [field(3, i) for i in (3, 4, 5, 6)] + [field(4, i) for i in (2, 3, 4, 5, 6)]
    free = [field(9, 0), field(9, 9), field(12, 0)]
    model, state = arranged([wall[:6], range(6), wall[6:] + free], turn=0)
    model.pass_turn(state)
    assert model.movers(state) == (2,)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([2, 3, 4, 6]), st.sampled_from([73, 121]), st.integers(0, 2**32))
def test_every_move_can_be_taken_back(players, fields, seed):
    """This is why somebody can always move."""
    model, rng = rules.model(players=players, fields=fields), new_generator(seed)
    state = model.reset(rng)
    for _ in range(60):
        if model.is_over(state):
            return
        (player,) = model.movers(state)
        actions = model.legal_actions(state, player)
        action = int(actions[random_below(rng, len(actions))])
        model.apply(state, {player: action}, rng)
        origin, target = divmod(action, fields)
        assert target * fields + origin in model.legal_actions(state, player)


# -- random moves


@every_board
def test_random_actions_are_uniform_over_the_legal_ones(fields):
    model, rng = rules.model(players=6, fields=fields), new_generator(11)
    state = model.reset(rng)
    for _ in range(4):
        for _ in range(37):
            (player,) = model.movers(state)
            action = model.call("random_action", *addresses(state, player, rng))
            model.apply(state, {player: action}, rng)
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        drawn = [
            model.call("random_action", *addresses(state, player, rng))
            for _ in range(200 * len(legal))
        ]
        assert set(drawn) == set(legal.tolist())
        counts = np.bincount(drawn, minlength=fields * fields)[legal]
        assert stats.chisquare(counts).pvalue > 1e-4


def addresses(state, player, rng):
    return state.ctypes.data, player, rng.ctypes.data


@every_board
@every_count
def test_a_playout_is_the_same_as_random_steps(players, fields):
    model = rules.model(players=players, fields=fields, max_plies_per_player=20)
    for seed in range(5):
        one, two = new_generator(seed), new_generator(seed)
        stepped, played = model.reset(one), model.reset(two)
        n = model.call("playout", played.ctypes.data, two.ctypes.data, 17)
        assert n == 17
        n += model.call("playout", played.ctypes.data, two.ctypes.data, 10**6)
        steps = 0
        while not model.is_over(stepped):
            (player,) = model.movers(stepped)
            action = model.call("random_action", *addresses(stepped, player, one))
            model.apply(stepped, {player: action}, one)
            steps += 1
        assert (n, played.tobytes()) == (steps, stepped.tobytes())
        assert n <= 20 * players
