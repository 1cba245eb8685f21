"""Team games in the arena: a team is one competitor."""

import dataclasses
import itertools
import json
from collections import Counter

import pytest

from mcts_agents.arena.analysis.game_columns import columns_of
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.fixtures import Setting
from mcts_agents.arena.playing.match import places, win_shares
from mcts_agents.arena.reports.pictures import win_rates
from mcts_agents.arena.reports.report import render_report
from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.model import DRAWN, LOST, WON
from tests.arena.playing import Here
from tests.arena.synthetic import played, record

POMMERMAN = "pommerman:mode=team,max_steps=40"
PAIRS = (0, 1, 0, 1)


@pytest.mark.parametrize(
    ("results", "teams", "shares", "ranks"),
    [
        ([WON, LOST] * 2, PAIRS, [1, 0, 1, 0], [1, 2, 1, 2]),
        ([DRAWN] * 4, PAIRS, [0.5] * 4, [1.5] * 4),
        ([LOST] * 4, PAIRS, [0] * 4, [1.5] * 4),
        ([LOST, WON, WON, WON], (1, 0, 0, 0), [0, 1, 1, 1], [2, 1, 1, 1]),
        # Three teams, two of which draw; two of which win.
        ([DRAWN, LOST, DRAWN, DRAWN], (0, 1, 2, 2), [1 / 2, 0, 1 / 2, 1 / 2],
         [1.5, 3, 1.5, 1.5]),
        ([WON, LOST, WON, LOST], (0, 1, 2, 1), [1 / 2, 0, 1 / 2, 0], [1.5, 3, 1.5, 3]),
    ],
)  # fmt: skip
def test_shares_and_places_are_those_of_teams(results, teams, shares, ranks):
    assert win_shares(results, teams) == shares
    # By result alone: who of a team is alive does not matter.
    for scores in ([0] * 4, [1, 0, 0, 1], [0, 5, 0, 0]):
        assert places(results, scores, teams) == ranks


# -- who plays whom


def tournament(agents, **keys):
    return TournamentSpec(
        games=[POMMERMAN], agents=dict.fromkeys("abcde"[:agents], "random"), **keys
    )


def names(fixture):
    return "".join(entrant.name[0] for entrant in fixture.seats)


def test_two_agents_play_a_team_each():
    played = list(Schedule(tournament(2, games_each=6)))
    found = [names(fixture) for fixture in played]
    assert Counter(found) == {"abab": 3, "baba": 3}
    # In every two games both sides.
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert {first, second} == {"abab", "baba"}
    assert len({fixture.seed for fixture in played}) == 6


@pytest.mark.parametrize("agents", [3, 4, 5])
def test_round_robin_is_one_of_teams(agents):
    pairs = list(itertools.permutations("abcde"[:agents], 2))
    played = Schedule(tournament(agents, games_each=2 * len(pairs), seed=3))
    found = Counter(map(names, played))
    assert found == {one + other + one + other: 2 for one, other in pairs}


def test_one_team_against_the_field():
    spec = tournament(
        3, games_each=12, design="one-against-field", field="one-step:samples=1"
    )
    found = Counter(map(names, Schedule(spec)))
    assert found == {
        line: 2 for agent in "abc" for line in (f"{agent}f" * 2, f"f{agent}" * 2)
    }


def test_all_sides_from_the_same_deal():
    played = list(Schedule(tournament(3, games_each=12, design="all-seats")))
    found = Counter(map(names, played))
    pairs = itertools.permutations("abc", 2)
    assert found == {one + other + one + other: 2 for one, other in pairs}
    deals = Counter(
        (fixture.seed, "".join(sorted(names(fixture)))) for fixture in played
    )
    assert set(deals.values()) == {2}
    assert len(deals) == 6
    with pytest.raises(SettingError, match="has 6 orders of seats"):
        Schedule(tournament(3, games_each=13, design="all-seats"))
    with pytest.raises(SettingError, match="one agent cannot play round-robin"):
        Schedule(tournament(1))


# -- what the games show


TWO, FOUR = Setting("hex", 2), Setting("hex", 4)


def in_teams(game):
    """The game of two as one between two teams of two."""
    first, second = game.seats
    seats = [
        dataclasses.replace(seat, team=number % 2)
        for number, seat in enumerate((first, second, first, second))
    ]
    return dataclasses.replace(game, setting=FOUR, seats=tuple(seats))


