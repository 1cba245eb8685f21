"""`mcts-agents play`."""

import io
import json
import secrets
import sys

from rich.console import Console
from rich.table import Table as RichTable

from mcts_agents.agents.human import HumanAgent
from mcts_agents.arena.playing.match import Decision, Seat, play_match
from mcts_agents.arena.playing.tables import ChoiceError, Table
from mcts_agents.cli.requests import (
    HUMAN,
    RequestError,
    requested,
    requested_agents,
    requested_table,
)
from mcts_agents.envs import Game
from mcts_agents.model import RESULT_NAMES
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
    table = requested_table(spec, players)
    seed = secrets.randbelow(2**31) if seed is None else seed
    console = Console(stderr=as_json, highlight=False)
    human = _human(table, console)
    with requested():
        table.begin(seed)
    specs, agents = requested_agents(agent_specs, table, seed, human)
    seats = [Seat(agent) for agent in agents]
    # A person at the table must not see the others' hands, nor be told a choice that
    # is face down until a turn is complete; the person's own view shows what is open.
    pictures = shown and HUMAN not in specs
    told = shown and (pictures or not table.hides)
    teller = _Teller(table, console, pictures) if told else None
    try:
        moves, returns = play_match(
            table,
            seats,
            seed,
            told=teller and teller.tell,
            begun=teller and teller.begin,
        )
    except ChoiceError as error:  # nothing of where it comes from is in the traceback
        raise RequestError(str(error)) from error
    if as_json:
        outcome = {
            "game": spec,
            "players": table.model.players,
            "seed": seed,
            "agents": specs,
            "moves": [
                {"player": p, "action": a, "name": table.name(a)} for p, a in moves
            ],
            "returns": returns,
        }
        print(json.dumps(outcome))
        return
    if shown and not pictures:
        console.print(table.text(None), markup=False, soft_wrap=True)
    title = f"{table.game.title}, seed {seed}"
    console.print(_summary(title, table, specs, seats))


def _human(table: Table, console: Console) -> HumanAgent:
    def ask(prompt: str) -> str:
        console.print(prompt, end="", markup=False)
        line = _typed_line()
        if not line:
            console.print()  # ends the line of the prompt
            raise EOFError
        return line

    def tell(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    game = table.game
    if isinstance(game, Game):
        return HumanAgent(game.ansi, game.format_action, game.parse_action, ask, tell)
    return HumanAgent(
        lambda _, state, player: table.text(player),
        lambda _, action: table.name(action),
        lambda _, text: table.action_of(text),
        ask,
        tell,
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
    """Tells on a console what happens at a table."""

    def __init__(self, table: Table, console: Console, pictures: bool):
        self._at = table
        self._console = console
        self._pictures = pictures
        self._before: bytes | None = None
        # Of simultaneous moves nothing is told before the last one is made.
        self._waiting: list[Decision] = []

    def begin(self) -> None:
        self._before = self._at.position()
        self._picture()

    def tell(self, decision: Decision) -> None:
        self._waiting.append(decision)
        after = self._at.position()
        if after is not None and self._before == after:
            return
        for made in self._waiting:
            name = self._at.name(made.action)
            line = f"\nplayer_{made.player} plays {name}"
            self._console.print(line, markup=False, soft_wrap=True)
        self._picture()
        self._waiting, self._before = [], after

    def _picture(self) -> None:
        if self._pictures:
            self._console.print(self._at.text(None), markup=False, soft_wrap=True)


def _summary(
    title: str, table: Table, specs: list[str], seats: list[Seat]
) -> RichTable:
    shown = RichTable(title=title, pad_edge=False)
    shown.add_column("seat")
    shown.add_column("agent", overflow="fold")
    for heading in ("result", "score", "moves", "ms\neach", "simulations\neach"):
        shown.add_column(heading, justify="right")
    results, scores = table.outcome()
    for player, (spec, seat) in enumerate(zip(specs, seats, strict=True)):
        decisions = len(seat.seconds)
        shown.add_row(
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
    return shown
