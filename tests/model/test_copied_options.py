"""Every option does in copies what it does in compiled rules of the same game."""

import numpy as np
import pytest

from mcts_agents import MCTSAgent, PolicyAgent
from mcts_agents.model import History, new_generator
from mcts_agents.model.contract import ROW
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.search import Search, SearchSettings
from tests.model.gathering import compiled, gathering
from tests.model.third_party import Matching, serialised_matching

KEY = {"state_key": lambda env: (env.turn, env.heaps)}


def half_of_the_scores(model, state):
    return 0.5 * model.scores(state) - 3.0


def by_number(model, state, player, actions):
    return -1.0 * actions


def last_action(model, state, player):
    return int(model.legal_actions(state, player)[-1])


def weighing(observations, players, legal):
    """Value and rank by what is seen, whatever its type."""
    seen = np.asarray(observations, np.float64)
    values = np.stack([seen @ [0.1, 0.3, -0.2, p] for p in range(SEATS)], 1)
    return values, -np.arange(legal.shape[1]) * (1.0 + seen[:, :1])


SEATS = 2
EVALUATED = {"evaluator": weighing, "tree_policy": "alphago", "rollout": 0}


def of_compiled(settings, players=2, chance=True, moves=()):
    model = compiled(players, chance)
    state, rng = model.reset(new_generator(0)), new_generator(7)
    for move in moves:
        model.apply(state, {model.movers(state)[0]: move}, rng)
    player = model.movers(state)[0]
    search = Search(model, SearchSettings(**settings))
    return search.run(state, player, new_generator(7))


def of_copies(settings, players=2, chance=True, moves=(), playout=True, **env):
    model = CopiedEnvironment(
        gathering(players, moves, **env),
        perfect_information=True,
        deterministic=not chance,
        **KEY,
    )
    if not playout:
        model.table[ROW["playout"]] = 0
    with model.planning(None, new_generator(1)) as (state, player):
        search = Search(model, SearchSettings(**settings))
        return search.run(state, player, new_generator(7))


def assert_same(first, second):
    assert first.visits.tolist() == second.visits.tolist()
    assert first.values == pytest.approx(second.values, nan_ok=True)
    assert first.action == second.action
    assert first.forward_model_calls == second.forward_model_calls


def named(settings):
    """Return settings as a text that is the same in every process."""
    return ",".join(f"{k}={getattr(v, '__name__', v)}" for k, v in settings.items())


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rollout": 3},
        {"rollout": 0},
        {"discount": 0.9},
        {"discount": 0.9, "rollout": 2},
        {"discount": 1.0, "graph": True},
        {"graph": True},
        {"graph": True, "expand_after_clash": True, "rollout": 0},
        {"loop": "sampled"},
        {"loop": "sampled", "discount": 0.8},
        {"tree": "self"},
        {"tree": "pair"},
        {"tree": "multi"},
        {"tree": "multi", "paranoid": True},
        {"tree": "observers", "discount": 0.5},
        {"mast": "both", "rollout_policy": "mast"},
        {"value": "win"},
        {"value": "leader"},
        {"value": half_of_the_scores, "rollout": 4},
        {"value": half_of_the_scores, "rollout": 0},
        {"rollout_policy": last_action},
        {"opponent_model": last_action, "tree": "self"},
        {"action_heuristic": by_number, "progressive_bias": 2.0},
        {"action_heuristic": by_number, "widening": 2.0},
        {"backup": "max_lambda", "backup_lambda": 0.5},
        {"root_policy": "sequential_halving"},
        {"root_policy": "gumbel", "tree_policy": "gumbel"},
        {"rollout_end": "action", "rollout": 2},
        {"rollout": 2, "rollout_per_player": True},
        EVALUATED,
        {**EVALUATED, "batch": 4},
        {**EVALUATED, "batch": 4, "graph": True},
        {**EVALUATED, "batch": 2, "discount": 0.9},
        {**EVALUATED, "tree": "multi", "batch": 3},
        {**EVALUATED, "loop": "sampled", "discount": 0.9},
    ],
    ids=named,
)
def test_as_in_compiled_rules(settings):
    settings = {"simulations": 150, "rollout": 100, **settings}
    assert_same(of_compiled(settings), of_copies(settings))
    moves = (0, 4)
    assert_same(of_compiled(settings, moves=moves), of_copies(settings, moves=moves))


