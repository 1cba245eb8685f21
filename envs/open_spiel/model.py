"""`SpielModel`: a game of OpenSpiel as a forward model.

A state's bytes hold the position's history, who decides, and the returns (see `rows`).
They can be copied, stored and pickled like the states of compiled rules. The positions
themselves, pyspiel's states, are in a dictionary, under numbers that the bytes hold. A
position in the dictionary never changes, so that copies of the bytes share it. If a
position was dropped, or the bytes come from another process, it is played again from
its history.

Chance happens inside `apply`: the outcome is drawn with OpenSpiel's probabilities, from
the caller's generator. A rollout to the end of the game is one call to OpenSpiel.
"""

import ctypes
import hashlib
import secrets
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from types import CodeType
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.facts import OBSERVATION_BOUNDS, Facts
from mcts_agents.envs.open_spiel.rows import (
    CALLBACKS,
    CHILD,
    CHILDREN,
    CLEARED,
    GAME,
    HEAD,
    LENGTH,
    MOVERS,
    NOBODY,
    NUMBER,
    OWNER,
    PLAYER_BITS,
    ROOT,
    ROWS,
    SEED_BITS,
    UNKEPT,
    compiled_rows,
)
from mcts_agents.model import ForwardModel, Spec, clock
from mcts_agents.model.addresses import compiled_address
from mcts_agents.model.contract import ENTRIES, ROW
from mcts_agents.model.copying.guards import noted_signals

# pyspiel's names for who is to move where no single player is.
CHANCE, SIMULTANEOUS, TERMINAL = -1, -2, -4

# So many positions are kept; then the older half is dropped, and played again where
# needed. One takes 1 to 10 KB.
MOST_KEPT = 1 << 14
# Views of memory at addresses, likewise.
MOST_VIEWS = 1 << 10

# How one seed becomes several numbers: D. Knuth's linear congruential generator, whose
# upper bits are used.
_A, _C = 6364136223846793005, 1442695040888963407
_BITS = (1 << 64) - 1
_FLOAT = 2.0**-53

_KINDS_OF_VIEWS = (np.int64, np.float64, np.int32)

