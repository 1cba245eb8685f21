"""What makes a plan in copies see what nobody may see, looked for in the first plans.

Two things cannot be detected for sure, so that they give a warning with its remedy:

- The agents of an AEC environment who are asked one after another choose at once by its
  rules: what one has chosen lies in the environment, and the next one is not shown it.
- Chance that copies cannot draw anew: a random generator that is none of Python's,
  numpy's or JAX's, or something that was settled in advance, such as a shuffled deck.

Masks that an AEC environment begins to show during the plan, although no space declares
them, are an error.

Each looks at copies of its own, step by step, for a few milliseconds a plan. A single
step or `reset` may take far longer; then plans go on first until it was a small share.
"""

import copy
import math
import time
import warnings
import weakref
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copied_aec import AECFace
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import Face, UndeclaredMasksError
from mcts_agents.model.copying.global_dice import seed_globally
from mcts_agents.model.copying.guards import signal_has_raised
from mcts_agents.model.copying.snapshots import set_apart

# Seconds that a plan may spend here, how many times that without a budget in seconds,
# and how many plans do. A program may make new objects for each episode, however short,
# and all looking begins anew with them.
SECONDS = 0.005
PATIENCE = 4
PLANS = 50

# Seconds in which all plans together look without counting, and the share of what
# searching takes that more may be.
FREE_SECONDS = 0.1
SHARE = 0.02

# Positions in which it is asked what the next agent is shown, and actions in each.
POSITIONS = 24
ACTIONS = 3

# How far a game is played to see whether masks appear.
MASKED_STEPS = 24

# How far games are played to tell them apart, and how many.
STEPS = 8
STARTS = 4
COPIES = 8
# So many more of them have to go on alike, too: a rare event may happen in the games.
MORE_COPIES = 16

# Seconds that a step took in a search, by the class of the environment.
_STEPS: weakref.WeakKeyDictionary[type, float] = weakref.WeakKeyDictionary()

# The environments that were warned about, by their ids: some cannot be hashed.
_WARNED: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class HiddenStateWarning(UserWarning):
    """A search probably sees what the player to move cannot know."""


# Gives None after each step, and in the end a warning if there is a reason.
Inquiry = Generator[str | None, None, None]


class Suspicions:
    """Looks for what a plan must not see, a little in each of the first plans.

    Args:
        env: The live environment, warned about once.
        options: What its user says of it.

    Attributes:
        has_refused: Whether the last plan has met masks that nothing had announced.
    """

    def __init__(self, env: Any, options: CopyOptions):
        self._env = env
        self._options = options
        self._inquiries: list[Inquiry] | None = None
        self.has_refused = False
        self._plans = 0
        self._spent = 0.0
        self._searched = 0.0

    def are_open(self, hurry: bool) -> bool:
        """Whether there is something left to look for, and time for it.

        Args:
            hurry: Whether the plan has a budget in seconds.
        """
        if hurry and _STEPS.get(_kind_of(self._env), SECONDS) > SECONDS / 5:
            return False
        if self.has_refused:
            return True
        if self._plans >= PLANS:
            return False
        if self._spent > FREE_SECONDS + SHARE * self._searched:
            return False
        return self._inquiries is None or bool(self._inquiries)

    def searched(self, seconds: float, steps: int) -> None:
        """Take note of what a search has taken.

        Args:
            seconds: Its seconds.
            steps: The steps in it.
        """
        self._searched += seconds
        if steps:
            self.has_refused = False
            _STEPS[_kind_of(self._env)] = seconds / steps

    def refuse(self) -> None:
        """Begin anew, as masks have appeared that nothing had announced."""
        self._inquiries, self.has_refused = None, True

    def look(
        self,
        exact: Face,
        other_dice: Callable[[Face, np.random.Generator], Face],
        hurry: bool,
    ) -> None:
        """Go on looking, from an exact copy of the live environment.

        How far this gets depends on the time it takes, so nothing that a search draws
        from may be drawn from here. The generators of whole libraries are seeded again
        and again; whoever calls this puts them back.

        Args:
            exact: The copy, which stays as it is.
            other_dice: Makes a copy as a search steps it, which draws from a generator.
            hurry: Whether the plan has a budget in seconds.

        Raises:
            UndeclaredMasksError: Masks appear. They are looked for again in the next
                plan, and after each step of its search, until none is found.
        """
        self._plans += 1
        began = time.perf_counter()
        exact = exact.deciding_apart()
        try:
            if self.has_refused:
                _go_on(_undeclared_masks(_twin(exact)), math.inf)
            if self._inquiries is None:
                self._inquiries = self._all_inquiries(exact, other_dice)
            self._ask(self._inquiries, began + SECONDS * (1 if hurry else PATIENCE))
        except UndeclaredMasksError:
            self.refuse()
            raise
        finally:
            self._spent += time.perf_counter() - began

    def _all_inquiries(
        self, exact: Face, other_dice: Callable[[Face, np.random.Generator], Face]
    ) -> list[Inquiry]:
        """Return what there is to look for; see `look`."""
        inquiries = []
        if isinstance(exact, AECFace) and not exact.declares_masks:
            inquiries.append(_undeclared_masks(_twin(exact)))
        if self._options.perfect_information and id(self._env) not in _WARNED:
            if isinstance(exact, AECFace) and len(exact.agents) > 1:
                inquiries.append(_pending_choices(_apart(exact)))
            inquiries.append(_known_chance(_apart(exact), other_dice))
        return inquiries

    def _ask(self, inquiries: list[Inquiry], end: float) -> None:
        """Go on with inquiries until a time; warn of the first that finds something."""
        for inquiry in list(inquiries):
            found, is_done = _go_on(inquiry, end)
            if is_done:
                inquiries.remove(inquiry)
            if found is not None:
                inquiries.clear()
                _WARNED[id(self._env)] = self._env
                warnings.warn(found, HiddenStateWarning, stacklevel=3)
                return


