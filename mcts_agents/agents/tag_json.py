"""Agents from TAG's JSON files of MCTS parameters.

What a file does not name has TAG's default: a budget of 4000 forward model calls, the
final move by value (SIMPLE), rollouts of 1000 actions. As in TAG, parameters of what
is switched off have no effect, such as `exploreEpsilon` beside `UCB`. What this search
cannot do is refused, all of it in one message.

Differences that remain: TAG's progressive widening rounds W N^B down, this search up.
`MASTBoltzmann` and `MASTDefaultValue` are on the scale of the averages, which TAG takes
raw and this search scales to [0, 1]; without a `MASTDefaultValue` it is 0.5 here. A
state key (`MCGSStateKey`) is the game's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from mcts_agents.agents.tag_names import (
    HEURISTICS,
    KNOWN,
    PLAYERS,
    SAME,
    WITHOUT_EFFECT,
    WORDS,
    plain,
)
from mcts_agents.names import quoted, unknown_name
from mcts_agents.search import SearchSettings
from mcts_agents.search.options.applicability import needed

TAG_BUDGET = 4000
TAG_ROLLOUT = 1000
# From here on TAG's numbers mean infinite, or off.
INFINITE_URGENCY = 1e6
NO_PRIOR = 10_000
LEAST_WIDENING = 1.0
GREATEST = 2.0**53

# Settings that TAG would heed where this search cannot: never left out.
_HEEDED = ("graph", "abstraction", "action_heuristic", "initial_visits")

_OWN = {field.name for field in fields(SearchSettings)} | {"agent", "seed"}


def is_tag(data: Mapping[str, Any]) -> bool:
    """Return whether a mapping comes from a TAG file, judged by its class or keys."""
    if "class" in data:
        return True
    return "agent" not in data and any(
        isinstance(key, str) and key not in _OWN and plain(key) in KNOWN for key in data
    )


def from_tag(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping of an agent for TAG's parameters.

    Raises:
        ValueError: Parameters that this search does not have, or values that it cannot
            take; all of them are named.
    """
    name = _player(data.get("class", "MCTSParams"))
    if name != "mcts":
        rest = [key for key in data if plain(key) not in ("class", "randomseed")]
        if rest:
            raise ValueError(f"{data['class']}: unknown parameters {', '.join(rest)}")
        return {"agent": name}
    return _Translation(data).mapping()


def _player(name: Any) -> str:
    """Return the agent of a class of TAG's players."""
    last = plain(name).rpartition(".")[2]
    if last not in PLAYERS:
        raise ValueError(
            f"class={quoted(name)}: {unknown_name('player', last, PLAYERS)}"
        )
    return PLAYERS[last]


