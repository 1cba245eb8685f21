"""What is refused, and that the message names the option and what it takes.

No option is accepted and ignored: each condition of `applicability` has a case here.
"""

import re

import numpy as np
import pytest

from mcts_agents.model import DRAWN, PLAYING, Rules, Spec
from mcts_agents.search import RootPolicy, Search, SearchSettings
from mcts_agents.search.options import applicability
from tests.games import kuhn_poker
from tests.search.schedule_game import schedule
from tests.toy_games import auction, fuse, hands, nim

GAME = schedule()
HEURISTIC = {"action_heuristic": "game"}
EVALUATED = {"evaluator": len, "tree_policy": "alphago"}
FIRST = RootPolicy("first", final=lambda root, settings, rng: 0)


def worth(model, state):
    """Return a value for each player."""
    return [0.0] * model.players


# Option: a value, what keeps it from having an effect, words of the message, and what
# lets it have one.
OMA = {"abstraction": "own"}
NEEDS = [
    ("information", "perfect", {"determinizations": 2}, "determinizations 1", None),
    ("information", "perfect", {"loop": "sampled"}, "loop open or closed", None),
    (
        "score_bonus",
        0.2,
        {"value": worth},
        "not a function in Python",
        {"value": "score"},
    ),
    (
        "score_bonus_by",
        "tag",
        {"value": worth},
        "not a function in Python",
        {"value": "leader", "score_bonus": 0.5},
    ),
    (
        "action_heuristic_interval",
        5,
        {"loop": "sampled", **HEURISTIC},
        "loop open or action_heuristic mast",
        {"loop": "sampled", "action_heuristic": "mast"},
    ),
    ("exploration", 2.0, {"tree_policy": "uniform"}, "tree_policy ucb1", {}),
    ("exploration", 2.0, {"tree_policy": "exp3"}, "tree_policy ucb1", {}),
    ("first_play_urgency", 1.0, {"tree_policy": "exp3"}, "tree_policy ucb1", {}),
    (
        "first_play_value",
        "parent",
        {},
        "a first_play_urgency or an evaluator",
        {"first_play_urgency": 1.0},
    ),
    (
        "first_play_value",
        "parent",
        {"tree_policy": "exp3"},
        "tree_policy ucb1",
        {"first_play_urgency": 0.5},
    ),
    (
        "first_play_reduction",
        0.25,
        {"first_play_urgency": 1.0},
        "first_play_value parent",
        {"first_play_urgency": 1.0, "first_play_value": "parent"},
    ),
    (
        "first_play_urgency",
        0.5,
        {"initial_visits": 2, **HEURISTIC},
        "initial_visits 0",
        None,
    ),
    (
        "action_heuristic",
        "game",
        {"first_play_urgency": 0.5},
        "first_play_urgency none, or with prior_temperature",
        {"first_play_urgency": 0.5, "progressive_bias": 1.0},
    ),
    ("epsilon", 0.2, {}, "tree_policy exp3", {"tree_policy": "exp3"}),
    ("epsilon", 0.2, {"tree_policy": "uniform"}, "epsilon_greedy", None),
    (
        "temperature",
        0.2,
        {"tree_policy": "exp3"},
        "tree_policy exp3_boltzmann",
        {"tree_policy": "exp3_boltzmann"},
    ),
    ("normalise", False, {"tree_policy": "uniform"}, "tree_policy ucb1", {}),
    ("normalise", False, {"tree_policy": "regret_matching"}, "exp3", {}),
    ("abstraction", "own", {"tree": "multi"}, "tree one", {}),
    ("abstraction", "all", {"tree_policy": "exp3"}, "tree_policy ucb1", {}),
    ("abstraction_visits", 10.0, {}, "abstraction own or all", OMA),
    ("abstraction_context", "last", {}, "abstraction own or all", OMA),
    ("keep_abstraction", True, {}, "abstraction own or all", OMA),
    (
        "keep_abstraction",
        True,
        {"abstraction": "all", "abstraction_context": "last"},
        "abstraction_context sequence",
        OMA,
    ),
    ("graph", True, {"tree": "multi"}, "tree one or self", {"tree": "self"}),
    ("graph", True, {"loop": "closed"}, "loop open", {}),
    ("expand_after_clash", False, {}, "graph=true", {"graph": True}),
    ("simultaneous", "serialised", {"tree": "multi"}, "tree one or pair", {}),
    ("simultaneous", "serialised", {"tree": "self"}, "tree one or pair", {}),
    ("opponent", "next", {"tree": "self"}, "tree pair", {"tree": "pair"}),
    ("simultaneous", "serialised", {"graph": True}, "graph=false", {}),
    ("opponent_information", "separate", {}, "tree multi or observers", None),
    (
        "opponent_information",
        "separate",
        {"tree": "multi", "information": "perfect"},
        "information set",
        None,
    ),
    (
        "opponent_information",
        "separate",
        {"tree": "multi", "determinizations": 2},
        "determinizations 1",
        None,
    ),
    ("safety_margin", 0.1, {}, "a budget of seconds", {"seconds": 1.0}),
    ("combine", "vote", {}, "determinizations above 1", None),
    (
        "combine",
        "vote",
        {"determinizations": 2, "tree_policy": "exp3"},
        "final visits or value",
        None,
    ),
    (
        "combine",
        "visits",
        {"determinizations": 2, "tree_policy": "exp3", "final": "sample"},
        "final visits or value",
        None,
    ),
    ("action_heuristic", "game", {"tree_policy": "exp3"}, "tree_policy ucb1", {}),
    ("action_heuristic_interval", 5, {}, "an action_heuristic", HEURISTIC),
    ("prior_temperature", 0.5, {}, "an action_heuristic", HEURISTIC),
    ("progressive_bias", 1.0, {}, "an action_heuristic", HEURISTIC),
    ("initial_visits", 3, {}, "an action_heuristic", HEURISTIC),
    ("widening", 1.0, {}, "an action_heuristic", HEURISTIC),
    (
        "widening_exponent",
        0.3,
        HEURISTIC,
        "widening above 0",
        HEURISTIC | {"widening": 1.0},
    ),
    (
        "mast",
        "both",
        {},
        "rollout_policy, opponent_model or",
        {"rollout_policy": "mast"},
    ),
    ("mast_decay", 0.1, {}, "action_heuristic mast", {"action_heuristic": "mast"}),
    (
        "mast_temperature",
        0.5,
        {"action_heuristic": "mast"},
        "rollout_policy or opponent_model mast",
        {"opponent_model": "mast"},
    ),
    ("mast_default", 0.1, {}, "action_heuristic mast", {"rollout_policy": "mast"}),
    (
        "score_bonus",
        0.3,
        {"value": "win"},
        "value score or leader",
        {"value": "leader"},
    ),
    (
        "score_bonus_by",
        "tag",
        {"value": "win"},
        "value score or leader",
        {"value": "score", "score_bonus": 0.25},
    ),
    ("score_bonus_by", "tag", {"score_bonus": 0.0}, "score_bonus above 0", None),
    ("backup_lambda", 0.5, {}, "backup lambda or max_lambda", {"backup": "lambda"}),
    ("backup_threshold", 5.0, {"backup": "lambda"}, "backup max_mc", None),
    ("rollout_per_player", True, {"rollout": 0}, "rollout above 0", {}),
    ("rollout_end", "action", {"rollout": 0}, "rollout above 0", {}),
    ("rollout_policy", "lowest", {"rollout": 0}, "rollout above 0", {}),
    (
        "opponent_model",
        "lowest",
        {"rollout": 0},
        "rollout above 0, or tree self or pair",
        {"rollout": 0, "tree": "pair"},
    ),
    (
        "prior_temperature",
        0.5,
        {**HEURISTIC, "tree_policy": "kl_ucb"},
        "tree_policy ucb1 or ucb_tuned or alphago",
        HEURISTIC,
    ),
    ("loop", "closed", {"tree": "multi"}, "tree one or self or pair", {}),
    ("loop", "sampled", {"tree": "observers"}, "tree one or self or pair", {}),
    *(
        ("evaluator", len, {"tree_policy": "alphago", **others}, text, None)
        for others, text in (
            ({"tree_policy": "ucb1"}, "tree_policy alphago"),
            ({"rollout": 1}, "rollout 0"),
            (HEURISTIC, "action_heuristic none"),
            ({"opponent_model": "mast", "tree": "self"}, "no mast"),
            ({"abstraction": "own"}, "abstraction none"),
        )
    ),
    (
        "root_policy",
        "sequential_halving",
        {"tree_policy": "exp3"},
        "a tree_policy that draws from no strategy",
        {},
    ),
    (
        "gumbel_actions",
        4,
        {"tree_policy": "gumbel"},
        "root_policy gumbel",
        {"root_policy": "gumbel"},
    ),
    (
        "gumbel_noise",
        0.0,
        {"tree_policy": "gumbel"},
        "root_policy gumbel",
        {"root_policy": "gumbel"},
    ),
    (
        "gumbel_visits",
        4.0,
        {},
        "root_policy gumbel or tree_policy gumbel",
        {"tree_policy": "gumbel"},
    ),
    (
        "gumbel_scale",
        0.5,
        {},
        "root_policy gumbel or tree_policy gumbel",
        {"root_policy": "gumbel"},
    ),
    ("final", "value", {"root_policy": FIRST}, "a root_policy without a final", {}),
    ("discount", 0.5, {"value": "win"}, "value score", {"value": "score"}),
    ("batch", 4, {}, "an evaluator", None),
    ("virtual_loss", 3, {}, "an evaluator", None),
    ("virtual_loss", 3, EVALUATED | {"batch": 1}, "batch above 1", None),
    ("root_noise", 0.1, {}, "an evaluator", None),
    ("root_noise_alpha", 0.1, EVALUATED, "root_noise above 0", None),
]


