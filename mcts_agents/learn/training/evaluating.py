"""Evaluations: a network in the arena, against its earlier self and others."""

from typing import Any

from mcts_agents.agents import MCTSAgent
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.win_rates import evaluate
from mcts_agents.search.options.option import set_options

EARLIER = "earlier self"


def search_options(config: TrainingConfig) -> dict[str, Any]:
    """Return the options with which a trained network searches: those of self-play.

    Exploration at the root is for games to learn from; it is left out.
    """
    root = {"gumbel_noise": 0.0} if config.self_play.method == "gumbel" else {}
    options: dict[str, Any] = {
        name: value
        for name, value in set_options(config.self_play.settings(None)).items()
        if name not in ("evaluator", "root_noise", "root_noise_alpha")
    }
    return {**options, **root, "simulations": config.evaluation.simulations}


def player(evaluator: Any, config: TrainingConfig) -> MCTSAgent:
    """Return the agent that searches with a network."""
    return MCTSAgent(evaluator=evaluator, **search_options(config))


def spec_of(config: TrainingConfig, file: str) -> str:
    """Return the spec of the agent that searches with a network in a file."""
    options = [f"evaluator=(policy:file={file})"]
    options += [f"{n}={_word(v)}" for n, v in search_options(config).items()]
    return f"mcts:{','.join(options)}"


def measured(
    agent: MCTSAgent, name: str, opponent: Any, game: dict[str, Any]
) -> dict[str, Any]:
    """Play against an opponent and return what `summary.json` says of it.

    Args:
        agent: Who is measured.
        name: What the opponent is called.
        opponent: The agent in all other seats.
        game: `game`, `players`, `games`, `seed` and `opening` of `learn.evaluate`.
    """
    found = evaluate(agent, opponent, **game)
    rate = found.win_rate
    return {
        "opponent": name,
        "games": found.games,
        "win_rate": rate.value,
        "low": rate.low,
        "high": rate.high,
        "expected": found.expected,
    }


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
