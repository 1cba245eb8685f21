"""The agents `rave`, `grave` and `mcps`: options, refusals, results, trees, budgets."""

import copy
import dataclasses
import functools
import gc
import math
import pickle
import re
import warnings
import weakref

import numpy as np
import pytest
from numba import njit
from pettingzoo.classic import tictactoe_v3

from mcts_agents import make_agent
from mcts_agents.agents import GRAVEAgent, MCPSAgent, RAVEAgent, agent_spec
from mcts_agents.envs import make_model
from mcts_agents.model import RulesError, new_generator
from mcts_agents.model.compilation import statistics
from mcts_agents.permutation import PermutationSearch, PermutationSettings, driver
from mcts_agents.permutation.memory import Memory
from tests.exact import tictactoe
from tests.model.test_moves import row_game
from tests.permutation.test_search import MODELS, both, compare, opening

NAMES = ("rave", "grave", "mcps")


def hex_model():
    return MODELS["hex 5x5"]


def searched(spec, model=None, state=None, seed=1):
    model = hex_model() if model is None else model
    agent = make_agent(spec, seed=seed)
    state = model.reset(new_generator(0)) if state is None else state
    return agent.search(model, state, model.movers(state)[0])


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_decision(name):
    first, second = (searched(f"{name}:simulations=500") for _ in range(2))
    assert first.visits.tolist() == second.visits.tolist()
    assert first.action == second.action
    assert first.simulations == 500
    # The first playout makes the root; each other one chooses there.
    assert first.visits.sum() == 499
    other = searched(f"{name}:simulations=500", seed=2)
    assert first.visits.tolist() != other.visits.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_a_long_search_does_not_lose_tictactoe(name):
    model = MODELS["tictactoe"]
    rng = np.random.default_rng(2)
    agent = make_agent(f"{name}:simulations=3000", seed=1)
    good = checked = 0
    while checked < 20:
        moves = tuple(rng.permutation(9)[: 3 + checked % 4].tolist())
        board = tictactoe.position(moves)
        if tictactoe.winner(board):
            continue
        state = model.reset(new_generator(0))
        for i, cell in enumerate(moves):
            model.apply(state, {i % 2: cell}, new_generator(0))
        checked += 1
        expected = tictactoe.move_values(board)
        found = agent.search(model, state, len(moves) % 2)
        good += expected[found.action] == max(expected.values())
    assert good >= 19


def test_options_and_specs():
    agent = GRAVEAgent(simulations=200, ref=20, bias=0.001, seed=3)
    assert repr(agent) == "GRAVEAgent(simulations=200, ref=20, bias=0.001, seed=3)"
    assert agent_spec(agent) == "grave:simulations=200,ref=20,bias=0.001"
    again = make_agent(agent_spec(agent))
    assert again.settings == agent.settings
    assert make_agent("mcps:ref=100,codes=abstract").settings.codes == "abstract"
    assert make_agent("grave").settings.ref == 50
    assert make_agent("grave").settings.bias == 1e-5


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mcps:bias=0.1", "^unknown option of mcps 'bias': "),
        ("rave:ref=20", "^unknown option of rave 'ref': "),
        ("grave:ref=-1", "an integer from 0"),
        ("grave:bias=1e308", "at least 0.0 and at most 1000000.0"),
        ("rave:bias=inf", "at least 0.0 and at most 1000000.0"),
        ("grave:codes=vague", "one of exact, abstract, specific"),
        ("mcps:value=evaluate", "one of win, score, leader"),
        ("mcps:score_bonus=0.2", "only with value score or leader"),
        ("mcps:exploration=1.0", "^unknown option of mcps 'exploration': "),
    ],
)
def test_what_an_agent_refuses(spec, said):
    with pytest.raises(ValueError, match=said):
        make_agent(spec)


