"""Dirichlet noise at the root: the distribution, and that it explores."""

import numpy as np
import pytest
from numba import njit

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search.kernel.priors import random_gamma, random_normal
from tests.search.evaluators import Even, of_states, run
from tests.toy_games import auction


@njit
def normals(rng, count):
    out = np.empty(count)
    for i in range(count):
        out[i] = random_normal(rng)
    return out


@njit
def gammas(rng, shape, count):
    out = np.empty(count)
    for i in range(count):
        out[i] = random_gamma(rng, shape)
    return out


def distance(a, b):
    """Greatest distance of two empirical distribution functions."""
    points = np.sort(np.concatenate([a, b]))
    shares = [
        np.searchsorted(np.sort(x), points, side="right") / len(x) for x in (a, b)
    ]
    return np.abs(shares[0] - shares[1]).max()


def test_normal_variables():
    found = normals(new_generator(0), 20_000)
    assert distance(found, np.random.default_rng(0).normal(size=20_000)) < 0.02


@pytest.mark.parametrize("shape", [0.03, 0.3, 1.0, 2.5])
def test_gamma_variables(shape):
    found = gammas(new_generator(1), shape, 20_000)
    assert (found >= 0).all()
    expected = np.random.default_rng(1).gamma(shape, size=20_000)
    assert distance(found, expected) < 0.02


class OneFavourite(Even):
    """The prior is all on the first legal action, and every position is even."""

    def answer(self, observations, players, legal):
        values, logits = super().answer(observations, players, legal)
        logits[:] = -40.0
        logits[np.arange(len(logits)), legal.argmax(1)] = 0.0
        return values, logits


def root_priors(search):
    arrays = search._workspace.memory.arrays
    root = arrays["nodes"][arrays["edges"]["child"][0]]
    return arrays["statistics"]["prior"][root["first"] :][: root["count"]]


def priors_of_movers(search, trees):
    """Return the priors at the roots of all trees, by who decides."""
    arrays, bandits = search._workspace.memory.arrays, {}
    for tree in range(trees):
        (root,) = search._workspace.reader().bandits_below(tree)
        bandits |= root
    nodes, priors = arrays["nodes"], arrays["statistics"]["prior"]
    return {
        player: priors[nodes[i]["first"] :][: nodes[i]["count"]].copy()
        for player, i in bandits.items()
    }


@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_priors_are_mixed_with_a_dirichlet_sample(alpha):
    model = make_model("hex:size=3")[1]
    samples = []
    for seed in range(300):
        chosen = {"root_noise": 0.25, "root_noise_alpha": alpha}
        _, search = run(model, OneFavourite(2), seed=seed, simulations=1, **chosen)
        priors = root_priors(search)
        assert priors.sum() == pytest.approx(1.0, abs=1e-6)
        samples.append((priors - 0.75 * np.eye(9)[0]) / 0.25)
    samples = np.array(samples)
    assert samples.min() > -1e-6
    expected = np.random.default_rng(0).dirichlet([alpha] * 9, 3000)
    for action in range(9):
        # Priors are float32: what is nearly 0 is compared as 0.
        pair = samples[:, action].round(4), expected[:, action].round(4)
        assert distance(*pair) < 0.1


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("player", [0, 1, 2])
def test_noise_is_the_acting_players_where_several_move(player, tree):
    model, priors = auction(), []
    for noise in (0.0, 0.25):
        chosen = {"root_noise": noise, "tree": tree, "player": player}
        _, search = run(model, of_states(model), simulations=1, **chosen)
        priors.append(priors_of_movers(search, 3 if tree == "multi" else 1))
    plain, noisy = priors
    assert set(plain) == set(noisy) == ({player} if tree == "self" else {0, 1, 2})
    for mover, shares in plain.items():
        assert shares.sum() == pytest.approx(1.0, abs=1e-6)
        if mover == player:
            eta = (noisy[mover] - 0.75 * shares) / 0.25
            assert eta.sum() == pytest.approx(1.0, abs=1e-5)
            assert eta.min() > -1e-6
            assert np.abs(eta - shares).max() > 0.01
        else:
            assert noisy[mover].tolist() == shares.tolist()


def test_noise_is_at_the_root_only_and_explores_there():
    model = make_model("hex:size=4")[1]
    plain, _ = run(model, OneFavourite(2))
    noisy, search = run(model, OneFavourite(2), root_noise=0.25)
    assert np.count_nonzero(plain.visits) == 1 < np.count_nonzero(noisy.visits)
    arrays = search._workspace.memory.arrays
    root = arrays["edges"]["child"][0]
    for i, node in enumerate(
        arrays["nodes"][: int(search._workspace.record["node_count"][0])]
    ):
        if i != root:
            priors = arrays["statistics"]["prior"][node["first"] :][: node["count"]]
            assert priors[0] == pytest.approx(1.0, abs=1e-6)
    again, _ = run(model, OneFavourite(2), root_noise=0.25)
    assert again.visits.tolist() == noisy.visits.tolist()


def test_a_root_that_was_kept_has_noise_too():
    from mcts_agents import MCTSAgent
    from mcts_agents.envs import hex

    env = hex.env(size=3)
    env.reset(seed=0)
    agent = MCTSAgent(
        simulations=2000,
        evaluator=Even(2),
        reuse_tree=True,
        root_noise=0.5,
        tree_policy="alphago",
        value="win",
        seed=3,
    )
    for decision in range(4):
        found = agent.plan(env)
        search = next(reversed(agent._searches.values()))
        priors = root_priors(search)
        assert (found.reused > 0) == (decision > 1)
        assert priors.sum() == pytest.approx(1.0, abs=1e-6)
        assert priors.std() > 0.01
        env.step(found.action)
