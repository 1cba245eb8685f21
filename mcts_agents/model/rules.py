"""`Rules`: plain functions on a fixed-size record become a compiled forward model."""

import copy
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numba import njit

from mcts_agents.model.addresses import as_pointer, stack_int32
from mcts_agents.model.author_errors import (
    explanation,
    field_names,
    no_return,
    refused_codes,
    shows_all,
)
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.compiled_model import CompiledModel
from mcts_agents.model.contract import (
    ENTRIES,
    HEADER,
    MOVE,
    MOVE_CODES,
    POLICY,
    POLICY_BEGIN,
    REQUIRED,
)
from mcts_agents.model.random import random_below
from mcts_agents.model.rebuilding import CHECKED, checking_bounds
from mcts_agents.model.spec import RulesError, Spec, check_spec, wrong_kind
from mcts_agents.model.wrapping import (
    COPY,
    RETURNS_NUMBER,
    ScriptedPolicy,
    begin_source,
    playout_source,
    policy_source,
    wrapper_source,
)
from mcts_agents.names import error_line, is_raised, line_of

# Values of positions (the setting `value` of searches) that come from `scores`.
VALUES_OF_SCORES = ("score", "leader")

# What playouts that the library writes are compiled with.
_PLAYOUT_HELPERS = {
    "random_below": random_below,
    "stack_int32": stack_int32,
    "numpy_empty": np.empty,
}


def _no_scores(game, state, out):
    """The scores of a game that has no points."""
    out[:] = 0.0


