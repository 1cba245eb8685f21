"""The minimax family on real games: known values, and plain definitions."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from mcts_agents.envs import load_game
from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.model import draw_below
from tests.exact import dots_and_boxes, tictactoe
from tests.games import dice
from tests.minimax import reference
from tests.minimax.reference import Paranoid, generator

WORTH = {1: 1.0, 0: 0.5, -1: 0.0}


def model_of(name, **options):
    return load_game(name).rules.model(**options)


def played(model, plies, rng):
    """Return the position after so many random actions, with the mover; or None."""
    state = model.reset(rng)
    for _ in range(plies):
        if not model.movers(state):
            return None
        joint = {}
        for player in model.movers(state):
            legal = model.legal_actions(state, player)
            joint[player] = int(legal[draw_below(rng, len(legal))])
        model.apply(state, joint, rng)
    movers = model.movers(state)
    return (state, movers[0]) if movers else None


def positions(model, n, plies, widest=1000):
    """Yield `n` positions of random play, of `plies` moves in turn.

    None has more actions than the widest may: plain Python looks at all that follow.
    """
    rng, made = generator(3), 0
    while made < n:
        found = played(model, plies[made % len(plies)], rng)
        if found is not None and 1 < len(model.legal_actions(*found)) <= widest:
            yield found
            made += 1


def best_value(result):
    return dict(zip(result.actions.tolist(), result.values, strict=True))[result.action]


# -- Tic-Tac-Toe


def boards(model):
    """Yield every position that is not over, with its board as `exact` has it."""
    first = model.reset(generator())
    todo, seen = [(first, "." * 9)], {"." * 9}
    for state, board in todo:
        yield state, board
        for cell in range(9):
            following = tictactoe.after(board, cell) if board[cell] == "." else board
            done = tictactoe.winner(following) or "." not in following
            if following in seen or done:
                continue
            seen.add(following)
            mover = model.movers(state)[0]
            todo.append((reference.after(model, state, {mover: cell}), following))


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout", "max-n", "brs-plus"])
def test_every_position_of_tictactoe(algorithm):
    model = model_of("tictactoe")
    options = {"ordering": "none"} if algorithm == "brs-plus" else {}
    search = Minimax(model, MinimaxSettings(algorithm, depth=9, **options))
    checked = 0
    for state, board in boards(model):
        checked += 1
        result = search.run(state, model.movers(state)[0], generator())
        expected = tictactoe.move_values(board)
        assert expected[result.action] == max(expected.values())
        if len(expected) > 1:
            assert result.solved
            assert best_value(result) == WORTH[tictactoe.value(board)]
    assert checked == 4520


# -- Hex


STEPS = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]


def joins(size, cells, sides):
    """Whether a set of cells joins the top and bottom rows, or left and right."""
    ends = (0, size - 1)
    borders = [{c for c in cells if c // size == end} for end in ends]
    if sides == 1:
        borders = [{c for c in cells if c % size == end} for end in ends]
    found, todo = set(), list(borders[0])
    while todo:
        cell = todo.pop()
        if cell in found:
            continue
        found.add(cell)
        row, column = divmod(cell, size)
        for r, c in STEPS:
            if 0 <= row + r < size and 0 <= column + c < size:
                todo += {(row + r) * size + column + c} & cells
    return bool(found & borders[1])


@cache
def mover_wins_hex(size, stones, mover):
    """Whether the mover wins, where `stones` are both players' sets of cells."""
    if joins(size, stones[1 - mover], 1 - mover):
        return False
    for cell in set(range(size * size)) - stones[0] - stones[1]:
        after = list(stones)
        after[mover] |= {cell}
        if not mover_wins_hex(size, tuple(after), 1 - mover):
            return True
    return False


# Openings of Hex that win, with cell row * size + column. `mover_wins_hex` says the
# same of 4 x 4, in two minutes: the short diagonal.
WINNING = {3: {2, 3, 4, 5, 6}, 4: {3, 6, 9, 12}}


