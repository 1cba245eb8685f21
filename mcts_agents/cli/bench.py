"""`mcts-agents bench`."""

import json
import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from mcts_agents.agents import MCTSAgent, make_agent
from mcts_agents.agents.specs import resolve
from mcts_agents.cli.requests import (
    HUMAN,
    RequestError,
    requested,
    requested_model,
)
from mcts_agents.model import ForwardModel, new_generator
from mcts_agents.model.compilation import statistics as compile_statistics

SEED = 0
DEFAULT_SIMULATIONS = 10_000
RUNS = 5
# A throughput is measured over at least this long.
LEAST_SECONDS = 0.3


def bench_game(
    spec: str,
    simulations: int | None,
    players: int | None,
    agent_spec: str,
    as_json: bool,
) -> None:
    """Print what searches, playouts and steps from the opening position cost."""
    _, model = requested_model(spec, players)
    agent = _requested_agent(agent_spec, simulations, model)
    state = model.reset(new_generator(SEED))
    player = model.movers(state)[0]
    model.redeterminise(state, player, new_generator(SEED))
    search = agent.search_of(model)
    agent.search(model, state, player)  # compiled, loaded, memory touched
    results = [agent.search(model, state, player) for _ in range(RUNS)]
    rng = new_generator(SEED)
    outcome = {
        "game": spec,
        "players": model.players,
        "agent": agent_spec,
        "simulations": agent.settings.simulations,
        "simulations_per_second": statistics.median(
            result.simulations / result.seconds for result in results
        ),
        "playouts_per_second": _rate(lambda n: search.playouts(state, n, rng)),
        "forward_model_steps_per_second": _rate(
            lambda n: search.random_games(state, n, rng)
        ),
        "compile_seconds": compile_statistics().seconds,
        "nodes": results[-1].nodes,
        "bytes": results[-1].bytes,
    }
    if as_json:
        print(json.dumps(outcome))
        return
    table = Table(title=f"{model.name}, {model.players} players, {agent_spec}")
    table.add_column("measure")
    table.add_column("figure", justify="right")
    for measure in list(outcome)[3:]:
        value = outcome[measure]
        text = f"{value:,.2f}" if measure == "compile_seconds" else f"{value:,.0f}"
        table.add_row(measure.replace("_", " "), text)
    Console().print(table)


def _requested_agent(
    spec: str, simulations: int | None, model: ForwardModel
) -> MCTSAgent:
    """Return the agent of a spec; `simulations` go before those that the spec names."""
    with requested():
        if spec.partition(":")[0].strip() == HUMAN:
            raise RequestError(f"{spec!r}: bench measures mcts agents")
        make_agent(spec)  # says what is wrong with the spec
        name, options = resolve(spec)
        if name != "mcts":
            raise RequestError(f"{spec!r}: bench measures mcts agents")
        if "seconds" in options or "forward_model_calls" in options:
            raise RequestError(f"{spec!r}: bench sets the budget: --simulations")
        budget = simulations or options.get("simulations") or DEFAULT_SIMULATIONS
        agent = MCTSAgent(**{"seed": SEED, **options, "simulations": budget})
        agent.settings.for_model(model)
    return agent


def _rate(run: Callable[[int], int]) -> float:
    """Return how much `run(n)` does a second: what it returns, over its time."""
    n, rates = 1, []
    while len(rates) < RUNS:
        started = time.perf_counter()
        done = run(n)
        seconds = time.perf_counter() - started
        if seconds >= LEAST_SECONDS / RUNS:
            rates.append(done / seconds)
        else:
            n *= 2
    return float(np.median(rates))
