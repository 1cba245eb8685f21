"""Determinizations and threads against the single searches that they consist of."""

import dataclasses
import time

import numpy as np
import pytest

from mcts_agents.envs.hex.rules import rules as hex_rules
from mcts_agents.model import draw_uint64, new_generator
from mcts_agents.search import Search, SearchSettings
from tests.toy_games import FUSE_RAISES, auction, fuse, hands, nim

HANDS = hands(3)


def opening(model, seed=0):
    """Return (opening, a mover, generator)."""
    rng = new_generator(seed)
    state = model.reset(rng)
    return state, model.movers(state)[0], rng


def alone(model, settings, state, player, rng, simulations):
    """Search once and advance the generator as far as the search itself does."""
    single = dataclasses.replace(
        settings, determinizations=1, combine="average", threads=1
    )
    if settings.determinizations > 1:
        single = dataclasses.replace(single, information="perfect")
    search = Search(model, single)
    found = search.run(state, player, rng.copy(), simulations=simulations)
    rng[:] = search._workspace.memory.arrays["rng"]
    return found


def shares(total, parts):
    """Share out a budget as evenly as can be."""
    return [len(range(part, total, parts)) for part in range(parts)]


def merged(parts, combine, final="visits"):
    """Return (visits, values) of several searches, in plain Python."""
    actions = len(parts[0].actions)
    visits, values = [0] * actions, [float("nan")] * actions
    for a in range(actions):
        tried = [part for part in parts if part.visits[a] > 0]
        visits[a] = sum(int(part.visits[a]) for part in tried)
        if tried and combine == "average":
            values[a] = sum(part.values[a] for part in tried) / len(tried)
        elif tried:
            total = sum(part.values[a] * part.visits[a] for part in tried)
            values[a] = total / visits[a]
    if combine == "vote":
        visits = [0] * actions
        for part in parts:
            keys = [(n, v) for n, v in zip(part.visits, part.values, strict=True)]
            if final == "value":
                keys = [(v, n) for n, v in keys]
            keys = [tuple(-1e9 if np.isnan(x) else x for x in key) for key in keys]
            visits[keys.index(max(keys))] += 1
    return visits, values


@pytest.mark.parametrize("combine", ["average", "visits", "vote"])
@pytest.mark.parametrize("final", ["visits", "value"])
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_determinizations_merge_their_searches(combine, final, tree):
    settings = SearchSettings(
        simulations=203, determinizations=5, combine=combine, final=final, tree=tree
    )
    for seed in range(5):
        state, player, rng = opening(HANDS, seed)
        twin = rng.copy()
        found = Search(HANDS, settings).run(state, player, rng)
        parts = []
        for simulations in shares(203, 5):
            world = HANDS.copy(state)
            HANDS.redeterminise(world, player, twin)
            part = alone(HANDS, settings, world, player, twin, simulations)
            assert part.simulations == simulations
            parts.append(part)
        visits, values = merged(parts, combine, final)
        assert found.visits.tolist() == visits
        np.testing.assert_allclose(found.values, values, atol=1e-12)
        assert found.simulations == 203
        for name in ("forward_model_calls", "nodes"):
            assert getattr(found, name) == sum(getattr(part, name) for part in parts)
        for name in ("depth", "bytes"):  # one tree after another
            assert getattr(found, name) == max(getattr(part, name) for part in parts)
        keys = {"visits": visits, "value": np.nan_to_num(values, nan=-1e9).tolist()}
        key = keys["visits" if combine == "vote" else final]  # visits are votes then
        assert key[found.actions.tolist().index(found.action)] == max(key)


def test_threads_hold_a_tree_each_at_once():
    """And the trees of determinizations one after another."""
    state, player, rng = opening(HANDS, 0)
    found = {
        (threads, count): Search(
            HANDS,
            SearchSettings(
                simulations=400 * threads * count,
                threads=threads,
                determinizations=count,
            ),
        ).run(state, player, rng.copy())
        for threads in (1, 2)
        for count in (1, 5)
    }
    for count in (1, 5):
        assert 1.4 < found[2, count].bytes / found[1, count].bytes < 2.8