@pytest.mark.parametrize("size", WINNING)
def test_small_hex_has_its_known_values(size):
    model = model_of("hex", size=size)
    search = Minimax(model, MinimaxSettings("alphabeta", depth=16, value="win"))
    scout = Minimax(model, MinimaxSettings("negascout", depth=16, value="win"))
    state = model.reset(generator())
    result = search.run(state, 0, generator())
    assert (best_value(result), result.solved) == (1.0, True)
    assert result.action in WINNING[size]
    for cell in range(size * size):
        loses = cell in WINNING[size]  # for the player who answers
        if size == 3:
            stones = (frozenset({cell}), frozenset())
            assert mover_wins_hex(size, stones, 1) is not loses
        after = reference.after(model, state, {0: cell})
        for solver in (search, scout):
            result = solver.run(after, 1, generator())
            assert (best_value(result), result.solved) == (float(not loses), True)


# -- Dots and Boxes


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout", "max-n"])
def test_dots_and_boxes_of_2x2(algorithm):
    model = model_of("dots_and_boxes", width=2, height=2)
    settings = MinimaxSettings(algorithm, depth=12, value="leader", score_bonus=0.0)
    search = Minimax(model, settings)
    checked = 0
    rng = generator(5)
    plies = range(12) if algorithm != "max-n" else range(4, 12)
    while checked < 600:
        moves = []
        state = model.reset(rng)
        for _ in range(plies[checked % len(plies)]):
            (mover,) = model.movers(state)
            legal = model.legal_actions(state, mover)
            moves.append(int(legal[draw_below(rng, len(legal))]))
            model.apply(state, {mover: moves[-1]}, rng)
        (mover,) = model.movers(state)
        checked += 1
        result = search.run(state, mover, generator())
        expected = dots_and_boxes.final_leads(tuple(moves))
        assert expected[result.action] == max(expected.values())
        if len(expected) > 1:
            assert result.solved
            assert best_value(result) == max(expected.values())


def test_the_first_player_wins_dots_and_boxes_of_2x2_by_3_to_1():
    model = model_of("dots_and_boxes", width=2, height=2)
    state = model.reset(generator())
    by_lead, by_win = {"value": "leader", "score_bonus": 0.0}, {"value": "win"}
    for chosen, expected in ((by_lead, 2.0), (by_win, 1.0)):
        settings = MinimaxSettings("alphabeta", depth=12, **chosen)
        result = Minimax(model, settings).run(state, 0, generator())
        assert result.solved
        assert best_value(result) == expected


# -- dice


@cache
def expected_win(sums, turns, mover):
    """Return the first player's chance to win, a draw counted as half, and the best."""
    if turns == 0:
        lead = sums[0] - sums[1]
        return Fraction(1 + (lead > 0) - (lead < 0), 2), None
    found = {}
    for die, faces in enumerate(((3,), (1, 4), (0, 2, 6))):
        total = Fraction(0)
        for points in faces:
            after = list(sums)
            after[mover] += points
            total += expected_win(tuple(after), turns - 1, 1 - mover)[0]
        found[die] = total / len(faces)
    best = max(found.values()) if mover == 0 else min(found.values())
    return best, [die for die, value in found.items() if value == best]


@pytest.mark.parametrize("star1", [True, False])
@pytest.mark.parametrize("turns", [1, 2, 3, 4, 6])
def test_expectiminimax_is_the_exact_expectation(turns, star1):
    model = dice.rules.model(turns=turns)
    settings = MinimaxSettings("expectiminimax", depth=turns, value="win", star1=star1)
    search = Minimax(model, settings)
    for seed in range(20):
        rng = generator(seed)
        state = model.reset(rng)
        for _ in range(seed % turns):
            model.apply(state, {model.movers(state)[0]: seed % 3}, rng)
        (mover,) = model.movers(state)
        view = model.view(state)
        sums = tuple(int(s) for s in view["sums"])
        value, best = expected_win(sums, int(view["turns"]), mover)
        result = search.run(state, mover, generator())
        assert result.solved
        assert result.action in best
        value = value if mover == 0 else 1 - value
        assert best_value(result) == pytest.approx(float(value), abs=1e-12)


