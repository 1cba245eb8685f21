"""The emulator of the Arcade Learning Environment (ale-py), by snapshots.

`ALEInterface` is an object of C++ that nothing can copy, but it can save its state and
load it again, which takes 20 to 80 microseconds where a step of Breakout takes 600. The
copies of a search share one emulator; all that wrappers around it keep, such as frames
that are stacked and limits of time, is copied as with any environment.

Sticky actions throw dice inside the emulator. The search's emulator gets dice of its
own from the planner in every plan, and goes on throwing them from copy to copy, so a
search never sees the live ones. ale-py saves neither those dice nor the last action
with a state unless asked for the dice; the last action it never saves, so in the first
frame of a step an action may stick that another copy has taken last.
"""

import math
import re
from typing import Any

import numpy as np

from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.copier import Copier
from mcts_agents.model.copying.guards import signal_has_raised
from mcts_agents.model.copying.snapshots import Scratch, Snapshot

_FLOATS = ("repeat_action_probability",)
_NUMBERS = ("max_num_frames_per_episode", "frame_skip", "reward_min", "reward_max")
_SWITCHES = ("color_averaging", "truncate_on_loss_of_life", "sound_obs")
# What does not read only; all others are harmless.
_CHANGING = re.compile("act|set|reset|restore|load")
# The words of the emulator's generators, Mersenne Twisters, in a saved state.
_WORDS = re.compile(rb"(?:\d+ ){624}")
# Above this probability of repeating it is faster to begin a game than to act until an
# action has been taken, for all but the second probability.
_STICKY = 0.9
_UNLIKELY = 1e-9

# One emulator for each game and its settings: to load one takes 0.2 seconds.
_SCRATCH: dict[tuple[Any, ...], Scratch] = {}


def is_emulator(kind: type) -> bool:
    """Whether a class is ale-py's `ALEInterface`."""
    return any(
        base.__name__ == "ALEInterface" and base.__module__.startswith("ale_py")
        for base in kind.__mro__
    )


def copy_emulator(cloner: Copier, value: Any) -> Snapshot:
    """Return a snapshot of an emulator instead of a copy."""
    scratch = _scratch_for(value)
    return cloner.remember(value, Snapshot(scratch, value.cloneState()))


def _scratch_for(live: Any) -> Scratch:
    try:
        settings = (
            type(live),
            live.getString("rom_file"),
            *[live.getFloat(name) for name in _FLOATS],
            *[live.getInt(name) for name in _NUMBERS],
            *[live.getBool(name) for name in _SWITCHES],
        )
        if settings not in _SCRATCH:
            _SCRATCH[settings] = _made(*settings)
    except Exception as error:
        if signal_has_raised():
            raise
        raise UncopyableEnvironmentError(f"ALEInterface ({error})") from error
    return _SCRATCH[settings]


def _made(kind: type, game: str, *settings: Any) -> Scratch:
    emulator = kind()
    setters = [emulator.setFloat] * len(_FLOATS) + [emulator.setInt] * len(_NUMBERS)
    setters += [emulator.setBool] * len(_SWITCHES)
    names = (*_FLOATS, *_NUMBERS, *_SWITCHES)
    for name, put, value in zip(names, setters, settings, strict=True):
        put(name, value)
    emulator.setInt("random_seed", 1)
    emulator.loadROM(game)
    beginning = emulator.cloneState(include_rng=True)
    scratch = Scratch(
        emulator,
        lambda core: core.cloneState(),
        lambda core, state: core.restoreState(state),
        lambda name: _CHANGING.match(name) is None,
        shown,
    )
    scratch.throw = lambda dice: _throw(emulator, beginning, dice)
    return scratch


def _throw(emulator: Any, beginning: Any, dice: np.random.Generator) -> None:
    """Give the emulator another future, and let a new game begin in it.

    Args:
        emulator: The search's.
        beginning: Its saved state when it was made, with its dice.
        dice: The planner's.

    Raises:
        UncopyableEnvironmentError: This version of ale-py keeps its dice otherwise.
    """
    kind, written = type(beginning), beginning.__getstate__()
    changed, generators = _WORDS.subn(lambda found: _others(found[0], dice), written)
    if generators:
        state = kind.__new__(kind)
        state.__setstate__(changed)
        emulator.restoreState(state)
        if emulator.cloneState(include_rng=True).__getstate__() == changed:
            _forget_last_action(emulator)
            return
    raise UncopyableEnvironmentError(
        "ALEInterface (its random-number state was not found in the saved state of "
        "this version of ale-py, so copies would draw the live environment's random "
        "numbers)"
    )


def _forget_last_action(emulator: Any) -> None:
    """Let a plan begin alike whatever the emulator did before: with "no operation"."""
    sticky = emulator.getFloat("repeat_action_probability")
    if sticky > _STICKY:
        emulator.reset_game()
    elif sticky > 0:
        for _ in range(math.ceil(math.log(_UNLIKELY) / math.log(sticky))):
            emulator.act(0)


def _others(words: bytes, dice: np.random.Generator) -> bytes:
    """Return other words of as many digits: a state tells how long its parts are."""
    digits = [len(word) for word in words.split()]
    lowest = [10 ** (length - 1) for length in digits]
    highest = [min(10**length, 2**32) for length in digits]
    return b"".join(b"%d " % word for word in dice.integers(lowest, highest))


def shown(emulator: Any) -> dict[str, Any]:
    """Return what can be seen of an emulator, for comparisons.

    Not the screen, which is no part of a saved state: it is drawn with the next frame.
    """
    return {
        "RAM": np.array(emulator.getRAM()),
        "lives": emulator.lives(),
        "frame": emulator.getFrameNumber(),
        "frame of the episode": emulator.getEpisodeFrameNumber(),
        "game over": emulator.game_over(with_truncation=True),
    }
