"""Chinese Checkers: the board, its symmetry, notation and what people see."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.chinese_checkers import GAME
from mcts_agents.envs.chinese_checkers.board import AXES, slot_of, star
from mcts_agents.envs.chinese_checkers.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.chinese_checkers.rules import rules
from mcts_agents.envs.chinese_checkers.view import ansi, move_path, position
from mcts_agents.model import new_generator, random_below

every_count = pytest.mark.parametrize("players", [2, 3, 4, 6])
every_board = pytest.mark.parametrize("fields", [73, 121])


def random_step(model, state, player, rng):
    """Play a random move and return it."""
    actions = model.legal_actions(state, player)
    action = int(actions[random_below(rng, len(actions))])
    model.apply(state, {player: action}, rng)
    return action


# -- the board and the opening


@every_board
def test_the_board(fields):
    board = star(fields)
    small = [1, 2, 3, 10, 9, 8, 7, 8, 9, 10, 3, 2, 1]
    full = [1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1]
    assert [len(row) for row in board.rows] == (small if fields == 73 else full)
    assert [f for row in board.rows for f in row] == list(range(fields))
    assert board.fields == fields
    assert board.pieces == (6 if fields == 73 else 10)
    # Every two adjacent fields know each other, and nobody has more than six.
    for field in range(fields):
        around = board.neighbours(field)
        assert len(set(around)) == len(around) <= 6
        assert all(field in board.neighbours(other) for other in around)
    # Clockwise from the top: N, NE, SE, S, SW, NW.
    where = [{board.coordinates[f] for f in corner} for corner in board.corners]
    assert board.corners[0][0] == 0
    assert board.corners[3][-1] == fields - 1
    for corner in range(6):
        # A sixth of a turn clockwise maps (x, y, z) to (-y, -z, -x).
        turned = {(-y, x + y) for x, y in where[corner]}
        assert turned == where[(corner + 1) % 6]


@every_board
def test_shifts_of_bits_lead_to_neighbours_only(fields):
    """No shift of a class's word joins two fields of the board that are apart."""
    board = star(fields)
    slots = [int(slot) for slot in board.slots]
    assert len(set(slots)) == fields
    assert all(slot_of(x, y) == s
               for (x, y), s in zip(board.coordinates, slots, strict=True))  # fmt: skip
    # Bits are shifted left by one on the way.
    assert all(slot % 64 < 63 for slot in slots)
    for a, b in itertools.product(range(fields), repeat=2):
        if slots[a] // 64 == slots[b] // 64:
            way = tuple(
                np.subtract(board.coordinates[b], board.coordinates[a]).tolist()
            )
            for axis, shift in ((1, 8), (2, 1), (3, 7)):
                double = tuple(2 * step for step in AXES[axis])
                assert (slots[b] - slots[a] == shift) == (way == double)


@every_count
def test_the_opening_of_the_small_board(players):
    """Ten moves each; distances sum to 64; all have the same share."""
    model, rng = rules.model(players=players), new_generator(1)
    state = model.reset(rng)
    assert [len(model.legal_actions(state, p)) for p in range(players)] == [
        10
    ] * players
    shown = position(model, state)
    assert shown.to_go == [64] * players
    # Pieces in the goal are 8 from its tip together, and have no step to go.
    assert shown.steps_left == [56] * players
    assert ansi(model, state, None).count("0 of 6 home   56 steps to go") == players
    assert model.evaluate(state) == pytest.approx([1 / players] * players)
    assert model.movers(state) == (0,)


def test_seats_of_four_are_two_pairs_of_opposite_corners():
    model = rules.model(players=4)
    shown = position(model, model.reset(new_generator(1)))
    corners = star(73).corners
    starts = [{f for f, owner in shown.owner.items() if owner == p} for p in range(4)]
    goals = [{f for f, owner in shown.goal_of.items() if owner == p} for p in range(4)]
    assert starts == [set(corners[corner]) for corner in (0, 1, 3, 4)]
    assert goals == [starts[2], starts[3], starts[0], starts[1]]


# -- symmetry


