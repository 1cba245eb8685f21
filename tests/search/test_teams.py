"""Searches of team games: team mates share results, and want the same."""

import pickle
from functools import cache

import numpy as np
import pytest

from mcts_agents.envs.pommerman.rules import rules as pommerman
from mcts_agents.model import DRAWN, LOST, WON, new_generator
from mcts_agents.search import Search, SearchSettings
from tests.team_game import STONES

PAIRS, THREE = (0, 1, 0, 1), (0, 1, 2, 1)


@cache
def outcome(teams, left, turn):
    """Who wins with best play: a team, "draw", None if a loser's whim decides."""
    if left == 0:
        last = (turn - 1) % 4
        return "draw" if last == 3 else teams[last]
    found = {
        outcome(teams, left - taken, (turn + 1) % 4)
        for taken in range(1, min(3, left) + 1)
    }
    if teams[turn] in found:
        return teams[turn]
    if None in found:
        return None
    if "draw" in found:
        return "draw"
    return found.pop() if len(found) == 1 else None


@pytest.mark.parametrize("teams", [PAIRS, (0, 0, 1, 1), (0, 1, 1, 1), THREE])
def test_the_solver_proves_what_exact_search_proves(teams):
    proven = set()
    for left in range(2, 11):
        for player in range(4):
            model = STONES.model(teams=teams, left=left)
            state = model.reset(new_generator(0))
            model.view(state)["turn"] = player
            search = Search(model, SearchSettings(simulations=50_000))
            result = search.run(state, player, new_generator(left))
            expected = outcome(teams, left, player)
            assert result.solved == (expected is not None)
            if expected is None:
                continue
            following = left - 1 - result.action, (player + 1) % 4
            assert outcome(teams, *following) == expected
            proven.add("draw" if expected == "draw" else expected == teams[player])
            texts = {
                entry["action"]: entry["proven"]
                for entry in result.tree(0)["bandits"][0]["actions"]
            }
            assert texts[result.action] == {
                "draw": "proven draw",
                teams[player]: "proven win",
            }.get(expected, "proven loss")
    assert proven == {"draw", True, False}


def test_two_teams_are_two_sides_whom_paranoia_does_not_change():
    """Where one side's win is the other's loss both find the same proofs."""
    settings = [SearchSettings(simulations=3000, paranoid=p) for p in (False, True)]
    for left in range(4, 12):
        model = STONES.model(teams=PAIRS, left=left)
        assert all(chosen.for_model(model).solver for chosen in settings)
        state = model.reset(new_generator(0))
        plain, paranoid = (
            Search(model, chosen).run(state, 0, new_generator(1)) for chosen in settings
        )
        assert plain.solved and paranoid.solved
        # After each action the same is proven.
        after = [outcome(PAIRS, left - 1 - r.action, 1) for r in (plain, paranoid)]
        assert after[0] == after[1] == outcome(PAIRS, left, 0)
    with pytest.raises(
        ValueError,
        match=r"Paranoid with more than two teams \(a player without team mates is one",
    ):
        SearchSettings(solver=True, paranoid=True).for_model(STONES.model(teams=THREE))


@pytest.mark.parametrize("teams", [PAIRS, THREE, (0, 0, 1, 2), (0, 1, 2, 3)])
def test_paranoid_wants_the_harm_of_other_teams_only(teams):
    """Below the root every visited action has its player's value of one leaf."""
    model = STONES.model(teams=teams, left=9)
    state = model.reset(new_generator(0))
    settings = SearchSettings(
        paranoid=True,
        value="leader",
        rollout=0,
        max_depth=3,
        simulations=400,
        solver=False,
    )
    result = Search(model, settings).run(state, 0, new_generator(2))
    seen = set()
    for first in result.tree()["children"]:
        for second in first["node"]["children"]:
            (bandit,) = second["node"]["bandits"]
            assert bandit["player"] == 2
            for entry in bandit["actions"]:
                if entry["visits"] == 0:
                    continue
                taken = first["actions"][0] + second["actions"][1] + entry["action"] + 3
                scores = [(p - 3) % 4 + 0.25 * p * (9 - taken) for p in range(4)]
                if taken == 9:
                    factor = {True: 1.5, False: 0.5}
                    won = [factor[team == teams[2]] for team in teams]
                    scores = [s * w for s, w in zip(scores, won, strict=True)]
                others = [p for p in range(4) if teams[p] != teams[0]]
                rivals = [scores[p] for p in others]
                own = scores[0] - max(rivals)
                sign = 1 if teams[2] == teams[0] else -1
                assert entry["value"] == pytest.approx(sign * own)
                seen.add(entry["action"])
    assert seen == {0, 1, 2}


def test_a_team_mate_is_no_opponent():
    """With a tree of a player and the next opponent a team mate is in no tree."""

    def players_of(node):
        found = set(node["movers"])
        return found.union(*(players_of(child["node"]) for child in node["children"]))

    for teams in [(0, 0, 1, 1), (0, 1, 1, 0), PAIRS, (0, 1, 2, 3)]:
        model = STONES.model(teams=teams, left=12)
        state = model.reset(new_generator(0))
        settings = SearchSettings(tree="pair", simulations=300)
        result = Search(model, settings).run(state, 0, new_generator(0))
        others = {p for p in range(4) if teams[p] != teams[0]}
        assert players_of(result.tree()) == {0} | others


@pytest.mark.parametrize("mode", ["ffa", "team", "radio"])
def test_pommerman_says_its_teams(mode):
    model = pommerman.model(mode=mode)
    assert model.teams == ((0, 1, 2, 3) if mode == "ffa" else PAIRS)
    assert model.team_count == (4 if mode == "ffa" else 2)
    assert pickle.loads(pickle.dumps(model)).teams == model.teams


def test_the_results_of_pommerman_are_those_of_teams():
    model = pommerman.model(mode="team", max_steps=60)
    ends = set()
    for seed in range(300):
        rng = new_generator(seed)
        state = model.reset(rng)
        for limit in (40, 80, 10**6):
            model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
            results = model.results(state).tolist()
            assert results[0] == results[2]
            assert results[1] == results[3]
        assert model.is_over(state)
        ends.add(tuple(results[:2]))
    assert ends == {(DRAWN, DRAWN), (WON, LOST), (LOST, WON)}


def test_an_unfinished_team_game_is_worth_half():
    model = pommerman.model(mode="team")
    state = model.reset(new_generator(0))
    settings = SearchSettings(
        simulations=100, rollout=0, max_depth=1, action_filter="all", value="win"
    )
    result = Search(model, settings).run(state, 1, new_generator(0))
    np.testing.assert_array_equal(result.values, 0.5)