def _go_on(inquiry: Inquiry, end: float) -> tuple[str | None, bool]:
    """Go on with an inquiry until a time; return what it found, and if it is done."""
    try:
        for found in inquiry:
            if found is not None:
                return found, True
            if time.perf_counter() > end:
                return None, False
    except (MemoryError, UndeclaredMasksError):
        raise
    except Exception:  # the environment's, which a search will meet if it goes there
        if signal_has_raised():
            raise
    return None, True


def _kind_of(env: Any) -> type:
    return type(getattr(env, "unwrapped", env))


def _undeclared_masks(face: Face) -> Inquiry:
    """Play one game on; give None after each step.

    Raises:
        UndeclaredMasksError: It comes to a mask that nobody would have looked for.
    """
    rng = np.random.default_rng(0)
    for step in range(MASKED_STEPS):
        legal = {player: face.legal_actions(player) for player in face.movers()}
        if not legal:
            return
        face.shown()
        _step(face, {p: int(rng.choice(some)) for p, some in legal.items()}, step)
        yield None
    face.shown()


def _pending_choices(face: Face) -> Inquiry:
    """Give None after each step, and in the end a warning if there is a reason.

    It is looked from where the game is, and then from the beginning of another one: in
    a game of one choice each, the choice that lies there was made before the plan.
    """
    seen = _Seen()
    yield from _look_ahead(face, seen)
    if not seen.suspects():
        begun = _apart(face)
        if not _restarted(begun, 0):
            return
        yield None
        yield from _look_ahead(begun, seen)
    for first, second in seen.suspects()[:1]:
        yield _choice_warning(face, face.agents[first], face.agents[second])


class _Seen:
    """What agents were shown of what the one before them did.

    Attributes:
        hidden: In how many positions nothing, by pairs of players.
        shown: The pairs of which the second was shown something somewhere.
        ended: Whether the game was over then.
    """

    def __init__(self) -> None:
        self.hidden: dict[tuple[int, int], int] = {}
        self.shown: set[tuple[int, int]] = set()
        self.ended = False

    def suspects(self) -> list[tuple[int, int]]:
        """Return the pairs of which the second is never shown what the first does."""
        # Among others a single position may mislead, unless there are no more of them.
        often = 1 if self.shown and not self.ended else 0
        found = [pair for pair in self.hidden if pair not in self.shown]
        return found if any(self.hidden[pair] > often for pair in found) else []


def _look_ahead(face: Face, seen: _Seen) -> Generator[None, None, None]:
    """Note in some positions what the next agent is shown of each action."""
    rng = np.random.default_rng(0)
    for _ in range(min(2 * len(face.agents) + 2, POSITIONS)):
        movers = face.movers()
        if not movers:
            break
        legal = face.legal_actions(movers[0])
        tried = rng.choice(legal, min(len(legal), ACTIONS), replace=False)
        after = []
        for action in tried.tolist():
            after.append(_stepped(face, {movers[0]: action}))
            yield None
        seen_by = {tuple(twin.movers()) for twin in after}
        (following,) = seen_by if len(seen_by) == 1 else ((),)
        if following and following != (movers[0],) and len(tried) > 1:
            pair = movers[0], following[0]
            views = [_what_is_shown(twin) for twin in after]
            if any(first_difference(views[0], view) for view in views):
                seen.shown.add(pair)
            elif any(first_difference(after[0].env, twin.env) for twin in after):
                seen.hidden[pair] = seen.hidden.get(pair, 0) + 1
        elif len(tried) > 1 and len(seen_by) > 1:
            seen.shown.update((movers[0], f[0]) for f in seen_by if f)
        face = after[int(rng.integers(len(after)))]
    seen.ended = not face.movers()


