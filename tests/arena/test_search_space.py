import pytest

from mcts_agents.agents.kinds import KINDS
from mcts_agents.arena.tournaments.search_space import Parameter, parse_parameter

MCTS = KINDS["mcts"]


class Trial:
    """Answers as an Optuna trial, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def suggest_categorical(self, *arguments):
        self.asked.append(("categorical", *arguments))

    def suggest_int(self, *arguments, log):
        self.asked.append(("int", *arguments, log))

    def suggest_float(self, *arguments, log):
        self.asked.append(("float", *arguments, log))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("rollout=0|10|30", ("categorical", "rollout", (0, 10, 30))),
        ("max_depth=5..50", ("int", "max_depth", 5, 50, False)),
        ("max_depth=log:5..50", ("int", "max_depth", 5, 50, True)),
        ("exploration=0.1..3", ("float", "exploration", 0.1, 3, False)),
        ("exploration=log:0.1..3", ("float", "exploration", 0.1, 3, True)),
        ("paranoid", ("categorical", "paranoid", (False, True))),
        (
            "tree",
            ("categorical", "tree", ("one", "self", "pair", "multi", "observers")),
        ),
        ("tree=one|multi", ("categorical", "tree", ("one", "multi"))),
        # The word of the option, not Python's None.
        ("graph=false|true", ("categorical", "graph", (False, True))),
        ("mast=none|both", ("categorical", "mast", ("none", "both"))),
    ],
)
def test_texts_mean_what_they_say(text, asked):
    trial = Trial()
    parse_parameter(text, MCTS).suggest(trial)
    assert trial.asked == [asked]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("explorations=0..1", "did you mean exploration"),
        ("exploration", "expected values"),
        ("exploration=3..1", "lower"),
        ("exploration=log:0..1", "above 0"),
        ("exploration=-1..1", "exploration=-1"),
        ("exploration=a..b", "a number"),
        ("exploration=0.1..3..9", "LOW..HIGH"),
        ("tree=0..3", "one of one"),
        ("tree=one|two", "tree='two'"),
        ("rollout=10", "two different values"),
        ("rollout=10|10", "two different values"),
        ("max_depth=1.5..3", "max_depth=1.5"),
    ],
)
def test_what_is_not_allowed_is_named(text, said):
    with pytest.raises(ValueError, match=said):
        parse_parameter(text, MCTS)


def test_default_space():
    parsed = [parse_parameter(text, MCTS) for text in MCTS.search_space]
    assert [type(parameter) for parameter in parsed] == [Parameter] * 3
