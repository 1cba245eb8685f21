"""RAVE, GRAVE and MCPS against an obvious implementation with the same random numbers.

`reference.Plain` keeps all playouts and counts them anew at each visit. Every node of
the compiled search must have the same statistics, and every choice must be the same.
"""

import dataclasses

import numpy as np
import pytest

from mcts_agents.envs import GAMES, make_model
from mcts_agents.model import new_generator
from mcts_agents.names import parse_spec
from mcts_agents.permutation import PermutationSearch, PermutationSettings
from mcts_agents.permutation.kernel.codes import NO_CODE
from mcts_agents.permutation.kernel.records import ILLEGAL_NARROW, ILLEGAL_WIDE, NONE
from mcts_agents.permutation.kernel.weights import grave_value, mcps_value
from tests.model.test_moves import with_codes
from tests.models import Models
from tests.permutation.reference import Plain, PlainByPath, codes_of
from tests.team_game import STONES

# A power of two: sums with it are exact, as those of fractions are.
BIAS = 2.0**-12


def repeating():
    """A game in which positions come again: a token on a circle, for 30 turns."""
    rules = with_codes()

    @rules.define
    def state_key(game, state, observer):
        return 2 * state.at + state.turn

    return rules.model()


MODELS = Models(
    {
        "tictactoe": lambda: make_model("tictactoe")[1],
        "hex 3x3": lambda: make_model("hex:size=3")[1],
        "hex 4x4": lambda: make_model("hex:size=4,first_cell=a2")[1],
        "hex 5x5": lambda: make_model("hex:size=5")[1],
        "hex 9x9": lambda: make_model("hex:size=9")[1],
        "dots for 3": lambda: make_model("dots_and_boxes:width=2,height=2", 3)[1],
        "connect four": lambda: make_model("connect_four")[1],
        "row": repeating,
    }
)


def opening(model, plies=0, seed=0):
    """Return the position after some random moves."""
    rng = new_generator(seed)
    state = model.reset(rng)
    for _ in range(plies):
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        model.apply(state, {player: int(legal[seed % len(legal)])}, rng)
    return state


def both(model, settings, state, *, seed=5, **plain):
    """Search in both ways; return the compiled search, its result and the plain one."""
    search = PermutationSearch(model, settings)
    by_path = search.settings.nodes == "path"
    player = plain.setdefault("root", model.movers(state)[0])
    rng = new_generator(seed)
    # The move at the end may be drawn, so compare the generators before that.
    result = search.run(state, player, rng.copy())
    drawn = search.memory.arrays["rng"].copy()
    other = (PlainByPath if by_path else Plain)(
        model, state, settings.algorithm, rng, ref=search.settings.ref,
        bias=search.settings.bias, value=settings.value,
        bonus=search.settings.score_bonus, rollout=settings.rollout,
        max_depth=settings.max_depth, **plain,
    )  # fmt: skip
    for _ in range(settings.simulations):
        other.iterate()
    assert drawn.tolist() == rng.tolist()
    return search, result, other


def compare(search, plain, permutes=False):
    """Assert that all nodes have the same statistics; return how many were compared."""
    arrays, record = search.memory.arrays, search.record[0]
    nodes = list(plain.nodes.values())  # both number nodes as they make them
    assert record["node_count"] == len(nodes)
    codes = arrays["place_codes"][: record["place_count"]]
    places = 1 + np.flatnonzero(codes[1:] != NO_CODE)
    players = arrays["place_players"][places].tolist()
    moves = list(zip(players, codes[places].tolist(), strict=True))
    compared = 0
    for i, node in enumerate(nodes):
        found = arrays["nodes"][i]
        assert found["visits"] == len(node.playouts)
        assert found["player"] == node.player
        if found["first"] == NONE:
            assert not node.actions
            continue
        edges = np.arange(found["first"], found["first"] + found["count"])
        if found["run"]:
            illegal = ILLEGAL_NARROW if record["narrow"] else ILLEGAL_WIDE
            edges = edges[arrays["edge_sums"][edges] != illegal]
            assert (edges - found["first"]).tolist() == node.actions
        else:
            assert arrays["edge_actions"][edges].tolist() == node.actions
        assert arrays["edge_visits"][edges].tolist() == node.visits
        assert arrays["edge_sums"][edges].tolist() == node.sums
        if found["block"] != NONE:
            block = found["block"]
            counts, sums = arrays["amaf_counts"][block], arrays["amaf_sums"][block]
            known = counts[places].tolist(), sums[places].tolist()
            assert list(zip(*known, strict=True)) == plain.amaf(node, moves)
            compared += len(moves)
        if permutes and node.path:
            assert found["counted"] - node.counted in (0, 1)
            known = plain.permutations(node, node.moves, found["counted"])
            counts = arrays["edge_permutations"][edges].tolist()
            sums = arrays["edge_permutation_sums"][edges].tolist()
            assert list(zip(counts, sums, strict=True)) == known
            compared += len(known)
    return compared


