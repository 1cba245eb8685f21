"""Scripted policies that remember: whose memory it is, when it begins, who keeps it."""

import numpy as np
import pytest

from mcts_agents.model import History, Rules, RulesError, new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.driver import memory
from tests.search.remembering_game import ACTIONS, COUNT, moves_of, remembering

# Everybody at once, then in turn, some more often than others.
MASKS = (7, 7, 1, 2, 6, 7, 5, 4, 7, 3, 7, 7)
MODEL = remembering(MASKS)
ALTERNATING = [1, 2]


def leaves(seed=0, model=MODEL, simulations=300, history=None, search=None, **chosen):
    """The states that a search values, and its result."""
    seen = []

    def value(model, state):
        seen.append(state.copy())
        return model.scores(state)

    rng = new_generator(seed)
    state = model.reset(rng)
    settings = SearchSettings(simulations=simulations, value=value, **chosen)
    found = Search(model, settings).run(state, 0, rng)
    return seen, found


def follows(moves, first) -> bool:
    """Whether a policy that counts its calls made these moves."""
    return moves == [(first + call) % ACTIONS for call in range(len(moves))]


@pytest.mark.parametrize("loop", ["open", "sampled"])
@pytest.mark.parametrize("rollout", [0, 2, 1000])
def test_a_memory_begins_with_the_decision_and_is_each_players_own(loop, rollout):
    firsts = set()
    for seed in range(6):
        chosen = {"tree": "self", "loop": loop, "rollout": rollout}
        seen, _ = leaves(seed, opponent_model="counts", **chosen)
        for player in (1, 2):
            first = moves_of(MODEL, seen[0], player)[0]
            # At every leaf the whole line is that of one memory, begun before it.
            assert all(follows(moves_of(MODEL, s, player), first) for s in seen)
            firsts.add((seed, player, first))
    drawn = [first for *_, first in sorted(firsts)]
    assert len(set(drawn)) > 2  # by the decision's generator
    assert drawn[::2] != drawn[1::2]  # and for each player


@pytest.mark.parametrize("loop", ["open", "sampled"])
def test_the_root_player_remembers_its_rollout_only(loop):
    chosen = {"tree": "self", "loop": loop, "max_depth": 1, "rollout": 1000}
    seen, found = leaves(3, rollout_policy="counts", opponent_model="highest", **chosen)
    own = [moves_of(MODEL, state, 0) for state in seen]
    first = own[0][1]
    assert all(follows(moves[1:], first) for moves in own)
    assert {moves[0] for moves in own} == set(found.actions.tolist())
    for player in (1, 2):
        assert set(moves_of(MODEL, seen[0], player)) == {4}


def reply(model, state, player):
    """The policy `counts_from_two`, which finds its memory in the state."""
    return (2 + len(moves_of(model, state, player))) % ACTIONS


SEARCHES = [
    {"tree": "self", "rollout": 0},
    {"tree": "self", "rollout": 3},
    {"tree": "self", "max_depth": 2, "rollout": 1000},
    {"tree": "pair", "rollout": 0},
    {"tree": "pair", "rollout": 0, "paranoid": True, "simultaneous": "serialised"},
]


@pytest.mark.parametrize(
    ("loop", "chosen"),
    [
        (loop, chosen)
        for chosen in SEARCHES
        for loop in ("open", "sampled")
        # Open, who left the tree asks a policy that has not seen its moves.
        if loop == "sampled" or "simultaneous" not in chosen
    ],
    ids=str,
)
def test_the_compiled_policy_chooses_as_the_same_in_python(loop, chosen):
    if chosen["tree"] == "pair":
        # Whom the tree owns never asks its policy: only player 2 is modelled, always.
        model = remembering((7, 7, 7, 7, 7, 7))
    else:
        model = MODEL
    for seed in range(3):
        results = []
        for policy in ("counts_from_two", reply):
            rollouts = {"rollout_policy": "random"} if chosen["rollout"] else {}
            options = {"loop": loop, "opponent_model": policy, **rollouts, **chosen}
            _, found = leaves(seed, model, **options)
            results.append((found.visits.tolist(), found.values.tolist()))
        assert results[0] == results[1]


def test_stored_states_bring_their_memories_back():
    # Replies that follow from memories make an open loop's states those of its paths.
    model = remembering((7, 3, 5, 7, 1, 3, 3, 7, 5, 7, 7))
    for rollout in (0, 2):
        chosen = {"tree": "self", "opponent_model": "counts", "rollout": rollout}
        if rollout:
            chosen |= {"rollout_policy": "highest"}
        (opened, one), (sampled, other) = (
            leaves(5, model, loop=loop, **chosen) for loop in ("open", "sampled")
        )
        assert [s.tobytes() for s in opened] == [s.tobytes() for s in sampled]
        assert one.visits.tolist() == other.visits.tolist()
        assert other.forward_model_calls < one.forward_model_calls


def test_memories_grow_along_with_the_tree(monkeypatch):
    chosen = {"tree": "self", "loop": "sampled", "opponent_model": "counts"}
    expected, _ = leaves(4, rollout=0, **chosen)
    monkeypatch.setattr(memory, "FIRST_NODES", 4)
    monkeypatch.setattr(memory, "FIRST_EDGES", 16)
    small, _ = leaves(4, rollout=0, **chosen)
    assert [s.tobytes() for s in small] == [s.tobytes() for s in expected]


