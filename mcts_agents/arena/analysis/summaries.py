"""Results of the agents of a tournament, by setting and overall."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mcts_agents.arena.analysis.game_columns import RESULTS, Columns, columns_of
from mcts_agents.arena.analysis.intervals import UNKNOWN, Estimate, mean, wilson
from mcts_agents.arena.analysis.ratings import RESAMPLES, ratings, separated
from mcts_agents.arena.playing.fixtures import GameRecord, Setting
from mcts_agents.names import MOST_ARGUMENT, shortened

# The share of distinct games from which games do not count as repeated.
DISTINCT = 0.9

# What it means that games repeat each other.
REPEATED = (
    "Agents that use no chance play the same games again, and then the intervals are "
    "too narrow. In a small game, agents that use chance may also play a game twice: "
    "then the intervals are right."
)


@dataclass(frozen=True)
class DecisionTimes:
    """Times of an agent's decisions in milliseconds; None without any."""

    count: int
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class AgentFigures:
    """The results of one agent.

    Attributes:
        agent: Its name.
        games: Seats it played: a game in which it sat twice counts twice. Seats of one
            team are one.
        wins: Its wins, ties split.
        win_rate: Wins for each seat, with a Wilson interval.
        won: How often it won, alone or with others, with a Wilson interval.
        drawn: How often it drew, likewise.
        lost: How often it lost, likewise.
        expected: The win rate if all were equally strong: 1 over the number of players,
            or of teams; None without games.
        mean_rank: Mean place, from 1.
        mean_score: Mean score; unknown over more than one game, whose scores have
            nothing to do with each other.
        rating: See `arena/analysis/ratings.py`; without an interval in a single
            setting.
        decisions: Times of its decisions.
        length: Mean length of its games, see `Columns.lengths`; unknown over more than
            one game.
        simulations_per_second: Simulations over the time of all its decisions; None if
            it does not search.
        depth: Mean over its searches of the longest path in the tree, in decisions;
            None if it does not search.
    """

    agent: str
    games: int
    wins: float
    win_rate: Estimate
    won: Estimate
    drawn: Estimate
    lost: Estimate
    expected: float | None
    mean_rank: Estimate
    mean_score: Estimate
    rating: Estimate
    decisions: DecisionTimes
    length: Estimate
    simulations_per_second: float | None
    depth: float | None

    def __repr__(self) -> str:
        """Show the rates and the mean score, each with its interval, in one line."""
        rates = f"win rate {self.win_rate}, mean score {self.mean_score}"
        named = shortened(repr(self.agent), MOST_ARGUMENT)
        return f"<AgentFigures of {named}: {self.games} seats, {rates}>"


@dataclass(frozen=True)
class Figures:
    """The agents' results in one setting, or overall.

    Attributes:
        setting: Which one; None for all.
        games: Number of games.
        distinct_games: Number of games that differ in setting, seating, moves or
            scores.
        agents: One for each agent, in the tournament's order.
        before: How often the row's agent was placed before the column's in games that
            they shared, equal places half: float64 of shape (agents, agents).
        groups: Whether there are groups of agents that never met.
        one_sided: Whether some agents never came behind others they met; ratings have
            no intervals then.
    """

    setting: Setting | None
    games: int
    distinct_games: int
    agents: tuple[AgentFigures, ...]
    before: np.ndarray
    groups: bool
    one_sided: bool

    def __repr__(self) -> str:
        """Show the setting and how much was played, in one line."""
        setting = "all settings" if self.setting is None else self.setting.game
        named = shortened(setting, MOST_ARGUMENT)
        return f"<Figures of {named}: {len(self.agents)} agents, {self.games} games>"

    @property
    def scored(self) -> bool:
        """Whether any score was not 0, as none is in games without points."""
        means = [agent.mean_score for agent in self.agents]
        return any(mean.value or mean.low for mean in means)

    @property
    def meetings(self) -> np.ndarray:
        """Number of pairs of seats, or teams, of the row's and the column's agent."""
        return self.before + self.before.T

    def best(self) -> list[int]:
        """Return the best agent, and all whose 95% intervals overlap its interval.

        Numbers of agents, the highest win rate first; empty without games. Rates of
        agents who meet each other are apart at a 95% level, or more, if their
        intervals are.
        """
        played = [n for n, agent in enumerate(self.agents) if agent.games]
        played.sort(key=lambda n: -self.agents[n].win_rate.value)
        return [
            n
            for n in played
            if self.agents[n].win_rate.high >= self.agents[played[0]].win_rate.low
        ]


@dataclass(frozen=True)
class Repetition:
    """A line-up of agents whose games repeat each other: fewer than 90% are distinct.

    See `REPEATED` for what it means: intervals take games to be independent.

    Attributes:
        setting: Where they met.
        agents: Who met, in the tournament's order.
        games: How often.
        distinct_games: Number of these games that differ in seating, moves or scores.
    """

    setting: Setting
    agents: tuple[str, ...]
    games: int
    distinct_games: int


