"""`mcts-agents play`."""

import io
import json
import secrets
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from mcts_agents.agents import Agent, Planner
from mcts_agents.agents.human import HumanAgent
from mcts_agents.cli.requests import HUMAN, requested_agents, requested_model
from mcts_agents.envs import Game, environments
from mcts_agents.model import RESULT_NAMES, ForwardModel


@dataclass
class Seat:
    """One player's agent and what its decisions took."""

    spec: str
    agent: Agent
    seconds: list[float] = field(default_factory=list)
    simulations: list[int] = field(default_factory=list)


def play_game(
    spec: str,
    players: int | None,
    agent_specs: list[str],
    seed: int | None,
    shown: bool,
    as_json: bool,
) -> None:
    """Play one game through its PettingZoo environment and print how it went."""
    game, model = requested_model(spec, players)
    seed = secrets.randbelow(2**31) if seed is None else seed
    console = Console(stderr=as_json, highlight=False)
    human = _human(game, console)
    specs, agents = requested_agents(agent_specs, model, seed, human)
    seats = [Seat(*pair) for pair in zip(specs, agents, strict=True)]
    _, make_env, _ = environments(game)
    env = make_env(render_mode="ansi", **model.variant)
    env.reset(seed=seed)
    # A person at the table must not see the others' hands, nor be told a choice that
    # is face down until a turn is complete; the person's own view shows what is open.
    pictures = shown and HUMAN not in specs
    told = shown and (pictures or not model.hidden_information)
    if pictures:
        console.print(env.render(), markup=False, soft_wrap=True)
    moves, returns = _play(env, seats, console if told else None, pictures)
    if as_json:
        outcome = {
            "game": spec,
            "players": model.players,
            "seed": seed,
            "agents": specs,
            "moves": moves,
            "returns": returns,
        }
        print(json.dumps(outcome))
        return
    state = env.unwrapped.spectator_state()
    if shown and not pictures:
        console.print(game.ansi(model, state, None), markup=False, soft_wrap=True)
    console.print(_table(f"{game.title}, seed {seed}", model, state, seats))


def _human(game: Game, console: Console) -> HumanAgent:
    def ask(prompt: str) -> str:
        console.print(prompt, end="", markup=False)
        line = _typed_line()
        if not line:
            raise EOFError
        return line

    return HumanAgent(
        game.ansi,
        game.format_action,
        game.parse_action,
        ask,
        lambda text: console.print(text, markup=False, soft_wrap=True),
    )


def _typed_line() -> str:
    """Return a line of the standard input, empty at its end."""
    if sys.stdin is None:  # closed by whoever started the process
        return ""
    # What cannot be decoded is no move. (Only settable before the first line.)
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin.readline()


def _play(
    env: Any, seats: list[Seat], console: Console | None, pictures: bool
) -> tuple[list[dict[str, object]], list[float]]:
    """Return the moves in the order of the decisions, and each player's return."""
    inner = env.unwrapped
    moves: list[dict[str, object]] = []
    returns = [0.0] * len(seats)
    announced = 0
    before = inner.spectator_state()
    for name in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        player = inner.possible_agents.index(name)
        returns[player] += float(reward)
        if termination or truncation:
            env.step(None)
            continue
        action = _decide(seats[player], env)
        env.step(action)
        moves.append(
            {"player": player, "action": action, "name": inner.action_name(action)}
        )
        after = inner.spectator_state()
        # Of simultaneous moves nothing is told before the last one is made.
        if console is not None and (before != after).any():
            for move in moves[announced:]:
                line = f"\nplayer_{move['player']} plays {move['name']}"
                console.print(line, markup=False, soft_wrap=True)
            if pictures:
                console.print(env.render(), markup=False, soft_wrap=True)
            announced, before = len(moves), after
    return moves, returns


def _decide(seat: Seat, env: Any) -> int:
    started = time.perf_counter()
    if isinstance(seat.agent, Planner):
        result = seat.agent.plan(env)
        action = result.action
        seat.simulations.append(result.simulations)
    else:
        action = seat.agent.act(env)
    seat.seconds.append(time.perf_counter() - started)
    return action


def _table(title: str, model: ForwardModel, state: Any, seats: list[Seat]) -> Table:
    table = Table(title=title, pad_edge=False)
    table.add_column("seat")
    table.add_column("agent", overflow="fold")
    for heading in ("result", "score", "moves", "ms\neach", "simulations\neach"):
        table.add_column(heading, justify="right")
    results, scores = model.results(state), model.scores(state)
    for player, seat in enumerate(seats):
        decisions = len(seat.seconds)
        table.add_row(
            f"player_{player}",
            seat.spec.replace(",", ",\n"),
            RESULT_NAMES[results[player]],
            f"{scores[player]:g}",
            str(decisions),
            f"{1000 * sum(seat.seconds) / decisions:.1f}" if decisions else "-",
            f"{sum(seat.simulations) / decisions:,.0f}" if seat.simulations else "-",
        )
    return table
