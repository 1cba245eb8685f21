"""Connect Four against recorded games, OpenSpiel, a slow twin and known numbers."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.connect_four import GAME, rules
from mcts_agents.envs.connect_four.draw import CELL, COLORS, winning_cells
from mcts_agents.envs.painting import load_pygame
from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    RulesError,
    draw_below,
    new_generator,
)
from tests.golden import are_enough, golden_folder, recorded_games

DIRECTIONS = ((0, 1), (1, -1), (1, 0), (1, 1))
SIZES = st.tuples(st.integers(4, 9), st.integers(4, 9)).filter(
    lambda size: size[0] * (size[1] + 1) <= 63
)


class Twin:
    """Columns as lists of players, the lowest disc first."""

    def __init__(self, width=7, height=6):
        self.width, self.height = width, height
        self.columns = [[] for _ in range(width)]
        self.turn, self.plies = 0, 0

    def at(self, column, row):
        inside = 0 <= column < self.width and 0 <= row < len(self.columns[column])
        return self.columns[column][row] if inside else None

    def legal(self):
        columns = enumerate(self.columns)
        return [c for c, discs in columns if len(discs) < self.height]

    def play(self, column):
        self.columns[column].append(self.turn)
        self.turn = 1 - self.turn
        self.plies += 1

    def lines(self):
        """Each line of four of the board, as its cells."""
        for column in range(self.width):
            for row in range(self.height):
                for right, up in DIRECTIONS:
                    line = [(column + k * right, row + k * up) for k in range(4)]
                    if all(c < self.width and 0 <= r < self.height for c, r in line):
                        yield line

    def winner(self):
        for line in self.lines():
            owners = {self.at(*cell) for cell in line}
            if len(owners) == 1 and owners != {None}:
                return owners.pop()
        return None

    def value(self):
        """What the game's page says of an unfinished position, for player 0."""
        lead = 0
        for line in self.lines():
            owners = [self.at(*cell) for cell in line]
            for player, sign in ((0, 1), (1, -1)):
                if 1 - player not in owners:
                    lead += sign * (1, 2, 8, 32)[owners.count(player)]
        return 0.5 + 0.5 * lead / (abs(lead) + 64)

    def action_value(self, column):
        cell = column, len(self.columns[column])
        for player, value in ((self.turn, 1.0), (1 - self.turn, 0.9)):
            self.columns[column].append(player)
            wins = self.winner() is not None
            self.columns[column].pop()
            if wins:
                return value
        through = [cell for line in self.lines() for cell in line]
        return 0.8 * through.count(cell) / max(map(through.count, set(through)))


def compare(model, state, twin):
    winner, legal = twin.winner(), twin.legal()
    over = winner is not None or not legal
    assert model.movers(state) == (() if over else (twin.turn,))
    if winner is not None:
        expected = [WON if player == winner else LOST for player in range(2)]
    else:
        expected = [DRAWN if over else PLAYING] * 2
    assert model.results(state).tolist() == expected
    assert model.scores(state).tolist() == [float(p == winner) for p in range(2)]
    assert (model.turn(state), model.round(state)) == (twin.plies, twin.plies // 2)
    for player in range(2):
        own, other, turn = model.observe(state, player)
        board = np.full((twin.height, twin.width), -1)
        for column, discs in enumerate(twin.columns):
            for row, owner in enumerate(discs):
                board[twin.height - 1 - row, column] = owner
        assert (own == (board == player)).all()
        assert (other == (board == 1 - player)).all()
        assert (turn == (twin.turn == player and not over)).all()
    if not over:
        assert model.legal_actions(state, twin.turn).tolist() == legal
        value = twin.value()
        assert model.evaluate(state) == pytest.approx([value, 1 - value], abs=1e-12)
        expected = [twin.action_value(column) for column in legal]
        assert model.action_values(state, twin.turn) == pytest.approx(expected)


def after(model, *columns):
    """The position after discs were dropped into these columns, from 1."""
    state, rng = model.reset(new_generator(1)), new_generator(1)
    for column in columns:
        (player,) = model.movers(state)
        model.apply(state, {player: column - 1}, rng)
    return state


def random_action(model, state, rng):
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    return player, int(legal[draw_below(rng, len(legal))])


def test_recorded_games_are_played_alike():
    name = "connect_four"
    header, games = recorded_games(golden_folder("openspiel") / f"{name}.jsonl.gz")
    model, rng = rules.model(**GAME.recorded_variant(header)), new_generator(0)
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


@pytest.mark.parametrize(("width", "height"), [(7, 6), (5, 4), (9, 6)])
def test_random_games_agree_with_openspiel(width, height):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"connect_four(rows={height},columns={width})")
    model, rng = rules.model(width=width, height=height), new_generator(width)
    for _ in range(700):
        state, other = model.reset(rng), theirs.new_initial_state()
        while not other.is_terminal():
            assert model.movers(state) == (other.current_player(),)
            player, action = random_action(model, state, rng)
            legal = model.legal_actions(state, player).tolist()
            assert legal == other.legal_actions()
            model.apply(state, {player: action}, rng)
            other.apply_action(action)
        assert model.is_over(state)
        assert model.returns(state) == other.returns()


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(size, seed):
    width, height = size
    model, rng = rules.model(width=width, height=height), new_generator(seed)
    twin, state = Twin(width, height), model.reset(new_generator(seed))
    compare(model, state, twin)
    while not model.is_over(state):
        player, action = random_action(model, state, rng)
        model.apply(state, {player: action}, rng)
        twin.play(action)
        compare(model, state, twin)
    winner = twin.winner()
    if winner is not None:
        cells = winning_cells(model, state)
        assert len(cells) >= 4
        assert {twin.at(*cell) for cell in cells} == {winner}


