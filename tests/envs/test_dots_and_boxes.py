"""Dots and Boxes against a slow twin and recorded games; names and options.

Recorded games of OpenSpiel are replayed ply by ply in tests/test_recorded.py.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from mcts_agents.envs import make_model
from mcts_agents.envs.dots_and_boxes import GAME, rules
from mcts_agents.model import DRAWN, LOST, WON, new_generator
from tests.envs.dots_and_boxes_positions import (
    check,
    greedy,
    playout,
    position,
    random_action,
)
from tests.envs.dots_and_boxes_twin import Twin, edge_of
from tests.golden import are_enough, golden_folder, recorded_games

SIDES = st.integers(1, 10)


@settings(max_examples=25, deadline=None)
@given(SIDES, SIDES, st.integers(2, 6), st.booleans(), st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(width, height, players, ties, seed):
    model = rules.model(width=width, height=height, players=players, tag_ties=ties)
    twin, rng = Twin(width, height, players), new_generator(seed)
    state = model.reset(rng)
    every = 1 + model.actions // 8  # comparing takes the twin long on large boards
    plies = 0
    while not twin.is_over():
        if plies % every == 0:
            check(model, state, twin)
        legal = twin.legal()
        action = random_action(model, state, twin.mover, rng)
        name = GAME.format_action(model, action)
        assert name in legal
        player = twin.mover
        twin.play(name)
        model.apply(state, {player: action}, rng)
        assert model.scores(state).tolist() == twin.scores()
        plies += 1
    check(model, state, twin)
    assert plies == model.actions == twin.width * (height + 1) + height * (width + 1)
    assert model.scores(state).sum() == width * height


@settings(max_examples=60, deadline=None)
@given(SIDES, SIDES, st.integers(2, 6), st.floats(0, 1), st.integers(0, 2**32))
def test_the_greedy_policy_takes_and_does_not_give(width, height, players, part, seed):
    """It agrees with the values of actions, which are compared with the twin above."""
    model = rules.model(width=width, height=height, players=players)
    rng = new_generator(seed)
    state = model.reset(rng)
    playout(model, state, rng, int(part * (model.actions - 1)))
    while not model.is_over(state):
        (player,) = model.movers(state)
        values = model.action_values(state, player)
        best = model.legal_actions(state, player)[values == values.max()]
        action = greedy(model, state, player, rng)
        assert action in best
        model.apply(state, {player: action}, rng)


@pytest.mark.parametrize("plies", [0, 20, 40, 60, 75])
def test_the_greedy_policy_and_random_actions_choose_uniformly(plies):
    model, rng = rules.model(), new_generator(plies)
    state = model.reset(rng)
    playout(model, state, rng, plies)
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    values = model.action_values(state, player)
    for choose, choices in (
        (random_action, legal),
        (greedy, legal[values == values.max()]),
    ):
        draws = 60 * len(choices)
        chosen = [choose(model, state, player, rng) for _ in range(draws)]
        actions, counts = np.unique(chosen, return_counts=True)
        assert actions.tolist() == choices.tolist()
        if len(choices) > 1:
            assert chisquare(counts).pvalue > 0.001
    assert model.policies == ("greedy",)


# -- recorded games


@pytest.mark.parametrize("size", ["2x2", "3x4", "5x7", "6x6"])
def test_recorded_games_end_with_the_same_boxes(size):
    name = f"dots_and_boxes_{size}"
    header, games = recorded_games(golden_folder("openspiel") / f"{name}.jsonl.gz")
    model = rules.model(**GAME.recorded_variant(header))
    assert are_enough(len(games), f"openspiel: games of {name}", 101)
    for game in games:
        state = position(model, " ".join(game["moves"]))
        assert model.is_over(state)
        assert model.scores(state).tolist() == game["boxes"]
        assert model.returns(state) == game["returns"]


# -- single positions


def test_one_edge_may_complete_two_boxes():
    model = rules.model(width=2, height=1)
    state = position(model, "h0,0 h1,0 v0,0 h0,1 h1,1 v0,2")
    assert model.movers(state) == (0,)
    assert model.scores(state).tolist() == [0, 0]
    assert model.action_values(state, 0).tolist() == [1.0]
    state = position(model, "h0,0 h1,0 v0,0 h0,1 h1,1 v0,2 v0,1")
    assert model.scores(state).tolist() == [2, 0]
    assert model.results(state).tolist() == [WON, LOST]
    assert model.is_over(state)


def test_ties_are_shared_or_go_to_the_lowest_seat():
    # B completes the left box and moves again, then C the right one.
    for tag_ties, results in (
        (False, [LOST, DRAWN, DRAWN]),
        (True, [LOST, WON, LOST]),
    ):
        model = rules.model(width=2, height=1, players=3, tag_ties=tag_ties)
        state = position(model, "h0,0 v0,0 h1,0 h0,1 v0,1 h1,1 v0,2")
        assert model.scores(state).tolist() == [0, 1, 1]
        assert model.results(state).tolist() == results


# -- names and options


def test_edges_are_written_and_read():
    for options in ({}, {"width": 10, "height": 10}, {"width": 1, "height": 3}):
        model = rules.model(**options)
        twin = Twin(model.variant["width"], model.variant["height"], 2)
        names = [GAME.format_action(model, a) for a in range(model.actions)]
        assert names == twin.actions()
        assert len({edge_of(name) for name in names}) == model.actions
        assert [GAME.parse_action(model, n) for n in names] == list(range(len(names)))
    assert GAME.parse_action(rules.model(), " H2,3 ") == 17


@pytest.mark.parametrize(
    "text", ["", "h", "h0", "x0,0", "h6,0", "h0,7", "v5,0", "v0,8", "0,0", "h-1,0"]
)
def test_texts_that_are_no_edges(text):
    with pytest.raises(ValueError, match=r"expected an edge h0,0 to h5,6 or v0,0 to"):
        GAME.parse_action(rules.model(), text)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("dots_and_boxes:players=1", "players=1: dots_and_boxes is for 2 to 6 players"),
        ("dots_and_boxes:players=7", "players=7"),
        ("dots_and_boxes:width=0", "width=0: dots_and_boxes has boards of 1 to 10"),
        ("dots_and_boxes:height=11", "height=11"),
        ("dots_and_boxes:width=true", "width=True"),
        ("dots_and_boxes:height=big", "height='big'"),
        ("dots_and_boxes:tag_ties=2", "tag_ties=2: expected true or false"),
    ],
)
def test_variants_that_do_not_exist_are_named(spec, words):
    with pytest.raises(ValueError, match=words):
        make_model(spec)


def test_records_of_other_games_are_refused():
    with pytest.raises(ValueError, match="'hex_7x7', not of dots_and_boxes"):
        GAME.recorded_variant({"game": "hex_7x7", "openspiel": "hex(board_size=7)"})


def test_the_text_shows_edges_owners_scores_and_the_mover():
    model = rules.model(width=2, height=1)
    state = position(model, "h0,0 v0,0 h1,0 v0,2 v0,1")
    assert GAME.ansi(model, state, 0) == (
        "   0   1   2\n"
        " 0 +---+   +\n"
        "   | A |   |\n"
        " 1 +---+   +\n"
        "A 1, B 0\n"
        "v0,1 drawn, Red (A) to move"
    )
    three = rules.model(width=2, height=1, players=3)
    tied = position(three, "h0,0 v0,0 h1,0 h0,1 v0,1 h1,1 v0,2")
    assert GAME.ansi(three, tied, None).endswith("A draw of B and C")
