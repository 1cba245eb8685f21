"""`mcts-agents play`."""

import io
import json
import secrets
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from mcts_agents.agents.human import HumanAgent
from mcts_agents.arena.playing.match import Decision, Seat, play_match
from mcts_agents.cli.requests import HUMAN, requested_agents, requested_model
from mcts_agents.envs import Game, environments
from mcts_agents.model import RESULT_NAMES, ForwardModel
from mcts_agents.names import in_lines

# Columns that are left to specs in a terminal of 80 columns.
_SPEC_WIDTH = 21


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
    seats = [Seat(agent) for agent in agents]
    _, make_env, _ = environments(game)
    env = make_env(render_mode="ansi", **model.variant)
    # A person at the table must not see the others' hands, nor be told a choice that
    # is face down until a turn is complete; the person's own view shows what is open.
    pictures = shown and HUMAN not in specs
    told = shown and (pictures or not model.hidden_information)
    teller = _Teller(env, console, pictures) if told else None
    moves, returns = play_match(
        env,
        seats,
        seed,
        told=teller and teller.tell,
        begun=teller and teller.begin,
    )
    if as_json:
        outcome = {
            "game": spec,
            "players": model.players,
            "seed": seed,
            "agents": specs,
            "moves": [
                {"player": p, "action": a, "name": game.format_action(model, a)}
                for p, a in moves
            ],
            "returns": returns,
        }
        print(json.dumps(outcome))
        return
    state = env.unwrapped.spectator_state()
    if shown and not pictures:
        console.print(game.ansi(model, state, None), markup=False, soft_wrap=True)
    title = f"{game.title}, seed {seed}"
    console.print(_table(title, model, state, specs, seats))


def _human(game: Game, console: Console) -> HumanAgent:
    def ask(prompt: str) -> str:
        console.print(prompt, end="", markup=False)
        line = _typed_line()
        if not line:
            console.print()  # ends the line of the prompt
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


class _Teller:
    """Tells on a console what happens in an environment."""

    def __init__(self, env: Any, console: Console, pictures: bool):
        self._env = env
        self._console = console
        self._pictures = pictures
        self._before: Any = None
        # Of simultaneous moves nothing is told before the last one is made.
        self._waiting: list[Decision] = []

    def begin(self) -> None:
        self._before = self._env.unwrapped.spectator_state()
        self._picture()

    def tell(self, decision: Decision) -> None:
        self._waiting.append(decision)
        after = self._env.unwrapped.spectator_state()
        if (self._before == after).all():
            return
        for made in self._waiting:
            name = self._env.unwrapped.action_name(made.action)
            line = f"\nplayer_{made.player} plays {name}"
            self._console.print(line, markup=False, soft_wrap=True)
        self._picture()
        self._waiting, self._before = [], after

    def _picture(self) -> None:
        if self._pictures:
            self._console.print(self._env.render(), markup=False, soft_wrap=True)


def _table(
    title: str,
    model: ForwardModel,
    state: Any,
    specs: list[str],
    seats: list[Seat],
) -> Table:
    table = Table(title=title, pad_edge=False)
    table.add_column("seat")
    table.add_column("agent", overflow="fold")
    for heading in ("result", "score", "moves", "ms\neach", "simulations\neach"):
        table.add_column(heading, justify="right")
    results, scores = model.results(state), model.scores(state)
    for player, (spec, seat) in enumerate(zip(specs, seats, strict=True)):
        decisions = len(seat.seconds)
        table.add_row(
            f"player_{player}",
            in_lines(spec, _SPEC_WIDTH),
            RESULT_NAMES[results[player]],
            f"{scores[player]:g}",
            str(decisions),
            f"{1000 * sum(seat.seconds) / decisions:.1f}" if decisions else "-",
            f"{sum(seat.simulations) / decisions:,.0f}"
            if sum(seat.simulations)
            else "-",
        )
    return table
