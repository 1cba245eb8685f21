"""Replaying recorded games: what agrees, what differs, and what is no record."""

import gzip
import json

import pytest

from mcts_agents.envs import load_game
from mcts_agents.model import DRAWN, LOST, WON
from mcts_agents.recorded import (
    RecordError,
    recorded_returns,
    verify_file,
)
from tests.golden import golden_folder, recorded_games

HEADER = {"game": "tic_tac_toe", "openspiel": "tic_tac_toe"}
DRAW = "b2 a1 c1 a3 a2 c2 b1 b3 c3".split()
# Player 0 has the top row after five moves.
WIN = "a1 a2 b1 b2 c1".split()


def record(moves, returns, **changes):
    """A game of Tic-Tac-Toe written down without the rules."""
    cells = {column + row for column in "abc" for row in "123"}
    legal = [" ".join(sorted(cells - set(moves[:ply]))) for ply in range(len(moves))]
    players = [ply % 2 for ply in range(len(moves))]
    written = {"g": 0, "moves": moves, "players": players, "legal": legal}
    return {**written, "returns": returns, **changes}


def write(folder, *lines, header=HEADER):
    path = folder / "games.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (header, *lines)))
    return path


def replayed(folder, *lines):
    return verify_file(load_game("tictactoe"), write(folder, *lines))


def test_games_that_agree(tmp_path):
    report = replayed(tmp_path, record(DRAW, [0, 0]), record(WIN, [1, -1]))
    assert (report.games, report.plies, report.mismatches) == (2, 14, 0)
    assert report.first is None


@pytest.mark.parametrize(
    ("game", "ply", "what"),
    [
        (record(WIN, [-1, 1]), 5, "the returns"),
        (record(WIN, [2, -2]), 5, "the returns"),
        (record(WIN, [1]), 5, "the returns"),
        (record(DRAW, [1, -1]), 9, "the returns"),
        (record(WIN[:4], [0, 0]), 4, "the end"),
        (record([*WIN, "c2"], [1, -1]), 5, "the player to move"),
        (record(WIN, [1, -1], players=[0, 1, 1, 0, 0]), 2, "the player to move"),
        (record(["a1", "a1"], [0, 0]), 1, "the move"),
        (record(["a1", "d4"], [0, 0]), 1, "the move"),
    ],
)
def test_the_first_difference_is_described(tmp_path, game, ply, what):
    report = replayed(tmp_path, record(DRAW, [0, 0]), {**game, "g": 41})
    assert report.mismatches == 1
    assert (report.first.game, report.first.ply) == (41, ply)
    assert report.first.what == what
    assert "  a b c\n1 " in str(report.first)


@pytest.mark.parametrize("change", ["lacks", "adds", "repeats"])
def test_every_change_of_a_legal_set_is_found(tmp_path, change):
    game = record(WIN, [1, -1])
    for ply, legal in enumerate(game["legal"]):
        moves = legal.split()
        changed = {
            "lacks": moves[1:],
            "adds": [*moves, "z9"],
            "repeats": [*moves, moves[-1]],
        }[change]
        sets = list(game["legal"])
        sets[ply] = " ".join(changed)
        report = replayed(tmp_path, {**game, "legal": sets})
        assert (report.mismatches, report.first.ply) == (1, ply)
        assert report.first.what == "the set of legal moves"
        assert report.first.recorded == sets[ply]
        assert report.first.found == legal


def test_the_games_after_a_mismatch_are_replayed_too(tmp_path):
    wrong = record(WIN, [0, 0])
    report = replayed(tmp_path, wrong, record(DRAW, [0, 0]), {**wrong, "g": 2})
    assert (report.games, report.plies, report.mismatches) == (3, 19, 2)
    assert report.first.game == 0


def test_a_game_may_be_cut_by_its_limit_and_not_otherwise(tmp_path):
    cut = record(WIN[:4], [0, 0], max_turns=4)
    assert replayed(tmp_path, cut).mismatches == 0
    # The last turn that it may have can be the one that ends it.
    assert replayed(tmp_path, record(DRAW, [0, 0], max_turns=9)).mismatches == 0
    assert replayed(tmp_path, record(WIN, [1, -1], max_turns=5)).mismatches == 0
    for wrong in (
        record(WIN[:4], [0, 0], max_turns=5),  # the limit was not reached
        record(WIN[:4], [1, -1], max_turns=4),  # cut games have no winner
        record(WIN, [0, 0], max_turns=5),  # it was won at the limit
        record(DRAW, [1, -1], max_turns=9),
    ):
        assert replayed(tmp_path, wrong).mismatches == 1


def test_returns_on_the_scale_of_the_records():
    assert recorded_returns([WON, LOST]) == [1, -1]
    assert recorded_returns([DRAWN, DRAWN]) == [0, 0]
    assert recorded_returns([LOST, WON, LOST, LOST]) == [-1, 3, -1, -1]
    assert recorded_returns([WON, LOST, WON, LOST]) == [1, -1, 1, -1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"moves": None}, "line 2"),
        ({"moves": [1, 2, 3, 4, 5]}, "moves must hold values of type str"),
        ({"players": ["0"] * 5}, "players must hold values of type int"),
        ({"legal": [["a1"]] * 5}, "legal must hold values of type str"),
        ({"players": [0]}, "not equally many"),
        ({"returns": ["win", "loss"]}, "'win'"),
        ({"returns": 1}, "line 2"),
        ({"max_turns": "many"}, "'many'"),
        ({"g": "first"}, "'first'"),
    ],
)
def test_a_line_that_is_no_game_is_named(tmp_path, change, words):
    path = write(tmp_path, {**record(WIN, [1, -1]), **change})
    with pytest.raises(RecordError, match="line 2 is not a recorded game") as caught:
        verify_file(load_game("tictactoe"), path)
    assert words in str(caught.value)


