"""Gomoku against OpenSpiel's games, a slow twin, exact enumeration, a paper's table."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.envs.gomoku import GAME, rules
from mcts_agents.envs.gomoku.draw import winning_cells
from mcts_agents.model import draw_below, new_generator
from mcts_agents.recorded import verify_file
from tests.envs import code_presence
from tests.envs.gomoku_twin import Twin
from tests.golden import are_enough, golden_folder


def position(model, moves):
    """Return the position after moves, given as cells or as text."""
    rng = new_generator(0)
    state = model.reset(rng)
    for ply, move in enumerate(moves):
        action = GAME.parse_action(model, move) if isinstance(move, str) else move
        model.apply(state, {ply % 2: int(action)}, rng)
    return state


def step(model, state, rng, limit):
    """Play uniformly random legal moves one by one; return the actions."""
    played = []
    while len(played) < limit and not model.is_over(state):
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        played.append(int(legal[draw_below(rng, len(legal))]))
        model.apply(state, {player: played[-1]}, rng)
    return played


@pytest.mark.parametrize("size", [9, 15])
def test_recorded_games_are_played_alike(size):
    file = f"gomoku_{size}x{size}"
    report = verify_file(GAME, golden_folder("openspiel") / f"{file}.jsonl.gz")
    assert report.first is None
    assert report.mismatches == 0
    assert are_enough(report.games, f"openspiel: games of {file}", 101)


@settings(max_examples=40, deadline=None)
@given(st.integers(5, 19), st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(size, seed):
    model, twin, rng = rules.model(size=size), Twin(size), new_generator(seed)
    state, keys = model.reset(rng), set()
    while not twin.is_over():
        assert model.movers(state) == (twin.turn,)
        legal = model.legal_actions(state, twin.turn)
        cells = [divmod(action, size) for action in legal.tolist()]
        assert cells == twin.legal()
        keys.add(model.call("state_key", state.ctypes.data, 0))
        action = model.call(
            "random_action", state.ctypes.data, twin.turn, rng.ctypes.data
        )
        cell = divmod(int(action), size)
        assert cell in cells
        if len(twin.stones) % 20 == seed % 20:
            lead = twin.lines_worth(0) - twin.lines_worth(1)
            value = 0.5 + 0.5 * lead / (abs(lead) + 256)
            assert model.evaluate(state) == pytest.approx([value, 1 - value])
            chosen = model.action_values(state, twin.turn)[cells.index(cell)]
            assert chosen == pytest.approx(twin.action_value(cell))
        model.apply(state, {twin.turn: int(action)}, rng)
        twin.play(cell)
    assert model.is_over(state)
    assert len(keys) == len(twin.stones)
    own, other = model.observe(state, 0)[:2]
    assert {tuple(c): 0 for c in np.argwhere(own).tolist()} | {
        tuple(c): 1 for c in np.argwhere(other).tolist()
    } == twin.stones
    if twin.winner is None:
        assert model.returns(state) == [0, 0]
    else:
        assert model.returns(state)[twin.winner] == 1
        assert model.returns(state)[1 - twin.winner] == -1
        line = winning_cells(model, state)
        assert len(line) >= 5
        assert {twin.stones[divmod(cell, size)] for cell in line} == {twin.winner}


@pytest.mark.parametrize("size", [5, 8, 9, 12, 19])
def test_every_line_of_five_wins_and_no_other_five_neighbours_do(size):
    model, rng = rules.model(size=size), new_generator(0)
    cells = size * size
    steps = [(d, r) for d, r in itertools.product(range(-1, 3), range(-3, 4))]
    for start in range(0, cells, 1 if size < 12 else 7):
        for down, right in steps:
            line = [start + k * (down * size + right) for k in range(5)]
            if len(set(line)) < 5 or not 0 <= min(line) <= max(line) < cells:
                continue
            state = model.reset(rng)
            stones = model.view(state)["stones"][0]
            for cell in line[1:]:
                stones[cell // 64] |= np.uint64(1 << cell % 64)
            model.apply(state, {0: start}, rng)
            row, column = divmod(start, size)
            there = all(
                divmod(cell, size) == (row + k * down, column + k * right)
                for k, cell in enumerate(line)
            )
            wins = there and max(abs(down), abs(right)) == 1
            assert model.is_over(state) == wins, (start, down, right)


def test_more_than_five_in_a_row_win():
    moves = "a1 a2 b1 b2 c1 c3 e1 e3 f1 f3".split()
    model = rules.model()
    state = position(model, moves)
    assert not model.is_over(state)
    model.apply(state, {0: GAME.parse_action(model, "d1")}, new_generator(0))
    assert model.returns(state) == [1, -1]
    assert winning_cells(model, state) == {0, 1, 2, 3, 4, 5}


# -- playouts


def every_end(model, state, limit):
    """Return the chance of every final state of a random game, by enumeration.

    Of a final state all is told but the order of the stones: the bytes of its record.
    """
    chances, unused = Counter(), new_generator(0)

    def go_on(state, chance, left):
        movers = model.movers(state)
        if not movers or left == 0:
            chances[state.tobytes()] += chance
            return
        legal = model.legal_actions(state, movers[0]).tolist()
        for action in legal:
            after = model.copy(state)
            model.apply(after, {movers[0]: action}, unused)
            go_on(after, chance / len(legal), left - 1)

    go_on(state, 1.0, limit)
    return chances


def crowded(model, seed, empty):
    """Return a random position without five in a row and with few empty cells."""
    rng = new_generator(seed)
    while True:
        state = model.reset(rng)
        while len(model.legal_actions(state, model.movers(state)[0])) > empty:
            after = model.copy(state)
            step(model, after, rng, 1)
            if model.is_over(after):
                break
            state = after
        else:
            return state


def assert_as_likely(counts, chances):
    """Compare counts with exact chances; rare outcomes are taken together."""
    total = sum(counts.values())
    assert set(counts) <= set(chances)
    rare = {end for end, chance in chances.items() if chance * total < 8}
    found = [counts[end] for end in chances if end not in rare]
    expected = [chances[end] * total for end in chances if end not in rare]
    if rare:
        found.append(sum(counts[end] for end in rare))
        expected.append(sum(chances[end] * total for end in rare))
    assert chisquare(found, expected).pvalue > 1e-4


@pytest.mark.parametrize("size", [5, 9])
@pytest.mark.parametrize(("seed", "empty"), [(5, 6), (7, 6), (5, 7)])
@pytest.mark.parametrize("limit", [3, 4, 100])
def test_playouts_end_as_often_in_each_way_as_enumeration_says(
    size, seed, empty, limit
):
    model, rng = rules.model(size=size), new_generator(seed)
    start = crowded(model, seed, empty)
    chances = every_end(model, start, limit)
    if empty == 6 and limit == 100:
        ends = [np.frombuffer(end, np.uint8).copy() for end in chances]
        assert {model.returns(end)[0] for end in ends} == {1, 0, -1}
    counts = Counter()
    for _ in range(8000):
        state = model.copy(start)
        assert 0 < model.playout(state, rng, limit) <= limit
        counts[state.tobytes()] += 1
    assert_as_likely(counts, chances)


@pytest.mark.parametrize("size", [5, 9])
@pytest.mark.parametrize("limit", [3, 100])
def test_recorded_moves_come_in_every_order_equally_often(size, limit):
    model, rng = rules.model(size=size), new_generator(size)
    start = crowded(model, 2, 5)
    chances = Counter()

    def go_on(state, chance, moves):
        if model.is_over(state) or len(moves) == limit:
            chances[moves] += chance
            return
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player).tolist()
        for action in legal:
            after = model.copy(state)
            model.apply(after, {player: action}, rng)
            code = player * size * size + action
            go_on(after, chance / len(legal), (*moves, (player, code)))

    go_on(start, 1.0, ())
    counts = Counter()
    for _ in range(6000):
        moves = model.playout_moves(start.copy(), rng, limit)
        counts[tuple(moves.tolist())] += 1
    assert_as_likely(counts, chances)


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 19), st.integers(0, 2**32), st.floats(0, 1), st.booleans())
def test_recorded_moves_lead_to_the_state_that_the_playout_leaves(
    size, seed, part, is_cut
):
    model, rng = rules.model(size=size), new_generator(seed)
    state = model.reset(rng)
    step(model, state, rng, int(part * size * size / 3))
    limit = seed % 30 if is_cut else 1000
    played = model.copy(state)
    moves = model.playout_moves(played, rng, limit)
    for number, (player, code) in enumerate(moves.tolist()):
        assert model.movers(state) == (player,), number
        action = code - player * size * size
        assert action in model.legal_actions(state, player)
        assert model.move_code(state, player, action) == code
        model.apply(state, {player: action}, rng)
    assert state.tobytes() == played.tobytes()
    assert model.is_over(state) or len(moves) == limit


@pytest.mark.parametrize(("size", "before"), [(5, 0), (9, 0), (9, 31), (15, 60)])
def test_playouts_are_as_long_and_won_as_often_as_stepping(size, before):
    model, rng = rules.model(size=size), new_generator(size + before)
    start = model.reset(rng)
    step(model, start, rng, before)
    assert not model.is_over(start)
    games = 3000 if size < 15 else 1000
    kinds = Counter()
    for _ in range(games):
        for way in range(2):
            state = model.copy(start)
            if way:
                length = len(step(model, state, rng, 1000))
            else:
                length = model.playout(state, rng, 1000)
            kinds[way, length // (1 + size // 3), *model.returns(state)] += 1
    ends = sorted({kind[1:] for kind in kinds})
    table = np.array([[kinds[way, *end] for end in ends] for way in (0, 1)])
    often = table.sum(0) >= 10
    table = np.column_stack([table[:, often], table[:, ~often].sum(1)])
    table = table[:, table.sum(0) > 0]
    assert chi2_contingency(table, correction=False).pvalue > 1e-4


def test_playouts_are_those_of_the_paper():
    # Monte Carlo Permutation Search, table 7, for 9x9.
    length, first, present = code_presence.statistics(rules.model(), "exact", 1)
    assert first == 81
    code_presence.assert_near(length, 53.426)
    code_presence.assert_near(present, 0.333)


# -- variants, notation, headers


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({"players": 3}, "players=3: gomoku is for 2 players"),
        ({"size": 4}, "size=4: gomoku has boards of 5 to 19 cells a side"),
        ({"size": 20}, "size=20: gomoku has boards of 5 to 19"),
        ({"size": 9.0}, "size=9.0"),
        ({"size": True}, "size=True"),
        ({"size": "large"}, "size='large'"),
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
    with pytest.raises(ValueError, match="expected a column a to i and a row 1 to 9"):
        GAME.parse_action(rules.model(), "j1")


def test_headers_of_records_say_the_size():
    assert GAME.recorded_variant({"openspiel": "mnk(m=15,n=15,k=5)"}) == {"size": 15}
    for header in (
        {"game": "hex", "openspiel": "hex(board_size=9)"},
        {"game": "mnk", "openspiel": "mnk(m=9,n=9,k=4)"},
        {"game": "mnk", "openspiel": "mnk(m=9,n=8,k=5)"},
    ):
        with pytest.raises(ValueError, match="not of gomoku"):
            GAME.recorded_variant(header)


def test_text_shows_the_board_and_what_happened():
    model = rules.model(size=5)
    moves = "a1 b1 a2 b2 a3 b3 a4 e5".split()
    state = position(model, moves)
    assert GAME.ansi(model, state, None).splitlines() == [
        "   a b c d e",
        " 1 X O . . . 1",
        " 2 X O . . . 2",
        " 3 X O . . . 3",
        " 4 X . . . . 4",
        " 5 . . . . O 5",
        "   a b c d e",
        "e5 played, Black (X) to move",
    ]
    model.apply(state, {0: GAME.parse_action(model, "a5")}, new_generator(0))
    assert GAME.ansi(model, state, None).endswith(
        "Black (X) has five in a row and wins"
    )
