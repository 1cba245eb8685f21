"""Run a tournament, or go on with one: play what its store does not hold yet."""

from collections.abc import Callable, Iterator
from contextlib import closing

from mcts_agents.agents import Planner, make_agent
from mcts_agents.arena.backends import Backend, Outcome
from mcts_agents.arena.records import Failure, Fixture
from mcts_agents.arena.schedule import Schedule
from mcts_agents.arena.spec import SettingError, TournamentSpec, differences
from mcts_agents.arena.store import Store, StoreError
from mcts_agents.envs import make_model


def check_agents(schedule: Schedule) -> None:
    """Make every search of a tournament once.

    What a game cannot serve is refused before the first game, and what must be compiled
    is compiled by one process.

    Raises:
        SettingError: A game cannot serve an agent.
    """
    for setting, entrants in schedule.entrants.items():
        field = schedule.spec.field_entrant(setting)
        _, model = make_model(setting.game, setting.players)
        for entrant in (*entrants, *([field] if field else [])):
            agent = make_agent(entrant.mapping())
            if isinstance(agent, Planner):
                try:
                    agent.search_of(model)
                except ValueError as error:
                    place = ("field",) if entrant is field else ("agents", entrant.name)
                    raise SettingError(
                        f"{entrant.name} in {setting}: {error}", place
                    ) from error


def enter(store: Store, schedule: Schedule) -> None:
    """Write a tournament into a new store, or see that the store holds this one.

    A store that holds fewer games of the same tournament takes more.

    Raises:
        StoreError: It holds another tournament, or more games of this one.
    """
    description, stored = schedule.spec.description(), store.description()
    if stored is None:
        store.describe(description, len(schedule))
        return
    differing = list(differences(stored, description))
    if not differing:
        return
    if differing != ["games_each"]:
        key = next(key for key in differing if key != "games_each")
        raise StoreError(
            f"{store.path}: holds another tournament: its {key} is "
            f"{stored.get(key)!r}, not {description.get(key)!r}"
        )
    if description["games_each"] < stored["games_each"]:
        raise StoreError(
            f"{store.path}: the tournament has {stored['games_each']} games each, and "
            f"cannot have fewer, {description['games_each']}"
        )
    store.describe(description, len(schedule))


def run_tournament(
    spec: TournamentSpec,
    store: Store,
    backend: Backend,
    told: Callable[[Outcome], None] | None = None,
) -> None:
    """Play all games of a tournament that the store does not hold yet.

    Every game is stored as it ends. What is played depends on the spec alone, not on
    the backend, the number of workers or how often it was interrupted.

    Args:
        spec: The tournament.
        store: An open store, new or with games of the same tournament.
        backend: Where the games are played.
        told: Called after each game, when it is stored.

    Raises:
        SettingError: An agent that a game cannot serve.
        StoreError: The store holds another tournament, or cannot be written.
    """
    schedule = Schedule(spec)
    check_agents(schedule)
    enter(store, schedule)
    outcomes = backend.play(unplayed(schedule, store))
    with closing(outcomes):  # stops the workers, whatever happens here
        for outcome in outcomes:
            if isinstance(outcome, Failure):
                store.add_failure(outcome)
            else:
                store.add(outcome)
            if told is not None:
                told(outcome)


def unplayed(schedule: Schedule, store: Store) -> Iterator[Fixture]:
    """Return the games of a tournament that are not stored."""
    played = store.played()
    return (fixture for fixture in schedule if fixture.number not in played)
