"""Games of a tournament as columns, the basis of all statistics."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from mcts_agents.arena.playing.budgets import budget_order
from mcts_agents.arena.playing.fixtures import GameRecord, Setting
from mcts_agents.model.contract import MAX_PLAYERS

RESULTS = ("won", "drawn", "lost")


@dataclass(frozen=True)
class Columns:
    """Games and their seats, in an order independent of when games ended.

    Attributes:
        agents: Names of the agents; columns hold positions in it.
        settings: Settings that were played, by game, players and budget.
        game_setting: Setting of each game, int64 of shape (games,), ascending.
        seat_game: Game of each seat, int64 of shape (seats,), ascending.
        seat_agent: Who sat there, int64 of shape (seats,).
        seat_team: Number of the seat's team, from 0, int64 of shape (seats,).
        result: Position in `RESULTS`, int64 of shape (seats,).
        win: Share of the win, float64 of shape (seats,), 0 to 1.
        rank: Place from 1, float64 of shape (seats,).
        score: Score at the end, float64 of shape (seats,).
        simulations: Of all decisions of the seat, int64 of shape (seats,).
        searches: Decisions that were searched for, int64 of shape (seats,).
        depth: Mean depth of their trees, float64 of shape (seats,).
        decisions: Number of decisions of each seat, int64 of shape (seats,).
        seconds: Time of each decision, seat by seat, float32 of shape (decisions,).
        content: Of each game a number that games share if setting, seating, moves and
            scores are the same, int64 of shape (games,).
    """

    agents: tuple[str, ...]
    settings: tuple[Setting, ...]
    game_setting: np.ndarray
    seat_game: np.ndarray
    seat_agent: np.ndarray
    seat_team: np.ndarray
    result: np.ndarray
    win: np.ndarray
    rank: np.ndarray
    score: np.ndarray
    simulations: np.ndarray
    searches: np.ndarray
    depth: np.ndarray
    decisions: np.ndarray
    seconds: np.ndarray
    content: np.ndarray

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.game_setting)

    @property
    def distinct_games(self) -> int:
        """Number of games that differ in setting, seating, moves or scores."""
        return len(np.unique(self.content))

    def line_ups(self) -> dict[tuple[int, ...], tuple[int, int]]:
        """Return the number of games, and of distinct ones, of each line-up.

        A line-up is the agents of a game in ascending order, wherever they sat.
        """
        contents: dict[tuple[int, ...], list[int]] = {}
        ends = np.searchsorted(self.seat_game, np.arange(1, self.games))
        seated = np.split(self.seat_agent, ends) if self.games else []
        for agents, content in zip(seated, self.content, strict=True):
            line_up = tuple(sorted(agents.tolist()))
            contents.setdefault(line_up, []).append(int(content))
        return {who: (len(all_), len(set(all_))) for who, all_ in contents.items()}

    def of_setting(self, setting: int) -> "Columns":
        """Return the games of one setting, with all the agents."""
        games = self.game_setting == setting
        seats = games[self.seat_game]
        return Columns(
            agents=self.agents,
            settings=(self.settings[setting],),
            game_setting=np.zeros(games.sum(), np.int64),
            seat_game=(np.cumsum(games) - 1)[self.seat_game[seats]],
            seat_agent=self.seat_agent[seats],
            seat_team=self.seat_team[seats],
            result=self.result[seats],
            win=self.win[seats],
            rank=self.rank[seats],
            score=self.score[seats],
            simulations=self.simulations[seats],
            searches=self.searches[seats],
            depth=self.depth[seats],
            decisions=self.decisions[seats],
            seconds=self.seconds[np.repeat(seats, self.decisions)],
            content=self.content[games],
        )

    def entries(self) -> np.ndarray:
        """Return which seats count: one for each agent in each team of each game.

        Team mates win, draw and lose as one, so that what they did is one observation.
        In a game without teams every seat is counted.

        Returns:
            Bool of shape (seats,): the first of such seats.
        """
        place = self.seat_game * MAX_PLAYERS + self.seat_team
        _, first = np.unique(
            place * len(self.agents) + self.seat_agent, return_index=True
        )
        counted = np.zeros(len(self.seat_game), bool)
        counted[first] = True
        return counted

    def teams(self) -> np.ndarray:
        """Return the number of teams in each game, int64 of shape (games,)."""
        place = np.unique(self.seat_game * MAX_PLAYERS + self.seat_team)
        return np.bincount(place // MAX_PLAYERS, minlength=self.games)

    def lengths(self) -> np.ndarray:
        """Return the length of each game: the most decisions made by one seat.

        Where all decide at once, and somebody does on every step, these are the steps.

        Returns:
            Int64 of shape (games,).
        """
        most = np.zeros(self.games, np.int64)
        np.maximum.at(most, self.seat_game, self.decisions)
        return most

    def comparisons(self) -> csr_array:
        """Return the placements of all pairs of seats in each game.

        Of an agent's seats in one team a single one is taken, and none are compared
        with team mates.

        Returns:
            Float64 of shape (games, agents * agents): at `i * agents + j` the number of
            pairs of seats in which agent i came before agent j, equal places half for
            each. Two seats of the same agent are left out.
        """
        count = len(self.agents)
        counted = self.entries()
        game, rank = self.seat_game[counted], self.rank[counted]
        agent, team = self.seat_agent[counted], self.seat_team[counted]
        first = np.searchsorted(game, np.arange(self.games))
        seats = np.bincount(game, minlength=self.games)
        games, cells, shares = [], [], []
        for players in np.unique(seats):
            chosen = np.flatnonzero(seats == players)
            for a in range(players):
                for b in range(players):
                    one, other = first[chosen] + a, first[chosen] + b
                    i, j = agent[one], agent[other]
                    share = (rank[one] < rank[other]) + 0.5 * (rank[one] == rank[other])
                    kept = (i != j) & (team[one] != team[other]) & (share > 0)
                    games.append(chosen[kept])
                    cells.append((i * count + j)[kept])
                    shares.append(share[kept])
        if not games:
            return csr_array((self.games, count * count))
        where = (np.concatenate(games), np.concatenate(cells))
        return csr_array(
            (np.concatenate(shares), where), shape=(self.games, count * count)
        )


def columns_of(games: Iterable[GameRecord], agents: Sequence[str] = ()) -> Columns:
    """Return games as columns.

    Args:
        games: In any order.
        agents: Names in the order in which they are to be shown, also of agents who
            have not played yet; those it lacks follow by name.
    """
    games = sorted(games, key=_place)
    played = {seat.agent for game in games for seat in game.seats}
    names = (*dict.fromkeys(agents), *sorted(played - set(agents)))
    settings = tuple(dict.fromkeys(game.setting for game in games))
    agent_number = {name: n for n, name in enumerate(names)}
    setting_number = {setting: n for n, setting in enumerate(settings)}
    seats = [seat for game in games for seat in game.seats]
    return Columns(
        agents=names,
        settings=settings,
        game_setting=_integers(setting_number[game.setting] for game in games),
        seat_game=np.repeat(
            np.arange(len(games)), _integers(len(game.seats) for game in games)
        ),
        seat_agent=_integers(agent_number[seat.agent] for seat in seats),
        seat_team=_integers(seat.team for seat in seats),
        result=_integers(RESULTS.index(seat.result) for seat in seats),
        win=np.array([seat.win for seat in seats], np.float64),
        rank=np.array([seat.rank for seat in seats], np.float64),
        score=np.array([seat.score for seat in seats], np.float64),
        simulations=_integers(seat.simulations for seat in seats),
        searches=_integers(seat.searches for seat in seats),
        depth=np.array([seat.depth for seat in seats], np.float64),
        decisions=_integers(len(seat.seconds) for seat in seats),
        seconds=np.concatenate(
            [np.zeros(0, np.float32), *(seat.seconds for seat in seats)]
        ),
        content=_numbered(_what_happened(game) for game in games),
    )


def _numbered(values: Iterable[Hashable]) -> np.ndarray:
    """Return a number for each value, equal ones the same, int64."""
    numbers: dict[Hashable, int] = {}
    return _integers(numbers.setdefault(value, len(numbers)) for value in values)


def _integers(values: Iterable[int]) -> np.ndarray:
    return np.fromiter(values, np.int64)


def _seating(game: GameRecord) -> tuple[str, ...]:
    return tuple(seat.agent for seat in game.seats)


def _what_happened(game: GameRecord) -> tuple:
    """Return what two games have in common of which one is the other once more."""
    scores = tuple(seat.score for seat in game.seats)
    return game.setting, _seating(game), game.moves, scores


def _place(game: GameRecord) -> tuple:
    """Return where a game stands, whichever process ended it at whatever time."""
    at = game.setting
    order = (at.game, at.players, budget_order(at.budget))
    return (*order, game.round, game.seed, _seating(game))