def test_settings_refuse_options_of_other_algorithms():
    with pytest.raises(ValueError, match="mcps has no such option; rave, grave have"):
        PermutationSettings("mcps", bias=0.5)
    with pytest.raises(ValueError, match="rave has no such option; grave, mcps have"):
        PermutationSettings("rave", ref=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_margin_is_one_of_seconds(name):
    words = "^safety_margin=0.1: has an effect only with a budget of seconds$"
    with pytest.raises(ValueError, match=words):
        make_agent(f"{name}:safety_margin=0.1").prepare(hex_model())
    make_agent(f"{name}:seconds=1.0,safety_margin=0.1").prepare(hex_model())


def test_what_games_cannot_serve():
    for game, reason in (
        ("diamant", "has chance, so an action may lead to several positions"),
        ("pommerman:fog=true", "hides something"),
    ):
        with pytest.raises(ValueError, match=f"nodes='position': the game {reason}"):
            make_agent("mcps:nodes=position").prepare(make_model(game)[1])
    with pytest.raises(ValueError, match="the game has no function `state_key`; use"):
        make_agent("grave:nodes=position").prepare(row_game().model())
    with pytest.raises(ValueError, match="codes='abstract': the game has exact codes"):
        make_agent("grave:codes=abstract").prepare(hex_model())
    env = tictactoe_v3.env()
    env.reset(seed=1)
    agent = MCPSAgent(perfect_information=True, deterministic=True)
    with pytest.raises(ValueError, match="copies of environments"):
        agent.act(env)
    state = hex_model().reset(new_generator(0))
    with pytest.raises(ValueError, match="player 1 has no decision to make here"):
        make_agent("mcps").search(hex_model(), state, 1)


def test_players_who_decide_at_once_need_nodes_by_path():
    rules = row_game()

    @rules.define
    def state_key(game, state, observer):
        return state.at

    @rules.define
    def movers(game, state):
        return 3 if state.at < 12 else 0

    model = rules.model()
    state = model.reset(new_generator(0))
    with pytest.raises(RuntimeError, match="supports with nodes=path only"):
        make_agent("mcps").search(model, state, 0)
    result = make_agent("mcps:nodes=path").search(model, state, 1)
    assert result.visits.sum() == result.simulations - 1


def cells_by_color(game, state, player, action):
    """A code that tells columns apart, and whose turn it is by its parity."""
    return 2 * (action % game.size) + state.turn


def test_codes_of_the_user():
    model = MODELS["hex 4x4"]
    settings = PermutationSettings(
        "mcps", simulations=200, ref=10, codes=cells_by_color
    )
    search = PermutationSearch(model, settings)
    state = opening(model)
    result = search.run(state, 1, new_generator(1))
    record, arrays = search.record[0], search.memory.arrays
    used = arrays["place_codes"][1 : record["place_count"]]
    players = arrays["place_players"][1 : record["place_count"]]
    assert (used % 2 == players).all()
    assert set(zip(players.tolist(), used.tolist(), strict=True)) == {
        (p, 2 * column + p) for p in range(2) for column in range(4)
    }
    assert result.simulations == 200


CODES_OF_A_SCRIPT = """
WIDTH = {width}

def codes_of_a_script(game, state, player, action):
    return {width} * (action % WIDTH) + player
"""


def test_codes_without_a_file_are_compiled_once_and_let_go():
    """A worker process gets a function of the script that runs anew with every game."""
    before, kept = statistics().uncached, []
    for width in (2, 2, 3, 2):
        scope = {}
        exec(CODES_OF_A_SCRIPT.format(width=width), scope)
        agent = MCPSAgent(simulations=50, codes=scope["codes_of_a_script"], seed=1)
        kept.append(weakref.ref(agent.settings.codes))
        agent.search(hex_model(), opening(hex_model()), 0)
        del agent, scope
    assert statistics().uncached - before == 2 * 2
    gc.collect()
    assert [function() is not None for function in kept] == [True, False, True, False]


def without_player(game, state, action):
    return action


def test_codes_that_cannot_be_compiled():
    with pytest.raises(RulesError, match=r"write `def without_player\(game, state, pl"):
        MCPSAgent(codes=without_player).prepare(hex_model())


class Codes:
    def __call__(self, game, state, player, action):
        return action

    def code(self, game, state, player, action):
        return action


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (Codes(), "Codes"),
        (Codes().code, "method"),
        (functools.partial(without_player, 1), "partial"),
        (functools.cache(without_player), "_lru_cache_wrapper"),
        (len, "builtin_function_or_method"),
        (Codes, "type"),
    ],
)
def test_codes_that_are_no_functions(codes, kind):
    with pytest.raises(RulesError, match=r"write `def code\(game, state, ") as refusal:
        MCPSAgent(codes=codes).prepare(hex_model())
    assert f"codes={codes!r}: only plain functions" in str(refusal.value)
    assert f"not a {kind};" in str(refusal.value)


