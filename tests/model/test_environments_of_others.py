"""Third-party environments, as `benchmarks/environments_of_others.py` tries them.

Those that come with the extra `test` are tried here, and environments that show what
the suite finds out.
"""

import json
import random

import gymnasium
import numpy as np
import pytest
from environments_of_others import BEGIN, END, read, table, with_table
from gymnasium import spaces
from others import conformance
from others.cases import Case, cases
from others.conformance import MISSING, PLANS, REFUSED, WRONG, Found

SMALL = [case for case in cases() if case.is_small]


def test_small_environments_plan():
    alone, planned = (
        conformance.in_process(SMALL, plans, measured=0.02) for plans in (False, True)
    )
    assert len(SMALL) >= 20
    for case, *seen in zip(SMALL, alone, planned, strict=True):
        found = conformance.compare(case, *seen)
        assert (case.name, found.verdict, found.why) == (case.name, PLANS, "")
        assert found.notes == []
        assert found.simulations > 0
        assert 0 < found.copy < 1


def test_names_are_unique():
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names) >= 35


class Walk(gymnasium.Env):
    """Counts its steps; subclasses do so where copies share it."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(-np.inf, np.inf, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.shown(), {}

    def shown(self):
        return np.array([self.steps], np.float32)

    def step(self, action):
        self.steps += 1
        return self.shown(), float(np.sum(action)), False, False, {}


COUNTER = [0]


class CountsInAModule(Walk):
    def step(self, action):
        COUNTER[0] += 1
        return super().step(action)


class CountsInAClass(Walk):
    counted = 0

    def step(self, action):
        type(self).counted += 1
        return super().step(action)


class ShowsTheClass(CountsInAClass):
    def shown(self):
        return np.array([type(self).counted], np.float32)


class SharedCounter:
    def __init__(self):
        self.steps = 0

    def __deepcopy__(self, memo):
        return self


class SharesAPart(Walk):
    def __init__(self):
        self.counter = SharedCounter()

    def step(self, action):
        self.counter.steps += 1
        return super().step(action)


class Slips(Walk):
    """Walks at random, by a generator that no planner can replace."""

    def reset(self, *, seed=None, options=None):
        self.number = 12345 + (seed or 0)
        return super().reset(seed=seed)

    def step(self, action):
        self.number = self.number * 1103515245 % 2**31
        self.steps += self.number >> 30
        return super().step(action)


class Fails(Walk):
    def step(self, action):
        raise KeyError("lost")


class Refused(Walk):
    action_space = spaces.Box(0, 1, (1,))


def found_in(kind, **words):
    """Return what is found about an environment, both times played in this process."""
    case = Case(kind.__name__, "gymnasium", kind, **words)
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    alone = conformance.play(case, False, 0.02)
    for reset in (CountsInAClass, ShowsTheClass):
        reset.counted = 0
    COUNTER[0] = 0
    planned = conformance.play(case, True, 0.02)
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
    return conformance.compare(case, alone, planned)


def test_an_environment_that_plans_leave_alone():
    found = found_in(Walk)
    assert (found.verdict, found.why, found.notes) == (PLANS, "", [])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (CountsInAModule, ["module", "COUNTER"]),
        (CountsInAClass, ["class", "CountsInAClass.counted"]),
    ],
)
def test_what_plans_leave_elsewhere_is_noted(kind, words):
    found = found_in(kind)
    # Found by this digest, or refused by the agent itself.
    if found.verdict == PLANS:
        assert all(word in found.notes[0] for word in words)
    else:
        assert found.verdict == REFUSED
        assert words[1].rpartition(".")[2] in found.why


def test_an_environment_that_goes_on_otherwise_is_wrong():
    found = found_in(ShowsTheClass)
    if found.verdict == REFUSED:
        assert "ShowsTheClass" in found.why and "counted" in found.why
    else:
        assert found.verdict == WRONG
        assert found.why.startswith("goes on otherwise after plans, at step ")


def test_a_shared_part_is_found():
    found = found_in(SharesAPart)
    # Found by the agent before the digest could tell.
    assert found.verdict == REFUSED
    assert "env.counter.steps of the live environment" in found.why


def test_dice_that_all_copies_share_are_found():
    assert found_in(Slips).verdict == PLANS
    found = found_in(Slips, is_random=True)
    assert (found.verdict, found.why) == (
        WRONG,
        "plans see the dice: all copies go on alike",
    )


def test_an_environment_that_fails_is_missing_and_refusals_are_told():
    lost = Case("lost", "gymnasium", lambda: gymnasium.make("NoSuchEnvironment-v0"))
    seen = conformance.play(lost, False)
    found = conformance.compare(lost, seen, seen)
    assert found.verdict == MISSING
    assert found.why.startswith("NameNotFound: ")
    found = found_in(Fails)
    assert (found.verdict, found.why) == (
        WRONG,
        "fails without plans: KeyError: 'lost'",
    )
    found = found_in(Refused)
    assert found.verdict == REFUSED
    assert "Box(0.0, 1.0" in found.why


def test_crashes_and_strange_errors_are_wrong():
    case = Case("crash", "gymnasium", Walk)
    alone = conformance.play(case, False)
    crash = conformance.compare(case, alone, {"crash": "ended with exit status -11"})
    assert (crash.verdict, crash.why) == (
        WRONG,
        "with plans, the process ended with exit status -11",
    )
    planned = {**alone, "refused": ["AttributeError", "__module__"]}
    strange = conformance.compare(case, alone, planned)
    assert (strange.verdict, strange.why) == (WRONG, "AttributeError: __module__")
    planned["refused"] = ["ValueError", "first\nsecond"]
    assert conformance.compare(case, alone, planned).verdict == WRONG


def test_a_process_that_hangs_is_told():
    case = next(case for case in cases() if case.name == "CartPole-v1")
    slow = Case(case.name, case.package, case.make, seconds=0.01)
    assert conformance.try_case(slow).why == (
        "without plans, the process did not end within 0.01 s"
    )


def test_lines_of_several_runs_are_read(tmp_path):
    of = {"version": "gymnasium 1.0", "verdict": PLANS}
    lines = [
        json.dumps({"name": "Taxi-v4", **of}),
        json.dumps({"name": "CartPole-v1", **of, "step": 2.0}),
        "what an environment prints",
        json.dumps({"name": "CartPole-v1", **of, "step": 1.0}),
        json.dumps({"name": "no longer tried", **of}),
    ]
    (tmp_path / "lines").write_text("\n".join(lines))
    found = read(tmp_path / "lines")
    assert [(one.name, one.step) for one in found] == [
        ("Taxi-v4", None),
        ("CartPole-v1", 1.0),
    ]


def test_the_table():
    found = [
        Found("A-v1", "a 1.0", PLANS, simulations=1234.5, copy=2e-5, step=1e-2),
        Found("B-v1", "b 1.0", REFUSED, "b | c", step=1e-6),
        Found("C-v1", "c", MISSING, "ImportError: c"),
    ]
    text = table(found)
    assert "| `A-v1` | a 1.0 | plans | 1,234 | 20 | 10,000 |" in text
    assert "| `B-v1` | b 1.0 | refused (1) |  |  | 1.0 |\n" in text
    assert "\n\nNotes:\n\n1. `B-v1`: b | c\n\n" in text
    assert "- `C-v1` (c): ImportError: c" in text
    page = with_table(f"before\n{BEGIN}\nold\n{END}\nafter\n", text)
    assert page.startswith(f"before\n{BEGIN}\n\n| environment")
    assert page.endswith(f"{END}\nafter\n")
    assert "old" not in page
    with pytest.raises(ValueError, match="the page lacks the line"):
        with_table("no place", text)
