"""Planning with Gumbel: a plain twin, chances at the root, and policy improvement."""

import math

import numpy as np
import pytest
from scipy import stats

from mcts_agents.envs import make_model
from mcts_agents.model import Rules, Spec, new_generator
from mcts_agents.search import AnsweredLater, Search, SearchSettings
from mcts_agents.search.kernel.root_policies.gumbel import random_gumbel
from mcts_agents.search.kernel.root_policies.sequential_halving import visits_due
from mcts_agents.search.kernel.tree_policies.gumbel import complete, improve, weigh
from tests.games.goofspiel import GOOFSPIEL
from tests.search.evaluator_twin import Edge, EvaluatorTwin
from tests.search.evaluators import of_states
from tests.toy_games import auction, hands, nim

BOTH = {"root_policy": "gumbel", "tree_policy": "gumbel"}


# -- the formulas


def test_the_formulas_of_the_paper():
    """Against equations 8, 10 to 12 and that of v_mix, with NumPy."""
    random = np.random.default_rng(3)
    for _ in range(200):
        n = int(random.integers(2, 9))
        visits = random.integers(0, 4, n)
        priors = random.dirichlet(np.ones(n))
        values = np.where(visits > 0, random.random(n), 0.0)
        raw = float(random.random())
        tried = visits > 0
        mixed = raw
        if tried.any():
            mean = (priors * values)[tried].sum() / priors[tried].sum()
            mixed = (raw + visits.sum() * mean) / (1 + visits.sum())
        completed = np.where(tried, values, mixed)
        sigma = (50 + visits.max()) * 0.1 * completed
        expected = priors * np.exp(sigma)
        complete(visits, values, priors, raw)
        assert values == pytest.approx(completed)
        weigh(visits, values, 50.0, 0.1)
        improve(priors, values)
        assert priors == pytest.approx(expected / expected.sum())


def test_gumbel_variables_have_their_distribution():
    rng = new_generator(1)
    sample = [random_gumbel(rng) for _ in range(4000)]
    assert stats.kstest(sample, stats.gumbel_r.cdf).pvalue > 1e-3


# -- the whole search


class Twin(EvaluatorTwin):
    """The search of the paper with plain lists.

    Args:
        sampled: m; None: the tree policy at the root, too.
    """

    def __init__(self, *arguments, sampled=None, **rest):
        super().__init__(*arguments, **rest)
        self.sampled, self.noise = sampled, {}

    def run(self, simulations):
        self.left = simulations
        self.descend()
        for self.left in range(simulations, 0, -1):
            self.descend()
        return self

    def evaluated(self, state, players, nodes):
        means = super().evaluated(state, players, nodes)
        for player, bandit in nodes.items():
            bandit.raw_value = float(np.float32(means[player]))
        return means

    def completed(self, player, bandit, legal):
        """P(a) exp(sigma(a)) in two parts: ln P(a) + sigma(a)."""
        low, scale = self.scale_of(player)
        edges = [bandit.edges[action] for action in legal]
        tried = [edge for edge in edges if edge.visits]
        total = sum(edge.visits for edge in edges)
        mixed = (bandit.raw_value - low) * scale
        if tried:
            mean = sum(e.prior * (e.mean - low) * scale for e in tried)
            mean /= sum(e.prior for e in tried)
            mixed = (mixed + total * mean) / (1 + total)
        weight = 50 + max(edge.visits for edge in edges)
        return [
            math.log(e.prior) + weight * ((e.mean - low) * scale if e.visits else mixed)
            for e in edges
        ]

    def choose(self, state, player, bandit):
        legal = self.model.legal_actions(state, player).tolist()
        for action in legal:  # it may not have been legal when the node was made
            if action not in bandit.edges:
                bandit.edges[action] = Edge(prior=1 / (len(bandit.edges) + 1))
        if len(legal) == 1:
            return legal[0]
        ranks = dict(zip(legal, self.completed(player, bandit, legal), strict=True))
        visits = {action: bandit.edges[action].visits for action in legal}
        if self.sampled and not self.path and player == self.player:
            return self.halved(legal, visits, ranks)
        most = max(ranks.values())
        weights = {action: math.exp(rank - most) for action, rank in ranks.items()}
        total, all_visits = sum(weights.values()), 1 + sum(visits.values())
        return max(legal, key=lambda a: weights[a] / total - visits[a] / all_visits)

    def halved(self, legal, visits, ranks):
        taken = sum(visits.values())
        if taken == 0:
            for action in legal:
                self.noise[action] = random_gumbel(self.rng.array)
        due = visits_due(taken, min(self.sampled, len(legal)), taken + self.left, 0)
        among = [action for action in legal if visits[action] == due]
        self.final = lambda visits: max(
            legal, key=lambda a: (visits[a], self.noise[a] + ranks[a])
        )
        return max(among, key=lambda a: self.noise[a] + ranks[a])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sampled", [None, 2, 16])
