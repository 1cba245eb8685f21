"""Calls of a model's functions that notice what no function may do.

Models with checked bounds raise an IndexError where a function leaves an array. What
these do not check, such as helpers with declared types, is found where it writes: all
that a function gets lies between guard bytes. Only functions that play or resample may
change the state, and none may change the variant's record.
"""

from dataclasses import dataclass

import numpy as np

from mcts_agents.model import ForwardModel, GameError
from mcts_agents.model.contract import MOVE
from mcts_agents.model.locating import line_of_mistake
from mcts_agents.testing.report import CheckError, Place

# At least so many bytes on each side of what a function may write.
MARGIN = 4096
GUARD = 0xA5
STAY_INSIDE = (
    "Stay inside the arrays, whose lengths are the Spec's players, legal_limit and "
    "observation_shape and the record's own"
)
CHANGES_THE_STATE = (
    "reset",
    "apply",
    "redeterminise",
    "playout",
    "playout_moves",
    "playout_sets",
    "pass_turn",
    "apply_outcome",
)


class Guarded:
    """An array between guard bytes.

    Attributes:
        array: The array, of `size` items.
        address: Where it begins.
    """

    def __init__(self, size: int, dtype: type):
        inside = size * np.dtype(dtype).itemsize
        # A multiple of 64 keeps the array aligned.
        self._margin = -(-max(MARGIN, inside) // 64) * 64
        self._bytes = np.full(2 * self._margin + inside, GUARD, np.uint8)
        self.array = self._bytes[self._margin : self._margin + inside].view(dtype)
        self.address = self.array.ctypes.data if size else self._bytes.ctypes.data
        self._untouched = bytes([GUARD]) * self._margin

    def is_intact(self) -> bool:
        """Whether nothing was written before or behind the array."""
        inside = self._bytes.size - self._margin
        return (
            self._bytes[: self._margin].tobytes() == self._untouched
            and self._bytes[inside:].tobytes() == self._untouched
        )


@dataclass
class Position:
    """One position of a random game, and what the rules say of it.

    Attributes:
        state: The state.
        movers: Who decides.
        legal: Their legal actions.
        results: Each player's result.
    """

    state: np.ndarray
    movers: tuple[int, ...]
    legal: dict[int, np.ndarray]
    results: list[int]


class Calls:
    """The functions of one model, each called with guards.

    Args:
        model: A model of compiled rules.
        place: Where the check is, kept up to date by its owner.
    """

    def __init__(self, model: ForwardModel, place: Place):
        self.model = model
        self.place = place
        self._variant = model.game.tobytes()
        players = model.players
        self._state = Guarded(model.state_size, np.uint8)
        self._legal = Guarded(model.legal_limit, np.int32)
        self._numbers = Guarded(players, np.float64)
        self._codes = Guarded(players, np.int32)
        self._seen = Guarded(model.observation_size, np.int8)
        self._joint = Guarded(players, np.int32)
        self._rng = Guarded(2, np.uint64)
        self._guards = {
            "state": self._state,
            "out` or `actions": self._legal,
            "out": self._numbers,
            "out` of `results": self._codes,
            "out` of `observe": self._seen,
            "joint_action": self._joint,
            "rng": self._rng,
        }

    def _call(self, name: str, state: np.ndarray, *arguments: int) -> int:
        """Call a function of the table; `state` gets what the function made of it."""
        self._state.array[:] = state
        # Restored when a mistake is to be found: what the function drew and wrote.
        drawn, joint = self._rng.array.copy(), self._joint.array.copy()

        def line() -> str:
            self._rng.array[:], self._joint.array[:] = drawn, joint
            return line_of_mistake(self.model, name, state, arguments)

        try:
            value = self.model.call(name, self._state.address, *arguments)
        except Exception as error:
            raised = error.__cause__ if isinstance(error, GameError) else error
            remedy = "Functions of a game may not fail in positions that play can reach"
            message = self.place.message(
                name,
                f"raised {type(raised).__name__}: {raised}{line()}",
                STAY_INSIDE if isinstance(raised, IndexError) else remedy,
            )
            raise CheckError(message) from raised
        for label, guard in self._guards.items():
            if not guard.is_intact():
                self.place.fail(
                    name,
                    f"wrote outside of `{label}`{line()}",
                    STAY_INSIDE,
                )
        if self.model.game.tobytes() != self._variant:
            self.place.fail(name, "changed `game`", "The variant's record is read only")
        if name in CHANGES_THE_STATE:
            state[:] = self._state.array
        elif self._state.array.tobytes() != state.tobytes():
            self.place.fail(
                name,
                "changed the state",
                f"Only {', '.join(CHANGES_THE_STATE)} may",
            )
        return value

    # -- functions that only read

    def number(self, name: str, state: np.ndarray, *arguments: int) -> int:
        """Return what a function returns, the same when it is called again."""
        value = self._call(name, state, *arguments)
        again = self._call(name, state, *arguments)
        if value != again:
            self.place.fail(
                name,
                f"returned {value} and then {again} for one state",
                "It must depend on its arguments only, and may not read memory that "
                "nobody wrote",
            )
        return value

    def legal(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return a player's legal actions, int32, of which there are 1 or more."""
        place, limit = self.place, self.model.legal_limit
        found = []
        for filled in (-1, 2**31 - 1):
            self._legal.array[:] = filled
            n = self._call("legal_actions", state, player, self._legal.address)
            if not 1 <= n <= limit:
                place.fail(
                    "legal_actions",
                    f"gave {n} actions of player {player}, who is in `movers`",
                    f"Return from 1 to legal_limit ({limit}), or do not let "
                    "the player move",
                )
            found.append(self._legal.array[:n].copy())
        if not np.array_equal(*found):
            place.fail(
                "legal_actions",
                f"gave {found[0].tolist()} and then {found[1].tolist()} of player "
                f"{player} for one state",
                "Write every one of the actions that are counted",
            )
        return found[0]

    def vector(self, name: str, state: np.ndarray) -> np.ndarray:
        """Return what a function writes for each player, all of it written."""
        out = self._codes if name == "results" else self._numbers
        marks = (-7, 77)
        found = []
        for mark in marks:
            out.array[:] = mark
            self._call(name, state, out.address)
            found.append(out.array.copy())
        self._same_twice(name, *found, marks)
        return found[0]

    def _same_twice(
        self, name: str, first: np.ndarray, second: np.ndarray, marks: tuple[int, int]
    ) -> None:
        for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            if (a, b) == marks:
                self.place.fail(
                    name,
                    f"did not write out[{i}]",
                    "Write every entry each time; `out` holds old numbers",
                )
            if a != b and not (a != a and b != b):
                self.place.fail(
                    name,
                    f"wrote {a} and then {b} to out[{i}] for one state",
                    "It must depend on the state only",
                )

    def action_values(
        self, state: np.ndarray, player: int, legal: np.ndarray
    ) -> np.ndarray:
        """Return the values of legal actions, all of them written."""
        n, marks = len(legal), (-7, 77)
        out = Guarded(n, np.float64)
        self._guards["out` of `action_values"] = out
        found = []
        for mark in marks:
            out.array[:] = mark
            self._legal.array[:n] = legal
            self._call(
                "action_values", state, player, self._legal.address, n, out.address
            )
            found.append(out.array.copy())
        self._same_twice("action_values", *found, marks)
        return found[0]

    def filtered(self, state: np.ndarray, player: int, legal: np.ndarray) -> list[int]:
        """Return the actions that `filter_actions` keeps."""
        n = len(legal)
        # A view of exactly n actions: what lies behind them must stay.
        self._legal.array[:] = -1
        self._legal.array[:n] = legal
        kept = self._call("filter_actions", state, player, self._legal.address, n)
        if not 1 <= kept <= n or (self._legal.array[n:] != -1).any():
            self.place.fail(
                "filter_actions",
                f"kept {kept} of {n} actions of player {player}"
                + (", and wrote behind them" if 1 <= kept <= n else ""),
                "Return from 1 to as many as were given, and write no others",
            )
        return self._legal.array[:kept].tolist()

    def observation(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return what a player sees, int8, flat."""
        found = []
        for _ in range(2):
            self._seen.array[:] = 0
            self._call("observe", state, player, self._seen.address)
            found.append(self._seen.array.copy())
        self._same_twice("observe", *found, (0, 1000))
        return found[0]

    def visible_action(
        self, state: np.ndarray, joint: list[int], actor: int, observer: int
    ) -> int:
        """Return the code of what an observer sees of an actor's action."""
        self._joint.array[:] = joint
        arguments = self._joint.address, actor, observer
        self._call("visible_action", state, *arguments)
        self._joint_is("visible_action", joint)
        return self.number("visible_action", state, *arguments)

    def _joint_is(self, name: str, joint: list[int]) -> None:
        if self._joint.array.tolist() != list(joint):
            self.place.fail(name, "changed `joint_action`", "It is read only")

    # -- functions that draw; the generator is advanced

    def _drawing(
        self, name: str, state: np.ndarray, rng: np.ndarray, *arguments: int
    ) -> int:
        self._rng.array[:] = rng
        value = self._call(name, state, *arguments)
        rng[:] = self._rng.array
        return value

    def reset(self, rng: np.ndarray) -> np.ndarray:
        """Return an opening position."""
        state = self.model.new_state()
        self._drawing("reset", state, rng, self._rng.address)
        return state

    def applied(
        self, state: np.ndarray, joint: list[int], rng: np.ndarray
    ) -> np.ndarray:
        """Return the state after a joint action."""
        after = state.copy()
        self._joint.array[:] = joint
        self._drawing("apply", after, rng, self._joint.address, self._rng.address)
        self._joint_is("apply", joint)
        return after

    def passed(self, state: np.ndarray) -> np.ndarray:
        """Return the state after the only player to move has passed."""
        after = state.copy()
        self._call("pass_turn", after)
        return after

    def outcomes(self, state: np.ndarray, joint: list[int]) -> np.ndarray:
        """Return the probabilities of a joint action's outcomes, float64."""
        limit = 16
        while True:
            out = Guarded(limit, np.float64)
            self._guards["`out` of `outcomes`"] = out
            self._joint.array[:] = joint
            arguments = self._joint.address, limit, out.address
            n = self._call("outcomes", state, *arguments)
            self._joint_is("outcomes", joint)
            if n < 1:
                self.place.fail(
                    "outcomes", f"returned {n} for {joint}", "Return at least 1"
                )
            if n <= limit:
                return out.array[:n].copy()
            limit = n

    def applied_outcome(
        self, state: np.ndarray, joint: list[int], outcome: int
    ) -> np.ndarray:
        """Return the state after a joint action with one of its outcomes."""
        after = state.copy()
        self._joint.array[:] = joint
        self._call("apply_outcome", after, self._joint.address, outcome)
        self._joint_is("apply_outcome", joint)
        return after

    def sample(self, state: np.ndarray, observer: int, rng: np.ndarray) -> np.ndarray:
        """Return a state whose hidden part was resampled for an observer."""
        sample = state.copy()
        self._drawing("redeterminise", sample, rng, observer, self._rng.address)
        return sample

    def random_actions(
        self, state: np.ndarray, player: int, rng: np.ndarray, number: int
    ) -> list[int]:
        """Return random actions of a player; the first two with guards."""
        name = "random_action"
        drawn = [
            self._drawing(name, state, rng, player, self._rng.address) for _ in range(2)
        ]
        address, generator = state.ctypes.data, rng.ctypes.data
        return drawn + [
            self.model.call(name, address, player, generator) for _ in range(number - 2)
        ]

    def playout(
        self, state: np.ndarray, rng: np.ndarray, limit: int
    ) -> tuple[np.ndarray, int]:
        """Return the state after a playout, and how many actions were played."""
        after = state.copy()
        played = self._drawing("playout", after, rng, self._rng.address, limit)
        return after, played

    def playout_moves(
        self, state: np.ndarray, rng: np.ndarray, limit: int, kind: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the state after a playout, and the records of its moves."""
        after = state.copy()
        moves = Guarded(limit, MOVE)
        self._guards["out` of `playout_moves"] = moves
        arguments = self._rng.address, limit, kind, moves.address
        played = self._drawing("playout_moves", after, rng, *arguments)
        del self._guards["out` of `playout_moves"]
        if not 0 <= played <= limit:
            self.place.fail(
                "playout_moves",
                f"returned {played} with a limit of {limit} moves",
                "Stop before the limit would be exceeded, and return the number of "
                "moves that were written",
            )
        return after, moves.array[:played].copy()

    def playout_sets(
        self, state: np.ndarray, rng: np.ndarray, limit: int
    ) -> tuple[np.ndarray, int, list[list[int]]]:
        """Return the state after a playout, its length, and each player's actions."""
        after = state.copy()
        words = -(-self.model.actions // 64)
        sets = Guarded(self.model.players * words, np.uint64)
        sets.array[:] = 0
        self._guards["out` of `playout_sets"] = sets
        arguments = self._rng.address, limit, sets.address
        played = self._drawing("playout_sets", after, rng, *arguments)
        del self._guards["out` of `playout_sets"]
        if not 0 <= played <= limit:
            self.place.fail(
                "playout_sets",
                f"returned {played} with a limit of {limit} moves",
                "Stop before the limit would be exceeded, and return the number of "
                "moves that were made",
            )
        rows = sets.array.reshape(self.model.players, words).tolist()
        actions = [
            [64 * i + bit for i, word in enumerate(row) for bit in range(64)
             if word >> bit & 1]
            for row in rows
        ]  # fmt: skip
        return after, played, actions
