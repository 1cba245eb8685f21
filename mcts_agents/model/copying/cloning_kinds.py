"""Which things a copy of an environment shares with its original, by their classes."""

import enum
import functools
import logging
import re
import types
from pathlib import PurePath

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec


class UncopyableEnvironmentError(ValueError):
    """Something in an environment cannot be copied; the message names it."""


class UncachedSpaces:
    """The spaces of all agents, instead of a method that caches its environment.

    `functools.lru_cache` on `action_space` keeps every copy alive that ever called it.
    """

    def __init__(self, by_agent: dict[str, spaces.Space]):
        self._by_agent = by_agent

    def __call__(self, agent: str) -> spaces.Space:
        """Return the space of one agent."""
        return self._by_agent[agent]


CACHED_FUNCTION = type(functools.lru_cache(len))
ATOMIC = frozenset(
    {
        type(None),
        bool,
        int,
        float,
        complex,
        str,
        bytes,
        type,
        range,
        slice,
        type(Ellipsis),
        type(NotImplemented),
        np.bool_,
        np.dtype,
        *(np.dtype(code).type for code in np.typecodes["All"] if code not in "OV"),
    }
)
# The classes of things that need no copy, which grow by what is met: in an exact copy,
# and in one that a search steps, which shares spaces and pictures too.
UNCOPIED_EXACTLY = set(ATOMIC)
UNCOPIED_WITH_DICE = set(ATOMIC)
SHARED = (
    EnvSpec,
    UncachedSpaces,
    BaseException,
    enum.Enum,
    logging.Logger,
    re.Pattern,
    PurePath,
    np.dtype,
    np.ufunc,
    type,
    types.ModuleType,
    types.CodeType,
    property,
)
# Classes of Python whose attributes are a handle of the operating system: a copy would
# talk through the live environment's pipe, and close it when it is thrown away.
HANDLES = frozenset(
    {
        "multiprocessing.connection._ConnectionBase",
        "multiprocessing.managers.BaseProxy",
        "multiprocessing.process.BaseProcess",
        "multiprocessing.shared_memory.SharedMemory",
        "subprocess.Popen",
    }
)
# Tables of Gymnasium's own environments that their steps only read; Taxi's takes
# 7 ms to copy.
CONSTANTS = {
    f"gymnasium.envs.toy_text.{name}": frozenset({"P", "desc", "initial_state_distrib"})
    for name in (
        "cliffwalking.CliffWalkingEnv",
        "frozen_lake.FrozenLakeEnv",
        "taxi.TaxiEnv",
    )
}
