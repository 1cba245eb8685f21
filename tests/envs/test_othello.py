"""Othello against recorded games, OpenSpiel, a slow twin and known numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.othello import GAME, rules
from mcts_agents.envs.othello.rules import PASS
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, draw_below, new_generator
from tests.golden import are_enough, golden_folder, recorded_games

AROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
# P. Norvig's table, whole.
WEIGHTS = """
120 -20 20 5 5 20 -20 120
-20 -40 -5 -5 -5 -5 -40 -20
20 -5 15 3 3 15 -5 20
5 -5 3 3 3 3 -5 5
5 -5 3 3 3 3 -5 5
20 -5 15 3 3 15 -5 20
-20 -40 -5 -5 -5 -5 -40 -20
120 -20 20 5 5 20 -20 120
"""


class Twin:
    """Discs in a dict by (row, column)."""

    def __init__(self):
        self.discs = {(3, 4): 0, (4, 3): 0, (3, 3): 1, (4, 4): 1}
        self.turn, self.put = 0, 0

    def captured(self, player, square):
        found = set()
        if square in self.discs:
            return found
        for down, right in AROUND:
            run, at = [], (square[0] + down, square[1] + right)
            while self.discs.get(at) == 1 - player:
                run.append(at)
                at = at[0] + down, at[1] + right
            if self.discs.get(at) == player:
                found.update(run)
        return found

    def moves(self, player):
        squares = [(row, column) for row in range(8) for column in range(8)]
        return [square for square in squares if self.captured(player, square)]

    def over(self):
        return not self.moves(0) and not self.moves(1)

    def play(self, action):
        if action != PASS:
            square = divmod(action, 8)
            for taken in self.captured(self.turn, square):
                self.discs[taken] = self.turn
            self.discs[square] = self.turn
            self.put += 1
        self.turn = 1 - self.turn

    def count(self, player):
        return list(self.discs.values()).count(player)

    def open_beside(self, player):
        """Empty squares beside the discs of a player."""
        return {
            (r + down, c + right)
            for (r, c), owner in self.discs.items()
            for down, right in AROUND
            if owner == player and 0 <= r + down < 8 and 0 <= c + right < 8
        } - set(self.discs)

    def stable(self, player):
        """Runs of own discs along edges from own corners."""
        found = set()
        for row in (0, 7):
            for column in (0, 7):
                for down, right in ((1 - row // 7 * 2, 0), (0, 1 - column // 7 * 2)):
                    at = row, column
                    while self.discs.get(at) == player:
                        found.add(at)
                        at = at[0] + down, at[1] + right
        return found

    def value(self, evaluation):
        """What the game's page says of an unfinished position, for player 0."""
        if evaluation == "discs":
            return 0.5 + (self.count(0) - self.count(1)) / 128
        lead = 0.0
        for share, first, second in (
            (0.35, self.moves(0), self.moves(1)),
            (0.15, self.open_beside(1), self.open_beside(0)),
            (0.5, self.stable(0), self.stable(1)),
        ):
            if len(first) != len(second):
                difference, both = len(first) - len(second), len(first) + len(second)
                lead += share * difference / both
        return 0.5 + 0.5 * lead


