"""One game between agents: the same that the command line plays, and well recorded."""

import json

import numpy as np
import pytest

import mcts_agents
from mcts_agents.agents import MCTSAgent, RandomAgent, agent_seed, make_agent
from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.arena.playing.match import (
    Decision,
    Seat,
    places,
    play_fixture,
    play_match,
    win_shares,
)
from mcts_agents.arena.playing.tables import ChoiceError, open_table
from mcts_agents.arena.playing.workers import play
from mcts_agents.envs import environments, make_model
from mcts_agents.model import DRAWN, LOST, RESULT_NAMES, WON


def fixture(game, players, agents, seed):
    """A game as a tournament has it."""
    seats = tuple(
        Entrant(f"agent-{n}", json.dumps({"agent": "mcts", **agent}))
        for n, agent in enumerate(agents)
    )
    return Fixture(3, Setting(game, players, "10"), 2, seed, seats)


MULTI = {"tree": "multi", "simulations": 10}
ONE = {"simulations": 15, "rollout": 5}
RANDOM = {"agent": "random"}
GREEDY = {"agent": "one-step", "samples": 2}


@pytest.mark.parametrize(
    ("game", "players", "agents", "seed"),
    [
        ("tictactoe", 2, [MULTI, ONE], 1),
        ("hex:size=3", 2, [ONE, RANDOM], 2**53 - 1),
        ("sushi_go", 4, [MULTI, ONE, RANDOM, GREEDY], 3),
        ("love_letter", 3, [RANDOM, MULTI, GREEDY], 4),
        ("diamant", 3, [{"reuse_tree": True, **ONE}, GREEDY, MULTI], 5),
        ("dots_and_boxes", 2, [GREEDY, {"rollout_policy": "mast", **ONE}], 6),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_game_is_the_one_that_the_command_line_plays(
    run_here, game, players, agents, seed
):
    played = fixture(game, players, agents, seed)
    record = play_fixture(played)
    arguments = ["play", game, "--players", str(players), "--seed", str(seed)]
    for agent in agents:
        mapping = {"agent": "mcts", **agent}
        options = [f"{n}={str(v).lower()}" for n, v in mapping.items() if n != "agent"]
        arguments += ["--agent", f"{mapping['agent']}:{','.join(options)}".rstrip(":")]
    shown = json.loads(run_here(*arguments, "--json").stdout)
    assert [list(move) for move in record.moves] == [
        [move["player"], move["action"]] for move in shown["moves"]
    ]
    assert (record.number, record.setting, record.round, record.seed) == (
        3, played.setting, 2, seed,
    )  # fmt: skip
    # Returns are results or scores, by the game; both order the players alike.
    wins = [seat.result == "won" for seat in record.seats]
    if game != "love_letter" and any(wins):
        assert wins == [r == max(shown["returns"]) for r in shown["returns"]]
    # Again, from the moves alone, with the rules.
    _, model = make_model(game, players)
    make_env, _, _ = environments(make_model(game, players)[0])
    env = make_env(**model.variant)
    env.reset(seed=seed)
    for player, action in record.moves:
        while env.terminations[env.agent_selection]:
            env.step(None)
        assert env.agent_selection == f"player_{player}"
        env.step(action)
    state = env.spectator_state()
    assert [seat.result for seat in record.seats] == [
        RESULT_NAMES[result] for result in model.results(state)
    ]
    assert [seat.score for seat in record.seats] == list(model.scores(state))
    for number, (seat, entrant) in enumerate(
        zip(record.seats, played.seats, strict=True)
    ):
        assert (seat.agent, seat.spec) == (entrant.name, entrant.spec)
        decided = sum(player == number for player, _ in record.moves)
        assert seat.seconds.dtype == np.float32
        assert len(seat.seconds) == decided
        assert seat.searches <= decided
        assert seat.seed == agent_seed(seed, number)
    assert record.version == mcts_agents.__version__
    assert record.seconds >= sum(float(s.seconds.sum()) for s in record.seats) * 0.99
    assert sum(seat.win for seat in record.seats) == pytest.approx(1.0) or not any(wins)


def test_searches_are_counted():
    whole = {"solver": False, **ONE}  # which a proof would cut short
    record = play_fixture(fixture("tictactoe", 2, [whole, MULTI], 1))
    one, multi = record.seats
    assert one.simulations == 15 * one.searches
    assert 0 < multi.simulations <= 10 * multi.searches
    assert 1 <= one.depth <= 9
    assert 1 <= multi.depth <= 9
    none = play_fixture(fixture("tictactoe", 2, [RANDOM, RANDOM], 1))
    assert [(s.simulations, s.searches, s.depth) for s in none.seats] == [(0, 0, 0)] * 2


def test_it_does_not_matter_which_games_were_played_before():
    games = [
        fixture("sushi_go", 2, [{"reuse_tree": True, **ONE}, MULTI], seed)
        for seed in (1, 2, 3)
    ]
    forth = [play_fixture(game).moves for game in games]
    back = [play_fixture(game).moves for game in reversed(games)]
    assert forth == back[::-1]
    assert len(set(forth)) == 3


@pytest.mark.parametrize(
    ("results", "shares"),
    [
        ([WON, LOST], [1, 0]),
        ([WON, LOST, WON, LOST], [0.5, 0, 0.5, 0]),
        ([DRAWN, DRAWN], [0.5, 0.5]),
        ([LOST, DRAWN, DRAWN, LOST], [0, 0.5, 0.5, 0]),
        ([WON, DRAWN, LOST], [1, 0, 0]),
        ([LOST, LOST], [0, 0]),
        ([DRAWN] * 4, [0.25] * 4),
    ],
)
def test_wins_are_shared(results, shares):
    teams = range(len(results))
    assert win_shares(np.array(results), teams) == shares
    assert win_shares(results, teams) == shares


@pytest.mark.parametrize(
    ("results", "scores", "expected"),
    [
        ([WON, LOST], [1, -1], [1, 2]),
        ([LOST, WON], [9, 3], [2, 1]),
        ([DRAWN, DRAWN], [0, 0], [1.5, 1.5]),
        ([WON, LOST, LOST, LOST], [30, 10, 20, 10], [1, 3.5, 2, 3.5]),
        ([WON, WON, LOST], [7, 7, 9], [1.5, 1.5, 3]),
        ([LOST, DRAWN, WON], [5, 1, 0], [3, 2, 1]),
        ([LOST, LOST, LOST], [1, 1, 1], [2, 2, 2]),
    ],
)
def test_places(results, scores, expected):
    teams = range(len(results))
    assert places(np.array(results), np.array(scores), teams) == expected


class Illegal(RandomAgent):
    """Plays what is never legal."""

    def decide(self, model, state, player):
        return 10**6


def test_an_illegal_action_is_an_error():
    seats = [Seat(RandomAgent(seed=0)), Seat(Illegal(seed=0))]
    told = r"^Illegal\(seed=0\), player_1: .*1000000.*; legal: "
    with pytest.raises(ChoiceError, match=told):
        play_match(open_table("tictactoe"), seats, 0)


def test_an_error_of_the_game_itself_is_no_choice(monkeypatch):
    table = open_table("tictactoe")
    table.begin(0)

    def failing(action):
        raise ValueError("the game is broken")

    monkeypatch.setattr(table.env, "step", failing)
    with pytest.raises(ValueError, match="the game is broken") as caught:
        table.step(0)
    assert not isinstance(caught.value, ChoiceError)


def test_an_error_in_a_game_is_a_failure(monkeypatch):
    monkeypatch.setattr(
        "mcts_agents.arena.playing.fixtures.make_agent",
        lambda spec, seed: Illegal(seed=seed),
    )
    played = fixture("tictactoe", 2, [RANDOM, RANDOM], 1)
    failure = play(played)
    assert isinstance(failure, Failure)
    assert failure.fixture == played
    assert failure.error.startswith("ChoiceError: Illegal(seed=")
    assert "1000000" in failure.error
    assert "\n" not in failure.error
    assert "play_match" in failure.details


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_a_score_that_no_store_could_show_is_a_failure(score, monkeypatch):
    """Of this game alone; the store would refuse it, or be unreadable from then on."""
    _, model = make_model("tictactoe", 2)
    monkeypatch.setattr(type(model), "scores", lambda model, state: [score, 0.0])
    failure = play(fixture("tictactoe", 2, [RANDOM, RANDOM], 1))
    assert isinstance(failure, Failure)
    told = f"tictactoe: the scores at the end are [{score}, 0.0], expected finite"
    assert failure.error.startswith(f"GameError: {told} numbers (")
    assert "tictactoe/rules.py:" in failure.error


def test_an_observer_is_told_every_decision():
    seats = [Seat(make_agent("mcts:simulations=10", seed=1)), Seat(RandomAgent(seed=2))]
    told, begun = [], []
    moves, returns = play_match(
        open_table("sushi_go", 2), seats, 7, told.append, lambda: begun.append(1)
    )
    assert all(isinstance(decision, Decision) for decision in told)
    assert [(d.player, d.action) for d in told] == list(moves)
    assert begun == [1]
    assert all(d.result is None for d in told if d.player == 1)
    assert all(d.result.action == d.action for d in told if d.player == 0)
    assert len(returns) == 2
    assert isinstance(seats[0].agent, MCTSAgent)
