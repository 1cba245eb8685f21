"""Leaves valued by an evaluator in batches."""

import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.envs.tictactoe.rules import rules
from tests.exact import positions, tictactoe
from tests.search.evaluators import (
    Even,
    Linear,
    Perfect,
    linear,
    of_states,
    run,
    virtual_visits,
)
from tests.search.schedule_game import schedule
from tests.toy_games import auction, hands, nim

TICTACTOE = rules.model()


# -- against AlphaZero written down plainly


class TwinNode:
    """A position of Tic-Tac-Toe in the twin's tree."""

    def __init__(self, board):
        self.board = board
        self.player = "XO".index(tictactoe.mover(board))
        self.children = {}
        self.visits, self.total, self.priors = {}, {}, {}

    def expand(self, evaluator):
        """Ask the network alone; return the values of both players."""
        cells = np.array(list(self.board))
        own, other = "XO"[self.player], "OX"[self.player]
        seen = np.array([cells == own, cells == other, np.ones(9, bool)], np.int8)
        legal = cells == "."
        answer = evaluator.answer(seen[None], np.array([self.player]), legal[None])
        values, logits = answer[0][0], answer[1][0]
        weights = {a: math.exp(logits[a]) for a in range(9) if legal[a]}
        for a, weight in weights.items():
            self.priors[a] = float(np.float32(weight / sum(weights.values())))
            self.visits[a], self.total[a] = 0, 0.0
        return values


def index(node, action, low, high, exploration):
    """PUCT; an untried action has the least value."""
    n, q = node.visits[action], 0.0
    if n and high > low:
        q = (node.total[action] / n - low) / (high - low)
    root_of_n = math.sqrt(sum(node.visits.values()) + 1)
    return q + exploration * node.priors[action] * root_of_n / (1 + n)


def twin(board, evaluator, simulations, exploration, normalise):
    """AlphaZero's search, one leaf at a time; returns the root."""
    root = TwinNode(board)
    first = root.expand(evaluator)
    low, high = (min(first), max(first)) if normalise else (0.0, 1.0)
    for _ in range(simulations):
        node, path = root, []
        while True:
            scaled = low, high, exploration
            action = max(node.visits, key=lambda a, n=node, s=scaled: index(n, a, *s))
            path.append((node, action))
            board = tictactoe.after(node.board, action)
            won = tictactoe.winner(board)
            if won or "." not in board:
                values = (0.5, 0.5) if not won else (won == "X", won == "O")
                break
            if action not in node.children:
                node.children[action] = TwinNode(board)
                values = node.children[action].expand(evaluator)
                break
            node = node.children[action]
        for node, action in path:
            node.visits[action] += 1
            node.total[action] += values[node.player]
        if normalise:
            low, high = min(low, *values), max(high, *values)
    return root


@pytest.mark.parametrize("loop", ["open", "closed"])
@pytest.mark.parametrize("normalise", [False, True])
def test_one_leaf_at_a_time_is_alphazero(loop, normalise):
    for seed, moves in enumerate([(), (4,), (0, 4), (1, 3, 5)]):
        evaluator = linear(TICTACTOE, seed)
        chosen = {"exploration": 1.25, "normalise": normalise, "loop": loop}
        found, _ = run(TICTACTOE, evaluator, moves=moves, batch=1, **chosen)
        board = tictactoe.position(moves)
        root = twin(board, evaluator, 300, 1.25, normalise)
        assert found.visits.tolist() == list(root.visits.values())
        for value, n, total in zip(
            found.values, root.visits.values(), root.total.values(), strict=True
        ):
            assert value == pytest.approx(total / n, abs=1e-12) if n else True
        assert set(evaluator.calls) == {1}


# -- batches


@pytest.mark.parametrize("batch", [1, 8, 64])
def test_perfect_values_find_the_best_move(batch):
    for position in positions.TICTACTOE:
        found, _ = run(
            TICTACTOE,
            Perfect(2),
            moves=position.moves,
            batch=batch,
            simulations=500,
        )
        assert found.action == position.best