def modulo(divisor):
    def code(game, state, player, action):
        return action % divisor

    return code


def test_codes_of_closures_and_compiled_functions():
    found = [
        MCPSAgent(simulations=100, codes=codes, seed=1).search(
            hex_model(), opening(hex_model()), 0
        )
        for codes in (modulo(3), njit(modulo(3)), modulo(25))
    ]
    assert found[0].visits.tolist() == found[1].visits.tolist()
    assert found[0].visits.tolist() != found[2].visits.tolist()


def raising(game, state, player, action):
    raise ValueError("no code")


def test_codes_that_always_raise():
    with pytest.raises(RulesError, match="`raising` has no `return`"):
        MCPSAgent(codes=raising).prepare(hex_model())


def fraction(game, state, player, action):
    return action / 2


def test_codes_that_are_fractions():
    with pytest.raises(RulesError, match="`fraction` cannot be compiled") as refusal:
        MCPSAgent(codes=fraction).prepare(hex_model())
    assert "returns float64, not a whole number" in str(refusal.value)


def negative(game, state, player, action):
    return -1 - action


def huge(game, state, player, action):
    return action << 40


@pytest.mark.parametrize("memory", [None, 64])
@pytest.mark.parametrize("codes", [negative, huge])
def test_codes_that_are_none(codes, memory):
    with pytest.raises(RuntimeError, match="a code of a move is below 0 or above"):
        agent = MCPSAgent(simulations=1000, memory=memory, codes=codes)
        agent.search(hex_model(), opening(hex_model()), 0)


