"""`ForwardModel`: the table of a game's functions, as Python code uses it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

import numpy as np

from mcts_agents.model.contract import (
    ENTRIES,
    HEADER,
    LEGAL_ROOM,
    MAX_PLAYERS,
    MOVE,
    MOVE_CODES,
    ROW,
)
from mcts_agents.model.random import draw_below
from mcts_agents.model.spec import Spec
from mcts_agents.model.symmetries import Symmetry, with_identity
from mcts_agents.names import made_with

# More actions than any playout has.
ENDLESS = 2**62


class ForwardModel:
    """A game as a block of bytes and a table of functions over it.

    A state is a `numpy.ndarray` of `uint8`, shape `(state_size,)`. Searches use the
    table of addresses directly; the methods here are the same functions for Python
    code: environments, tests, command line.

    Three kinds exist: compiled rules (`Rules.model`), copies of an environment
    (`CopiedEnvironment`) and games of OpenSpiel. Each fills the table once it is made.
    All arguments but `spec` are attributes, too.

    Args:
        name: The game's name in the registry, such as `"hex"`.
        spec: The sizes of the variant.
        variant: The variant's parameters as keywords, players included.
        game: The variant's record, shape (1,): its header is filled from `spec`, and
            nobody writes to it any more.
        state_size: Bytes of a state.
        chance: Whether anything after `reset` is random.
        search_defaults: Search settings that suit this game, used by `MCTSAgent`
            where its caller names no others.

    Attributes:
        players: Number of players.
        teams: The number of each player's team, from 0; a player without team mates
            is a team of its own.
        actions: Size of the fixed discrete action space.
        legal_limit: No player ever has more legal actions than this.
        legal_room: Length of arrays for legal actions: `legal_limit`, and more if
            `actions` is greater, so that a limit that is too small can be noticed.
        observation_shape: Shape of what `observe` returns.
        observation_bounds: Least and greatest value in an observation.
        observation_size: Number of values in an observation.
        error: Shape (1,), int64: not 0 once a callback into Python has caught an
            exception; `raise_pending` raises it and sets 0 again.
        table_address: Where the table is.
        table: Addresses of the functions, shape `(len(ENTRIES), 2)`, intp: a C
            callback or compiled code; both 0 where the game lacks the function.
    """

    def __init__(
        self,
        name: str,
        spec: Spec,
        *,
        variant: Mapping[str, object],
        game: np.ndarray,
        state_size: int,
        chance: bool,
        search_defaults: Mapping[str, object],
    ):
        self.name = name
        self.variant = dict(variant)
        self.players = int(spec.players)
        if not 1 <= self.players <= MAX_PLAYERS:
            raise ValueError(
                f"{name} has {self.players} players or agents; planning allows 1 to "
                f"{MAX_PLAYERS}"
            )
        teams = range(self.players) if spec.teams is None else spec.teams
        self.teams = tuple(map(int, teams))
        self.actions = int(spec.actions)
        self.legal_limit = int(spec.legal_limit or spec.actions)
        self.legal_room = max(self.legal_limit, min(self.actions, LEGAL_ROOM))
        self.state_size = state_size
        self.chance = chance
        self.observation_shape = spec.observation_shape
        self.observation_bounds = spec.observation_bounds
        self.observation_size = int(np.prod(spec.observation_shape or (0,)))
        self.search_defaults = dict(search_defaults)
        self.game = game
        for size in dict(HEADER):
            game[size] = getattr(self, size)
        self.game.flags.writeable = False
        self.game_address = game.ctypes.data
        self.table = np.zeros((len(ENTRIES), 2), np.intp)
        self.table_address = self.table.ctypes.data
        self.error = np.zeros(1, np.int64)

    def __repr__(self) -> str:
        """Show the game and its variant, in one line."""
        chosen = made_with(self.name, self.variant)
        return f"<{type(self).__name__} of {chosen}>"

    # -- in what the kinds differ

    def call(self, name: str, *arguments: int) -> int:
        """Call the table's function `name` after the address of the variant."""
        raise NotImplementedError

    def view(self, state: np.ndarray) -> np.void:
        """Return the state as the author's record (compiled rules only)."""
        raise TypeError(f"{self.name}: a copied environment's state is not a record")

    def author_function(self, name: str) -> Callable | None:
        """Return a function as its author wrote it, None if that is not Python."""
        return None

    @property
    def copies_environments(self) -> bool:
        """Whether states are handles of copied environments, not plain bytes."""
        return False

    def action_decoder(
        self, state: np.ndarray, player: int
    ) -> Callable[[int], Any] | None:
        """Return what makes the environment's own actions of numbers.

        Args:
            state: A state in which the player decides. The function stays good when
                the state is gone.
            player: The player.

        Returns:
            A function of a number; None where numbers are the actions.
        """
        return None

    @property
    def states_are_values(self) -> bool:
        """Whether a copy of a state's bytes is an independent state."""
        return not self.copies_environments

    @property
    def uncounted_rollout(self) -> int | None:
        """The length from which rollouts do not count their actions; None: they do."""
        return None

    def signals(self) -> AbstractContextManager[None]:
        """Hear signals while compiled code calls Python (no compiled rules do)."""
        return nullcontext()

    @property
    def own_observation_space(self) -> Any:
        """What a copied environment shows, a Gymnasium space; None for compiled rules.

        Theirs are int8 arrays of `observation_shape`.
        """
        return None

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the scripted policies that the game brings (compiled rules only)."""
        return ()

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """How the game may be mirrored or turned; the first changes nothing.

        There are others where compiled rules declare them (`Rules.symmetries`).
        """
        return with_identity([], self.observation_size, self.actions)

    def raise_pending(self) -> None:
        """Raise the exception that a callback into Python caught (none here)."""

    # -- the table, for Python

    @property
    def team_count(self) -> int:
        """Number of teams: that of players where each plays for itself."""
        return len(set(self.teams))

    def has(self, name: str) -> bool:
        """Whether the game brings the optional function `name`."""
        if name not in ENTRIES:
            raise ValueError(
                f"no function {name!r} in a forward model: {list(ENTRIES)}"
            )
        return bool(self.table[ROW[name]].any())

    @property
    def has_points(self) -> bool:
        """Whether there are scores; those of rules without the function are zeros."""
        return True

    @property
    def hidden_information(self) -> bool:
        """Whether players may not see everything (`redeterminise` exists)."""
        return self.has("redeterminise")

    def new_state(self) -> np.ndarray:
        """Return an uninitialised state (zeros); `reset` makes it an opening."""
        return np.zeros(self.state_size, np.uint8)

    def reset(self, rng: np.ndarray) -> np.ndarray:
        """Return a new opening position; `rng` is advanced."""
        state = self.new_state()
        self.call("reset", state.ctypes.data, rng.ctypes.data)
        return state

    def copy(self, state: np.ndarray) -> np.ndarray:
        """Return an independent copy of `state`."""
        target = self.new_state()
        self.call("copy", target.ctypes.data, state.ctypes.data)
        return target

    def movers(self, state: np.ndarray) -> tuple[int, ...]:
        """Return the players who decide now, ascending; empty when the game is over."""
        mask = self.call("movers", state.ctypes.data)
        return tuple(p for p in range(self.players) if mask >> p & 1)

    def legal_actions(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return the legal actions of `player`, shape (n,), int32.

        Only a player in `movers` has any.

        Raises:
            RuntimeError: They are more than `legal_limit` (a `GameError`, of rules).
        """
        out = np.empty(self.legal_room, np.int32)
        n = self.call("legal_actions", state.ctypes.data, player, out.ctypes.data)
        if n > self.legal_limit:
            self._refuse_number(player, n)
        return out[:n]

    def _refuse_number(self, player: int, number: int) -> NoReturn:
        """Raise the error about a number of legal actions above `legal_limit`."""
        raise RuntimeError(
            f"{self.name}: {number} legal actions of player {player}, more than "
            f"legal_limit={self.legal_limit}"
        )

    def apply(
        self,
        state: np.ndarray,
        joint_action: Mapping[int, int] | Sequence[int],
        rng: np.ndarray,
    ) -> None:
        """Let all movers act at once. Modifies `state` and `rng` in place.

        Args:
            state: The state to change.
            joint_action: The action of each mover, by player. Legality is the
                caller's business (environments check it).
            rng: Where chance comes from.
        """
        joint = np.full(self.players, -1, np.int32)
        items = (
            joint_action.items()
            if isinstance(joint_action, Mapping)
            else enumerate(joint_action)
        )
        for player, action in items:
            joint[player] = action
        self.call("apply", state.ctypes.data, joint.ctypes.data, rng.ctypes.data)

    def scores(self, state: np.ndarray) -> np.ndarray:
        """Return the score of each player so far, shape (players,), float64."""
        return self._vector("scores", state, np.float64)

    def results(self, state: np.ndarray) -> np.ndarray:
        """Return PLAYING, WON, DRAWN or LOST, shape (players,), int32."""
        return self._vector("results", state, np.int32)

    def evaluate(self, state: np.ndarray) -> np.ndarray:
        """Return the evaluation of an unfinished state, shape (players,), float64."""
        return self._vector("evaluate", state, np.float64)

    def action_values(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return how good each of `player`'s legal actions looks, float64, 0 to 1."""
        self._check_has("action_values")
        actions = self.legal_actions(state, player)
        out = np.zeros(len(actions))
        addresses = actions.ctypes.data, len(actions), out.ctypes.data
        self.call("action_values", state.ctypes.data, player, *addresses)
        return out

    def filter_actions(
        self, state: np.ndarray, player: int, actions: np.ndarray | None = None
    ) -> np.ndarray:
        """Return those of `player`'s legal actions that are worth a search, int32.

        Args:
            state: The position.
            player: One of its movers.
            actions: The legal actions, int32, if they are known already.

        Raises:
            RuntimeError: The game's filter keeps none of them.
        """
        self._check_has("filter_actions")
        if actions is None:
            actions = self.legal_actions(state, player)
        else:
            actions = actions.copy()  # the filter writes to it
        arguments = player, actions.ctypes.data, len(actions)
        kept = self.call("filter_actions", state.ctypes.data, *arguments)
        self.check_kept(kept, len(actions))
        return actions[:kept]

    def check_kept(self, kept: int, given: int) -> None:
        """Raise RuntimeError unless `filter_actions` may keep so many actions."""
        if not 0 < kept <= given:
            raise RuntimeError(
                f"{self.name}: `filter_actions` kept {kept} of {given} actions; "
                "it must return from 1 to as many as it was given"
            )

    def is_out(self, state: np.ndarray, player: int) -> bool:
        """Return whether `player` will never decide again."""
        self._check_has("is_out")
        return bool(self.call("is_out", state.ctypes.data, player))

    def pass_turn(self, state: np.ndarray) -> None:
        """Let the only player to move do nothing. Modifies `state` in place."""
        self._check_has("pass_turn")
        self.call("pass_turn", state.ctypes.data)

    def outcomes(self, state: np.ndarray, joint_action: Sequence[int]) -> np.ndarray:
        """Return the probability of each outcome of a joint action, float64, sum 1.

        Args:
            state: The position.
            joint_action: The action of each player; -1 for those who do not move.
        """
        self._check_has("outcomes")
        joint = np.asarray(joint_action, np.int32)
        limit = 16
        while True:
            out = np.zeros(limit)
            addresses = joint.ctypes.data, limit, out.ctypes.data
            n = self.call("outcomes", state.ctypes.data, *addresses)
            if n <= limit:
                return out[:n]
            limit = n

    def apply_outcome(
        self, state: np.ndarray, joint_action: Sequence[int], outcome: int
    ) -> None:
        """Let all movers act, and chance do what `outcomes` lists at this place."""
        self._check_has("apply_outcome")
        joint = np.asarray(joint_action, np.int32)
        self.call("apply_outcome", state.ctypes.data, joint.ctypes.data, outcome)

    def nearest_opponent(self, state: np.ndarray, player: int) -> int:
        """Return the opponent in the game who is nearest to `player`, -1 for none."""
        self._check_has("nearest_opponent")
        return self.call("nearest_opponent", state.ctypes.data, player)

    def state_key(self, state: np.ndarray, observer: int = -1) -> int:
        """Return a hash of what `observer` knows of the state; -1 knows all."""
        self._check_has("state_key")
        return self.call("state_key", state.ctypes.data, observer)

    def turn(self, state: np.ndarray) -> int:
        """Return the number of turns ended since the opening."""
        self._check_has("turn")
        return self.call("turn", state.ctypes.data)

    def round(self, state: np.ndarray) -> int:
        """Return the number of rounds ended since the opening."""
        self._check_has("round")
        return self.call("round", state.ctypes.data)

    def visible_action(
        self, state: np.ndarray, joint_action: Sequence[int], actor: int, observer: int
    ) -> int:
        """Return a code of what `observer` sees of `actor`'s part of a joint action.

        Where nothing is hidden that is the action; see the contract.
        """
        if not self.has("visible_action") and not self.hidden_information:
            return int(joint_action[actor])
        self._check_has("visible_action")
        joint = np.asarray(joint_action, np.int32)
        addresses = state.ctypes.data, joint.ctypes.data
        return self.call("visible_action", *addresses, actor, observer)

    def redeterminise(self, state: np.ndarray, observer: int, rng: np.ndarray) -> None:
        """Resample in place what `observer` cannot know, if anything is hidden."""
        if self.hidden_information:
            self.call("redeterminise", state.ctypes.data, observer, rng.ctypes.data)

    def observe(self, state: np.ndarray, player: int) -> np.ndarray:
        """Return what `player` sees, shape `observation_shape`, int8."""
        out = np.zeros(self.observation_size, np.int8)
        self.call("observe", state.ctypes.data, player, out.ctypes.data)
        return out.reshape(self.observation_shape)

    def playout(
        self, state: np.ndarray, rng: np.ndarray, limit: int | None = None
    ) -> int:
        """Play uniformly random moves; return how many actions were played.

        Copied environments play too, one step after the other, inside `planning`.

        Args:
            state: Played on in place, to the end of the game or until there is no room
                for the next joint action.
            rng: Advanced.
            limit: The most actions, from 0; None for all. Some games never end
                without.

        Raises:
            ValueError: A negative limit.
            RuntimeError: A player who is to move has no legal action.
        """
        if limit is not None and limit < 0:
            raise ValueError(f"limit={limit}: expected a number of actions from 0")
        most = ENDLESS if limit is None else limit
        if self.has("playout"):
            return self.call("playout", state.ctypes.data, rng.ctypes.data, most)
        played = 0
        while movers := self.movers(state):
            if played + len(movers) > most:
                break
            joint = {player: self._random(state, player, rng) for player in movers}
            self.apply(state, joint, rng)
            played += len(movers)
        return played

    def _random(self, state: np.ndarray, player: int, rng: np.ndarray) -> int:
        actions = self.legal_actions(state, player)
        if not len(actions):
            raise RuntimeError(f"{self.name}: player {player} has no legal action")
        return int(actions[draw_below(rng, len(actions))])

    @property
    def move_codes(self) -> tuple[str, ...]:
        """The kinds of codes that `move_code` tells apart, of MOVE_CODES."""
        return MOVE_CODES[:1]

    def move_code(
        self, state: np.ndarray, player: int, action: int, kind: str = "exact"
    ) -> int:
        """Return the code under which statistics of moves count an action.

        Args:
            state: The state in which it is taken.
            player: Who takes it.
            action: The action.
            kind: One of `move_codes`.

        Raises:
            ValueError: A kind that the game does not tell apart.
        """
        number = self._kind_of_code(kind)
        if not self.has("move_code"):
            return int(action)
        return self.call("move_code", state.ctypes.data, player, action, number)

    def prepare_moves(self) -> None:
        """Make ready what `playout_moves` takes; it may have to be compiled.

        Raises:
            ValueError: A copied environment, whose playouts cannot record moves.
        """
        raise ValueError(f"{self.name}: playouts of copies do not record their moves")

    def playout_moves(
        self, state: np.ndarray, rng: np.ndarray, limit: int, kind: str = "exact"
    ) -> np.ndarray:
        """Play uniformly random moves; return them.

        Args:
            state: Played on in place, to the end of the game or until there is no room
                for the next joint action.
            rng: Advanced.
            limit: Room: the most moves, from 0.
            kind: One of `move_codes`.

        Returns:
            One MOVE record (`player`, `code`) for each move, in the order of play,
            those of one joint action by player.

        Raises:
            ValueError: A kind that the game does not tell apart, a copied environment,
                or a negative limit.
        """
        number = self._kind_of_code(kind)
        if limit < 0:
            raise ValueError(f"limit={limit}: expected a number of moves from 0")
        self.prepare_moves()
        moves = np.empty(limit, MOVE)
        addresses = state.ctypes.data, rng.ctypes.data
        n = self.call("playout_moves", *addresses, limit, number, moves.ctypes.data)
        return moves[:n]

    def _kind_of_code(self, kind: str) -> int:
        if kind not in self.move_codes:
            raise ValueError(
                f"{self.name}: codes of moves of the kind {kind!r}; expected "
                f"{' or '.join(self.move_codes)}"
            )
        return MOVE_CODES.index(kind)

    def is_over(self, state: np.ndarray) -> bool:
        """Whether nobody decides any more."""
        return self.call("movers", state.ctypes.data) == 0

    def returns(self, state: np.ndarray) -> list[float]:
        """Return 1, 0 or -1 for a player who won, neither, or lost."""
        return [float((0, 1, 0, -1)[r]) for r in self.results(state)]

    def _check_has(self, name):
        if not self.has(name):
            raise ValueError(f"{self.name} has no function {name!r}")

    def _vector(self, name, state, dtype):
        self._check_has(name)
        out = np.zeros(self.players, dtype)
        self.call(name, state.ctypes.data, out.ctypes.data)
        return out
