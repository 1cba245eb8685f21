"""Focus against the twin, and what its rules say about numbers."""

import numpy as np
import pytest
from scipy.stats import chisquare

from mcts_agents.envs import load_game
from mcts_agents.envs.focus.board import PLACES, beginning
from mcts_agents.envs.focus.notation import format_action, parse_action
from mcts_agents.envs.focus.rules import ACTIONS, RESERVE_MOVES
from mcts_agents.model import DRAWN, LOST, WON, new_generator
from tests.envs.focus_twin import DIRECTIONS, SQUARES, Twin

RULES = load_game("focus").rules


def twin_of(model):
    begin = beginning(model.players)
    stacks = {place: [c] for place, c in zip(PLACES, begin, strict=True) if c >= 0}
    most = model.variant["max_plies_per_player"] * model.players
    return Twin(stacks, model.players, most)


def code(move):
    """Return the action of a move of the twin, by the rules' numbering."""
    origin, pieces, name, target = move
    if origin is None:
        return 1040 + SQUARES.index(target)
    direction = list(DIRECTIONS).index(name)
    return SQUARES.index(origin) * 20 + (pieces - 1) * 4 + direction


def assert_equal(model, state, twin):
    record = model.view(state)
    for place, stack, height in zip(
        PLACES, record["stacks"], record["heights"], strict=True
    ):
        pieces = [int(stack) >> 2 * level & 3 for level in range(height)]
        assert pieces == twin.stacks[place]
        assert int(stack) >> 2 * int(height) == 0
    players = model.players
    assert record["reserves"][:players].tolist() == twin.reserves
    assert record["captured"][:players, :players].tolist() == twin.captured
    for player in range(players):
        own = int(record["own"][player])
        mine = [place for square, place in enumerate(PLACES) if own >> square & 1]
        assert mine == twin.controlled(player)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_are_those_of_the_twin(players):
    model = RULES.model(players=players)
    rng = np.random.default_rng(players)
    compared = skipped = came_back = 0
    for _ in range(12):
        state, twin = model.reset(new_generator(0)), twin_of(model)
        gone = set()
        while not twin.is_over:
            assert model.movers(state) == (twin.mover,)
            moves = twin.moves(twin.mover)
            legal = model.legal_actions(state, twin.mover)
            assert legal.tolist() == [code(move) for move in moves]
            assert len(legal) <= model.legal_limit
            if compared % 3 == 0:
                assert_equal(model, state, twin)
                np.testing.assert_allclose(model.evaluate(state), twin.evaluation())
                values = model.action_values(state, twin.mover)
                order = [twin.order(move) / 11 for move in moves]
                np.testing.assert_allclose(values, order)
            able = {p for p in range(players) if twin.controlled(p) or twin.reserves[p]}
            skipped += len(able) < players
            came_back += bool(gone & able)
            gone = set(range(players)) - able
            compared += 1
            move = moves[rng.integers(len(moves))]
            model.apply(state, {twin.mover: code(move)}, new_generator(0))
            twin.play(move)
        assert_equal(model, state, twin)
        assert model.is_over(state)
        results = [DRAWN] * players
        if twin.winner is not None:
            results = [WON if p == twin.winner else LOST for p in range(players)]
        assert model.results(state).tolist() == results
    assert compared > 1000


def test_numbers_of_the_beginning():
    model = RULES.model()
    state = model.reset(new_generator(0))
    assert model.actions == ACTIONS == 1092
    assert len(model.legal_actions(state, 0)) == 44
    assert model.evaluate(state).tolist() == [0.25] * 4
    assert [beginning(4).count(p) for p in range(4)] == [13] * 4
    assert [beginning(3).count(p) for p in range(3)] == [12] * 3
    assert [beginning(2).count(p) for p in range(2)] == [18] * 2


def test_the_beginning_of_four_looks_the_same_to_all():
    at = dict(zip(PLACES, beginning(4), strict=True))
    for (row, column), player in at.items():
        assert at[column, 7 - row] == (player + 1) % 4


def test_random_play_is_as_long_as_the_rules_say():
    """Measured for the rules: a mean of 822 moves, 32 actions a position."""
    model = RULES.model(max_plies_per_player=100_000)
    rng = new_generator(1)
    lengths, widths = [], []
    for _ in range(200):
        state = model.reset(rng)
        lengths.append(model.playout(state, rng, 10**6))
    state = model.reset(rng)
    while not model.is_over(state):
        (mover,) = model.movers(state)
        widths.append(len(model.legal_actions(state, mover)))
        assert model.playout(state, rng, 1) == 1
    assert 700 < np.mean(lengths) < 950
    assert 25 < np.mean(widths) < 40


