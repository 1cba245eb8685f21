"""`PermutationSearch`: decisions in one game with one set of settings."""

import math

import numpy as np

from mcts_agents.model import ForwardModel, clock, draw_below, new_generator
from mcts_agents.model.contract import MOVE_CODES, ROW
from mcts_agents.permutation.compiled import compiled
from mcts_agents.permutation.kernel.records import (
    BAD_CODE,
    MOST_CODES,
    NOT_IN_TURN,
    PERMUTATION,
)
from mcts_agents.permutation.memory import MEBIBYTE, Memory, Rooms
from mcts_agents.permutation.settings import PermutationSettings
from mcts_agents.permutation.shown_tree import ShownPosition, TreeArrays
from mcts_agents.search.driver.compiled import compiled as compiled_search
from mcts_agents.search.driver.memory import zeros_apart
from mcts_agents.search.driver.one_thread import OneThread
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.kernel import plug_ins
from mcts_agents.search.kernel.leaf_values import LEAF_VALUES
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_MOVERS,
    BUDGET_SPENT,
    GROW,
    NO_LIMIT,
    NOT_FINITE,
    SLICE_DONE,
)

# A slice is made about this long, so that clocks and Ctrl-C are heard.
SLICE_SECONDS = 0.001
FIRST_SLICE = 16
# Playouts by which the memory of a search is estimated.
SAMPLED_PLAYOUTS = 32