def test_a_team_counts_as_a_player_does():
    """Games between teams show what the same games between two players show."""
    games = played(TWO, [-0.5, 0.0, 0.2, 0.6], 60, levels=3)
    games.append(record(TWO, 99, 99, ["agent-0", "agent-0"], [1.0, 0.0]))
    alone = summarise(games, resamples=50).overall
    teams = summarise(map(in_teams, games), resamples=50).overall
    assert (alone.before == teams.before).all()
    for one, other in zip(alone.agents, teams.agents, strict=True):
        assert other.expected == 0.5
        for name in ("games", "wins", "win_rate", "expected", "mean_rank", "rating"):
            assert getattr(one, name) == getattr(other, name)
        assert other.mean_score.value == pytest.approx(one.mean_score.value)
        assert other.mean_score.low == pytest.approx(one.mean_score.low)
        # Every decision is one of its own.
        assert other.decisions.count == 2 * one.decisions.count
    assert (teams.meetings.sum(axis=1) == [a.games for a in alone.agents]).sum() >= 3
    mixed = summarise([*games, *map(in_teams, games)], resamples=0)
    assert [f.agents[0].expected for f in mixed.settings] == [0.5, 0.5]


def test_team_mates_are_not_compared():
    """a and b, who share a team, won against a pair of c."""
    game = record(FOUR, 0, 0, ["a", "c", "b", "c"], [1.0, 0.0] * 2, teams=PAIRS)
    columns = columns_of([game])
    assert columns.comparisons().toarray().reshape(3, 3).tolist() == [
        [0, 0, 1],
        [0, 0, 1],
        [0, 0, 0],
    ]
    assert columns.entries().tolist() == [True, True, True, False]
    assert columns.teams().tolist() == [2]
    figures = summarise([game]).overall.agents
    assert [(f.games, f.wins) for f in figures] == [(1, 1), (1, 1), (1, 0)]
    assert [game.wins(name) for name in "abcd"] == [1, 1, 0, 0]
    assert game.team_count == 2


def test_even_strength_in_pictures_is_that_of_teams():
    games = played(TWO, [0.0, 0.0], 20)
    alone, teams = (
        win_rates(summarise(records, resamples=0).settings)
        for records in (games, map(in_teams, games))
    )
    assert alone == teams.replace("4 players", "2 players")


# -- games that are really played


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("teams") / "s.db"
    spec = TournamentSpec(
        games=[POMMERMAN],
        agents={"random": "random", "other": "random"},
        games_each=8,
        seed=2,
    )
    schedule = prepare(spec)
    with open_store(path, schedule) as opened:
        run_tournament(schedule, opened, Here())
    return path


def test_a_tournament_of_teams(store):
    results = read_results(store)
    assert results.complete
    assert not results.failures
    wins = Counter()
    for game in results.games:
        one, other = game.seats[:2]
        assert [seat.team for seat in game.seats] == [0, 1, 0, 1]
        assert [s.agent for s in game.seats] == [one.agent, other.agent] * 2
        assert {one.agent, other.agent} == {"random", "other"}
        for mate, seat in zip(game.seats[2:], (one, other), strict=True):
            assert (mate.result, mate.win, mate.rank) == (
                seat.result, seat.win, seat.rank,
            )  # fmt: skip
        assert one.win + other.win == 1
        assert one.rank + other.rank == 3
        wins.update({one.agent: one.win, other.agent: other.win})
    overall = results.summary.overall
    for figures in overall.agents:
        assert figures.games == 8
        assert figures.wins == wins[figures.agent]
        assert figures.expected == 0.5
    assert sum(agent.rating.value for agent in overall.agents) == pytest.approx(3000)
    assert overall.meetings[0, 1] == 8
    assert len({game.seats[0].agent for game in results.games}) == 2
    page = render_report(results)
    assert "<td>8</td>" in page
    assert "50.0" in page


def test_what_the_command_line_tells(store, run_here, tmp_path):
    shown = json.loads(run_here("results", str(store), "--json").stdout)
    assert [a["games"] for a in shown["agents"]] == [8, 8]
    assert [a["expected"] for a in shown["agents"]] == [0.5, 0.5]
    path = tmp_path / "rows.csv"
    told = run_here("export", str(store), "--output", str(path)).stdout
    assert told == f"{path}: 32 rows, {path.stat().st_size:,} bytes\n"
    head, *rows = path.read_text().splitlines()
    column = head.split(",").index("team")
    assert len(rows) == 32
    assert {row.split(",")[column] for row in rows if '"' not in row} <= {"0", "1"}


def test_agents_are_dealt_to_teams(run_here):
    arguments = ["play", POMMERMAN, "--seed", "1", "--json"]
    found = {}
    for agents in (["random"], ["random", "one-step:samples=1"], ["random"] * 4):
        named = [word for agent in agents for word in ("--agent", agent)]
        found[len(agents)] = json.loads(run_here(*arguments, *named).stdout)["agents"]
    assert found[1] == found[4] == ["random"] * 4
    assert found[2] == ["random", "one-step:samples=1"] * 2
    three = run_here(*arguments, *["--agent", "random"] * 3)
    assert "one for each of 2 teams or one for each" in three.stderr
