"""No option is without effect: for each one a search that it changes.

What the change should be is tested option by option in the other files of this folder;
here every option, and every word that it may be, changes the visits of the root, the
decision, or the resource that it is about.
"""

import functools
from dataclasses import fields
from pathlib import Path

import pytest

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.options.option import option_of
from tests.envs.pommerman_positions import drawn
from tests.games.kuhn_poker import KUHN
from tests.search.evaluators import linear
from tests.toy_games import auction, hands, nim

FOLDER = Path(__file__).parent


@functools.cache
def model_of(spec):
    """The model of a game of the package."""
    return make_model(spec)[1]


DOTS = "dots_and_boxes:width=3,height=2"
LETTER = "love_letter:players=3"
POMMERMAN = "pommerman:players=2"


def state_of(model, moves):
    """A position some random moves into a game, and its first mover."""
    rng = new_generator(5)
    state = model.reset(rng)
    for _ in range(moves):
        joint = {p: int(model.legal_actions(state, p)[-1]) for p in model.movers(state)}
        model.apply(state, joint, rng)
    return state, model.movers(state)[0]


def found(model, moves=0, seed=0, **settings):
    """The result of one search."""
    model = model_of(model) if isinstance(model, str) else model
    state, player = state_of(model, moves)
    search = Search(model, SearchSettings(**({"simulations": 500} | settings)))
    return search.run(state, player, new_generator(seed))


LONG = {"rollout": 20}
MANY = {"simulations": 5000, **LONG}
BY_GAME = {"action_heuristic": "game", **LONG}
BY_MAST = {"rollout_policy": "mast", **LONG}

HEX = "hex:size=4"


def evaluated(**settings):
    """Settings of a search with a random network for Hex."""
    evaluator = linear(model_of(HEX))
    return {"evaluator": evaluator, "tree_policy": "alphago", **settings}


# Game, what is held fixed, and two values (or more) that all give other visits.
CASES = {
    "simulations": (auction(), {}, 100, 200),
    "forward_model_calls": (auction(), {"simulations": 10**6}, 100, 200),
    "tree": (
        "sushi_go",
        {"simulations": 5000},
        "one",
        "self",
        "pair",
        "multi",
        "observers",
    ),
    "action_filter": (POMMERMAN, LONG, "all", "game"),
    "paranoid": (auction(), {}, False, True),
    "abstraction": (DOTS, MANY, "none", "own", "all"),
    "abstraction_visits": (DOTS, {"abstraction": "all", **LONG}, 1.0, 300.0),
    "abstraction_context": (
        DOTS,
        {"abstraction": "all", **MANY},
        "sequence",
        "last",
    ),
    "graph": (DOTS, LONG, False, True),
    "expand_after_clash": (DOTS, {"graph": True, **LONG}, False, True),
    "simultaneous": ("diamant:players=3", {}, "decoupled", "serialised"),
    "max_depth": (auction(), {}, 1, 1000),
    "solver": (nim(), {"simulations": 3000}, False, True),
    "information": (hands(2), {}, "set", "perfect"),
    "loop": (auction(), {}, "open", "sampled"),
    "opponent_information": (LETTER, {"tree": "multi"}, "merged", "separate"),
    "determinizations": (LETTER, {}, 1, 5, 20),
    "combine": (LETTER, {"determinizations": 10}, "average", "vote"),
    "tree_policy": (
        "sushi_go",
        {},
        "ucb1",
        "ucb_tuned",
        "kl_ucb",
        "alphago",
        "exp3",
        "exp3_boltzmann",
        "regret_matching",
        "uniform",
        "epsilon_greedy",
        "gumbel",
    ),
    "root_policy": ("hex:size=4", {}, "tree", "sequential_halving", "gumbel"),
    "gumbel_actions": (auction(), {"root_policy": "gumbel"}, 2, 3),
    "gumbel_noise": (auction(), {"root_policy": "gumbel"}, 0.0, 10.0),
    "gumbel_visits": (auction(), {"tree_policy": "gumbel"}, 0.0, 500.0),
    "gumbel_scale": (auction(), {"tree_policy": "gumbel"}, 0.0, 0.1, 10.0),
    "exploration": (auction(), {}, 0.1, 1.0, 30.0),
    "epsilon": (auction(), {"tree_policy": "epsilon_greedy"}, 0.05, 0.5),
    "temperature": (auction(), {"tree_policy": "exp3_boltzmann"}, 0.05, 0.5),
    "first_play_urgency": (DOTS, LONG, None, 0.2, 1.0),
    "first_play_value": (DOTS, {"first_play_urgency": 0.5, **LONG}, "least", "parent"),
    "first_play_reduction": (
        DOTS,
        {"first_play_urgency": 0.5, "first_play_value": "parent", **LONG},
        0.0,
        0.5,
    ),
    "normalise": (auction(), {}, False, True),
    "action_heuristic": (DOTS, {"progressive_bias": 5.0, **LONG}, "game", "mast"),
    "action_heuristic_interval": (
        DOTS,
        {"action_heuristic": "mast", "progressive_bias": 5.0, **LONG},
        1,
        100,
    ),
    "prior_temperature": (DOTS, BY_GAME, None, 0.0, 0.1, 10.0),
    "progressive_bias": (DOTS, BY_GAME, 0.0, 1.0, 10.0),
    "initial_visits": (DOTS, BY_GAME, 0, 1, 5),
    "widening": (DOTS, BY_GAME, 0.0, 0.5, 1.0),
    "widening_exponent": (DOTS, {"widening": 0.5, **BY_GAME}, 0.2, 0.5),
    "rollout": (auction(), {}, 0, 1000),
    "rollout_per_player": (DOTS, {"rollout": 3}, False, True),
    "rollout_end": (DOTS, {"rollout": 3}, "exact", "action", "start"),
    "rollout_policy": (DOTS, LONG, "random", "mast", "greedy"),
    "opponent_model": (DOTS, LONG, "random", "mast", "greedy"),
    "mast": (DOTS, BY_MAST, "tree", "rollout", "both"),
    "mast_temperature": (DOTS, BY_MAST, 0.05, 1.0),
    "mast_default": (DOTS, BY_MAST, 0.0, 1.0),
    "value": (
        DOTS,
        {"rollout": 12, "simulations": 2000},
        "win",
        "score",
        "leader",
        "evaluate",
    ),
    "score_bonus": (auction(), {}, 0.0, 1.0),
    "score_bonus_by": (KUHN.model(), {"score_bonus": 0.5}, "magnitude", "tag"),
    "backup": (
        DOTS,
        {"simulations": 5000, **LONG},
        "monte_carlo",
        "lambda",
        "max_lambda",
        "max_mc",
    ),
    "backup_lambda": (DOTS, {"backup": "lambda", **LONG}, 0.2, 0.9),
    "backup_threshold": (DOTS, {"backup": "max_mc", **LONG}, 5, 100),
    "discount": (auction(), {"value": "score"}, None, 0.5, 1.0),
    "evaluator": (
        HEX,
        {"tree_policy": "alphago", "rollout": 0},
        None,
        linear(model_of(HEX), 0),
        linear(model_of(HEX), 1),
    ),
    "batch": (HEX, evaluated(), 1, 8, 64),
    "virtual_loss": (HEX, evaluated(), 0, 1, 5),
    "root_noise": (HEX, evaluated(), 0.0, 0.25, 0.75),
    "root_noise_alpha": (HEX, evaluated(root_noise=0.5), 0.05, 0.3, 5.0),
}
# What these are about is tested elsewhere, or below.
ELSEWHERE = {
    "seconds": "test_budgets",
    "safety_margin": "test_deadlines",
    "memory": "test_budgets",
    "threads": "test_threads_share_out_the_simulations",
    "reuse_tree": "test_a_reused_tree_has_visits_to_begin_with",
    "keep_abstraction": "test_kept_statistics_change_decisions",
    "opponent": "test_whom_a_tree_of_two_expands",
    "final": "test_final_move",
    "mast_decay": "test_decay_changes_the_next_decision",
}


