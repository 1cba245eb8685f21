"""`TournamentSpec`, the description of a tournament, checked on creation."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    field_validator,
    model_validator,
)

from mcts_agents.agents import make_agent
from mcts_agents.agents.held import AgentSpec, HeldAgent
from mcts_agents.agents.kinds import KINDS
from mcts_agents.agents.saving import to_mapping
from mcts_agents.agents.specs import resolve
from mcts_agents.arena.playing.budgets import budget_setting, check_taken
from mcts_agents.arena.playing.fixtures import Entrant, Setting
from mcts_agents.arena.tournaments.spec_values import (
    MOST_GAMES,
    MOST_OPENING,
    MOST_SEED,
    SEARCHING,
    Budgets,
    GivenBudgets,
    SettingError,
    Strict,
    Whole,
    agent_mapping,
    agent_or_none,
    check_variant,
    game_spec,
    named_agents,
    one_or_more,
    search_options,
)
from mcts_agents.envs import make_any
from mcts_agents.envs.registry import check_is_name
from mcts_agents.names import unknown_name

Design = Literal["round-robin", "one-against-field", "all-seats"]


def _game_only(value: Any) -> Any:
    """Let a game stand without its mapping: `hex` for `{game: hex}`."""
    return {"game": value} if isinstance(value, str) or _is_object(value) else value


def _is_object(value: Any) -> bool:
    """Say whether a value is what no file holds, such as a Game of a program."""
    plain = str | int | float | list | tuple | Mapping | GameSpec | None
    return not isinstance(value, plain)


def _no_object(value: Any) -> Any:
    if _is_object(value):
        check_is_name(value)
    return value


class GameSpec(Strict):
    """A game of a tournament.

    Attributes:
        game: Its spec, such as `sushi_go` or `hex:size=5`.
        players: Numbers of players; the game's default if left out.
        search: Options that every `mcts` agent takes in this game unless it names them
            itself: a mapping, or a preset such as `pi-mcts-30`.
        budgets: Budgets in this game, instead of those of the tournament.
    """

    game: Annotated[str, BeforeValidator(_no_object), AfterValidator(game_spec)]
    players: Annotated[tuple[Whole, ...], BeforeValidator(one_or_more)] = ()
    search: Annotated[dict[str, Any], BeforeValidator(search_options)] = Field(
        default_factory=dict
    )
    budgets: Budgets = ()

    if TYPE_CHECKING:  # what may be written; the fields are what becomes of it

        def __init__(
            self,
            *,
            game: str,
            players: int | Sequence[int] = (),
            search: str | Mapping[str, Any] = ...,
            budgets: GivenBudgets = (),
        ) -> None: ...

    @field_validator("players")
    @classmethod
    def _check_players(cls, players: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(players)) < len(players):
            raise ValueError(f"{players} names a number twice")
        return players

    @model_validator(mode="after")
    def _check_variants(self) -> "GameSpec":
        for number in self.players or (None,):
            check_variant(self.game, number)
        return self

    def counts(self) -> tuple[int, ...]:
        """Return the numbers of players; the game's default if none are given."""
        return self.players or (make_any(self.game)[1].players,)


GivenGame = str | Mapping[str, Any] | GameSpec


