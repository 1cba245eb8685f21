"""`mcts-agents play`."""

import io
import json
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from mcts_agents.agents import Planner, make_agent
from mcts_agents.agents.human import HumanAgent, PersonLeft, TakenBackError
from mcts_agents.arena.playing.match import Decision, Seat, play_match
from mcts_agents.arena.playing.tables import ChoiceError, Table
from mcts_agents.cli.requests import (
    HUMAN,
    RequestError,
    refusals,
    requested,
    requested_agents,
    requested_table,
)
from mcts_agents.cli.terminal import PlainConsole, colour_of, coloured, thinking
from mcts_agents.envs import Game
from mcts_agents.model import RESULT_NAMES
from mcts_agents.names import in_lines
from mcts_agents.search import SearchResult

# Columns that are left to specs in a terminal of 80 columns.
_SPEC_WIDTH = 21
# Who gives hints. Simulations, so that the same position gives the same hint.
ADVISER = "mcts:simulations=5000"


@dataclass(frozen=True)
class _Made:
    """A decision that was not taken back, and what it took."""

    player: int
    action: int
    seconds: float
    simulations: int


def play_game(
    spec: str,
    players: int | None,
    agent_specs: list[str],
    seed: int | None,
    shown: bool,
    as_json: bool,
    last: bool = False,
) -> None:
    """Play one game through its PettingZoo environment and print how it went.

    Args:
        spec: Spec of the game.
        players: Number of players, the game's default if None.
        agent_specs: Spec of an agent for all seats, or of one for each.
        seed: Seed of the game and of its agents; None for any.
        shown: Whether positions and moves are shown.
        as_json: Whether to print an object instead of a table.
        last: Whether the last position is shown if the others are not.
    """
    table = requested_table(spec, players)
    seed = secrets.randbelow(2**31) if seed is None else seed
    console = PlainConsole(stderr=as_json)
    made: list[_Made] = []
    people: list[int] = []
    human = _human(table, console, lambda: any(one.player in people for one in made))
    with requested():
        table.begin(seed)
    specs, agents = requested_agents(agent_specs, table, seed, human)
    people += [seat for seat, one in enumerate(specs) if one == HUMAN]
    seats: list[Seat] = [
        _ShownSeat(agent, console=console, player=seat)
        for seat, agent in enumerate(agents)
    ]
    # A person at the table must not see the others' hands, nor be told a choice that
    # is face down until a turn is complete; the person's own view shows what is open.
    pictures = shown and HUMAN not in specs
    told = shown and (pictures or not table.hides)
    teller = _Teller(table, console, pictures) if told else None

    def tell(decision: Decision) -> None:
        result = decision.result
        made.append(
            _Made(
                decision.player,
                decision.action,
                seats[decision.player].seconds[-1],
                0 if result is None else result.simulations,
            )
        )
        if teller is not None:
            teller.tell(decision)

    begin = None if teller is None else teller.begin
    try:
        while (ended := _played(table, seats, seed, tell, begin, made)) is None:
            # Somebody takes a move back, and all that came after it.
            last_own = max(n for n, one in enumerate(made) if one.player in people)
            del made[last_own:]
    except KeyboardInterrupt:
        if not people:
            raise
        raise PersonLeft("game left") from None
    moves, returns = ended
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
    if (shown and not pictures) or last:
        console.print(coloured(table.text(None)), soft_wrap=True)
    title = f"{table.game.title}, seed {seed}"
    console.print(_summary(title, table, specs, made))


def _played(
    table: Table,
    seats: list[Seat],
    seed: int,
    tell: Callable[[Decision], None],
    begin: Callable[[], None] | None,
    made: list[_Made],
) -> tuple[tuple[tuple[int, int], ...], list[float]] | None:
    """Play on after the moves made; return moves and returns, None after an undo."""
    before = [one.action for one in made]
    try:
        return play_match(table, seats, seed, told=tell, begun=begin, before=before)
    except TakenBackError:
        return None
    except ChoiceError as error:  # nothing of its origin is in the traceback
        raise RequestError(str(error)) from error


@dataclass
class _ShownSeat(Seat):
    """A seat that says on a terminal that its agent thinks."""

    console: Console = field(kw_only=True)
    player: int = field(kw_only=True)

    def decide(self, env: Any) -> tuple[int, SearchResult | None]:
        if not isinstance(self.agent, Planner):
            return super().decide(env)
        with refusals(), thinking(self.console, self.player, self.agent):
            return super().decide(env)


def _human(table: Table, console: Console, can_undo: Callable[[], bool]) -> HumanAgent:
    adviser: list[Planner] = []

    def hint() -> str:
        player = table.turn()
        assert player is not None
        try:
            if not adviser:
                made = make_agent(ADVISER, seed=0)
                assert isinstance(made, Planner)
                table.prepare(made, player)
                adviser.append(made)
            with thinking(console, player, adviser[0]):
                found = adviser[0].plan(table.planned)
        except ValueError as error:  # an environment that may hide something
            return f"There is no hint: {error}"
        told = f", which it values at {found.value:.3f}" if found.simulations else ""
        return f"{ADVISER} would play {table.name(found.action)}{told}."

    def ask(prompt: str) -> str:
        console.print(coloured(prompt), end="")
        line = _typed_line()
        if not line:
            console.print()  # ends the line of the prompt
            raise EOFError
        return line

    def tell(text: str) -> None:
        console.print(coloured(text), soft_wrap=True)

    game = table.game
    if isinstance(game, Game):
        return HumanAgent(
            game.ansi,
            game.format_action,
            game.parse_action,
            ask,
            tell,
            hint,
            can_undo,
        )
    return HumanAgent(
        lambda _, state, player: table.text(player),
        lambda _, action: table.name(action),
        lambda _, text: table.action_of(text),
        ask,
        tell,
        hint,
        can_undo,
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
        self._before, self._waiting = self._at.position(), []
        self._picture()

    def tell(self, decision: Decision) -> None:
        self._waiting.append(decision)
        after = self._at.position()
        if after is not None and self._before == after:
            return
        for made in self._waiting:
            name = self._at.name(made.action)
            line = f"\nplayer_{made.player} plays {name}"
            self._console.print(coloured(line), soft_wrap=True)
        self._picture()
        self._waiting, self._before = [], after

    def _picture(self) -> None:
        if self._pictures:
            self._console.print(coloured(self._at.text(None)), soft_wrap=True)


def _summary(
    title: str, table: Table, specs: list[str], made: list[_Made]
) -> RichTable:
    shown = RichTable(title=title, pad_edge=False)
    shown.add_column("seat")
    shown.add_column("agent", overflow="fold")
    has_points = table.model.has_points
    # Who plays alone earns a score, and neither wins nor draws.
    alone = len(specs) == 1
    for heading in (
        *(["result"] * (not alone)),
        *("score", "moves", "ms\neach", "simulations\neach"),
    ):
        shown.add_column(heading, justify="right")
    results, scores = table.outcome()
    for player, spec in enumerate(specs):
        own = [one for one in made if one.player == player]
        seconds = sum(one.seconds for one in own)
        simulations = sum(one.simulations for one in own)
        shown.add_row(
            Text(f"player_{player}", colour_of(player)),
            in_lines(spec, _SPEC_WIDTH),
            *([RESULT_NAMES[results[player]]] * (not alone)),
            f"{scores[player]:g}" if has_points else "-",
            str(len(own)),
            f"{1000 * seconds / len(own):.1f}" if own else "-",
            f"{simulations / len(own):,.0f}" if simulations else "-",
        )
    return shown
