"""Each tree policy against its formula, on statistics that are filled in by hand."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

from tests.search.by_hand import Node

INF = math.inf
INDICES = ("ucb1", "ucb_tuned", "kl_ucb", "alphago")
EXTENDED = ("ucb1_extended", *INDICES[1:])
WITH_PLAIN = ("ucb1", *EXTENDED)


def divergence(p, q):
    """The divergence of two Bernoulli distributions."""
    return float(rel_entr([p, 1 - p], [q, 1 - q]).sum())


SHARES_LOW = 0.125


def kl_ucb_term(k, possible, visits, mean):
    """Garivier, Cappe 2011, Algorithm 1."""
    most = k * math.log(possible) / visits
    if mean == 1.0 or most == 0.0:
        return 0.0
    near = 1 - 1e-12
    if divergence(mean, near) <= most:
        return 1 - mean
    return brentq(lambda q: divergence(mean, q) - most, mean, near) - mean


def exploration_term(policy, k, possible, visits, mean, variance, scale):
    """What the sources print, for N(a), n(a), mean and variance of the rewards."""
    if policy == "kl_ucb":  # scores, whose bounds nobody knows
        return 2 * kl_ucb_term(k, possible, visits, mean / 2)
    if policy == "kl_ucb of shares":
        return scale * kl_ucb_term(k, possible, visits, SHARES_LOW + mean / scale)
    ratio = math.log(possible) / visits
    if policy == "ucb1":  # Auer et al. 2002, UCB1; Kocsis, Szepesvari 2006
        return k * math.sqrt(ratio)
    if policy == "ucb_tuned":  # Auer et al. 2002, section 4
        bound = variance * scale**2 + math.sqrt(2 * ratio)
        return k * math.sqrt(ratio * min(0.25, bound))
    return k * math.sqrt(possible) / (1 + visits)  # Silver et al. 2017


def random_node(policy, dice, *, listed=False, extras=False, urgency=INF):
    """Return a node of random statistics and J(a) of each of its candidates."""
    count = int(dice.integers(2, 7))
    k, bias, e = dice.choice([0.0, 0.3, 1.0, 3.0]), 0.0, 10.0
    if extras:
        bias = dice.choice([0.0, 2.0])
    node = Node(
        count,
        exploration=k,
        progressive_bias=bias,
        abstraction_visits=e,
        first_play_urgency=urgency,
    )
    low, high = -2.0, float(dice.choice([-1.0, 0.5, 8.0]))
    if policy == "kl_ucb" and dice.random() < 0.5:
        policy = "kl_ucb of shares"
        low, high = SHARES_LOW, float(dice.choice([0.25, 0.75, 1.0]))
        node.settings["shares"] = 1
    node.view["low"], node.view["high"] = low, high
    visits = dice.integers(1, 40, count)
    if urgency < INF:
        visits *= dice.integers(0, 2, count)
    means = dice.uniform(low, high, count) * (visits > 0)
    node.visit(visits, means)
    spread = dice.uniform(0, (high - low) / 3, count)
    node.statistics["square"] = means**2 + spread**2
    node.statistics["heuristic"] = dice.random(count)
    node.edges["available"] = visits + dice.integers(1, 30, count) + 1
    prior = np.ones(count)
    if extras and dice.random() < 0.5:
        node.settings["use_prior"] = 1
        prior = node.statistics["prior"] = dice.dirichlet(np.ones(count))
    places = list(range(count))
    if listed:
        places = dice.permutation(count)[: dice.integers(1, count + 1)].tolist()
        node.list(places)
    pools = extras and dice.random() < 0.5
    if pools:  # by candidate, not by edge
        node.pool_visits[: len(places)] = dice.integers(0, 3, len(places))
        node.pool_means[: len(places)] = dice.uniform(low, high, len(places))
    scale = 1 / (high - low)
    merits = {}
    for i, place in enumerate(places):
        n = int(visits[place])
        merit = (means[place] - low) * scale if n else 0.0
        merit += bias * node.statistics["heuristic"][place] / (n + 1)
        if pools and node.pool_visits[i]:
            beta = math.sqrt(e / (3 * n + e))
            pooled = (node.pool_means[i] - low) * scale
            merit = beta * pooled + (1 - beta) * merit
        term = urgency
        if n:
            possible = (
                int(node.edges["available"][place]) - 1 if listed else sum(visits)
            )
            term = exploration_term(
                policy,
                k,
                int(possible),
                n,
                (means[place] - low) * scale,
                spread[place] ** 2,
                scale,
            )
        merits[place] = merit + prior[place] * term
    return node, merits


def assert_takes_the_greatest(node, plug_in, merits):
    chosen = node.choose(plug_in)
    assert merits[chosen] >= max(merits.values()) - 1e-6, (chosen, merits)


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("policy", INDICES)
def test_index_policy_takes_the_greatest_index(policy, listed):
    dice = np.random.default_rng(1)
    for _ in range(200):
        node, merits = random_node(policy, dice, listed=listed)
        assert_takes_the_greatest(node, policy, merits)


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("urgency", [INF, 0.0, 0.4, 2.0])
@pytest.mark.parametrize("policy", EXTENDED)
def test_index_with_bias_prior_abstraction_and_urgency(policy, urgency, listed):
    dice = np.random.default_rng(2)
    name = policy.removesuffix("_extended")
    for _ in range(150):
        node, merits = random_node(
            name, dice, listed=listed, extras=True, urgency=urgency
        )
        assert_takes_the_greatest(node, policy, merits)


@pytest.mark.parametrize("policy", WITH_PLAIN)
def test_k_weighs_exploration(policy):
    # One action is better by 0.1 and was taken nine times as often.
    chosen = []
    for k in (0.0, 0.01, 1.0):
        node = Node(2, exploration=k)
        node.visit([90, 10], [0.6, 0.5])
        node.statistics["square"] = node.edges["mean"]  # rewards of 0 and 1
        chosen.append(node.choose(policy))
    assert chosen == [0, 0, 1]


@pytest.mark.parametrize("policy", WITH_PLAIN)
def test_equal_values_seen_leave_only_exploration(policy):
    node = Node(2, exploration=1.0)
    node.view["low"] = node.view["high"] = 5.0
    node.visit([9, 3], [5.0, 5.0])
    assert node.choose(policy) == 1


@pytest.mark.parametrize("policy", WITH_PLAIN)
def test_a_proven_loss_is_taken_only_if_there_is_nothing_else(policy):
    node = Node(3, exploration=1.0)
    node.visit([50, 2, 2], [0.1, 0.9, 0.9])
    node.edges["outcome"][1:] = 2  # somebody wins
    assert node.choose(policy) == 0
    node.edges["outcome"][0] = 2
    assert node.choose(policy) in (1, 2)


# -- untried actions


def shares(node, policy, draws=4000):
    """How often each action is chosen, of so many draws."""
    chosen = [node.choose(policy) for _ in range(draws)]
    return np.bincount(chosen, minlength=node.count) / draws


def assert_shares(node, policy, expected):
    # Four standard deviations of a share of 1/2.
    tolerance = 4 * math.sqrt(0.25 / 4000)
    np.testing.assert_allclose(shares(node, policy), expected, atol=tolerance)


@pytest.mark.parametrize(
    "policy",
    [*WITH_PLAIN, "exp3_boltzmann"],
)
def test_untried_actions_come_first_and_are_equally_likely(policy):
    node = Node(4, exploration=1.0, temperature=0.1)
    node.visit([9, 0, 7, 0], [1.0, 0.0, 1.0, 0.0])
    assert_shares(node, policy, [0, 0.5, 0, 0.5])


@pytest.mark.parametrize("policy", EXTENDED)
def test_untried_actions_are_tried_by_heuristic(policy):
    node = Node(5, exploration=1.0, ordered=1)
    node.visit([9, 0, 7, 0, 0], [1.0, 0.0, 1.0, 0.0, 0.0])
    node.statistics["heuristic"] = [0.9, 0.5, 0.8, 0.7, 0.7]
    assert_shares(node, policy, [0, 0, 0, 0.5, 0.5])
    node.list([0, 1, 2, 4])
    assert_shares(node, policy, [0, 0, 0, 0, 1])


def test_first_play_urgency_lets_a_good_action_be_repeated():
    node = Node(3, exploration=0.5)
    node.visit([4, 0, 0], [0.9, 0.0, 0.0])
    for urgency, repeated in ((INF, False), (2.0, False), (0.1, True)):
        node.settings["first_play_urgency"] = urgency
        assert (node.choose("ucb1_extended") == 0) == repeated
    # Those that look alike are equally likely.
    node.settings["first_play_urgency"] = 2.0
    assert_shares(node, "ucb1_extended", [0, 0.5, 0.5])


# -- policies that draw


def test_uniform():
    node = Node(4)
    node.visit([1, 2, 0, 9], [0.0, 1.0, 0.0, 0.5])
    assert_shares(node, "uniform", [0.25] * 4)
    node.list([3, 1])
    assert_shares(node, "uniform", [0, 0.5, 0, 0.5])


@pytest.mark.parametrize("epsilon", [0.1, 0.6, 1.0])
def test_epsilon_greedy(epsilon):
    node = Node(4, epsilon=epsilon)
    node.visit([5, 5, 5, 0], [0.2, 0.7, 0.4, 0.0])
    rest = epsilon / 4
    assert_shares(node, "epsilon_greedy", [rest, 1 - 3 * rest, rest, rest])


def test_epsilon_greedy_takes_an_untried_action_for_the_least_value_seen():
    node = Node(3, epsilon=1e-9)
    node.view["low"], node.view["high"] = -4.0, 4.0
    node.visit([5, 5, 0], [-2.0, -3.0, 0.0])
    assert_shares(node, "epsilon_greedy", [1, 0, 0])
    node.visit([5, 5, 0], [-4.0, -4.0, 0.0])
    assert_shares(node, "epsilon_greedy", [1 / 3] * 3)


def assert_draws_from(node, policy, strategy, epsilon):
    """Shares, the probability noted, and the sum of strategies."""
    strategy = np.array(strategy)
    expected = (1 - epsilon) * strategy + epsilon / len(strategy)
    assert_shares(node, policy, expected)
    total = node.statistics["strategy"]
    np.testing.assert_allclose(total / total.sum(), strategy, atol=1e-9)
    for _ in range(20):
        chosen = node.choose(policy)
        assert node.view["probability"][0] == pytest.approx(expected[chosen])


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_exp3_draws_by_exponential_weights(epsilon):
    gains = np.array([3.0, 10.0, 0.0, -5.0])
    node = Node(4, epsilon=epsilon)
    node.visit([1, 1, 1, 0], [0.5, 0.5, 0.5, 0.0])
    node.statistics["accumulated"] = gains
    weights = np.exp(epsilon * gains / 4)  # Auer et al. 2002, figure 1
    assert_draws_from(node, "exp3", weights / weights.sum(), epsilon)


@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_exp3_boltzmann_draws_by_the_softmax_of_scaled_means(temperature):
    node = Node(3, epsilon=0.2, temperature=temperature)
    node.view["low"], node.view["high"] = -10.0, 10.0
    means = np.array([-2.0, 1.0, 2.0])
    node.visit([5, 9, 2], means)
    weights = np.exp((means + 10) / 20 / temperature)
    assert_draws_from(node, "exp3_boltzmann", weights / weights.sum(), 0.2)


@pytest.mark.parametrize(
    ("gains", "strategy"),
    [
        ([1.0, 3.0, -2.0, 0.0], [0.25, 0.75, 0, 0]),
        ([-1.0, -3.0, -2.0, 0.0], [0.25] * 4),
        ([-1.0, 4.0, 0.0, 0.0], [0, 1, 0, 0]),
    ],
)
def test_regret_matching_draws_in_proportion_to_positive_regret(gains, strategy):
    node = Node(4, epsilon=0.3)
    node.visit([1, 1, 1, 1], [0.5] * 4)
    node.statistics["accumulated"] = gains
    assert_draws_from(node, "regret_matching", strategy, 0.3)


def test_sampling_policies_draw_only_candidates():
    for policy in ("exp3", "exp3_boltzmann", "regret_matching"):
        node = Node(4, epsilon=0.5, temperature=0.1)
        node.visit([1, 1, 1, 1], [0.5] * 4)
        node.statistics["accumulated"] = 1.0
        node.list([2, 0])
        assert_shares(node, policy, [0.5, 0, 0.5, 0])
        assert node.statistics["strategy"][[1, 3]].tolist() == [0, 0]


# -- what policies learn


def expected_change(policy, gains, strategy, truth, **rest):
    """The mean change of the gains over the action drawn; it is to be unbiased."""
    epsilon = 0.2
    probabilities = (1 - epsilon) * np.array(strategy) + epsilon / len(strategy)
    mean = np.zeros(len(strategy))
    for taken, probability in enumerate(probabilities):
        node = Node(len(strategy), epsilon=epsilon)
        node.visit([3, 1, 6], [0.4, 0.2, 0.9])
        node.statistics["accumulated"] = gains
        node.update(policy, taken, truth[taken], probability, **rest)
        mean += probability * (node.statistics["accumulated"] - gains)
    return mean


TRUTH = np.array([1.0, 3.0, 2.0])  # what each action would bring now
MEAN = (3 * 0.4 + 1 * 0.2 + 6 * 0.9) / 10  # of the node so far


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 3.0)])
def test_gains_of_exp3_are_unbiased(low, high):
    gains = np.array([0.0, 2.0, -1.0])
    weights = np.exp(0.2 * gains / 3)
    change = expected_change(
        "exp3", gains, weights / weights.sum(), TRUTH, low=low, high=high
    )
    np.testing.assert_allclose(change, (TRUTH - MEAN) / (high - low), atol=1e-9)


def test_exp3_changes_only_the_action_played():
    node = Node(3)
    node.visit([0, 0, 0], [0.0, 0.0, 0.0])
    node.update("exp3", 1, 0.8, 0.25)
    assert node.statistics["accumulated"].tolist() == [
        0,
        0,
        0,
    ]  # nothing to compare with
    node.visit([0, 1, 0], [0.0, 0.8, 0.0])
    node.update("exp3", 2, 0.3, 0.25)
    np.testing.assert_allclose(
        node.statistics["accumulated"], [0, 0, (0.3 - 0.8) / 0.25]
    )


@pytest.mark.parametrize(
    ("gains", "strategy"),
    [([2.0, 6.0, -1.0], [0.25, 0.75, 0.0]), ([0.0, -1.0, -2.0], [1 / 3] * 3)],
)
def test_regrets_are_unbiased(gains, strategy):
    gains = np.array(gains)
    change = expected_change("regret_matching", gains, strategy, TRUTH)
    regret = TRUTH - np.dot(strategy, TRUTH)
    np.testing.assert_allclose(change, regret, atol=1e-9)


def test_regret_is_of_the_candidates_alone():
    # The second action is illegal in this determinization.
    node = Node(3)
    node.visit([2, 2, 2], [0.5, 9.0, 0.1])
    node.statistics["candidate_at"] = [7, 6, 7]
    node.update("regret_matching", 0, 0.9, 0.5, all_candidates=0, simulation=7)
    # u = (0.5 + 0.4 / 0.5, -, 0.1), strategy uniform over two
    expected = (1.3 + 0.1) / 2
    np.testing.assert_allclose(
        node.statistics["accumulated"], [1.3 - expected, 0, 0.1 - expected]
    )


def test_average_strategies_approach_the_equilibrium_of_a_matrix():
    # Bandits alone, no search: matching pennies with payoffs 3, -1, -1, 1 mixes 1:2.
    payoffs = np.array([[3.0, -1.0], [-1.0, 1.0]])
    for policy in ("regret_matching", "exp3"):
        rows, columns = (Node(2, epsilon=0.1, seed=s) for s in (1, 2))
        for _ in range(12_000):
            i, j = rows.choose(policy), columns.choose(policy)
            for node, taken, value in (
                (rows, i, payoffs[i, j]),
                (columns, j, -payoffs[i, j]),
            ):
                probability = node.view["probability"][0]
                node.update(policy, taken, value, probability, low=-3.0, high=3.0)
                edge = node.edges[taken : taken + 1]
                edge["visits"] += 1
                edge["mean"] += (value - edge["mean"]) / edge["visits"]
        for node in (rows, columns):
            total = node.statistics["strategy"]
            assert total[0] / total.sum() == pytest.approx(1 / 3, abs=0.06), policy


@pytest.mark.parametrize("policy", WITH_PLAIN)
def test_of_equal_actions_that_were_tried_the_first_listed_is_taken(policy):
    node = Node(4, exploration=1.0)
    node.visit([6, 5, 6, 6], [0.9, 0.2, 0.9, 0.9])
    node.statistics["square"] = node.edges["mean"]  # rewards of 0 and 1
    node.edges["available"] = 24
    before = node.rng.tolist()
    assert node.choose(policy) == 0
    for order in permutations(range(4)):
        node.list(order)
        assert node.choose(policy) == next(place for place in order if place != 1)
    assert node.rng.tolist() == before  # nothing is drawn
