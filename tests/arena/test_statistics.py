"""What a tournament shows, counted again in plain loops and by other libraries."""

import dataclasses
import itertools
import random

import numpy as np
import pytest
from scipy import stats

from mcts_agents.arena.analysis.game_columns import columns_of
from mcts_agents.arena.analysis.intervals import mean, wilson
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.playing.budgets import budget_order
from mcts_agents.arena.playing.fixtures import Entrant, Fixture, Setting
from mcts_agents.arena.playing.match import play_fixture
from tests.arena.synthetic import names, played, record, tournament

SETTING = Setting("sushi-go", 3, "40ms")


@pytest.mark.parametrize("games", [1, 2, 7, 40, 1000])
def test_wilson_is_scipys_for_whole_wins(games):
    for wins in {0, 1, games // 3, games // 2, games - 1, games}:
        theirs = stats.binomtest(wins, games).proportion_ci(0.95, method="wilson")
        ours = wilson(wins, games)
        assert ours.value == wins / games
        assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-12)
        assert 0.0 <= ours.low <= ours.value <= ours.high <= 1.0


def test_wilson_of_split_wins_lies_between_its_neighbours():
    ends = [wilson(wins, 30) for wins in (7, 7.5, 8)]
    assert ends[0].low < ends[1].low < ends[2].low
    assert ends[0].high < ends[1].high < ends[2].high
    assert wilson(0, 0).low is None


def test_mean_is_the_usual_one_with_one_value_a_game():
    values = np.random.default_rng(0).normal(2.0, 3.0, 50)
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    ours = mean(values, np.arange(50))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs))
    assert mean(values[:1], np.zeros(1)).low is None


def test_values_of_one_game_count_once():
    """Every value written down twice says nothing new."""
    values = np.random.default_rng(1).normal(size=40)
    single = mean(values, np.arange(40))
    twice = mean(np.repeat(values, 2), np.repeat(np.arange(40), 2))
    assert dataclasses.astuple(twice) == pytest.approx(dataclasses.astuple(single))


def test_intervals_cover_what_is_true():
    """Of 95% intervals of known rates and ranks about 95% hold the truth."""
    held = {"rate": 0, "rank": 0}
    trials = 200
    for trial in range(trials):
        # Equal strength: each wins 1 in 3 and comes second on average.
        games = played(SETTING, [0.0, 0.0, 0.0], 60, seed=1000 + trial)
        figures = summarise(games, resamples=0).overall.agents[0]
        held["rate"] += figures.win_rate.low <= 1 / 3 <= figures.win_rate.high
        held["rank"] += figures.mean_rank.low <= 2.0 <= figures.mean_rank.high
    # 3 standard errors of a binomial with 200 trials are 4.6%.
    assert all(0.904 < count / trials < 0.996 for count in held.values()), held


def test_figures_are_those_of_plain_loops():
    games = tournament(agents=4, games=30, players=(2, 3), levels=4)
    # An agent that sits twice: both seats count, but it does not meet itself.
    twice = ["agent-0", "agent-1", "agent-0"]
    games.append(record(SETTING, 99, 99, twice, [5.0, 1.0, 1.0]))
    summary = summarise(games, resamples=0)
    assert summary.games == summary.distinct_games == 61
    for figures in (summary.overall, *summary.settings):
        chosen = [g for g in games if figures.setting in (None, g.setting)]
        assert figures.games == len(chosen)
        for row, ours in enumerate(figures.agents):
            seats = [
                (game, seat)
                for game in chosen
                for seat in game.seats
                if seat.agent == ours.agent
            ]
            assert ours.games == len(seats)
            assert ours.wins == pytest.approx(sum(s.win for _, s in seats))
            assert ours.expected == pytest.approx(
                np.mean([1 / len(game.seats) for game, _ in seats])
            )
            for result in ("won", "drawn", "lost"):
                theirs = sum(seat.result == result for _, seat in seats)
                assert getattr(ours, result) == wilson(theirs, len(seats))
            assert ours.length.value == pytest.approx(
                np.mean([max(len(s.seconds) for s in g.seats) for g, _ in seats])
            )
            assert ours.mean_rank.value == pytest.approx(
                np.mean([s.rank for _, s in seats])
            )
            assert ours.mean_score.value == pytest.approx(
                np.mean([s.score for _, s in seats])
            )
            times = 1000 * np.concatenate([s.seconds for _, s in seats]).astype(float)
            assert ours.decisions.count == len(times)
            assert ours.decisions.p90 == pytest.approx(np.percentile(times, 90))
            assert ours.decisions.max == pytest.approx(times.max())
            assert ours.simulations_per_second == pytest.approx(
                1000 * sum(s.simulations for _, s in seats) / times.sum()
            )
            assert ours.depth == pytest.approx(np.mean([s.depth for _, s in seats]))
            for column, other in enumerate(figures.agents):
                assert figures.before[row, column] == _before(
                    chosen, ours.agent, other.agent
                )
        assert (figures.meetings == figures.meetings.T).all()