def compare(model, state, twin):
    over = twin.over()
    assert model.movers(state) == (() if over else (twin.turn,))
    counts = [twin.count(0), twin.count(1)]
    assert model.scores(state).tolist() == counts
    expected = [PLAYING] * 2
    if over:
        expected = [
            DRAWN if own == other else WON if own > other else LOST
            for own, other in (counts, counts[::-1])
        ]
    assert model.results(state).tolist() == expected
    assert (model.turn(state), model.round(state)) == (twin.put, twin.put // 2)
    for player in range(2):
        own, other, turn = model.observe(state, player)
        squares = {divmod(int(s), 8) for s in np.flatnonzero(own)}
        assert squares == {s for s, p in twin.discs.items() if p == player}
        squares = {divmod(int(s), 8) for s in np.flatnonzero(other)}
        assert squares == {s for s, p in twin.discs.items() if p != player}
        assert (turn == (not over and twin.turn == player)).all()
    if not over:
        legal = [row * 8 + column for row, column in twin.moves(twin.turn)] or [PASS]
        assert model.legal_actions(state, twin.turn).tolist() == legal
        value = twin.value(model.variant["evaluation"])
        assert model.evaluate(state) == pytest.approx([value, 1 - value], abs=1e-12)
        weights = [*map(int, WEIGHTS.split()), 40]
        expected = [(weights[action] + 40) / 160 for action in legal]
        assert model.action_values(state, twin.turn) == pytest.approx(expected)


def random_action(model, state, rng):
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    return player, int(legal[draw_below(rng, len(legal))])


def test_recorded_games_are_played_alike():
    header, games = recorded_games(golden_folder("openspiel") / "othello.jsonl.gz")
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
        assert model.scores(state).tolist() == game["discs"]
        own, other, _ = model.observe(state, 0).reshape(3, 64)
        shown = zip(own.tolist(), other.tolist(), strict=True)
        assert "".join("-xo"[x + 2 * o] for x, o in shown) == game["final"]
    assert are_enough(len(games), "openspiel: games of othello", 101)


def test_random_games_agree_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("othello")
    model, rng = rules.model(), new_generator(3)
    passes = 0
    for _ in range(1000):
        state, other = model.reset(rng), theirs.new_initial_state()
        while not other.is_terminal():
            assert model.movers(state) == (other.current_player(),)
            player, action = random_action(model, state, rng)
            assert model.legal_actions(state, player).tolist() == other.legal_actions()
            model.apply(state, {player: action}, rng)
            other.apply_action(action)
            passes += action == PASS
        assert model.is_over(state)
        assert model.returns(state) == other.returns()
    assert passes > 300


@pytest.mark.parametrize("evaluation", ["mobility", "discs"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(evaluation, seed):
    model, rng = rules.model(evaluation=evaluation), new_generator(seed)
    twin, state = Twin(), model.reset(rng)
    compare(model, state, twin)
    while not model.is_over(state):
        player, action = random_action(model, state, rng)
        model.apply(state, {player: action}, rng)
        twin.play(action)
        compare(model, state, twin)


def test_as_many_sequences_as_known():
    model, rng = rules.model(), new_generator(1)
    ways = {model.state_key(model.reset(rng)): (model.reset(rng), 1)}
    for known in (4, 12, 56, 244, 1396, 8200):
        following, total = {}, 0
        for state, count in ways.values():
            (player,) = model.movers(state)
            legal = model.legal_actions(state, player).tolist()
            total += count * len(legal)
            if known == 8200:
                continue
            for action in legal:
                reached = model.copy(state)
                model.apply(reached, {player: action}, rng)
                key = model.state_key(reached)
                before = following.get(key, (None, 0))[1]
                following[key] = reached, before + count
        assert total == known
        ways = following


@pytest.mark.parametrize("turned", ["transposed", "upside down"])
def test_turned_games_are_alike(turned):
    """Both symmetries leave the colours of the first four discs as they are."""

    def moved(action):
        row, column = divmod(action, 8)
        if action == PASS:
            return PASS
        return column * 8 + row if turned == "transposed" else 63 - action

    model, rng = rules.model(), new_generator(4)
    for _ in range(20):
        state, other = model.reset(rng), model.reset(rng)
        while not model.is_over(state):
            player, action = random_action(model, state, rng)
            legal = model.legal_actions(state, player).tolist()
            there = model.legal_actions(other, player).tolist()
            assert sorted(map(moved, legal)) == there
            values = dict(zip(legal, model.action_values(state, player), strict=True))
            for square, value in zip(
                there, model.action_values(other, player), strict=True
            ):
                assert value == values[moved(square)]
            assert model.evaluate(state) == pytest.approx(model.evaluate(other))
            model.apply(state, {player: action}, rng)
            model.apply(other, {player: moved(action)}, rng)
            assert model.results(state).tolist() == model.results(other).tolist()


@pytest.mark.parametrize("limit", [0, 1, 17, 10**6])
def test_a_playout_is_the_same_as_random_steps(limit):
    model = rules.model()
    for seed in range(60):
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
        if limit > 100:
            at = played.ctypes.data, two.ctypes.data, 50
            assert model.call("playout", *at) == 0


def test_random_squares_are_uniform():
    model, rng = rules.model(), new_generator(5)
    state = model.reset(rng)
    at = state.ctypes.data, 0, rng.ctypes.data
    drawn = [model.call("random_action", *at) for _ in range(4000)]
    squares, counts = np.unique(drawn, return_counts=True)
    assert squares.tolist() == [19, 26, 37, 44]  # d3, c4, f5, e6
    assert abs(counts - 1000).max() < 140  # 5 standard deviations


def test_an_opponent_may_be_let_pass_in_any_position():
    model, rng = rules.model(), new_generator(6)
    for _ in range(30):
        state, twin = model.reset(rng), Twin()
        while not model.is_over(state):
            passed = model.copy(state)
            model.pass_turn(passed)
            assert model.movers(passed) == (1 - twin.turn,)
            moves = [r * 8 + c for r, c in twin.moves(1 - twin.turn)] or [PASS]
            assert model.legal_actions(passed, 1 - twin.turn).tolist() == moves
            assert (model.scores(passed) == model.scores(state)).all()
            assert model.state_key(passed) != model.state_key(state)
            model.pass_turn(passed)
            assert model.state_key(passed) == model.state_key(state)
            player, action = random_action(model, state, rng)
            model.apply(state, {player: action}, rng)
            twin.play(action)


def test_no_disc_is_taken_for_a_turn():
    """Positions that differ in whose turn it is, and in up to two discs."""
    model = rules.model()
    state = model.reset(new_generator(1))
    keys = set()
    for turn in (0, 1):
        for first in range(64):
            for second in range(first, 64):
                other = model.copy(state)
                record = model.view(other)
                record["turn"] = turn
                record["discs"][0] = (1 << first) | (1 << second)
                keys.add(model.state_key(other))
    assert len(keys) == 2 * (64 + 64 * 63 // 2)


def test_keys_and_positions_are_one_to_one():
    model, rng = rules.model(), new_generator(2)
    key_of, board_of = {}, {}
    for _ in range(60):
        state = model.reset(rng)
        while not model.is_over(state):
            player, action = random_action(model, state, rng)
            model.apply(state, {player: action}, rng)
            board = model.observe(state, 0).tobytes() + bytes(model.movers(state))
            key = model.state_key(state)
            assert key_of.setdefault(board, key) == key
            assert board_of.setdefault(key, board) == board
    assert len(key_of) > 3000


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({"players": 3}, "players=3"),
        ({"evaluation": "stones"}, "evaluation='stones'.*'mobility', 'discs'"),
        ({"size": 6}, "size"),
    ],
)
def test_variants_that_do_not_exist_are_named(variant, words):
    with pytest.raises(ValueError, match=words):
        rules.model(**variant)


def test_squares_are_written_and_read():
    model = rules.model()
    for action in range(65):
        assert GAME.parse_action(model, GAME.format_action(model, action)) == action
    assert GAME.format_action(model, 10) == "c2"
    assert GAME.parse_action(model, " Pass ") == PASS
    for text in ("", "i1", "a0", "a9", "11", "passes"):
        with pytest.raises(ValueError, match="expected a column a to h"):
            GAME.parse_action(model, text)


def test_records_of_other_games_are_refused():
    with pytest.raises(ValueError, match="not of othello"):
        GAME.recorded_variant({"game": "hex", "openspiel": "hex(board_size=7)"})


def test_the_picture_says_who_must_pass():
    model, rng = rules.model(), new_generator(8)
    seen = False
    while not seen:
        state = model.reset(rng)
        while not model.is_over(state):
            player, action = random_action(model, state, rng)
            if action == PASS:
                seen = True
                assert GAME.ansi(model, state, None).endswith("to pass")
                (region,) = GAME.regions(model, state, None, player)
                assert (region.action, region.label) == (PASS, "pass")
            model.apply(state, {player: action}, rng)
            if action == PASS:
                assert " passed, " in GAME.ansi(model, state, None)
