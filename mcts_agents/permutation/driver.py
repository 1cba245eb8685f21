"""`PermutationSearch`: decisions in one game with one set of settings."""

import bisect
import math
import warnings
from collections import Counter

import numpy as np

from mcts_agents.model import ForwardModel, clock, draw_below, new_generator
from mcts_agents.model.contract import MOVE, MOVE_CODES, ROW
from mcts_agents.model.win_shares import result_shares
from mcts_agents.permutation.compiled import compiled
from mcts_agents.permutation.kernel.records import (
    BAD_CODE,
    MOST_CODES,
    MOST_VALUE,
    NOT_IN_TURN,
    PERMUTATION,
)
from mcts_agents.permutation.memory import MEBIBYTE, SHARES, Memory, Rooms
from mcts_agents.permutation.settings import PermutationSettings
from mcts_agents.permutation.shown_tree import ShownPosition, TreeArrays
from mcts_agents.search.driver.decisions import Decisions
from mcts_agents.search.driver.memory import zeros_apart
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_MOVERS,
    BUDGET_SPENT,
    GROW,
    NO_LIMIT,
    NOT_FINITE,
    SLICE_DONE,
)

FIRST_SLICE = 16
# Playouts by which the memory of a search is estimated.
FIRST_SAMPLE, MOST_SAMPLED = 32, 4096
# Bytes that are copied to new memory in a second, unless less was measured.
_COPYING = 2e8
# A sample is doubled while that changes the estimate by more than this factor.
_STEADY = 1.2