@every_board
@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_seats_are_alike(players, fields):
    """Turning the board by the angle between two seats turns the legal moves."""
    model, rng = rules.model(players=players, fields=fields), new_generator(4)
    board = star(fields)
    sixths = 6 // players

    def turned(field):
        x, y = board.coordinates[field]
        for _ in range(sixths):
            x, y = -y, x + y
        return board.number[x, y]

    state = model.reset(rng)
    # All play the same, turned: at each round's start all have the same choices.
    for rounds in range(25):
        own = [set(model.legal_actions(state, p).tolist()) for p in range(players)]
        for player in range(players):
            expected = {
                turned(a // fields) * fields + turned(a % fields) for a in own[player]
            }
            assert own[(player + 1) % players] == expected
        shares = model.evaluate(state)
        assert shares == pytest.approx([1 / players] * players)
        action = legal_in_whole_round(model, state, turned, rng)
        if action is None:
            assert rounds >= 5
            return
        for player in range(players):
            model.apply(state, {player: action}, rng)
            action = turned(action // fields) * fields + turned(action % fields)


def legal_in_whole_round(model, state, turned, rng):
    """An action of player 0 that the others, turned, can still make afterwards."""
    actions = list(model.legal_actions(state, 0))
    fields = star(model.variant["fields"]).fields
    for _ in range(len(actions)):
        chosen = action = int(actions.pop(random_below(rng, len(actions))))
        trial = model.copy(state)
        for player in range(model.players):
            if model.movers(trial) != (player,):
                break
            if action not in model.legal_actions(trial, player):
                break
            model.apply(trial, {player: action}, rng)
            action = turned(action // fields) * fields + turned(action % fields)
        else:
            if model.movers(trial) == (0,):
                return chosen
    return None


# -- variants, notation, path


def test_other_recordings_are_refused():
    header = {"game": "chinese_checkers", "players": 3, "notation": "WHOLE turn"}
    assert recorded_variant(header) == {
        "players": 3,
        "fields": 121,
        "win_rule": "strict",
    }
    with pytest.raises(ValueError, match="hop by hop"):
        recorded_variant({**header, "notation": "one hop"})
    with pytest.raises(ValueError, match="'hex'"):
        recorded_variant({**header, "game": "hex"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 5}, "players=5: chinese_checkers is for 2, 3, 4 or 6 players"),
        ({"fields": 72}, "fields=72: chinese_checkers has boards of 73 or 121"),
        ({"fields": 73.0}, "fields=73.0: chinese_checkers has boards of 73 or"),
        ({"win_rule": "all"}, "win_rule='all': chinese_checkers knows 'near', 'any'"),
        ({"max_plies_per_player": 0}, "max_plies_per_player=0: chinese_checkers needs"),
    ],
)
def test_variants_that_do_not_exist(options, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**options)


@every_board
def test_every_action_has_a_name_that_is_read_back(fields):
    model = rules.model(fields=fields)
    names = [format_action(model, action) for action in range(model.actions)]
    assert len(set(names)) == fields * fields
    assert [parse_action(model, name) for name in names] == list(range(model.actions))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e2e4", "'e2e4' is not a move; expected ROW.INDEX>ROW.INDEX such as 2.2>"),
        ("13.0>1.0", "no row 13: the board of 73 fields has rows 0 to 12"),
        (
            "1.0>3.10",
            "no field 3.10: row 3 of the board of 73 fields has indices 0 to 9",
        ),
    ],
)
def test_texts_that_are_no_moves(text, message):
    with pytest.raises(ValueError, match=message):
        parse_action(rules.model(), text)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([73, 121]))
def test_the_path_of_the_last_move_is_one_that_the_rules_allow(seed, fields):
    model, rng = rules.model(players=6, fields=fields), new_generator(seed)
    state, board = model.reset(rng), star(fields)
    for _ in range(50):
        before = position(model, state).owner
        (player,) = model.movers(state)
        action = random_step(model, state, player, rng)
        shown = position(model, state)
        assert shown.last_player == player
        assert shown.path[0] * fields + shown.path[-1] == action
        del before[shown.path[0]]
        assert not set(shown.path) & set(before)
        steps = list(zip(shown.path, shown.path[1:], strict=False))
        if len(steps) > 1 or shown.path[1] not in board.neighbours(shown.path[0]):
            for start, end in steps:
                middle = set(board.neighbours(start)) & set(board.neighbours(end))
                (over,) = [f for f, landing in board.hops(start) if landing == end]
                assert over in before
                assert over in middle


def test_the_path_is_the_shortest():
    board = star(73)
    row = board.rows[6]
    occupied = dict.fromkeys([row[1], row[3], row[4]], 0)
    assert move_path(board, occupied, row[0], row[4]) == [
        row[0],
        row[2],
        row[4],
    ]
    assert move_path(board, occupied, row[5], row[4]) == [
        row[5],
        row[4],
    ]


def test_the_text_shows_the_star():
    model = rules.model(players=2)
    state = model.reset(new_generator(1))
    model.apply(state, {0: parse_action(model, "1.1>3.4")}, new_generator(1))
    shown = GAME.ansi(model, state, 1).splitlines()
    assert shown[:5] == [
        " 0           A",
        " 1          A b",
        " 2         A A A",
        " 3  . . . . A . . . . .",
        " 4   . . . . . . . . .",
    ]
    assert shown[-1] == "player_1 to move"
    assert shown[-2] == "last move: player_0 1.1 > 3.4"
    assert shown[-3].startswith("> B  player_1 (you)")
