"""Breakthrough against OpenSpiel: its recorded games, and its program."""

import re

import pytest

from mcts_agents.envs.breakthrough import GAME, rules
from mcts_agents.model import draw_below, new_generator
from mcts_agents.recorded import verify_file
from tests.golden import are_enough, golden_folder


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (6, 5)])
def test_recorded_games_are_played_alike(rows, columns):
    file = f"breakthrough_{rows}x{columns}"
    report = verify_file(GAME, golden_folder("openspiel") / f"{file}.jsonl.gz")
    assert report.first is None
    assert report.mismatches == 0
    assert are_enough(report.games, f"openspiel: games of {file}", 101)


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (6, 5), (6, 10), (9, 4)])
def test_random_games_agree_with_openspiel(rows, columns):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"breakthrough(rows={rows},columns={columns})")
    model, rng = rules.model(rows=rows, columns=columns), new_generator(3)
    for _ in range(100):
        state, other = model.reset(rng), theirs.new_initial_state()
        while not other.is_terminal():
            player = other.current_player()
            assert model.movers(state) == (player,)
            legal = model.legal_actions(state, player).tolist()
            action = legal[draw_below(rng, len(legal))]
            known = {
                other.action_to_string(player, a): a for a in other.legal_actions()
            }
            text = GAME.format_action(model, action)
            codes = [model.move_code(state, player, a) for a in legal]
            ours = [
                GAME.format_action(model, a) + "*" * (code % 2)
                for a, code in zip(legal, codes, strict=True)
            ]
            assert sorted(ours) == sorted(known)
            (text,) = (t for t in known if t.rstrip("*") == text)
            assert GAME.parse_action(model, text) == action
            model.apply(state, {player: action}, rng)
            other.apply_action(known[text])
        assert model.is_over(state)
        assert model.returns(state) == other.returns()


def test_headers_of_records_say_the_size():
    header = {"game": "x", "openspiel": "breakthrough(rows=6,columns=5)"}
    assert GAME.recorded_variant(header) == {"rows": 6, "columns": 5}
    assert GAME.recorded_variant({"openspiel": "breakthrough"}) == {}
    with pytest.raises(ValueError, match="not of breakthrough"):
        GAME.recorded_variant({"game": "hex", "openspiel": "hex(board_size=7)"})


def test_the_page_says_which_boards_there_are():
    from mcts_agents.envs import breakthrough, knightthrough

    for module in (breakthrough, knightthrough):
        assert re.search(r"`rows`: .*, 6 to 16\.", module.__doc__)
        assert re.search(r"`columns`: .*, 4 to 10\.", module.__doc__)
