"""`Rules`: plain functions on a fixed-size record become a compiled forward model."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numba import int64, njit

from mcts_agents.model.addresses import as_pointer, compiled_address, stack_int32
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.contract import (
    ENTRIES,
    HEADER,
    KINDS,
    MAX_PLAYERS,
    POLICY,
    POLICY_BEGIN,
    REQUIRED,
)
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.random import random_below


class RulesError(TypeError):
    """A game's rules do not fit the contract; the message says what to write."""


@dataclass(frozen=True)
class ScriptedPolicy:
    """A scripted policy: how it acts, and what it remembers of a game, if anything."""

    act: Callable
    memory: np.dtype | None = None
    begin: Callable | None = None

    @property
    def plain_begin(self) -> Callable | None:
        """`begin` before it was compiled, for compiled helpers serve too.

        Not kept instead of it: rules that hold a function by another name than its
        module's cannot be pickled.
        """
        return getattr(self.begin, "py_func", self.begin)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the author's function is called with."""
        remembers = ("memory",) if self.memory is not None else ()
        return ("game", "state", "player", *remembers, "rng")


@dataclass(frozen=True)
class Spec:
    """The sizes of one variant, returned by a game's `variant` function.

    Attributes:
        players: Number of players, 1 to 62.
        actions: Size of the fixed discrete action space.
        legal_limit: Greatest number of legal actions of one player; default `actions`.
        observation_shape: Shape of an observation, if the game has `observe`.
        observation_bounds: Least and greatest value in an observation (int8).
        teams: The number of each player's team, from 0, as in (0, 1, 0, 1): `results`
            are the same for all of a team. Default: every player for itself.
        leaves_out: The last fields of the state's record, by name, if this variant
            has no use for them: its states end before them and are copied faster. The
            author's functions must not touch them then.
    """

    players: int
    actions: int
    legal_limit: int | None = None
    observation_shape: tuple[int, ...] | None = None
    observation_bounds: tuple[int, int] = (0, 1)
    teams: tuple[int, ...] | None = None
    leaves_out: tuple[str, ...] = ()


