"""Names of actions, which `Game.format_action` gives and `Game.parse_action` reads."""

from mcts_agents.envs.game import Game
from mcts_agents.model import ForwardModel, GameError
from mcts_agents.testing.calls import Position
from mcts_agents.testing.report import CheckError, Place, Report

# To read one name may mean to make all of them.
MOST_READ = 200
ADVICE = "`format_action` must name each action differently"


class Names:
    """The names of a game's actions, each looked at when it is first legal.

    Args:
        game: The game.
        model: The model of one variant.
        place: Where the check is, kept up to date by its owner.
        report: Where it is noted.
    """

    def __init__(self, game: Game, model: ForwardModel, place: Place, report: Report):
        self._game, self._model = game, model
        self._place, self._report = place, report
        self._known: dict[int, str] = {}
        self._read: set[int] = set()

    def check(self, position: Position) -> None:
        """Check the names of a position's legal actions."""
        for legal in position.legal.values():
            named: dict[str, int] = {}
            for action in legal.tolist():
                if action not in self._known:
                    self._known[action] = self._made(action)
                name = self._known[action]
                other = named.setdefault(name, action)
                if other != action:
                    self._place.fail(
                        "format_action",
                        f"gives one name twice: actions {other} and {action}, both "
                        f"legal now, are both named {name}",
                        ADVICE,
                    )
            self._report.checked["legal actions have different names"] += 1
            for name, action in named.items():
                if action not in self._read and len(self._read) < MOST_READ:
                    self._read.add(action)
                    self._check_reading(name, action)

    def _made(self, action: int) -> str:
        try:
            name = self._game.format_action(self._model, action)
        except GameError as error:
            raise CheckError(str(error)) from error
        except Exception as error:
            self._place.fail(
                "format_action",
                f"raised {type(error).__name__}: {error} for action {action}",
                "It is called for all actions from 0 to "
                f"{self._model.actions - 1} and may not fail",
            )
        if not isinstance(name, str):
            self._place.fail(
                "format_action",
                f"returned {name!r} for action {action}",
                "Return a text",
            )
        return name

    def _check_reading(self, name: str, action: int) -> None:
        """See that a name is read as the action that it was made for."""
        try:
            found: object = self._game.parse_action(self._model, name)
        except GameError as error:  # of a name that another action has, or of none
            raise CheckError(str(error)) from error
        except Exception as error:
            found = f"an error, {type(error).__name__}: {error}"
        if found != action:
            self._place.fail(
                "parse_action",
                f"read {name!r}, the name of action {action}, as {found}",
                "Return the action that `format_action` gives this name",
            )
        self._report.checked["parse_action reads what format_action writes"] += 1
