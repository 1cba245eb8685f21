"""`mcts-agents bench`."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.table import Table as RichTable

from mcts_agents.agents import Planner, make_agent
from mcts_agents.agents.specs import resolve
from mcts_agents.arena.playing.tables import RulesTable, Table
from mcts_agents.cli.requests import (
    HUMAN,
    RequestError,
    refusals,
    requested,
    requested_table,
)
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.model import new_generator
from mcts_agents.model.compilation import statistics as compile_statistics
from mcts_agents.model.failures import raise_explained
from mcts_agents.names import quoted
from mcts_agents.search import Search, SearchResult, SearchSettings

SEED = 0
# Where chance may leave the first player no choice, the next openings are looked at.
MOST_OPENINGS = 100
DEFAULT_SIMULATIONS = 10_000
RUNS = 5
# A throughput is measured over at least this long.
LEAST_SECONDS = 0.3
# Digits after the point of what is no large number.
DIGITS = {"compile_seconds": 2, "decision_seconds": 4}


def bench_game(
    spec: str,
    simulations: int | None,
    players: int | None,
    agent_spec: str,
    as_json: bool,
) -> None:
    """Print what searches, playouts and steps from the opening position cost."""
    table = requested_table(spec, players)
    with requested():
        table.begin(SEED)
    agent, budget = _requested_agent(agent_spec, simulations, table)
    with _opening(table, agent) as (model, state, player):
        # Compiled, loaded, memory touched.
        with refusals():
            found = agent.checked(agent.search(model, state, player))
        if found.action not in model.legal_actions(state, player):
            raise RequestError(
                f"{agent!r} chose {quoted(found.action)}, which is not legal"
            )
        results, seconds = [], []
        for _ in range(RUNS):
            started = time.perf_counter()
            results.append(agent.search(model, state, player))
            seconds.append(time.perf_counter() - started)
        rng = new_generator(SEED)
        # Playouts and steps are the game's: whoever searches does not matter.
        uniform = Search(model, SearchSettings())
        outcome = {
            "game": spec,
            "players": model.players,
            "agent": agent_spec,
            **_speed(results, seconds, budget),
            "playouts_per_second": _rate(lambda n: uniform.playouts(state, n, rng)),
            "forward_model_steps_per_second": _rate(
                lambda n: uniform.random_games(state, n, rng)
            ),
            "compile_seconds": compile_statistics().seconds,
            "nodes": results[-1].nodes,
            "bytes": results[-1].bytes,
        }
    if as_json:
        print(json.dumps(outcome))
        return
    players = table.model.players
    shown = RichTable(title=f"{table.game.name}, {players} players, {agent_spec}")
    shown.add_column("measure")
    shown.add_column("figure", justify="right")
    for measure in list(outcome)[3:]:
        value = outcome[measure]
        text = f"{value:,.{DIGITS.get(measure, 0)}f}"
        shown.add_row(measure.replace("_", " "), text)
    PlainConsole().print(shown)


@contextmanager
def _opening(table: Table, agent: Planner) -> Iterator[tuple[Any, np.ndarray, int]]:
    """Give the model, a position near the opening, and whose decision it is.

    It is the opening, or where the first player has no choice there, the first position
    after it in which a player has one, as that player may plan on it.
    """
    if not isinstance(table, RulesTable):
        with agent.position(table.planned) as found:
            yield found
        return
    model = table.model
    for seed in range(SEED, SEED + MOST_OPENINGS):
        state = model.reset(new_generator(seed))
        player = model.movers(state)[0]
        if len(model.legal_actions(state, player)) > 1 or not model.chance:
            break
    rng = new_generator(SEED)
    while len(model.legal_actions(state, player)) == 1:
        movers = model.movers(state)
        only = {mover: model.legal_actions(state, mover)[0] for mover in movers}
        after = model.copy(state)
        model.apply(after, only, rng)
        if model.is_over(after):
            break
        state, player = after, model.movers(after)[0]
    model.redeterminise(state, player, new_generator(SEED))
    try:
        yield model, state, player
    except Exception as error:
        raise_explained(model, error, state)
        raise


def _requested_agent(
    spec: str, simulations: int | None, table: Table
) -> tuple[Planner, int | None]:
    """Return the agent of a spec, and its simulations if its kind has such a budget.

    The given number of simulations goes before the one that the spec names.
    """
    refused = RequestError(f"{spec!r}: bench needs an agent that searches")
    with requested():
        if spec.partition(":")[0].strip() == HUMAN:
            raise refused
        agent = make_agent(spec, seed=SEED)  # says what is wrong with the spec
        if not isinstance(agent, Planner):
            raise refused
        kind, options = resolve(spec)
        budget = None
        if "simulations" in kind.budgets:
            if any(o in options for o in kind.budgets if o != "simulations"):
                raise RequestError(
                    f"{spec!r}: set the budget of bench with --simulations"
                )
            budget = simulations or options.get("simulations") or DEFAULT_SIMULATIONS
            agent = kind.make(**{"seed": SEED, **options, "simulations": budget})
        elif simulations is not None:
            raise RequestError(
                f"--simulations: {kind.name} agents have no budget of simulations"
            )
        table.prepare(agent, 0)
    return agent, budget


def _speed(
    results: list[SearchResult], seconds: list[float], budget: int | None
) -> dict[str, float]:
    """Return how many simulations there are a second, or else what a decision takes."""
    simulations = budget or results[-1].simulations
    if not simulations:
        figures = {"decision_seconds": statistics.median(seconds)}
        if results[-1].nodes:
            figures["nodes_per_second"] = statistics.median(
                result.nodes / taken
                for result, taken in zip(results, seconds, strict=True)
            )
        return figures
    return {
        "simulations": simulations,
        "simulations_per_second": statistics.median(
            result.simulations / taken
            for result, taken in zip(results, seconds, strict=True)
        ),
    }


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
