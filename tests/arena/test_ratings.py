"""Ratings against an independent fit, and against choix on rows read from a file."""

import csv
import dataclasses
import itertools
import math

import choix
import numpy as np
import pytest
from scipy import optimize

from mcts_agents.arena.analysis.game_columns import columns_of
from mcts_agents.arena.analysis.ratings import (
    ALPHA,
    MEAN,
    SCALE,
    ratings,
    separated,
    strengths,
)
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.playing.fixtures import Setting
from tests.arena.synthetic import names, played, record, tournament

SETTING = Setting("sushi-go", 3, "40ms")


def pairs(games, agents):
    """How often each agent came before each other, in plain loops."""
    number = {name: n for n, name in enumerate(agents)}
    wins = np.zeros((len(agents), len(agents)))
    for game in games:
        for one, other in itertools.permutations(game.seats, 2):
            if one.agent != other.agent:
                share = (one.rank < other.rank) + 0.5 * (one.rank == other.rank)
                wins[number[one.agent], number[other.agent]] += share
    return wins


def fitted(wins, alpha):
    """The maximum of the likelihood with the prior behind `alpha`, by scipy.

    The chain's balance with rates alpha added is the gradient of the log likelihood of
    the pairs and of alpha * n * sum(theta - exp(theta)); the mean of exp(theta) is 1.
    """
    count = len(wins)

    def loss(theta):
        odds = theta[:, None] - theta[None, :]
        likelihood = -(wins * np.logaddexp(0.0, -odds)).sum()
        return -likelihood - alpha * count * (theta - np.exp(theta)).sum()

    found = optimize.minimize(loss, np.zeros(count), method="BFGS", tol=1e-9)
    return found.x - found.x.mean()


@pytest.mark.parametrize("levels", [None, 4], ids=["no ties", "ties"])
@pytest.mark.parametrize("games", [12, 300])
def test_an_independent_maximum_of_the_likelihood(games, levels):
    records = tournament(agents=5, games=games, players=(2, 4), levels=levels)
    wins = pairs(records, names(5))
    rated = [agent.rating for agent in summarise(records).overall.agents]
    expected = MEAN + SCALE * fitted(wins, ALPHA)
    assert [r.value for r in rated] == pytest.approx(expected, abs=0.02)
    # The prior moves nothing that enough games tell.
    if games == 300:
        bare = MEAN + SCALE * fitted(wins, 0.0)
        assert [r.value for r in rated] == pytest.approx(bare, abs=0.5)


def test_choix_on_exported_rows(tmp_path):
    from mcts_agents.arena.reports.export import export_rows

    records = tournament(agents=4, games=100, players=(3, 4), levels=5)
    export_rows(records, tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    number = {name: n for n, name in enumerate(names(4))}
    before, ties = [], []
    for _, seats in itertools.groupby(
        rows, lambda row: (row["game"], row["players"], row["budget"], row["round"])
    ):
        for one, other in itertools.combinations(list(seats), 2):
            i, j = number[one["agent"]], number[other["agent"]]
            if float(one["rank"]) == float(other["rank"]):
                ties += [(i, j), (j, i)]
            else:
                first = float(one["rank"]) < float(other["rank"])
                before += [(i, j) if first else (j, i)] * 2
    # Ties are half a win each, so that everything counts twice; the prior does, too.
    theirs = choix.opt_pairwise(4, before + ties, alpha=0.0)
    ours = [agent.rating.value for agent in summarise(records).overall.agents]
    assert ours == pytest.approx(MEAN + SCALE * theirs, abs=0.5)


def test_plackett_luce_of_known_strengths():
    """Both the strengths and the library's Plackett-Luce fit lie in the intervals."""
    truth = np.linspace(-0.6, 0.6, 5)
    records = tournament(agents=5, games=800, players=(4,))
    rankings = [
        [
            int(seat.agent.removeprefix("agent-"))
            for seat in sorted(game.seats, key=lambda seat: seat.rank)
        ]
        for game in records
    ]
    full = MEAN + SCALE * choix.ilsr_rankings(5, rankings)
    for rated, fit, true in zip(
        (agent.rating for agent in summarise(records).overall.agents),
        full,
        MEAN + SCALE * truth,
        strict=True,
    ):
        assert rated.low < fit < rated.high
        assert rated.low - 5 < true < rated.high + 5
        assert rated.low < rated.value < rated.high


def test_intervals_cover_the_true_strength():
    truth = MEAN + SCALE * np.array([-0.5, 0.0, 0.5])
    held, trials = 0, 60
    for trial in range(trials):
        games = played(SETTING, [-0.5, 0.0, 0.5], 60, seed=trial)
        found = ratings(columns_of(games).comparisons(), 3, resamples=100)
        held += sum(
            r.low <= true <= r.high for r, true in zip(found, truth, strict=True)
        )
    assert 0.88 < held / (3 * trials) < 0.99


def test_four_hundred_points_are_odds_of_ten_to_one():
    values = strengths(np.array([[0.0, 10_000.0], [1_000.0, 0.0]]))
    assert SCALE * (values[0] - values[1]) == pytest.approx(400, abs=0.1)
    assert math.log(10) * SCALE == pytest.approx(400)


def test_the_same_games_give_the_same_figures():
    games = tournament(games=50)
    first, again, other = (summarise(games, resamples=100, seed=n) for n in (0, 0, 1))
    figures = [str(dataclasses.asdict(each)) for each in (first, again, other)]
    assert figures[0] == figures[1] != figures[2]


def test_who_always_wins_has_a_finite_rating():
    two = Setting("tictactoe", 2)
    games = [record(two, n, n, ["best", "worst"], [1.0, 0.0]) for n in range(50)]
    figures = summarise(games, ["best", "worst"]).overall
    best, worst = (agent.rating for agent in figures.agents)
    assert [best.low, best.high, worst.low, worst.high] == [None] * 4
    assert best.value > 1900 > 1100 > worst.value
    assert figures.one_sided
    assert not figures.groups


def test_groups_that_never_met():
    two = Setting("tictactoe", 2)
    games = [
        record(two, n, n, ["ab", "cd"][n % 2], [float(n % 3), 1.0]) for n in range(60)
    ]
    figures = summarise(games).overall
    assert figures.groups
    assert not figures.one_sided
    assert all(np.isfinite(agent.rating.value) for agent in figures.agents)


def test_who_met_nobody_has_no_rating():
    two = Setting("tictactoe", 2)
    games = played(two, [0.0, 0.3], 40, agents=["a", "b"])
    games += [record(two, 100 + n, n, ["c", "c"], [1.0, 0.0]) for n in range(5)]
    *rated, alone, absent = summarise(games, ["a", "b", "c", "d"]).overall.agents
    assert sum(agent.rating.value for agent in rated) == pytest.approx(2 * MEAN)
    assert alone.games == 10
    assert alone.rating.value is absent.rating.value is None


def test_one_game_has_no_interval():
    (game,) = played(SETTING, [0.0, 0.0, 0.0], 1)
    rated = summarise([game]).overall.agents[0].rating
    assert rated.value is not None
    assert rated.low is rated.high is None


def test_nothing_to_compare():
    assert separated(np.zeros((3, 3))) == (False, False)
    assert ratings(columns_of([]).comparisons(), 0) == []