def test_every_need_has_a_case():
    assert {case[0] for case in NEEDS} == set(applicability.NEEDS)
    # And every condition: as many distinct reasons as there are.
    reasons = {
        (name, text) for name, needs in applicability.NEEDS.items() for _, text in needs
    }
    met = {
        (name, text)
        for name, text in reasons
        for case in NEEDS
        if case[0] == name and case[3] in text
    }
    index = "tree_policy ucb1 or ucb_tuned or kl_ucb or alphago"
    implied = {  # by an action heuristic, which takes such a policy itself
        ("progressive_bias", index),
        ("initial_visits", index),
    }
    assert reasons - met == implied - met


@pytest.mark.parametrize(
    ("name", "value", "others", "text", "enough"), NEEDS, ids=lambda v: str(v)[:30]
)
def test_an_option_without_an_effect_is_refused(name, value, others, text, enough):
    settings = SearchSettings(**others, **{name: value})
    with pytest.raises(ValueError, match=f"^{name}=.*{re.escape(text)}") as refusal:
        settings.for_model(GAME)
    assert repr(value) in str(refusal.value)
    if enough is not None:
        settings = SearchSettings(**enough, **{name: value})
        assert getattr(settings.for_model(GAME), name) == value


@pytest.mark.parametrize("name", applicability.NEEDS)
def test_a_default_that_is_given_is_not_refused(name):
    default = getattr(SearchSettings(), name)
    for others in ({"tree": "multi"}, {"tree_policy": "uniform"}, {"rollout": 0}):
        SearchSettings(**{name: default} | others).for_model(GAME)