@dataclass(frozen=True)
class Summary:
    """The results of a tournament.

    Attributes:
        overall: Figures of all games.
        settings: Figures of each setting, by game, players and budget.
        repetitions: Where games repeat each other, those that do so most first.
    """

    overall: Figures
    settings: tuple[Figures, ...]
    repetitions: tuple[Repetition, ...]

    def __repr__(self) -> str:
        """Show how much was played, in one line."""
        agents, settings = len(self.overall.agents), len(self.settings)
        return f"<Summary: {agents} agents, {settings} settings, {self.games} games>"

    @property
    def games(self) -> int:
        """Number of games."""
        return self.overall.games

    @property
    def distinct_games(self) -> int:
        """See `Figures.distinct_games`."""
        return self.overall.distinct_games

    @property
    def alone(self) -> bool:
        """Whether all games have one player, who can only earn a score."""
        players = {figures.setting.players for figures in self.settings}
        return players == {1}


def summarise(
    games: Iterable[GameRecord],
    agents: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Summary:
    """Return the results of games; their order does not matter.

    Args:
        games: Of one tournament, finished or not.
        agents: Names in the order in which they are to be shown.
        resamples: Bootstrap resamples behind the intervals of ratings.
        seed: Seed of these.
    """
    columns = columns_of(games, agents)
    by_setting = {
        setting: columns.of_setting(number)
        for number, setting in enumerate(columns.settings)
    }
    return Summary(
        overall=_figures(columns, None, resamples, seed),
        settings=tuple(
            _figures(part, setting, 0, seed) for setting, part in by_setting.items()
        ),
        repetitions=_repetitions(by_setting),
    )


def _repetitions(by_setting: Mapping[Setting, Columns]) -> tuple[Repetition, ...]:
    found = [
        Repetition(setting, tuple(part.agents[n] for n in line_up), games, distinct)
        for setting, part in by_setting.items()
        for line_up, (games, distinct) in part.line_ups().items()
        if distinct < DISTINCT * games
    ]
    return tuple(sorted(found, key=lambda those: those.distinct_games / those.games))


def _figures(
    columns: Columns, setting: Setting | None, resamples: int, seed: int
) -> Figures:
    count = len(columns.agents)
    comparisons = columns.comparisons()
    before = comparisons.sum(axis=0).reshape(count, count)
    groups, one_sided = separated(before)
    # No resample of the games says how far apart agents are that never came behind.
    rated = ratings(comparisons, count, 0 if one_sided else resamples, seed)
    counted = columns.entries()
    equal = 1.0 / columns.teams()[columns.seat_game]
    decider = np.repeat(columns.seat_agent, columns.decisions)
    return Figures(
        setting=setting,
        games=columns.games,
        distinct_games=columns.distinct_games,
        agents=tuple(
            _agent(
                columns,
                agent,
                rated[agent],
                counted,
                equal,
                columns.seconds[decider == agent],
            )
            for agent in range(count)
        ),
        before=before,
        groups=groups,
        one_sided=one_sided,
    )


def _agent(
    columns: Columns,
    agent: int,
    rating: Estimate,
    counted: np.ndarray,
    equal: np.ndarray,
    seconds: np.ndarray,
) -> AgentFigures:
    seats = columns.seat_agent == agent
    entries = seats & counted
    games = int(entries.sum())
    game = columns.seat_game[entries]
    wins = math.fsum(columns.win[entries])  # thirds and halves add up to whole wins
    simulations = int(columns.simulations[seats].sum())
    searches = columns.searches[seats]
    time = float(seconds.sum(dtype=np.float64))
    searched = int(searches.sum())
    won, drawn, lost = np.bincount(columns.result[entries], minlength=len(RESULTS))
    one_game = len({setting.game for setting in columns.settings}) == 1
    return AgentFigures(
        agent=columns.agents[agent],
        games=games,
        wins=wins,
        win_rate=wilson(wins, games),
        won=wilson(int(won), games),
        drawn=wilson(int(drawn), games),
        lost=wilson(int(lost), games),
        expected=float(equal[entries].mean()) if games else None,
        mean_rank=mean(columns.rank[entries], game),
        mean_score=mean(columns.score[seats], columns.seat_game[seats])
        if one_game
        else UNKNOWN,
        rating=rating,
        decisions=_times(seconds),
        length=mean(columns.lengths()[game], game) if one_game else UNKNOWN,
        simulations_per_second=simulations / time if simulations and time else None,
        depth=(
            float((columns.depth[seats] * searches).sum()) / searched
            if searched
            else None
        ),
    )


def _times(seconds: np.ndarray) -> DecisionTimes:
    if not len(seconds):
        return DecisionTimes(0)
    times = 1000.0 * seconds.astype(np.float64)
    p50, p90, p99 = (float(p) for p in np.percentile(times, [50, 90, 99]))
    return DecisionTimes(
        len(times), float(times.mean()), p50, p90, p99, float(times.max())
    )