def test_a_result_and_its_tree():
    result = searched("mcps:simulations=2000")
    assert result.has_tree
    assert result.nodes <= 2001
    assert result.bytes > 0
    tree = result.tree(depth=1)
    assert tree["movers"] == [0]
    assert tree["visits"] == 2000
    (bandit,) = tree["bandits"]
    for action, visits, value in zip(
        result.actions.tolist(), result.visits, result.values, strict=True
    ):
        (shown,) = [a for a in bandit["actions"] if a["action"] == action]
        assert shown["visits"] == visits
        assert (shown["value"] is None) == np.isnan(value)
        assert shown["amaf"]["visits"] >= visits
        # At the root both kinds of statistics are of all playouts.
        assert shown["permutations"] == shown["amaf"]
    child = max(tree["children"], key=lambda c: c["node"]["visits"])["node"]
    assert any(a["permutations"]["visits"] for a in child["bandits"][0]["actions"])
    assert result.principal_variation[0] == (0, result.action)
    assert len(result.principal_variation) > 1
    assert "visits" in result.dot(depth=1)
    assert result.text(depth=1) is not None
    assert (
        searched("grave:simulations=50").tree(0)["bandits"][0]["actions"][0][
            "permutations"
        ]
        is None
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_final_move_has_most_visits_or_the_greatest_mean(name):
    model, differ = MODELS["hex 4x4"], 0
    state = opening(model)
    for seed in range(20):
        found = [
            searched(f"{name}:simulations=60{final}", model, state, seed)
            for final in ("", ",final=visits", ",final=value")
        ]
        for result in found:  # they differ by nothing else
            assert result.visits.tolist() == found[0].visits.tolist()
            np.testing.assert_array_equal(result.values, found[0].values)
        visits, values = found[0].visits, found[0].values
        tried = visits > 0
        most, best = visits.max(), values[tried].max()
        actions = [int(np.flatnonzero(r.actions == r.action)[0]) for r in found]
        assert visits[actions[0]] == visits[actions[1]] == most
        assert values[actions[2]] == best
        # Among several of these the other statistic decides.
        assert values[actions[1]] == values[visits == most].max()
        assert visits[actions[2]] == visits[tried & (values == best)].max()
        differ += visits[actions[2]] < most
    assert differ > 0


def test_a_tree_is_gone_with_the_next_decision():
    agent = make_agent("grave:simulations=50", seed=1)
    first = agent.search(hex_model(), opening(hex_model()), 0)
    agent.search(hex_model(), opening(hex_model()), 0)
    with pytest.raises(RuntimeError, match="moved on to another decision"):
        first.tree()


def test_one_legal_action_needs_no_search():
    model = MODELS["tictactoe"]
    state = model.reset(new_generator(0))
    for i, cell in enumerate((0, 1, 2, 4, 3, 5, 7, 6)):
        model.apply(state, {i % 2: cell}, new_generator(0))
    result = searched("mcps", model, state)
    assert (result.action, result.simulations, result.has_tree) == (8, 0, False)


def test_budgets(ticking_clock):
    calls = searched("mcps:forward_model_calls=1000")
    assert 1000 <= calls.forward_model_calls < 1030
    agent = MCPSAgent(seconds=0.05, seed=1)
    agent.prepare(hex_model())
    result = agent.search(hex_model(), opening(hex_model()), 0)
    assert result.simulations > 0
    assert result.seconds == pytest.approx(0.05, abs=0.005)
    assert searched("mcps").simulations == 1000
    assert agent.is_timed


def test_a_memory_limit_is_an_error_before_the_search():
    with pytest.raises(ValueError, match=r"memory=1: 100000 simulations of hex are"):
        searched("mcps:simulations=100000,memory=1")
    result = searched("mcps:simulations=2000,memory=64")
    assert result.simulations == 2000
    assert result.bytes < 64 << 20


def test_a_memory_limit_knows_games_whose_codes_keep_turning_up():
    model = make_model("video_game")[1]
    with pytest.raises(ValueError, match="memory=40: 2000 simulations of video_game"):
        searched("mcps:simulations=2000,memory=40", model)
    with pytest.raises(ValueError, match="memory=8: video_game: one playout takes"):
        searched("mcps:simulations=2000,memory=8", model)
    # It ended after 2,033 of them: 32 playouts show a ninth of the codes.
    with pytest.raises(ValueError, match="memory=900: 20000 simulations of video_gam"):
        searched("mcps:simulations=20000,memory=900", model)
    assert searched("mcps:simulations=20,memory=12", model).simulations == 20


def one_code(game, state, player, action):
    return 0


def test_a_memory_limit_counts_the_codes_of_the_user():
    model = make_model("video_game")[1]
    agent = MCPSAgent(simulations=2000, memory=40, codes=one_code, seed=1)
    assert agent.search(model, opening(model), 0).simulations == 2000


def test_what_is_sampled_has_the_codes_of_the_user():
    model = MODELS["hex 4x4"]
    settings = PermutationSettings("mcps", simulations=500, codes=cells_by_color)
    search = PermutationSearch(model, settings)
    state = opening(model)
    before = state.tolist()
    length, sampled, counts, greatest, parts = search._sampled(state, 500)
    assert state.tolist() == before
    # Four columns for each player, and most playouts have moves in all of them.
    assert (len(counts), greatest, parts) == (8, 7, False)
    assert 0.5 * sampled < min(counts) <= max(counts) <= sampled
    assert 7 <= length <= 16
    # The search that follows draws what it would have drawn.
    found = search.run(state, 1, new_generator(3))
    other = PermutationSearch(model, settings).run(state, 1, new_generator(3))
    assert found.visits.tolist() == other.visits.tolist()


def test_the_advice_of_a_memory_limit_holds():
    """What it says fits is accepted, and plays so many without a word."""
    model = make_model("nogo:size=3")[1]
    with pytest.raises(ValueError, match="no more than") as refusal:
        searched("mcps:simulations=100000,memory=30", model)
    most = int(re.search(r"no more than (\d+) sim", str(refusal.value))[1])
    with pytest.raises(ValueError, match="no more than"):
        searched(f"mcps:simulations={most + 1},memory=30", model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert searched(f"mcps:simulations={most},memory=30", model).simulations == most


@pytest.mark.parametrize("spec", ["hex:size=11", "nogo", "video_game", "sushi_go"])
@pytest.mark.parametrize("name", ["rave", "grave", "mcps"])
def test_a_memory_limit_is_used_to_its_end(name, spec):
    """Without simulations it ends the search, and little of it is left."""
    limit = 16
    result = searched(
        f"{name}:forward_model_calls=10000000,memory={limit}", make_model(spec)[1]
    )
    assert result.simulations > 100
    assert 0.85 * limit < result.bytes / 2**20 <= limit


def test_a_search_that_takes_more_memory_than_expected_says_so(monkeypatch):
    model = make_model("video_game")[1]
    monkeypatch.setattr(Memory, "expected", lambda *_: 0)
    # With another budget nothing is expected.
    for more in ("", ",forward_model_calls=100000000"):
        with pytest.warns(
            RuntimeWarning, match="memory=12: video_game: .* of 5000 s"
        ) as w:
            result = searched(f"mcps:simulations=5000,memory=12{more}", model)
        assert f"reached this limit after {result.simulations} of" in str(w[0].message)
        assert 0 < result.simulations < 5000


@pytest.mark.parametrize("name", ["grave", "mcps"])
@pytest.mark.parametrize(
    ("game", "memory"), [("video_game", 12), ("wargame", 4), ("nogo", 2)]
)
def test_what_a_search_is_expected_to_take_is_near_what_it_takes(name, game, memory):
    model = make_model(game)[1]
    with pytest.raises(ValueError, match="are expected to take") as refusal:
        searched(f"{name}:simulations=5000,memory={memory}", model)
    expected = int(re.search(r"take (\d+) MiB", str(refusal.value))[1])
    taken = searched(f"{name}:simulations=5000", model).bytes / 2**20
    assert taken < expected < 2.7 * taken


def test_codes_of_so_many_playouts():
    counts = [1, 1, 2, 4]  # of the four playouts of a sample that have each code
    assert driver._codes_of(4, 4, counts) == 4
    assert driver._codes_of(1, 4, counts) == 2  # two moves have a playout on average
    # Of two of the four: 2 * (1 - 1/2) + 1 - 1/4 + 1 - 1/16, in chances to be there.
    assert driver._codes_of(2, 4, counts) == math.ceil(2.6875)
    assert driver._codes_of(10**6, 4, counts) == 6


@pytest.mark.parametrize("name", ["grave", "mcps"])
def test_growing_changes_nothing(name):
    """In a game with very many codes: with room from the start, by growing, near a
    limit, and in the second decision of the same search."""
    model = make_model("video_game")[1]
    state, found = opening(model), set()
    for more in ({}, {"memory": 60}, {"forward_model_calls": 10**8}):
        settings = PermutationSettings(name, simulations=600, **more)
        search = PermutationSearch(model, settings)
        for _ in range(2):
            result = search.run(state, 0, new_generator(2))
            found.add((result.simulations, str(result.visits), str(result.values)))
    assert len(found) == 1


def test_growing_that_the_clock_does_not_allow_is_left_to_the_next_decision(
    monkeypatch, ticking_clock
):
    model = make_model("video_game")[1]
    agent = make_agent("mcps:seconds=0.3", seed=3)
    monkeypatch.setattr(driver, "_COPYING", 1e-9)
    made = [agent.search(model, opening(model), 0).simulations for _ in range(6)]
    assert made[0] < 100 < made[-1]


def test_rows_of_codes_have_little_room_that_is_not_used():
    """Each row of unused room begins on a page of its own, which growing copies."""
    model = make_model("video_game")[1]
    settings = PermutationSettings("mcps", forward_model_calls=20_000)
    search = PermutationSearch(model, settings)
    made = search.run(opening(model), 0, new_generator(2)).simulations
    assert made < search.memory.rooms.playouts < 4 * made


def test_copies_of_an_agent():
    agent = RAVEAgent(simulations=100, seed=4)
    agent.search(hex_model(), opening(hex_model()), 0)
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert other.settings == agent.settings
        found = other.search(hex_model(), opening(hex_model()), 0)
        assert found.simulations == 100


def test_scores_and_shares_of_three_players():
    model = MODELS["dots for 3"]
    state = opening(model)
    for value in ("score", "leader", "win"):
        settings = PermutationSettings(
            "mcps", simulations=200, ref=5, value=value,
            score_bonus=None if value == "win" else 0.5,
        )  # fmt: skip
        search, _, plain = both(model, settings, state)
        assert compare(search, plain, permutes=True) > 0


def test_a_position_that_comes_again_ends_the_descent():
    """A game whose positions repeat: no descent goes round for ever."""
    model = MODELS["row"]
    result = searched("mcps:simulations=3000", model, opening(model))
    assert 0 < result.depth <= result.nodes
    assert result.simulations == 3000


def test_a_machine_that_gives_no_more_memory_is_told_of():
    search = PermutationSearch(hex_model(), PermutationSettings(algorithm="rave"))
    memory = search.memory
    rooms = dataclasses.replace(memory.rooms, blocks=1 << 45)
    with pytest.raises(MemoryError, match=r"needs an array of \d+ MiB.*set memory="):
        memory.grow(rooms, lambda address: None)