def test_as_many_sequences_as_known():
    """Of moves without an end in between; the first seven plies have 7, 49, ..."""
    model, rng = rules.model(), new_generator(1)
    ways = {model.state_key(model.reset(rng)): (model.reset(rng), 1)}
    for known in (7, 49, 343, 2401, 16807, 117649, 823536):
        following, total = {}, 0
        for state, count in ways.values():
            for player in model.movers(state):
                for action in model.legal_actions(state, player).tolist():
                    reached = model.copy(state)
                    model.apply(reached, {player: action}, rng)
                    key = model.state_key(reached)
                    before = following.get(key, (None, 0))[1]
                    following[key] = reached, before + count
                    total += count
        assert total == known
        ways = following


@settings(max_examples=20, deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_mirrored_games_are_alike(size, seed):
    width, height = size
    model, rng = rules.model(width=width, height=height), new_generator(seed)
    state, mirrored = model.reset(rng), model.reset(rng)
    while not model.is_over(state):
        player, action = random_action(model, state, rng)
        model.apply(state, {player: action}, rng)
        model.apply(mirrored, {player: width - 1 - action}, rng)
        assert model.results(state).tolist() == model.results(mirrored).tolist()
        planes = model.observe(state, 0)[:, :, ::-1]
        assert (model.observe(mirrored, 0) == planes).all()
        if not model.is_over(state):
            values = model.action_values(state, 1 - player)[::-1]
            assert model.action_values(mirrored, 1 - player) == pytest.approx(values)
            assert model.evaluate(mirrored) == pytest.approx(model.evaluate(state))


@pytest.mark.parametrize("limit", [0, 1, 6, 7, 10**6])
def test_a_playout_is_the_same_as_random_steps(limit):
    for seed in range(40):
        model = rules.model(width=5 + seed % 3, height=4 + seed % 3)
        one, two = new_generator(seed), new_generator(seed)
        stepped, played = model.reset(one), model.reset(two)
        n = model.call("playout", played.ctypes.data, two.ctypes.data, limit)
        steps = 0
        while steps < limit and not model.is_over(stepped):
            (player,) = model.movers(stepped)
            at = stepped.ctypes.data, player, one.ctypes.data
            model.apply(stepped, {player: model.call("random_action", *at)}, one)
            steps += 1
        assert (n, played.tobytes()) == (steps, stepped.tobytes())
        assert (one == two).all()
        at = played.ctypes.data, two.ctypes.data, 50
        if limit > 100:
            assert model.call("playout", *at) == 0


def test_random_columns_are_uniform():
    model, rng = rules.model(), new_generator(5)
    state = after(model, 4, 4, 4, 4, 4, 4, 1)
    at = state.ctypes.data, 1, rng.ctypes.data
    drawn = [model.call("random_action", *at) for _ in range(6000)]
    counts = np.bincount(drawn, minlength=7)
    assert counts[3] == 0
    assert abs(counts[[0, 1, 2, 4, 5, 6]] - 1000).max() < 150  # 5 standard deviations


def test_a_pass_hands_the_move_over_and_changes_the_key():
    model, rng = rules.model(), new_generator(1)
    state = after(model, 4, 4)
    passed = model.copy(state)
    model.pass_turn(passed)
    assert model.movers(passed) == (1,)
    assert model.state_key(passed) != model.state_key(state)
    assert (model.observe(passed, 0)[:2] == model.observe(state, 0)[:2]).all()
    model.apply(passed, {1: 0}, rng)
    assert model.movers(passed) == (0,)
    model.pass_turn(passed)
    model.pass_turn(passed)
    assert model.movers(passed) == (0,)


def test_keys_and_positions_are_one_to_one():
    model, rng = rules.model(), new_generator(2)
    key_of, board_of = {}, {}
    for _ in range(200):
        state = model.reset(rng)
        while not model.is_over(state):
            player, action = random_action(model, state, rng)
            if draw_below(rng, 5) == 0:
                model.pass_turn(state)
                continue
            model.apply(state, {player: action}, rng)
            board = model.observe(state, 0).tobytes()
            key = model.state_key(state)
            assert key_of.setdefault(board, key) == key
            assert board_of.setdefault(key, board) == board
    assert len(key_of) > 2000


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({"players": 3}, "players=3"),
        ({"width": 3}, "width=3"),
        ({"height": 10}, "height=10"),
        ({"width": True}, "width=True"),
        ({"width": "wide"}, "width='wide'"),
        ({"width": 8, "height": 8}, "at most 63, not 72"),
        ({"rows": 6}, "rows"),
    ],
)
def test_variants_that_do_not_exist_are_named(variant, words):
    with pytest.raises((ValueError, RulesError), match=words):
        rules.model(**variant)


