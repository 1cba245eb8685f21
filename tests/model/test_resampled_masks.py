"""What is resampled in a parallel environment: true masks are not planned with."""

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.utils import BaseParallelWrapper
from pettingzoo.utils.conversions import parallel_to_aec

from mcts_agents import MCTSAgent, remember
from mcts_agents.wrappers import SingleAgentEnv
from tests.model.third_party import AtOnce

CARDS = 5


class Guess(AtOnce):
    """`b` holds a card that nobody else sees, and must play it; `a` guesses it."""

    metadata = AtOnce.metadata | {"name": "guess_v0"}

    def __init__(self):
        super().__init__("ab")
        self.dice = np.random.default_rng(3)

    def action_space(self, agent):
        return spaces.Discrete(CARDS)

    def observation_space(self, agent):
        return spaces.Dict(
            {
                "observation": spaces.Discrete(9),
                "action_mask": spaces.MultiBinary(CARDS),
            }
        )

    def shown(self, agent):
        mask = np.ones(CARDS, np.int8)
        if agent == "b":
            mask[:] = np.arange(CARDS) == self.card
        return {"observation": 0, "action_mask": mask}

    def observations(self):
        return {agent: self.shown(agent) for agent in self.agents}

    def reset(self, seed=None, options=None):
        self.card = int(self.dice.integers(CARDS))
        return super().reset(seed, options)

    def step(self, actions):
        assert actions["b"] == self.card
        won = float(actions["a"] == actions["b"])
        return self.outcome({"a": won, "b": -won}, True)


class Observed(Guess):
    """The same, which also tells at any time what an agent sees."""

    def observe(self, agent):
        return self.shown(agent)


def deal_again(env, agent, generator):
    if agent == "a":
        env.unwrapped.card = int(generator.integers(CARDS))


def guesser(**options):
    return MCTSAgent(
        simulations=300, redeterminise=deal_again, value="score", seed=0, **options
    )


def assert_guesses(result):
    """All guesses are worth the same; of a known card one would be worth 1."""
    assert result.values.max() < 0.6 and result.visits.min() > 20


def masks(env):
    return {agent: env.shown(agent)["action_mask"] for agent in "ab"}


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_masks_of_others_are_those_of_the_resampled_copy(tree):
    env = Observed()
    env.reset()
    assert_guesses(guesser(tree=tree).plan(env, "a"))
    told = guesser(tree=tree).plan(env, "a", action_mask=masks(env))
    assert_guesses(told)
    aec = parallel_to_aec(Observed())
    aec.reset()
    assert_guesses(guesser(tree=tree).plan(aec))
    kept = remember(Observed())
    kept.reset()
    assert_guesses(guesser(tree=tree).plan(kept, "a"))


def test_where_they_cannot_be_asked_for_the_plan_is_refused():
    env = Guess()
    env.reset()
    words = r"redeterminise has changed what b may know.*method observe\(agent\)"
    with pytest.raises(ValueError, match=words):
        guesser().plan(env, "a", action_mask=masks(env))
    aec = parallel_to_aec(Guess())
    aec.reset()
    with pytest.raises(ValueError, match=words):
        guesser().plan(aec)


class Free(Guess):
    """Without masks: what `b` plays is up to it."""

    def observation_space(self, agent):
        return spaces.Discrete(9)

    def shown(self, agent):
        return 0

    def step(self, actions):
        won = float(actions["a"] == actions["b"])
        return self.outcome({"a": won, "b": -won}, True)


def test_masks_that_tell_nothing_may_stay():
    env = Free()
    env.reset()
    every = {agent: np.ones(CARDS, np.int8) for agent in "ab"}
    assert guesser().plan(env, "a", action_mask=every).visits.sum() == 300
    learner = SingleAgentEnv(Free(), seat="b", opponents=guesser())
    learner.reset(seed=0)
    assert learner.step(0)[2]


def test_an_evaluator_is_not_shown_what_is_true():
    aec = parallel_to_aec(Free())
    aec.reset()
    agent = guesser(
        tree="multi", tree_policy="alphago", evaluator=_even, normalise=True
    )
    with pytest.raises(ValueError, match=r"may know.*method observe\(agent\)"):
        agent.plan(aec)


def _even(observations, players, legal):
    return np.zeros((len(players), 2)), np.zeros(legal.shape)


def test_opponents_of_a_learner_do_not_know_it_either():
    env = SingleAgentEnv(Observed(), seat="b", opponents=guesser())
    env.reset(seed=0)
    won = 0
    for seed in range(30):
        _, info = env.reset(seed=seed)
        _, reward, *_ = env.step(int(info["action_mask"].argmax()))
        won += reward == -1.0
    assert won < 20  # of 30; it would be all of them


class Narrow(BaseParallelWrapper):
    """Forbids the last action, wherever masks are shown."""

    def narrowed(self, seen):
        mask = seen["action_mask"].copy()
        mask[-1] = 0
        return {**seen, "action_mask": mask}

    def observe(self, agent):
        return self.narrowed(self.env.observe(agent))

    def reset(self, seed=None, options=None):
        seen, infos = self.env.reset(seed, options)
        return {a: self.narrowed(each) for a, each in seen.items()}, infos

    def step(self, actions):
        seen, *rest = self.env.step(actions)
        return {a: self.narrowed(each) for a, each in seen.items()}, *rest


def test_the_outermost_wrapper_is_asked_for_masks():
    env = Narrow(Observed())
    env.reset()
    env.unwrapped.card = 0
    agent = MCTSAgent(simulations=50, perfect_information=True, seed=0)
    assert agent.plan(env, "a").actions.tolist() == list(range(CARDS - 1))
