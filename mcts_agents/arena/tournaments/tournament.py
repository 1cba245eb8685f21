"""Run a tournament, or go on with one: play what its store does not hold yet."""

import itertools
from collections.abc import Callable, Iterable
from contextlib import closing
from os import PathLike

from mcts_agents.arena.playing.backends import Backend, Outcome
from mcts_agents.arena.playing.fixtures import Failure, Fixture
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.store import SOURCES, Store, StoreError
from mcts_agents.arena.tournaments.tournament_spec import (
    TournamentSpec,
    differences,
    stored_value,
)
from mcts_agents.importing import sources_named


def prepare(spec: TournamentSpec) -> Schedule:
    """Return the games of a tournament, when each of its searches was made once.

    What a game cannot serve is refused before the first game, and what must be compiled
    is compiled by one process.

    Raises:
        SettingError: A game cannot serve an agent, or the design does not go with the
            number of agents or games.
    """
    schedule = Schedule(spec)
    for setting, entrants in schedule.entrants.items():
        field = spec.field_entrant(setting)
        table = open_table(setting.game, setting.players)
        table.begin(spec.seed)
        for entrant in (*entrants, *([field] if field else [])):
            try:
                table.prepare(entrant.make(), 0)
            except ValueError as error:
                place = ("field",) if entrant is field else ("agents", entrant.name)
                raise SettingError(
                    f"{entrant.name} in {setting}: {error}", place
                ) from error
    return schedule


def open_store(path: str | PathLike[str], schedule: Schedule) -> Store:
    """Open the store of a tournament, and make it if there is none.

    A store that holds fewer games of the same tournament takes more.

    Raises:
        StoreError: It cannot be opened (see `Store.write`); it holds another
            tournament, a study without one, more games of this one, or rows that no
            store has; or the source of a user's module that the tournament names has
            changed.
    """
    store = Store.write(path)
    try:
        if store.description() is None and holds_study(store):
            raise StoreError(
                f"{store.path}: holds a study of `tune`; use another store"
            )
        enter(store, schedule)
        for _ in store.games():  # edited rows are refused before hours of games
            pass
    except BaseException:
        store.close()
        raise
    return store


def holds_study(store: Store) -> bool:
    """Return whether Optuna has written a study of `tune` into a store."""
    tables = "SELECT count(*) FROM sqlite_master WHERE name = 'studies'"
    return bool(store.connection.execute(tables).fetchone()[0])


def enter(store: Store, schedule: Schedule) -> None:
    """Write a tournament into a new store, or see that the store holds this one.

    Raises:
        StoreError: See `open_store`.
    """
    description, stored = schedule.spec.description(), store.description()
    description[SOURCES] = sources_named(description)
    if stored is not None:
        _check_sources(store, stored.get(SOURCES, {}), description[SOURCES])
    differing = list(differences(stored or {}, description))
    if stored is not None:
        for key in differing:
            if key not in ("games_each", SOURCES):
                raise StoreError(
                    f"{store.path}: holds another tournament: its {key} is "
                    f"{stored_value(stored, key)!r}, not "
                    f"{stored_value(description, key)!r}"
                )
        # Who plays in which game depends on it.
        if list(stored["agents"]) != list(description["agents"]):
            raise StoreError(
                f"{store.path}: holds another tournament: its agents are in the order "
                f"{', '.join(stored['agents'])}, not {', '.join(description['agents'])}"
            )
        if description["games_each"] < stored["games_each"]:
            raise StoreError(
                f"{store.path}: the tournament has {stored['games_each']} games of "
                f"each, and cannot have fewer, {description['games_each']}"
            )
    if differing:
        store.describe(description, len(schedule))


def _check_sources(
    store: Store, stored: dict[str, str], sources: dict[str, str]
) -> None:
    """Refuse more games if a module that a user has named is not what it was.

    The same seeds might give other games, and the results would mix two agents under
    one name. What such a module itself imports is not looked at.
    """
    for module, source in sources.items():
        if stored.get(module, source) != source:
            raise StoreError(
                f"{store.path}: the source of the module {module!r} has changed since "
                "these games were played; play the tournament into a new store, or "
                "restore the source"
            )


def run_tournament(
    schedule: Iterable[Fixture],
    store: Store,
    backend: Backend,
    told: Callable[[Outcome], None] | None = None,
) -> None:
    """Play all games of a tournament that the store does not hold yet.

    Every game is stored as it ends. What is played depends on the tournament alone, not
    on the backend, the number of workers or how often it was interrupted.

    Args:
        schedule: The games, from `prepare`, or some of them.
        store: The store, from `open_store`.
        backend: Where the games are played.
        told: Called after each game, when it is stored.

    Raises:
        StoreError: The store cannot be written.
    """
    played = store.played()
    unplayed = (fixture for fixture in schedule if fixture.number not in played)
    first = next(unplayed, None)
    if first is None:
        return  # without starting anybody
    waiting = itertools.chain([first], unplayed)
    with closing(backend.play(waiting)) as outcomes:  # which stops the workers
        for outcome in outcomes:
            if isinstance(outcome, Failure):
                store.add_failure(outcome)
            else:
                store.add(outcome)
            if told is not None:
                told(outcome)
