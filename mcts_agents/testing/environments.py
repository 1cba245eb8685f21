"""`check_environment`: can agents plan on copies of this environment?

The check records an episode with random actions. Then it plays the same episode again
while an agent plans before each step and exact copies run ahead. Whatever the plans or
the copies change, in the environment or elsewhere, shows as a difference from the
recording.
"""

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.agents.mcts import MCTSAgent
from mcts_agents.envs.game_environment import GameEnvironment
from mcts_agents.model import new_generator
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copied_parallel import observes
from mcts_agents.model.copying.dice import generators_in, reseed
from mcts_agents.model.copying.face_kinds import face_of
from mcts_agents.model.copying.faces import Face, without_pictures
from mcts_agents.model.copying.guards import global_generators, unchanged, with_parts
from mcts_agents.testing.fingerprint import fingerprint
from mcts_agents.testing.loops import Agent, Loop, loop_of
from mcts_agents.testing.report import CheckError, Place, Report

Redeterminise = Callable[[Any, str, np.random.Generator], Any]

# Exact copies run ahead by so many steps, and try so many of the legal actions.
STEPS_AHEAD = 5
ACTIONS_TRIED = 8
# In fewer positions all samples may equal the truth by chance.
LEAST_SAMPLES = 6


def check_environment(
    env: Any,
    *,
    redeterminise: Redeterminise | None = None,
    episodes: int = 2,
    steps: int = 20,
    simulations: int = 10,
    seed: int = 0,
) -> Report:
    """Check that agents can plan on an environment.

    Args:
        env: A PettingZoo environment (AEC or parallel) or a Gymnasium environment, or a
            function without arguments that makes one. A function finds more: each
            episode then runs in an environment of its own.
        redeterminise: The function that you give your agents if the environment hides
            information: `(env_copy, agent_name, numpy.random.Generator)`. It is
            checked, too.
        episodes: Random episodes.
        steps: Steps of each episode.
        simulations: Simulations of the plan before each step.
        seed: Seed of the first episode; the next ones follow.

    Returns:
        What was checked how often, and what was not and why.

    Raises:
        CheckError: The environment makes a mistake. The message is one line that names
            the environment, the function, the episode and the step.
        ValueError: `env` is no environment, or a number is below 1.
    """
    if min(episodes, steps, simulations) < 1:
        raise ValueError(
            f"episodes={episodes}, steps={steps}, simulations={simulations}: expected "
            "at least 1"
        )
    is_made = isinstance(env, gymnasium.Env | AECEnv | ParallelEnv)
    make = env if callable(env) and not is_made else lambda: env
    check = _Check(make, redeterminise, steps, simulations)
    for episode in range(episodes):
        check.episode(episode, seed + episode)
    return check.finish()


