"""Tic-Tac-Toe against OpenSpiel's recorded games and against an obvious twin."""

import numpy as np
import pytest

from mcts_agents.envs.tictactoe import GAME
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator
from tests.golden import are_enough, golden_folder, recorded_games

MODEL = GAME.rules.model()
TRIPLES = [
    "012", "345", "678",
    "036", "147", "258",
    "048", "246",
]  # fmt: skip


def twin_winner(board):
    """The winner's mark on a board of 9 letters, or None."""
    for triple in TRIPLES:
        marks = {board[int(cell)] for cell in triple}
        if marks in ({"X"}, {"O"}):
            return marks.pop()
    return None


def twin_results(board):
    winner = twin_winner(board)
    if winner:
        return [WON if mark == winner else LOST for mark in "XO"]
    return [PLAYING if "." in board else DRAWN] * 2


def twin_legal(board):
    if twin_winner(board):
        return []
    return [cell for cell in range(9) if board[cell] == "."]


def check(board, state):
    """Compare all that the rules say of a position with the twin."""
    turn = board.count("X") - board.count("O")
    legal = twin_legal(board)
    assert MODEL.movers(state) == ((turn,) if legal else ())
    assert MODEL.is_over(state) == (not legal)
    results = twin_results(board)
    assert MODEL.results(state).tolist() == results
    value = {PLAYING: 0.0, WON: 1.0, DRAWN: 0.5, LOST: -1.0}
    assert MODEL.scores(state).tolist() == [value[result] for result in results]
    if legal:
        assert MODEL.legal_actions(state, turn).tolist() == legal
    for player in range(2):
        seen = MODEL.observe(state, player).reshape(3, 9).tolist()
        own, other = "XO"[player], "XO"[1 - player]
        assert seen[0] == [mark == own for mark in board]
        assert seen[1] == [mark == other for mark in board]
        if legal:
            assert seen[2] == [player == turn] * 9
    rows = GAME.ansi(MODEL, state, None).splitlines()[1:4]
    assert "".join(row[2:].replace(" ", "") for row in rows) == board


def test_all_positions_that_can_be_reached():
    rng = new_generator(0)
    waiting = [("." * 9, MODEL.reset(rng))]
    seen = {"." * 9}
    while waiting:
        board, state = waiting.pop()
        check(board, state)
        mark = "XO"[board.count("X") - board.count("O")]
        for cell in twin_legal(board):
            after = board[:cell] + mark + board[cell + 1 :]
            if after not in seen:
                seen.add(after)
                child = MODEL.copy(state)
                MODEL.apply(child, {"XO".index(mark): cell}, rng)
                waiting.append((after, child))
    assert len(seen) == 5478


def test_recorded_games():
    path = golden_folder("openspiel") / "tic_tac_toe.jsonl.gz"
    header, games = recorded_games(path)
    model = GAME.rules.model(**GAME.recorded_variant(header))
    rng = new_generator(0)
    assert are_enough(len(games), "openspiel: games of tic_tac_toe", 101)
    for game in games:
        state = model.reset(rng)
        for move, player, legal in zip(
            game["moves"], game["players"], game["legal"], strict=True
        ):
            assert model.movers(state) == (player,)
            names = [
                GAME.format_action(model, action)
                for action in model.legal_actions(state, player)
            ]
            assert sorted(names) == legal.split()
            model.apply(state, {player: GAME.parse_action(model, move)}, rng)
        assert model.movers(state) == ()
        assert model.returns(state) == game["returns"]


def test_random_actions_are_uniform():
    rng = new_generator(5)
    state = MODEL.reset(rng)
    for player, action in ((0, 0), (1, 4), (0, 8)):
        MODEL.apply(state, {player: action}, rng)
    draws = [
        MODEL.call("random_action", state.ctypes.data, 1, rng.ctypes.data)
        for _ in range(6000)
    ]
    cells, counts = np.unique(draws, return_counts=True)
    assert cells.tolist() == [1, 2, 3, 5, 6, 7]
    # 6 cells, 1000 each, standard deviation 29.
    assert counts.min() > 850 and counts.max() < 1150


def test_cells_have_names():
    names = [GAME.format_action(MODEL, action) for action in range(9)]
    assert names == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert [GAME.parse_action(MODEL, name) for name in names] == list(range(9))
    assert GAME.parse_action(MODEL, " C2 ") == 5


@pytest.mark.parametrize("text", ["", "b", "d1", "a4", "a0", "b22", "2b", "44"])
def test_texts_that_are_no_cells(text):
    with pytest.raises(ValueError, match=f"{text!r}: expected a column a to c"):
        GAME.parse_action(MODEL, text)


def test_records_of_other_games_are_refused():
    with pytest.raises(ValueError, match="'hex_7x7', not of tic_tac_toe"):
        GAME.recorded_variant({"game": "hex_7x7"})


def test_the_text_says_whose_turn_it_is_and_who_won():
    rng = new_generator(0)
    state = MODEL.reset(rng)
    assert GAME.ansi(MODEL, state, 0).endswith("X to move")
    for turn, cell in enumerate([0, 1, 4, 2]):
        MODEL.apply(state, {turn % 2: cell}, rng)
    assert GAME.ansi(MODEL, state, 0) == (
        "  a b c\n1 X O O\n2 . X .\n3 . . .\nX to move"
    )
    MODEL.apply(state, {0: 8}, rng)
    assert GAME.ansi(MODEL, state, 0).endswith("X wins")
