"""Who sits where: forms of opponents, mixtures, and what does not match the seats."""

from collections import Counter

import numpy as np
import pytest

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.wrappers import Mixture, SingleAgentEnv, single_agent_env
from tests.envs.variants import random_legal
from tests.wrappers.playing import episode, recorded


class Named:
    """A policy that notes in which seats it was asked."""

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.asked = Counter()

    def __call__(self, observation, agent):
        self.asked[agent] += 1
        return random_legal(observation["action_mask"], self.rng)

    def __deepcopy__(self, memo):
        return self


def asked_in(opponents, seat, policies, episodes=1):
    """Play episodes of Diamant for four; return in which seats each policy played."""
    env = single_agent_env("diamant:players=4", opponents, seat=seat)
    rng, found = np.random.default_rng(1), []
    for number in range(episodes):
        for policy in policies:
            policy.asked.clear()
        episode(env, rng, seed=1 if number == 0 else None)
        found.append(
            (env.learner, [sorted(int(a[-1]) for a in p.asked) for p in policies])
        )
    return found


def test_one_plays_everywhere_a_sequence_in_order_a_mapping_by_name():
    a, b, c, d = policies = [Named() for _ in range(4)]
    assert asked_in(a, 1, policies) == [("player_1", [[0, 2, 3], [], [], []])]
    found = asked_in([a, b, c], "player_1", policies)
    assert found == [("player_1", [[0], [2], [3], []])]
    found = asked_in({3: a, "player_0": b, np.int64(2): "random"}, 1, policies)
    assert found == [("player_1", [[3], [0], [], []])]
    everywhere = dict(enumerate(policies))
    for learner, seats in asked_in(everywhere, "random", policies, 12):
        mine = int(learner[-1])
        assert seats == [[n] if n != mine else [] for n in range(4)]
    for learner, seats in asked_in((a, b, "random"), "random", policies, 12):
        free = [n for n in range(4) if n != int(learner[-1])]
        assert seats == [[free[0]], [free[1]], [], []]
    assert not d.asked


def test_random_seats_are_drawn_evenly():
    env = single_agent_env("diamant:players=4", seat="random")
    seats = Counter(
        env.reset(seed=1 if n == 0 else None)[1]["seat"] for n in range(800)
    )
    assert sorted(seats) == [0, 1, 2, 3]
    # Standard deviation 12.2.
    assert all(abs(count - 200) < 49 for count in seats.values())


def test_a_mixture_is_drawn_for_each_episode():
    a, b = policies = [Named(), Named()]
    mixture = Mixture((3, a), (1, ["random", b, b]))
    found = asked_in(mixture, 0, policies, 400)
    counts = Counter(str(seats) for _, seats in found)
    assert set(counts) == {"[[1, 2, 3], []]", "[[], [2, 3]]"}
    # Standard deviation 8.7.
    assert abs(counts["[[1, 2, 3], []]"] - 300) < 35


def test_mixtures_in_seats_are_drawn_each_for_itself():
    a, b = policies = [Named(), Named()]
    mixture = Mixture((0.5, a), (0.5, b))
    found = asked_in([mixture] * 3, 0, policies, 400)
    together = Counter(tuple(seats[0]) for _, seats in found)
    assert len(together) == 8
    # Expected 50 each, standard deviation 6.6.
    assert all(abs(count - 50) < 27 for count in together.values())


def test_random_opponents_play_every_legal_action_evenly():
    below = recorded("tictactoe")
    env = SingleAgentEnv(below, RandomAgent())
    counts = Counter()
    for number in range(1600):
        env.reset(seed=1 if number == 0 else None)
        env.step(4)
        counts[below.decisions[1]["player_1"]] += 1
    assert sorted(counts) == [0, 1, 2, 3, 5, 6, 7, 8]
    # Standard deviation 13.2.
    assert all(abs(count - 200) < 53 for count in counts.values())


def test_agents_of_several_seats_differ_in_their_seeds():
    env = single_agent_env("sushi_go:players=3", MCTSAgent(simulations=10))
    env.reset(seed=1)
    (player,) = [env._opponents._given]
    generators = [agent._rng.tolist() for agent in player.in_seat.values()]
    assert len(generators) == 2 and generators[0] != generators[1]


@pytest.mark.parametrize(
    ("opponents", "options", "message"),
    [
        (["random"], {}, r"1 for 2 seats beside the learner's \(player_1, player_2\)"),
        (["random"] * 3, {"seat": "random"}, "3 for 2 seats"),
        ({1: "random"}, {}, "no opponent given for player_2"),
        (dict.fromkeys(range(3), "random"), {}, "player_0 is the learner's seat"),
        (dict.fromkeys(range(2), "random"), {"seat": "random"}, "no opponent given"),
        ({1: "random", 7: "random"}, {}, "no seat 7; seats are 0 to 2, or player_0"),
        ({1: "random", "player_1": "random"}, {}, "a seat is given twice"),
        ([["random"], "random"], {}, "several opponents for one seat"),
        (Mixture((1, "random"), (1, ["random"])), {}, "1 for 2 seats"),
        ("randum", {}, "unknown agent 'randum': did you mean random"),
        ("mcts:simulations=0", {}, "simulations=0"),
        ("mcts:simulations=5,seed=1", {}, "the opponents' seeds are derived from"),
        ({"agent": "mcts", "seed": 1}, {}, "the opponents' seeds are derived from"),
        ("mcts:value=evaluation", {}, "evaluat"),
        ("scripted:policy=simple", {}, "policy='simple': sushi_go has"),
        ([RandomAgent(), "scripted:policy=simple"], {}, "policy='simple'"),
        (3, {}, "opponents=3: expected an agent, a spec"),
        (RandomAgent, {}, "expected an agent, a spec"),
        (None, {}, "expected an agent, a spec"),
    ],
)
def test_opponents_that_do_not_match_are_refused_at_once(opponents, options, message):
    with pytest.raises(ValueError, match=message):
        single_agent_env("sushi_go:players=3", opponents, **options)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "expected pairs"),
        (["random"], "expected pairs of a weight and opponents, not 'random'"),
        ([(0, "random")], "weight 0 is not a finite number above 0"),
        ([(-1, "random")], "weight -1"),
        ([(True, "random")], "weight True"),
        ([(float("inf"), "random")], "weight inf"),
        ([("random", 1)], "weight 'random'"),
    ],
)
def test_mixtures_that_are_none(parts, message):
    with pytest.raises(ValueError, match=message):
        Mixture(*parts)


@pytest.mark.parametrize("action", [0, 9, -1, 0.5, None, np.array([4])])
def test_a_policy_s_illegal_action_is_named_with_its_seat(action):
    env = single_agent_env("tictactoe", lambda observation, agent: action)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"as player_1: action .* is not legal; legal"):
        env.step(0)


def test_specs_are_read_as_everywhere():
    env = single_agent_env("tictactoe", {"agent": "mcts", "simulations": 400})
    results = Counter()
    for number in range(10):
        shown = episode(env, np.random.default_rng(number), seed=number)
        results[shown[-1][-1]["result"]] += 1
    assert results["lost"] >= 7 and results["won"] == 0