class PermutationSearch(Decisions):
    """A search of one model by AMAF and permutation statistics.

    Args:
        model: The game.
        settings: What to do; open choices are the game's.

    Raises:
        ValueError: Settings that the game cannot serve.
    """

    def __init__(self, model: ForwardModel, settings: PermutationSettings):
        super().__init__(model, settings)
        module = compiled()
        self._begin, self._run_slice = module.begin, module.run_slice
        self._enter_all = module.enter_all
        self._playout_moves = module.playout_moves
        self._decisions = 0
        self._deadline = math.inf
        self._copying = _COPYING
        self._codes: dict[str, int] = {}
        if callable(self.settings.codes):
            self._codes = model.own_codes(self.settings.codes)
        else:
            model.prepare_moves()
        self._set_up()

    # -- memory

    def _set_up(self) -> None:
        model, settings = self.model, self.settings
        # Room for the next decision, for which the last one had no time.
        self._rooms_later: Rooms | None = None
        self._error = zeros_apart(1, np.dtype(np.int64))
        self.record = zeros_apart(1, PERMUTATION)
        self._address = self.record.ctypes.data
        self.memory = Memory(model, settings, self.record)
        arrays = self.memory.arrays
        # A state is at least as long as the record, and begins at a word.
        self._scratch_state = model.new_state()
        self._write_game(arrays)
        for name, address in self._codes.items():
            arrays["table"].reshape(-1, 2)[ROW[name]] = 0, address
        arrays["joint_action"][:] = -1
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

    def _check_movers(self, movers: tuple[int, ...]) -> None:
        if len(movers) > 1 and self.settings.nodes == "position":
            self._fail(NOT_IN_TURN)

    def _search(self, state, player, rng, deadline) -> None:
        self._decisions += 1
        self._deadline = deadline
        record, memory = self.record, self.memory
        memory.clear(self._rooms_later)
        self._rooms_later = None
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
        status = self._begin(self._address)
        if status == SLICE_DONE:
            done = self.record["simulations"]
            status = self._run_slices(done, FIRST_SLICE, deadline)
        if status != BUDGET_SPENT:
            self._fail(status)

    def _slice(self, size: int) -> int:
        status = self._run_slice(self._address, size)
        return self._grow() if status == GROW else status

    def _grow(self) -> int:
        """Make room for one more iteration; return why not, if there must not be."""
        rooms = self.memory.wanted_rooms()
        if rooms.codes > MOST_CODES:
            return BAD_CODE
        limit = self.settings.memory
        if limit is not None and self.memory.bytes_of(rooms) > limit * MEBIBYTE:
            fitting = self.memory.fitting_rooms(limit * MEBIBYTE)
            if fitting is None or fitting == self.memory.rooms:
                return self._out_of_memory()
            rooms = fitting
        touched, began = self.memory.touched(rooms), clock.now()
        if self.record["simulations"][0] and (
            began + touched / self._copying > self._deadline
        ):
            self._rooms_later = rooms  # when nothing is to be copied any more
            return BUDGET_SPENT
        self.memory.grow(rooms, self._enter_all)
        if touched > 8 * MEBIBYTE:
            self._copying = min(_COPYING, touched / max(clock.now() - began, 1e-9))
        return SLICE_DONE

    def _out_of_memory(self) -> int:
        """End the search at its limit of memory, and say so if it falls short.

        Raises:
            ValueError: There was no playout.
        """
        made, settings = int(self.record["simulations"][0]), self.settings
        if made == 0:
            raise ValueError(self._too_little())
        if settings.simulations is not None and settings.seconds is None:
            warnings.warn(
                f"memory={settings.memory}: {self.model.name}: the search reached this "
                f"limit after {made} of {settings.simulations} simulations; allow more "
                "memory, or fewer simulations",
                RuntimeWarning,
                stacklevel=2,
            )
        return BUDGET_SPENT

    def _check_memory(self, state: np.ndarray, movers: tuple[int, ...]) -> None:
        """Raise ValueError if the search is expected to take more than its memory."""
        settings = self.settings
        limit, simulations = settings.memory, settings.simulations
        others = settings.seconds, settings.forward_model_calls
        # Where another budget may end the search first, nobody can say. The first
        # decision of a game is mostly its longest.
        if self._decisions or limit is None or simulations is None or any(others):
            return
        length, sampled, counts, greatest, parts = self._sampled(state, simulations)

        def expected(playouts: int) -> int:
            places = _codes_of(playouts, sampled, counts)
            each = playouts, length, places, greatest, len(movers), parts
            return int(self.memory.expected(*each) * (1.0 + SHARES[-1]))

        room, wanted = limit * MEBIBYTE, expected(simulations)
        if expected(1) > room:
            raise ValueError(self._too_little())
        if wanted > room:
            # The table of positions grows in steps, so this is looked for.
            fitting = bisect.bisect_right(range(1, simulations), room, key=expected)
            raise ValueError(
                f"memory={limit}: {simulations} simulations of {self.model.name} are "
                f"expected to take {-(-wanted // MEBIBYTE)} MiB; allow these, or "
                f"no more than {fitting} simulations"
            )

    def _too_little(self) -> str:
        limit, name = self.settings.memory, self.model.name
        return f"memory={limit}: {name}: one playout takes more"

    def _sampled(
        self, state: np.ndarray, simulations: int
    ) -> tuple[int, int, list[int], int, bool]:
        """Return what some playouts have, to estimate what so many will have.

        In games with very many codes a small sample says little about how many more
        there are, so it grows until its estimate does not.

        Args:
            state: Where they begin.
            simulations: For so many playouts the estimate is made.

        Returns:
            The moves of the longest; how many playouts there are; for each code in how
            many of them it is; the greatest code; and whether values may be neither 0
            nor 1.
        """
        model, settings = self.model, self.settings
        rng = new_generator(0)
        longest, sampled, greatest = 1, 0, 0
        parts = settings.value != "win"
        counts: Counter[tuple[int, int]] = Counter()
        wanted, before = FIRST_SAMPLE, 0
        while True:
            for _ in range(sampled, wanted):
                end, moves = self._played(state, rng)
                longest = max(longest, len(moves))
                counts.update(set(moves.tolist()))
                greatest = max(greatest, int(moves["code"].max(initial=0)))
                shares = result_shares(model.results(end), model.teams)
                parts |= not np.isin(shares, (0.0, 1.0)).all()
            if greatest >= MOST_CODES:
                self._fail(BAD_CODE)
            sampled, found = wanted, list(counts.values())
            estimate = _codes_of(simulations, sampled, found)
            enough = sampled >= min(MOST_SAMPLED, simulations)
            if enough or estimate <= _STEADY * before:
                return longest, sampled, found, greatest, parts
            before, wanted = estimate, 2 * sampled

    def _played(
        self, state: np.ndarray, rng: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play at random from a state; return the state at the end, and the moves."""
        model, settings = self.model, self.settings
        if not self._codes:
            end = model.copy(state)
            return end, model.playout_moves(end, rng, settings.rollout, settings.codes)
        # Only the search's own table has the codes of a user's function.
        end, moves = self._scratch_state, np.empty(settings.rollout, MOVE)
        end[:] = state
        self.memory.arrays["rng"][:] = rng
        n = self._playout_moves(self._address, moves.ctypes.data)
        rng[:] = self.memory.arrays["rng"]
        return end, moves[:n]

    # -- what was found

    def _result(self, found, player, actions, rng) -> SearchResult:
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
            nodes=int(record["node_count"][0]),
            depth=int(record["deepest"][0]),
            bytes=self.memory.used(),
        ).showing_later(lambda: root.best_line(action), lambda: root)

    def _best(self, visits: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the places of the best actions."""
        by_visits = self.settings.final == "visits"
        keys = (visits, values) if by_visits else (values, visits)
        best = np.flatnonzero(visits)
        if len(best) == 0:  # only playouts from the root
            return np.arange(len(visits))
        for key in keys:
            if len(best) > 1:  # mostly one is left by the first key
                found = key[best]
                best = best[found == found.max()]
        return best

    def _tree(self) -> TreeArrays:
        decision = self._decisions

        def check() -> None:
            if self._decisions != decision or not self._whole:
                raise RuntimeError(
                    "this result's tree is gone, because the search has moved on to "
                    "another decision; read the tree or the principal variation before "
                    "the next decision"
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
            NOT_FINITE: "the value of a playout is NaN or a number beyond "
            f"{MOST_VALUE:g}; see what `scores` writes",
        }
        raise RuntimeError(
            f"{model.name}: {words.get(status, self._no_legal_action())}"
        )


def _codes_of(playouts: int, sampled: int, counts: list[int]) -> int:
    """Return about how many codes so many playouts have.

    Of fewer than the sample has, what so many of it have on average. Of more, estimated
    by how many codes are in one playout of the sample alone, and in two. The
    estimate is rather low.

    Source: A. Chao, "Estimating the population size for capture-recapture data with
    unequal catchability", Biometrics 43 (1987).

    Args:
        playouts: How many.
        sampled: How many others were looked at.
        counts: Of each code that turned up in these, in how many of them.
    """
    more = playouts / sampled - 1.0
    if more < 0.0:
        lacking = (-more) ** np.array(counts, float)
        return math.ceil(len(counts) - lacking.sum())
    once, twice = counts.count(1), counts.count(2)
    unseen = once * once / (2 * twice) if twice else once * (once - 1) / 2
    if unseen == 0.0:
        return len(counts)
    return len(counts) + round(unseen * (1.0 - math.exp(-more * once / unseen)))