@pytest.mark.parametrize(
    ("game", "chosen", "owners"),
    [
        (nim, {"tree": "multi"}, [{0}, {1}, {2}]),
        (auction, {"tree": "self"}, [{0}]),
        (auction, {}, [{0, 1, 2}]),
        (GOOFSPIEL.model, {}, [{0, 1}]),
        (lambda: make_model("hex:size=3")[1], {}, [{0, 1}]),
    ],
)
def test_it_is_the_plain_search(game, chosen, owners, sampled, seed):
    model, rng = game(), new_generator(seed)
    state = model.reset(rng)
    player = model.movers(state)[0]
    evaluator = of_states(model, seed)
    settings = SearchSettings(
        value="win",
        simulations=100,
        evaluator=evaluator,
        batch=1,
        tree_policy="gumbel",
        root_policy="gumbel" if sampled else "tree",
        **({"gumbel_actions": sampled} if sampled else {}),
        **chosen,
    )
    twin = Twin(
        model, state, player, rng.copy(), evaluator, owners=owners, sampled=sampled
    )
    found = Search(model, settings).run(state, player, rng)
    assert found.visits.tolist() == twin.run(100).visits(found.actions)


# -- what it is for

CHOICE = Rules(
    "choice",
    state=np.dtype([("over", np.int8), ("taken", np.int8)]),
    game=np.dtype([("paid", np.float64, 16), ("scored", np.float64)]),
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@CHOICE.variant
def variant(game, *, players=1, paid=(0.0, 1.0), scored=0.0):
    """One decision, in which each action pays a number, in place of `scored`."""
    game["paid"][: len(paid)] = paid
    game["scored"] = scored
    return Spec(players=players, actions=len(paid))


@CHOICE.define
def reset(game, state, rng):
    state.over = 0
    state.taken = 0


@CHOICE.define
def movers(game, state):
    return 1 - state.over


@CHOICE.define
def legal_actions(game, state, player, out):
    for action in range(game.actions):
        out[action] = action
    return game.actions


@CHOICE.define
def apply(game, state, joint_action, rng):
    state.taken = joint_action[0]
    state.over = 1


@CHOICE.define
def scores(game, state, out):
    out[0] = game.paid[state.taken] if state.over else game.scored


@CHOICE.define
def results(game, state, out):
    out[0] = 1 if state.over else 0


class Prior:
    """An evaluator of fixed logits, which values the root by what they earn."""

    def __init__(self, logits, paid):
        self.logits = logits
        weights = np.exp(logits - logits.max())
        self.policy = weights / weights.sum()
        self.worth = float(self.policy @ paid)

    def observe(self, model, states, players):
        return states

    def __call__(self, observations, players, legal):
        rows = len(players)
        return np.full((rows, 1), self.worth), np.tile(self.logits, (rows, 1))


def decided(paid, logits, simulations, seeds, **chosen):
    """How often each action is chosen, and the mean of the policies that are told."""
    model = CHOICE.model(paid=tuple(paid))
    settings = SearchSettings(
        evaluator=Prior(logits, np.array(paid)),
        simulations=simulations,
        batch=1,
        root_policy="gumbel",
        tree_policy="gumbel",
        **chosen,
    )
    search = Search(model, settings)
    counts, told = np.zeros(len(paid), int), np.zeros(len(paid))
    for seed in range(seeds):
        rng = new_generator(seed)
        state = model.reset(rng)
        result = search.run(state, 0, rng)
        counts[result.action] += 1
        told += result.policy / seeds
    return counts, told


@pytest.mark.parametrize("simulations", [1, 2, 5, 16])
def test_where_all_is_worth_the_same_moves_are_samples_of_the_priors(simulations):
    logits = np.array([0.3, -1.0, 1.2, 0.0, 0.7])
    counts, told = decided([2.0] * 5, logits, simulations, 1500)
    policy = np.exp(logits) / np.exp(logits).sum()
    assert stats.chisquare(counts, policy * counts.sum()).pvalue > 1e-3
    assert told == pytest.approx(policy, abs=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("simulations", [2, 5, 16])
def test_without_noise_nothing_is_sampled(simulations, scale):
    """The greatest priors are tried, and the move is the best of them by both."""
    random = np.random.default_rng(simulations)
    for _ in range(10):
        paid, logits = scale * random.normal(size=6), random.normal(size=6)
        chosen = {"gumbel_actions": simulations, "gumbel_noise": 0.0}
        counts, _ = decided(paid, logits, simulations, 20, **chosen)
        assert sorted(counts)[-1] == 20
        move = int(np.argmax(counts))
        tried = np.argsort(-logits)[:simulations]
        assert move in tried
        # Values are stretched to the range seen, and weigh from 51 on. No action that
        # was tried is better than the move whatever they weigh.
        seen = [*paid[tried], Prior(logits, paid).worth]
        least = 51 / np.ptp(seen)
        most = (50 + simulations) / np.ptp(paid[tried])
        margins = [
            (logits + weight * paid) - (logits + weight * paid)[move]
            for weight in (least, most)
        ]
        assert np.min(margins, axis=0)[tried].max() <= 1e-9
        counts, _ = decided([2.0] * 6, logits, simulations, 20, **chosen)
        assert counts[np.argmax(logits)] == 20


@pytest.mark.parametrize(("simulations", "sampled"), [(2, 2), (4, 4), (8, 16), (16, 4)])
def test_the_policy_improves_with_any_number_of_simulations(simulations, sampled):
    """On random bandits, of any scale: the paper's main property."""
    random = np.random.default_rng(simulations)
    for scale, shift in ((1.0, 0.0), (1000.0, -5000.0), (1e-3, 7.0)):
        moves, policies = [], []
        for _ in range(8):
            paid = scale * random.normal(size=10) + shift
            logits = random.normal(size=10)
            before = Prior(logits, paid).worth
            chosen = {"gumbel_actions": sampled}
            counts, told = decided(paid, logits, simulations, 40, **chosen)
            moves.append((counts @ paid / counts.sum() - before) / scale)
            policies.append((told @ paid - before) / scale)
        # Both are from 0.38 on.
        assert np.mean(moves) > 0.1
        assert np.mean(policies) > 0.1


# -- with other options


class Offset(Prior):
    """The same, in a game whose players have scored already."""

    def __init__(self, logits, paid, offset):
        super().__init__(logits, paid)
        self.worth += offset


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_with_a_discount_what_was_scored_before_changes_nothing(discount):
    """Returns leave it out, and so does the evaluator's value of the node."""
    paid, logits = np.array([0.0, 3.0, 1.0, 2.0]), np.array([0.3, -1.0, 1.2, 0.0])
    told = []
    for offset in (0.0, 4096.0):
        model = CHOICE.model(paid=tuple(paid + offset), scored=offset)
        settings = SearchSettings(
            evaluator=Offset(logits, paid, offset),
            simulations=4,
            batch=1,
            gumbel_actions=2,
            discount=discount,
            **BOTH,
        )
        rng = new_generator(1)
        result = Search(model, settings).run(model.reset(rng), 0, rng)
        assert (result.visits > 0).sum() == 2
        told.append(result.policy)
    assert told[1] == pytest.approx(told[0], abs=1e-3)


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize(
    "model", [auction(), hands(3), nim(), make_model("hex:size=4")[1]]
)
def test_it_goes_without_an_evaluator(model, tree):
    rng = new_generator(2)
    state = model.reset(rng)
    settings = SearchSettings(simulations=64, tree=tree, gumbel_actions=4, **BOTH)
    result = Search(model, settings).run(state, model.movers(state)[0], rng)
    assert result.visits.sum() == 64
    assert (result.visits > 0).sum() == min(4, len(result.actions))
    assert result.policy.sum() == pytest.approx(1.0)
    assert result.visits[result.actions == result.action] == result.visits.max()


def test_a_proven_win_is_taken():
    """X completes a line, whatever is sampled."""
    model = make_model("tictactoe")[1]
    for seed in range(20):
        rng = new_generator(seed)
        state = model.reset(rng)
        for move in (0, 3, 1, 4):
            model.apply(state, {model.movers(state)[0]: move}, rng)
        settings = SearchSettings(
            simulations=8, root_policy="gumbel", gumbel_actions=2, solver=True
        )
        assert Search(model, settings).run(state, 0, rng).action == 2


@pytest.mark.parametrize("batch", [2, 8])
def test_waiting_visits_count(batch):
    model = auction()
    rng = new_generator(0)
    state = model.reset(rng)
    settings = SearchSettings(
        value="win", evaluator=of_states(model), batch=batch, simulations=200, **BOTH
    )
    result = Search(model, settings).run(state, 0, rng)
    assert result.visits.sum() == 200


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"reuse_tree": True}, "reuse_tree=True: root_policy='gumbel'"),
        ({"threads": 2}, "threads=2: root_policy='gumbel' needs the statistics of a"),
        ({"gumbel_actions": 0}, "gumbel_actions=0"),
        ({"evaluator": AnsweredLater(), "batch": 8, "virtual_loss": 0, "value": "win"},
         "virtual_loss=0: root_policy='gumbel' shares out batch=8 leaves"),
        ({"root_policy": "tree", "gumbel_scale": 2.0, "tree_policy": "ucb1"},
         "root_policy gumbel or tree_policy gumbel"),
        ({"simulations": None, "seconds": 0.1}, "needs a budget of simulations"),
    ],
)  # fmt: skip
def test_what_it_does_not_go_with(chosen, words):
    model = nim()
    with pytest.raises(ValueError, match=words):
        SearchSettings(**{"simulations": 10, **BOTH, **chosen}).for_model(model)