# -- what a game cannot serve

BARE = Rules("bare", state=np.dtype([("over", np.int8)]), chance=False)


@BARE.variant
def variant(game, *, players=1):
    return Spec(players=players, actions=2)


@BARE.define
def reset(game, state, rng):
    state.over = 0


@BARE.define
def movers(game, state):
    return 0 if state.over else 1


@BARE.define
def legal_actions(game, state, player, out):
    out[0], out[1] = 0, 1
    return 2


@BARE.define
def apply(game, state, joint_action, rng):
    state.over = 1


@BARE.define
def scores(game, state, out):
    out[0] = 0.0


@BARE.define
def results(game, state, out):
    out[0] = DRAWN if state.over else PLAYING


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"value": "evaluate"}, "value='evaluate': bare has no evaluation function"),
        (HEURISTIC, "action_heuristic='game': bare has no function `action_values`"),
        ({"rollout_end": "turn"}, "rollout_end='turn': bare has no function `turn`"),
        ({"rollout_end": "round"}, "rollout_end='round': bare has no function `round`"),
        ({"graph": True}, "graph=True: bare has no function `state_key`"),
        (
            {"tree": "pair", "opponent": "nearest"},
            "opponent='nearest': bare has no function `nearest_opponent`; use oppon",
        ),
        (
            {"action_filter": "game"},
            "action_filter='game': bare has no function `filter_actions`; use act",
        ),
        ({"rollout_policy": "wise"}, "rollout_policy='wise': expected random, mast"),
        ({"opponent_model": "wise"}, "opponent_model='wise': expected random, mast"),
        ({"final": "sample"}, "final='sample' draws from an average strategy"),
        ({"determinizations": 3}, "determinizations=3: nothing is hidden in bare"),
        (
            {"information": "perfect"},
            "information='perfect': nothing is hidden in bare",
        ),
        (
            {"tree": "multi", "opponent_information": "separate"},
            "opponent_information='separate': bare has no function `state_key`",
        ),
    ],
)
def test_a_game_that_lacks_a_function(options, message):
    model = BARE.model()
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        Search(model, SearchSettings(**options))


