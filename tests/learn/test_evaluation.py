"""Evaluation of an agent against others, and learning curves."""

import pytest
from PIL import Image

from mcts_agents.arena.analysis.intervals import UNKNOWN, wilson
from mcts_agents.learn import draw_learning_curve, evaluate


def test_an_agent_takes_all_seats_equally_often():
    figures = evaluate("mcts:simulations=300", "random", "hex:size=3", games=20)
    assert figures.games == 20
    assert figures.expected == 0.5
    assert figures.win_rate == wilson(figures.wins, 20)
    assert figures.wins >= 19


def test_the_same_seed_gives_the_same_games_and_ties_count_half():
    first, again, other = (
        evaluate("random", "random", "tictactoe", games=60, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.win_rate == again.win_rate
    assert first.length == again.length != other.length
    share = first.won.value + first.drawn.value / 2
    assert first.win_rate.value == pytest.approx(share)


def test_the_field_takes_all_other_seats():
    best = evaluate(
        "mcts:simulations=200", "random", "sushi_go", players=3, games=6, seed=1
    )
    assert best.expected == pytest.approx(1 / 3)
    worst = evaluate(
        "random", "mcts:simulations=200", "sushi_go", players=3, games=6, seed=1
    )
    assert best.win_rate.value > worst.win_rate.value
    assert best.mean_score.value > worst.mean_score.value


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"games": 0}, r"games_each\n.*greater than or equal to 1"),
        ({"agent": "nobody"}, "unknown agent 'nobody': known: "),
        ({"opponent": "mcts:tree=wide"}, r"field\n.*tree='wide': expected one of one"),
        ({"game": "whist"}, "unknown game 'whist': "),
        ({"players": 3}, "players=3: hex is for 2 players"),
        ({"players": 0}, "players=0: hex is for 2 players"),
    ],
)
def test_what_is_refused(arguments, why):
    asked = {"agent": "random", "opponent": "random", "game": "hex:size=3", "games": 2}
    with pytest.raises(ValueError, match=why):
        evaluate(**{**asked, **arguments})


def test_a_learning_curve(tmp_path):
    curves = {
        "random": [(1000, wilson(5, 10)), (2000, wilson(9, 10))],
        "mcts": [(1000, wilson(0, 10)), (2000, wilson(3, 10))],
    }
    draw_learning_curve(tmp_path / "c.svg", curves, title="A & B", even=0.5)
    text = (tmp_path / "c.svg").read_text()
    for word in ("A &amp; B", "steps of training", "random", "mcts", "equal strength"):
        assert word in text
    draw_learning_curve(tmp_path / "c.png", curves, title="A & B")
    with Image.open(tmp_path / "c.png") as picture:
        assert picture.size == (1050, 690)


def test_a_rate_without_games_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"'mcts'.*without any games"):
        draw_learning_curve(tmp_path / "c.png", {"mcts": [(1, UNKNOWN)]}, title="")