def test_determinizations_are_dealt_anew():
    held = set()

    def value(model, state):
        held.add(int(model.view(state)["hands"][1]))
        return model.scores(state)

    state, player, rng = opening(HANDS, 1)
    while player != 0:
        state = HANDS.reset(rng)
        player = HANDS.movers(state)[0]
    chosen = {"max_depth": 1, "rollout": 0, "value": value}
    for count in (1, 2, 60):
        held.clear()
        settings = SearchSettings(
            simulations=120,
            information="perfect" if count == 1 else "set",
            determinizations=count,
            **chosen,
        )
        Search(HANDS, settings).run(state, player, rng)
        assert len(held) <= count
        assert len(held) > min(count, 35) / 2  # three of seven cards


def test_every_determinization_gets_one_simulation_at_least():
    state, player, rng = opening(HANDS)
    settings = SearchSettings(simulations=3, determinizations=10)
    assert Search(HANDS, settings).run(state, player, rng).simulations == 10


def test_calls_are_shared_out():
    state, player, rng = opening(HANDS)
    settings = SearchSettings(forward_model_calls=1000, determinizations=10)
    found = Search(HANDS, settings).run(state, player, rng)
    # The last iteration of each may go over, by a game of nine actions at the most.
    assert 1000 <= found.forward_model_calls <= 1000 + 10 * 9


# -- threads


@pytest.mark.parametrize("model", [nim(), auction(), HANDS], ids=lambda m: m.name)
@pytest.mark.parametrize("tree", ["one", "multi"])
@pytest.mark.parametrize("count", [2, 3])
def test_threads_merge_their_searches(model, tree, count):
    settings = SearchSettings(simulations=301, threads=count, tree=tree, solver=False)
    for seed in range(3):
        state, player, rng = opening(model, seed)
        twin = rng.copy()
        found = Search(model, settings).run(state, player, rng)
        seeds = [draw_uint64(twin) for _ in range(count)]
        parts = [
            alone(
                model,
                settings,
                state,
                player,
                new_generator(np.random.SeedSequence([seeds[part], part])),
                simulations,
            )
            for part, simulations in enumerate(shares(301, count))
        ]
        visits, values = merged(parts, "visits")
        assert found.visits.tolist() == visits
        np.testing.assert_allclose(found.values, values, atol=1e-12)
        assert found.simulations == sum(visits) == 301
        assert len({part.values.tobytes() for part in parts}) > 1, "one search twice"


def test_the_same_seed_and_number_of_threads_decide_alike():
    model = auction()
    settings = SearchSettings(simulations=2000, threads=3)
    results = []
    for _ in range(4):
        state, player, rng = opening(model, 7)
        search = Search(model, settings)
        results.append(
            [
                (found.action, found.visits.tolist(), found.values.tolist())
                for found in (search.run(state, player, rng) for _ in range(3))
            ]
        )
    assert all(result == results[0] for result in results)
    assert len({str(decision) for decision in results[0]}) == 3


def test_average_strategies_are_averaged():
    model = auction()
    settings = SearchSettings(simulations=400, threads=2, tree_policy="exp3")
    state, player, rng = opening(model)
    twin = rng.copy()
    found = Search(model, settings).run(state, player, rng)
    seeds = [draw_uint64(twin) for _ in range(2)]
    strategies = [
        alone(
            model,
            settings,
            state,
            player,
            new_generator(np.random.SeedSequence([seeds[part], part])),
            200,
        ).strategy
        for part in range(2)
    ]
    np.testing.assert_allclose(found.strategy, np.mean(strategies, axis=0))
    assert found.strategy.sum() == pytest.approx(1)


@pytest.mark.parametrize("combine", ["average", "visits", "vote"])
def test_threads_of_determinizations(combine):
    settings = SearchSettings(
        simulations=120, threads=2, determinizations=3, combine=combine
    )
    state, player, rng = opening(HANDS, 2)
    twin = rng.copy()
    found = Search(HANDS, settings).run(state, player, rng)
    seeds = [draw_uint64(twin) for _ in range(2)]
    parts = []
    for thread in range(2):
        own = new_generator(np.random.SeedSequence([seeds[thread], thread]))
        for _ in range(3):
            world = HANDS.copy(state)
            HANDS.redeterminise(world, player, own)
            parts.append(alone(HANDS, settings, world, player, own, 20))
    visits, values = merged(parts, combine)
    assert found.visits.tolist() == visits
    np.testing.assert_allclose(found.values, values, atol=1e-12)
    assert found.simulations == 120