def test_columns_are_written_and_read():
    model = rules.model(width=5)
    for action in range(5):
        assert GAME.parse_action(model, GAME.format_action(model, action)) == action
    for text in ("", "0", "6", "a", "1 1", "-1"):
        with pytest.raises(ValueError, match="expected a column 1 to 5"):
            GAME.parse_action(model, text)


def test_records_of_other_games_are_refused():
    with pytest.raises(ValueError, match="not of connect_four"):
        GAME.recorded_variant({"game": "hex", "openspiel": "hex(board_size=7)"})
    header = {"openspiel": "connect_four(rows=5,columns=4)"}
    assert GAME.recorded_variant(header) == {"width": 4, "height": 5}


def test_a_disc_is_painted_in_the_column_that_was_clicked():
    """A column is much larger than its disc, so its middle is looked at."""
    surface = load_pygame().Surface(GAME.size(rules.model()), 0, 32)
    model, rng = rules.model(), new_generator(3)
    state = model.reset(rng)
    while not model.is_over(state):
        player, action = random_action(model, state, rng)
        regions = GAME.regions(model, state, None, player)
        (shape,) = (region.shape for region in regions if region.action == action)
        model.apply(state, {player: action}, rng)
        row = int(model.observe(state, 0)[:2, :, action].sum()) - 1
        GAME.paint(surface, model, state, None)
        middle = shape.left + CELL / 2
        # Left of the mark of the last disc, and of the ring of a winning one.
        at = round(middle) - 12, round(shape.height - (row + 0.5) * CELL)
        assert shape.contains(at)
        assert tuple(surface.get_at(at))[:3] == COLORS[player]


# -- solved


@cache
def solved(columns, turn, size):
    """The mover's result by plain minimax on a square board: 1, 0 or -1."""
    twin = Twin(size, size)
    twin.columns = [list(column) for column in columns]
    if twin.winner() is not None:
        return -1
    best = -2
    for column in twin.legal():
        following = [*columns]
        following[column] += (turn,)
        best = max(best, -solved(tuple(following), 1 - turn, size))
    return 0 if best == -2 else best


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout"])
def test_late_positions_on_4x4_have_their_values(algorithm):
    model, rng = rules.model(width=4, height=4), new_generator(7)
    search = Minimax(model, MinimaxSettings(algorithm, depth=16, value="win"))
    checked = set()
    while len(checked) < 60 or len({value for _, value in checked}) < 3:
        twin, state = Twin(4, 4), model.reset(rng)
        for _ in range(9):
            if not model.is_over(state):
                player, action = random_action(model, state, rng)
                model.apply(state, {player: action}, rng)
                twin.play(action)
        if model.is_over(state) or len(twin.legal()) < 2:
            continue
        columns = tuple(map(tuple, twin.columns))
        expected = solved(columns, twin.turn, 4)
        result = search.run(state, twin.turn, new_generator(1))
        best = result.values[result.actions.tolist().index(result.action)]
        assert result.solved
        assert best == {1: 1.0, 0: 0.5, -1: 0.0}[expected]
        checked.add((columns, expected))


def test_the_empty_board_of_4x4_is_a_draw():
    model = rules.model(width=4, height=4)
    search = Minimax(model, MinimaxSettings("alphabeta", depth=16, value="win"))
    result = search.run(model.reset(new_generator(1)), 0, new_generator(1))
    assert result.solved
    assert max(result.values) == 0.5
