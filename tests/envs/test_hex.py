"""Hex against OpenSpiel's games, a slow twin, exact enumeration, published lengths."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from mcts_agents.envs.hex import GAME, rules
from mcts_agents.envs.hex.draw import winning_chain
from mcts_agents.model import WON, new_generator, random_below
from tests.envs.hex_twin import Twin
from tests.golden import are_enough, golden_folder, recorded_games

RECORDS = ["hex_7x7", "hex_11x11", "hex_7x7_forced_c3", "hex_7x7_forced_b2"]


def random_moves(model, state, rng, most):
    """Play uniformly random moves one by one; return how many, at most `most`."""
    legal = np.empty(model.legal_limit, np.int32)
    joint = np.full(2, -1, np.int32)
    at, generator = state.ctypes.data, rng.ctypes.data
    played = 0
    while played < most and (mask := model.call("movers", at)):
        player = mask >> 1
        n = model.call("legal_actions", at, player, legal.ctypes.data)
        joint[player] = legal[random_below(rng, n)]
        model.call("apply", at, joint.ctypes.data, generator)
        played += 1
    return played


@pytest.mark.parametrize("name", RECORDS)
def test_recorded_games_are_played_alike(name):
    header, games = recorded_games(golden_folder("openspiel") / f"{name}.jsonl.gz")
    model = rules.model(**GAME.recorded_variant(header))
    rng = new_generator(0)
    for game in games:
        state = model.reset(rng)
        plies = zip(game["moves"], game["players"], game["legal"], strict=True)
        for move, player, legal in plies:
            assert model.movers(state) == (player,)
            ours = [
                GAME.format_action(model, a) for a in model.legal_actions(state, player)
            ]
            assert sorted(ours) == legal.split()
            model.apply(state, {player: GAME.parse_action(model, move)}, rng)
        assert model.is_over(state)
        assert model.returns(state) == game["returns"]
    assert are_enough(len(games), f"openspiel: games of {name}", 101)


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 19), st.integers(0, 2**32), st.booleans())
def test_random_games_agree_with_the_twin(size, seed, forced):
    first = seed % (size * size) if forced else None
    model = rules.model(size=size, first_cell=first)
    twin = Twin(size, None if first is None else divmod(first, size))
    rng = new_generator(seed)
    state = model.reset(rng)
    while True:
        winner = twin.winner()
        assert (winner is None) == (not model.is_over(state))
        if winner is not None:
            break
        assert model.movers(state) == (twin.turn,)
        legal = [
            divmod(a, size) for a in model.legal_actions(state, twin.turn).tolist()
        ]
        assert legal == twin.legal()
        action = int(
            model.call("random_action", state.ctypes.data, twin.turn, rng.ctypes.data)
        )
        assert divmod(action, size) in legal
        model.apply(state, {twin.turn: action}, rng)
        twin.play(divmod(action, size))
    assert model.returns(state)[winner] == 1
    assert model.returns(state)[1 - winner] == -1
    chain = winning_chain(model, state)
    assert chain <= {r * size + c for (r, c), p in twin.stones.items() if p == winner}
    assert len(chain) >= size


@cache
def first_player_wins(stones, turn, size=3):
    """Probability that player 0 wins a uniformly random game, by enumeration."""
    twin = Twin(size)
    twin.stones, twin.turn = dict(stones), turn
    winner = twin.winner()
    if winner is not None:
        return float(winner == 0)
    legal = twin.legal()
    return sum(
        first_player_wins(frozenset({*stones, (cell, turn)}), 1 - turn)
        for cell in legal
    ) / len(legal)


@pytest.mark.parametrize("moves", [(), (4,), (0, 8), (2, 4, 6), (3, 1, 5, 0)])
@pytest.mark.parametrize("limit", [9, 1], ids=["filled at once", "move by move"])
def test_playouts_win_as_often_as_enumeration_says(moves, limit):
    model = rules.model(size=3)
    rng = new_generator(len(moves))
    start = model.reset(rng)
    for ply, action in enumerate(moves):
        model.apply(start, {ply % 2: action}, rng)
    stones = frozenset((divmod(a, 3), ply % 2) for ply, a in enumerate(moves))
    expected = first_player_wins(stones, len(moves) % 2)
    games, wins = 20_000, 0
    for _ in range(games):
        state = model.copy(start)
        while not model.is_over(state):
            model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
        wins += model.returns(state)[0] == 1
    deviation = (expected * (1 - expected) / games) ** 0.5
    assert abs(wins / games - expected) <= 4 * deviation + 1e-9


def test_a_filled_board_shares_the_cells_as_the_moves_would():
    model = rules.model(size=7)
    rng = new_generator(1)
    counts = np.zeros((7, 7))
    games = 20_000
    for game in range(games):
        state = model.reset(rng)
        assert model.call("playout", state.ctypes.data, rng.ctypes.data, 49) == 49
        mine, other = model.observe(state, 0)[:2]
        assert mine.sum() == 25
        assert (mine + other == 1).all()
        counts += mine
        if game < 1000:
            twin = Twin(7)
            twin.stones = {tuple(cell): 0 for cell in np.argwhere(mine).tolist()}
            assert twin.joined(0) == (model.returns(state)[0] == 1)
    # Every cell is player 0's in 25 of 49 cases; 4.5 standard deviations.
    assert abs(counts / games - 25 / 49).max() < 4.5 * (0.25 / games) ** 0.5


def test_a_cut_playout_plays_exactly_as_many_moves_as_it_says():
    model = rules.model(size=6)
    rng = new_generator(5)
    for limit in (0, 1, 5, 14):
        state = model.reset(rng)
        played = model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
        assert played == limit == model.observe(state, 0)[:2].sum()


@pytest.mark.parametrize("size", [4, 7, 11, 19])
@pytest.mark.parametrize("part", [0.0, 0.4])
def test_playouts_win_as_often_as_stepping(size, part):
    model = rules.model(size=size)
    rng = new_generator(size)
    start = model.reset(rng)
    random_moves(model, start, rng, int(part * size * size))
    assert not model.is_over(start)
    games = 4000 if size < 11 else 1000
    wins = np.zeros((2, 2))  # [playout or stepped, winner]
    for _ in range(games):
        filled, stepped = model.copy(start), model.copy(start)
        model.call("playout", filled.ctypes.data, rng.ctypes.data, size * size)
        random_moves(model, stepped, rng, size * size)
        wins[0] += model.results(filled) == WON
        wins[1] += model.results(stepped) == WON
    assert (wins.sum(1) == games).all()
    # Without a single win of one player there is no spread to test.
    if wins.sum(0).all():
        assert chi2_contingency(wins, correction=False).pvalue > 0.001


@pytest.mark.parametrize(
    ("first_cell", "expected"), [("c3", 41.196), ("b2", 41.343)], ids=["2,2", "1,1"]
)
def test_random_games_are_as_long_as_published(first_cell, expected):
    # Monte Carlo Permutation Search, table 7: 41.300 +- 0.054 moves after the forced
    # stone, which is (2, 2) counted from 0 or from 1; each expected length comes from
    # 60,000 games of an independent program.
    model = rules.model(first_cell=first_cell)
    rng = new_generator(1)
    games = 5000
    played = 0
    for _ in range(games):
        played += random_moves(model, model.reset(rng), rng, 48)
    assert abs(played / games - expected) < 0.3  # standard error about 0.07


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({"players": 3}, "players=3"),
        ({"size": 2}, "size=2"),
        ({"size": 20}, "size=20"),
        ({"size": "large"}, "size='large'"),
        ({"first_cell": "z9"}, "first_cell='z9'"),
        ({"first_cell": "h1"}, "first_cell='h1'"),
        ({"first_cell": 49}, "first_cell=49"),
        ({"first_cell": 2.0}, "first_cell=2.0"),
        ({"first_cell": True}, "first_cell=True"),
        ({"colour": 1}, "colour"),
    ],
)
def test_variants_that_do_not_exist_are_named(variant, words):
    with pytest.raises(ValueError, match=words):
        rules.model(**variant)


def test_cells_are_written_and_read():
    model = rules.model(size=19)
    for action in range(361):
        assert GAME.parse_action(model, GAME.format_action(model, action)) == action
    assert GAME.format_action(model, 21) == "c2"
    for text in ("", "t1", "a0", "a20", "11", "aa"):
        with pytest.raises(ValueError, match="expected a column a to s"):
            GAME.parse_action(model, text)


def sets_of_playout(model, state, rng, limit=1000):
    """Return each player's cells in a random game, and its length; `state` ends it."""
    sets = np.zeros((2, -(-model.actions // 64)), np.uint64)
    at = state.ctypes.data, rng.ctypes.data, limit, sets.ctypes.data
    played = model.call("playout_sets", *at)
    words = sets.tolist()
    return [
        [a for a in range(model.actions) if words[p][a // 64] >> a % 64 & 1]
        for p in range(2)
    ], played


@pytest.mark.parametrize("size", [3, 7, 8, 11])
@pytest.mark.parametrize("begun", [0, 1, 6])
def test_sets_of_a_playout_are_a_game_to_its_winning_move(size, begun):
    model, rng = rules.model(size=size), new_generator(5)
    for _ in range(50):
        state = model.reset(rng)
        if random_moves(model, state, rng, begun) < begun or model.is_over(state):
            continue
        twin = Twin(size)
        stones = model.view(state)["stones"][:, :size].tolist()
        twin.stones = {
            (row, column): player
            for player in range(2)
            for row in range(size)
            for column in range(size)
            if stones[player][row] >> column & 1
        }
        cells, played = sets_of_playout(model, state, rng)
        assert played == len(cells[0]) + len(cells[1])
        first = begun % 2
        assert len(cells[first]) - len(cells[1 - first]) in (0, 1)
        for player in range(2):
            for cell in cells[player]:
                assert divmod(cell, size) not in twin.stones
                twin.stones[divmod(cell, size)] = player
        winner = twin.winner()
        assert model.results(state)[winner] == WON
        assert model.is_over(state)
        # The winner moved last, and one of the winner's stones was missing before.
        assert winner == (first + played - 1) % 2
        before = dict(twin.stones)
        decided = []
        for cell in cells[winner]:
            twin.stones = {c: p for c, p in before.items() if c != divmod(cell, size)}
            decided.append(twin.winner() is None)
        assert any(decided)


@pytest.mark.parametrize("size", [4, 7, 11])
def test_sets_of_playouts_are_as_random_as_recorded_moves(size):
    """Lengths, winners, and how often each cell is taken, 4,000 playouts each way."""
    model, rng, number = rules.model(size=size, first_cell=1), new_generator(7), 4000
    cells, lengths, wins = np.zeros((2, 2, size * size)), [[], []], np.zeros((2, 2))
    for _ in range(number):
        state = model.reset(rng)
        sets, played = sets_of_playout(model, state, rng)
        for player in range(2):
            cells[0, player, sets[player]] += 1
        lengths[0].append(played)
        wins[0] += model.results(state) == WON
        state = model.reset(rng)
        moves = model.playout_moves(state, rng, 1000)
        np.add.at(cells[1], (moves["player"], moves["code"]), 1)
        lengths[1].append(len(moves))
        wins[1] += model.results(state) == WON
    assert chi2_contingency(wins).pvalue > 1e-4
    longest = max(map(max, lengths)) + 1
    counts = np.array([np.bincount(found, minlength=longest) for found in lengths])
    assert chi2_contingency(counts[:, counts.sum(axis=0) > 10]).pvalue > 1e-4
    # So many standard deviations apart is none of a few hundred cells.
    apart = (cells[0] - cells[1]) / np.sqrt(np.maximum(cells.sum(axis=0), 1))
    assert np.abs(apart).max() < 5


def test_a_cut_playout_has_as_many_actions_as_it_says():
    model, rng = rules.model(size=5), new_generator(3)
    for limit in (0, 1, 4):
        state = model.reset(rng)
        sets, played = sets_of_playout(model, state, rng, limit)
        assert len(sets[0]) + len(sets[1]) == played == limit
        stones = sum(bin(row).count("1") for row in model.view(state)["stones"].ravel())
        assert stones == limit