@pytest.mark.parametrize(
    ("spec", "chosen"),
    [
        ("tictactoe", {"loop": "closed"}),
        ("hex:size=4", {}),
        ("sushi_go", {}),
        ("sushi_go", {"tree": "self", "loop": "sampled"}),
        ("love_letter:players=3", {}),
        ("love_letter:players=3", {"tree": "self"}),
        ("love_letter:players=3", {"tree": "pair", "determinizations": 2}),
        ("diamant:players=3", {}),
    ],
    ids=str,
)
def test_visits_add_up_and_virtual_losses_are_gone(spec, chosen):
    model = make_model(spec)[1]
    evaluator = linear(model)
    for batch in (1, 5, 16):
        found, search = run(model, evaluator, batch=batch, **chosen)
        assert found.visits.sum() == found.simulations == 300
        assert not virtual_visits(search).any()
        again, _ = run(model, evaluator, batch=batch, **chosen)
        assert again.visits.tolist() == found.visits.tolist()
        np.testing.assert_array_equal(again.values, found.values)


def test_means_are_those_of_the_values_backed_up():
    class Numbered(Even):
        """Gives every leaf another value, and notes which move led to it."""

        def answer(self, observations, players, legal):
            values = np.empty((len(players), 2))
            for row, seen in enumerate(observations.reshape(-1, 3, 9)):
                values[row] = (len(self.calls) % 7) / 7, (row % 5) / 5
                self.given[tuple(np.flatnonzero(seen[1]))].append(values[row, 0])
            return values, np.zeros(legal.shape)

    evaluator = Numbered(2)
    evaluator.given = defaultdict(list)
    found, _ = run(TICTACTOE, evaluator, max_depth=1, batch=7, virtual_loss=3)
    for action, n, value in zip(found.actions, found.visits, found.values, strict=True):
        given = evaluator.given[action,]
        assert len(given) == n
        assert value == pytest.approx(np.mean(given), abs=1e-12)


@pytest.mark.parametrize("loop", ["open", "closed"])
def test_equal_values_stay_equal(loop):
    model = make_model("hex:size=6")[1]
    found, _ = run(model, Even(2), loop=loop, batch=16)
    assert (found.values[found.visits > 0] == 0.5).all()


@pytest.mark.parametrize("batch", [1, 4, 8, 32])
def test_calls_are_a_batch_each(batch):
    model = make_model("hex:size=6")[1]
    evaluator = Even(2)
    run(model, evaluator, batch=batch, simulations=1000)
    assert max(evaluator.calls) == batch
    assert evaluator.calls[0] == 1
    assert sum(evaluator.calls) == 1001  # no game ends this early
    assert 1000 / batch + 1 <= len(evaluator.calls) <= 1.1 * 1000 / batch + 6


def test_who_does_not_move_has_no_action_after_a_leaf_between_two_movers():
    """The game itself looks; a descent ends where the third player is to decide."""
    model = schedule(players=3, masks=(1, 6) * 3)
    for batch in (1, 8):
        result, _ = run(
            model, of_states(model), simultaneous="serialised", batch=batch, value="win"
        )
        assert result.visits.sum() == 300


@pytest.mark.parametrize("tree", ["multi", "observers"])
def test_opponents_with_roots_of_their_own_cannot_move_at_the_root(tree):
    model = make_model("sushi_go:players=3")[1]
    apart = {"tree": tree, "opponent_information": "separate"}
    with pytest.raises(RuntimeError, match=r"'separate' with an evaluator.*'merged'"):
        run(model, of_states(model), **apart)
    in_turn = make_model("love_letter:players=3")[1]
    result, _ = run(in_turn, of_states(in_turn), **apart)
    assert result.visits.sum() == 300


def test_virtual_losses_spread_a_batch():
    # Without them all descents of a batch run into the first one's leaf.
    model = make_model("hex:size=6")[1]
    calls = {}
    for loss in (0, 1, 10):
        evaluator = linear(model)
        run(model, evaluator, batch=16, virtual_loss=loss)
        calls[loss] = len(evaluator.calls)
    assert calls[0] == 301
    assert calls[10] <= calls[1] < 100