class TournamentSpec(Strict):
    """Who plays which games, how often, and from which seed.

    Attributes:
        games: The games.
        agents: What each agent is called, and its mapping for `make_agent`; or a
            class derived from `Agent`, or an agent, see `agents.held`.
        field: The agent in all other seats (`one-against-field` only).
        budgets: Budgets of each decision, see `budget_setting`; every game without
            budgets of its own is played with each. Without any, agents have their own.
            Agents whose kind takes no budgets decide as they do without.
        design: `round-robin`: line-ups of different agents, each equally often and in
            rotating seats; with fewer agents than players, each has as equal a share
            of the seats as possible. `one-against-field`: one seat for an agent, all
            others for the field. `all-seats`: every line-up in every order of seats,
            from the same deal.
        games_each: Games of each game, number of players and budget.
        seed: Seed of the tournament, from which each game's derives.
        opening: Decisions at the start of each game that are made at random, from the
            game's seed, before any agent is asked; where several players decide at
            once each of them counts. Without, agents that use no chance and no clock
            play the same game again and again, if the game has no chance either.

    Raises:
        pydantic.ValidationError: A ValueError that names each value that is not
            allowed.
    """

    games: Annotated[
        tuple[Annotated[GameSpec, BeforeValidator(_game_only)], ...],
        BeforeValidator(one_or_more),
        Field(min_length=1),
    ]
    agents: Annotated[
        dict[str, Annotated[Any, AfterValidator(agent_mapping)]],
        BeforeValidator(named_agents),
        Field(min_length=1),
    ]
    field: Annotated[Any, AfterValidator(agent_or_none)] = None
    budgets: Budgets = ()
    design: Design = "round-robin"
    games_each: Whole = Field(default=100, ge=1, le=MOST_GAMES)
    seed: Whole = Field(default=0, ge=0, le=MOST_SEED)
    opening: Whole = Field(default=0, ge=0, le=MOST_OPENING)

    if TYPE_CHECKING:  # see `GameSpec`

        def __init__(
            self,
            *,
            games: GivenGame | Sequence[GivenGame],
            agents: Mapping[str, AgentSpec] | Sequence[str | Mapping[str, Any]],
            field: AgentSpec | None = None,
            budgets: GivenBudgets = (),
            design: Design = "round-robin",
            games_each: int = 100,
            seed: int = 0,
            opening: int = 0,
        ) -> None: ...

    @field_validator("games")
    @classmethod
    def _check_games(cls, games: tuple[GameSpec, ...]) -> tuple[GameSpec, ...]:
        names = [game.game for game in games]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} is named twice")
        return games

    @model_validator(mode="after")
    def _check_field(self) -> "TournamentSpec":
        if (self.field is not None) != (self.design == "one-against-field"):
            raise SettingError(
                "names the agent in all other seats and is only for the design "
                "one-against-field",
                ("field",),
            )
        if FIELD in self.agents and self.field is not None:
            raise SettingError(
                f"the name {FIELD!r} is that of the field", ("agents", FIELD)
            )
        return self

    @model_validator(mode="after")
    def _check_search(self) -> "TournamentSpec":
        for number, game in enumerate(self.games):
            budgets = self.budgets_of(game)
            for option in KINDS[SEARCHING].budgets:
                if budgets != ("",) and option in game.search:
                    raise SettingError(
                        f"{option}={game.search[option]} sets a budget, but "
                        f"budgets={list(budgets)} does too; remove one of them",
                        ("games", number, "search", option),
                    )
        return self

    # -- settings and who plays in them

    def budgets_of(self, game: GameSpec) -> tuple[str, ...]:
        """Return the budgets of a game; a single empty one if agents have their own."""
        return game.budgets or self.budgets or ("",)

    def settings(self) -> list[Setting]:
        """Return every game with every number of players and every budget of it."""
        return [
            Setting(game.game, players, budget)
            for game in self.games
            for players in game.counts()
            for budget in self.budgets_of(game)
        ]

    def entrants(self, setting: Setting) -> tuple[Entrant, ...]:
        """Return the agents of a setting, in order, with the options that it adds.

        Raises:
            SettingError: An agent has a budget of its own where there are others, its
                kind takes budgets but not that of the setting, or an option is refused.
        """
        return tuple(
            self._entrant(setting, name, agent, ("agents", name))
            for name, agent in self.agents.items()
        )

    def same_agents(self) -> list[tuple[str, ...]]:
        """Return the names of agents that are the same in every setting.

        Presets may have two names for the same settings, such as `maxn` and `ismcts`.
        What such agents score against each other is chance.

        Raises:
            SettingError: See `entrants`.
        """
        everywhere: dict[str, list[object]] = {}
        for setting in self.settings():
            for entrant in self.entrants(setting):
                same = entrant.spec if entrant.held is None else id(entrant.held)
                everywhere.setdefault(entrant.name, []).append(same)
        alike: dict[tuple[object, ...], list[str]] = {}
        for name, agents in everywhere.items():
            alike.setdefault(tuple(agents), []).append(name)
        return [tuple(names) for names in alike.values() if len(names) > 1]

    def field_entrant(self, setting: Setting) -> Entrant | None:
        """Return the agent of all other seats, if the design has one.

        Raises:
            SettingError: See `entrants`.
        """
        if self.field is None:
            return None
        return self._entrant(setting, FIELD, self.field, ("field",))

    def _entrant(
        self,
        setting: Setting,
        name: str,
        agent: Mapping[str, Any],
        place: tuple[str | int, ...],
    ) -> Entrant:
        if isinstance(agent, HeldAgent):
            if setting.budget and agent.budgets:
                raise SettingError(
                    f"{name} is an object that sets a budget of its own, but "
                    f"budgets={self._beside(setting)} does too; remove these, or give "
                    "the agent's spec without a budget",
                    place,
                )
            return Entrant(name, json.dumps(agent), agent)
        mapping = dict(agent)
        kind, _ = resolve(mapping)
        if kind.name == SEARCHING:
            mapping = {**mapping, **self._game_of(setting).search, **agent}
        if setting.budget:
            for option in kind.budgets:
                if option in mapping:
                    raise SettingError(
                        f"{name} sets a budget, {option}={mapping[option]}, but "
                        f"budgets={self._beside(setting)} does too; remove one of them",
                        place,
                    )
        try:
            if setting.budget and kind.budgets:
                check_taken(kind, setting.budget)
                option, value = budget_setting(setting.budget)
                mapping[option] = value
            # Written back as short as can be, so that a spec is the same however it
            # was put together.
            return Entrant(name, json.dumps(to_mapping(make_agent(mapping))))
        except ValueError as error:
            raise SettingError(f"{name} in {setting}: {error}", place) from error

    def _game_of(self, setting: Setting) -> GameSpec:
        (game,) = (game for game in self.games if game.game == setting.game)
        return game

    def _beside(self, setting: Setting) -> list[str]:
        return list(self.budgets_of(self._game_of(setting)))

    def part(
        self,
        games: Sequence[str] = (),
        players: Sequence[int] = (),
        budgets: Sequence[str] = (),
    ) -> "TournamentSpec":
        """Return the tournament with some of its games only.

        Its games are the same as in the whole tournament, from the same seeds.

        Args:
            games: Specs of games of this tournament; all if empty.
            players: Numbers of players; all if empty. Games that are not played with
                any of them are left out, unless `games` names them.
            budgets: Budgets, such as `40ms` or `1000`; all if empty, as for players.

        Raises:
            SettingError: A game, a number or a budget that this tournament does not
                have, or that is not played with the others that were given.
        """
        names = [game.game for game in self.games]
        for name in games:
            if name not in names:
                raise SettingError(unknown_name("game", name, names), ("games",))
        chosen = [game for game in self.games if not games or game.game in games]
        counts = sorted({count for game in chosen for count in game.counts()})
        for number in players:
            if number not in counts:
                raise SettingError(_none_of(number, counts), ("games", "players"))
        known = [b for game in chosen for b in self.budgets_of(game) if b]
        for budget in budgets:
            if _amount(budget) not in map(_amount, known):
                raise SettingError(_none_of(budget, dict.fromkeys(known)), ("budgets",))
        parts = (self._part_of(game, players, budgets) for game in chosen)
        part = self.model_copy(update={"games": tuple(p for p in parts if p)})
        settings = part.settings()
        _check_played(games, {s.game for s in settings}, ("games",))
        _check_played(players, {s.players for s in settings}, ("games", "players"))
        played = {_amount(s.budget) for s in settings if s.budget}
        left = [budget for budget in budgets if _amount(budget) in played]
        _check_played(budgets, left, ("budgets",))
        return part

    def _part_of(
        self, game: GameSpec, players: Sequence[int], budgets: Sequence[str]
    ) -> GameSpec | None:
        """Return a game with what was chosen of it; None if nothing is left."""
        counts, own = game.counts(), self.budgets_of(game)
        amounts = {_amount(budget) for budget in budgets}
        changed = {
            "players": tuple(n for n in counts if n in players or not players),
            "budgets": tuple(
                b for b in own if not budgets or (b and _amount(b) in amounts)
            ),
        }
        if not all(changed.values()):
            return None
        # As the whole tournament has it, if all is kept.
        for name, whole in (("players", counts), ("budgets", own)):
            if changed[name] == whole:
                del changed[name]
        return game.model_copy(update=changed)

    def description(self) -> dict[str, Any]:
        """Return everything as JSON values, for a store.

        Games without budgets of their own have no such key, and tournaments without
        openings none either, as in stores from before there were any.
        """
        found = self.model_dump(mode="json")
        if not found["opening"]:
            del found["opening"]
        for game in found["games"]:
            if not game["budgets"]:
                del game["budgets"]
        return found


def _amount(budget: str) -> tuple[str, int | float]:
    """Return a budget as `budget_setting` does, the same for `1s` and `1000ms`."""
    try:
        return budget_setting(budget)
    except ValueError as error:
        raise SettingError(str(error), ("budgets",)) from error


def _check_played(
    chosen: Sequence[object], played: Collection[object], place: tuple[str, ...]
) -> None:
    """Raise SettingError if something that was chosen for a part is not played."""
    for value in chosen:
        if value not in played:
            raise SettingError(
                f"{value}: the tournament has no games with this and the other chosen "
                "games, numbers of players and budgets",
                place,
            )


def _none_of(value: object, known: Iterable[object]) -> str:
    expected = ", ".join(map(str, known))
    if not expected:
        return f"{value}: the tournament sets no budgets"
    return f"{value}: expected one of {expected}"


# The name of the agent in all other seats in results.
FIELD = "field"


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterable[str]:
    """Return the keys in which two descriptions of tournaments differ."""
    return [key for key in {**one, **other} if one.get(key) != other.get(key)]


def stored_value(description: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key of a tournament's or a study's description."""
    return description.get(key, 0 if key == "opening" else None)
