"""`SpielModel`: a game of OpenSpiel as a forward model.

A state's bytes hold the position's history, who decides, and the returns (`records`).
They can be copied, stored and pickled like the states of compiled rules. The positions
themselves, pyspiel's states, are kept beside them (`positions`).

Chance happens inside `apply`: the outcome is drawn with OpenSpiel's probabilities, from
the caller's generator. A rollout to the end of the game is one call to OpenSpiel
(`playing`). What a search asks for again and again is answered by compiled code: where
actions led (`children`), and which worlds a player may be in (`worlds`).
"""

import ctypes
import hashlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import CodeType
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.facts import OBSERVATION_BOUNDS, Facts
from mcts_agents.envs.open_spiel.playing import Rollouts
from mcts_agents.envs.open_spiel.positions import SIMULTANEOUS, Draws, Positions
from mcts_agents.envs.open_spiel.records import CALLBACKS, GAME, HEAD, LENGTH, MOVERS
from mcts_agents.envs.open_spiel.rows import ROWS, compiled_rows
from mcts_agents.envs.open_spiel.tables import Children, Pool
from mcts_agents.model import ForwardModel, Spec, clock
from mcts_agents.model.addresses import compiled_address
from mcts_agents.model.contract import ENTRIES, ROW
from mcts_agents.model.copying.guards import noted_signals


