"""AEC environments whose masks come, go, or are not of the usual type."""

import re
import signal
import time
from typing import ClassVar

import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model.copying import mask_looks, suspicions
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.face_kinds import face_of
from tests.model.third_party import InTurn

# The turns in which something was observed.
OBSERVED = []

KINDS = {
    "int8": lambda legal: np.array(legal, np.int8),
    "int64": lambda legal: np.array(legal, np.int64),
    "list": list,
    "booleans": lambda legal: [bool(each) for each in legal],
}


class Changing(InTurn):
    """Eight turns of two; all but one of four actions are legal, and it is asserted.

    Args:
        shows: Whether the observation has a mask in a turn; all is legal elsewhere.
        kind: The masks' type.
        pays: What a step pays, by the action.
    """

    def __init__(self, shows=lambda turn: True, kind="int8", pays=None):
        super().__init__(["first", "second"])
        self.shows, self.kind = shows, kind
        self.pays = pays or (lambda action: {"first": action, "second": -action})
        self.observed = 0

    def action_space(self, agent):
        return self.actions

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.actions = spaces.Discrete(4)
        self.turn = self.last = 0

    def legal(self):
        if not self.shows(self.turn):
            return [1, 1, 1, 1]
        return [int(action != (self.turn + 2) % 4) for action in range(4)]

    def observe(self, agent):
        self.observed += 1
        seen = {"observation": np.array([self.turn, self.last])}
        if self.shows(self.turn):
            seen["action_mask"] = KINDS[self.kind](self.legal())
        return seen

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert self.legal()[action], f"{action} is not legal in turn {self.turn}"
        self.rewards = self.pays(action)
        self.turn, self.last = self.turn + 1, action
        self.agent_selection = self.agents[self.turn % 2]
        if self.turn == 8:
            self.terminations = dict.fromkeys(self.agents, True)


def planned(env, **options):
    env.reset(seed=0)
    options = {"simulations": 200, "perfect_information": True, "seed": 3} | options
    return MCTSAgent(**options).plan(env)


@pytest.mark.parametrize("plans", [0, suspicions.PLANS])
@pytest.mark.parametrize("deterministic", [False, True])
def test_masks_that_vanish_hold_as_long_as_they_are_shown(
    deterministic, plans, monkeypatch
):
    monkeypatch.setattr(suspicions, "PLANS", plans)  # these look at masks, too
    found = planned(Changing(lambda turn: turn < 2), deterministic=deterministic)
    assert found.actions.tolist() == [0, 1, 3]