@pytest.mark.parametrize("paranoid", [False, True])
def test_values_of_opponents_are_on_the_scale_of_their_means(paranoid):
    """`v_mix` mixes the evaluator's value of a node with the means of its actions."""
    model = make_model("hex:size=3")[1]
    settings = SearchSettings(
        tree_policy="gumbel", paranoid=paranoid, value="win", batch=1,
        simulations=40, evaluator=AnsweredLater(),
    )  # fmt: skip
    search, rng = Search(model, settings), new_generator(1)
    search.begin(model.reset(rng), 0, rng)
    for _ in range(60):
        search.advance(40)
        if rows := search.waiting:
            search.answer(np.tile([0.7, 0.3], (rows, 1)), np.zeros((rows, 9)))
    workspace = search._workspace
    nodes = workspace.memory.arrays["nodes"][: int(workspace.record["node_count"][0])]
    for player, value in ((0, 0.7), (1, -0.7 if paranoid else 0.3)):
        visited = nodes[(nodes["player"] == player) & (nodes["visits"] > 0)]
        assert len(visited) > 0
        assert visited["raw_value"].tolist() == pytest.approx([value] * len(visited))


class StatesLater(AnsweredLater):
    def observe(self, model, states, players):
        return states


@pytest.mark.parametrize("paranoid", [False, True])
def test_values_where_several_move_are_those_that_are_backed_up(paranoid):
    """A mover's own row counts; a paranoid search takes the root player's for all."""
    model, rng = auction(), new_generator(2)
    state = model.reset(rng)
    assert model.movers(state) == (0, 1, 2)
    settings = SearchSettings(
        tree_policy="gumbel", paranoid=paranoid, value="win", batch=1,
        simulations=1, evaluator=StatesLater(),
    )  # fmt: skip
    search = Search(model, settings)
    search.begin(state, 0, rng)
    search.advance(1)
    _, players, _ = search.leaves()
    assert players.tolist() == [0, 1, 2]
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
    search.answer(values, np.zeros((3, model.actions)))
    workspace = search._workspace
    (bandits,) = workspace.reader().bandits_below(0)
    nodes = workspace.memory.arrays["nodes"]
    raw = [float(nodes[bandits[player]]["raw_value"]) for player in range(3)]
    assert raw == pytest.approx([0.1, -0.1, -0.1] if paranoid else [0.1, 0.5, 0.9])