@pytest.mark.parametrize("ref", [0, 7, 10_000])
@pytest.mark.parametrize("algorithm", ["grave", "mcps"])
@pytest.mark.parametrize("game", MODELS)
def test_every_statistic_and_every_choice(game, algorithm, ref):
    model = MODELS[game]
    bias = {"bias": BIAS} if algorithm == "grave" else {}
    settings = PermutationSettings(algorithm, simulations=150, ref=ref, **bias)
    plies = 3 if game == "tictactoe" else 0
    found = both(model, settings, opening(model, plies, seed=1))
    search, _, plain = found
    assert compare(search, plain, permutes=algorithm == "mcps") > 0


@pytest.mark.parametrize("game", ["hex 4x4", "hex 9x9"])
def test_values_below_0_where_sets_of_actions_are_handed_over(game):
    model = MODELS[game]
    settings = PermutationSettings("mcps", simulations=300, ref=7, value="score")
    search, _, plain = both(model, settings, opening(model))
    assert search.memory.set_words > 0
    assert search.record["has_parts"][0]
    assert compare(search, plain, permutes=True) > 0


CUT = [
    {"rollout": 1},
    {"rollout": 7},
    {"max_depth": 1},
    {"max_depth": 3, "rollout": 4},
]


@pytest.mark.parametrize("cut", CUT, ids=str)
@pytest.mark.parametrize("algorithm", ["rave", "grave", "mcps"])
@pytest.mark.parametrize(
    ("game", "value"),
    [("hex 4x4", "win"), ("dots for 3", "score"), ("row", "win")],
)
def test_playouts_and_paths_that_are_cut_short(game, value, algorithm, cut):
    model = MODELS[game]
    ref = {} if algorithm == "rave" else {"ref": 7}
    bias = {} if algorithm == "mcps" else {"bias": BIAS}
    settings = PermutationSettings(
        algorithm, simulations=250, value=value, **ref, **bias, **cut
    )
    search, result, plain = both(model, settings, opening(model))
    assert compare(search, plain, permutes=algorithm == "mcps") > 0
    assert result.depth <= settings.max_depth
    if game != "row":  # where positions come again, which ends a descent
        assert (result.depth == settings.max_depth) == ("max_depth" in cut)
    most = result.simulations * (result.depth + settings.rollout)
    assert result.forward_model_calls <= most


@pytest.mark.parametrize("bonus", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("value", ["score", "leader"])
def test_a_bonus_is_the_share_of_the_score_that_is_said(value, bonus):
    model = MODELS["dots for 3"]
    settings = PermutationSettings(
        "mcps", simulations=150, ref=7, value=value, score_bonus=bonus
    )
    search, _, plain = both(model, settings, opening(model))
    assert compare(search, plain, permutes=True) > 0
    rewarded = {float(value) for values in plain.values for value in values}
    assert any(value % 1 for value in rewarded) == (bonus == 0.25)


@pytest.mark.parametrize("game", ["hex 4x4", "dots for 3"])
def test_rave_is_grave_whose_reference_is_the_node(game):
    model = MODELS[game]
    settings = PermutationSettings("rave", simulations=150, bias=BIAS)
    search, _, plain = both(model, settings, opening(model))
    assert compare(search, plain) > 0
    assert plain.ref == 0


@pytest.mark.parametrize("kind", ["exact", "abstract"])
@pytest.mark.parametrize("algorithm", ["grave", "mcps"])
def test_codes_of_the_game(kind, algorithm):
    model = MODELS["row"]
    settings = PermutationSettings(algorithm, simulations=200, ref=5, codes=kind)
    if algorithm == "grave":
        settings = PermutationSettings(
            algorithm, simulations=200, ref=5, codes=kind, bias=BIAS
        )
    search, _, plain = both(model, settings, opening(model), **codes_of(model, kind))
    assert compare(search, plain, permutes=algorithm == "mcps") > 0
    used = {move[1] for move in plain.names if move is not None}
    assert (used <= {0, 1}) == (kind == "abstract")


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("hex:size=5", "exact"), ("nogo:size=4", "exact"), ("wargame", "abstract")],
)
def test_incremental_counts_equal_a_recount(spec, kind):
    name = parse_spec(spec)[0]
    if name not in GAMES:
        pytest.skip(f"the game {name} is missing")
    model = make_model(spec, 3 if name == "wargame" else 2)[1]
    settings = PermutationSettings("mcps", simulations=2000, codes=kind)
    found = both(model, settings, opening(model), **codes_of(model, kind))
    search, result, plain = found
    assert compare(search, plain, permutes=True) > 10_000
    root = next(iter(plain.nodes.values()))
    assert result.visits.tolist() == root.visits