def test_every_option_has_a_case():
    names = {field.name for field in fields(SearchSettings)}
    assert set(CASES) | set(ELSEWHERE) == names
    assert not set(CASES) & set(ELSEWHERE)
    for name, test in ELSEWHERE.items():
        file = FOLDER / f"{test}.py"
        tested = file.exists() and name in file.read_text()
        assert tested or callable(globals().get(test)), name


def test_every_word_has_a_case():
    for field in fields(SearchSettings):
        for word in option_of(field).choices:
            shown = [*CASES.get(field.name, ())[2:], *LAST_WORDS.get(field.name, ())]
            assert word in shown or field.name in ELSEWHERE, (field.name, word)


# Words whose effect is not on visits; each has a test below or a file of its own.
LAST_WORDS = {
    "loop": ["closed"],  # test_a_closed_loop_saves_calls
    "combine": ["visits"],  # test_combining_by_visits_decides_by_visits
    "rollout_end": ["turn", "round"],  # test_turns_and_rounds_end_rollouts
    "action_heuristic": ["none"],  # the order of untried actions, test_candidates
    "mast": ["none"],  # test_mast_none_is_both_where_averages_are_asked_for
}


@pytest.mark.parametrize("name", CASES)
def test_option_changes_the_search(name):
    model, fixed, *values = CASES[name]
    seen = []
    for value in values:
        result = found(model, **fixed, **{name: value})
        again = found(model, **fixed, **{name: value})
        assert result.visits.tolist() == again.visits.tolist()
        seen.append(tuple(result.visits.tolist()))
    assert len(set(seen)) == len(values), dict(zip(values, seen, strict=True))


def test_threads_share_out_the_simulations():
    one = found(DOTS, simulations=1001, **LONG)
    two = found(DOTS, simulations=1001, threads=2, **LONG)
    assert one.simulations == two.simulations == two.visits.sum() == 1001
    assert one.visits.tolist() != two.visits.tolist()


