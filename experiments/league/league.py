"""Who plays in the league: the agents of each game, and its two tournaments."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcts_agents.agents import make_agent
from mcts_agents.agents.kinds import KINDS
from mcts_agents.agents.presets import PRESETS
from mcts_agents.agents.specs import parse_spec, resolve
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.spec_values import MOST_GAMES
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs import make_any

SEED = 2026
# Simulations a decision of the first half. Minimax agents, which make none, visit as
# many nodes.
SIMULATIONS = 500
TIME = "10ms"
BUDGETS = (f"{SIMULATIONS} simulations", TIME)
# Games of every agent in every game, at least.
LEAST_GAMES = 60
# Random decisions at the start of a game, for each player: minimax agents use no
# chance, and would play the same game again.
OPENING = 1

NETWORK, SEARCHING = "network", "network, searching"
# All agents but scripted ones, in the order of tables: presets, then kinds, without
# those that need a file or a policy's name. As it is, `mcts` is the preset `maxn`.
ORDER = (
    *PRESETS,
    *(name for name in KINDS if name not in ("mcts", "policy", "scripted")),
)


@dataclass(frozen=True)
class LineUp:
    """The agents of a game.

    Attributes:
        game: Its name.
        agents: The mapping of each agent, by its name.
        same: Names of agents that are another one here, and of that one.
        refused: Why an agent cannot play this game, by its name.
    """

    game: str
    agents: Mapping[str, dict[str, Any]]
    same: Mapping[str, str]
    refused: Mapping[str, str]

    @property
    def players(self) -> int:
        """The game's own number of players."""
        return int(make_any(self.game)[1].players)

    def tournament(self, budget: str, least: int = LEAST_GAMES) -> TournamentSpec:
        """Return the tournament of these agents.

        Args:
            budget: One of `BUDGETS`.
            least: Games of the agent that has fewest.
        """
        agents = {name: with_budget(own, budget) for name, own in self.agents.items()}
        spec = {
            "games": [self.game],
            "agents": agents,
            "budgets": [TIME] if budget == TIME else [],
            "seed": SEED,
            "opening": OPENING * self.players,
        }
        return TournamentSpec(**spec, games_each=_enough(spec, least))


def _enough(spec: dict[str, Any], least: int) -> int:
    """Return with how many games every agent has at least so many."""
    schedule = Schedule(TournamentSpec(**spec, games_each=MOST_GAMES))
    games = Counter(dict.fromkeys(spec["agents"], 0))
    for number, fixture in enumerate(schedule, 1):
        games.update({entrant.name for entrant in fixture.seats})
        if min(games.values()) >= least:
            return number
    raise ValueError(f"least={least}: too many games")


def with_budget(mapping: dict[str, Any], budget: str) -> dict[str, Any]:
    """Return an agent as it plays in one half, if that makes a difference to it.

    Args:
        mapping: The agent.
        budget: One of `BUDGETS`. A budget of time is added by the tournament.
    """
    if budget == TIME:
        # Gumbel's rounds share out simulations, so that it needs to know how many.
        at_root = ("root_policy", "gumbel_actions", "gumbel_noise")
        return {name: value for name, value in mapping.items() if name not in at_root}
    budgets = KINDS[resolve(mapping)[0].name].budgets
    for option in ("simulations", "nodes"):
        if option in budgets:
            return {**mapping, option: SIMULATIONS}
    return dict(mapping)


def candidates(game: str, trained: Path | None) -> dict[str, dict[str, Any]]:
    """Return every agent that might play a game, by its name.

    Args:
        game: Its name.
        trained: Folder of `mcts-agents train` for this game; None without one.
    """
    found = {name: {"agent": name} for name in ORDER}
    for policy in make_any(game)[1].policies:
        found[policy] = {"agent": "scripted", "policy": policy}
    if trained is not None:
        network = {"agent": "policy", "file": str(trained / "policy.onnx")}
        summary = json.loads((trained / "summary.json").read_text(encoding="utf-8"))
        name, options = parse_spec(summary["agent"])
        options.pop("simulations", None)
        found[NETWORK] = {**network, "deterministic": True}  # its best move
        found[SEARCHING] = {"agent": name, **options, "evaluator": network}
    return found


def line_up(game: str, trained: Path | None = None) -> LineUp:
    """Return the agents of a game; each that could play it has made one decision."""
    table = open_table(game, None)
    table.begin(SEED)
    agents: dict[str, dict[str, Any]] = {}
    refused: dict[str, str] = {}
    for name, mapping in candidates(game, trained).items():
        try:
            table.prepare(make_agent(with_budget(mapping, BUDGETS[0])), 0)
        except ValueError as error:
            refused[name] = str(error)
        else:
            agents[name] = mapping
    twice = TournamentSpec(games=[game], agents=agents).same_agents()
    same = {other: names[0] for names in twice for other in names[1:]}
    agents = {name: own for name, own in agents.items() if name not in same}
    return LineUp(game, agents, same, refused)


def seconds(budget: str) -> float:
    """Return a budget of time in seconds."""
    return float(budget_setting(budget)[1])