def test_without_gamma_the_decisions_are_those_of_grave():
    model = MODELS["hex 5x5"]
    state = opening(model)
    grave = PermutationSearch(
        model, PermutationSettings("grave", simulations=1000, bias=0.0)
    )
    mcps = PermutationSearch(model, PermutationSettings("mcps", simulations=1000))
    for seed in range(5):
        expected = grave.run(state, 0, new_generator(seed))
        with_gamma = mcps.run(state, 0, new_generator(seed))
        mcps.record["permutes"] = 0
        without = mcps.run(state, 0, new_generator(seed))
        mcps.record["permutes"] = 1
        assert without.visits.tolist() == expected.visits.tolist()
        np.testing.assert_array_equal(without.values, expected.values)
        assert with_gamma.visits.tolist() != expected.visits.tolist()


def test_the_weights_are_those_of_the_paper():
    """Section 3.2 in floating point, for random statistics."""
    rng = np.random.default_rng(3)
    plain = Plain(MODELS["tictactoe"], None, "mcps", None)
    for _ in range(200):
        n, n_amaf, n_permuted = map(int, rng.integers(1, 1000, 3))
        q, q_amaf, q_permuted = rng.random(3)
        c = (n_amaf + n_permuted) / n_amaf
        weight = c * n + n_amaf + n_permuted
        expected = c * n * q + n_amaf * q_amaf + n_permuted * q_permuted
        own, amaf = (n, n * q), (n_amaf, n_amaf * q_amaf)
        permuted = (n_permuted, n_permuted * q_permuted)
        assert mcps_value(*own, *amaf, *permuted) == pytest.approx(expected / weight)
        found = float(plain.combined(own, amaf, permuted))
        assert found == pytest.approx(expected / weight)
        # Without permutations alpha is that of RAVE and GRAVE: n / (n + n_amaf).
        without = (n * q + n_amaf * q_amaf) / (n + n_amaf)
        assert mcps_value(*own, *amaf, 0, 0.0) == pytest.approx(without)
        beta = n_amaf / (n_amaf + n + BIAS * n_amaf * n)
        expected = (1 - beta) * q + beta * q_amaf
        assert grave_value(*own, *amaf, BIAS) == pytest.approx(expected)


def test_growing_changes_nothing():
    """A search that grows all of its arrays decides as one with room."""
    model = MODELS["hex 5x5"]
    grows_without_a_trace(model, opening(model))


def test_growing_changes_nothing_by_path():
    """Hidden cards, and four players who decide at once."""
    model = make_model("sushi_go", 4)[1]
    grows_without_a_trace(model, model.reset(new_generator(0)), nodes="path")


@pytest.mark.parametrize("algorithm", ["grave", "mcps"])
@pytest.mark.parametrize(
    ("simulations", "options"), [(33_000, {}), (2_000, {"rollout": 22})]
)
def test_statistics_become_wide_without_a_trace(algorithm, simulations, options):
    """As there are too many playouts, or as one of them is cut short: worth 1/2."""
    model = MODELS["hex 5x5"]
    settings = PermutationSettings(algorithm, simulations=20, ref=7, **options)
    state, found = opening(model), []
    player = model.movers(state)[0]
    for wide in (False, True):
        search = PermutationSearch(model, settings)
        if wide:
            rooms = dataclasses.replace(search.memory.rooms, wide=True)
            search.memory.grow(rooms, search._enter_all)
        search.record["simulation_limit"] = 3
        search.run(state, player, new_generator(1))
        assert search.record["narrow"][0] == (not wide)
        search.record["simulation_limit"] = simulations
        result = search.run(state, player, new_generator(1))
        assert not search.record["narrow"][0]
        arrays = search.memory.arrays
        names = ["edge_visits", "edge_sums", "edge_children"]
        if algorithm == "mcps":
            names += ["edge_permutations", "edge_permutation_sums"]
        blocks = search.record["block_count"][0]
        found.append([result.visits, result.values])
        found[-1] += [arrays[name][:blocks] for name in ("amaf_counts", "amaf_sums")]
        for node in arrays["nodes"][:300]:
            if node["first"] != NONE:
                edges = slice(node["first"], node["first"] + node["count"])
                found[-1] += [arrays[name][edges] for name in names]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def grows_without_a_trace(model, state, **options):
    for algorithm in ("grave", "mcps"):
        settings = PermutationSettings(algorithm, simulations=3000, **options)
        roomy = PermutationSearch(model, settings)
        expected = roomy.run(state, 0, new_generator(1))
        few = PermutationSettings(algorithm, simulations=20, **options)
        tight = PermutationSearch(model, few)
        tight.record["simulation_limit"] = 3000
        before = vars(tight.memory.rooms).copy()
        found = tight.run(state, 0, new_generator(1))
        after = vars(tight.memory.rooms)
        for name in ("nodes", "edges", "moves", "entries", "playouts"):
            assert after[name] > before[name], name
        assert found.visits.tolist() == expected.visits.tolist()
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.forward_model_calls == expected.forward_model_calls


