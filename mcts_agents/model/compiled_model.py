"""`CompiledModel`: the forward model that compiled rules make."""

from collections.abc import Callable
from functools import partial
from typing import NoReturn

import numpy as np

from mcts_agents.model.addresses import compiled_address
from mcts_agents.model.contract import ENTRIES, POLICY, POLICY_BEGIN, ROW
from mcts_agents.model.failures import failed_call, wrong_number
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.spec import RulesError
from mcts_agents.model.symmetries import Symmetry, with_identity


class CompiledModel(ForwardModel):
    """A forward model made of compiled rules; see `ForwardModel`."""

    def __init__(self, rules, functions, variant, spec, game, record):
        super().__init__(
            rules.name,
            spec,
            variant=variant,
            game=game,
            state_size=record.itemsize,
            chance=rules.chance,
            search_defaults=rules.defaults_of_searches(),
        )
        for name, function in functions.items():
            address = compiled_address(function, ENTRIES[name].signature)
            self.table[ROW[name], 1] = address
        self._rules = rules
        self._functions = functions
        self._state_dtype = record
        self._spec = spec
        self._symmetries: tuple[Symmetry, ...] | None = None

    def __reduce__(self):
        """Copy and pickle by making the model again: addresses do not travel."""
        return partial(self._rules.model, **self.variant), ()

    def call(self, name: str, *arguments: int) -> int:
        """Call the compiled function `name` after the address of the variant.

        Raises:
            GameError: The function raised an exception; the message says where.
        """
        try:
            return self._functions[name](self.game_address, *arguments)
        except Exception as error:
            found = failed_call(self, name, error, arguments)
            if found is error:
                raise
            raise found from error

    def _refuse_number(self, player: int, number: int) -> NoReturn:
        """See `ForwardModel`; this error names the author's line."""
        raise wrong_number(self, player, number)

    def with_checked_bounds(self) -> "CompiledModel":
        """Return the same variant of `Rules.with_checked_bounds`."""
        return self._rules.with_checked_bounds().model(**self.variant)

    def author_function(self, name: str) -> Callable | None:
        """Return a function, or a scripted policy, as its author wrote it, or None."""
        if name in self.policies:
            return self._rules._policies[name].act
        return self._rules._functions.get(name)

    @property
    def has_points(self) -> bool:
        """See `ForwardModel.has_points`."""
        return self._rules.has("scores")

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the scripted policies that the rules bring."""
        return self._rules.policies

    @property
    def move_codes(self) -> tuple[str, ...]:
        """The kinds of codes of moves that the rules tell apart."""
        return self._rules.move_codes

    def prepare_moves(self) -> None:
        """Compile (once) what `playout_moves` takes, and enter it in the table."""
        if not self.has("playout_moves"):
            function = self._rules.compiled_moves()
            self._functions = {**self._functions, "playout_moves": function}
            signature = ENTRIES["playout_moves"].signature
            row = ROW["playout_moves"]
            self.table[row, 1] = compiled_address(function, signature)

    def own_codes(self, code: Callable) -> dict[str, int]:
        """Return the addresses of `move_code` and `playout_moves` with a user's codes.

        See `Rules.compiled_codes` for `code` and for what is refused.
        """
        module = self._rules.compiled_codes(code)
        return {
            name: compiled_address(getattr(module, name), ENTRIES[name].signature)
            for name in ("move_code", "playout_moves")
        }

    def policy_address(self, name: str) -> int:
        """Return the address of a scripted policy, to be called as `POLICY`."""
        return compiled_address(self._rules.compiled_policy(name).act, POLICY.signature)

    def policy_begin_address(self, name: str) -> int:
        """Return the address of what begins a policy's memory; 0 if it has none."""
        if not self.policy_bytes(name):
            return 0
        begin = self._rules.compiled_policy(name).begin
        return compiled_address(begin, POLICY_BEGIN.signature)

    def policy_bytes(self, name: str) -> int:
        """Return the size of what a scripted policy remembers of one player."""
        memory = self._rules._policies[name].memory
        return 0 if memory is None else memory.itemsize

    def begin_policy(self, name: str, memory: int, rng: np.ndarray) -> None:
        """Make the memory of a scripted policy, at an address, that of a new game."""
        if self.policy_bytes(name):
            self._rules.compiled_policy(name).begin(memory, rng.ctypes.data)

    def policy_action(
        self, name: str, state: np.ndarray, player: int, memory: int, rng: np.ndarray
    ) -> int:
        """Return the action of a scripted policy, whose memory is at an address."""
        act = self._rules.compiled_policy(name).act
        addresses = self.game_address, state.ctypes.data
        return act(*addresses, player, memory, rng.ctypes.data)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """How the game may be mirrored or turned; the first changes nothing.

        Raises:
            RulesError: What the author declared does not fit the variant.
        """
        if self._symmetries is None:
            declare = self._rules._symmetries
            declared = [] if declare is None else declare(self.game[0], self._spec)
            sizes = self.observation_size, self.actions
            try:
                self._symmetries = with_identity(declared, *sizes)
            except ValueError as error:
                raise RulesError(f"{self.name}: {error}") from error
        return self._symmetries

    def view(self, state: np.ndarray) -> np.void:
        """Return the state as the author's record, sharing its memory."""
        return state.view(self._state_dtype)[0]
