"""An evaluator beside every other way to search: trees, graphs, threads, tree reuse."""

import threading
import time

import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.envs import hex, make_model
from mcts_agents.envs.tictactoe.rules import rules
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.exact import positions
from tests.games.goofspiel import GOOFSPIEL
from tests.search.evaluator_twin import EvaluatorTwin
from tests.search.evaluators import PUCT, Even, Perfect, of_states, run, virtual_visits
from tests.toy_games import auction, hands, nim

TICTACTOE = rules.model()
EACH = [{0}, {1}, {2}]


def searched(model, seed, chosen, simulations=400):
    """Visits of the compiled search, and of the twin with the same generator."""
    rng = new_generator(seed)
    state = model.reset(rng)
    twin_rng = rng.copy()
    evaluator = of_states(model, seed)
    settings = {**PUCT, "simulations": simulations, "evaluator": evaluator, "batch": 1}
    search = Search(model, SearchSettings(**settings, **chosen))
    player = model.movers(state)[0]
    found = search.run(state, player, rng)
    assert found.visits.sum() == found.simulations == simulations
    assert not virtual_visits(search).any()

    def twin(**options):
        other = EvaluatorTwin(
            model, state, player, twin_rng, of_states(model, seed), **options
        )
        return other.run(simulations).visits(found.actions)

    return found.visits.tolist(), twin


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", [nim, auction])
@pytest.mark.parametrize("depth", [2, 1000])
def test_one_tree_a_player_is_the_plain_search(game, seed, depth):
    visits, twin = searched(game(), seed, {"tree": "multi", "max_depth": depth})
    assert visits == twin(owners=EACH, max_depth=depth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", [nim, auction])
@pytest.mark.parametrize("tree", ["one", "self"])
def test_other_trees_are_the_plain_search(game, tree, seed):
    visits, twin = searched(game(), seed, {"tree": tree})
    assert visits == twin(owners=[{0, 1, 2}] if tree == "one" else [{0}])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("tree", "depth"), [("one", 1000), ("pair", 1000), ("pair", 3)]
)
@pytest.mark.parametrize("game", [auction, GOOFSPIEL.model])
def test_movers_in_turn_are_the_plain_search(game, tree, depth, seed):
    chosen = {"tree": tree, "simultaneous": "serialised", "max_depth": depth}
    if tree == "pair":
        chosen["opponent"] = "next"
    visits, twin = searched(game(), seed, chosen)
    model = game()
    owners = [set(range(model.players))] if tree == "one" else None
    assert visits == twin(owners=owners, serialised=True, max_depth=depth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("simultaneous", ["serialised", "decoupled"])
@pytest.mark.parametrize("loop", ["closed", "sampled"])
def test_stored_states_change_nothing_without_chance(loop, simultaneous, seed):
    # The paper's TP-MCTS with a network.
    chosen = {"simultaneous": simultaneous, "tree": "pair", "opponent": "next"}
    visits, twin = searched(GOOFSPIEL.model(), seed, {**chosen, "loop": loop})
    assert visits == twin(serialised=simultaneous == "serialised")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("joins", [False, True])
@pytest.mark.parametrize("game", ["tictactoe", "hex:size=3"])
def test_a_graph_is_the_plain_search(game, joins, seed):
    model = make_model(game)[1]
    chosen = {"graph": True, "expand_after_clash": joins}
    visits, twin = searched(model, seed, chosen)
    assert visits == twin(owners=[{0, 1}], graph=True, joins=joins)


@pytest.mark.parametrize("chosen", [{"graph": True}, {"tree": "multi"}], ids=str)
def test_perfect_values_find_the_best_move(chosen):
    for position in positions.TICTACTOE:
        evaluator = Perfect(2)
        found, search = run(
            TICTACTOE, evaluator, moves=position.moves, batch=8, **chosen
        )
        assert found.action == position.best
        assert not virtual_visits(search).any()


def test_hidden_hands_with_a_tree_each():
    hidden = make_model("love_letter", 3)[1]
    for model, tree in ((hands(3), "multi"), (hidden, "observers")):
        for batch in (1, 8):
            evaluator = of_states(model)
            found, search = run(model, evaluator, tree=tree, batch=batch)
            assert found.visits.sum() == found.simulations == 300
            assert not virtual_visits(search).any()


# -- threads


class Alone(Even):
    """An evaluator that two threads must not call at once."""

    def __init__(self, players):
        super().__init__(players)
        self.inside = threading.Lock()
        self.threads = set()

    def answer(self, observations, players, legal):
        assert self.inside.acquire(blocking=False), "called by two threads at once"
        self.threads.add(threading.get_ident())
        for _ in range(200):  # long enough for another thread to come in
            np.ones(10).sum()
        self.inside.release()
        return super().answer(observations, players, legal)


def test_threads_ask_one_after_another():
    model = make_model("hex:size=4")[1]
    evaluator = Alone(2)
    found, _ = run(model, evaluator, threads=3, batch=2, simulations=300)
    assert found.simulations == found.visits.sum() == 300
    assert len(evaluator.threads) > 1


def test_threads_are_searches_of_their_own():
    """The visits of two threads are those of two searches with their generators."""
    model = make_model("hex:size=4")[1]
    chosen = {"batch": 4, "simulations": 200}
    both, _ = run(model, of_states(model), threads=2, **chosen)
    again, _ = run(model, of_states(model), threads=2, **chosen)
    assert both.visits.tolist() == again.visits.tolist()
    # Without noise and ties an evaluator's search draws nothing at all.
    alone, _ = run(model, of_states(model), batch=4, simulations=100)
    assert both.visits.tolist() == (2 * alone.visits).tolist()


def test_an_error_of_the_evaluator_ends_all_threads():
    class Broken(Even):
        def answer(self, observations, players, legal):
            if len(self.calls) > 5:
                raise ArithmeticError("no weights")
            return super().answer(observations, players, legal)

    model = make_model("hex:size=4")[1]
    with pytest.raises(ArithmeticError, match="no weights"):
        run(model, Broken(2), threads=2, simulations=10**6)


def test_an_error_ends_determinizations_too():
    class Broken(Even):
        after = None

        def answer(self, observations, players, legal):
            if self.after is not None:
                self.after += 1
                time.sleep(0.01)  # the thread that failed is to have the interpreter
            elif len(self.calls) > 20:
                self.after = 0
                raise ArithmeticError("no weights")
            return super().answer(observations, players, legal)

        def observe(self, model, states, players):
            return states

    evaluator = Broken(3)
    chosen = {"threads": 2, "determinizations": 10, "batch": 1, "simulations": 8000}
    with pytest.raises(ArithmeticError, match="no weights"):
        run(hands(3), evaluator, **chosen)
    # The other thread had four thousand before it, 40 seconds of sleep.
    assert evaluator.after <= 2000


# -- reuse


@pytest.mark.parametrize(
    ("tree", "loop"), [("one", "open"), ("one", "closed"), ("multi", "open")]
)
def test_a_kept_tree_keeps_its_priors_and_visits(tree, loop):
    env = hex.env(size=4)
    env.reset(seed=0)
    evaluator = Even(2)
    agent = MCTSAgent(
        simulations=500,
        evaluator=evaluator,
        reuse_tree=True,
        tree=tree,
        loop=loop,
        **PUCT,
    )
    reused = []
    for _ in range(6):
        before = sum(evaluator.calls)
        found = agent.plan(env)
        reused.append(found.reused)
        # A player's own tree also holds moves that the others have made impossible.
        gone = found.simulations + found.reused - found.visits.sum()
        assert gone == 0 if tree == "one" else 0 <= gone < found.reused or not gone
        if found.reused:
            assert sum(evaluator.calls) - before <= 500  # the root needs no answer
        env.step(found.action)
    assert reused[:2] == [0, 0]
    assert all(reused[2:])
