"""`SpielRules`: a game of OpenSpiel in the place of rules that somebody wrote."""

from types import ModuleType
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.facts import OBSERVATIONS, Facts
from mcts_agents.envs.open_spiel.model import SpielModel
from mcts_agents.extras import from_extra
from mcts_agents.model import Rules
from mcts_agents.model.contract import REQUIRED
from mcts_agents.names import quoted, unknown_name

PREFIX = "open_spiel:"

# How games name the parameter that is the number of players.
_PLAYERS = ("players", "num_players", "numPlayers")
# Options of this package; the last is for games that hide something.
_OWN = {"observation": "auto", "counted": False, "worlds": 1000}
# The most worlds that are kept: each takes the bytes of a state.
MOST_WORLDS = 100_000


class SpielRules(Rules):
    """A game of OpenSpiel in the place of rules that somebody wrote.

    Args:
        text: What `pyspiel.load_game` takes, such as `breakthrough` or
            `hex(board_size=7)`.

    Attributes:
        text: The same.
        at_once: Whether several players may decide at once.
        hidden: Whether players may not see everything.
        player_counts: The numbers of players that there may be, ascending.

    Raises:
        ValueError: OpenSpiel has no such game, or it cannot be played here.
        MissingExtraError: OpenSpiel is not installed.
    """

    def __init__(self, text: str):
        self.text = text
        self._pyspiel = _pyspiel()
        self._base = self._loaded(text)
        kind = self._base.get_type()
        types = self._pyspiel.GameType
        super().__init__(
            PREFIX + text,
            state=np.dtype([("position", np.int64)]),  # of no use: there is no record
            chance=kind.chance_mode != types.ChanceMode.DETERMINISTIC,
        )
        self.title = kind.long_name
        self.at_once = kind.dynamics == types.Dynamics.SIMULTANEOUS
        self.hidden = kind.information == types.Information.IMPERFECT_INFORMATION
        self._short_name = kind.short_name
        given = self._pyspiel.game_parameters_from_string(text)
        self._given = {name: value for name, value in given.items() if name != "name"}
        self._known = {**kind.parameter_specification, **self._base.get_parameters()}
        self._counted_by = next((n for n in _PLAYERS if n in self._known), None)
        number = self._base.num_players()
        self.player_counts = (number,)
        if self._counted_by is not None:
            self.player_counts = tuple(
                range(kind.min_num_players, kind.max_num_players + 1)
            )
        if kind.dynamics == types.Dynamics.MEAN_FIELD:
            raise ValueError(f"{self.name} is a mean field game, which has no moves")
        if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
            # Each chance node has a seed of its own.
            self._known.pop("rng_seed", None)
            if "rng_seed" in given:
                raise ValueError(
                    f"{self.name}: rng_seed={given['rng_seed']}: chance is drawn with "
                    "the seed that reset gets; leave it out"
                )

    def __reduce__(self):
        """Copy and pickle by loading the game again."""
        return SpielRules, (self.text,)

    def __getstate__(self):
        """Leave everything to `__reduce__`."""
        return {}

    def __repr__(self) -> str:
        """Show the game, in one line."""
        return f"<{type(self).__name__} of {self.name}>"

    def _loaded(self, text: str) -> Any:
        """Load the game of a text; names are checked first, as OpenSpiel prints."""
        name = text.partition("(")[0].strip()
        known = self._pyspiel.registered_names()
        if name not in known:
            raise ValueError(unknown_name("game of OpenSpiel", name, known))
        try:
            return self._pyspiel.load_game(text)
        except (self._pyspiel.SpielError, IndexError) as error:  # a lookup in C++
            raise ValueError(f"{PREFIX}{quoted(text)}: {_first(error)}") from error

    def has(self, name: str) -> bool:
        """Whether the game has the function `name`."""
        if name == "redeterminise":
            return self.hidden
        return name in (*REQUIRED, "scores", "playout", "observe")

    def defaults(self) -> dict[str, object]:
        """Return the options and their defaults: OpenSpiel's parameters and ours."""
        named = {
            name: value
            for name, value in sorted(self._known.items())
            if name != self._counted_by and not isinstance(value, dict)
        }
        own = {name: _OWN[name] for name in _OWN if name != "worlds" or self.hidden}
        return {"players": self._base.num_players(), **named, **own}

    def model(self, **variant: object) -> SpielModel:
        """Return the forward model of one variant.

        Raises:
            ValueError: An unknown option, or a value that OpenSpiel does not allow.
        """
        defaults = self.defaults()
        for name in variant:
            if name not in defaults:
                raise ValueError(unknown_name(f"option of {self.name}", name, defaults))
        chosen = {
            name: self._value(name, variant.get(name, default), default)
            for name, default in defaults.items()
        }
        parameters = self._given | {
            name: value
            for name, value in chosen.items()
            if value != defaults[name] and name not in ("players", *_OWN)
        }
        if chosen["players"] != defaults["players"]:
            if chosen["players"] not in self.player_counts:
                low, high = self.player_counts[0], self.player_counts[-1]
                allowed = str(low) if low == high else f"{low} to {high}"
                raise ValueError(
                    f"players={chosen['players']}: {self.name} is for {allowed}"
                )
            parameters[self._counted_by] = chosen["players"]
        try:
            game = self._pyspiel.load_game(self._short_name, parameters)
            game.new_initial_state()
        except self._pyspiel.SpielError as error:
            told = ", ".join(f"{n}={v}" for n, v in parameters.items())
            raise ValueError(f"{self.name} with {told}: {_first(error)}") from error
        own = {name: chosen.get(name, default) for name, default in _OWN.items()}
        if not 0 <= own["worlds"] <= MOST_WORLDS:
            raise ValueError(
                f"{self.name}: worlds={own['worlds']}: expected a whole number from 0 "
                f"to {MOST_WORLDS}; 0 draws each world anew"
            )
        return SpielModel(Facts(self, game, self._pyspiel, **own), chosen)

    def _value(self, name: str, value: object, default: object) -> object:
        """Return an option's value in the type that OpenSpiel wants."""
        kind = type(default)
        if kind is float and type(value) is int:
            return float(value)
        if kind is str and not isinstance(value, str | bool):
            value = str(value)  # such as stack=1200, which is a list of numbers
        if isinstance(value, np.integer):
            value = int(value)
        if type(value) is not kind:
            expected = {int: "a whole number", bool: "true or false", float: "a number"}
            words = expected.get(kind, "a word")
            if name == "observation":
                words = f"one of {', '.join(OBSERVATIONS)}"
            raise ValueError(f"{self.name}: {name}={value!r}: expected {words}")
        return value

    def check(self, **options: Any) -> Any:
        """Refuse: there are no functions of an author to be checked."""
        raise ValueError(f"{self.name}: only rules of your own can be checked")


def _pyspiel() -> ModuleType:
    with from_extra("openspiel", "games of OpenSpiel"):
        import pyspiel
    return pyspiel


def _first(error: Exception) -> str:
    """Return the first line of what OpenSpiel says."""
    return str(error).strip().partition("\n")[0]
