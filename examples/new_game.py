"""A new game in one file, searched at the speed of compiled code: Nim.

Whoever takes the last stone wins. Type it into a notebook and it works all the same.

    python examples/new_game.py
"""

import numpy as np

from mcts_agents import MCTSAgent
from mcts_agents.envs import environments
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec

# A state is one fixed-size record; it is copied byte by byte.
STATE = np.dtype([("heaps", np.int8, 3), ("turn", np.int8)])

rules = Rules("nim", state=STATE, chance=False)


@rules.variant
def variant(game, *, players=2):
    """Sizes of the game: 3 heaps, of which 1 to 7 stones are taken."""
    return Spec(
        players=players,
        actions=3 * 7,
        observation_shape=(4,),
        observation_bounds=(0, 7),
    )


@rules.define
def reset(game, state, rng):
    """Three heaps of 3, 5 and 7 stones."""
    state.heaps[0], state.heaps[1], state.heaps[2] = 3, 5, 7
    state.turn = 0


@rules.define
def movers(game, state):
    """One bit for each player who decides now; 0 ends the game."""
    return 0 if state.heaps.sum() == 0 else 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    """Action 7 * heap + stones - 1."""
    n = 0
    for heap in range(3):
        for stones in range(state.heaps[heap]):
            out[n] = 7 * heap + stones
            n += 1
    return n


@rules.define
def apply(game, state, joint_action, rng):
    """Take the stones; the next player is to move."""
    action = joint_action[state.turn]
    state.heaps[action // 7] -= action % 7 + 1
    state.turn = (state.turn + 1) % game.players


@rules.define
def results(game, state, out):
    """Whoever took the last stone has won: the player before the one to move."""
    over = state.heaps.sum() == 0
    winner = (state.turn - 1) % game.players
    for player in range(game.players):
        if not over:
            out[player] = PLAYING
        else:
            out[player] = WON if player == winner else LOST


@rules.define
def observe(game, state, player, out):
    """The heaps, and whether it is my turn."""
    for heap in range(3):
        out[heap] = state.heaps[heap]
    out[3] = state.turn == player


def main(simulations: int = 1000) -> int:
    """Let two planners play and return the winner's number."""
    raw_env, env, parallel_env = environments(rules)
    game = env()
    game.reset(seed=0)
    agents = [MCTSAgent(simulations=simulations, seed=seat) for seat in range(2)]
    winner = -1
    for name in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        seat = game.possible_agents.index(name)
        if reward > 0:
            winner = seat
        if termination or truncation:
            game.step(None)
            continue
        result = agents[seat].plan(game)
        heap, stones = divmod(result.action, 7)
        print(
            f"{name} takes {stones + 1} from heap {heap}: {observation['observation']}"
        )
        game.step(result.action)
    print(f"player_{winner} wins")
    return winner


if __name__ == "__main__":
    main()
