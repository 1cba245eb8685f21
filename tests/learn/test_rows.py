"""Recorded rows against the same games, played again through the AEC environment."""

import numpy as np
import pytest

from mcts_agents.agents import Planner, agent_seed, make_agent
from mcts_agents.envs import environments, load_game
from mcts_agents.learn.playing import _drawn
from mcts_agents.model import new_generator
from mcts_agents.search import SearchResult
from tests.learn.recorded import record_here

MULTI = "mcts:tree=multi,simulations=20"

GAMES = {
    "hex": ("hex:size=3", None, [MULTI, "mcts:simulations=15,reuse_tree=true"]),
    "sushi_go": ("sushi_go", 3, [MULTI, "random", "one-step:samples=2"]),
    "love_letter": ("love_letter", 4, ["mcts:simulations=20"]),
    "diamant": ("diamant", 3, ["mcts:simulations=20,tree_policy=exp3"]),
    "teams": (
        "pommerman:mode=radio,max_steps=5",
        4,
        ["mcts:simulations=20,rollout=5", "scripted:policy=simple"],
    ),
    # With more actions than are stored in full.
    "chinese_checkers": (
        "chinese_checkers:max_plies_per_player=3",
        3,
        ["mcts:simulations=20,rollout=5", "random", "one-step:samples=1"],
    ),
}


@pytest.mark.parametrize("format", ["npz", "parquet"])
@pytest.mark.parametrize("name", GAMES)
def test_rows_are_the_games_played_again(tmp_path, name, format):
    game, players, agents = GAMES[name]
    dataset = record_here(
        tmp_path,
        game=game,
        players=players,
        agents=agents,
        games=4,
        explore_moves=3,
        games_per_shard=3,
        format=format,
    )
    assert dataset.games == 4
    rows = iter([dataset[number] for number in range(len(dataset))])
    described = dataset.description
    assert [agent["spec"]["agent"] for agent in described["agents"]] == [
        spec.partition(":")[0] for spec in agents
    ]
    assert dataset.layout.is_sparse == (name == "chinese_checkers")
    explored = 0
    for number in range(4):
        explored += play_again(number, described, rows, len(agents))
    assert explored > 0
    assert next(rows, None) is None


def play_again(number, described, rows, agents):
    """Play a game again, decision by decision; return how many moves were drawn."""
    env = environments(load_game(described["game"]))[0](**described["variant"])
    model = env.forward_model
    row = next(rows)
    seed = int(row["seed"])
    env.reset(seed=seed)
    places = [(number + team) % agents for team in model.teams]
    seats = [
        make_agent(described["agents"][place]["spec"], seed=agent_seed(seed, seat))
        for seat, place in enumerate(places)
    ]
    played, explored, ply = [], 0, 0
    while env.agents:
        movers = model.movers(env.spectator_state())
        for player in movers:
            name = env.agent_selection
            assert name == env.possible_agents[player]
            assert (row["game"], row["seed"]) == (number, seed)
            assert (row["ply"], row["player"]) == (ply, player)
            assert row["agent"] == places[player]
            seen = env.observe(name)
            assert (row["observation"] == seen["observation"]).all()
            assert (row["action_mask"] == seen["action_mask"]).all()
            # It sees the same in a state that holds only what it may know.
            view, _ = env.planning_state(name, new_generator(number))
            assert (model.observe(view, player) == row["observation"]).all()
            explored += check_decision(row, seats[player], env)
            env.step(int(row["action"]))
            played.append(row)
            while env.agents and env.terminations[env.agent_selection]:
                env.step(None)
            row = next(rows) if env.agents else None
        ply += 1
    state = env.spectator_state()
    for row in played:
        assert row["outcome"] == model.returns(state)[row["player"]]
        assert row["score"] == model.scores(state)[row["player"]]
    return explored


def check_decision(row, agent, env):
    """Let the agent decide again, and compare; return whether a move was drawn."""
    assert row["action_mask"][row["action"]] == 1
    assert row["visits"].dtype == np.float32
    assert row["visits"].sum() == pytest.approx(1.0, abs=1e-6)
    assert not row["visits"][row["action_mask"] == 0].any()
    if not isinstance(agent, Planner):
        assert agent.act(env) == row["choice"] == row["action"]
        assert row["visits"][row["action"]] == 1.0
        assert np.isnan(row["value"])
        return 0
    result = agent.plan(env)
    assert result.action == row["choice"]
    if not result.visits.sum():
        assert row["visits"][row["choice"]] == 1.0
        assert np.isnan(row["value"])
        assert row["action"] == row["choice"]
        return 0
    shares = result.visits / result.visits.sum()
    assert (row["visits"][result.actions] == shares.astype(np.float32)).all()
    values = np.nan_to_num(result.values)
    assert row["value"] == pytest.approx((shares * values).sum(), rel=1e-6, abs=1e-9)
    assert row["visits"][row["action"]] > 0
    if row["ply"] >= 3:
        assert row["action"] == row["choice"]
    return int(row["action"] != row["choice"])


def test_moves_are_drawn_in_proportion_to_visits():
    visits = np.array([0, 5, 1, 0, 4], np.int64)
    actions = np.array([2, 3, 5, 7, 11], np.int32)
    result = SearchResult(3, actions, visits, np.full(5, 0.5))
    rng = new_generator(3)
    drawn = [_drawn(result, rng) for _ in range(10_000)]
    counts = np.array([drawn.count(action) for action in actions])
    assert counts.sum() == 10_000
    expected = visits / visits.sum() * 10_000
    deviation = np.sqrt(expected * (1 - visits / visits.sum()))
    assert (abs(counts - expected) <= 4 * deviation).all()


def test_agents_take_turns_in_the_seats(tmp_path):
    rows = record_here(tmp_path, games=4)[:]
    seats = {
        (int(n), int(p)): int(a)
        for n, p, a in zip(rows["game"], rows["player"], rows["agent"], strict=True)
    }
    assert seats == {(n, p): (n + p) % 2 for n in range(4) for p in range(2)}


def test_the_scale_of_values_is_named(tmp_path):
    agents = ["mcts:simulations=5", "one-step:value=score,samples=1", "random"]
    dataset = record_here(
        tmp_path, game="sushi_go", players=3, agents=agents, games=1, explore_moves=0
    )
    named = [agent["value"] for agent in dataset.description["agents"]]
    assert named[1:] == ["score", None]
    assert named[0] in ("win", "score", "leader", "evaluate")
