"""Random openings: games that differ, the same ones from the same seed, replayed."""

import json

import pytest
from pydantic import ValidationError

from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing import match
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.playing.fixtures import Entrant, Fixture, Setting
from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.arena.replay.replaying import OPENING, Replay
from mcts_agents.arena.reports.report import render_report
from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.store import StoreError
from mcts_agents.arena.tournaments.tournament import (
    open_store,
    prepare,
    run_tournament,
)
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.arena.tournaments.tuning import TuningSpec
from mcts_agents.cli.results import repeated, show_results
from mcts_agents.envs import environments, make_any

# It uses no chance: what it plays depends on the position alone.
ALPHABETA = "alphabeta:depth=2,value=evaluate"
HEX = "hex:size=4"


def fixture(seed, opening, game=HEX, players=2, agent="random"):
    kind, _, options = agent.partition(":")
    options = dict(part.split("=") for part in options.split(",") if part)
    spec = json.dumps({"agent": kind, **{k: _value(v) for k, v in options.items()}})
    seats = tuple(Entrant(f"a{seat}", spec) for seat in range(players))
    return Fixture(1, Setting(game, players), 0, seed, seats, opening)


def _value(text):
    return int(text) if text.isdigit() else text


def spec(**keys):
    agents = {"a": ALPHABETA, "b": "alphabeta:depth=1,value=evaluate"}
    return TournamentSpec(games="othello", agents=agents, **keys)


def test_agents_decide_after_the_opening_and_only_then():
    for opening in range(4):
        record = play_fixture(fixture(5, opening, "othello", agent=ALPHABETA))
        assert record.opening == opening
        decisions = sum(len(seat.seconds) for seat in record.seats)
        assert decisions == len(record.moves) - opening


def test_the_seed_decides_the_opening():
    first = [play_fixture(fixture(seed, 3)).moves for seed in range(8)]
    again = [play_fixture(fixture(seed, 3)).moves for seed in range(8)]
    assert first == again
    assert len(set(first)) > 4
    # All legal actions come up: 16 cells, each in one of 16 first decisions.
    seen = {play_fixture(fixture(s, 1)).moves[0][1] for s in range(200)}
    assert seen == set(range(16))


@pytest.mark.parametrize(
    ("game", "players", "opening"), [("sushi_go", 3, 4), ("love_letter", 4, 3)]
)
def test_games_of_hidden_and_simultaneous_decisions(game, players, opening):
    record = play_fixture(fixture(2, opening, game, players, "mcts:simulations=10"))
    assert record.opening == opening
    replay = Replay(record)
    assert list(replay.moments())[-1].over
    assert not replay.differences


def test_environments_of_others():
    game = "pettingzoo.classic.tictactoe_v3:env"
    record = play_fixture(fixture(2, 2, game))
    assert record.opening == 2


def test_a_replay_asks_nobody_in_the_opening():
    record = play_fixture(fixture(3, 2, agent="mcts:simulations=50"))
    replay = Replay(record)
    moves = [move for moment in replay.moments() for move in moment.moves]
    assert [move.agent for move in moves[:2]] == [OPENING, OPENING]
    assert all(move.search is None for move in moves[:2])
    assert {move.agent for move in moves[2:]} == {"a0", "a1"}
    assert all(move.search is not None for move in moves[2:])
    assert not replay.differences


def test_a_game_that_always_ends_in_its_opening_is_refused():
    with pytest.raises(ValueError, match=r"opening=9: .* is over before any .* of 100"):
        play_fixture(fixture(1, 9, "tictactoe"))


@pytest.mark.parametrize(
    ("game", "players", "opening"),
    [
        ("poker", 2, 4),
        ("nogo:size=3", 3, 6),
        ("pettingzoo.classic.tictactoe_v3:env:perfect_information=true", 2, 7),
    ],
)
def test_another_opening_is_drawn_where_one_ends_the_game(
    game, players, opening, monkeypatch
):
    ended = []
    for seed in range(20):
        with monkeypatch.context() as context:
            context.setattr(match, "MOST_DRAWN", 1)
            try:
                first = play_fixture(fixture(seed, opening, game, players)).moves
            except ValueError:
                first = ended.append(seed)
        record = play_fixture(fixture(seed, opening, game, players))
        assert record.opening == opening
        assert first in (None, record.moves)  # what did not end the game is kept
    assert ended
    # Whoever sits where, the game begins the same; and a replay finds it.
    others = play_fixture(
        fixture(ended[0], opening, game, players, "mcts:simulations=5")
    )
    again = play_fixture(fixture(ended[0], opening, game, players))
    assert again.moves[:opening] == others.moves[:opening]
    replay = Replay(again)
    assert list(replay.moments())[-1].over
    assert not replay.differences


