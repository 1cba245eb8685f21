"""TAG's JSON files of MCTS parameters, translated: expectations from TAG's manual."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent, make_agent
from mcts_agents.agents.tag_json import from_tag, is_tag
from mcts_agents.agents.tag_names import KNOWN, SAME, WORDS
from mcts_agents.envs import make_model

MCTS = {"class": "players.mcts.MCTSParams"}

# Of TAG's defaults, those that differ from the defaults here.
DEFAULTS = {
    "agent": "mcts",
    "solver": False,
    "forward_model_calls": 4000,
    "rollout": 1000,
    "final": "value",
}


def test_an_empty_file_has_tags_defaults():
    assert from_tag(MCTS) == DEFAULTS


def test_a_file_as_tuning_writes_it(tmp_path):
    path = tmp_path / "tuned.json"
    path.write_text(
        json.dumps(
            {
                "budgetType": "BUDGET_TIME",
                "rolloutLengthPerPlayer": True,
                "rolloutTermination": "END_ACTION",
                "rolloutLength": 30,
                "opponentTreePolicy": "MultiTree",
                "MASTGamma": 0.2,
                "heuristic": {"class": "players.heuristics.PureScoreHeuristic"},
                "K": 1,
                "exploreEpsilon": 0.3,
                "FPU": 1.0,
                "maxTreeDepth": 10,
                "treePolicy": "UCB-Tuned",
                "paranoid": True,
                "MAST": "Both",
                "rolloutType": "MAST",
                "information": "Information_Set",
                "class": "players.mcts.MCTSParams",
                "budget": 40,
                "breakMS": 5,
                "randomSeed": 3,
            }
        )
    )
    agent = make_agent(path)
    assert isinstance(agent, MCTSAgent)
    settings = agent.settings
    expected = {
        "seconds": 0.04, "safety_margin": 0.005, "simulations": None,
        "forward_model_calls": None, "tree": "multi", "paranoid": True,
        "tree_policy": "ucb_tuned", "exploration": 1, "first_play_urgency": 1.0,
        "max_depth": 10, "rollout": 30, "rollout_per_player": True,
        "rollout_end": "action", "rollout_policy": "mast", "mast": "both",
        "mast_decay": 0.2, "value": "score", "score_bonus": 0.0, "final": "value",
        "information": "set", "epsilon": 0.1, "solver": False,
    }  # fmt: skip
    assert {name: getattr(settings, name) for name in expected} == expected
    settings.for_model(make_model("sushi_go")[1])


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"budgetType": "BUDGET_TIME", "budget": 40}, {"seconds": 0.04}),
        ({"budgetType": "BUDGET_ITERATIONS", "budget": 9}, {"simulations": 9}),
        ({"budgetType": "BUDGET_FM_CALLS", "budget": 9}, {"forward_model_calls": 9}),
        ({"budget": 9}, {"forward_model_calls": 9}),
        ({"opponentTreePolicy": "OneTree"}, {}),
        ({"opponentTreePolicy": "SelfOnly"}, {"tree": "self"}),
        ({"opponentTreePolicy": "MultiTree"}, {"tree": "multi"}),
        (
            {"opponentTreePolicy": "OMA"},
            {"abstraction": "own", "abstraction_context": "last"},
        ),
        (
            {"opponentTreePolicy": "OMA_All", "omaVisits": 10},
            {
                "abstraction": "all",
                "abstraction_context": "last",
                "abstraction_visits": 10,
            },
        ),
        ({"opponentTreePolicy": "OMA", "omaVisits": 0}, {}),
        (
            {"opponentTreePolicy": "MCGS", "MCGSStateKey": {"class": "x.Key"}},
            {"graph": True},
        ),
        ({"opponentTreePolicy": "MCGSSelfOnly"}, {"graph": True, "tree": "self"}),
        ({"information": "Open_Loop"}, {"information": "perfect"}),
        ({"information": "Closed_Loop"}, {"loop": "closed"}),
        ({"information": "Closed_Loop", "opponentTreePolicy": "MultiTree"},
         {"tree": "multi"}),
        ({"treePolicy": "UCB"}, {}),
        ({"treePolicy": "AlphaGo", "K": 0.5},
         {"tree_policy": "alphago", "exploration": 0.5}),
        ({"treePolicy": "Uniform"}, {"tree_policy": "uniform"}),
        ({"treePolicy": "Greedy", "exploreEpsilon": 0.2},
         {"tree_policy": "epsilon_greedy", "epsilon": 0.2}),
        ({"treePolicy": "NoAveragingRM", "selectionPolicy": "ROBUST"},
         {"tree_policy": "regret_matching", "final": "visits"}),
        ({"selectionPolicy": "ROBUST"}, {"final": "visits"}),
        ({"selectionPolicy": "SIMPLE"}, {}),
        ({"rolloutTermination": "DEFAULT"}, {}),
        ({"rolloutTermination": "EXACT"}, {}),
        ({"rolloutTermination": "END_ROUND"}, {"rollout_end": "round"}),
        ({"rolloutTermination": "END_TURN"}, {"rollout_end": "turn"}),
        ({"rolloutTermination": "START_ACTION"}, {"rollout_end": "start"}),
        ({"rolloutLength": 0, "rolloutType": "MAST"}, {"rollout": 0}),
        ({"FPU": 1e6}, {}),
        ({"FPU": 1e9}, {}),
        ({"FPU": 0.5}, {"first_play_urgency": 0.5}),
        ({"pUCTTemperature": 10001}, {}),
        ({"pUCT": False, "pUCTTemperature": 1.0}, {}),
        ({"MAST": "Both"}, {}),
        ({"rolloutType": "MAST"}, {"rollout_policy": "mast", "mast_decay": 0.0}),
        (
            {"useMASTAsActionHeuristic": True, "MAST": "Tree", "initialiseVisits": 3,
             "progressiveBias": 0.1, "pUCTTemperature": 1.0, "MASTGamma": 0.5,
             "progressiveWideningConstant": 2.0, "progressiveWideningExponent": 0.2,
             "actionHeuristicRecalculation": 5},
            {"action_heuristic": "mast", "mast": "tree", "initial_visits": 3,
             "progressive_bias": 0.1, "prior_temperature": 1.0, "mast_decay": 0.5,
             "widening": 2.0, "widening_exponent": 0.2,
             "action_heuristic_interval": 5},
        ),
        # What is missing has TAG's defaults: always as many candidates.
        ({"useMASTAsActionHeuristic": True, "progressiveWideningConstant": 3},
         {"action_heuristic": "mast", "mast_decay": 0.0, "widening": 3,
          "widening_exponent": 0.0}),
        ({"rolloutType": "RANDOM"}, {"rollout_policy": "random"}),
        # With no action heuristic TAG switches these off.
        ({"progressiveBias": 0.1, "progressiveWideningConstant": 2.0,
          "initialiseVisits": 4}, {}),
        ({"backupPolicy": "MonteCarlo"}, {}),
        ({"backupPolicy": "Lambda", "backupLambda": 0.8},
         {"backup": "lambda", "backup_lambda": 0.8}),
        ({"backupPolicy": "MaxLambda"}, {"backup": "max_lambda", "backup_lambda": 1.0}),
        ({"backupPolicy": "MaxMC", "maxBackupThreshold": 50},
         {"backup": "max_mc", "backup_threshold": 50}),
        ({"numDeterminizations": 4, "information": "Open_Loop",
          "perfectInformationPolicy": "SingleVote"},
         {"determinizations": 4, "combine": "vote"}),
        ({"heuristic": {"class": "players.heuristics.WinOnlyHeuristic"}},
         {"value": "win"}),
        ({"heuristic": {"class": "players.heuristics.CoarseTunableHeuristic",
                        "heuristicType": "LEADER"}}, {"value": "leader"}),
        ({"reuseTree": True, "normaliseRewards": False},
         {"reuse_tree": True, "normalise": False}),
        ({"oppModelType": "CLASS", "oppModelClass": "players.simple.OSLAPlayer"},
         {"opponent_model": {"agent": "one-step"}}),
        ({"breakMS": 0, "epsilon": 1e-6, "resetSeedEachGame": False,
          "maintainMasterState": False, "discardStateAfterEachIteration": True,
          "actionSpaceStructure": "Default", "MASTActionKey": None,
          "rolloutIncrementType": "TICK"}, {}),
    ],
)  # fmt: skip
def test_parameters(parameters, expected):
    budget = {"seconds", "simulations", "forward_model_calls"} & set(expected)
    base = {
        k: v for k, v in DEFAULTS.items() if k != "forward_model_calls" or not budget
    }
    found = from_tag({**MCTS, **parameters})
    if parameters.get("budgetType") == "BUDGET_TIME":
        assert found.pop("safety_margin", 0) == 0
    assert found == {**base, **expected}
    assert isinstance(make_agent(found), MCTSAgent)


@pytest.mark.parametrize("policy", ["EXP3", "RegretMatching"])
def test_policies_with_a_final_choice_of_their_own(policy):
    found = from_tag({**MCTS, "treePolicy": policy, "selectionPolicy": "SIMPLE"})
    assert "final" not in found
    tagged = {"EXP3": "exp3_boltzmann", "RegretMatching": "regret_matching"}
    assert found["tree_policy"] == tagged[policy]


def test_names_are_recognised_in_any_case():
    for data in (
        {"CLASS": 1, "K": 1.0},
        {"rollout_length": 5},
        {"ROLLOUT_LENGTH": 5},
        {"opponentTreePolicy": "multi_tree"},
    ):
        assert is_tag(data)
    assert not is_tag({"agent": "mcts", "tree": "one"})
    assert not is_tag({"tree": "one"})
    assert from_tag({"ROLLOUT_LENGTH": 5, "opponenttreepolicy": "SELF_ONLY"}) == {
        **DEFAULTS,
        "rollout": 5,
        "tree": "self",
    }


def test_players_in_players(tmp_path):
    path = tmp_path / "nested.json"
    nested = {
        **MCTS,
        "rolloutType": "PARAMS",
        "rolloutPolicyParams": {**MCTS, "budget": 50},
        "opponentModel": {"class": "players.simple.RandomPlayer", "randomSeed": 1},
    }
    path.write_text(json.dumps(nested))
    settings = make_agent(path).settings
    assert settings.rollout_policy.settings.forward_model_calls == 50
    assert settings.opponent_model == "random"
    for name, kind in (("OSLAPlayer", OneStepAgent), ("RandomPlayer", RandomAgent)):
        path.write_text(json.dumps({"class": f"players.simple.{name}"}))
        assert isinstance(make_agent(path), kind)


def test_all_that_is_wrong_is_named_at_once(tmp_path):
    path = tmp_path / "wrong.json"
    path.write_text(
        json.dumps(
            {
                **MCTS,
                "budgetType": "BUDGET_COPY_CALLS",
                "treePolicy": "Thompson",
                "advantage": 3,
                "K": -1,
                "breakMS": 4,
                "heuristic": {"class": "games.loveletter.LoveLetterHeuristic"},
                "actionHeuristic": {"class": "games.x.Y"},
                "oppModelType": "CLASS",
                "oppModelClass": "games.dominion.players.BigMoney",
                "rolloutIncrementType": "TURN",
                "numDeterminizations": 5,
                "rolloutLength": "long",
            }
        )
    )
    with pytest.raises(ValueError) as raised:
        make_agent(path)
    message = str(raised.value)
    assert message.startswith(f"{path}: TAG's parameters: ")
    for word in (
        "budgetType='BUDGET_COPY_CALLS'", "treePolicy='Thompson'", "advantage",
        "breakMS=4", "LoveLetterHeuristic", "actionHeuristic", "BigMoney",
        "rolloutIncrementType='TURN'", "numDeterminizations=5",
        "exploration=-1", "rollout='long'",
    ):  # fmt: skip
        assert word in message


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"treePolicy": "EXP3", "opponentTreePolicy": "OMA"}, "abstraction='own'"),
        (
            {
                "treePolicy": "RegretMatching",
                "MAST": "Both",
                "useMASTAsActionHeuristic": True,
            },
            "action_heuristic='mast'",
        ),
        ({"class": "players.rhea.RHEAParams"}, "unknown player"),
        ({"class": "players.simple.OSLAPlayer", "x": 1}, "unknown parameters x"),
    ],
)
def test_what_tag_does_and_this_search_cannot(parameters, words):
    with pytest.raises(ValueError, match=words):
        from_tag({**MCTS, **parameters})


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(sorted({w for words in WORDS.values() for w in words}))
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["class", *sorted(KNOWN)]), inner, max_size=3)
    ),
    max_leaves=4,
)


# Options that are made of a parameter, besides those that `SAME` and `WORDS` name.
MADE_OF = {
    "budget": {"seconds", "forward_model_calls", "simulations"},
    "breakms": {"safety_margin"},
    "fpu": {"first_play_urgency"},
    "pucttemperature": {"prior_temperature"},
    "rollouttype": {"rollout_policy"},
    "rolloutpolicyparams": {"rollout_policy"},
    "oppmodeltype": {"opponent_model"},
    "opponentmodelparams": {"opponent_model"},
    "opponentmodel": {"opponent_model"},
}


def names_of(key):
    """Return the names by which an error may tell of a parameter."""
    words = {name for made in WORDS.get(key, {}).values() for name in made}
    return {key, SAME.get(key, key), *words, *MADE_OF.get(key, ())}


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(KNOWN)), VALUES, max_size=6))
@example({"rolloutlength": None, "rolloutpolicyparams": {"comms": None}})
def test_any_parameters_make_an_agent_or_one_clear_error(parameters):
    try:
        found = from_tag({**parameters, **MCTS})
    except ValueError as error:
        (line,) = str(error).splitlines()
        assert any(name in line for key in parameters for name in names_of(key))
        return
    try:
        make_agent(found)
    except ValueError as error:  # only what is checked when the agent is made
        assert "seed" in str(error)
