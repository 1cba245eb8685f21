"""Checks for authors: is this game, or this environment, one that agents can plan on?

`check_rules` examines compiled rules and `check_environment` a PettingZoo or Gymnasium
environment, as `pettingzoo.test.api_test` and Gymnasium's `check_env` do for their
interfaces. Both raise a `CheckError` at the first mistake and return a `Report` of what
they looked at.
"""

from mcts_agents.testing.environments import check_environment
from mcts_agents.testing.report import CheckError, Report
from mcts_agents.testing.rules import check_rules

__all__ = ["CheckError", "Report", "check_environment", "check_rules"]