def test_an_evaluator_of_a_game_without_observations():
    message = "evaluator=.*: bare has no function `observe`; give the evaluator a"
    with pytest.raises(ValueError, match=message):
        Search(BARE.model(), SearchSettings(**EVALUATED))


def test_an_evaluator_is_no_word():
    with pytest.raises(ValueError, match="evaluator='net': expected a function"):
        SearchSettings(evaluator="net")


def test_an_evaluator_stands_for_the_games_evaluation():
    message = "value='evaluate': the evaluator values unfinished positions; use"
    with pytest.raises(ValueError, match=message):
        SearchSettings(value="evaluate", **EVALUATED).for_model(GAME)


def test_policies_of_the_game_are_named():
    with pytest.raises(ValueError, match="a policy of schedule: lowest, highest"):
        SearchSettings(rollout_policy="wise").for_model(GAME)


KUHN = kuhn_poker.KUHN.model()


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (hands(2), {"tree": "observers"}, "tree='observers': hands has no function"),
        (
            hands(2),
            {"tree": "multi", "opponent_information": "separate"},
            "opponent_information='separate': hands has no function `state_key`",
        ),
        (
            GAME,
            {"tree": "multi", "opponent_information": "separate"},
            "opponent_information='separate': nothing is hidden in schedule",
        ),
        (auction(), {"loop": "closed"}, "loop='closed': auction has chance"),
        (KUHN, {"loop": "closed"}, "loop='closed': .* has hidden information"),
        (GAME, {"loop": "closed", "tree": "self"}, "loop='closed': with tree='self'"),
        (nim(), {"loop": "closed", "tree": "pair"}, "loop='closed': with tree='pair'"),
        (GAME, {"determinizations": 2}, "determinizations=2: nothing is hidden"),
        (
            hands(2),
            {"determinizations": 2, "reuse_tree": True},
            "reuse_tree=true works only with determinizations=1, not 2",
        ),
        (
            hands(2),
            {"determinizations": 2, "abstraction": "all", "keep_abstraction": True},
            "keep_abstraction=true works only with determinizations=1, because",
        ),
        (GAME, {"reuse_tree": True, "graph": True}, "reuse_tree=true: with graph=True"),
        (
            GAME,
            {"reuse_tree": True, "tree": "observers"},
            "reuse_tree=true: with tree=",
        ),
        (GAME, {"reuse_tree": True, "loop": "sampled"}, "reuse_tree=true: with loop="),
        (GAME, {"reuse_tree": True, "tree": "pair"}, "reuse_tree=true: with tree="),
        (
            GAME,
            {"reuse_tree": True, "simultaneous": "serialised"},
            "reuse_tree=true: with simultaneous=",
        ),
        (
            KUHN,
            {"reuse_tree": True, "opponent_information": "separate", "tree": "multi"},
            "reuse_tree=true: with opponent_information=",
        ),
        (
            GAME,
            {"reuse_tree": True, "threads": 2},
            "reuse_tree=true works only with threads=1, not 2",
        ),
        (
            hands(2),
            {"reuse_tree": True, "information": "perfect"},
            "reuse_tree=true: with information='perfect'",
        ),
        *(
            (GAME, {"threads": 2, name: len}, f"threads=2: {name}=<.*> runs in Python")
            for name in (
                "rollout_policy",
                "opponent_model",
                "value",
                "action_heuristic",
            )
        ),
        *(
            (nim(), {"solver": True, **options}, "solver=true: .* nothing to prove")
            for options in (
                {"tree": "multi"},
                {"tree_policy": "exp3"},
                {"value": "score"},
                {"paranoid": True},
                {"loop": "closed"},
                {"backup": "max_mc"},
                {"simultaneous": "serialised"},
            )
        ),
        (auction(), {"solver": True, "value": "win"}, "solver=true: auction"),
        (GAME, {"solver": True, "value": "win", "graph": True}, "solver=true: "),
    ],
)
def test_combinations_that_cannot_be(model, options, message):
    with pytest.raises(ValueError, match="^" + message):
        SearchSettings(**options).for_model(model)