# -- Chinese Checkers, where three moves ahead are much for plain Python


WIDEST = 20
OPPS = {"free_opponents": 2, "free_moves": 3, "ranked_moves": 1}
TWO_SIDED = {
    "paranoid-alphabeta": {},
    "brs": {"free_opponents": 1, "ranked_moves": 0},
    "brs-plus": {"free_opponents": 1, "ranked_moves": 1},
    "opps": OPPS,
}


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("algorithm", TWO_SIDED)
def test_chinese_checkers_three_moves_ahead(algorithm, players):
    model = model_of("chinese_checkers", players=players)
    limits = TWO_SIDED[algorithm]
    own = OPPS if algorithm == "opps" else {}
    # A reply is any of all opponents' moves: many, where there are many opponents.
    depth = 2 if algorithm == "brs" and players > 3 else 3
    settings = MinimaxSettings(algorithm, depth=depth, value="evaluate", **own)
    search = Minimax(model, settings)
    for state, player in positions(model, 1, (30,), WIDEST):
        result = search.run(state, player, generator())
        plain = Paranoid(model, player, "evaluate", **limits)
        expected = plain.actions(state, depth)
        assert best_value(result) == pytest.approx(max(expected.values()), abs=1e-12)
        assert expected[result.action] == pytest.approx(best_value(result), abs=1e-12)


@pytest.mark.parametrize("players", [2, 3])
def test_max_n_in_chinese_checkers(players):
    model = model_of("chinese_checkers", players=players)
    search = Minimax(model, MinimaxSettings("max-n", depth=3, value="evaluate"))
    for state, player in positions(model, 1, (20,), WIDEST):
        result = search.run(state, player, generator())
        found = reference.max_n(model, state, player, 3, "evaluate")
        expected = {action: values[player] for action, values in found.items()}
        assert best_value(result) == pytest.approx(max(expected.values()), abs=1e-12)
        np.testing.assert_allclose(
            result.values, [expected[a] for a in result.actions.tolist()], atol=1e-12
        )


# -- Dots and Boxes for three, where whoever completes a box moves again


@pytest.mark.parametrize("algorithm", [*TWO_SIDED, "max-n"])
def test_dots_and_boxes_for_three(algorithm):
    model = model_of("dots_and_boxes", players=3, width=2, height=2)
    limits = TWO_SIDED.get(algorithm, {})
    own = OPPS if algorithm == "opps" else {}
    settings = MinimaxSettings(algorithm, depth=4, value="leader", **own)
    search = Minimax(model, settings)
    for state, player in positions(model, 60, (5, 6, 7, 8, 9, 10)):
        result = search.run(state, player, generator())
        if algorithm == "max-n":
            found = reference.max_n(model, state, player, 4, "leader")
            expected = {action: values[player] for action, values in found.items()}
        else:
            plain = Paranoid(model, player, "leader", **limits)
            expected = plain.actions(state, 4)
        assert best_value(result) == pytest.approx(max(expected.values()))
        assert expected[result.action] == pytest.approx(best_value(result))


@pytest.mark.parametrize(
    "name, options, plies, depth",
    [
        ("hex", {"size": 5}, 4, 6),
        ("connect_four", {}, 6, 8),
        ("dots_and_boxes", {"players": 2, "width": 4, "height": 4}, 8, 6),
        ("othello", {}, 12, 6),
        ("rolit", {"players": 2}, 12, 6),
    ],
)
def test_killers_cost_few_nodes_where_they_do_not_help(name, options, plies, depth):
    """Killers before all other actions made it up to twice as many."""
    model = model_of(name, **options)
    nodes = []
    for killers in (True, False):
        settings = MinimaxSettings("alphabeta", depth=depth, killers=killers)
        search = Minimax(model, settings)
        roots = [played(model, plies, generator(seed)) for seed in range(6)]
        nodes.append(sum(search.run(*root, generator()).nodes for root in roots))
    assert nodes[0] < 1.1 * nodes[1]