@dataclass
class Rules:
    """Collects a game's functions and compiles them into a forward model.

    Decorate each function of the contract (`mcts_agents.model.contract.ENTRIES`) with
    `@rules.define`; it is found by its name. Parameters arrive as:

    - `game`: the variant's record: `players`, `actions`, `legal_limit`,
      `observation_size`, then the fields of `game` (read only);
    - `state`: the state's record, changed in place;
    - `rng`: a generator for `mcts_agents.model.random`;
    - `joint_action`: int32, one action a player, -1 for those who do not move;
    - `out`: int32 (`legal_actions`, `results`), float64 (`scores`, `evaluate`) or
      int8 (`observe`, flat);
    - `actions`: int32, `n` of them.

    Helpers are functions decorated with `numba.njit`.

    Args:
        name: The game's name.
        state: The state's record, a fixed-size `numpy.dtype` with named fields.
        game: Further fields of the variant's record, filled by the `variant` function.
        chance: Whether `apply` ever draws from `rng`. False tells searches that the
            same actions lead to the same state.
        search_defaults: Search settings that suit the game (`MCTSAgent` keywords).
            Without a `value` among them, searches value positions by `scores`, or by
            who wins if the game has no function `scores`.
        move_codes: The kinds of codes, of MOVE_CODES, that `move_code` distinguishes;
            `exact` is always one of them.
    """

    name: str
    state: np.dtype
    game: np.dtype = field(default_factory=lambda: np.dtype([]))
    chance: bool = True
    search_defaults: Mapping[str, object] = field(default_factory=dict)
    move_codes: tuple[str, ...] = MOVE_CODES[:1]

    def __post_init__(self):
        for label, dtype in (("state", self.state), ("game", self.game)):
            if label == "game" and dtype == np.dtype([]):
                continue
            if not isinstance(dtype, np.dtype) or dtype.fields is None:
                raise RulesError(
                    f"{self.name}: `{label}` is {dtype!r}, not a record such as "
                    "numpy.dtype([('cells', numpy.int8, 9), ('turn', numpy.int8)])"
                )
            if dtype.hasobject or dtype.itemsize == 0:
                raise RulesError(
                    f"{self.name}: `{label}` must have a fixed size: give its arrays "
                    "their greatest length, as in ('cells', numpy.int8, 9), and keep "
                    "no Python objects in it"
                )
            for name in field_names(dtype):
                if _kind_of(dtype, name) in (*"USMm",):
                    raise RulesError(
                        f"{self.name}: the field {name!r} of `{label}` holds no "
                        "numbers, which compiled code needs: number what it may say, "
                        "as in ('phase', numpy.int8)"
                    )
        clash = set(dict(HEADER)) & set(self.game.names or ())
        if clash:
            raise RulesError(
                f"{self.name}: `game` repeats {sorted(clash)}; these come from the Spec"
            )
        if MOVE_CODES[0] not in self.move_codes or set(self.move_codes) - {*MOVE_CODES}:
            raise RulesError(
                f"{self.name}: move_codes={self.move_codes!r}; expected 'exact', and "
                f"others of {', '.join(MOVE_CODES)}"
            )
        self._game_dtype = np.dtype(
            HEADER + [(n, self.game[n]) for n in self.game.names or ()], align=True
        )
        self._state_dtype = np.dtype(
            [(n, self.state[n]) for n in self.state.names], align=True
        )
        self._functions: dict[str, Callable] = {}
        self._numba: dict[str, object] = {}  # options that functions are compiled with
        self._policies: dict[str, ScriptedPolicy] = {}
        self._variant: Callable | None = None
        self._symmetries: Callable | None = None
        self._compiled: dict[str, Callable] | None = None
        self._compiled_policies: dict[str, ModuleType] = {}
        self._compiled_moves: Callable | None = None
        # Functions come and go: a worker process gets them anew with every game.
        self._compiled_codes: WeakKeyDictionary[Callable, ModuleType]
        self._compiled_codes = WeakKeyDictionary()
        self._copies: dict[int, Callable] = {}

    def __getstate__(self):
        """Leave out compiled code, which is found again by its content."""
        compiled = {"_compiled": None, "_compiled_policies": {}, "_copies": {}}
        state = {**self.__dict__, **compiled, "_compiled_moves": None}
        del state["_compiled_codes"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _compiled_codes=WeakKeyDictionary())

    def __repr__(self) -> str:
        """Show the game and how much there is of it, in one line."""
        written = len(self._functions)
        return (
            f"<Rules of {self.name}: {written} functions, states of "
            f"{self._state_dtype.itemsize} bytes>"
        )

    def define(self, function: Callable) -> Callable:
        """Add one function of the contract, by its name; returns it unchanged.

        It may be one that `numba.njit` made; it is compiled anew with the others.
        """
        name = function.__name__
        if name not in ENTRIES or name == "copy":
            known = ", ".join(e for e in ENTRIES if e != "copy")
            raise RulesError(
                f"{self.name}: {name!r} is not a function of a forward model (known: "
                f"{known}); decorate helpers with numba.njit instead"
            )
        expected = ENTRIES[name].parameters
        found = tuple(inspect.signature(function).parameters)
        if found != expected:
            raise RulesError(
                f"{self.name}: write `def {name}({', '.join(expected)})` instead of "
                f"`def {name}({', '.join(found)})`: {ENTRIES[name].purpose}"
            )
        self._functions[name] = getattr(function, "py_func", function)
        self._compiled = self._compiled_moves = None
        self._compiled_codes.clear()
        return function

    def policy(
        self,
        function: Callable | None = None,
        *,
        memory: np.dtype | None = None,
        begin: Callable | None = None,
    ) -> Callable:
        """Add a scripted policy, found by its name; returns it unchanged.

        `def NAME(game, state, player, rng)` returns a legal action of `player`. If the
        policy remembers something, decorate it with `@rules.policy(memory=DTYPE,
        begin=BEGIN)` and write `def NAME(game, state, player, memory, rng)`: `memory`
        is a record of that type, one for each player, and `BEGIN(memory, rng)`
        initialises it for a new game.

        You can use the policy as an agent (`ScriptedAgent`), in rollouts and as an
        opponent model.
        """
        if function is None:
            return lambda author: self.policy(author, memory=memory, begin=begin)
        policy = ScriptedPolicy(function, memory, begin)
        is_record = (
            isinstance(memory, np.dtype) and memory.fields and not memory.hasobject
        )
        if (memory is None) != (begin is None) or (
            memory is not None and not is_record
        ):
            raise RulesError(
                f"{self.name}: a policy that remembers takes both `memory`, a record "
                "such as numpy.dtype([('last', numpy.int8)]), and `begin`"
            )
        wanted = [(function, policy.parameters, POLICY.purpose)]
        if begin is not None:
            plain = policy.plain_begin
            wanted.append((plain, POLICY_BEGIN.parameters, POLICY_BEGIN.purpose))
        for author, parameters, purpose in wanted:
            found = tuple(inspect.signature(author).parameters)
            if found != parameters:
                raise RulesError(
                    f"{self.name}: write `def {author.__name__}"
                    f"({', '.join(parameters)})` instead of `def "
                    f"{author.__name__}({', '.join(found)})`: {purpose}"
                )
        self._policies[function.__name__] = policy
        self._compiled_policies.pop(function.__name__, None)
        return function

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the scripted policies."""
        return tuple(self._policies)

    def variant(self, function: Callable[..., Spec]) -> Callable[..., Spec]:
        """Set the function that makes a variant, run in Python once per model.

        `def variant(game, *, players=2, ...)` fills the fields of `game`, raises
        ValueError for values that the rules do not allow, and returns a `Spec`.
        """
        parameters = inspect.signature(function).parameters.values()
        keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        if (
            len(parameters) != len(keywords) + 1
            or "players" not in [p.name for p in keywords]
            or any(p.default is p.empty for p in keywords)
        ):
            raise RulesError(
                f"{self.name}: write `def variant(game, *, players=2, ...)`, every "
                "keyword with a default"
            )
        self._variant = function
        return function

    def symmetries(self, function: Callable) -> Callable:
        """Set the function that says how boards may be mirrored or turned.

        `def symmetries(game, spec)` returns `Symmetry` objects for a variant, which
        `board_symmetries` makes. It runs in Python, on first use. In a mirrored
        position, the same players move, with the mirrored legal actions and the same
        results, and everybody observes the mirror image of the original observation.
        `CompiledModel.symmetries` lists the symmetries.
        """
        found = tuple(inspect.signature(function).parameters)
        if found != ("game", "spec"):
            raise RulesError(
                f"{self.name}: write `def {function.__name__}(game, spec)` instead of "
                f"`def {function.__name__}({', '.join(found)})`: how boards may be "
                "mirrored or turned"
            )
        self._symmetries = function
        return function

    def has(self, name: str) -> bool:
        """Whether the author wrote the function `name`; compiles nothing."""
        return name in self._functions

    def defaults_of_searches(self) -> dict[str, object]:
        """Return `search_defaults`, with what a game without points adds to them."""
        implied = {} if self.has("scores") else {"value": "win"}
        return {**implied, **self.search_defaults}

    def defaults(self) -> dict[str, object]:
        """Return the keywords of `variant` and their defaults."""
        self._check_complete()
        parameters = inspect.signature(self._variant).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def model(self, **variant: object) -> CompiledModel:
        """Compile (once) and return the forward model of one variant.

        Raises:
            RulesError: A required function is missing or cannot be compiled.
            ValueError: An unknown keyword, or a value that the rules do not allow.
        """
        known = self.defaults()
        for name in variant:
            if name not in known:
                raise ValueError(
                    f"{self.name} has no option {name!r}; it has {', '.join(known)}"
                )
        chosen = {**known, **variant}
        if type(chosen["players"]) is bool or not isinstance(
            chosen["players"], int | np.integer
        ):
            raise ValueError(
                f"players={chosen['players']!r}: {self.name} needs a whole number"
            )
        game = np.zeros(1, self._game_dtype)
        spec = self._spec(game[0], chosen, variant, known)
        if not isinstance(spec, Spec):
            raise RulesError(f"{self.name}: `variant` must return a Spec, not {spec!r}")
        check_spec(spec, self.name, observes="observe" in self._functions)
        if self._compiled is None:
            self._compiled = self._compile()
        functions = self._compiled
        record = self._record_of(spec)
        if record != self._state_dtype:
            functions = {**functions, "copy": self._copy_of(record)}
        return CompiledModel(self, functions, chosen, spec, game, record)

    def with_checked_bounds(self) -> "Rules":
        """Return the same rules, whose functions raise an IndexError for a wrong index.

        They are slower. Scripted policies are not checked.
        """
        checked, rebuilt = copy.copy(self), checking_bounds()
        checked._functions = {
            name: rebuilt.copy(function) for name, function in self._functions.items()
        }
        checked._numba = CHECKED
        return checked

    def check(self, **options: Any) -> Any:
        """Play random games and raise an error at the first mistake of the rules.

        Call it first on rules that you wrote. It finds functions that write outside
        their arrays or contradict each other, and samples that change what their
        observer knows.

        Args:
            **options: See `mcts_agents.testing.check_rules`, such as `variants` and
                `episodes`.

        Returns:
            A report of what was checked, to be printed.

        Raises:
            CheckError: The rules make a mistake; one line says where, and what to do.
            RulesError: The rules are incomplete, or cannot be compiled.
            MissingExtraError: The extra `arena` is not installed.
        """
        # Checks play games with all that stands above this room, which imports none
        # of it.
        testing = importlib.import_module("mcts_agents.testing")
        return testing.check_rules(self, **options)

    def _spec(
        self,
        game: np.void,
        chosen: dict[str, Any],
        given: Mapping[str, Any],
        defaults: Mapping[str, Any],
    ) -> object:
        """Call the author's `variant`; see to values of another kind than the default.

        What the author says of a value that it refuses by name comes first.
        """
        wrong = [
            (name, told)
            for name, value in given.items()
            if name != "players"
            and (told := wrong_kind(name, value, defaults[name], self.name))
        ]
        try:
            spec = self._variant(game, **chosen)
        except Exception as error:
            said = isinstance(error, ValueError) and is_raised(error)
            if wrong and not (said and f"{wrong[0][0]}=" in str(error)):
                raise ValueError(wrong[0][1]) from error
            if said or isinstance(error, RulesError | MemoryError):
                raise
            line = line_of(error, lambda code: code.co_filename != __file__)
            reason = error_line(error)
            raise RulesError(f"{self.name}: `variant` raised {reason}{line}") from error
        if wrong:
            raise ValueError(wrong[0][1])
        return spec

    def _record_of(self, spec: Spec) -> np.dtype:
        """Return the record of a variant's states."""
        kept = len(self.state.names) - len(spec.leaves_out)
        if kept < 1 or self.state.names[kept:] != tuple(spec.leaves_out):
            raise RulesError(
                f"{self.name}: Spec.leaves_out is {spec.leaves_out!r}, which are not "
                f"the last of the state's fields {self.state.names}"
            )
        fields = [(name, self.state[name]) for name in self.state.names[:kept]]
        return np.dtype(fields, align=True)

    def _copy_of(self, record: np.dtype) -> Callable:
        """Compile (once) the copy of a shortened record, of a size that is fixed."""
        if record.itemsize not in self._copies:
            namespace = {"as_pointer": as_pointer, "STATE": record}
            module = compile_module(f"{self.name}_copy", COPY, namespace, [])
            self._copies[record.itemsize] = module.copy
        return self._copies[record.itemsize]

    def _check_complete(self):
        missing = [name for name in REQUIRED if name not in self._functions]
        if missing:
            lines = "; ".join(
                f"def {name}({', '.join(ENTRIES[name].parameters)}): "
                f"{ENTRIES[name].purpose}"
                for name in missing
            )
            raise RulesError(f"{self.name} lacks required functions. Write: {lines}")
        if len(self.move_codes) > 1 and "move_code" not in self._functions:
            raise RulesError(
                f"{self.name}: move_codes={self.move_codes!r} without a function "
                f"`move_code`: {ENTRIES['move_code'].purpose}"
            )
        for name, value in self.search_defaults.items():
            if value is None:
                raise RulesError(
                    f"{self.name}: search_defaults={dict(self.search_defaults)!r}: "
                    f"None chooses nothing; leave {name} out"
                )
        by_scores = self.search_defaults.get("value") in VALUES_OF_SCORES
        if by_scores and "scores" not in self._functions:
            raise RulesError(
                f"{self.name}: search_defaults={dict(self.search_defaults)!r} without "
                f"a function `scores`: {ENTRIES['scores'].purpose}"
            )
        if {"playout_sets", "move_code"} <= self._functions.keys():
            raise RulesError(
                f"{self.name} has `playout_sets`, whose codes are actions, and "
                "`move_code`; leave one of them out"
            )
        pair = ("outcomes", "apply_outcome")
        for name, other in (pair, pair[::-1]):
            if name in self._functions and other not in self._functions:
                raise RulesError(
                    f"{self.name} has `{name}` without `{other}`, which says: "
                    f"{ENTRIES[other].purpose}"
                )
        if self._variant is None:
            raise RulesError(
                f"{self.name} lacks its variant function. Write: @rules.variant "
                "def variant(game, *, players=2): return Spec(players, actions=...)"
            )

    def _types(self) -> dict[str, object]:
        """Return what every generated module names."""
        return {
            "as_pointer": as_pointer,
            "GAME": self._game_dtype,
            "STATE": self._state_dtype,
            "UINT64": np.dtype(np.uint64),
            "INT32": np.dtype(np.int32),
            "INT8": np.dtype(np.int8),
            "FLOAT64": np.dtype(np.float64),
            "MOVE": MOVE,
        }

    def _compile(self) -> dict[str, Callable]:
        namespace = self._types()
        source = [COPY]
        functions = self._functions
        if "scores" not in functions:
            functions = {**functions, "scores": _no_scores}
        for name, function in functions.items():
            source.append(wrapper_source(name))
            namespace[f"author_{name}"] = njit(**self._numba)(function)
        if "playout" not in self._functions:
            source.append(playout_source(self.name, self._functions, "playout"))
            namespace |= _PLAYOUT_HELPERS
        returning = (f for n, f in self._functions.items() if n in RETURNS_NUMBER)
        self._check_returns(returning)
        text = "\n".join(source)
        module = self._module(self.name, text, namespace, functions)
        names = ("copy", "playout", *functions)
        return {name: getattr(module, name) for name in names}

    def compiled_moves(self) -> Callable:
        """Compile (once) the playout that records its moves.

        When it is first asked for: few searches need it, and all would wait for it.
        """
        if "playout_moves" in self._functions:
            return self._compiled["playout_moves"]
        if self._compiled_moves is None:
            code = self._functions.get("move_code")
            self._compiled_moves = self._moves_module(code, "").playout_moves
        return self._compiled_moves

    def compiled_codes(self, code: Callable) -> ModuleType:
        """Compile (once) codes of moves that the game does not bring.

        Once for functions that do the same, as `compile_module` does.

        Args:
            code: `int(game, state, player, action)`, from 0, as in `move_code`. A
                plain function, or one that `numba.njit` made.

        Returns:
            A module with `move_code` and `playout_moves`, whose moves have these codes
            under any kind.

        Raises:
            RulesError: It is no such function, cannot be compiled, or takes other
                parameters.
        """
        plain = getattr(code, "py_func", code)
        expected = ENTRIES["move_code"].parameters[:-1]
        refusal = refused_codes(self.name, code, expected)
        if refusal is not None:
            raise RulesError(refusal)
        if plain not in self._compiled_codes:
            self._check_returns([plain])
            module = self._moves_module(plain, wrapper_source("move_code", expected))
            self._compiled_codes[plain] = module
        return self._compiled_codes[plain]

    def _moves_module(self, code: Callable | None, source: str) -> ModuleType:
        """Compile a playout that records its moves under their codes."""
        used = ("movers", "legal_actions", "random_action", "apply")
        functions = {n: self._functions[n] for n in used if n in self._functions}
        own = source != ""
        if code is not None:
            functions["move_code"] = code
        source += playout_source(self.name, functions, "playout_moves", own_codes=own)
        namespace = {**self._types(), **_PLAYOUT_HELPERS}
        namespace |= {
            f"author_{n}": njit(**self._numba)(f) for n, f in functions.items()
        }
        name = f"{self.name}_{'codes' if own else 'playout_moves'}"
        return self._module(name, source, namespace, functions)

    def compiled_policy(self, name: str) -> ModuleType:
        """Compile (once) a scripted policy: a module with `act`, and `begin` if any.

        Each by itself when it is first asked for: Pommerman's take as long as its
        rules.
        """
        if name not in self._compiled_policies:
            policy = self._policies[name]
            namespace = {**self._types(), "author_act": njit(policy.act)}
            source, functions = policy_source(policy), {"act": policy.act}
            if policy.begin is not None:
                source += begin_source()
                namespace["author_begin"] = njit(policy.plain_begin)
                namespace["MEMORY"] = policy.memory
                functions["begin"] = policy.plain_begin
            self._check_returns([policy.act])
            self._compiled_policies[name] = self._module(
                f"{self.name}_{name}", source, namespace, functions
            )
        return self._compiled_policies[name]

    def _check_returns(self, functions: Iterable[Callable]) -> None:
        for function in functions:
            text = no_return(self.name, function)
            if text is not None:
                raise RulesError(text)

    def _module(
        self,
        name: str,
        source: str,
        namespace: dict[str, object],
        functions: Mapping[str, Callable],
    ) -> ModuleType:
        """Compile a module, and say in a few lines why that cannot be done."""
        try:
            return compile_module(name, source, namespace, [*functions.values()])
        except Exception as error:
            records = (self._game_dtype, self._state_dtype, namespace.get("MEMORY"))
            fields = {name for record in records for name in field_names(record)}
            text = explanation(self.name, error, functions, fields)
            if text is None or shows_all():
                raise
        raise RulesError(text)


def _kind_of(record: np.dtype, name: str) -> str:
    """Return NumPy's letter for the kind of a field, of inner records too."""
    for own in record.names or ():
        inner = record[own].base
        if own == name and inner.names is None:
            return inner.kind
        if found := _kind_of(inner, name):
            return found
    return ""