@pytest.mark.parametrize("missing", ["moves", "players", "legal", "returns"])
def test_a_game_without_one_of_its_keys_is_named(tmp_path, missing):
    game = record(WIN, [1, -1])
    del game[missing]
    with pytest.raises(RecordError, match=f"line 2 .* no '{missing}'"):
        replayed(tmp_path, game)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON objects"),
        (b"[1]\n[2]", "line 1: not a JSON object"),
        (b"words", "line 1, column 1: not JSON: Expecting value"),
        (json.dumps(HEADER).encode() + b"\n{}}\n", "line 2, column 3: not JSON: Extra"),
        (json.dumps(HEADER).encode() + b"\n{\n", "line 2, column 3: not JSON: Expect"),
        (json.dumps(HEADER).encode() + b"\n[]\n", "line 2: not a JSON object"),
        (json.dumps(HEADER).encode() + b"\n" + b"[" * 10**5, "line 2: nested more"),
        (b"\xff\xfe\x00", "which is text"),
        (b"\x1f\x8b\x08\x00", "not a record of games"),
        (gzip.compress(b"{}" * 99, mtime=0)[:30], "not a record of games"),
        (gzip.compress(b"a", mtime=0)[:10] + b"\xff" * 30, "not a record of games"),
        (b'{"game": "hex"}', "its header names no game"),
        (json.dumps(HEADER).encode(), "no games after the header"),
    ],
)
def test_a_file_that_is_no_record_is_named(tmp_path, content, words):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=words) as caught:
        verify_file(load_game("tictactoe"), path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"openspiel": "hex(board_size=99)"}, "size=99"),
        ({"openspiel": "chess"}, "not of hex"),
    ],
)
def test_a_header_of_another_game_or_board(tmp_path, header, words):
    path = write(tmp_path, record(WIN, [1, -1]), header=header)
    with pytest.raises(RecordError, match=words):
        verify_file(load_game("hex"), path)


def test_a_header_that_lacks_what_the_game_needs(tmp_path):
    header = {"game": "chinese_checkers", "openspiel": "", "notation": "WHOLE turn"}
    path = write(tmp_path, record(WIN, [1, -1]), header=header)
    with pytest.raises(RecordError, match="header has no 'players'"):
        verify_file(load_game("chinese_checkers"), path)


def test_games_of_which_nothing_is_recorded(tmp_path):
    with pytest.raises(RecordError, match="sushi_go: no recorded games"):
        verify_file(load_game("sushi_go"), write(tmp_path, record(WIN, [1, -1])))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("tic_tac_toe", "tictactoe"),
        ("hex_7x7", "hex"),
        ("hex_11x11", "hex"),
        ("hex_7x7_forced_b2", "hex"),
        ("hex_7x7_forced_c3", "hex"),
        ("chinese_checkers_turns_2p", "chinese_checkers"),
        ("chinese_checkers_turns_3p", "chinese_checkers"),
        ("chinese_checkers_turns_4p", "chinese_checkers"),
        ("chinese_checkers_turns_6p", "chinese_checkers"),
        ("dots_and_boxes_2x2", "dots_and_boxes"),
        ("dots_and_boxes_3x4", "dots_and_boxes"),
        ("dots_and_boxes_5x7", "dots_and_boxes"),
        ("dots_and_boxes_6x6", "dots_and_boxes"),
        ("connect_four", "connect_four"),
        ("othello", "othello"),
        ("breakthrough_8x8", "breakthrough"),
        ("breakthrough_6x5", "breakthrough"),
        ("gomoku_9x9", "gomoku"),
        ("gomoku_15x15", "gomoku"),
        ("nogo_5x5", "nogo"),
        ("nogo_7x7", "nogo"),
        ("nogo_9x9", "nogo"),
        ("atarigo_6x6", "atarigo"),
        ("atarigo_7x7", "atarigo"),
        ("atarigo_9x9", "atarigo"),
    ],
)
def test_the_rules_agree_with_the_reference(file, name):
    path = golden_folder("openspiel") / f"{file}.jsonl.gz"
    _, games = recorded_games(path)
    counts = []
    report = verify_file(load_game(name), path, lambda *done: counts.append(done))
    assert report.first is None
    assert report.mismatches == 0
    assert report.games == len(games)
    assert report.plies == sum(len(game["moves"]) for game in games)
    assert counts == [(n + 1, len(games)) for n in range(len(games))]


def test_one_wrong_word_in_a_large_record_is_found(tmp_path):
    header, games = recorded_games(golden_folder("openspiel") / "hex_7x7.jsonl.gz")
    game = games[min(30, len(games) - 1)]
    legal = game["legal"][6].split()
    game["legal"][6] = " ".join(legal[:-1])
    report = verify_file(load_game("hex"), write(tmp_path, *games, header=header))
    assert report.mismatches == 1
    assert (report.first.game, report.first.ply) == (game["g"], 6)
    assert report.first.found == " ".join(legal)
