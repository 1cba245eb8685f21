"""MCTS-Solver proves what exact search proves, and is refused elsewhere."""

from functools import cache

import numpy as np
import pytest

from mcts_agents.envs.chinese_checkers.rules import rules as chinese_checkers
from mcts_agents.envs.hex.rules import rules as hex_rules
from mcts_agents.envs.sushi_go.rules import rules as sushi_go
from mcts_agents.envs.tictactoe.rules import rules as tictactoe
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, new_generator
from mcts_agents.search import Search, SearchSettings
from tests.games.clash import CLASH
from tests.games.whim import WHIM

# Whoever takes the last of a row of stones wins, and the one after comes second: in
# this game of three only the last one matters. Take 1 or 2.
nim = Rules(
    "nim_of_three",
    state=np.dtype([("left", np.int8), ("turn", np.int8)]),
    chance=False,
    search_defaults={"value": "win"},
)


@nim.variant
def variant(game, *, players=3):
    return Spec(players, actions=2)


@nim.define
def reset(game, state, rng):
    state.left = 7
    state.turn = 0


@nim.define
def movers(game, state):
    return 0 if state.left == 0 else 1 << state.turn


@nim.define
def legal_actions(game, state, player, out):
    out[0] = 0
    out[1] = 1
    return min(state.left, 2)


@nim.define
def apply(game, state, joint_action, rng):
    state.left -= joint_action[state.turn] + 1
    state.turn = (state.turn + 1) % game.players


@nim.define
def scores(game, state, out):
    out[:] = 0.0


@nim.define
def results(game, state, out):
    winner = (state.turn - 1) % game.players
    for player in range(game.players):
        if state.left > 0:
            out[player] = PLAYING
        else:
            out[player] = WON if player == winner else LOST


@cache
def tictactoe_value(crosses, noughts, player):
    """1, 0, -1 for the player to move, by minimax over sets of cells."""
    lines = (7, 56, 448, 73, 146, 292, 273, 84)
    if any(
        noughts & line == line if player == 0 else crosses & line == line
        for line in lines
    ):
        return -1
    if crosses | noughts == 511:
        return 0
    best = -1
    for cell in range(9):
        bit = 1 << cell
        if not (crosses | noughts) & bit:
            after = (
                (crosses | bit, noughts) if player == 0 else (crosses, noughts | bit)
            )
            best = max(best, -tictactoe_value(*after, 1 - player))
    return best


def random_position(model, seed, plies):
    rng = new_generator(seed)
    state = model.reset(rng)
    for _ in range(plies):
        if model.is_over(state):
            return None
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        model.apply(state, {player: int(legal[int(rng[0] % len(legal))])}, rng)
        model.call("playout", model.copy(state).ctypes.data, rng.ctypes.data, 2)
    return None if model.is_over(state) else state


def test_tictactoe_is_proven_as_minimax_says():
    model = tictactoe.model()
    search = Search(model, SearchSettings(simulations=20_000))
    checked = solved = 0
    for seed in range(150):
        state = random_position(model, seed, 1 + seed % 7)
        if state is None:
            continue
        (player,) = model.movers(state)
        result = search.run(state, player, new_generator(seed))
        crosses, noughts = (int(s) for s in model.view(state)["stones"])
        expected = tictactoe_value(crosses, noughts, player)
        bit = 1 << result.action
        after = (crosses | bit, noughts) if player == 0 else (crosses, noughts | bit)
        assert -tictactoe_value(*after, 1 - player) == expected
        checked += 1
        solved += result.solved
        if result.solved and result.simulations:
            assert result.simulations < 20_000
    assert checked > 100
    assert solved > 0.7 * checked  # draws take the whole tree


