"""Two tables of the MCPS paper with other exact codes, which the paper leaves open.

    pip install --editable ".[arena]"    # in the checkout
    python experiments/mcps/other_codes.py --table 3 --games 400 --output out/mcps

Our exact codes fit the paper's table 7, in which only first moves count. Tables 3 and 6
come out as in the paper with codes that know less: nothing of the wealth, or health, of
the agent who acts. Table 3 has these codes for both sides, table 6 for GRAVE alone.
Games are stored, so the same command goes on where it was interrupted.
"""

import argparse
import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mcts_agents.agents import GRAVEAgent, MCPSAgent
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.tournaments.tournament import open_store, prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs.investment.rules import GOAL
from mcts_agents.envs.slots import number_at
from mcts_agents.envs.video_game.rules import (
    HEALTH,
    WAYS,
    arrival_of,
    code_of,
    target_of,
    words_of,
)

sys.path.insert(0, str(Path(__file__).parent))

from command import add_common_options, number, output_of, play_all

SEED = 77
PLAYOUTS = (1000, 5000)
REF, BIAS = 50, 1e-5


def wealth_of_the_pair(game, state, player, action):
    """Team, target, and the wealth of the target and its opponents before the gift."""
    code = player * game.pairs + action
    for other in range(game.players):
        slot = action * game.players + other
        code = code * (GOAL + 1) + number_at(state.ones, state.twos, slot)
    return code


def without_own_health(game, state, player, action):
    """Return the exact code, less the health of the agent who attacks."""
    words, slot = words_of(state), np.int64(state.slot)
    arrival, target = arrival_of(game, state, action), target_of(game, state, action)
    code = code_of(game, state, words, slot, arrival, target, 0)
    behind = WAYS * (game.agents + 1) * (HEALTH + 1)  # the part after the health
    return code // (behind * HEALTH) * behind + code % behind


# Table: its games, the codes of MCPS, and those of GRAVE.
TABLES = {
    3: (
        ["investment:pairs=11", "investment:pairs=21"],
        wealth_of_the_pair,
        wealth_of_the_pair,
    ),
    6: (["video_game"], "abstract", without_own_health),
}


def main() -> None:
    """Play one table with these codes, and print the win rates of MCPS."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", type=int, choices=TABLES, required=True)
    parser.add_argument("--games", type=number, default=400, help="of each win rate")
    add_common_options(parser)
    chosen = parser.parse_args()
    with output_of(parser, chosen.output), LocalBackend(chosen.jobs) as workers:
        for playouts in PLAYOUTS:
            play(chosen.table, playouts, chosen.games, chosen.output, workers)


def play(
    table: int, playouts: int, games: int, output: Path, workers: LocalBackend
) -> None:
    """Play the games of a table that are not stored yet; print its win rates."""
    names, codes, codes_of_grave = TABLES[table]
    spec = TournamentSpec(
        games=names,
        agents={"MCPS": MCPSAgent(simulations=playouts, ref=REF, codes=codes)},
        field=GRAVEAgent(
            simulations=playouts, ref=REF, bias=BIAS, codes=codes_of_grave
        ),
        design="one-against-field",
        games_each=games,
        seed=SEED,
    )
    # A store knows agents that are objects by their classes alone.
    sources = repr([_source(codes), _source(codes_of_grave), REF, BIAS])
    codes_id = hashlib.sha256(sources.encode()).hexdigest()[:8]
    path = output / f"table{table}_other_codes_{playouts}_{codes_id}.sqlite"
    schedule = prepare(spec)
    with open_store(path, schedule) as store:
        play_all(schedule, store, workers)
    for figures in read_results(path).summary.settings:
        rate = next(a for a in figures.agents if a.agent == "MCPS").win_rate
        print(
            f"{figures.setting.game}, {playouts} playouts: {rate.value:.1%} "
            f"({rate.low:.1%} to {rate.high:.1%})"
        )


def _source(codes: Callable[..., int] | str) -> str:
    """Return what tells codes from others: their name in the game, or their source."""
    return codes if isinstance(codes, str) else inspect.getsource(codes)


if __name__ == "__main__":
    main()
