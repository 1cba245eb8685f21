"""Does a resampled state keep what its observer knows, and nothing else?"""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, draw_below, new_generator
from mcts_agents.testing.calls import Calls, Position
from mcts_agents.testing.report import Report

Permute = Callable[[ForwardModel, np.ndarray, int, random.Random], Any]

# A sample is played on for so many decisions, every so many positions.
PLAYED_ON, PLAYED_EVERY = 60, 5
# In fewer positions all samples may equal the truth by chance.
LEAST_SAMPLES = 6


class Hidden:
    """The checks of `redeterminise`, of keys of observers and of `visible_action`.

    Two positions of different games look alike to an observer if all that it has seen
    since the openings is the same. Samples of both must be the same for one seed, or
    something of the truth is left in them.
    """

    def __init__(
        self,
        model: ForwardModel,
        calls: Calls,
        report: Report,
        permute: Permute | None,
        hidden_scores: bool,
    ):
        self.model, self.calls, self.report = model, calls, report
        self.permute, self.hidden_scores = permute, hidden_scores
        # Hashes of all that each player has seen, which would itself fill the memory
        # in long games.
        self._seen: list[hashlib.blake2b] = []
        self._alike: dict[tuple[int, int, bytes], np.ndarray] = {}
        self._samples = self._changed = self._others = 0
        self._keys = model.has("state_key")
        if not model.hidden_information:
            if permute is not None:
                raise ValueError(f"{model.name} hides nothing: `permute` has no use")
            if hidden_scores:
                raise ValueError(f"{model.name} hides nothing: `hidden_scores` is True")
            report.skip(SAMPLES, "the rules have no `redeterminise`: nothing is hidden")
        elif permute is None:
            report.skip(PERMUTED, "no `permute` was given")

    def begin(self) -> None:
        """A new game begins: nobody has seen anything of it."""
        self._seen = [
            hashlib.blake2b(digest_size=16) for _ in range(self.model.players)
        ]

    def see(self, position: Position, joint: list[int]) -> None:
        """Note what each player sees of a joint action."""
        if not self.model.hidden_information:
            return
        for observer, seen in enumerate(self._seen):
            codes = []
            for actor in position.movers:
                code: int | None = None
                if actor == observer:
                    code = joint[actor]
                elif self.model.has("visible_action"):
                    state = position.state
                    code = self.calls.visible_action(state, joint, actor, observer)
                    self.report.checked["visible_action repeats"] += 1
                    if self.calls.place.move % PLAYED_EVERY == 0:
                        self._check_codes(position, joint, actor, observer)
                codes.append(code)
            seen.update(f"actions {codes};".encode())

    def _check_codes(
        self, position: Position, joint: list[int], actor: int, observer: int
    ) -> None:
        """No action is seen as another one that does something else."""
        legal = position.legal[actor].tolist()

        def taken(action: int) -> list[int]:
            return [*joint[:actor], action, *joint[actor + 1 :]]

        def after(action: int) -> bytes:
            state = position.state.copy()
            self.model.apply(state, taken(action), new_generator(0))
            return state.tobytes()

        for action in legal:
            arguments = position.state, taken(action), actor, observer
            code = self.calls.visible_action(*arguments)
            if code != action and code in legal and after(code) != after(action):
                self.calls.place.fail(
                    "visible_action",
                    f"shows observer {observer} action {action} of player {actor} as "
                    f"{code}, which is another legal action",
                    "Return a number that is no action for what is hidden",
                )
        self.report.checked["visible_action hides no action behind another"] += 1

    def check(self, position: Position) -> None:
        """Check the samples of each player who decides."""
        if not self.model.hidden_information:
            return
        seed = self.calls.place.move
        if self.model.observation_shape is not None:
            for player, seen in enumerate(self._seen):
                seen.update(self.model.observe(position.state, player).tobytes())
        for observer in position.movers:
            sample = self._sample(position.state, observer, seed)
            self._check_kept(position, sample, observer)
            self._check_repeats(position, sample, observer, seed)
            self._check_other_worlds(position, sample, observer, seed)
            if seed % PLAYED_EVERY == 0:
                self._check_playable(sample, observer)
            self._samples += 1
            self._changed += sample.tobytes() != position.state.tobytes()
            self.report.checked[SAMPLES] += 1

    def finish(self) -> None:
        """Check what only all games together show."""
        if not self.model.hidden_information:
            return
        place = self.calls.place
        if self._samples < LEAST_SAMPLES:
            self.report.skip(CHANGES, f"only {self._samples} positions were sampled")
        elif self._changed:
            self.report.checked[CHANGES] += 1
        else:
            place.fail(
                "redeterminise",
                f"changed nothing in {self._samples} positions",
                "Resample what the observer cannot know, or remove the function if "
                "nothing is hidden",
            )
        if self.permute is not None and self._samples and not self._others:
            raise ValueError(f"{place.game}: `permute` never changed a state")

    def _sample(self, state: np.ndarray, observer: int, seed: int) -> np.ndarray:
        return self.calls.sample(state, observer, new_generator(seed))

    def _check_kept(
        self, position: Position, sample: np.ndarray, observer: int
    ) -> None:
        """What the observer knows is the same in the sample."""
        calls, state = self.calls, position.state
        pairs = {
            "who decides (`movers`)": [self.model.movers(s) for s in (state, sample)],
            "its legal actions": [
                sorted(position.legal[observer].tolist()),
                sorted(calls.legal(sample, observer).tolist()),
            ],
            "the results": [
                position.results,
                calls.vector("results", sample).tolist(),
            ],
        }
        known = [observer] if self.hidden_scores else range(self.model.players)
        pairs["the scores"] = [
            calls.vector("scores", s)[known].tolist() for s in (state, sample)
        ]
        if self.model.observation_shape is not None:
            pairs["what it sees (`observe`)"] = [
                calls.observation(s, observer).tolist() for s in (state, sample)
            ]
        if self._keys:
            pairs["its `state_key`, which may depend on what it knows only"] = [
                calls.number("state_key", s, observer) for s in (state, sample)
            ]
        for name in ("turn", "round"):
            if self.model.has(name):
                pairs[f"the {name}"] = [calls.number(name, s) for s in (state, sample)]
        for what, (one, other) in pairs.items():
            if one != other:
                calls.place.fail(
                    "redeterminise",
                    f"changed for observer {observer} {what}",
                    "A sample must agree with all that its observer knows",
                )

    def _check_repeats(
        self, position: Position, sample: np.ndarray, observer: int, seed: int
    ) -> None:
        other = self._sample(position.state, observer, seed + 1)
        for world in (position.state, other):
            again = self._sample(world, observer, seed)
            if again.tobytes() != sample.tobytes():
                self._fail_on_truth(observer, "a sample of it")

    def _check_other_worlds(
        self, position: Position, sample: np.ndarray, observer: int, seed: int
    ) -> None:
        state = position.state
        if self.permute is not None:
            world = state.copy()
            self.permute(self.model, world, observer, random.Random(seed))
            self._others += world.tobytes() != state.tobytes()
            if self._sample(world, observer, seed).tobytes() != sample.tobytes():
                self._fail_on_truth(observer, "the state after `permute`")
            self.report.checked[PERMUTED] += 1
        if not (self._keys or self.model.observation_shape):
            self.report.skip(ALIKE, "the rules have neither `observe` nor `state_key`")
            return
        known = self.model.state_key(state, observer) if self._keys else 0
        key = observer, known, self._seen[observer].digest()
        world = self._alike.setdefault(key, state.copy())
        if world.tobytes() != state.tobytes():
            if self._sample(world, observer, seed).tobytes() != sample.tobytes():
                self._fail_on_truth(
                    observer,
                    "a position that looks the same to it (by `observe`, `state_key` "
                    "and the actions so far)",
                )
            self.report.checked[ALIKE] += 1

    def _fail_on_truth(self, observer: int, where: str) -> None:
        self.calls.place.fail(
            "redeterminise",
            f"gives observer {observer} one sample of this state and another one of "
            f"{where}, with the same seed",
            "Samples may depend on what the observer knows and on `rng` only: collect "
            "what is hidden in a fixed order before shuffling it",
        )

    def _check_playable(self, sample: np.ndarray, observer: int) -> None:
        """Play on from a sample with the checks of each call."""
        state, rng = sample, new_generator(observer)
        for _ in range(PLAYED_ON):
            movers = self.model.movers(state)
            if not movers:
                break
            joint = [-1] * self.model.players
            for player in movers:
                legal = self.calls.legal(state, player)
                joint[player] = int(legal[draw_below(rng, len(legal))])
            state = self.calls.applied(state, joint, rng)
        self.report.checked["play goes on from samples"] += 1


CHANGES = "redeterminise changes something"
SAMPLES = "redeterminise keeps what its observer knows"
ALIKE = "samples of positions that look the same"
PERMUTED = "redeterminise does not depend on what is hidden, by `permute`"