@pytest.mark.parametrize("loop", ["open", "sampled"])
@pytest.mark.parametrize(
    ("own", "others"), [("guarded", "counts_from_two"), ("counts_from_two", "guarded")]
)
def test_memories_of_different_size_side_by_side(loop, own, others):
    chosen = {"tree": "self", "loop": loop, "max_depth": 1, "rollout": 1000}
    seen, _ = leaves(2, rollout_policy=own, opponent_model=others, **chosen)
    for state in seen:
        for player in range(3):
            moves = moves_of(MODEL, state, player)[player == 0 :]
            if (own if player == 0 else others) == "guarded":
                assert moves == (6 * ALTERNATING)[: len(moves)]
            else:
                assert follows(moves, 2)


def test_a_policy_without_a_memory_beside_one_with():
    chosen = {"tree": "self", "max_depth": 1, "rollout": 1000}
    seen, _ = leaves(1, rollout_policy="counts", opponent_model="highest", **chosen)
    assert {move for s in seen for p in (1, 2) for move in moves_of(MODEL, s, p)} == {4}
    settings = SearchSettings(tree="self", opponent_model="highest").for_model(MODEL)
    assert memory.policy_bytes(MODEL, settings) == 0
    assert MODEL.policy_bytes("highest") == 0
    assert MODEL.policy_bytes("counts") == COUNT.itemsize


def test_a_reused_tree_keeps_its_states_memories():
    # `persists` plays what its memory was begun with, which each decision draws anew.
    model = remembering((1, 2, 4) * 4)
    ends = []

    def value(model, state):
        ends.append([moves_of(model, state, player)[-1] for player in range(3)])
        return model.scores(state)

    policies = {"rollout_policy": "persists", "opponent_model": "persists"}
    settings = SearchSettings(
        simulations=200,
        loop="closed",
        reuse_tree=True,
        rollout=1000,
        value=value,
        **policies,
    )
    for seed in range(4):
        search, rng = Search(model, settings), new_generator(seed)
        state = model.reset(rng)
        first = search.run(state, 0, rng, history=History(seed, ()))
        line = [action for _, action in first.principal_variation[:3]]
        moves = [(line[0], -1, -1), (-1, line[1], -1), (-1, -1, line[2])]
        for joint in moves:
            model.apply(state, joint, rng)
        # The tree is shallow, so that a game's last moves are the rollout's.
        assert first.depth < 9
        (begun,) = {tuple(end) for end in ends}
        ends.clear()
        again = search.run(state, 0, rng, history=History(seed, tuple(moves)))
        assert again.reused > 0
        assert again.depth < 6
        assert {tuple(end) for end in ends} == {begun}
        ends.clear()
        fresh = search.run(state, 0, rng, history=History(seed + 1, tuple(moves)))
        assert fresh.reused == 0
        if {tuple(end) for end in ends} != {begun}:
            break
        ends.clear()
    else:
        raise AssertionError("no decision drew other memories")


def test_threads_and_slices_make_no_difference(monkeypatch):
    from mcts_agents.search.driver import workspace as workspace_module

    chosen = {"tree": "self", "loop": "sampled", "opponent_model": "counts"}
    rng = new_generator(9)
    state = MODEL.reset(rng)

    def visits(**more):
        settings = SearchSettings(simulations=400, rollout=4, **chosen, **more)
        return Search(MODEL, settings).run(state, 0, new_generator(1)).visits.tolist()

    expected = visits()
    monkeypatch.setattr(workspace_module, "SLICE_SECONDS", 1e-9)
    assert visits() == expected
    assert visits(threads=2) == visits(threads=2)
    assert sum(visits(threads=2)) == 400


# -- by hand


def test_a_policy_is_stepped_by_hand():
    state = MODEL.reset(new_generator(0))
    record = np.zeros(1, COUNT)
    rng, same = new_generator(5), new_generator(5)
    MODEL.begin_policy("counts", record.ctypes.data, rng)
    first = int(record["first"][0])
    assert record["calls"][0] == 0
    MODEL.begin_policy("counts", record.ctypes.data, same)
    assert record["first"][0] == first
    for call in range(7):
        address = record.ctypes.data
        action = MODEL.policy_action("counts", state, 1, address, rng)
        assert action == (first + call) % ACTIONS
        assert record["calls"][0] == call + 1
    MODEL.begin_policy("highest", 0, rng)  # there is nothing to begin
    assert MODEL.policy_action("highest", state, 1, 0, rng) == 4


# -- what is refused

RECORD = np.dtype([("last", np.int8)])


def fits(game, state, player, memory, rng):
    return 0


def forgets(game, state, player, rng):
    return 0


def begins(memory, rng):
    pass


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (fits, {}, r"write `def fits\(game, state, player, rng\)` instead of `def "),
        (forgets, {"memory": RECORD, "begin": begins}, r"`def forgets\(game, .*memory"),
        (fits, {"memory": RECORD}, r"both `memory`, .* and `begin`"),
        (fits, {"begin": begins}, r"both `memory`, .* and `begin`"),
        (fits, {"memory": RECORD, "begin": fits}, r"write `def fits\(memory, rng\)`"),
        (fits, {"memory": np.dtype(np.int8), "begin": begins}, "a record such as"),
        (fits, {"memory": np.dtype([("a", object)]), "begin": begins}, "a record such"),
        (fits, {"memory": [("last", np.int8)], "begin": begins}, "a record such as"),
    ],
)
def test_errors_name_what_to_write(function, options, words):
    rules = Rules("forgetful", state=np.dtype([("over", np.int8)]))
    with pytest.raises(RulesError, match=f"^forgetful: .*{words}"):
        rules.policy(function, **options)
    assert not rules._policies
    assert rules.policy(fits, memory=RECORD, begin=begins) is fits
    assert rules.policy(forgets) is forgets