BY_PATH = Models(
    {
        # chance and joint moves; hidden cards; several moves in a turn; none of these
        "diamant": lambda: (make_model("diamant", 3)[1], 2),
        "love letter": lambda: (make_model("love_letter", 3)[1], 0),
        "dots for 4": lambda: (make_model("dots_and_boxes:width=2,height=2", 4)[1], 0),
        "tictactoe": lambda: (MODELS["tictactoe"], 0),
        "hex 3x3": lambda: (MODELS["hex 3x3"], 0),
    }
)


@pytest.mark.parametrize("value", ["win", "score"])
@pytest.mark.parametrize("algorithm", ["grave", "mcps"])
@pytest.mark.parametrize("game", BY_PATH)
def test_by_path_every_statistic_and_every_choice(game, algorithm, value):
    model, root = BY_PATH[game]
    bias = {"bias": BIAS} if algorithm == "grave" else {}
    settings = PermutationSettings(
        algorithm, simulations=250, ref=6, value=value, nodes="path", **bias
    )
    state = model.reset(new_generator(4))
    moves = {"playout": codes_of(model, "exact", sets=False)["playout"]}
    found = both(model, settings, state, root=root, **moves)
    search, result, plain = found
    assert compare(search, plain, permutes=algorithm == "mcps") > 0
    first = next(iter(plain.nodes.values()))
    at = dict(zip(first.actions, first.visits, strict=True))
    assert result.visits.tolist() == [at.get(a, 0) for a in result.actions.tolist()]
    assert first.player == root


@pytest.mark.parametrize("algorithm", ["rave", "grave", "mcps"])
@pytest.mark.parametrize(
    ("teams", "value"),
    [
        ((0, 1, 0, 1), "win"),
        ((0, 1, 0, 1), "score"),
        ((0, 1, 0, 1), "leader"),
        ((0, 1, 2, 1), "score"),
        ((0, 1, 2, 1), "leader"),
    ],
)
def test_team_mates_share_what_they_win(teams, value, algorithm):
    model = STONES.model(teams=teams, left=12)
    ref = {} if algorithm == "rave" else {"ref": 6}
    bias = {} if algorithm == "mcps" else {"bias": BIAS}
    settings = PermutationSettings(
        algorithm, simulations=250, value=value, **ref, **bias
    )
    for root in (0, 1):
        state = model.reset(new_generator(0))
        for player in range(root):
            model.apply(state, {player: 0}, new_generator(0))
        search, _, plain = both(model, settings, state, root=root)
        assert compare(search, plain, permutes=algorithm == "mcps") > 0
        if value == "win":
            assert all(values[:2] == values[2:] for values in plain.values)
            assert {values[0] for values in plain.values} == {0.0, 0.5, 1.0}


@pytest.mark.parametrize("cut", CUT, ids=str)
@pytest.mark.parametrize("game", ["diamant", "love letter", "dots for 4"])
def test_by_path_playouts_and_paths_that_are_cut_short(game, cut):
    model, root = BY_PATH[game]
    settings = PermutationSettings(
        "mcps", simulations=250, ref=6, value="score", nodes="path", **cut
    )
    state = model.reset(new_generator(4))
    search, result, plain = both(model, settings, state, root=root)
    assert compare(search, plain, permutes=True) > 0
    deciding = len(model.movers(state))  # at the root all of them, whatever the depth
    assert result.depth <= max(settings.max_depth, deciding)