def _known_chance(
    face: Face, other_dice: Callable[[Face, np.random.Generator], Face]
) -> Inquiry:
    """Give None after each step, and in the end a warning if there is a reason.

    Games with other seeds begin alike and go on differently: there is chance. If
    copies of one of them all go on alike, up to where the games differed, they have not
    drawn it anew. What is earned is looked at alone, too: copies may differ in other
    chance than what decides the game.
    """
    games = []
    for seed in range(STARTS):
        twin = _apart(face)
        if not _restarted(twin, seed):
            return
        yield None
        games.append(twin)
        if first_difference(_what_is_shown(games[0]), _what_is_shown(twin)):
            return
    actions: list[dict[int, int]] = []
    courses = []
    for seed, game in enumerate(games):
        courses.append((yield from _course(_twin(game), actions, seed)))
    # How many steps show that there is chance, in all that is shown or what is earned.
    found = {part: _differ_after(part, courses) for part in (_WHOLE, _EARNED)}
    lengths = {part: length for part, length in found.items() if length}
    copies: list[list[Any]] = []
    while lengths and len(copies) < COPIES + MORE_COPIES:
        seed = len(copies)
        # Of a twin, with which it shares what it takes to be constant.
        twin = other_dice(_twin(games[0]), np.random.default_rng(seed))
        limit = max(lengths.values())
        copies.append((yield from _course(twin, actions[:limit], seed)))
        for part, length in list(lengths.items()):
            differ = _first_step(part, copies[0], copies[-1])
            if differ is not None and differ <= length:
                del lengths[part]
    if lengths:
        yield _chance_warning(face)


# How much counts of what `_course` returns of each step.
_WHOLE = 2
_EARNED = 1


def _differ_after(part: int, courses: list[list[Any]]) -> int | None:
    """Return after how many steps nearly all courses differ from the first."""
    found = [_first_step(part, courses[0], course) for course in courses[1:]]
    steps = sorted(step for step in found if step is not None)
    return steps[STARTS - 3] if len(steps) >= STARTS - 2 else None


def _first_step(part: int, course: list[Any], other: list[Any]) -> int | None:
    """Return the number of the step, from 1, in which two courses differ."""
    for step, (one, two) in enumerate(zip(course, other, strict=False), 1):
        if first_difference(one[:part], two[:part]):
            return step
    alike = len(course) == len(other)
    return None if alike else min(len(course), len(other)) + 1


def _restarted(face: Face, seed: int) -> bool:
    """Begin a new game; return whether that is possible with no more than a seed."""
    try:
        seed_globally(np.random.default_rng(seed))
        face.restart(seed)
    except Exception:  # it asks for more; nothing is known then
        if signal_has_raised():
            raise
        return False
    return True


def _apart(face: Face) -> Face:
    """Return an exact copy in which games can be begun anew."""
    cloner = Cloner()
    twin = face.clone(cloner)
    for snapshot in cloner.snapshots:
        set_apart(snapshot)
    return twin


def _twin(face: Face) -> Face:
    """Return an exact copy, dice and all."""
    return face.clone(Cloner())


def _stepped(face: Face, actions: dict[int, int]) -> Face:
    """Return an exact copy after a step that draws the same numbers each time."""
    twin = _twin(face)
    _step(twin, actions, 0)
    return twin


def _step(face: Face, actions: dict[int, int], seed: int) -> list[float]:
    joint = [actions.get(player, -1) for player in range(len(face.agents))]
    returns = [0.0] * len(face.agents)
    seed_globally(np.random.default_rng(seed))
    face.step(joint, returns)
    return returns


def _course(
    face: Face, actions: list[dict[int, int]], seed: int
) -> Generator[None, None, list[Any]]:
    """Play given actions, or make up some; return all that was shown on the way."""
    rng = np.random.default_rng(0)
    made_up = not actions
    course: list[Any] = []
    for step in range(STEPS):
        legal = {player: face.legal_actions(player) for player in face.movers()}
        if not legal or (not made_up and step == len(actions)):
            break
        if made_up:
            actions.append({p: int(rng.choice(some)) for p, some in legal.items()})
        wanted = actions[step]
        if wanted.keys() != legal.keys() or any(
            action not in legal[player] for player, action in wanted.items()
        ):
            break  # the lengths of the courses tell them apart
        earned = _step(face, wanted, STARTS * step + seed)
        course.append((earned, copy.deepcopy(_what_is_shown(face))))
        yield None
    return course


def _what_is_shown(face: Face) -> Any:
    """Return all that the next agent can tell from."""
    seed_globally(np.random.default_rng(0))  # noise in what is shown is no chance
    movers = face.movers()
    return movers, [face.checked_mask(player) for player in movers], face.shown()


def _choice_warning(face: Face, first: str, second: str) -> str:
    return (
        f"{face.name}: what {first} does is not shown to {second}, who is asked next. "
        "It looks like the AEC form of a game in which both choose at once: the choice "
        f"lies in the environment, and a search for {second} sees it. Plan on the "
        "parallel form (such as the module's parallel_env()) with act(env, agent), or "
        "pass redeterminise=function(env_copy, agent_name, generator) instead of "
        "perfect_information=True, which resamples what others have chosen"
    )


def _chance_warning(face: Face) -> str:
    return (
        f"{face.name}: games with other seeds begin alike and go on differently, but "
        "copies all go on alike. So the search sees chance that is to come: it keeps a "
        "random generator that is none of Python's, numpy's or JAX's, or something "
        "settled in advance, such as a shuffled deck or a hidden map. Pass "
        "reseed=function(env_copy, generator), which gives a copy another future, or "
        "redeterminise=function(env_copy, agent_name, generator) for what is hidden"
    )