def test_slices_and_growth_change_nothing(monkeypatch):
    from mcts_agents.search.driver import leaf_batches, memory

    cases = [
        (TICTACTOE, linear(TICTACTOE), {"loop": "closed"}),
        (hands(3), of_states(hands(3)), {}),
        (auction(), of_states(auction()), {"loop": "sampled"}),
    ]
    expected = [run(m, e, batch=8, **c)[0] for m, e, c in cases]
    monkeypatch.setattr(memory, "FIRST_NODES", 8)
    monkeypatch.setattr(memory, "FIRST_EDGES", 32)
    monkeypatch.setattr(memory, "FIRST_JOINTS", 8)
    monkeypatch.setattr(leaf_batches, "DESCENTS", 1)
    for (model, evaluator, chosen), before in zip(cases, expected, strict=True):
        found, search = run(model, evaluator, batch=8, **chosen)
        assert found.visits.tolist() == before.visits.tolist()
        np.testing.assert_array_equal(found.values, before.values)
        assert not virtual_visits(search).any()


@pytest.mark.parametrize("steps", [1, 3, 9])
@pytest.mark.parametrize("graph", [False, True])
def test_little_room_for_paths_only_shortens_batches(monkeypatch, steps, graph):
    from mcts_agents.search.driver import leaf_batches

    monkeypatch.setattr(leaf_batches, "STEPS_A_LANE", 0)
    evaluator = linear(TICTACTOE)
    found, _ = run(TICTACTOE, evaluator, batch=64, max_depth=steps, graph=graph)
    assert found.simulations == found.visits.sum() == 300


# -- budgets


@pytest.mark.parametrize("simulations", [1, 2, 7, 100])
def test_simulations_are_exact(simulations):
    for model in (TICTACTOE, nim(), hands(2)):
        found, _ = run(model, of_states(model), simulations=simulations, batch=8)
        assert found.simulations == found.visits.sum() == simulations


def test_other_budgets_end_with_nothing_waiting():
    model = make_model("hex:size=6")[1]
    for budget, least in (
        ({"seconds": 0.03}, 1),  # more only on a machine that does nothing else
        ({"forward_model_calls": 500}, 20),
        ({"memory": 1, "simulations": 10**6}, 20),
    ):
        evaluator = Even(2)
        found, search = run(model, evaluator, batch=8, **{"simulations": None} | budget)
        assert found.visits.sum() == found.simulations >= least
        assert not virtual_visits(search).any()
        if "forward_model_calls" in budget:
            assert 500 <= found.forward_model_calls < 600
        if "memory" in budget:
            assert found.bytes <= 1 << 20


# -- games that need more


@pytest.mark.parametrize("tree", ["self", "pair"])
def test_pommerman_with_planes(tree):
    from mcts_agents.envs.pommerman.planes import PLANES, planes

    model = make_model("pommerman")[1]

    class Planes(Linear):
        def observe(self, model, states, players):
            pairs = zip(states, players, strict=True)
            return np.stack([planes(model, state, int(p)) for state, p in pairs])

        def answer(self, observations, players, legal):
            assert observations.shape == (len(players), PLANES, 11, 11)
            assert observations.dtype == np.float32
            values, logits = super().answer(observations, players, legal)
            return values, logits / 10

    evaluator = Planes(4, (PLANES * 11 * 11, model.actions))
    chosen = {"tree": tree, "loop": "sampled", "opponent_model": "simple_unbiased"}
    found, search = run(model, evaluator, exploration=2.5, player=0, **chosen)
    assert found.visits.sum() == found.simulations == 300
    assert not virtual_visits(search).any()
    again, _ = run(model, evaluator, exploration=2.5, player=0, **chosen)
    assert again.visits.tolist() == found.visits.tolist()


def test_a_sampled_loop_values_each_state_once():
    model = auction()
    evaluator = of_states(model)
    found, _ = run(model, evaluator, tree="self", loop="sampled", batch=4)
    assert found.visits.sum() == 300
    assert sum(evaluator.calls) <= found.nodes  # the end of the game has one, too


def test_the_example_of_the_documentation():
    page = Path(__file__).parents[2] / "docs" / "neural_evaluation.md"
    code = re.search(r"```python\n(.*?)```", page.read_text(), re.DOTALL)[1]
    names = {}
    exec(code.replace("print(", "found = ("), names)
    assert names["found"].sum() == 1000


def test_a_module_of_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.value = torch.nn.Linear(27, 2)
            self.policy = torch.nn.Linear(27, 9)

        @torch.inference_mode()
        def forward(self, observations, players, legal):
            seen = torch.tensor(observations, dtype=torch.float32).flatten(1)
            return torch.sigmoid(self.value(seen)), self.policy(seen)

    torch.manual_seed(0)
    found, _ = run(TICTACTOE, Network())
    assert found.visits.sum() == 300
