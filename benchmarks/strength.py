"""The README's figures of strength, with 95% Wilson intervals.

    python benchmarks/strength.py            # all
    python benchmarks/strength.py hex        # one

Every match is played through the PettingZoo environments, seats rotate, and all seeds
derive from the game's number, so that the same command gives the same games.
"""

import functools
import sys

from pettingzoo.classic import connect_four_v3
from rich.console import Console
from rich.progress import track
from scipy.stats import binomtest

from mcts_agents import make_agent
from mcts_agents.agents import Agent
from mcts_agents.envs import (
    chinese_checkers,
    colt_express,
    dominion,
    dots_and_boxes,
    exploding_kittens,
    poker,
    sushi_go,
    tictactoe,
    uno,
    virus,
)
from mcts_agents.envs import hex as hex_game
from mcts_agents.model import draw_below
from mcts_agents.model.copying.copy_options import CopyOptions


class PerfectTicTacToe(Agent):
    """Plays a random one of the best moves, found by full minimax."""

    def decide(self, model, state, player):
        """Return a move of greatest minimax value."""
        view = model.view(state)
        values = self.values(int(view["stones"][0]), int(view["stones"][1]), player)
        best = [move for move, value in values.items() if value == max(values.values())]
        return best[draw_below(self._rng, len(best))]

    @staticmethod
    @functools.cache
    def values(crosses, noughts, player):
        """Return the value of each move to `player`: 1, 0 or -1."""
        lines = (7, 56, 448, 73, 146, 292, 273, 84)
        values = {}
        for move in range(9):
            if (crosses | noughts) >> move & 1:
                continue
            stones = [crosses, noughts]
            stones[player] |= 1 << move
            if any(stones[player] & line == line for line in lines):
                values[move] = 1
            elif stones[0] | stones[1] == 511:
                values[move] = 0
            else:
                replies = PerfectTicTacToe.values(*stones, 1 - player)
                values[move] = -max(replies.values())
        return values


def play(env, agents, seed):
    """Play one game; return the reward of each seat."""
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    seats = dict(zip(env.possible_agents, agents, strict=True))
    for name in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        rewards[name] += reward
        done = termination or truncation
        env.step(None if done else seats[name].act(env))
    return list(rewards.values())


def match(title, env, games, hero, others):
    """Let `hero(seed)` play `games` games against `others(seed)`; print its record."""
    wins = draws = 0.0
    console = Console(stderr=True)
    for game in track(range(games), title, console=console, transient=True):
        opponents = others(game)
        seat = game % (len(opponents) + 1)
        agents = [*opponents[:seat], hero(game), *opponents[seat:]]
        rewards = play(env, agents, game)
        best = max(rewards)
        if rewards[seat] == best:
            sharing = rewards.count(best)
            wins += sharing == 1
            draws += sharing > 1
    low, high = binomtest(int(wins), games).proportion_ci(method="wilson")
    lost = games - wins - draws
    print(
        f"{title}: {wins:.0f} won, {draws:.0f} drawn, {lost:.0f} lost of {games}; won "
        f"{wins / games:.1%} (95% interval {low:.1%} to {high:.1%})",
        flush=True,
    )


def agents(*specs, **options):
    """Return a function from a game's number to agents, each with a seed of its own."""

    def make(game):
        made = [make_agent(s, seed=1000 * game + i) for i, s in enumerate(specs)]
        for agent in made:
            known = options.get("perfect_information", False)
            agent.copying = CopyOptions(perfect_information=known)
        return made

    return make


def one(spec, **options):
    """Return a function from a game's number to one agent."""
    return lambda game: agents(spec, **options)(game + 500_000)[0]


def run_tictactoe():
    match(
        "Tic-Tac-Toe, 1,000 simulations against a perfect player",
        tictactoe.env(),
        200,
        one("mcts:simulations=1000"),
        lambda game: [PerfectTicTacToe(seed=game)],
    )


def run_hex():
    match(
        "Hex 7x7, 1,000 simulations against 100",
        hex_game.env(size=7),
        100,
        one("mcts:simulations=1000"),
        agents("mcts:simulations=100"),
    )


def match_multitree(title, game, games=200):
    """Let MultiTree play against one-step look-ahead agents."""
    match(
        f"{title}, 4 players, MultiTree with 1,000 simulations against 3 one-step",
        game.env(players=4),
        games,
        one("mcts:tree=multi,simulations=1000"),
        agents("one-step", "one-step", "one-step"),
    )


def run_sushi_go():
    match_multitree("Sushi Go", sushi_go)


def run_poker():
    match_multitree("Poker", poker)


def run_virus():
    match_multitree("Virus!", virus)


def run_dominion():
    match_multitree("Dominion", dominion)


def run_colt_express():
    match_multitree("Colt Express", colt_express)


# Mostly luck, so that it takes more games to tell.
def run_uno():
    match_multitree("Uno", uno, 1000)


def run_exploding_kittens():
    match_multitree("Exploding Kittens", exploding_kittens, 1000)


def run_chinese_checkers():
    match(
        "Chinese Checkers, 3 players, evaluation function against 2 random",
        chinese_checkers.env(players=3),
        50,
        one("mcts:value=evaluate,rollout=0,simulations=300"),
        agents("random", "random"),
    )


def run_connect_four():
    match(
        "PettingZoo's connect four, 200 simulations against random",
        connect_four_v3.env(),
        100,
        one("mcts:simulations=200", perfect_information=True),
        agents("random"),
    )


def run_reuse():
    options = "value=win,rollout=100,simulations=1000"
    match(
        "Dots and Boxes 3x3, 1,000 simulations, tree reuse against none",
        dots_and_boxes.env(width=3, height=3),
        200,
        one(f"mcts:{options},reuse_tree=true"),
        agents(f"mcts:{options}"),
    )
    match(
        "Hex 7x7, 300 simulations, tree reuse against none",
        hex_game.env(size=7),
        1000,
        one("mcts:simulations=300,reuse_tree=true"),
        agents("mcts:simulations=300"),
    )


MATCHES = {
    name.removeprefix("run_"): function
    for name, function in list(globals().items())
    if name.startswith("run_")
}

if __name__ == "__main__":
    for name in sys.argv[1:] or MATCHES:
        MATCHES[name]()
