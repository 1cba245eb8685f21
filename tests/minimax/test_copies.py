"""The minimax family on copies of third-party environments."""

import numpy as np
import pytest

from mcts_agents import make_agent
from mcts_agents.agents import AlphaBetaAgent, ExpectiminimaxAgent, NegaScoutAgent
from tests.exact import tictactoe

classic = pytest.importorskip("pettingzoo.classic")
WORD = {"perfect_information": True, "deterministic": True}


def tictactoe_after(moves):
    env = classic.tictactoe_v3.env()
    env.reset(seed=1)
    for cell in moves:
        env.step(cell)
    return env


@pytest.mark.parametrize("spec", ["alphabeta", "negascout", "max-n", "brs-plus"])
def test_known_values_of_tictactoe(spec):
    rng = np.random.default_rng(4)
    # BRS+ of two players is minimax, and needs no order of actions.
    agent = make_agent(f"{spec}:depth=9", seed=1)
    agent.copying = AlphaBetaAgent(**WORD).copying
    checked = 0
    while checked < 6:
        moves = tuple(rng.permutation(9)[: 4 + checked % 3].tolist())
        # PettingZoo numbers its cells by columns; lines stay lines.
        board = tictactoe.position(moves)
        if tictactoe.winner(board):
            continue
        checked += 1
        result = agent.plan(tictactoe_after(moves))
        expected = tictactoe.move_values(board)
        assert expected[result.action] == max(expected.values())
        value = result.values[result.actions == result.action][0]
        assert value == 2 * max(expected.values())  # own reward minus the other's
        assert result.solved


def test_a_value_function_decides_where_the_game_is_not_over():
    seen = []

    def middle(model, state):
        board = model.environment(state).unwrapped.board
        seen.append(1)
        own = [1.0 if board.squares[4] == mark else 0.0 for mark in (1, 2)]
        return 10 * model.scores(state) + own

    for kind in (AlphaBetaAgent, NegaScoutAgent):
        agent = kind(depth=2, value=middle, **WORD)
        assert agent.act(tictactoe_after(())) == 4
    assert seen


def test_chance_is_sampled_unless_there_is_none():
    env = tictactoe_after((4,))
    with pytest.raises(ValueError, match="pass deterministic=True if it has none"):
        AlphaBetaAgent(depth=2, perfect_information=True).act(env)
    agent = ExpectiminimaxAgent(depth=2, samples=2, perfect_information=True, seed=1)
    result = agent.plan(env)
    assert result.action in result.actions
    assert not result.solved


def test_opponents_of_copies_cannot_pass_nor_be_ranked():
    env = tictactoe_after((4,))
    with pytest.raises(ValueError, match="needs the game's function `pass_turn`"):
        agent = make_agent("opps:depth=2,free_opponents=0,ranked_moves=0", seed=1)
        agent.copying = AlphaBetaAgent(**WORD).copying
        agent.act(env)
