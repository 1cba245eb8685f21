"""Codes of moves, and playouts that record their moves."""

import collections
import pickle

import numpy as np
import pytest
from pettingzoo.classic import tictactoe_v3

from mcts_agents.envs import make_model
from mcts_agents.model import (
    PLAYING,
    WON,
    Rules,
    RulesError,
    Spec,
    new_generator,
    random_below,
)
from mcts_agents.model.contract import MOVE
from mcts_agents.model.copying.copied import CopiedEnvironment
from tests.toy_games import auction, hands, nim


def row_game(**given):
    """A row of 5 cells and a runner; a move is how far to go, and 3 wins at once."""
    rules = Rules(
        "row",
        state=np.dtype([("at", np.int8), ("turn", np.int8), ("won", np.int8)]),
        chance=False,
        **given,
    )

    @rules.variant
    def variant(game, *, players=2):
        return Spec(players=players, actions=4)

    @rules.define
    def reset(game, state, rng):
        state.at, state.turn, state.won = 0, 0, -1

    @rules.define
    def movers(game, state):
        return 1 << state.turn if state.won < 0 and state.at < 12 else 0

    @rules.define
    def legal_actions(game, state, player, out):
        for action in range(4):
            out[action] = action
        return 4

    @rules.define
    def apply(game, state, joint_action, rng):
        action = joint_action[state.turn]
        state.at += action
        if action == 3:
            state.won = state.turn
        state.turn = 1 - state.turn

    @rules.define
    def scores(game, state, out):
        out[0] = out[1] = 0.0

    @rules.define
    def results(game, state, out):
        for player in range(2):
            out[player] = WON if state.won == player else PLAYING

    return rules


def with_codes():
    """With codes that depend on where the runner is, and codes that do not."""
    rules = row_game(move_codes=("exact", "abstract"))

    @rules.define
    def move_code(game, state, player, action, kind):
        return 4 * state.at + action if kind == 0 else int(action > 1)

    return rules


def replayed(model, state, moves, rng):
    """Play recorded actions; every one must be legal for who made it."""
    i = 0
    while i < len(moves):
        movers = model.movers(state)
        rows = moves[i : i + len(movers)]
        assert rows["player"].tolist() == list(movers)
        for player, code in zip(movers, rows["code"].tolist(), strict=True):
            assert code in model.legal_actions(state, player)
        model.apply(state, dict(zip(movers, rows["code"].tolist(), strict=True)), rng)
        i += len(movers)
    return state


GAMES = {
    "tictactoe": make_model("tictactoe")[1],
    "hex": make_model("hex:size=4")[1],
    "dots": make_model("dots_and_boxes:width=2,height=2,players=3")[1],
    "nim": nim(),
    "hands": hands(3),
    "row": row_game().model(),
}


@pytest.mark.parametrize("game", GAMES)
def test_the_moves_lead_to_the_state_that_was_reached(game):
    model = GAMES[game]
    for seed in range(20):
        rng = new_generator(seed)
        opening = model.reset(rng)
        state = opening.copy()
        moves = model.playout_moves(state, rng, 1000)
        assert moves.dtype == MOVE
        assert model.is_over(state)
        if not model.chance:
            assert replayed(model, opening, moves, rng).tolist() == state.tolist()


def test_it_stops_at_the_move_that_wins():
    model = GAMES["row"]
    for seed in range(50):
        rng = new_generator(seed)
        moves = model.playout_moves(model.reset(rng), rng, 1000)
        assert (moves["code"][:-1] != 3).all()


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 8])
def test_no_more_than_there_is_room_for(limit):
    for model in (GAMES["tictactoe"], auction()):
        rng = new_generator(0)
        state = model.reset(rng)
        before = state.copy()
        moves = model.playout_moves(state, rng, limit)
        movers = 3 if model is auction() else 1
        assert len(moves) <= limit
        assert len(moves) > limit - movers or model.is_over(state)
        if len(moves) == 0:
            assert state.tolist() == before.tolist()


def test_every_mover_of_a_joint_action_has_a_row():
    model = auction()
    rng = new_generator(3)
    opening = model.reset(rng)
    moves = model.playout_moves(opening.copy(), rng, 1000)
    assert moves["player"][:3].tolist() == [0, 1, 2]


