"""Rolit against a slow twin, the numbers known of random games, and itself."""

import numpy as np
import pytest
from scipy.stats import chisquare

from mcts_agents.envs.rolit import GAME, rules
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, draw_below, new_generator
from tests.envs.rolit_twin import FIELDS, NEUTRAL, Twin

VARIANTS = [
    {"players": 2},
    {"players": 3},
    {"players": 4},
    {"players": 2, "neutral_fourth": False},
    {"players": 3, "neutral_fourth": False},
]


def names(variant):
    return "-".join(str(value) for value in variant.values())


def owners(model, state):
    """Return the owner of each occupied field, as the twin has it."""
    words = [int(word) for word in model.view(state)["balls"]]
    return {
        field: color if color < model.players else NEUTRAL
        for color in range(4)
        for place, field in enumerate(FIELDS)
        if words[color] >> place & 1
    }


def results_of(twin):
    """Return what the twin's position is to each player."""
    if len(twin.balls) < len(FIELDS):
        return [PLAYING] * twin.players
    counts = [twin.count(player) for player in range(twin.players)]
    best = WON if counts.count(max(counts)) == 1 else DRAWN
    return [best if count == max(counts) else LOST for count in counts]


def pairs(variant, games, seed=0):
    """Yield every position of random games, with that of the twin."""
    model, rng = rules.model(**variant), new_generator(seed)
    for _ in range(games):
        state, twin = model.reset(rng), Twin(**variant)
        yield model, state, twin
        while model.movers(state):
            (mover,) = model.movers(state)
            legal = model.legal_actions(state, mover)
            action = int(legal[draw_below(rng, len(legal))])
            model.apply(state, {mover: action}, rng)
            twin.play(FIELDS[action])
            yield model, state, twin


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
def test_positions_and_legal_actions_equal_the_twins(variant):
    checked = 0
    for model, state, twin in pairs(variant, 35):
        assert owners(model, state) == twin.balls
        full = len(twin.balls) == len(FIELDS)
        assert model.movers(state) == (() if full else (twin.turn,))
        for player in range(model.players):  # also those who are not to move
            legal = model.legal_actions(state, player).tolist()
            assert [FIELDS[action] for action in legal] == twin.legal(player)
        counts = [twin.count(player) for player in range(model.players)]
        assert model.scores(state).tolist() == counts
        assert model.results(state).tolist() == results_of(twin)
        checked += 1
    assert checked > 2000


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
def test_evaluation_and_order_equal_the_twins(variant):
    checked = stable = 0
    for model, state, twin in pairs(variant, 8, seed=1):
        if model.is_over(state):
            continue
        np.testing.assert_allclose(model.evaluate(state), twin.evaluation(), atol=1e-15)
        values = model.action_values(state, twin.turn)
        assert values.min() >= 0
        assert values.max() <= 1
        legal = model.legal_actions(state, twin.turn)
        order = [FIELDS[a] for a in legal[np.argsort(-values, kind="stable")]]
        assert order == twin.ordered(twin.turn)
        checked += 1
        stable += any(twin.stable(player) for player in range(model.players))
    assert checked > 450
    assert stable > 60


def test_what_is_stable_stays():
    """No ball that was stable once changes its colour later in the game."""
    safe, count = {}, 0
    for _, _, twin in pairs({"players": 3}, 12, seed=2):
        if len(twin.balls) == 4:
            safe = {}
        for field, owner in safe.items():
            assert twin.balls[field] == owner
        for player in range(3):
            safe |= dict.fromkeys(twin.stable(player), player)
        count += len(safe)
    assert count > 1000


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
def test_every_game_fills_the_board(variant):
    model, rng = rules.model(**variant), new_generator(4)
    players = variant["players"]
    plies = 60 if variant.get("neutral_fourth", True) else 64 - players
    for _ in range(50):
        state = model.reset(rng)
        assert model.playout(state, rng, 1000) == plies
        assert model.is_over(state)
        assert model.turn(state) == plies
        assert len(owners(model, state)) == 64


@pytest.mark.parametrize(("players", "branching"), [(4, 8.3), (3, 8.6)])
def test_random_games_branch_as_known(players, branching):
    moves = captures = 0
    plies = []
    for model, state, twin in pairs({"players": players}, 150, seed=5):
        if model.is_over(state):
            plies.append(model.turn(state))
            continue
        legal = model.legal_actions(state, twin.turn).tolist()
        if len(twin.balls) == 4:
            assert len(legal) == 3
        moves += len(legal)
        captures += bool(twin.captured(FIELDS[legal[0]], twin.turn))
    assert set(plies) == {60}
    assert moves / sum(plies) == pytest.approx(branching, abs=0.2)
    assert 0.95 < captures / sum(plies) < 0.98