def test_an_error_in_a_thread_comes_out():
    model = fuse()
    state, player, rng = opening(model)
    model.view(state)["fault"] = FUSE_RAISES
    single = Search(model, SearchSettings(simulations=100))
    search = Search(model, SearchSettings(simulations=100, threads=2))
    for either in (single, search):
        with pytest.raises(Exception, match="the fuse is blown"):
            either.run(state, player, rng)


@pytest.mark.parametrize(
    "option", ["rollout_policy", "opponent_model", "value", "action_heuristic"]
)
def test_python_in_threads_is_refused(option):
    settings = SearchSettings(threads=2, **{option: lambda *_: 0})
    with pytest.raises(ValueError, match=r"threads=2: .* runs in Python"):
        Search(nim(), settings)


def winning_actions(model, state):
    """Return the actions of the player to move that win, by trying everything."""
    known = {}

    def winner(state):
        key = state.tobytes()
        if key not in known:
            if model.is_over(state):
                known[key] = int(np.argmax(model.returns(state)))
            else:
                (player,) = model.movers(state)
                others = {winner(after(state, player, a)) for a in legal(state, player)}
                known[key] = player if player in others else 1 - player
        return known[key]

    def legal(state, player):
        return model.legal_actions(state, player).tolist()

    def after(state, player, action):
        changed = model.copy(state)
        model.apply(changed, {player: action}, new_generator(0))
        return changed

    (player,) = model.movers(state)
    return {
        a for a in legal(state, player) if winner(after(state, player, a)) == player
    }


def test_what_one_thread_proves_is_proven():
    """Threads that prove different actions to win do not cancel each other's proofs."""
    model = hex_rules.model(size=3)
    state = model.reset(new_generator(0))
    winning = winning_actions(model, state)
    assert 1 < len(winning) < 9
    search = Search(model, SearchSettings(simulations=3000, threads=2))
    alone = Search(model, SearchSettings(simulations=1500))
    solved = 0
    for seed in range(60):
        rng = new_generator(seed)
        seeds = [draw_uint64(rng) for _ in range(2)]
        found = search.run(state, 0, new_generator(seed))
        parts = [
            alone.run(state, 0, new_generator(np.random.SeedSequence([seed, part])))
            for part, seed in enumerate(seeds)
        ]
        assert found.solved == any(part.solved for part in parts)
        if found.solved:
            assert found.action in winning
            assert found.action in {part.action for part in parts if part.solved}
        solved += parts[0].solved != parts[1].solved
    assert solved > 5


@pytest.mark.parametrize(
    ("taken", "given"),
    [
        ([1, 1, 1, 1], [15, 59 / 3, 29, 57]),  # they end early
        ([25, 10, 10, 15], [15, 35 / 3, 12.5, 15]),  # a pause in the first
        ([15, 42, 2, 1], [15, 15, 1.5, 1]),  # and in the second
        ([15, 45], [15, 15]),  # for as long as there was time
    ],
)
def test_determinizations_that_begin_late_share_what_is_left_of_the_time(
    taken, given, monkeypatch
):
    """A pause before the search or in one of its parts leaves no part without time."""
    state, player, rng = opening(HANDS)
    search = Search(HANDS, SearchSettings(seconds=100.0, determinizations=4))
    now, ends, once = 1000.0, [], search.search_once

    def timed(world, player, rng, budget, end):
        nonlocal now
        short = dataclasses.replace(budget, simulations=5)
        found = once(world, player, rng, short, end)
        ends.append(end - now)
        now += taken[len(ends) - 1]
        return found

    monkeypatch.setattr(time, "perf_counter", lambda: now)
    search.search_once = timed
    # Forty seconds are over already.
    found = search.run(state, player, rng, started=now - 40.0)
    assert ends == pytest.approx(given)
    assert found.simulations == 5 * len(given)