class SpielModel(ForwardModel):
    """The forward model of one variant of a game of OpenSpiel.

    Scores are OpenSpiel's returns so far. Once the game is over the highest return has
    won if it is higher than another, those who share it draw, the others lose; a single
    player draws.

    Args:
        facts: The game, and what is known of it.
        variant: The options it was made with.
    """

    def __init__(self, facts: Facts, variant: dict[str, object]):
        self.facts = facts
        self._positions = Positions(facts)
        super().__init__(
            facts.name,
            Spec(
                players=facts.players,
                actions=facts.game.num_distinct_actions(),
                observation_shape=facts.observation_shape,
                observation_bounds=OBSERVATION_BOUNDS,
            ),
            variant=variant,
            game=np.zeros(1, GAME),
            state_size=self._positions.state_size,
            chance=facts.chance,
            search_defaults=facts.search_defaults,
        )
        self.names: dict[int, str] | None = None  # of actions, once they are asked for
        self._pending: BaseException | None = None
        self._rollouts = Rollouts(self._positions)
        self._children: Children | None = None
        if facts.keeps_children:
            self._children = Children(self._positions, self._rollouts.answers)
        self._pool = Pool(self._positions, facts.worlds if facts.hidden else 0)
        self._stream = np.zeros(3, np.uint64)
        self._rows = compiled_rows()
        self._python: dict[str, Callable[..., int]] = {"observe": self._observe}
        if facts.has_key:
            self._python["state_key"] = self._state_key
        self._kept: list[Any] = []  # ctypes forgets a callback that nobody holds
        self._codes: set[CodeType] = set()  # of all that compiled code calls
        self._fill_table()

    def __reduce__(self):
        """Copy and pickle by making the model again: addresses do not travel."""
        return _model_of, (self.facts.rules, self.variant)

    def _fill_table(self) -> None:
        facts = self.facts
        asked = {
            "reset": self._reset,
            "apply": self._apply,
            "restore": self._restore,
            "legal_actions": self._legal_actions,
            "playout": self._rollouts.playout,
            "rollout": self._rollouts.rollout(),
            "resample": self._resample,
            "enumerate": self._pool.enumerate,
        }
        self.game.flags.writeable = True
        record = self.game[0]
        if self._children is not None:
            self._children.tell(record)
            asked["child"] = self._children.child()
        self._pool.tell(record)
        for name in CALLBACKS:
            if name in asked:
                record[name] = (self._address(self._guarded(asked[name]), 4), 0)
        record["error"] = self.error.ctypes.data
        record["chance"] = self.chance
        record["owner"] = self._positions.owner
        record["longest"] = facts.longest
        record["state_words"] = self._positions.state_size // 8
        record["counted"] = facts.counted
        record["one_return"] = facts.one_return
        record["shared"] = facts.shared
        record["sum"] = facts.sum
        record["answer"] = self._rollouts.answers.ctypes.data
        record["stream"] = self._stream.ctypes.data
        self.game.flags.writeable = False
        for name in ROWS:
            if name != "redeterminise" or self.facts.hidden:
                function = getattr(self._rows, name)
                address = compiled_address(function, ENTRIES[name].signature)
                self.table[ROW[name], 1] = address
        for name, function in self._python.items():
            address = self._address(
                self._guarded_row(function), len(ENTRIES[name].parameters)
            )
            self.table[ROW[name], 0] = address

    def _address(self, function: Callable[..., int], parameters: int) -> int:
        """Return the address of a function that raises nothing."""
        kinds = [ctypes.c_int64] * parameters
        callback = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(function)
        self._kept.append(callback)
        self._codes.add(function.__code__)
        return ctypes.cast(callback, ctypes.c_void_p).value

    def _guarded(
        self, function: Callable[[int, int, int, int], int]
    ) -> Callable[[int, int, int, int], int]:
        """Wrap a callback for compiled code, which knows no exceptions of Python."""
        look = clock.look  # also after what is quick: a rollout may be many such calls

        def guarded(first: int, second: int, third: int, fourth: int) -> int:
            if self._pending is not None:
                return 0
            try:
                answer = function(first, second, third, fourth)
                look()
                return answer
            except BaseException as error:
                self._note(error)
                return 0

        return guarded

    def _guarded_row(self, function: Callable[..., int]) -> Callable[..., int]:
        """Wrap a function of the table, which gets the game's address first."""

        def guarded(game: int, *arguments: int) -> int:
            if self._pending is not None:
                return 0
            try:
                answer = function(*arguments)
                clock.look()
                return answer
            except BaseException as error:
                self._note(error)
                return 0

        return guarded

    def _note(self, error: BaseException) -> None:
        """Keep the first exception, and tell compiled code to stop."""
        if self._pending is None:
            self._pending = error
        self.error[0] = 1

    # -- what differs from compiled rules

    @property
    def copies_environments(self) -> bool:
        """True: functions of the table run Python."""
        return True

    @property
    def states_are_values(self) -> bool:
        """True: copies of a state's bytes are independent states."""
        return True

    @property
    def uncounted_rollout(self) -> int | None:
        """The rollout length from which a rollout counts as one forward-model call."""
        return None if self.facts.counted else self.facts.longest

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Keep what signals raise at the entry of a callback, while a search runs."""
        with ExitStack() as noted:
            for code in self._codes:
                noted.enter_context(noted_signals(self._note, code))
            yield

    def copy(self, state: np.ndarray) -> np.ndarray:
        """Return an independent copy of `state`, for which rollouts begin anew."""
        target = super().copy(state)
        self._positions.begin_anew(target.ctypes.data)
        return target

    def call(self, name: str, *arguments: int) -> int:
        """Call the function `name` of the table; its exceptions come out at once."""
        if name in self._python:
            return self._python[name](*arguments)
        self._check_has(name)
        answer = getattr(self._rows, name)(self.game_address, *arguments)
        self.raise_pending()
        return int(answer)

    def raise_pending(self) -> None:
        """Raise what a callback caught, as itself; nothing if it caught nothing."""
        pending, self._pending = self._pending, None
        lost, self.error[0] = self.error[0], 0
        if lost:
            self._stream[:] = 0  # the next rollout begins anew
        if pending is not None:
            raise pending
        if lost:
            # A signal came at the entry of a callback, where no `try` was yet.
            raise KeyboardInterrupt

    def redeterminise(self, state: np.ndarray, observer: int, rng: np.ndarray) -> None:
        """Resample in place what `observer` cannot know, if anything is hidden.

        Raises:
            ValueError: OpenSpiel cannot resample this game.
        """
        if not self.hidden_information:
            return
        before = self.knowledge(self.position(state), observer)
        self._positions.begin_anew(state.ctypes.data)  # by itself, whatever came before
        super().redeterminise(state, observer, rng)
        # Also played from its history: some games return a position whose history is
        # still the true one, which the observer must not know.
        words, _, ints = self._positions.view(state.ctypes.data)
        replayed = self._positions.replayed(words, ints)
        for resampled in (self.position(state), replayed):
            if self.knowledge(resampled, observer) != before or str(resampled) != str(
                replayed
            ):
                raise ValueError(
                    f"{self.name}: OpenSpiel's resample_from_infostate returns a "
                    "position that contradicts what the player knows or its own "
                    "history, so agents cannot plan in this game"
                )

    # -- positions, for Python

    def position(self, state: np.ndarray) -> Any:
        """Return pyspiel's State of a state: an independent clone.

        Raises:
            RuntimeError: The state is the end of a rollout that kept only its returns.
        """
        words, _, ints = self._positions.view(state.ctypes.data)
        return self._positions.of(words, ints).clone()

    def knowledge(self, position: Any, observer: int) -> str:
        """Return what a player knows in one of pyspiel's states, as text.

        Raises:
            ValueError: OpenSpiel does not say it.
        """
        if self.facts.tells_information_state:
            return position.information_state_string(observer)
        if self.facts.tells_observation:
            return position.observation_string(observer)
        raise ValueError(
            f"{self.name}: OpenSpiel has neither information states nor observations "
            "of this game as text"
        )

    def rewards(self, state: np.ndarray) -> list[float]:
        """Return what OpenSpiel pays each player for the last joint action."""
        _, doubles, _ = self._positions.view(state.ctypes.data)
        now = doubles[HEAD : HEAD + self.players].tolist()
        before = doubles[HEAD + self.players : HEAD + 2 * self.players].tolist()
        return [after - earlier for after, earlier in zip(now, before, strict=True)]

    # -- the callbacks (addresses as integers); those of `rows` return 1 when done

    def _reset(self, at: int, _: int, __: int, seed: int) -> int:
        _, doubles, _ = self._positions.view(at)
        doubles[HEAD : HEAD + 2 * self.players] = array("d", [0.0] * 2 * self.players)
        self._positions.arrive(at, self.facts.game.new_initial_state(), 0, Draws(seed))
        return 1

    def _apply(self, at: int, joint_action: int, action: int, seed: int) -> int:
        positions = self._positions
        words, _, ints = positions.view(at)
        position = positions.of(words, ints)
        length = words[LENGTH]
        place = positions.first + length
        if self.facts.at_once and position.current_player() == SIMULTANEOUS:
            joint = positions.array(joint_action, self.players)
            actions = [max(each, 0) for each in joint.tolist()]
            child = position.clone()
            child.apply_actions(actions)
            ints[place : place + self.players] = array("i", actions)
            length += self.players
        else:
            child = position.child(action)
            ints[place] = action
            length += 1
        positions.arrive(at, child, length, Draws(seed))
        return 1

    def _restore(self, at: int, _: int, __: int, ___: int) -> int:
        """Make the position of a state again."""
        words, _, ints = self._positions.view(at)
        self._positions.of(words, ints)
        return 1

    def _resample(self, at: int, observer: int, _: int, seed: int) -> int:
        return self._pool.resample(at, observer, 0, seed)

    def _legal_actions(self, at: int, player: int, out: int, _: int) -> int:
        words, _, ints = self._positions.view(at)
        if not words[MOVERS] >> player & 1:
            return 0
        legal = self._positions.of(words, ints).legal_actions(player)
        room = self._positions.array(out, self.legal_limit)
        room[: len(legal)] = array("i", legal)
        return len(legal)

    def _observe(self, at: int, player: int, out: int) -> int:
        words, _, ints = self._positions.view(at)
        seen = self.facts.observe(self._positions.of(words, ints), player)
        (ctypes.c_int8 * self.observation_size).from_address(out)[:] = seen.tolist()
        return 0

    def _state_key(self, at: int, observer: int) -> int:
        words, _, ints = self._positions.view(at)
        position = self._positions.of(words, ints)
        if observer >= 0 and self.facts.hidden:
            known = f"{observer} {position.information_state_string(observer)}"
        elif self.facts.hidden:
            known = str(position.history())
        else:
            known = f"{position.current_player()} {position}"
        digest = hashlib.blake2b(known.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little", signed=True)


def _model_of(rules: Any, variant: dict[str, object]) -> SpielModel:
    return rules.model(**variant)
