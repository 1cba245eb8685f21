"""Agents of somebody else, each with a fault, as pages name them in the tests."""

import numpy as np

from mcts_agents.agents import Agent, Planner
from mcts_agents.search import SearchResult


class Cheat(Agent):
    """Chooses what is no action of any game."""

    def act(self, env, agent=None, *, action_mask=None):
        return 10**6

    def decide(self, model, state, player):
        return 10**6


class Crash(Agent):
    """Fails, and tells what it knows."""

    def act(self, env, agent=None, *, action_mask=None):
        raise IndexError("my hand is 7, 9")

    def decide(self, model, state, player):
        raise NotImplementedError


class Quit(Crash):
    """Ends the whole process."""

    def act(self, env, agent=None, *, action_mask=None):
        raise SystemExit(3)


class Boundless(Planner):
    """Finds an action infinitely bad."""

    def act(self, env, agent=None, *, action_mask=None):
        return self.plan(env).action

    def plan(self, env, agent=None, *, action_mask=None):
        values = np.array([-np.inf, 0.3])
        return SearchResult(8, np.array([7, 8], np.int32), values=values)

    def search(self, model, state, player, history=None, *, started=None):
        raise NotImplementedError