class _Check:
    """The episodes of one environment."""

    def __init__(
        self,
        make: Callable[[], Any],
        redeterminise: Redeterminise | None,
        steps: int,
        simulations: int,
    ):
        self.make, self.redeterminise = make, redeterminise
        self.steps, self.simulations = steps, simulations
        env = make()
        loop_of(env, Place("", 0))
        name = str(env.unwrapped)
        self.place = Place(name, 0)
        self.report = Report(name)
        self._samples = self._changed = 0
        if isinstance(env.unwrapped, GameEnvironment):
            if redeterminise is not None:
                raise ValueError(
                    f"{name}: its rules have their own `redeterminise`, which "
                    "check_rules checks"
                )
            self.report.skip(SAMPLES, "its rules do that, and check_rules checks them")
        elif redeterminise is None:
            self.report.skip(
                SAMPLES, "no `redeterminise` was given; agents need one, or "
                "perfect_information=True if nothing is hidden"
            )  # fmt: skip

    def episode(self, number: int, seed: int) -> None:
        """Record an episode, play it again, and play it once more with plans."""
        place = self.place
        place.episode, place.seed = number, seed
        recorded = self._recorded(seed, 1)
        found = first_difference(recorded, self._recorded(seed, 2), "the episode")
        if found is not None:
            place.move = 0
            again = first_difference(recorded, self._recorded(seed, 1), "the episode")
            if again is None:
                place.fail(
                    "reset",
                    f"does not reproduce an episode by its seed: {found}; it does if "
                    "the global generators of `random` and `numpy.random` are seeded",
                    "Draw from a generator of the environment's own, which reset(seed) "
                    "seeds, such as self.np_random",
                )
            place.fail(
                "reset",
                f"does not reproduce an episode by its seed: {found}",
                "Seed all generators in reset(seed), and begin with nothing left of "
                "earlier episodes",
            )
        self.report.checked["reset(seed) reproduces episodes"] += 1
        with _generators(3):
            self._with_plans(recorded, seed)

    @contextmanager
    def _author(self, function: str) -> Iterator[None]:
        """Turn what the environment raises into an error that says where."""
        try:
            yield
        except CheckError:
            raise
        except Exception as error:
            message = self.place.message(
                function,
                f"failed with {type(error).__name__}: {error}",
                "Legal actions may not fail, all that is shown must be usable, and "
                "copies may share nothing that changes",
            )
            raise CheckError(message) from error

    def _recorded(self, seed: int, world: int) -> list[tuple[dict[Agent, int], Any]]:
        """Play an episode without plans; return its actions and all that it showed."""
        place, choices = self.place, random.Random(seed)
        place.move = 0
        with _generators(world):
            loop = loop_of(self.make(), place)
            with self._author("reset"):
                loop.reset(seed)
            frames = [({}, _frozen(loop.shown))]
            for place.move in range(self.steps):
                with self._author("masks"):
                    legal = {agent: loop.legal(agent) for agent in loop.deciding()}
                if not legal:
                    self.report.checked["the end of an episode"] += 1
                    break
                self._check_legal(legal)
                actions = {agent: choices.choice(a) for agent, a in legal.items()}
                with self._author("step"):
                    loop.step(actions)
                frames.append((actions, _frozen(loop.shown)))
                self.report.checked[SHOWN] += 1
        return frames

    def _check_legal(self, legal: dict[Agent, list[int]]) -> None:
        for agent, actions in legal.items():
            if not actions:
                self.place.fail(
                    "masks",
                    f"leave {agent or 'the agent'} no legal action, though it is to "
                    "decide",
                    "Let another agent act, or end the episode",
                )

    # -- with plans

    def _with_plans(self, recorded: list[Any], seed: int) -> None:
        place = self.place
        place.move = 0
        env = self.make()
        loop = loop_of(env, place)
        with self._author("reset"):
            loop.reset(seed)
        for place.move, (actions, shown) in enumerate(recorded[1:]):
            agents = list(actions)
            agent = agents[place.move % len(agents)]
            self._check_plan(loop, agent)
            self._check_copies(loop, recorded[place.move + 1 :])
            if self.redeterminise is not None:
                self._check_samples(loop, agent)
            with self._author("step"):
                loop.step(actions)
            found = first_difference(shown, _frozen(loop.shown), "what step() showed")
            if found is not None:
                place.fail(
                    "step",
                    f"shows something else after plans on copies: {found}",
                    "Copies share something with the live environment: keep all state "
                    "in attributes, not in classes, modules or caches",
                )
            self.report.checked["plans on copies do not change what follows"] += 1

    @contextmanager
    def _untouched(self, env: Any, by: str) -> Iterator[None]:
        """Check that the environment and the global generators stay as they are."""
        before = fingerprint(env), fingerprint(_global_states())
        yield
        after = fingerprint(env), fingerprint(_global_states())
        for what, one, other in zip(
            ("the live environment", "a global random generator"),
            before,
            after,
            strict=True,
        ):
            if one != other:
                self.place.fail(
                    by,
                    f"changed {what}",
                    "A copy shares something with it: keep all state in attributes, "
                    "and see that __deepcopy__, if there is one, copies all of it",
                )
        self.report.checked[f"{by} leaves the live environment alone"] += 1

    def _check_plan(self, loop: Loop, agent: Agent) -> None:
        """An agent plans, and sees the legal actions that the loop sees."""
        env, place, legal = loop.env, self.place, loop.legal(agent)
        with self._author("planning"):
            seen = self._seen_by_planners(env, agent)
        if not set(seen) >= set(legal):
            place.fail(
                "masks",
                f"differ: {legal} were shown to {agent or 'the agent'}, but a planner "
                f"finds {seen}",
                "Let observe(), or the method action_masks(), show what step() showed",
            )
        if len(seen) > len(legal):
            self.report.skip(
                "planners see the masks that step() shows",
                "they find more actions legal; pass action_mask= to agents, give a "
                "Gymnasium environment a method action_masks(), or plan on "
                "parallel_to_aec(env)",
            )
        # Rules say themselves what they hide.
        has_rules = isinstance(env.unwrapped, GameEnvironment)
        planner = MCTSAgent(
            simulations=self.simulations,
            rollout=STEPS_AHEAD,
            seed=0,
            perfect_information=not has_rules and self.redeterminise is None,
            redeterminise=self.redeterminise,
        )
        with self._untouched(env, "planning"), self._author("planning"):
            masks = loop.masks() if len(seen) > len(legal) else None
            action = planner.act(env, agent, action_mask=masks)
        if action not in seen:
            place.fail("planning", f"chose {action}", f"The legal actions are {seen}")

    def _seen_by_planners(self, env: Any, agent: Agent) -> list[int]:
        """Return the legal actions at the root of a plan."""
        inner = env.unwrapped
        if isinstance(inner, GameEnvironment):
            state, player = inner.planning_state(agent, new_generator(0))
            return inner.forward_model.legal_actions(state, player).tolist()
        face = face_of(self._clone(env))
        face.require_masks()
        player = face.player_of(agent)
        return [int(face.action(player, n)) for n in face.legal_actions(player)]

    def _check_copies(self, loop: Loop, coming: list[Any]) -> None:
        """Exact copies do what the environment will do, and take all legal actions."""
        with self._untouched(loop.env, "a copy"):
            with self._twin(loop) as twin:
                for ahead, (actions, shown) in enumerate(coming[:STEPS_AHEAD]):
                    with self._author("step of a copy"):
                        twin.step(actions)
                    found = first_difference(
                        shown, _frozen(twin.shown), "what step() showed"
                    )
                    if found is not None:
                        self.place.fail(
                            "step of a copy",
                            f"differs {ahead + 1} steps ahead: {found}",
                            "Keep all state in attributes, so that copies are complete",
                        )
            self.report.checked["exact copies do what the environment does"] += 1
            for agent in loop.deciding():
                for action in _spread(loop.legal(agent), self.place.move):
                    with self._twin(loop) as twin, self._author(f"step({action})"):
                        twin.step(coming[0][0] | {agent: action})
                    self.report.checked["legal actions can be taken"] += 1

    @contextmanager
    def _twin(self, loop: Loop) -> Iterator[Loop]:
        """Give an exact copy; what it draws from shared spaces is put back."""
        cloner = Cloner()
        env = self._clone(loop.env, cloner)
        shared = [part for space in cloner.spaces for part in with_parts(space)]
        with unchanged([s._np_random for s in shared if s._np_random is not None]):
            yield loop_of(env, self.place)

    def _clone(self, env: Any, cloner: Cloner | None = None) -> Any:
        with self._author("copying"):
            if isinstance(env.unwrapped, GameEnvironment):
                twin = copy.deepcopy(env)
            else:
                twin = (cloner or Cloner()).clone(env)
            without_pictures(twin)
            return twin

    # -- hidden information

    def _check_samples(self, loop: Loop, agent: Agent) -> None:
        """What the agent sees stays; the same generator gives the same sample."""
        with self._untouched(loop.env, "redeterminise"):
            exact = face_of(self._clone(loop.env))
            name = agent or exact.agents[0]
            first = self._sample(loop, name)
            second = self._sample(loop, name, other_dice=True)
            for face in (exact, first, second):
                # Of generators no more is compared than what was drawn from them.
                self._reseed(loop, face, None)
        if fingerprint(first.env) != fingerprint(second.env):
            self.place.fail(
                "redeterminise",
                f"gives {name} two samples with the same seed",
                "Draw from the given generator only",
            )
        self._changed += fingerprint(exact.env) != fingerprint(first.env)
        with self._author("redeterminise"):
            views = [_view(face, agent, name) for face in (exact, first)]
        found = first_difference(*views, "what it sees")
        if found is not None:
            self.place.fail(
                "redeterminise",
                f"changed for {name} what it knows: {found}",
                "Resample only what the agent cannot know",
            )
        self._samples += 1
        if _observe_of(exact) is None:
            self.report.skip(
                SAMPLES,
                "observations come only from reset() and step(); only masks were "
                "compared",
            )
        else:
            self.report.checked[SAMPLES] += 1

    def _reseed(self, loop: Loop, face: Face, seed: int | None) -> None:
        """Give a copy's own generators another future; all the same one for None.

        What it shares with the live environment stays as it is.
        """
        shared = set(map(id, generators_in(loop.env)))
        dice = None if seed is None else np.random.default_rng(seed)
        for generator in generators_in(face.env):
            if id(generator) not in shared:
                reseed(generator, dice or np.random.default_rng(0))

    def _sample(self, loop: Loop, name: str, other_dice: bool = False) -> Face:
        """Resample a copy, whose own generators may go on in another way."""
        face = face_of(self._clone(loop.env))
        if other_dice:
            self._reseed(loop, face, 1)
        with self._author("redeterminise"):
            changed = self.redeterminise(face.env, name, np.random.default_rng(1))
        return face if changed is None else face.around(changed)

    def finish(self) -> Report:
        """Check what only all episodes together show, and return the report."""
        if self.redeterminise is not None:
            if self._samples < LEAST_SAMPLES:
                why = f"only {self._samples} positions were sampled"
                self.report.skip("redeterminise changes something", why)
            elif not self._changed:
                self.place.fail(
                    "redeterminise",
                    f"changed nothing in {self._samples} positions",
                    "Resample what the agent cannot know, or pass "
                    "perfect_information=True to your agents if nothing is hidden",
                )
        return self.report