# How each parameter reaches the author's function, inside the generated wrapper.
_VIEWS = {
    "game": "carray(as_pointer(game), 1, GAME)[0]",
    "state": "carray(as_pointer(state), 1, STATE)[0]",
    "rng": "carray(as_pointer(rng), 2, UINT64)",
    "joint_action": "carray(as_pointer(joint_action), variant.players, INT32)",
    "actions": "carray(as_pointer(actions), n, INT32)",
}
_OUTPUTS = {
    "legal_actions": "carray(as_pointer(out), variant.legal_limit, INT32)",
    "scores": "carray(as_pointer(out), variant.players, FLOAT64)",
    "results": "carray(as_pointer(out), variant.players, INT32)",
    "evaluate": "carray(as_pointer(out), variant.players, FLOAT64)",
    "observe": "carray(as_pointer(out), variant.observation_size, INT8)",
    "action_values": "carray(as_pointer(out), n, FLOAT64)",
}
_RETURNS_NUMBER = {
    "movers",
    "legal_actions",
    "random_action",
    "playout",
    "state_key",
    "turn",
    "round",
    "filter_actions",
    "is_out",
    "nearest_opponent",
    "visible_action",
}


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
        chance: Whether `apply` ever draws from `rng`. False lets a search trust that
            the same actions lead to the same state.
        search_defaults: Search settings that suit the game (`MCTSAgent` keywords).
    """

    name: str
    state: np.dtype
    game: np.dtype = field(default_factory=lambda: np.dtype([]))
    chance: bool = True
    search_defaults: Mapping[str, object] = field(default_factory=dict)

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
        clash = set(dict(HEADER)) & set(self.game.names or ())
        if clash:
            raise RulesError(
                f"{self.name}: `game` repeats {sorted(clash)}; these come from the Spec"
            )
        self._game_dtype = np.dtype(
            HEADER + [(n, self.game[n]) for n in self.game.names or ()], align=True
        )
        self._state_dtype = np.dtype(
            [(n, self.state[n]) for n in self.state.names], align=True
        )
        self._functions: dict[str, Callable] = {}
        self._policies: dict[str, ScriptedPolicy] = {}
        self._variant: Callable | None = None
        self._compiled: dict[str, Callable] | None = None
        self._copies: dict[int, Callable] = {}

    def __getstate__(self):
        """Leave out compiled code, which is found again by its content."""
        return {**self.__dict__, "_compiled": None, "_copies": {}}

    def define(self, function: Callable) -> Callable:
        """Add one function of the contract, by its name; returns it unchanged."""
        name = function.__name__
        if name not in ENTRIES or name == "copy":
            known = ", ".join(e for e in ENTRIES if e != "copy")
            raise RulesError(
                f"{self.name}: {name!r} is no function of a forward model (known: "
                f"{known}); decorate helpers with numba.njit instead"
            )
        expected = ENTRIES[name].parameters
        found = tuple(inspect.signature(function).parameters)
        if found != expected:
            raise RulesError(
                f"{self.name}: write `def {name}({', '.join(expected)})` instead of "
                f"`def {name}({', '.join(found)})`: {ENTRIES[name].purpose}"
            )
        self._functions[name] = function
        self._compiled = None
        return function

    def policy(
        self,
        function: Callable | None = None,
        *,
        memory: np.dtype | None = None,
        begin: Callable | None = None,
    ) -> Callable:
        """Add a scripted policy, found by its name; returns it unchanged.

        `def NAME(game, state, player, rng)` returns a legal action of `player`. One
        that remembers something is decorated with `@rules.policy(memory=DTYPE,
        begin=BEGIN)` and is `def NAME(game, state, player, memory, rng)`: `memory` is
        a record of that type, kept for each player, and `BEGIN(memory, rng)` makes it
        that of a new game.

        It plays as an agent (`ScriptedAgent`), in rollouts and as an opponent model.
        """
        if function is None:
            return lambda author: self.policy(author, memory=memory, begin=begin)
        policy = ScriptedPolicy(function, memory, begin)
        if (memory is None) != (begin is None) or (
            memory is not None and (memory.fields is None or memory.hasobject)
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
        self._compiled = None
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

    def has(self, name: str) -> bool:
        """Whether the author wrote the function `name`; compiles nothing."""
        return name in self._functions

    def defaults(self) -> dict[str, object]:
        """Return the keywords of `variant` and their defaults."""
        self._check_complete()
        parameters = inspect.signature(self._variant).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def model(self, **variant: object) -> "CompiledModel":
        """Compile (once) and return the forward model of one variant.

        Raises:
            RulesError: A required function is missing.
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
        spec = self._variant(game[0], **chosen)
        if not isinstance(spec, Spec):
            raise RulesError(f"{self.name}: `variant` must return a Spec, not {spec!r}")
        self._check_spec(spec)
        size = int(np.prod(spec.observation_shape or (0,)))
        game["players"], game["actions"] = spec.players, spec.actions
        game["legal_limit"] = spec.legal_limit or spec.actions
        game["observation_size"] = size
        if self._compiled is None:
            self._compiled = self._compile()
        functions = self._compiled
        record = self._record_of(spec)
        if record != self._state_dtype:
            functions = {**functions, "copy": self._copy_of(record)}
        return CompiledModel(self, functions, chosen, spec, game, record)

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
            module = compile_module(f"{self.name}_copy", _COPY, namespace, [])
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
        if self._variant is None:
            raise RulesError(
                f"{self.name} lacks its variant function. Write: @rules.variant "
                "def variant(game, *, players=2): return Spec(players, actions=...)"
            )

    def _check_spec(self, spec: Spec):
        if not 1 <= spec.players <= MAX_PLAYERS:
            raise RulesError(
                f"{self.name}: Spec.players is {spec.players}, allowed 1..{MAX_PLAYERS}"
            )
        for name in ("actions", "legal_limit"):
            value = getattr(spec, name)
            if value is not None and not 1 <= value < 2**31:
                raise RulesError(f"{self.name}: Spec.{name} is {value}, allowed from 1")
        if spec.teams is not None:
            self._check_teams(spec.teams, spec.players)
        if ("observe" in self._functions) != (spec.observation_shape is not None):
            raise RulesError(
                f"{self.name}: `observe` and Spec.observation_shape go together"
            )

    def _check_teams(self, teams: tuple[int, ...], players: int):
        number = len(set(teams))
        numbered = len(teams) == players and set(teams) == set(range(number))
        if not numbered or number == 1 < players:
            raise RulesError(
                f"{self.name}: Spec.teams is {teams}; expected the number of a team "
                f"for each of {players} players, of two teams or more, counted from 0, "
                "as in (0, 1, 0, 1)"
            )

    def _compile(self) -> dict[str, Callable]:
        namespace: dict[str, object] = {
            "as_pointer": as_pointer,
            "GAME": self._game_dtype,
            "STATE": self._state_dtype,
            "UINT64": np.dtype(np.uint64),
            "INT32": np.dtype(np.int32),
            "INT8": np.dtype(np.int8),
            "FLOAT64": np.dtype(np.float64),
        }
        source = [_COPY]
        for name, function in self._functions.items():
            source.append(_wrapper_source(name))
            namespace[f"author_{name}"] = njit(function)
        functions = list(self._functions.values())
        for name, policy in self._policies.items():
            source.append(_policy_source(name, policy))
            namespace[f"author_policy_{name}"] = njit(policy.act)
            functions.append(policy.act)
            if policy.begin is not None:
                source.append(_begin_source(name))
                namespace[f"author_begin_{name}"] = njit(policy.plain_begin)
                namespace[f"MEMORY_{name}"] = policy.memory
                functions.append(policy.plain_begin)
        if "playout" not in self._functions:
            has_random_action = "random_action" in self._functions
            source.append(_playout_source(self.name, has_random_action))
            namespace["random_below"] = random_below
            namespace["stack_int32"] = stack_int32
            namespace["numpy_empty"] = np.empty
        module = compile_module(self.name, "\n".join(source), namespace, functions)
        names = ["copy", "playout", *self._functions]
        names += [f"policy_{name}" for name in self._policies]
        names += [f"begin_{name}" for name, p in self._policies.items() if p.begin]
        return {name: getattr(module, name) for name in names}