def _before(games, row, column):
    if row == column:
        return 0
    return sum(
        1.0 if one.rank < other.rank else 0.5 if one.rank == other.rank else 0.0
        for game in games
        for one, other in itertools.permutations(game.seats, 2)
        if (one.agent, other.agent) == (row, column)
    )


def test_ties_and_games_of_different_lengths():
    """A game lasts as long as the seat that decided most; who is out decides less."""
    games = played(SETTING, [0.0, 0.0, 0.0], 2)
    drawn = [dataclasses.replace(s, result="drawn") for s in games[0].seats[:2]]
    late = np.zeros(5, np.float32)
    drawn[0] = dataclasses.replace(drawn[0], agent="late", seconds=late)
    games[0] = dataclasses.replace(games[0], seats=(*drawn, games[0].seats[2]))
    figures = {a.agent: a for a in summarise(games, resamples=0).overall.agents}
    assert figures["late"].drawn.value == 1.0
    assert figures["late"].length.value == 5.0
    other = figures[games[0].seats[2].agent]
    assert other.length.value == 4.0  # 5 decisions, and 3 in the other game


def test_the_order_in_which_games_ended_does_not_matter():
    games = tournament(games=20, players=(2, 4), budgets=("40ms", "1s"), levels=3)
    shuffled = random.Random(0).sample(games, len(games))
    assert repr(summarise(games, resamples=50)) == repr(
        summarise(shuffled, resamples=50)
    )


def test_settings_stand_in_order():
    budgets = ["1s", "200ms", "1000", "", "9calls", "40ms", "99", "2s"]
    assert sorted(budgets, key=budget_order) == [
        "", "99", "1000", "40ms", "200ms", "1s", "2s", "9calls",
    ]  # fmt: skip


def test_agents_stand_in_the_order_asked_for_and_then_by_name():
    games = played(SETTING, [0, 0, 0, 0], 10)
    columns = columns_of(games, ["agent-2", "newcomer"])
    assert columns.agents == ("agent-2", "newcomer", "agent-0", "agent-1", "agent-3")
    newcomer = summarise(games, ["agent-2", "newcomer"]).overall.agents[1]
    assert newcomer.games == newcomer.wins == newcomer.decisions.count == 0
    assert newcomer.win_rate.value is None
    assert newcomer.mean_rank.value is newcomer.expected is newcomer.depth is None


def test_the_same_game_twice_is_one_distinct_game():
    games = played(SETTING, [0, 0, 0], 5)
    assert summarise([*games, games[0]], resamples=0).distinct_games == 5
    # The same moves in other seats are another game.
    other = dataclasses.replace(games[0], seats=games[0].seats[::-1])
    assert summarise([*games, other], resamples=0).distinct_games == 6


def test_nothing_played():
    summary = summarise([], names(3), resamples=20)
    assert summary.games == summary.distinct_games == 0
    assert summary.settings == ()
    assert [figures.agent for figures in summary.overall.agents] == names(3)
    assert not summary.overall.meetings.any()
    assert summarise([]).overall.agents == ()


def test_of_games_that_were_played():
    setting = Setting("tictactoe", 2, "50")
    entrants = (
        Entrant("search", '{"agent": "mcts", "simulations": 50}'),
        Entrant("random", '{"agent": "random"}'),
    )
    games = [
        play_fixture(Fixture(n + 1, setting, n, n, entrants[:: 1 - 2 * (n % 2)]))
        for n in range(6)
    ]
    search, chance = summarise(games, ["search", "random"]).overall.agents
    assert search.games == chance.games == 6
    assert search.wins + chance.wins == 6
    assert search.win_rate.value > 0.5 > chance.win_rate.value
    assert search.simulations_per_second > 0
    assert 1 <= search.depth <= 9
    assert chance.simulations_per_second is chance.depth is None
    assert 0 < chance.decisions.p50 <= chance.decisions.max
