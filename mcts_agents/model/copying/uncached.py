"""Methods with caches, which would keep every copy of an environment alive.

`functools.lru_cache` on a method holds the objects that called it. PettingZoo's own
tutorial puts it on `observation_space` and `action_space`.
"""

import inspect
import types
from typing import Any

from mcts_agents.model.copying.cloning_kinds import CACHED_FUNCTION, UncachedSpaces

_SPACES = ("observation_space", "action_space")


def without_caches(env: Any, agents: list[str]) -> None:
    """Give an environment its cached methods without their caches, in place."""
    for name in _cached_methods(type(env)):
        method = inspect.getattr_static(type(env), name).__wrapped__
        own = types.MethodType(method, env)
        if name in _SPACES:
            # These must return the same object each time.
            own = UncachedSpaces({agent: own(agent) for agent in agents})
        env.__dict__[name] = own


def _cached_methods(kind: type) -> list[str]:
    names = {
        name
        for base in kind.__mro__
        for name, value in vars(base).items()
        if isinstance(value, CACHED_FUNCTION)
    }
    return sorted(
        name
        for name in names
        if isinstance(inspect.getattr_static(kind, name), CACHED_FUNCTION)
    )