_COPY = """
@njit(int64(intp, intp, intp), cache=CACHE)
def copy(game, target, source):
    to = carray(as_pointer(target), 1, STATE)
    to[0] = carray(as_pointer(source), 1, STATE)[0]
    return 0
"""


# Uniform playouts of a game whose author wrote none: the author's own functions in one
# loop, so that the compiler can inline them (measured on Tic-Tac-Toe: five times the
# speed of stepping through the table).
_PLAYOUT = """
@njit(int64(intp, intp, intp, int64), cache=CACHE)
def playout(game, state, rng, limit):
    variant = carray(as_pointer(game), 1, GAME)[0]
    record = carray(as_pointer(state), 1, STATE)[0]
    generator = carray(as_pointer(rng), 2, UINT64)
    joint_action = carray(stack_int32({max_players}), variant.players, INT32)
    {legal}
    played = 0
    while True:
        movers = author_movers(variant, record)
        count = 0
        rest = movers
        while rest:
            rest &= rest - 1
            count += 1
        if count == 0 or played + count > limit:
            return played
        for player in range(variant.players):
            if movers >> player & 1:
                {choose}
                joint_action[player] = action
            else:
                joint_action[player] = -1
        author_apply(variant, record, joint_action, generator)
        played += count
"""


# An entry of `legal` that nobody wrote must not reach `apply`, which may index by it.
_CHOOSE = """n = author_legal_actions(variant, record, player, legal)
                if n <= 0 or n > variant.legal_limit:
                    raise RuntimeError({message})
                action = legal[random_below(generator, n)]"""
_NO_LEGAL_ACTION = (
    "a player who is to move has no legal action, or more than legal_limit; `movers` "
    "and `legal_actions` must agree"
)


def _playout_source(name: str, has_random_action: bool) -> str:
    """Write the playout that every set of compiled rules has."""
    if has_random_action:
        legal = ""
        choose = "action = author_random_action(variant, record, player, generator)"
    else:
        legal = "legal = numpy_empty(variant.legal_limit, INT32)"
        choose = _CHOOSE.format(message=repr(f"{name}: {_NO_LEGAL_ACTION}"))
    return _PLAYOUT.format(max_players=MAX_PLAYERS, legal=legal, choose=choose)