def test_playouts_play_as_random_moves_do():
    """Three plies by `playout`, and by `random_action`, reach positions as often."""
    model, rng = rules.model(players=3), new_generator(6)
    found = {}
    for kind in range(2):
        for _ in range(4000):
            state = model.reset(rng)
            if kind == 0:
                assert model.playout(state, rng, 3) == 3
            else:
                for _ in range(3):
                    (mover,) = model.movers(state)
                    action = model.call(
                        "random_action", state.ctypes.data, mover, rng.ctypes.data
                    )
                    model.apply(state, {mover: int(action)}, rng)
            counts = found.setdefault(model.state_key(state), [0, 0])
            counts[kind] += 1
    counts = np.array(list(found.values()))
    assert len(counts) > 20
    expected = counts.sum(axis=1) / 2
    assert chisquare(counts[:, 0], expected).pvalue > 1e-4


def test_a_random_action_is_uniform():
    model, rng = rules.model(players=4), new_generator(7)
    state = model.reset(rng)
    model.playout(state, rng, 25)
    (mover,) = model.movers(state)
    legal = model.legal_actions(state, mover).tolist()
    drawn = [
        model.call("random_action", state.ctypes.data, mover, rng.ctypes.data)
        for _ in range(500 * len(legal))
    ]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == len(drawn)
    assert chisquare(counts).pvalue > 1e-4


def test_a_playout_may_stop_early_and_need_not_begin():
    model, rng = rules.model(players=4), new_generator(8)
    state = model.reset(rng)
    assert model.playout(state, rng, 0) == 0
    assert model.playout(state, rng, 7) == 7
    assert model.movers(state) == (3,)
    assert model.playout(state, rng, 1000) == 53
    assert model.playout(state, rng, 10) == 0


def test_a_player_without_balls_plays_on():
    model = rules.model(players=2)
    state = model.reset(new_generator(0))
    view = model.view(state)
    view["balls"][0] |= view["balls"][1] | view["balls"][2] | view["balls"][3]
    view["balls"][1:] = 0
    model.pass_turn(state)
    legal = model.legal_actions(state, 1).tolist()
    around = {(row, column) for row in range(2, 6) for column in range(2, 6)}
    middle = {(3, 3), (3, 4), (4, 3), (4, 4)}
    assert {FIELDS[action] for action in legal} == around - middle
    model.apply(state, {1: legal[0]}, new_generator(0))
    assert model.scores(state).tolist() == [4, 1]


def test_passing_only_changes_who_is_to_move():
    model, rng = rules.model(players=3), new_generator(9)
    state = model.reset(rng)
    model.playout(state, rng, 20)
    before, keys = model.copy(state), {model.state_key(state)}
    for expected in (0, 1, 2):
        model.pass_turn(state)
        assert model.movers(state) == (expected,)
        assert owners(model, state) == owners(model, before)
        keys.add(model.state_key(state))
    assert model.movers(before) == (2,)
    assert len(keys) == 3


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
def test_observations_show_balls_and_the_turn(variant):
    model, rng = rules.model(**variant), new_generator(10)
    players = variant["players"]
    state = model.reset(rng)
    for plies in (0, 1, 20, 100):
        model.playout(state, rng, plies)
        balls = owners(model, state)
        for player in range(players):
            seen = model.observe(state, player).reshape(players + 2, 8, 8)
            for plane in range(players):
                seat = (player + plane) % players
                expected = {f for f, owner in balls.items() if owner == seat}
                assert {tuple(f) for f in np.argwhere(seen[plane]).tolist()} == expected
            expected = {f for f, owner in balls.items() if owner == NEUTRAL}
            assert {tuple(f) for f in np.argwhere(seen[-2]).tolist()} == expected
            assert (seen[-1] == (player in model.movers(state))).all()


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
def test_the_exported_check_finds_nothing(variant):
    report = rules.check(variants=[variant], episodes=10)
    assert sum(report.checked.values()) > 1000


def test_actions_have_names():
    model = rules.model()
    for action in range(64):
        assert GAME.parse_action(model, GAME.format_action(model, action)) == action
    assert GAME.format_action(model, 10) == "c2"
    assert GAME.parse_action(model, " C2 ") == 10
    with pytest.raises(ValueError, match="'i1': expected a column a to h and a row"):
        GAME.parse_action(model, "i1")
    with pytest.raises(ValueError, match="64: expected a field, 0 to 63"):
        GAME.format_action(model, 64)


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ({"players": 1}, "players=1: rolit is for 2 to 4"),
        ({"players": 5}, "players=5: rolit is for 2 to 4"),
        ({"neutral_fourth": 1}, "neutral_fourth=1: expected true or false"),
        ({"neutral_fourth": False}, "neutral_fourth=False: with players=4"),
    ],
)
def test_bad_options_are_named(variant, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**variant)


def test_text_shows_board_balls_and_turn():
    model = rules.model(players=3)
    state = model.reset(new_generator(0))
    shown = GAME.ansi(model, state, None)
    assert " 4 . . . R G . . . 4\n 5 . . . n Y . . . 5" in shown
    assert shown.endswith("R 1, G 1, Y 1\nRed to move")
    model.apply(state, {0: GAME.parse_action(model, "f4")}, new_generator(0))
    shown = GAME.ansi(model, state, None)
    assert " 4 . . . R R R . . 4" in shown
    assert shown.endswith("R 3, G 0, Y 1\nf4 played, Green to move")