def test_three_players_put_their_pieces_on_the_board_first():
    model = RULES.model(players=3)
    state = model.reset(new_generator(0))
    for player in range(3):
        legal = model.legal_actions(state, player)
        assert legal.tolist() == list(range(RESERVE_MOVES, ACTIONS))
        model.apply(state, {player: int(legal[player])}, new_generator(0))
    assert model.legal_actions(state, 0).max() < RESERVE_MOVES


def test_moves_are_written_and_read():
    model = RULES.model()
    state = model.reset(new_generator(0))
    texts = {format_action(model, a) for a in model.legal_actions(state, 0)}
    assert "d1-d2" in texts
    assert format_action(model, 4) == "c1-2N"  # off the board
    for action in range(ACTIONS):
        assert parse_action(model, format_action(model, action)) == action


@pytest.mark.parametrize("text", ["a1-a2", "c1-c8", "c1-d2", "*a1", "c1", "", "c1-c1"])
def test_what_is_no_move_is_refused(text):
    with pytest.raises(ValueError, match="expected two squares"):
        parse_action(RULES.model(), text)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 5}, "players=5: focus is for 2 to 4"),
        ({"max_plies_per_player": 0}, "max_plies_per_player=0: focus needs 1"),
        ({"max_plies_per_player": 1.5}, "max_plies_per_player=1.5: focus needs 1"),
    ],
)
def test_what_is_no_variant_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        RULES.model(**options)


def test_the_limit_on_moves_is_a_draw():
    model = RULES.model(max_plies_per_player=2)
    rng = new_generator(0)
    state = model.reset(rng)
    assert model.playout(state, rng, 100) == 8
    assert model.results(state).tolist() == [DRAWN] * 4
    assert model.scores(state).tolist() == [0.25] * 4


def test_who_passes_changes_nothing_but_the_turn():
    model = RULES.model()
    state = model.reset(new_generator(0))
    after = model.copy(state)
    model.pass_turn(after)
    before, passed = model.view(state).copy(), model.view(after).copy()
    assert passed["mover"] == 1
    passed["mover"] = before["mover"]
    assert before == passed


def test_a_pass_in_the_first_round_of_three_leaves_moves():
    """Searches let opponents pass; who has placed its piece by then moves a stack."""
    model = RULES.model(players=3)
    rng = new_generator(0)
    state = model.reset(rng)
    model.apply(state, {0: RESERVE_MOVES}, rng)
    model.pass_turn(state)
    assert model.legal_actions(state, 2).min() == RESERVE_MOVES
    model.apply(state, {2: RESERVE_MOVES + 1}, rng)
    legal = model.legal_actions(state, 0)
    assert len(legal) > 0
    assert legal.max() < RESERVE_MOVES
    for _ in range(200):
        after = model.copy(state)
        assert model.playout(after, rng, 1) == 1
        assert model.view(after)["last"] in legal


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_random_action_is_uniform(players):
    model, rng = RULES.model(players=players), new_generator(players)
    state = model.reset(rng)
    while model.view(state)["reserves"].max() == 0 or model.turn(state) < 30:
        model.playout(state, rng, 1)
        if model.is_over(state):
            state = model.reset(rng)
    (mover,) = model.movers(state)
    legal = model.legal_actions(state, mover).tolist()
    drawn = [
        model.call("random_action", state.ctypes.data, mover, rng.ctypes.data)
        for _ in range(200 * len(legal))
    ]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == len(drawn)
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("players", [2, 3, 4])
def test_observations_show_stacks_reserves_captures_and_the_turn(players):
    model, rng = RULES.model(players=players), new_generator(players + 10)
    state = model.reset(rng)
    for plies in (0, 1, 40, 60):
        model.playout(state, rng, plies)
        record = model.view(state)
        for player in range(players):
            shape = (6 * players + players**2 + 1, 8, 8)
            seen = model.observe(state, player).reshape(shape)
            expected = np.zeros_like(seen)
            for (row, column), stack, height in zip(
                PLACES, record["stacks"], record["heights"], strict=True
            ):
                for level in range(height):
                    seat = ((int(stack) >> 2 * level & 3) - player) % players
                    expected[level * players + seat, row, column] = 1
            for seat in range(players):
                owner = (player + seat) % players
                expected[5 * players + seat] = record["reserves"][owner]
                for other in range(players):
                    taken = record["captured"][owner, (player + other) % players]
                    expected[6 * players + seat * players + other] = taken
            expected[-1] = player in model.movers(state)
            np.testing.assert_array_equal(seen, expected)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_exported_check_finds_nothing(players):
    report = RULES.check(variants=[{"players": players}], episodes=3)
    assert sum(report.checked.values()) > 1000