class Copies:
    """A model that copies somebody else's environments, as far as is asked of it."""

    name, players, policies, search_defaults = "copies", 2, (), {}
    chance = hidden_information = False
    copies_environments = True
    states_are_values = False
    uncounted_rollout = None

    def has(self, name):
        return True


class Chancy(Copies):
    """One whose dice are not known to be none."""

    chance = True


class Hiding(Copies):
    """One that hides something."""

    hidden_information = True


class Keyless(Copies):
    """One whose positions cannot be told apart."""

    def has(self, name):
        return name != "state_key"


@pytest.mark.parametrize(
    ("model", "asked", "name", "value", "remedy"),
    [
        (Copies(), {}, "threads", 2, "only threads=1"),
        (Chancy(), {}, "loop", "closed", "pass deterministic=True"),
        (Copies(), {"loop": "closed"}, "reuse_tree", True, "use loop='open'"),
        (Hiding(), {}, "reuse_tree", True, "leave it out"),
        (Hiding(), {"abstraction": "all"}, "keep_abstraction", True, "leave it out"),
        (Keyless(), {}, "graph", True, "pass state_key="),
    ],
)
def test_copied_environments(model, asked, name, value, remedy):
    message = rf"{name}={value!r}: copies is a copied environment.*{re.escape(remedy)}"
    with pytest.raises(ValueError, match=message):
        SearchSettings(**{name: value} | asked).for_model(model)


def test_a_games_own_choice_does_not_make_defaults_ineffective():
    # `rollout=0` is nim's affair here; the policy stays at its default.
    model = fuse.__wrapped__()
    model.search_defaults = {"rollout": 0, "value": "score"}
    assert SearchSettings().for_model(model).rollout == 0
    with pytest.raises(ValueError, match=r"^rollout_policy=.*rollout above 0"):
        SearchSettings(rollout_policy="mast").for_model(model)