@pytest.mark.parametrize(
    "settings",
    [
        {"loop": "open"},
        {"loop": "closed"},
        {"loop": "closed", "rollout": 0},
        {"loop": "closed", "discount": 0.9},
        {"loop": "closed", "value": half_of_the_scores, "rollout": 2},
        {"loop": "closed", "rollout_end": "action", "rollout": 2},
        {"loop": "open", "value": "win"},
        {"loop": "open", "value": "win", "solver": True},
        {"loop": "open", "graph": True},
        {**EVALUATED, "loop": "closed", "batch": 4},
        {**EVALUATED, "loop": "closed", "discount": 0.9},
    ],
    ids=named,
)
def test_without_chance_as_in_compiled_rules(settings):
    settings = {"simulations": 150, "rollout": 100, **settings}
    first, second = (
        of_compiled(settings, chance=False),
        of_copies(settings, chance=False),
    )
    assert_same(first, second)


def test_with_three_players():
    for settings in ({}, {"tree": "pair"}, {"value": half_of_the_scores}):
        settings = {"simulations": 120, "rollout": 5, **settings}
        assert_same(of_compiled(settings, 3), of_copies(settings, 3))


def test_the_playout_row_changes_no_decision():
    for settings in (
        {},
        {"rollout": 3},
        {"tree": "multi"},
        {"rollout": 4, "graph": True},
    ):
        settings = {"simulations": 100, "rollout": 100, **settings}
        for players in (1, 2, 3):
            whole = of_copies(settings, players)
            assert_same(whole, of_copies(settings, players, playout=False))
    for env in (Matching(), serialised_matching()):
        env.reset(seed=0)
        found = []
        for playout in (True, False):
            model = CopiedEnvironment(env, perfect_information=True)
            if not playout:
                model.table[ROW["playout"]] = 0
            with model.planning("player_0", new_generator(1)) as (state, player):
                search = Search(model, SearchSettings(simulations=60, rollout=3))
                found.append(search.run(state, player, new_generator(7)))
        assert_same(*found)


def test_a_constant_in_every_reward_is_a_constant_in_values():
    settings = {"simulations": 9, "rollout": 0}
    plain = of_copies(settings)
    for shift in (-40.0, 1000.0):
        # After one visit each values are the rewards of one step.
        shifted = of_copies(settings, shift=shift)
        assert shifted.visits.tolist() == [1] * 9
        assert shifted.values == pytest.approx(plain.values + shift)
        assert shifted.action == plain.action


def test_kept_trees_are_those_of_compiled_rules():
    settings = SearchSettings(simulations=100, rollout=100, reuse_tree=True)
    model = compiled(2, True)
    state, rng = model.reset(new_generator(0)), new_generator(3)
    search, moves = Search(model, settings), []
    env = gathering()
    copies = CopiedEnvironment(env, perfect_information=True)
    search_of_copies, rng_of_copies = Search(copies, settings), new_generator(3)
    for _ in range(3):
        history = History(1, tuple(moves))
        first = search.run(state, 0, rng, history=history)
        with copies.planning(None, new_generator(1)) as (root, player):
            assert copies.history().moves == history.moves
            second = search_of_copies.run(
                root, player, rng_of_copies, history=copies.history()
            )
        assert_same(first, second)
        assert (second.reused > 0) == bool(moves)
        for action in (first.action, int(model.legal_actions(state, 0)[0])):
            player = model.movers(state)[0]
            legal = model.legal_actions(state, player)
            action = action if action in legal else int(legal[0])
            model.apply(state, {player: action}, rng.copy())
            env.step(action)
            moves.append(tuple(action if p == player else -1 for p in range(2)))


def test_a_policy_values_leaves_and_gives_priors():
    def policy(observation, mask):
        assert observation.dtype == np.float32
        return np.where(np.arange(9) == 4, 9.0, 0.0), float(observation[1] == 4) - 0.5

    def of_parts(observation, mask):
        return policy(observation["observation"], mask)

    for view, function in (("flat", policy), ("dict", of_parts)):
        agent = MCTSAgent(
            simulations=40,
            evaluator=PolicyAgent(function, observation=view),
            tree_policy="alphago",
            perfect_information=True,
            seed=0,
        )
        result = agent.plan(gathering())
        assert result.actions[result.visits.argmax()] == 4  # by its prior
        tried = result.values[result.visits > 0]
        assert tried.min() >= 0.0
        assert tried.max() <= 1.0
