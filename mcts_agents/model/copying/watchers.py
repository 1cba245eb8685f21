"""Wrappers that only watch, record or show: copies that are planned on do without.

A search takes legal actions in the right order and draws nothing, so these wrappers
change nothing about the game; left in place they would check every step, and write the
search's steps into the live game's videos and statistics.
"""

from typing import Any

from gymnasium import wrappers as gymnasium_wrappers
from pettingzoo.utils import wrappers as pettingzoo_wrappers

from mcts_agents.model.copying.remembering import (
    REMEMBERING,
    Remembered,
)

WATCHERS = (
    pettingzoo_wrappers.AssertOutOfBoundsWrapper,
    pettingzoo_wrappers.CaptureStdoutWrapper,
    pettingzoo_wrappers.OrderEnforcingWrapper,
    pettingzoo_wrappers.TerminateIllegalWrapper,
    gymnasium_wrappers.HumanRendering,
    gymnasium_wrappers.OrderEnforcing,
    gymnasium_wrappers.PassiveEnvChecker,
    gymnasium_wrappers.RecordEpisodeStatistics,
    gymnasium_wrappers.RecordVideo,
    gymnasium_wrappers.RenderCollection,
    *REMEMBERING,
)

# Deeper than any real chain of wrappers; an environment that holds itself ends here.
MOST_LAYERS = 100


def seen_through(env: Any, *, replayed: bool = False) -> Any:
    """Return what lies below the outermost watching wrappers of `env`.

    Args:
        env: An environment.
        replayed: Whether what remembers is left, for a replay to stand there.
    """
    # By the very class: somebody's subclass may do more than watch.
    while type(env) in WATCHERS and not (replayed and type(env) in REMEMBERING):
        env = env.env
    return env


def remembered_by(env: Any) -> Remembered | None:
    """Return what an environment remembers; None if none of its outer wrappers does."""
    while type(env) in WATCHERS:
        if "remembered" in vars(env):
            return env.remembered
        env = env.env
    return None


def layers(env: Any) -> list[Any]:
    """Return an environment and all that it wraps, the outermost first."""
    found = []
    while env is not None and len(found) < MOST_LAYERS:
        found.append(env)
        inner = getattr(env, "__dict__", {})
        env = inner.get("env", inner.get("aec_env"))
    return found