def test_a_reused_tree_has_visits_to_begin_with():
    from mcts_agents import MCTSAgent
    from mcts_agents.envs import dots_and_boxes

    reused = {}
    for reuse in (False, True):
        env = dots_and_boxes.env(width=2, height=2)
        env.reset(seed=0)
        agent = MCTSAgent(simulations=2000, reuse_tree=reuse, seed=1, rollout=20)
        total = 0
        for _ in range(4):
            result = agent.plan(env)
            total += result.reused
            env.step(result.action)
        reused[reuse] = total
    assert reused[False] == 0 < reused[True]


def test_kept_statistics_change_decisions():
    """An agent that keeps them searches otherwise from its second decision on."""
    from mcts_agents import MCTSAgent
    from mcts_agents.envs import tictactoe

    visits = {}
    for keeps in (False, True):
        agent = MCTSAgent(
            simulations=2000,
            abstraction="all",
            keep_abstraction=keeps,
            solver=False,
            seed=1,
        )
        env = tictactoe.env()
        env.reset(seed=5)
        found = []
        for square in (0, 4, 1, 5):
            if env.agent_selection == env.possible_agents[0]:
                found.append(agent.plan(env).visits.tolist())
            env.step(square)
        visits[keeps] = found
    assert visits[True][0] == visits[False][0]
    assert visits[True][1] != visits[False][1]


def test_final_move():
    # Some search in which the most visited action is not the one of greatest mean.
    different = 0
    for seed in range(50):
        settings = {"seed": seed, "simulations": 40, "exploration": 3.0}
        visits = found(auction(), final="visits", **settings)
        value = found(auction(), final="value", **settings)
        assert visits.visits.tolist() == value.visits.tolist()
        chosen = visits.actions.tolist().index(visits.action)
        assert visits.visits[chosen] == visits.visits.max()
        chosen = value.actions.tolist().index(value.action)
        assert value.values[chosen] == value.values.max()
        different += visits.action != value.action
    assert different > 0


def test_a_final_sample_follows_the_average_strategy():
    settings = {"tree_policy": "exp3", "simulations": 200}
    result = found(auction(), **settings)
    assert result.strategy.sum() == pytest.approx(1.0)
    taken = [found(auction(), seed=s, **settings) for s in range(300)]
    for i, action in enumerate(result.actions):
        expected = sum(r.strategy[i] for r in taken) / 300
        share = sum(r.action == action for r in taken) / 300
        assert share == pytest.approx(expected, abs=0.1)


def test_whom_a_tree_of_two_expands():
    model, state = drawn("0.2.", "....", "....", "1..3")
    settings = {"tree": "pair", "simulations": 300, "rollout": 20}
    expanded = {}
    for opponent in (None, "nearest", "next"):
        search = Search(model, SearchSettings(opponent=opponent, **settings))
        tree = search.run(state, 0, new_generator(1)).tree()
        expanded[opponent] = tree["movers"]
    assert expanded == {None: [0, 2], "nearest": [0, 2], "next": [0, 1]}


def decisions(**settings):
    """Visits of two searches of one player, the second after the first."""
    model = model_of(DOTS)
    state, player = state_of(model, 0)
    search = Search(model, SearchSettings(simulations=300, **BY_MAST, **settings))
    runs = [search.run(state, player, new_generator(s)) for s in range(2)]
    return [run.visits.tolist() for run in runs]


def test_decay_changes_the_next_decision():
    forgotten, kept = decisions(mast_decay=0.0), decisions(mast_decay=1.0)
    assert forgotten[0] == kept[0]
    assert forgotten[1] != kept[1]


def test_a_closed_loop_saves_calls():
    settings = {"solver": False, "rollout": 0}
    opened, closed = (found(DOTS, loop=loop, **settings) for loop in ("open", "closed"))
    assert opened.visits.tolist() == closed.visits.tolist()
    assert closed.forward_model_calls < opened.forward_model_calls


def test_combining_by_visits_decides_by_visits():
    decided = {
        combine: [
            found(LETTER, moves=0, seed=s, determinizations=8, combine=combine).action
            for s in range(20)
        ]
        for combine in ("visits", "average")
    }
    assert decided["visits"] != decided["average"]
    result = found(LETTER, determinizations=8, combine="visits")
    chosen = result.actions.tolist().index(result.action)
    assert result.visits[chosen] == result.visits.max()


@pytest.mark.parametrize("end", ["turn", "round"])
def test_turns_and_rounds_end_rollouts(end):
    exact = found(DOTS, rollout=2, solver=False)
    later = found(DOTS, rollout=2, rollout_end=end, solver=False)
    assert exact.visits.tolist() != later.visits.tolist()
    assert later.forward_model_calls > exact.forward_model_calls


def test_mast_none_is_both_where_averages_are_asked_for():
    default = found(DOTS, **BY_MAST)
    assert (
        default.visits.tolist() == found(DOTS, mast="both", **BY_MAST).visits.tolist()
    )