SHOWN = "rewards are finite, observations in their space"
SAMPLES = "redeterminise keeps what the agent sees"


def _spread(legal: list[int], move: int) -> list[int]:
    """Return some legal actions: the first, the last, and others in between.

    Those in between are spread evenly, and each move takes the next ones.
    """
    if len(legal) <= ACTIONS_TRIED:
        return legal
    between, inside = ACTIONS_TRIED - 2, legal[1:-1]
    places = [(move + n * len(inside) // between) % len(inside) for n in range(between)]
    return [legal[0], *(inside[place] for place in places), legal[-1]]


def _observe_of(face: Face) -> Callable[[str], Any] | None:
    """Return what says what agents see, None if only `reset` and `step` do."""
    env = face.env.unwrapped
    # Only PettingZoo's turn-based environments must have it, so elsewhere it may be
    # something else.
    if isinstance(env, AECEnv) or observes(env):
        return env.observe
    return None


def _view(face: Face, agent: Agent, name: str) -> Any:
    """Return what an agent knows of an environment, as far as it can be asked."""
    legal = face.legal_actions(face.player_of(agent))
    observe = _observe_of(face)
    return face.movers(), legal, None if observe is None else _frozen(observe(name))


@contextmanager
def _generators(world: int) -> Iterator[None]:
    """Seed the global generators for a while, and then put them back."""
    with global_generators(np.random.default_rng(world)):
        yield


def _global_states() -> Any:
    return random.getstate(), np.random.get_state(legacy=False)  # noqa: NPY002


def _frozen(shown: Any) -> Any:
    """Return a copy of what was shown, which the environment may fill again."""
    if isinstance(shown, dict):
        return {key: _frozen(value) for key, value in shown.items()}
    if isinstance(shown, list | tuple):
        return [_frozen(value) for value in shown]
    return shown.copy() if isinstance(shown, np.ndarray) else shown