def test_agents_without_chance_repeat_themselves_and_it_is_said(tmp_path, capsys):
    plain = [play_fixture(game) for game in prepare(spec(games_each=20))]
    summary = summarise(plain, resamples=0)
    assert summary.distinct_games == 2  # one for each order of seats
    (repetition,) = summary.repetitions
    assert (repetition.games, repetition.distinct_games) == (20, 2)
    for opening, repeats in ((0, True), (4, False)):
        path = tmp_path / f"{opening}.sqlite"
        schedule = prepare(spec(games_each=12, opening=opening))
        with open_store(path, schedule) as store:
            for game in schedule:
                store.add(play_fixture(game))
        show_results(path, as_json=False)
        told = " ".join(capsys.readouterr().out.split())
        said = (
            "a - b (othello, 2 players): only 2 of 12 games differ in moves or scores"
        )
        assert (said in told) == repeats
        assert (said in render_report(read_results(path))) == repeats
    results = read_results(path)
    assert results.description["opening"] == 4
    assert all(game.opening == 4 for game in results.games)


def test_repetition_is_found_in_the_line_up_and_the_setting_that_has_it():
    plain = [play_fixture(game) for game in prepare(spec(games_each=20))]
    others = TournamentSpec(
        games=[HEX, "othello"], agents={"c": "random", "d": "random"}, games_each=60
    )
    summary = summarise([*plain, *map(play_fixture, prepare(others))], resamples=0)
    assert (summary.games, summary.distinct_games) == (140, 122)
    (repetition,) = summary.repetitions
    assert repetition.agents == ("a", "b")
    assert repetition.setting == Setting("othello", 2)
    assert [(s.games, s.distinct_games) for s in summary.settings] == [
        (60, 60),
        (80, 62),
    ]


def test_agents_with_chance_in_a_small_game_are_not_accused():
    small = TournamentSpec(
        games="nogo:size=2", agents={"a": "random", "b": "one-step"}, games_each=60
    )
    summary = summarise(map(play_fixture, prepare(small)), resamples=0)
    (repetition,) = summary.repetitions
    assert repetition.distinct_games < 54
    told = repeated(summary.repetitions)
    assert "agents that use chance may also play a game twice" in told
    assert "repeat themselves" not in told


def test_a_store_goes_on_with_the_same_opening_only(tmp_path):
    path = tmp_path / "games.sqlite"
    schedule = prepare(spec(games_each=2, opening=2))
    with LocalBackend(1) as workers, open_store(path, schedule) as store:
        run_tournament(schedule, store, workers)
    with pytest.raises(StoreError, match="its opening is 2, not 0"):
        open_store(path, prepare(spec(games_each=4)))
    open_store(path, prepare(spec(games_each=4, opening=2))).close()


def test_stores_from_before_there_were_openings_go_on():
    assert "opening" not in spec().description()
    assert all(game.opening == 0 for game in Schedule(spec(games_each=3)))


@pytest.mark.parametrize("opening", [-1, True, 1.5, "2", 10**9])
def test_numbers_that_are_none(opening):
    with pytest.raises(ValidationError, match="opening"):
        spec(opening=opening)


@pytest.mark.parametrize("name", ["opening", "games_each", "seed", "players"])
@pytest.mark.parametrize("value", [True, "2", 2.0])
def test_numbers_of_a_study_that_are_none(name, value):
    with pytest.raises(ValidationError, match=name):
        TuningSpec(game=HEX, against="random", **{name: value})


def test_trials_of_a_study_have_openings():
    tuning = TuningSpec(game=HEX, against="random", opening=3)
    assert tuning.match({}, 4, 1).opening == 3


def test_openings_are_made_of_legal_actions_of_the_game():
    for seed in range(5):
        record = play_fixture(fixture(seed, 4))
        env = environments(make_any(HEX)[0])[0]()
        env.reset(seed=seed)
        for player, action in record.moves[:4]:
            assert env.agent_selection == f"player_{player}"
            mask = env.observe(env.agent_selection)["action_mask"]
            assert mask[action]
            env.step(action)