def test_masks_that_appear_where_nothing_announced_them_are_an_error():
    with pytest.raises(ValueError, match=r"shows a mask now and did not .* Dict with"):
        planned(Changing(lambda turn: turn >= 2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("deterministic", [False, True])
def test_decisions_do_not_depend_on_the_type_of_masks(kind, deterministic):
    def visits(kind):
        env = Changing(lambda turn: turn % 2 == 0, kind)
        return planned(env, deterministic=deterministic).visits.tolist()

    assert visits(kind) == visits("int8")


@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_a_face_ask_for_no_observation(kind):
    env = Changing(kind=kind)
    env.reset(seed=0)
    face = face_of(env)
    before = env.observed
    face.step([1, -1], [0.0, 0.0])
    assert env.observed == before


def test_lists_as_masks_are_seen_once_in_each_situation():
    class Counting(Changing):
        def observe(self, agent):
            OBSERVED.append(self.turn)
            return super().observe(agent)

    OBSERVED.clear()
    options = {"rollout": 0, "simulations": 400, "caches": (f"{__name__}.OBSERVED",)}
    found = planned(Counting(kind="booleans"), **options)
    assert len(OBSERVED) < 1.5 * found.forward_model_calls


def test_a_lent_copy_says_what_is_legal_in_it_after_it_was_copied():
    env = Changing()
    env.reset(seed=0)
    model = CopiedEnvironment(env, perfect_information=True)
    with model.planning(None, np.zeros(2, np.uint64)) as (root, _):
        state = model.copy(root)
        lent = model.environment(state, own=True)
        copied = model.copy(state)
        assert model.legal_actions(copied, 0).tolist() == [0, 1, 3]
        lent.step(0)
        lent.step(0)
        assert lent.legal() == [0, 1, 1, 1]
        assert model.legal_actions(state, 0).tolist() == [1, 2, 3]
        assert model.legal_actions(copied, 0).tolist() == [0, 1, 3]


def test_rewards_that_cannot_be_compared_are_named():
    torch = pytest.importorskip("torch")
    for reward in (torch.ones(2), torch.zeros(2), np.zeros(2), None):
        env = Changing(pays=lambda action, r=reward: {"first": r, "second": 0})
        with pytest.raises(ValueError, match=r"the reward of first is .* finite"):
            planned(env)


def test_somebody_else_may_be_paid_nothing():
    env = Changing(pays=lambda action: {"first": 0, "second": 0, "dealer": 0})
    assert planned(env).visits.sum() == 200
    env = Changing(pays=lambda action: {"first": 0, "second": 0, "dealer": 1})
    with pytest.raises(ValueError, match="names 'dealer'"):
        planned(env)


def test_an_agent_that_was_removed_and_is_still_selected_is_named():
    class Forgetful(Changing):
        def step(self, action):
            agent = self.agent_selection
            if self.terminations[agent]:
                for held in (self.terminations, self.truncations, self.rewards):
                    del held[agent]
                self.agents.remove(agent)  # and agent_selection is left as it was
                return
            super().step(action)
            if self.turn == 3:
                self.terminations[self.agent_selection] = True

    with pytest.raises(RuntimeError, match=r"'second', which step.* has removed"):
        planned(Forgetful())


class TimeIsUp(Exception):
    pass


class Ringing(Changing):
    """In its fifth turn, a signal arrives while the rewards are asked for."""

    @property
    def rewards(self):
        if getattr(self, "turn", 0) == 5:
            signal.raise_signal(signal.SIGUSR1)
        return self.paid

    @rewards.setter
    def rewards(self, paid):
        self.paid = paid


@pytest.mark.parametrize("rollout", [0, 10])
def test_a_time_limit_ends_a_search_that_asks_for_rewards(rollout, monkeypatch):
    monkeypatch.setattr(suspicions, "PLANS", 0)  # these take steps too
    rung = []

    def ring(*_):
        if not rung:
            rung.append(True)
            raise TimeIsUp

    before = signal.signal(signal.SIGUSR1, ring)
    try:
        with pytest.raises(TimeIsUp):
            planned(Ringing(), rollout=rollout)
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("rollout", [0, 10])
def test_rewards_that_are_no_dictionary_are_named(rollout):
    pandas = pytest.importorskip("pandas")
    for rewards in (np.zeros(2), np.ones(2), pandas.Series([0.0, 0.0]), [0, 0], None):
        env = Changing(pays=lambda action, r=rewards: r)
        words = f"the rewards are {re.escape(repr(rewards))}, expected a dictionary"
        with pytest.raises(ValueError, match=words):
            planned(env, rollout=rollout)


def test_masks_of_a_new_game_say_nothing_about_a_plan_in_which_none_appears(
    monkeypatch,
):
    monkeypatch.setattr(suspicions, "SECONDS", 10.0)
    env = Changing(lambda turn: turn < 2)
    env.reset(seed=0)
    env.step(0)
    env.step(1)
    agent = MCTSAgent(simulations=50, perfect_information=True, seed=3)
    for _ in range(2):
        assert agent.plan(env).actions.tolist() == [0, 1, 2, 3]


def test_masks_that_infos_hold_too_may_appear_in_observations():
    class Both(Changing):
        def step(self, action):
            super().step(action)
            self.infos = {agent: {} for agent in self.agents}
            if self.shows(self.turn):
                mask = np.array(self.legal(), np.int8)
                self.infos[self.agent_selection] = {"action_mask": mask}

    found = planned(Both(lambda turn: turn >= 2))
    assert found.actions.tolist() == [0, 1, 2, 3]
    # Illegal actions fail in the environment, so none was searched.
    assert found.visits.sum() == 200


@pytest.mark.parametrize("plans", [0, suspicions.PLANS])
@pytest.mark.parametrize("kind", KINDS)
def test_masks_in_infos_that_differ_from_those_in_observations_are_an_error(
    kind, plans, monkeypatch
):
    monkeypatch.setattr(suspicions, "PLANS", plans)

    class Stale(Changing):
        """The infos are as they were at the beginning, when all was legal."""

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.infos = {a: {"action_mask": np.ones(4, np.int8)} for a in self.agents}

    with pytest.raises(ValueError, match="show the same masks in infos"):
        planned(Stale(lambda turn: turn >= 2, kind))


def resampled(env, agent, generator):
    """Hide nothing."""


@pytest.mark.parametrize(
    "options", [{}, {"perfect_information": False, "redeterminise": resampled}]
)
def test_masks_that_nothing_announced_are_an_error_each_time(options):
    env = Changing(lambda turn: turn >= 2)
    env.reset(seed=0)
    options = {"simulations": 20, "perfect_information": True, "seed": 3} | options
    agent = MCTSAgent(**options)
    for _ in range(4):
        with pytest.raises(ValueError, match="shows a mask now and did not"):
            agent.plan(env)
    env.step(0)
    env.step(1)  # from here on they are shown
    assert agent.plan(env).actions.tolist() == [1, 2, 3]


@pytest.mark.parametrize("budget", [{"simulations": 20}, {"seconds": 2.0}])
@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
def test_masks_that_only_a_search_has_seen_are_an_error_each_time(
    options, budget, monkeypatch, ticking_clock
):
    monkeypatch.setattr(suspicions, "PLANS", 0)
    env = Changing(lambda turn: turn >= 5)
    env.reset(seed=0)
    agent = MCTSAgent(perfect_information=True, seed=3, **budget, **options)
    for _ in range(4):
        with pytest.raises(ValueError, match="shows a mask now and did not"):
            agent.plan(env)


def test_masks_that_were_an_error_may_be_gone_in_the_next_plan():
    env = Changing(lambda turn: turn >= 2)
    env.reset(seed=0)
    agent = MCTSAgent(simulations=20, perfect_information=True, seed=3)
    with pytest.raises(ValueError, match="shows a mask now and did not"):
        agent.plan(env)
    env.shows = lambda turn: False
    for _ in range(2):
        assert agent.plan(env).actions.tolist() == [0, 1, 2, 3]


def test_looks_for_masks_count_when_they_were_made(monkeypatch):
    class Seen(Changing):
        def observe(self, agent):
            OBSERVED.append(self.turn)
            return super().observe(agent)

    def observed():
        """Return how many observations were made in each plan, of so many steps."""
        env = Seen(lambda turn: False)
        env.reset(seed=0)
        caches = (f"{__name__}.OBSERVED",)
        model = CopiedEnvironment(env, perfect_information=True, caches=caches)
        counts = []
        for steps in (1, 4, 6, 6):
            OBSERVED.clear()
            rng = np.zeros(2, np.uint64)
            with model.planning(None, rng) as (root, _):
                state = model.copy(root)
                for step in range(steps):
                    model.apply(state, {step % 2: 0}, rng)
            counts.append(len(OBSERVED))
        return np.array(counts)

    monkeypatch.setattr(suspicions, "PLANS", 0)
    looked = observed()
    monkeypatch.setattr(mask_looks, "FIRST_LOOKS", 0)
    monkeypatch.setattr(mask_looks, "LATER_LOOKS", 0)
    assert (looked - observed()).tolist() == [1, 4, 3, 2]


@pytest.mark.parametrize("options", [{}, {"rollout": 0}, {"deterministic": True}])
def test_a_search_sees_masks_that_nothing_announced_without_looks_before_it(
    options, monkeypatch
):
    monkeypatch.setattr(suspicions, "PLANS", 0)
    with pytest.raises(ValueError, match="shows a mask now and did not"):
        planned(Changing(lambda turn: turn >= 2), **options)


def test_looks_for_masks_change_no_decision(monkeypatch):
    class Noticing(Changing):
        def observe(self, agent):
            self.last += 10 * self.np_random.integers(3)  # seen in what is paid
            return super().observe(agent)

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.np_random = np.random.default_rng(seed)

        def step(self, action):
            last = self.last
            super().step(action)
            self.rewards = {"first": last + action, "second": -last - action}

    def visits():
        return planned(Noticing(lambda turn: False)).visits.tolist()

    looked = visits()
    monkeypatch.setattr(mask_looks, "FIRST_LOOKS", 0)
    monkeypatch.setattr(mask_looks, "LATER_LOOKS", 0)
    assert visits() == looked


@pytest.mark.parametrize("deterministic", [False, True])
def test_agents_who_have_finished_are_asked_for_no_observation(deterministic):
    class Ending(Changing):
        def observe(self, agent):
            assert not self.terminations[agent], f"{agent} has finished"
            return super().observe(agent)

        def step(self, action):
            super().step(action)
            if self.turn == 2:
                self.terminations = dict.fromkeys(self.agents, True)

    found = planned(Ending(), deterministic=deterministic)
    assert found.visits.sum() == 200


@pytest.mark.parametrize("turn", [3, 8])
def test_what_cannot_be_copied_after_a_step_is_no_error_of_looks_for_masks(turn):
    class Logging(Changing):
        def step(self, action):
            super().step(action)
            self.log = (self.turn == turn or None) and (line for line in "log")

    found = planned(Logging(lambda turn: False), simulations=50)
    assert found.visits.sum() == 50


def test_no_looks_for_masks_are_made_when_the_time_is_up():
    class Slow(Changing):
        def observe(self, agent):
            OBSERVED.append(self.turn)
            return super().observe(agent)

        def step(self, action):
            time.sleep(0.1)
            super().step(action)
            self.agent_selection = "first"  # who is known to be shown no masks

    def unmasked(turn):
        return False

    planned(Changing(unmasked))  # loads what is compiled
    OBSERVED.clear()
    options = {"caches": (f"{__name__}.OBSERVED",), "seconds": 0.08}
    found = planned(Slow(unmasked), simulations=None, **options)
    assert found.forward_model_calls == 1
    assert set(OBSERVED) == {0}


def test_masks_given_for_agents_who_are_shown_theirs_when_they_are_asked():
    class Asked(Changing):
        def observe(self, agent):
            if agent == self.agent_selection:
                return super().observe(agent)
            return {"observation": np.array([self.turn, self.last])}

    env = Asked()
    env.reset(seed=0)
    masks = {"first": env.legal(), "second": [1, 1, 1, 1]}
    agent = MCTSAgent(simulations=50, perfect_information=True, seed=3)
    assert agent.plan(env, action_mask=masks).actions.tolist() == [0, 1, 3]


@pytest.mark.parametrize("options", [{}, {"rollout": 0}, {"deterministic": True}])
@pytest.mark.parametrize("turn", [0, 1, 2, 5])
def test_an_agent_who_joins_and_is_not_in_possible_agents_is_named(turn, options):
    class Joined(Changing):
        def reset(self, seed=None, options=None):
            super().reset(seed)
            if turn == 0:
                self.join()

        def step(self, action):
            super().step(action)
            if self.turn == turn:
                self.join()

        def join(self):
            self.possible_agents, self.agents = ["first", "second"], [*self.agents, "z"]
            for held in (self.rewards, self.terminations, self.truncations, self.infos):
                held["z"] = 0
            self.agent_selection = "z"

    words = r"names 'z', who is not in possible_agents \(first, second\); list every"
    with pytest.raises(ValueError, match=words):
        planned(Joined(), **options)


@pytest.mark.parametrize("selected", [None, "zz"])
@pytest.mark.parametrize("turn", [0, 1, 7])
def test_a_selected_agent_who_does_not_exist_is_named(selected, turn):
    class Mistaken(Changing):
        def reset(self, seed=None, options=None):
            super().reset(seed)
            if turn == 0:
                self.agent_selection = selected

        def step(self, action):
            super().step(action)
            if self.turn == turn:
                self.agent_selection = selected

    words = rf"agent_selection is {selected!r}; it must name one of .*\(first, second"
    with pytest.raises(RuntimeError, match=words):
        planned(Mistaken())


@pytest.mark.parametrize("budget", [{}, {"seconds": 0.3, "simulations": None}])
def test_masks_of_one_agent_do_not_hide_those_of_another(
    budget, monkeypatch, ticking_clock
):
    monkeypatch.setattr(suspicions, "PLANS", 0)
    planned(Changing())  # compiles
    with pytest.raises(ValueError, match="shows a mask now and did not"):
        env = Changing(lambda turn: turn % 2 == 0 or turn >= 3)
        planned(env, rollout=8, **budget)


def test_who_has_shown_masks_in_an_earlier_plan_is_asked_for_them():
    env = Changing(lambda turn: turn in (0, 1, 4, 6))
    env.reset(seed=0)
    agent = MCTSAgent(simulations=200, perfect_information=True, seed=3)
    for turn in range(8):
        found = agent.plan(env)
        assert len(found.actions) == sum(env.legal())
        if turn:
            assert agent.plan(env).actions.tolist() == found.actions.tolist()
        env.step(found.action)


class Filling(Changing):
    """Masks lie in the infos, which only observing fills; `last` does that first."""

    in_place = False

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.infos = {a: {"action_mask": np.ones(4, np.int8)} for a in self.agents}

    def observe(self, agent):
        mask = super().observe(agent)["action_mask"]
        if self.in_place:
            self.infos[agent]["action_mask"][:] = mask
        else:
            self.infos[agent] = {"action_mask": mask}
        return self.turn


def plays_a_game(env, looked):
    """See that one action is illegal in each turn, observed before it or not."""
    env.reset(seed=0)
    agent = MCTSAgent(simulations=200, perfect_information=True, seed=3)
    for _ in range(8):
        if looked:
            env.observe(env.agent_selection)
        found = agent.plan(env)
        assert len(found.actions) == 3
        env.step(found.action)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("looked", [False, True])
def test_masks_that_observing_puts_into_infos_are_seen(in_place, looked, monkeypatch):
    monkeypatch.setattr(Filling, "in_place", in_place)
    plays_a_game(Filling(), looked)


@pytest.mark.parametrize("looked", [False, True])
def test_infos_may_be_filled_when_they_are_first_asked_for(looked):
    class Lazy(Changing):
        def observe(self, agent):
            if "action_mask" not in self.infos[agent]:
                mask = super().observe(agent)["action_mask"]
                self.infos[agent]["action_mask"] = mask
            return self.turn

        def step(self, action):
            super().step(action)
            self.infos = {agent: {} for agent in self.agents}

    plays_a_game(Lazy(), looked)


class FillingLate(Filling):
    """All is legal in four turns, so that masks look as if they were never set."""

    def legal(self):
        return super().legal() if self.turn >= 4 else [1] * 4


class InPlace(FillingLate):
    in_place = True


class Kept(FillingLate):
    """There are five masks, which agents share and keep."""

    MASKS = tuple(np.array([i != j for j in range(4)], np.int8) for i in range(5))

    def observe(self, agent):
        legal = self.legal()
        at = legal.index(0) if 0 in legal else 4
        self.infos[agent]["action_mask"] = self.MASKS[at]
        return self.turn


class MadeAnew(FillingLate):
    """The infos are copies, new ones at each access, of what observing fills."""

    inner = None

    @property
    def infos(self):
        return {
            agent: {name: np.array(mask) for name, mask in info.items()}
            for agent, info in (self.inner or {}).items()
        }

    @infos.setter
    def infos(self, value):
        self.inner = value

    def observe(self, agent):
        self.inner[agent] = {"action_mask": self.legal()}
        return self.turn


class OncePerStep(FillingLate):
    """Observing fills the infos in place, for each agent once after a step."""

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.stale = set(self.agents)

    def step(self, action):
        super().step(action)
        self.stale = set(self.agents)

    def observe(self, agent):
        if agent in self.stale:
            self.stale.discard(agent)
            self.infos[agent]["action_mask"][:] = self.legal()
        return self.turn


class InSteps(FillingLate):
    """The masks are those of the others, and steps set them."""

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.fill()

    def fill(self):
        mask = np.array(self.legal(), np.int8)
        self.infos = {agent: {"action_mask": mask} for agent in self.agents}

    def step(self, action):
        super().step(action)
        self.fill()

    def observe(self, agent):
        return self.turn


@pytest.mark.parametrize("looked", [False, True])
@pytest.mark.parametrize("kind", [FillingLate, InPlace, Kept, MadeAnew, OncePerStep])
def test_masks_that_observing_changes_late_are_seen(kind, looked):
    """As in the same game whose steps set them, whether somebody looked before."""

    def plans(kind):
        env = kind()
        env.reset(seed=0)
        agent = MCTSAgent(simulations=100, perfect_information=True, seed=3)
        found = []
        for _ in range(8):
            if looked:
                env.observe(env.agent_selection)
            plan = agent.plan(env)
            assert len(plan.actions) == sum(env.legal())
            found.append((plan.visits.tolist(), plan.values.tolist()))
            env.step(plan.action)
        return found

    assert plans(kind) == plans(InSteps)


@pytest.mark.parametrize("constant", [False, True])
def test_who_is_not_shown_masks_is_not_observed_in_each_step(constant):
    class Observed(InSteps):
        def legal(self):
            return [1, 0, 1, 1] if constant else Changing.legal(self)

        def observe(self, agent):
            OBSERVED.append(self.turn)
            return self.turn

    env = Observed()
    env.reset(seed=0)
    caches = (f"{__name__}.OBSERVED",)
    agent = MCTSAgent(simulations=100, perfect_information=True, seed=3, caches=caches)
    agent.plan(env)
    OBSERVED.clear()
    assert len(agent.plan(env).actions) == 3
    assert len(OBSERVED) < 50


@pytest.mark.parametrize("looked", [False, True])
@pytest.mark.parametrize("kind", ["new", "in place", "list"])
def test_observing_may_forbid_what_steps_have_allowed(kind, looked):
    """As pseudo-legal moves are told apart in chess; rarely, so that looks miss it."""

    class Narrowing(InSteps):
        def legal(self):
            free = [action != self.last for action in range(4)]
            if self.turn >= 6:
                free[(self.last + 1) % 4] = False
            return free

        def fill(self):
            mask = np.array([action != self.last for action in range(4)], np.int8)
            if kind == "list":
                mask = mask.tolist()
            self.infos = {agent: {"action_mask": mask} for agent in self.agents}

        def observe(self, agent):
            legal = np.array(self.legal(), np.int8)
            if kind == "list":
                legal = legal.tolist()
            if kind == "new":
                self.infos[agent] = {"action_mask": legal}
            else:
                self.infos[agent]["action_mask"][:] = legal
            return self.turn

    env = Narrowing()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=100, perfect_information=True, seed=3)
    for _ in range(8):
        if looked:
            env.observe(env.agent_selection)
        plan = agent.plan(env)
        assert plan.visits.sum() == 100
        assert len(plan.actions) == sum(env.legal())
        env.step(plan.action)


class InParts(InTurn):
    """Eight turns; an action has two parts, one of which forbids something later on.

    The infos hold parts of the mask made by `part`, and observing writes in them, or
    steps set new ones.
    """

    def __init__(self, space, part, in_steps=False):
        super().__init__(["first", "second"])
        self.space, self.part, self.in_steps = space, part, in_steps

    def action_space(self, agent):
        return self.space

    def legal(self):
        legal = [[1, 1], [1, 1]]
        if self.turn >= 4:
            legal[self.turn % 2][self.turn // 2 % 2] = 0
        return legal

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.turn = 0
        self.set_masks()

    def set_masks(self):
        self.infos = {
            agent: {"action_mask": tuple(map(self.part, self.legal()))}
            for agent in self.agents
        }

    def observe(self, agent):
        if not self.in_steps:
            told = self.infos[agent]["action_mask"]
            for part, legal in zip(told, self.legal(), strict=True):
                for number, value in enumerate(legal):
                    part[number] = value
        return self.turn

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        legal = self.legal()
        assert all(part[number] for part, number in zip(legal, action, strict=True))
        pay = float(action[0] + 2 * action[1])
        self.rewards = {"first": pay, "second": -pay}
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._accumulate_rewards()
        self.turn += 1
        self.agent_selection = self.agents[self.turn % 2]
        if self.in_steps:
            self.set_masks()
        if self.turn == 8:
            self.terminations = dict.fromkeys(self.agents, True)


class OneMask(InParts):
    """The parts lie in one mask behind another, and observing looks for an action."""

    NEVER_FOUND: ClassVar[list] = []

    def set_masks(self):
        mask = np.array(self.legal(), np.int8).reshape(4)
        self.infos = {agent: {"action_mask": mask} for agent in self.agents}

    def observe(self, agent):
        told = self.infos[agent]["action_mask"]
        if not (told[:2].any() and told[2:].any()):
            self.NEVER_FOUND.append(told.tolist())  # in a copy
        return self.turn


def game_of_plans(env):
    """Play a game of plans; return their visits."""
    env.reset(seed=0)
    agent = MCTSAgent(simulations=100, perfect_information=True, seed=3)
    plays = []
    for _ in range(8):
        plan = agent.plan(env)
        plays.append(plan.visits.tolist())
        env.step(plan.environment_action(plan.action))
    return plays


def test_buffers_of_any_kind_are_seen_to_be_filled():
    class Bytes(FillingLate):
        """The infos hold a buffer of the environment's own from the beginning on."""

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.buffers = {agent: bytearray([1] * 4) for agent in self.agents}
            self.infos = {
                agent: {"action_mask": mask} for agent, mask in self.buffers.items()
            }

        def observe(self, agent):
            self.buffers[agent][:] = bytes(self.legal())
            return self.turn

    assert game_of_plans(Bytes()) == game_of_plans(InSteps())


@pytest.mark.parametrize(
    "space", [spaces.MultiDiscrete([2, 2]), spaces.MultiBinary(2)], ids=str
)
def test_masks_in_parts_are_seen_to_be_filled(space):
    expected = game_of_plans(InParts(space, np.array, in_steps=True))
    assert game_of_plans(OneMask(space, None, in_steps=True)) == expected
    assert not OneMask.NEVER_FOUND
    for part in (np.array, list, bytearray):
        assert game_of_plans(InParts(space, part)) == expected, part


def test_what_is_tried_in_copies_leaves_an_action():
    """An observation may look for a legal action until it has found one."""

    class Hint(InSteps):
        def observe(self, agent):
            OBSERVED.append(int(self.infos[agent]["action_mask"].sum()))
            return self.turn

    env = Hint()
    env.reset(seed=0)
    OBSERVED.clear()
    caches = (f"{__name__}.OBSERVED",)
    MCTSAgent(simulations=50, perfect_information=True, caches=caches).plan(env)
    assert set(OBSERVED) == {1, 3, 4}  # one action: the wrong mask


def test_what_is_tried_in_copies_harms_no_state_that_copies_share():
    class Board(Changing):
        """The state is an array that is never written to, and the mask a part of it."""

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.set_state((0, np.ones(5, np.int8), dict.fromkeys(self.agents, 0)))

        def get_state(self):
            return self.turn, self.board, self.rewards

        def set_state(self, state):
            self.turn, self.board, self.rewards = state
            self.agent_selection = self.agents[self.turn % 2]
            over = not self.board[:4].any()
            self.terminations = dict.fromkeys(self.agents, over)
            self.infos = {a: {"action_mask": self.board[:4]} for a in self.agents}

        def observe(self, agent):
            return int(self.board.sum())

        def step(self, action):
            if self.terminations[self.agent_selection]:
                self._was_dead_step(action)
                return
            assert self.board[action]
            board = self.board.copy()
            board[action] = 0
            self.set_state((self.turn + 1, board, self.pays(action)))

    plans = []
    for snapshots in (False, True):
        found = planned(Board(), snapshots=snapshots)
        plans.append((found.visits.tolist(), found.values.tolist()))
    assert plans[0] == plans[1]


def test_whose_masks_begin_late_is_refused_once_at_most():
    class Beginning(Changing):
        """Observing fills the infos, which held nothing, from the sixth turn on."""

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.infos = {agent: {} for agent in self.agents}

        def legal(self):
            return super().legal() if self.turn >= 6 else [1] * 4

        def observe(self, agent):
            if self.turn >= 6:
                mask = np.array(self.legal(), np.int8)
                self.infos[agent] = {"action_mask": mask}
            return self.turn

    env = Beginning()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=100, perfect_information=True, seed=3)
    refused = 0
    for _ in range(8):
        env.observe(env.agent_selection)
        try:
            action = agent.plan(env).action
        except ValueError as error:
            assert "changes the mask in infos" in str(error)
            refused += 1
            action = env.legal().index(1)
        env.step(action)
    assert refused <= 2  # of two agents


def test_looks_of_which_there_is_not_always_time_change_no_decision(monkeypatch):
    """They learn of masks, and whom is observed then draws from the search's dice."""

    class Foggy(InSteps):
        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.rng = np.random.default_rng(seed)

        def observe(self, agent):
            return self.turn + self.rng.normal()

        def step(self, action):
            super().step(action)
            paid = action + self.rng.normal()
            self.rewards = {"first": paid, "second": -paid}

    def visits():
        return planned(Foggy()).visits.tolist()

    looked = visits()
    monkeypatch.setattr(suspicions, "PLANS", 0)
    assert visits() == looked


def test_infos_may_be_made_at_each_access():
    class Property(Changing):
        @property
        def infos(self):
            return {a: {"action_mask": np.array(self.legal())} for a in self.agents}

        @infos.setter
        def infos(self, value):
            pass

        def observe(self, agent):
            return self.turn

    plays_a_game(Property(), looked=False)


@pytest.mark.parametrize("plans", [0, suspicions.PLANS])
def test_masks_may_be_drawn_anew_at_each_look(plans, monkeypatch):
    class Menu(Changing):
        def observation_space(self, agent):
            return spaces.Dict({"action_mask": spaces.MultiBinary(4)})

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.rng = np.random.default_rng(seed)

        def legal(self):
            return [1] * 4

        def observe(self, agent):
            mask = np.ones(4, np.int8)
            mask[self.rng.integers(4)] = 0
            return {"observation": self.turn, "action_mask": mask}

    monkeypatch.setattr(suspicions, "PLANS", plans)
    assert len(planned(Menu()).actions) == 3


@pytest.mark.parametrize("actions", [4, 300])
def test_a_plan_makes_three_observations_before_its_search(actions, monkeypatch):
    monkeypatch.setattr(suspicions, "PLANS", 0)

    class Seen(Changing):
        def observation_space(self, agent):
            return spaces.Dict({"action_mask": spaces.MultiBinary(actions)})

        def action_space(self, agent):
            return self.actions

        def reset(self, seed=None, options=None):
            super().reset(seed)
            self.actions = spaces.Discrete(actions)

        def observe(self, agent):
            OBSERVED.append(self.turn)
            return {"action_mask": np.ones(actions, np.int8)}

    env = Seen()
    env.reset(seed=0)
    caches = (f"{__name__}.OBSERVED",)
    model = CopiedEnvironment(env, perfect_information=True, caches=caches)
    OBSERVED.clear()
    with model.planning(None, np.zeros(2, np.uint64)) as (root, player):
        assert len(model.legal_actions(root, player)) == actions
    # One of the live environment, one of the copy that is compared, one of the root.
    assert len(OBSERVED) == 3