class _Translation:
    """One file being translated: what was understood, and what was not."""

    def __init__(self, data: Mapping[str, Any]):
        self.given = {plain(key): (str(key), value) for key, value in data.items()}
        self.options: dict[str, Any] = {"solver": False}
        self.errors: list[str] = []
        if len(self.given) < len(data):
            self.errors.append("a parameter is named twice, in two ways of writing it")

    def mapping(self) -> dict[str, Any]:
        """Return the agent's mapping, or raise for all that is wrong."""
        for key in self.given:
            self._read(key)
        for read in (
            self._budget,
            self._leaves,
            self._heuristics,
            self._policies,
            self._rest,
        ):
            read()
        self._leave_out()
        if self.errors:
            raise ValueError("TAG's parameters: " + "; ".join(self.errors))
        return {"agent": "mcts", **self.options}

    def value(self, key: str, default: Any = None) -> Any:
        """Return the value of a parameter, whichever way its name is spelt."""
        return self.given.get(key, (key, default))[1]

    def refuse(self, key: str, why: str) -> None:
        """Note what is wrong with a parameter."""
        name, value = self.given[key]
        self.errors.append(f"{name}={quoted(value)}: {why}")

    def word(self, key: str, words: Mapping[str, Mapping[str, Any]]) -> None:
        """Read a parameter that is one word of a few."""
        found = words.get(plain(self.value(key)))
        if found is None:
            self.refuse(key, f"expected one of {', '.join(words)}")
        else:
            self.options.update(found)

    def number(self, key: str, default: float) -> float:
        """Read a number, or the default where it is none."""
        value = self.value(key, default)
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not abs(value) < GREATEST:
            self.refuse(key, "expected a number")
            return default
        return value

    def switch(self, key: str) -> bool | None:
        """Read true or false; None if it is neither, or not given."""
        value = self.value(key)
        if value is None or isinstance(value, bool):
            return value
        self.refuse(key, "expected true or false")
        return None

    def _read(self, key: str) -> None:
        """Read a parameter that stands for itself."""
        name, value = self.given[key]
        if key in WORDS:
            self.word(key, WORDS[key])
        elif key in SAME:
            self.options[SAME[key]] = value
        elif key in WITHOUT_EFFECT:
            allowed = WITHOUT_EFFECT[key]
            if allowed is not None and value not in allowed:
                self.refuse(key, f"no counterpart, expected {allowed[0]}")
        elif key not in KNOWN:
            self.errors.append(f"{name}: no such parameter is known")

    def _budget(self) -> None:
        kind = plain(self.value("budgettype", "BUDGET_FM_CALLS"))
        budget = self.number("budget", TAG_BUDGET)
        margin = self.number("breakms", 0)
        if kind == "budgettime":
            self.options["seconds"] = budget / 1000
            self.options["safety_margin"] = margin / 1000
        elif kind == "budgetfmcalls":
            self.options["forward_model_calls"] = budget
        elif kind == "budgetiterations":
            self.options["simulations"] = budget
        else:
            self.refuse(
                "budgettype", "expected BUDGET_TIME, BUDGET_FM_CALLS, BUDGET_ITERATIONS"
            )
        if margin and kind != "budgettime":
            self.refuse("breakms", "only with BUDGET_TIME")

    def _leaves(self) -> None:
        heuristic = self.value("heuristic")
        if heuristic is None:
            return
        name, rest = heuristic, {}
        if isinstance(heuristic, Mapping):
            rest = {plain(key): value for key, value in heuristic.items()}
            name = rest.pop("class", None)
        last = plain(name).rpartition(".")[2]
        if last == "coarsetunableheuristic":
            last = plain(rest.pop("heuristictype", "WIN_ONLY"))
        if last not in HEURISTICS or rest:
            words = "WinOnly, Score, PureScore and LeaderHeuristic"
            self.refuse("heuristic", f"no counterpart; known: {words}")
        else:
            self.options.update(HEURISTICS[last])

    def _heuristics(self) -> None:
        if self.switch("usemastasactionheuristic"):
            self.options["action_heuristic"] = "mast"
        elif "nullreturn" not in plain(self.value("actionheuristic", "nullreturn")):
            self.refuse(
                "actionheuristic",
                "a class of TAG; the game's own is the option action_heuristic=game",
            )
        if self.number("fpu", INFINITE_URGENCY) < INFINITE_URGENCY:
            self.options["first_play_urgency"] = self.value("fpu")
        prior = self.switch("puct")
        temperature = self.number("pucttemperature", 0.0 if prior is True else NO_PRIOR)
        if prior is not False and temperature < NO_PRIOR:
            self.options["prior_temperature"] = temperature
        if self.number("progressivewideningconstant", 0.0) < LEAST_WIDENING:
            self.options.pop("widening", None)
            self.options.pop("widening_exponent", None)
        else:
            self.options.setdefault("widening_exponent", 0.0)
        if self.options.get("abstraction", "none") != "none":
            if self.number("omavisits", 1) <= 0:  # TAG's way to switch it off
                del self.options["abstraction"]
                del self.options["abstraction_context"]
        if self.options.get("abstraction_visits", 1) == 0:
            del self.options["abstraction_visits"]

    def _policies(self) -> None:
        known: Mapping[str, Callable[[], Any]]
        for setting, kind, name, fragments in (
            ("rollout_policy", "rollouttype", "rolloutclass", ["rolloutpolicyparams"]),
            (
                "opponent_model",
                "oppmodeltype",
                "oppmodelclass",
                ["opponentmodelparams", "opponentmodel"],
            ),
        ):
            default = "DEFAULT" if setting == "opponent_model" else "RANDOM"
            fragment = next((f for f in fragments if self.value(f)), fragments[0])
            if kind not in self.given and self.value(fragment):
                default = "PARAMS"  # the manual's `opponentModel` stands alone
            word = plain(self.value(kind, default))
            known = {
                "random": lambda: "random",
                "mast": lambda: "mast",
                "class": lambda n=name: {"agent": _player(self.value(n))},
                "params": lambda f=fragment: from_tag(self._fragment(f)),
            }
            if word == "default":
                continue
            if word not in known:
                self.refuse(kind, "expected RANDOM, MAST, CLASS or PARAMS")
                continue
            try:
                made = known[word]()
            except ValueError as error:
                self.errors.append(f"{setting}: {error}")
                continue
            # Games here may have another default.
            if kind in self.given or made != "random" or setting == "opponent_model":
                self.options[setting] = made

    def _fragment(self, key: str) -> Mapping[str, Any]:
        value = self.value(key)
        if not isinstance(value, Mapping):
            raise ValueError(f"{key}={quoted(value)}: expected a mapping with a class")
        return value

    def _rest(self) -> None:
        """Fill in TAG's defaults where they differ from those here."""
        options = self.options
        options.setdefault("rollout", TAG_ROLLOUT)
        options.setdefault("mast_decay", 0.0)
        options.setdefault("backup_lambda", 1.0)
        options.setdefault("backup_threshold", 1e6)
        policy = plain(self.value("treepolicy", "UCB"))
        if policy in (
            "exp3",
            "regretmatching",
        ):  # they have a final choice of their own
            options.pop("final", None)
        else:
            options.setdefault("final", "value")
        seed = self.value("randomseed")
        if seed is not None:
            options["seed"] = seed
        if options.get("determinizations", 1) != 1 and "information" not in options:
            self.refuse(
                "numdeterminizations",
                "trees on one determinization each take information Open_Loop",
            )
        if options.get("determinizations", 1) != 1:
            options.pop("information", None)  # said by their number

    @staticmethod
    def _idle(probe: Mapping[str, Any]) -> dict[str, str]:
        """Return the settings that have no effect beside the others, and why."""
        settings, defaults = (
            SearchSettings(**{"loop": "open", **probe}),
            SearchSettings(),
        )
        return {
            name: text
            for name, value in probe.items()
            if value != getattr(defaults, name)
            for applies, text in needed(name)
            if not applies(settings)
        }

    def _leave_out(self) -> None:
        """Check values, and leave out what has no effect in TAG either."""
        seed = self.options.pop("seed", None)
        probe = {
            name: len if isinstance(value, Mapping) else value
            for name, value in self.options.items()
        }
        for name, value in probe.items():
            try:
                SearchSettings(**{name: value})
            except ValueError as error:
                self.errors.append(str(error))
        if self.errors:
            return
        while idle := self._idle(probe):
            for name, text in idle.items():
                if name in _HEEDED and _in_use(name, self.options):
                    self.errors.append(
                        f"{name}={probe[name]!r} has no effect without {text}"
                    )
                else:
                    del self.options[name]
                del probe[name]
        if seed is not None:
            self.options["seed"] = seed


def _in_use(name: str, options: Mapping[str, Any]) -> bool:
    """Say whether TAG would heed a setting that this search cannot."""
    return name != "initial_visits" or "action_heuristic" in options