def _policy_source(name: str, policy: ScriptedPolicy) -> str:
    """Write the wrapper of a scripted policy."""
    kinds = ", ".join(str(KINDS[p]) for p in POLICY.parameters)
    views = {**_VIEWS, "game": "variant", "memory": _memory_view(name)}
    arguments = ", ".join(views.get(p, p) for p in policy.parameters)
    return (
        f"\n@njit(int64({kinds}), cache=CACHE)\n"
        f"def policy_{name}({', '.join(POLICY.parameters)}):\n"
        f"    variant = {_VIEWS['game']}\n"
        f"    return author_policy_{name}({arguments})\n"
    )


def _begin_source(name: str) -> str:
    """Write the wrapper of what makes a policy's memory that of a new game."""
    kinds = ", ".join(str(KINDS[p]) for p in POLICY_BEGIN.parameters)
    return (
        f"\n@njit(int64({kinds}), cache=CACHE)\n"
        f"def begin_{name}({', '.join(POLICY_BEGIN.parameters)}):\n"
        f"    author_begin_{name}({_memory_view(name)}, {_VIEWS['rng']})\n"
        "    return 0\n"
    )


def _memory_view(name: str) -> str:
    return f"carray(as_pointer(memory), 1, MEMORY_{name})[0]"


def _wrapper_source(name: str) -> str:
    """Write the function that turns addresses into records and calls the author's."""
    parameters = ENTRIES[name].parameters
    kinds = ", ".join("int64" if KINDS[p] == int64 else "intp" for p in parameters)
    arguments = []
    for parameter in parameters:
        if parameter == "game":
            arguments.append("variant")
        elif parameter == "out":
            arguments.append(_OUTPUTS[name])
        else:
            arguments.append(_VIEWS.get(parameter, parameter))
    call = f"author_{name}({', '.join(arguments)})"
    body = (
        f"    return {call}" if name in _RETURNS_NUMBER else f"    {call}\n    return 0"
    )
    return (
        f"\n@njit(int64({kinds}), cache=CACHE)\n"
        f"def {name}({', '.join(parameters)}):\n"
        f"    variant = {_VIEWS['game']}\n{body}\n"
    )


class CompiledModel(ForwardModel):
    """A forward model made of compiled rules; see `ForwardModel`."""

    def __init__(self, rules, functions, variant, spec, game, record):
        table = np.zeros((len(ENTRIES), 2), np.intp)
        for row, name in enumerate(ENTRIES):
            if name in functions:
                table[row, 1] = compiled_address(
                    functions[name], ENTRIES[name].signature
                )
        super().__init__(
            name=rules.name,
            variant=variant,
            game=game,
            state_size=record.itemsize,
            chance=rules.chance,
            table=table,
            observation_shape=spec.observation_shape,
            observation_bounds=spec.observation_bounds,
            search_defaults=rules.search_defaults,
            teams=spec.teams,
        )
        self._rules = rules
        self._functions = functions
        self._state_dtype = record

    def __reduce__(self):
        """Copy and pickle by making the model again: addresses do not travel."""
        return _model_of, (self._rules, self.variant)

    def call(self, name: str, *arguments: int) -> int:
        """Call the compiled function `name` after the address of the variant."""
        return self._functions[name](self.game_address, *arguments)

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the scripted policies that the rules bring."""
        return self._rules.policies

    def policy_address(self, name: str) -> int:
        """Return the address of a scripted policy, to be called as `POLICY`."""
        return compiled_address(self._functions[f"policy_{name}"], POLICY.signature)

    def policy_bytes(self, name: str) -> int:
        """Return the size of what a scripted policy remembers of one player."""
        memory = self._rules._policies[name].memory
        return 0 if memory is None else memory.itemsize

    def begin_policy(self, name: str, memory: int, rng: np.ndarray) -> None:
        """Make the memory of a scripted policy, at an address, that of a new game."""
        if self.policy_bytes(name):
            begin = self._functions[f"begin_{name}"]
            begin(memory, rng.ctypes.data)

    def policy_action(
        self, name: str, state: np.ndarray, player: int, memory: int, rng: np.ndarray
    ) -> int:
        """Return the action of a scripted policy, whose memory is at an address."""
        act = self._functions[f"policy_{name}"]
        addresses = self.game_address, state.ctypes.data
        return act(*addresses, player, memory, rng.ctypes.data)

    def view(self, state: np.ndarray) -> np.void:
        """Return the state as the author's record, sharing its memory."""
        return state.view(self._state_dtype)[0]


def _model_of(rules: Rules, variant: dict[str, object]) -> CompiledModel:
    return rules.model(**variant)