class PermutationSearch:
    """A search of one model by AMAF and permutation statistics.

    Args:
        model: The game.
        settings: What to do; open choices are the game's.

    Raises:
        ValueError: Settings that the game cannot serve.
    """

    def __init__(self, model: ForwardModel, settings: PermutationSettings):
        self.model = model
        self._given = settings
        self.settings = settings.for_model(model)
        self._one_thread = OneThread()
        module = compiled()
        self._begin, self._run_slice = module.begin, module.run_slice
        self._enter_all = module.enter_all
        self._decisions = 0
        self._codes: dict[str, int] = {}
        if callable(self.settings.codes):
            self._codes = model.own_codes(self.settings.codes)
        else:
            model.prepare_moves()
        self._set_up()

    def __reduce__(self):
        """Copy and pickle by making a new search: addresses do not travel."""
        return PermutationSearch, (self.model, self._given)

    # -- memory

    def _set_up(self) -> None:
        model, settings = self.model, self.settings
        self._error = zeros_apart(1, np.dtype(np.int64))
        self.record = zeros_apart(1, PERMUTATION)
        self._address = self.record.ctypes.data
        self.memory = Memory(model, settings, self.record)
        arrays = self.memory.arrays
        # A state is at least as long as the record, and begins at a word.
        self._scratch_state = model.new_state()
        arrays["table"][:] = model.table.ravel()
        for name, address in self._codes.items():
            arrays["table"].reshape(-1, 2)[ROW[name]] = 0, address
        arrays["teams"][:] = model.teams
        arrays["joint_action"][:] = -1
        arrays["settings"]["score_bonus"] = settings.score_bonus
        leaf = arrays["leaf"]
        leaf["game"] = model.game_address
        leaf["players"] = model.players
        leaf["team_count"] = model.team_count
        function = LEAF_VALUES[settings.value]
        row = arrays["plug_ins"].reshape(-1, 2)[plug_ins.LEAF_VALUE]
        row[1] = compiled_search().plug_in(settings.value, function)
        own = callable(settings.codes)
        numbers = {
            "game": model.game_address,
            "state": self._scratch_state.ctypes.data,
            "error": self._error.ctypes.data,
            "players": model.players,
            "legal_limit": model.legal_limit,
            "action_count": model.actions,
            "needs_scores": settings.value in ("score", "leader"),
            "has_move_code": own or model.has("move_code"),
            "code_kind": 0 if own else MOVE_CODES.index(settings.codes),
            "permutes": settings.permutes,
            "by_path": settings.nodes == "path",
            "redeterminises": model.hidden_information,
            "has_visible_action": model.has("visible_action"),
            "ref": settings.ref,
            "bias": settings.bias,
            "rollout": settings.rollout,
            "depth_limit": settings.max_depth,
            "simulation_limit": settings.simulations or NO_LIMIT,
            "call_limit": settings.forward_model_calls or NO_LIMIT,
            "place_count": 1,
        }
        for name, number in numbers.items():
            self.record[name] = number
        self._whole = True

    # -- a decision

    def run(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        started: float | None = None,
        reserve: float = 0.0,
    ) -> SearchResult:
        """Search from `state` for `player`, who must be the one to move.

        Args:
            state: The root, not modified; must hold only what `player` may know.
            player: The acting player.
            rng: The generator, advanced.
            started: The time by `clock.now` from which a budget in seconds counts.
            reserve: Seconds before the end of such a budget at which to end.

        Raises:
            ValueError: `player` has no decision to make in `state`, or the search is
                expected to take more than its `memory`.
            RuntimeError: Players decide at once, or the game contradicts itself; or
                this search is running already, in another thread.
            BaseException: Whatever the game's own functions raise.
        """
        return self._one_thread.call(
            self._refusal, self._run, state, player, rng, started, reserve
        )

    def _refusal(self) -> str:
        return (
            f"{self.model.name}: this search is running already, in another thread; "
            "use another PermutationSearch, or another agent"
        )

    def _run(self, state, player, rng, started, reserve) -> SearchResult:
        started = clock.now() if started is None else started
        model, settings = self.model, self.settings
        movers = model.movers(state)
        if player not in movers:
            raise ValueError(
                f"{model.name}: player {player} has no decision to make here; the "
                f"movers are {movers}"
            )
        if len(movers) > 1 and settings.nodes == "position":
            self._fail(NOT_IN_TURN)
        actions = model.legal_actions(state, player)
        if len(actions) == 1:
            only = int(actions[0])
            seconds = clock.now() - started
            result = SearchResult(action=only, actions=actions, seconds=seconds)
            return result.showing([(player, only)])
        self._check_memory(state, len(movers))
        deadline = clock.deadline()
        if settings.seconds is not None:
            own = started + settings.seconds - settings.safety_margin - reserve
            deadline = min(own, deadline)
        if not self._whole:
            self._set_up()
        self._whole = False
        self._decisions += 1
        self._search(state, player, rng, deadline)
        self._whole = True
        return self._result(actions, rng, started)

    def _search(self, state, player, rng, deadline) -> None:
        record, memory = self.record, self.memory
        memory.clear()
        self._root_state = state  # its address is in the record
        memory.arrays["rng"][:] = rng
        memory.arrays["leaf"]["root_player"] = player
        record["root_state"] = state.ctypes.data
        record["root_player"] = player
        record["stop"] = 0
        self._error[0] = 0
        watch = clock.Watch(deadline, record["stop"])
        clock.watched(watch, self._search_within, deadline)
        rng[:] = memory.arrays["rng"]

    def _search_within(self, deadline: float) -> None:
        """Search in slices of about a millisecond until a budget is spent."""
        status = self._begin(self._address)
        iterations = FIRST_SLICE
        done = self.record["simulations"]
        while status == SLICE_DONE:
            began, before = clock.now(), int(done[0])
            status = self._run_slice(self._address, iterations)
            if status == GROW:
                status = self._grow()
            now = clock.now()
            if now >= deadline:
                # The next slice ends at once, unless there was no iteration yet.
                self.record["stop"] = 1
            each = (now - began) / max(int(done[0]) - before, 1)
            wanted = SLICE_SECONDS / each if each > 0.0 else math.inf
            iterations = int(max(1, min(4 * iterations, wanted)))
            if now < deadline < math.inf and each > 0.0:
                iterations = int(max(1, min(iterations, (deadline - now) / each)))
        if status != BUDGET_SPENT:
            self._fail(status)

    def _grow(self) -> int:
        """Make room for one more iteration; return why not, if there must not be."""
        rooms = self.memory.wanted_rooms()
        if rooms.codes > MOST_CODES:
            return BAD_CODE
        limit = self.settings.memory
        if limit is not None and self.memory.bytes_of(rooms) > limit * MEBIBYTE:
            rooms = self._smaller(rooms, limit * MEBIBYTE)
            if rooms is None:
                if self.record["simulations"][0] == 0:
                    raise ValueError(
                        f"memory={limit}: {self.model.name}: one playout takes more"
                    )
                return BUDGET_SPENT
        self.memory.grow(rooms, self._enter_all)
        return SLICE_DONE

    def _smaller(self, rooms: Rooms, limit: int) -> Rooms | None:
        """Return a smaller growth that the limit allows; None: there is no room."""
        now = vars(self.memory.rooms)
        wanted = vars(rooms)
        for share in (4, 16, 64):
            less = {
                name: now[name] + -(-(wanted[name] - now[name]) // share)
                if name not in ("places", "codes")
                else wanted[name]
                for name in now
            }
            if self.memory.bytes_of(Rooms(**less)) <= limit:
                return Rooms(**less)
        return None

    def _check_memory(self, state: np.ndarray, deciding: int) -> None:
        """Raise ValueError if the search is expected to take more than its memory."""
        limit, simulations = self.settings.memory, self.settings.simulations
        if limit is None or simulations is None:
            return
        length, places = self._sampled(state)
        bytes_wanted = self.memory.expected(simulations, length, places, deciding)
        if bytes_wanted > limit * MEBIBYTE:
            fitting = simulations * limit * MEBIBYTE // bytes_wanted
            raise ValueError(
                f"memory={limit}: {simulations} simulations of {self.model.name} are "
                f"expected to take {-(-bytes_wanted // MEBIBYTE)} MiB; allow these, or "
                f"no more than about {fitting} simulations"
            )

    def _sampled(self, state: np.ndarray) -> tuple[int, int]:
        """Return the moves of the longest of some playouts, and how many codes."""
        model, settings = self.model, self.settings
        rng = new_generator(0)
        longest, seen = 1, set()
        for _ in range(SAMPLED_PLAYOUTS):
            end = model.copy(state)
            kind = settings.codes if isinstance(settings.codes, str) else "exact"
            moves = model.playout_moves(end, rng, settings.rollout, kind)
            longest = max(longest, len(moves))
            seen.update(moves.tolist())
        return longest, len(seen)

    # -- what was found

    def _result(self, actions, rng, started) -> SearchResult:
        record = self.record
        tree = self._tree()
        root = ShownPosition(tree, 0)
        visits, values = root.statistics_of(actions)
        best = self._best(visits, values)
        action = int(actions[best[draw_below(rng, len(best)) if len(best) > 1 else 0]])
        return SearchResult(
            action=action,
            actions=actions,
            visits=visits,
            values=values,
            simulations=int(record["simulations"][0]),
            forward_model_calls=int(record["forward_model_calls"][0]),
            seconds=clock.now() - started,
            nodes=int(record["node_count"][0]),
            depth=int(record["deepest"][0]),
            bytes=self.memory.used(),
        ).showing_later(lambda: root.best_line(action), lambda: root)

    def _best(self, visits: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the places of the best actions."""
        keys = visits.astype(float), np.where(visits > 0, values, -math.inf)
        first, second = keys if self.settings.final == "visits" else keys[::-1]
        tied = np.flatnonzero(first == first.max())
        return tied[second[tied] == second[tied].max()]

    def _tree(self) -> TreeArrays:
        decision = self._decisions

        def check() -> None:
            if self._decisions != decision or not self._whole:
                raise RuntimeError(
                    "the search has gone on to another decision; read a tree, or the "
                    "principal variation, before"
                )

        by_path = self.settings.nodes == "path"
        return TreeArrays(self.memory.arrays, self.settings.permutes, by_path, check)

    def _fail(self, status: int) -> None:
        model = self.model
        words = {
            NOT_IN_TURN: "several players decide at once, which "
            f"{self.settings.algorithm} supports with nodes=path only",
            BAD_CODE: f"a code of a move is below 0 or above {MOST_CODES - 1}; see "
            "`move_code`",
            BAD_ACTION: "`legal_actions` lists an action outside of 0 to "
            f"{model.actions - 1} (Spec.actions)",
            BAD_MOVERS: "`movers` returns a mask of other players than 0 to "
            f"{model.players - 1}; return one bit for each player who decides",
            NOT_FINITE: "the value of a playout is infinite or no number; what "
            "`scores` writes must be finite",
        }
        other = (
            "a player who is to move has no legal action, or more than "
            f"legal_limit={model.legal_limit}; `movers` and `legal_actions` must agree"
        )
        raise RuntimeError(f"{model.name}: {words.get(status, other)}")
