"""Who plays whom, in which seats and from which seed: the games of a tournament.

Where players have team mates an agent plays a whole team: for "seat" read "team".

Everything is a function of the tournament's seed, the setting and the number of the
game: it depends neither on the games before nor on a random generator's version, so a
tournament that goes on later, elsewhere or with more games goes on as it began.
"""

import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

from mcts_agents.arena.playing.fixtures import Entrant, Fixture, Setting
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs import make_any

T = TypeVar("T")

# Line-ups, or orders of seats, of one setting that are kept in memory at most.
MOST_ARRANGEMENTS = 1_000_000

# One way to sit down: who sits in each seat, and which deal they get.
Seating = tuple[tuple[Entrant, ...], object]


class Schedule:
    """The games of a tournament, in the order in which they are numbered and played.

    Settings take turns, so that a tournament that is interrupted, or gets more games
    later, has about as many games of each.

    Args:
        spec: The tournament.

    Raises:
        SettingError: An agent that does not fit its setting, or a number of games that
            the design cannot balance.
    """

    def __init__(self, spec: TournamentSpec):
        self.spec = spec
        self.settings = spec.settings()
        self.entrants = {s: spec.entrants(s) for s in self.settings}
        self.teams = {s: make_any(s.game, s.players)[1].teams for s in self.settings}
        for setting in self.settings:
            self._check(setting)

    def __len__(self) -> int:
        return len(self.settings) * self.spec.games_each

    def __iter__(self) -> Iterator[Fixture]:
        seatings = [self._seatings(setting) for setting in self.settings]
        number = itertools.count(1)
        for round_ in range(self.spec.games_each):
            for setting, seating in zip(self.settings, seatings, strict=True):
                seats, deal = next(seating)
                key = (self.spec.seed, setting, round_ if deal is None else deal)
                yield Fixture(
                    next(number),
                    setting,
                    round_,
                    derived_seed(key),
                    seats,
                    self.spec.opening,
                )

    def _check(self, setting: Setting) -> None:
        agents, players = len(self.entrants[setting]), self._sides(setting)
        if self.spec.design == "one-against-field":
            self.spec.field_entrant(setting)
            return
        if agents == 1:
            raise SettingError(
                f"one agent cannot play {self.spec.design}: name another, or choose "
                "one-against-field",
                ("agents",),
            )
        orders = math.comb(agents, players % agents)
        if self.spec.design == "all-seats":
            orders *= _orders(agents, players)
            if self.spec.games_each % orders and orders <= MOST_ARRANGEMENTS:
                below = self.spec.games_each // orders * orders
                near = f"{below} or {below + orders}" if below else str(orders)
                raise SettingError(
                    f"games_each={self.spec.games_each}: {setting} has {orders} "
                    f"orders of seats, so all-seats needs a multiple: {near}",
                    ("games_each",),
                )
        if orders > MOST_ARRANGEMENTS:
            raise SettingError(
                f"{agents} agents in {players} seats are {orders} arrangements, more "
                f"than {MOST_ARRANGEMENTS}: take fewer agents",
                ("agents",),
            )

    def _seatings(self, setting: Setting) -> Iterator[Seating]:
        design = {
            "round-robin": self._round_robin,
            "one-against-field": self._one_against_field,
            "all-seats": self._all_seats,
        }[self.spec.design]
        teams = self.teams[setting]
        for sides, deal in design(setting):
            yield tuple(sides[team] for team in teams), deal

    def _sides(self, setting: Setting) -> int:
        """Return how many seats, or teams, there are for agents."""
        return len(set(self.teams[setting]))

    def _round_robin(self, setting: Setting) -> Iterator[Seating]:
        """All line-ups once in each lap; in every `players` laps, in rotating seats."""
        seed, players = self.spec.seed, self._sides(setting)
        lineups = _lineups(self.entrants[setting], players)
        for block in itertools.count():
            for lap in range(players):
                order = (seed, setting, "order", block, lap)
                for lineup in _shuffled(range(len(lineups)), order):
                    key = (seed, setting, "seats", block, lineup)
                    seats = _shuffled(lineups[lineup], key)
                    yield (*seats[lap:], *seats[:lap]), None

    def _one_against_field(self, setting: Setting) -> Iterator[Seating]:
        """Every agent once in each lap; in every `players` laps, once in each seat."""
        seed, players = self.spec.seed, self._sides(setting)
        entrants = self.entrants[setting]
        field = self.spec.field_entrant(setting)
        for block in itertools.count():
            seats = _shuffled(range(players), (seed, setting, "seats", block))
            for lap in range(players):
                for number, entrant in enumerate(entrants):
                    seat = seats[(lap + number) % players]
                    line = [field] * players
                    line[seat] = entrant
                    yield tuple(line), None

    def _all_seats(self, setting: Setting) -> Iterator[Seating]:
        """Every line-up in every order of seats; orders of a line-up share the deal."""
        entrants = self.entrants[setting]
        seatings = [
            (order, number)
            for number, lineup in enumerate(
                _lineups(tuple(range(len(entrants))), self._sides(setting))
            )
            for order in _orders_of(lineup)
        ]
        for cycle in itertools.count():
            key = (self.spec.seed, setting, "order", cycle)
            for order, number in _shuffled(seatings, key):
                yield tuple(entrants[n] for n in order), ("deal", cycle, number)


def _lineups(entrants: Sequence[T], players: int) -> list[tuple[T, ...]]:
    """Return all ways to fill the seats as evenly as possible, seats left aside."""
    every, more = divmod(players, len(entrants))
    return [
        tuple(entrants) * every + some
        for some in itertools.combinations(entrants, more)
    ]


def _orders(agents: int, players: int) -> int:
    """Return in how many different orders one line-up can sit."""
    every, more = divmod(players, agents)
    same = math.factorial(every) ** (agents - more) * math.factorial(every + 1) ** more
    return math.factorial(players) // same


def _orders_of(lineup: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Return the different orders of a line-up, ascending."""
    if not lineup:
        yield ()
    for first in sorted(set(lineup)):
        rest = list(lineup)
        rest.remove(first)
        for others in _orders_of(rest):
            yield first, *others


def _shuffled(items: Sequence[T], key: tuple[object, ...]) -> list[T]:
    """Return the items in an order that the key decides."""
    keyed = sorted((_digest((*key, n)), n) for n in range(len(items)))
    return [items[n] for _, n in keyed]


def derived_seed(key: tuple[object, ...]) -> int:
    """Return a whole number below 2**53 that the key decides."""
    return int.from_bytes(_digest(key)[:8], "big") >> 11


def _digest(key: tuple[object, ...]) -> bytes:
    words = [_word(part) for part in key]
    return hashlib.sha256("\n".join(words).encode()).digest()


def _word(part: object) -> str:
    if isinstance(part, Setting):
        return f"{part.game}|{part.players}|{part.budget}"
    return repr(part)