# Of so many players, at the most, is kept where an action led.
MOST_RETURNS = 2


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
        players = facts.players
        length = facts.game.max_history_length() * (players if facts.at_once else 1)
        words = HEAD + 2 * players + (length + 1) // 2
        super().__init__(
            facts.name,
            Spec(
                players=players,
                actions=facts.game.num_distinct_actions(),
                observation_shape=facts.observation_shape,
                observation_bounds=OBSERVATION_BOUNDS,
            ),
            variant=variant,
            game=np.zeros(1, GAME),
            state_size=8 * words,
            chance=facts.chance,
            search_defaults=facts.search_defaults,
        )
        self.names: dict[int, str] | None = None  # of actions, once they are asked for
        self._game = facts.game
        self._owner = secrets.randbits(62)
        self._positions: dict[int, Any] = {}
        self._last_number = 0
        self._pending: BaseException | None = None
        self._views: dict[int, tuple[Any, Any, Any]] = {}
        self._arrays: dict[tuple[int, int], Any] = {}
        self._children = np.zeros(CHILDREN, CHILD)
        self._childhoods = 0  # of these in use
        self._answers = np.zeros(players)
        self._answer = self._answers.data
        self._stream = np.zeros(3, np.uint64)
        self._roots = 0  # how many copies were made in Python
        self._bots: list[Any] = []
        self._first = 2 * HEAD + 4 * players  # where the history begins, in int32
        self._end = 2 * words
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
        asked = {
            "reset": self._reset,
            "apply": self._apply,
            "restore": self._restore,
            "legal_actions": self._legal_actions,
            "playout": self._playout,
            "redeterminise": self._resample,
        }
        facts = self.facts
        self.game.flags.writeable = True
        record = self.game[0]
        addresses = {
            name: self._address(self._guarded(function), 4)
            for name, function in asked.items()
        }
        addresses["child"] = self._address(self._child_callback(), 4)
        addresses["rollout"] = self._address(self._rollout_callback(), 4)
        for name in CALLBACKS:
            record[name] = (addresses[name], 0)
        record["error"] = self.error.ctypes.data
        record["chance"] = self.chance
        record["owner"] = self._owner
        record["longest"] = facts.longest
        record["one_return"] = facts.one_return and not facts.counted
        record["shared"] = facts.shared
        record["sum"] = facts.sum
        record["answer"] = self._answers.ctypes.data
        record["stream"] = self._stream.ctypes.data
        if facts.one_mover and self.players <= MOST_RETURNS:
            record["children"] = self._children.ctypes.data
        self.game.flags.writeable = False
        for name in ROWS:
            if name != "redeterminise" or self.facts.hidden:
                function = getattr(self._rows, name)
                address = compiled_address(function, ENTRIES[name].signature)
                self.table[ROW[name], 1] = address
        for name, function in self._python.items():
            # The table's functions get the game's address first.
            guarded = self._guarded(lambda game, *rest, to=function: to(*rest))
            address = self._address(guarded, len(ENTRIES[name].parameters))
            self.table[ROW[name], 0] = address

    def _address(self, function: Callable[..., int], parameters: int) -> int:
        """Return the address of a function that raises nothing."""
        kinds = [ctypes.c_int64] * parameters
        callback = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(function)
        self._kept.append(callback)
        self._codes.add(function.__code__)
        return ctypes.cast(callback, ctypes.c_void_p).value

    def _guarded(self, function: Callable[..., int]) -> Callable[..., int]:
        """Wrap a function for compiled code, which knows no exceptions of Python."""

        def guarded(*arguments: int) -> int:
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
        self._roots += 1
        self._view(target.ctypes.data)[0][ROOT] = self._roots
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
        super().redeterminise(state, observer, rng)
        # Also played from its history: some games return a position whose history is
        # still the true one, which the observer must not know.
        words, _, ints = self._view(state.ctypes.data)
        replayed = self._replayed(words, ints)
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
        words, _, ints = self._view(state.ctypes.data)
        return self._at(words, ints).clone()

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
        _, doubles, _ = self._view(state.ctypes.data)
        now = doubles[HEAD : HEAD + self.players].tolist()
        before = doubles[HEAD + self.players : HEAD + 2 * self.players].tolist()
        return [after - earlier for after, earlier in zip(now, before, strict=True)]

    def _view(self, at: int) -> tuple[Any, Any, Any]:
        """Return a state's words, float64 and int32, as memory."""
        view = self._views.get(at)
        if view is None:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()
            raw = (ctypes.c_uint8 * self.state_size).from_address(at)
            words, doubles, ints = (
                np.frombuffer(raw, kind).data for kind in _KINDS_OF_VIEWS
            )
            view = self._views[at] = words, doubles, ints
        return view

    def _array(self, at: int, length: int, kind: Any) -> Any:
        """Return an array at an address, as memory."""
        found = self._arrays.get((at, length))
        if found is None:
            if len(self._arrays) >= MOST_VIEWS:
                self._arrays.clear()
            size = np.dtype(kind).itemsize * length
            raw = (ctypes.c_uint8 * size).from_address(at)
            found = self._arrays[at, length] = np.frombuffer(raw, kind).data
        return found

    def _at(self, words: Any, ints: Any) -> Any:
        """Return the position of a state, which must not be changed."""
        if words[OWNER] == self._owner:
            position = self._positions.get(words[NUMBER])
            if position is not None:
                return position
        position = self._replayed(words, ints)
        if words[OWNER] == self._owner:
            self._keep_as(words[NUMBER], position)  # known by it to others
        else:
            self._keep(words, position)
        return position

    def _replayed(self, words: Any, ints: Any) -> Any:
        length = words[LENGTH]
        if length == UNKEPT:
            raise RuntimeError(
                f"{self.name}: a rollout to the end of the game keeps its returns, not "
                "its last position; make the game with counted=true to keep both"
            )
        position = self._game.new_initial_state()
        history = ints[self._first : self._first + length].tolist()
        at = 0
        while at < length:
            if position.current_player() == SIMULTANEOUS:
                position.apply_actions(history[at : at + self.players])
                at += self.players
            else:
                position.apply_action(history[at])
                at += 1
        return position

    def _keep(self, words: Any, position: Any) -> None:
        """Put a position under a number of its own."""
        self._last_number = number = self._last_number + 1
        self._keep_as(number, position)
        words[OWNER] = self._owner
        words[NUMBER] = number

    def _keep_as(self, number: int, position: Any) -> None:
        if len(self._positions) >= MOST_KEPT:
            self._drop()
        self._positions[number] = position

    def _drop(self) -> None:
        """Drop the older half of the positions."""
        for old in list(islice(self._positions, MOST_KEPT // 2)):
            del self._positions[old]

    def _arrive(self, at: int, position: Any, length: int, seed: int) -> None:
        """Let chance happen in a new position, and write all of it to the state.

        The history is written up to `length`.
        """
        words, doubles, ints = self._view(at)
        player = position.current_player()
        while player == CHANCE:
            seed = (seed * _A + _C) & _BITS
            action = _drawn(position.chance_outcomes(), (seed >> 11) * _FLOAT)
            position.apply_action(action)
            ints[self._first + length] = action
            length += 1
            player = position.current_player()
        words[LENGTH] = length
        if player >= 0:
            words[MOVERS] = 1 << player
        elif player == TERMINAL:
            words[MOVERS] = 0
        else:
            words[MOVERS] = self._deciding(position)
        if player == TERMINAL or self.facts.pays_on_the_way:
            self._write_returns(doubles, position.returns())
        self._keep(words, position)

    def _deciding(self, position: Any) -> int:
        """Return the mask of who decides at once."""
        mask = 0
        for player in range(self.players):
            if position.legal_actions(player):
                mask |= 1 << player
        if not mask:
            raise RuntimeError(f"{self.name}: nobody has a legal action")
        return mask

    def _write_returns(self, doubles: Any, returns: list[float]) -> None:
        """Write the returns; what was there are those before the last joint action."""
        middle, end = HEAD + self.players, HEAD + 2 * self.players
        doubles[middle:end] = doubles[HEAD:middle]
        doubles[HEAD:middle] = array("d", returns)

    # -- the callbacks (addresses as integers); those of `rows` return 1 when done

    def _reset(self, at: int, _: int, __: int, seed: int) -> int:
        _, doubles, _ = self._view(at)
        doubles[HEAD : HEAD + 2 * self.players] = array("d", [0.0] * 2 * self.players)
        self._arrive(at, self._game.new_initial_state(), 0, seed)
        return 1

    def _apply(self, at: int, joint_action: int, action: int, seed: int) -> int:
        words, _, ints = self._view(at)
        position = self._at(words, ints)
        length = words[LENGTH]
        place = self._first + length
        if self.facts.at_once and position.current_player() == SIMULTANEOUS:
            joint = self._array(joint_action, self.players, np.int32)
            actions = [max(each, 0) for each in joint.tolist()]
            child = position.clone()
            child.apply_actions(actions)
            ints[place : place + self.players] = array("i", actions)
            length += self.players
        else:
            child = position.child(action)
            ints[place] = action
            length += 1
        self._arrive(at, child, length, seed)
        return 1

    def _playout(self, at: int, limit: int, fresh: int, seed: int) -> int:
        words, doubles, ints = self._view(at)
        position = self._at(words, ints)
        if limit < self.facts.longest or not words[MOVERS]:
            return 1 + self._step(at, position, limit, seed)
        if fresh:
            self._bots = [
                self.facts.pyspiel.make_uniform_random_bot(
                    p, (seed >> 16) + p & SEED_BITS
                )
                for p in range(self.players)
            ]
        if self.facts.counted:
            return 1 + self._play_on(at, position, seed)
        self._write_returns(doubles, self._play(position.clone(), seed))
        words[MOVERS] = 0
        words[NUMBER] = 0
        words[LENGTH] = UNKEPT
        return 2

    def _restore(self, at: int, _: int, __: int, ___: int) -> int:
        """Make the position of a state again."""
        words, _, ints = self._view(at)
        self._at(words, ints)
        return 1

    def _child_callback(self) -> Callable[[int, int, int, int], int]:
        """Return what says where an action leads; called in each iteration.

        It answers as PLAYER_BITS says, 0 if the position was dropped. Returns are
        written where `answer` leads, if the game is over.
        """
        positions, look = self._positions, clock.look

        def child(number: int, action: int, _: int, __: int) -> int:
            if self._pending is not None:
                return 0
            try:
                position = positions.get(number)
                if position is None:
                    return 0
                position = position.child(action)
                player = position.current_player()
                if player == CHANCE:
                    number = player = 0
                else:
                    if player == TERMINAL:
                        self._answer[:] = array("d", position.returns())
                        player = NOBODY - 1
                    self._last_number = number = self._last_number + 1
                    if len(positions) >= MOST_KEPT:
                        self._drop()
                    positions[number] = position
                self._childhoods += 1
                cleared = 0
                if self._childhoods > CHILDREN // 2:
                    self._childhoods = 1
                    self._children[:] = 0
                    cleared = CLEARED
                look()
                return (((number << PLAYER_BITS) + player + 1) << 1) + cleared
            except BaseException as error:
                self._note(error)
                return 0

        return child

    def _rollout_callback(self) -> Callable[[int, int, int, int], int]:
        """Return what makes a rollout; called in each iteration.

        It writes what the player to move gets, and returns 0 if the position was
        dropped. OpenSpiel's evaluator of random rollouts cannot be called from Python,
        but a tree search of one simulation is one rollout and nothing else.
        """
        positions, answer, look = self._positions, self._answer, clock.look
        game, pyspiel = self._game, self.facts.pyspiel
        search: Any = None

        def rollout(number: int, seed: int, fresh: int, _: int) -> int:
            nonlocal search
            if self._pending is not None:
                return 0
            try:
                position = positions.get(number)
                if position is None:
                    return 0
                if fresh:
                    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
                    search = pyspiel.MCTSBot(
                        game, evaluator, 1.0, 1, 0, False, seed, False
                    ).mcts_search
                answer[0] = search(position).total_reward
                look()
                return 1
            except BaseException as error:
                self._note(error)
                return 0

        return rollout

    def _play(self, position: Any, seed: int) -> list[float]:
        """Play a position to its end in one call, at random; return the returns."""
        play = self.facts.pyspiel.evaluate_bots
        return play(position, self._bots, seed & SEED_BITS)

    def _play_on(self, at: int, position: Any, seed: int) -> int:
        """Play to the end in one call, and keep the position; return the actions."""
        words, _, _ = self._view(at)
        end = position.clone()
        self._play(end, seed)
        played = end.full_history()[words[LENGTH] :]
        self._write_history(at, end.history())
        self._arrive(at, end, words[LENGTH], 0)
        return sum(each.player >= 0 for each in played)

    def _step(self, at: int, position: Any, limit: int, seed: int) -> int:
        """Play up to `limit` actions, one after another; return how many."""
        position = position.clone()
        played = 0
        while (player := position.current_player()) != TERMINAL:
            seed = (seed * _A + _C) & _BITS
            if player == CHANCE:
                outcomes = position.chance_outcomes()
                position.apply_action(_drawn(outcomes, (seed >> 11) * _FLOAT))
            elif player == SIMULTANEOUS:
                legal = [position.legal_actions(p) for p in range(self.players)]
                deciding = sum(map(bool, legal))
                if played + deciding > limit:
                    break
                actions = []
                for each in legal:
                    seed = (seed * _A + _C) & _BITS
                    place = (seed >> 32) * len(each) >> 32
                    actions.append(each[place] if each else 0)
                position.apply_actions(actions)
                played += deciding
            else:
                if played == limit:
                    break
                actions = position.legal_actions()
                position.apply_action(actions[(seed >> 32) * len(actions) >> 32])
                played += 1
        words, _, _ = self._view(at)
        self._write_history(at, position.history())
        self._arrive(at, position, words[LENGTH], 0)
        return played

    def _write_history(self, at: int, history: list[int]) -> None:
        words, _, ints = self._view(at)
        ints[self._first : self._first + len(history)] = array("i", history)
        words[LENGTH] = len(history)

    def _resample(self, at: int, observer: int, _: int, seed: int) -> int:
        words, doubles, ints = self._view(at)
        position = self._at(words, ints)

        def draw() -> float:
            nonlocal seed
            seed = (seed * _A + _C) & _BITS
            return (seed >> 11) * _FLOAT

        try:
            drawn = position.resample_from_infostate(observer, draw)
        except self.facts.pyspiel.SpielError as error:
            raise ValueError(
                f"{self.name}: agents cannot plan in this game without seeing what is "
                f"hidden, because OpenSpiel cannot resample it ({error})"
            ) from error
        # Nothing is left of the true position, what was paid last neither.
        ints[self._first : self._first + words[LENGTH]] = array(
            "i", [0] * words[LENGTH]
        )
        self._write_history(at, drawn.history())
        self._arrive(at, drawn, words[LENGTH], seed)
        middle = HEAD + self.players
        doubles[middle : middle + self.players] = doubles[HEAD:middle]
        return 1

    def _legal_actions(self, at: int, player: int, out: int, number: int) -> int:
        words, _, ints = self._view(at)
        if not words[MOVERS] >> player & 1:
            return 0
        legal = self._at(words, ints).legal_actions(player)
        room = self._array(out, self.legal_limit, np.int32)
        room[: len(legal)] = array("i", legal)
        return len(legal)

    def _observe(self, at: int, player: int, out: int) -> int:
        words, _, ints = self._view(at)
        seen = self.facts.observe(self._at(words, ints), player)
        (ctypes.c_int8 * self.observation_size).from_address(out)[:] = seen.tolist()
        return 0

    def _state_key(self, at: int, observer: int) -> int:
        words, _, ints = self._view(at)
        position = self._at(words, ints)
        if observer >= 0 and self.facts.hidden:
            known = f"{observer} {position.information_state_string(observer)}"
        elif self.facts.hidden:
            known = str(position.history())
        else:
            known = f"{position.current_player()} {position}"
        digest = hashlib.blake2b(known.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little", signed=True)


def _drawn(outcomes: list[tuple[int, float]], share: float) -> int:
    """Return the outcome at a share, from 0 to below 1, of all probability."""
    for action, probability in outcomes:
        share -= probability
        if share < 0.0:
            return action
    return next(action for action, p in reversed(outcomes) if p > 0.0)


def _model_of(rules: Any, variant: dict[str, object]) -> SpielModel:
    return rules.model(**variant)
