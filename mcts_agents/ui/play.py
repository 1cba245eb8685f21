"""A game that people and agents play: who sits where, what was played, and undo."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcts_agents.agents import Agent, agent_seed, make_agent
from mcts_agents.agents.saving import spec_text
from mcts_agents.agents.specs import names_an_agent
from mcts_agents.arena.playing.tables import ChoiceError, Table, table_of
from mcts_agents.envs import EnvironmentGame, make_any
from mcts_agents.importing import named_in_file
from mcts_agents.names import quoted

# In a list of seats: a person, at the page.
PERSON = "human"

# The seed of the agent that gives hints is that of a seat after all others.
_ADVISER = 1000


class SetupError(ValueError):
    """A game cannot be set up as it was asked for.

    Attributes:
        place: What the reason is about: `game`, `players`, `adviser` or `seat 0`,
            `seat 1` and so on.
    """

    def __init__(self, place: str, reason: str):
        super().__init__(reason)
        self.place = place


@dataclass(frozen=True)
class Setup:
    """What a game begins with.

    Attributes:
        game: The spec of the game, such as `hex:size=7`.
        players: Number of players; None for the game's default.
        seats: For each player `human`, the spec of an agent, or its mapping.
        adviser: The agent that gives hints, likewise.
        seed: Seed of the game and, with the seats, of the agents.
        actions: What has been played before: the actions, in the order of decisions.
        pace: Seconds that every move of an agent stays to be looked at.
        origin: The id of the game that this one was made from, empty if there is none.
    """

    game: str
    players: int | None
    seats: tuple[str | dict[str, Any], ...]
    adviser: str | dict[str, Any] = "mcts"
    seed: int = 0
    actions: tuple[int, ...] = ()
    pace: float = 0.0
    origin: str = ""


@dataclass
class PlayedGame:
    """A table, and who sits at it.

    Attributes:
        setup: What it began with.
        table: The table.
        agents: The agent of each seat; None where a person sits.
        adviser: The agent that gives hints.
        moves: What was played: (player, action) in the order of decisions.
        settled: How many of the moves are made; those after them are choices that
            wait for the other players who decide at the same time.
    """

    setup: Setup
    table: Table
    agents: list[Agent | None]
    adviser: Agent
    moves: list[tuple[int, int]] = field(default_factory=list)
    settled: int = 0

    @property
    def people(self) -> list[int]:
        """The seats of people, ascending."""
        return [seat for seat, agent in enumerate(self.agents) if agent is None]

    @property
    def keeps_secrets(self) -> bool:
        """Whether a person at the table may be kept from seeing something."""
        return bool(self.people) and self.table.hides

    @property
    def undecided(self) -> tuple[int, ...]:
        """Players whose choice for the present moment is not made public yet."""
        return tuple(self.table.movers())

    def may_watch(self, player: int | None, viewer: int | None) -> bool:
        """Say whether a viewer may see what the search of a player finds.

        It would show the player's cards, or what the player is about to choose while
        others choose, too. With None, this is about what may be any player's.
        """
        if viewer == player or not self.people:
            return True
        return not self.table.hides and len(self.undecided) <= 1

    def play(self, action: int) -> None:
        """Let the player whose turn it is act.

        Raises:
            ChoiceError: The game is over, or the action is not legal.
        """
        player = self.table.turn()
        if player is None:
            raise ChoiceError("The game is over.")
        together = max(1, len(self.undecided))
        self.table.step(action)
        self.moves.append((player, action))
        if len(self.moves) - self.settled >= together:
            self.settled = len(self.moves)

    @property
    def taken_back(self) -> int | None:
        """The number of the move that undo takes back; None if there is none."""
        people = self.people
        own = [n for n, (p, _) in enumerate(self.moves) if not people or p in people]
        return own[-1] if own else None

    def may_undo(self, viewer: int | None) -> bool:
        """Say whether a viewer may take back the move that undo takes back.

        Of several people, only the one who made it may.
        """
        number = self.taken_back
        return number is not None and viewer in (None, self.moves[number][0])

    def undo(self) -> None:
        """Go back to the last decision of a person; without people, by one decision.

        The game is played again from its seed, so chance falls as it did before.

        Raises:
            ChoiceError: There is nothing to take back, or the environment did not
                repeat the game.
        """
        number = self.taken_back
        if number is None:
            raise ChoiceError("There is nothing to take back.")
        self.begin([action for _, action in self.moves[:number]])

    def begin(self, actions: Sequence[int]) -> None:
        """Start the game anew, and play actions.

        Raises:
            ChoiceError: One of them is not legal.
        """
        self.table.begin(self.setup.seed)
        self.moves, self.settled = [], 0
        for action in actions:
            self.play(action)

    def close(self) -> None:
        """Close the environment."""
        self.table.close()


def open_game(setup: Setup, told: Callable[[str], None]) -> PlayedGame:
    """Open a table, and seat people and agents.

    Modules are imported only if the command line has named them: what a page sends
    counts as a file.

    Args:
        setup: What to begin with.
        told: Called with what is being done.

    Raises:
        SetupError: Something in the setup does not exist or is not allowed.
    """
    with named_in_file("the page"):
        told("Opening the game")
        try:
            game, model = make_any(setup.game, setup.players)
            # Pictures of games with rules are painted from what a viewer may see.
            table = table_of(game, model, pictures=isinstance(game, EnvironmentGame))
            table.begin(setup.seed)
        except ValueError as error:
            raise SetupError("game", str(error)) from error
        if len(setup.seats) != table.model.players:
            table.close()
            raise SetupError(
                "players",
                f"{len(setup.seats)} seats are filled; the game has "
                f"{table.model.players} players",
            )
        try:
            agents = [
                _seated(table, spec, setup.seed, seat, told)
                for seat, spec in enumerate(setup.seats)
            ]
            adviser = _seated(table, setup.adviser, setup.seed, _ADVISER, told)
            assert adviser is not None  # no person advises
            played = PlayedGame(setup, table, agents, adviser)
            played.begin(setup.actions)
        except ChoiceError as error:
            table.close()
            raise SetupError("game", f"the moves before: {error}") from error
        except ValueError:
            table.close()
            raise
    return played


def _seated(
    table: Table,
    spec: str | dict[str, Any],
    seed: int,
    seat: int,
    told: Callable[[str], None],
) -> Agent | None:
    """Return the agent of a seat, ready to play; None for a person."""
    is_adviser = seat == _ADVISER
    if spec == PERSON and not is_adviser:
        return None
    place = "adviser" if is_adviser else f"seat {seat}"
    told(f"Getting {spec_text(spec)} ready")
    try:
        if isinstance(spec, str) and not names_an_agent(spec):
            make_agent(spec)  # which says what is wrong
        agent = make_agent(spec, seed=agent_seed(seed, seat))
        table.prepare(agent, 0 if is_adviser else seat)
    except ValueError as error:
        raise SetupError(place, str(error)) from error
    except TypeError as error:  # a mapping of the wrong kind
        raise SetupError(place, f"{quoted(spec)}: {error}") from error
    return agent