def test_the_first_player_wins_hex_on_small_boards():
    for size in (3, 4):
        model = hex_rules.model(size=size)
        state = model.reset(new_generator(0))
        search = Search(model, SearchSettings(simulations=400_000))
        result = search.run(state, 0, new_generator(1))
        assert result.solved
        # It holds in play: the proven winner beats any reply.
        rng = new_generator(2)
        while not model.is_over(state):
            (player,) = model.movers(state)
            legal = model.legal_actions(state, player)
            action = (
                search.run(state, 0, rng).action
                if player == 0
                else int(legal[int(rng[0] % len(legal))])
            )
            model.apply(state, {player: action}, rng)
        assert model.returns(state) == [1.0, -1.0]


def nim_winner(left, turn):
    """Who wins with best play, None where it depends on a loser's whim."""
    if left == 0:
        return (turn - 1) % 3
    outcomes = {
        nim_winner(left - take, (turn + 1) % 3) for take in (1, 2) if take <= left
    }
    if turn in outcomes:
        return turn
    return outcomes.pop() if len(outcomes) == 1 else None


@pytest.mark.parametrize("left", range(2, 8))
def test_with_three_players_only_what_is_certain_is_proven(left):
    model = nim.model()
    state = model.reset(new_generator(0))
    model.view(state)["left"] = left
    search = Search(model, SearchSettings(simulations=3000))
    result = search.run(state, 0, new_generator(1))
    assert result.solved == (nim_winner(left, 0) is not None)
    if nim_winner(left, 0) == 0:
        assert nim_winner(left - result.action - 1, 1) == 0


def test_a_win_in_one_is_seen_at_once_and_ends_the_search():
    model = tictactoe.model()
    rng = new_generator(0)
    state = model.reset(rng)
    for ply, action in enumerate([0, 3, 1, 4]):
        model.apply(state, {ply % 2: action}, rng)
    result = Search(model, SearchSettings(simulations=1000)).run(state, 0, rng)
    assert result.action == 2
    assert result.solved
    assert result.simulations < 10
    assert result.principal_variation[0] == (0, 2)
    plain = Search(model, SearchSettings(simulations=1000, solver=False))
    assert plain.run(state, 0, rng).simulations == 1000


def test_it_is_on_where_results_are_values_and_off_elsewhere():
    assert SearchSettings().for_model(tictactoe.model()).solver
    assert not SearchSettings(tree="multi").for_model(tictactoe.model()).solver
    assert not SearchSettings().for_model(sushi_go.model()).solver
    assert not SearchSettings().for_model(chinese_checkers.model()).solver
    chosen = SearchSettings(solver=True).for_model(chinese_checkers.model())
    assert chosen.solver


@pytest.mark.parametrize(
    ("rules", "settings"),
    [
        (sushi_go, {}),
        (tictactoe, {"tree": "multi"}),
        (tictactoe, {"value": "score"}),
        (chinese_checkers, {"paranoid": True}),
    ],
)
def test_it_is_refused_where_nothing_can_be_proven(rules, settings):
    with pytest.raises(ValueError, match="solver=true"):
        Search(rules.model(), SearchSettings(solver=True, **settings))


@pytest.mark.parametrize("policy", ["ucb1", "ucb_tuned", "kl_ucb", "alphago"])
def test_a_win_proven_below_a_simultaneous_decision_is_taken(policy):
    model = CLASH.model()
    settings = SearchSettings(simulations=500, solver=True, tree_policy=policy)
    search = Search(model, settings)
    for seed in range(20):
        result = search.run(model.reset(new_generator(0)), 0, new_generator(seed))
        assert result.action == 1
        # The other player cannot help it; the decision itself is never proven.
        assert result.visits[1] > 0.8 * result.simulations
        assert result.values[1] > 0.9
        assert not result.solved
        below = {
            tuple(child["actions"].values()): child["node"]
            for child in result.tree(1)["children"]
        }
        proven = [a["proven"] for a in below[1, 0]["bandits"][0]["actions"]]
        assert proven == [None, None, "proven win"]


def test_a_draw_is_proven_beside_losses_to_different_players():
    model = WHIM.model()
    search = Search(model, SearchSettings(simulations=100))
    result = search.run(model.reset(new_generator(0)), 0, new_generator(0))
    assert result.solved
    assert result.action == 0