@pytest.mark.parametrize("game", ["tictactoe", "nim", "row"])
def test_they_are_as_random_as_steps(game):
    """Frequencies of the first two moves, 4,000 playouts against 4,000 by steps."""
    model = GAMES[game]
    counts = [collections.Counter(), collections.Counter()]
    rng = new_generator(1)
    for _ in range(4000):
        moves = model.playout_moves(model.reset(rng), rng, 1000)
        counts[0][tuple(moves["code"][:2].tolist())] += 1
        state, played = model.reset(rng), []
        while len(played) < 2 and not model.is_over(state):
            (player,) = model.movers(state)
            legal = model.legal_actions(state, player).tolist()
            played.append(legal[random_below(rng, len(legal))])
            model.apply(state, {player: played[-1]}, rng)
        counts[1][tuple(played)] += 1
    keys = sorted({*counts[0], *counts[1]})
    seen = np.array([[count[key] for key in keys] for count in counts], float)
    expected = seen.sum(axis=0) / 2
    statistic = ((seen - expected) ** 2 / expected).sum()
    # Far out of what chance does: mean + 6 standard deviations.
    freedom = len(keys) - 1
    assert statistic < freedom + 6 * np.sqrt(2 * freedom)


def test_codes_are_those_of_the_state_in_which_the_move_is_made():
    rules = with_codes()
    model = rules.model()
    assert model.move_codes == ("exact", "abstract")
    for kind in model.move_codes:
        rng, again = new_generator(2), new_generator(2)
        coded = model.playout_moves(model.reset(rng), rng, 100, kind)
        plain = row_game().model()
        actions = plain.playout_moves(plain.reset(again), again, 100)
        state = model.reset(again)
        assert len(coded) == len(actions) > 3
        for move, action in zip(coded, actions["code"].tolist(), strict=True):
            player = int(move["player"])
            assert move["code"] == model.move_code(state, player, action, kind)
            model.apply(state, {player: action}, rng)


def test_without_codes_the_action_is_the_code():
    model = GAMES["row"]
    state = model.reset(new_generator(0))
    assert model.move_codes == ("exact",)
    assert model.move_code(state, 0, 2) == 2
    for kind in ("abstract", "specific", "EXACT", 0):
        with pytest.raises(ValueError, match=r"row: .*expected exact"):
            model.move_code(state, 0, 2, kind)
        with pytest.raises(ValueError, match=r"row: .*expected exact"):
            model.playout_moves(state, new_generator(0), 5, kind)
    with pytest.raises(ValueError, match="limit=-1"):
        model.playout_moves(state, new_generator(0), -1)


@pytest.mark.parametrize("codes", [(), ("abstract",), ("exact", "vague")])
def test_kinds_that_cannot_be_are_refused(codes):
    with pytest.raises(RulesError, match="row: move_codes="):
        row_game(move_codes=codes)


def test_kinds_take_a_function():
    with pytest.raises(RulesError, match="without a function `move_code`"):
        row_game(move_codes=("exact", "specific")).model()


def test_sets_of_actions_do_not_go_with_codes():
    rules = with_codes()

    @rules.define
    def playout_sets(game, state, rng, limit, out):
        return 0

    with pytest.raises(RulesError, match="row has `playout_sets`"):
        rules.model()


def test_a_game_may_bring_its_own():
    rules = row_game()

    @rules.define
    def playout_moves(game, state, rng, limit, kind, out):
        if limit < 1 or state.won >= 0:
            return 0
        out[0].player = state.turn
        out[0].code = 3
        state.won = state.turn
        return 1

    model = rules.model()
    state = model.reset(new_generator(0))
    moves = model.playout_moves(state, new_generator(0), 9)
    assert moves.tolist() == [(0, 3)]
    assert model.is_over(state)


def test_copies_of_environments_record_none():
    env = tictactoe_v3.env()
    env.reset(seed=0)
    model = CopiedEnvironment(env, perfect_information=True)
    with pytest.raises(ValueError, match="do not record their moves"):
        model.prepare_moves()


def test_rules_travel_without_what_was_compiled():
    model = make_model("tictactoe")[1]
    rng, again = new_generator(0), new_generator(0)
    copy = pickle.loads(pickle.dumps(model))
    moves = model.playout_moves(model.reset(rng), rng, 9)
    assert copy.playout_moves(copy.reset(again), again, 9).tolist() == moves.tolist()
