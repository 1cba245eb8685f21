"""What may be written for the values of a tournament, and what becomes of it."""

import json
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from mcts_agents.agents import Agent, make_agent
from mcts_agents.agents.held import HeldAgent, given_agent
from mcts_agents.agents.saving import to_mapping
from mcts_agents.agents.specs import resolve
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.envs import find_game, make_any
from mcts_agents.names import quoted

# Whose options the search options of a game are.
SEARCHING = "mcts"

# A whole number in JSON and in SQLite, in every program that reads them.
MOST_SEED = 2**53 - 1
MOST_GAMES = 10**9
MOST_OPENING = 10**4


class SettingError(ValueError):
    """An agent or players that do not fit a game.

    `place` is the key, inside what is being checked.
    """

    def __init__(self, message: str, place: tuple[str | int, ...]):
        super().__init__(message)
        self.place = place


def agent_mapping(value: Any) -> dict[str, Any]:
    """Return an agent's spec as a mapping, with files and presets resolved.

    Agents and classes of agents are taken too; see `given_agent`.

    Raises:
        ValueError: It is none, or names a seed.
    """
    if isinstance(value, HeldAgent):
        return value
    if isinstance(value, Agent | type):
        value = given_agent(value)
        if isinstance(value, HeldAgent):
            return value
    agent = make_agent(value)
    kind, options = resolve(value)
    if "seed" in options:
        raise ValueError(f"seed={options['seed']}: every agent gets its own seed")
    # An agent that was given no budget has one by default, unless the tournament has
    # budgets: those are only its own if they were written.
    budgets = kind.budgets
    own = any(option in options for option in budgets)
    short, full = to_mapping(agent), to_mapping(agent, full=True)
    return {
        name: short.get(name, value)
        for name, value in full.items()
        # What was written stays, also where it is the default: the search options of a
        # game are for what an agent leaves open.
        if (name in short or name in options) and (own or name not in budgets)
    }


def game_spec(value: str) -> str:
    """Return a game's spec.

    Raises:
        ValueError: It is none. Values of options are looked at by `check_variant`.
    """
    find_game(value)
    return value


def check_variant(game: str, players: int | None) -> None:
    """Refuse a game that cannot be played so; its options may need these players.

    Raises:
        SettingError: The game does not allow this; the place is its spec if other
            players would not help.
    """
    try:
        make_any(game, players)
    except ValueError as error:
        place = "game" if players is None or not _has_default(game) else "players"
        raise SettingError(str(error), (place,)) from error


def _has_default(game: str) -> bool:
    """Say whether a game can be played by its default number of players."""
    try:
        make_any(game)
    except ValueError:
        return False
    return True


def agent_or_none(value: Any) -> dict[str, Any] | None:
    """Return an agent's spec as a mapping, or None for None; see `agent_mapping`."""
    return None if value is None else agent_mapping(value)


def search_options(value: Any) -> dict[str, Any]:
    """Return search options, from a mapping of them or from a spec of such an agent."""
    if isinstance(value, Mapping):
        value = {"agent": SEARCHING, **value}
    kind, options = resolve(value)
    if kind.name != SEARCHING:
        raise ValueError(f"{kind.name} has no search options, only {SEARCHING} has")
    if "seed" in options:
        raise ValueError(f"seed={options['seed']}: not an option of a game's search")
    written = to_mapping(make_agent({"agent": kind.name, **options}))
    # An agent inside, such as an evaluator, may name a file. It is written with the
    # file's checksum, so that a store knows which content has played.
    return {
        name: written[name] if isinstance(written.get(name), Mapping) else value
        for name, value in options.items()
    }


def named_agents(value: Any) -> Any:
    """Let agents be a list of specs, which are their own names."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list | tuple):
        for agent in value:
            if isinstance(agent, Agent | type):
                raise ValueError(
                    f"{quoted(agent)} needs a name for tables: {{name: agent}} instead "
                    "of a list"
                )
        pairs = [split_name(agent) for agent in value]
    else:
        return value
    named: dict[str, Any] = {}
    for given, agent in pairs:
        name = _name(given)
        if name in named:
            raise ValueError(
                f"two agents have the name {quoted(name)}; names tell them apart"
            )
        named[name] = agent
    return named


def _name(value: Any) -> str:
    """Return the name of an agent; YAML reads some words as something else."""
    name = str(value) if isinstance(value, int) and value is not True else value
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError(
            f"{quoted(value)} is not the name of an agent: expected a line of text"
        )
    return name


def _text(value: Any) -> Any:
    """Let a budget of simulations be a number."""
    return str(value) if isinstance(value, int) and value is not True else value


def one_or_more(value: Any) -> Any:
    """Let a single value stand without its list; None stays."""
    return value if isinstance(value, list | tuple) or value is None else [value]


def split_name(agent: Any) -> tuple[str, Any]:
    """Return the name and the spec of an agent written as `NAME=SPEC` or as a spec.

    What stands before the first equals sign is a name unless a colon stands in it:
    `mcts:tree=multi` has none and is its own name.
    """
    if isinstance(agent, PathLike):
        return fspath(agent), agent
    if not isinstance(agent, str):
        try:
            return json.dumps(agent), agent
        except TypeError:  # which is refused where agents are made
            return repr(agent), agent
    before, equals, after = agent.partition("=")
    if equals and ":" not in before:
        return before.strip(), after.strip()
    return agent.strip(), agent.strip()


def _budget(value: str) -> str:
    budget_setting(value)
    return value.strip()


class Strict(BaseModel):
    """A frozen model that forbids keys other than its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _distinct(budgets: tuple[str, ...]) -> tuple[str, ...]:
    meant = [budget_setting(budget) for budget in budgets]
    for budget, meaning in zip(budgets, meant, strict=True):
        if meant.count(meaning) > 1:
            raise ValueError(f"{budget} is named twice")
    return budgets


Budgets = Annotated[
    tuple[Annotated[str, BeforeValidator(_text), AfterValidator(_budget)], ...],
    BeforeValidator(one_or_more),
    AfterValidator(_distinct),
]
GivenBudgets = str | int | Sequence[str | int]
# No words that look like numbers, and no true or false.
Whole = Annotated[int, Field(strict=True)]
