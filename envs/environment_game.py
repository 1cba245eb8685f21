"""Third-party environments as games: stepped for play, copied for planning.

`pettingzoo.classic.connect_four_v3:env` names a function that makes an environment. Its
parameters are the game's options. One option is about the game itself and never reaches
the function: `perfect_information=true`, the caller's word that the environment hides
nothing from the player to move. Without it no agent plans in copies.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import gymnasium
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.envs.maker_options import parameters_of, wrong_option
from mcts_agents.envs.numbered import numbered, numbers_in
from mcts_agents.envs.observed import observed_text, rendered_text
from mcts_agents.envs.single_player import PLAYER, SinglePlayerEnv
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.remembering import remember
from mcts_agents.model.copying.watchers import seen_through
from mcts_agents.names import error_line, made_with, nearest, quoted, unknown_name

KINDS = (AECEnv, ParallelEnv, gymnasium.Env)

# The options that are the caller's words about the game, and not for its maker.
WORD = "perfect_information"
SAMPLES = "samples"

# The seed of environments that are made to see what they are like.
_SEED = 0


@dataclass(frozen=True)
class EnvironmentGame:
    """A game that is a PettingZoo or Gymnasium environment.

    Attributes:
        name: What names it, such as `pettingzoo.classic.connect_four_v3:env`.
        make: Makes the environment: AEC, parallel or Gymnasium, wrapped or not.
        title: The game's name as people write it.
        perfect_information: True asserts that nothing is hidden; see `CopyOptions`.
        redeterminise: Use this instead if something is hidden; see there.
        samples: Number of samples on each axis of a Box of actions, including both
            bounds; None if no action is continuous.
        format_action: `(env, action) -> str`: the name of an action. The action is in
            the environment's own form.
        parse_action: `(env, text) -> action`: its inverse; a ValueError says what was
            expected.
        ansi: `(env, agent) -> str`: the position for a terminal, as the named agent may
            see it, or a spectator (None).
        options: The keywords that `make` is called with.
    """

    name: str
    make: Callable[..., Any]
    title: str
    perfect_information: bool = False
    redeterminise: Callable[..., Any] | None = None
    samples: int | None = None
    format_action: Callable[[Any, Any], str] | None = None
    parse_action: Callable[[Any, str], Any] | None = None
    ansi: Callable[[Any, str | None], str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    simultaneous: ClassVar[bool] = False  # players are asked one after another
    # What was made of it before: its variants by their options, and its `shape`.
    _variants: dict[str, "EnvironmentGame"] = field(
        default_factory=dict, repr=False, compare=False
    )
    _shapes: list[CopiedEnvironment] = field(
        default_factory=list, repr=False, compare=False
    )

    def __repr__(self) -> str:
        """Show the name and the options."""
        return f"<EnvironmentGame of {made_with(self.name, self.options)}>"

    def variant(self, options: Mapping[str, Any]) -> "EnvironmentGame":
        """Return the game with the options of a spec.

        Raises:
            ValueError: An option that `make` does not take, or a value that is not
                allowed.
        """
        given = {**self.options, **options}
        word = given.pop(WORD, self.perfect_information)
        if not isinstance(word, bool):
            raise ValueError(f"{WORD}={quoted(word)}: expected true or false")
        if word and self.redeterminise is not None:
            raise ValueError(
                f"{WORD}=true: {self.name} says how to resample what it hides"
            )
        if "render_mode" in given:
            raise ValueError(
                f"render_mode={quoted(given['render_mode'])}: set by the command; "
                "leave it out"
            )
        known = self._parameters()
        samples = self.samples
        if SAMPLES not in (known or ()):
            samples = given.pop(SAMPLES, samples)
        check_samples(samples)
        if known is not None:
            self._check_options(given, options, known)
        key = repr((word, samples, sorted(given.items())))
        if key not in self._variants:
            self._variants[key] = replace(
                self,
                options=given,
                perfect_information=word,
                samples=samples,
                _variants={},
                _shapes=[],
            )
        return self._variants[key]

    def _check_options(
        self,
        given: Mapping[str, Any],
        new: Mapping[str, Any],
        known: Mapping[str, inspect.Parameter],
    ) -> None:
        """Refuse unknown options, and values that the maker's signature rules out.

        Of the values only `new` ones, from a spec: programs may have passed any object.
        """
        for option, value in given.items():
            if option not in known:
                known_here = {*known, WORD, SAMPLES} - {"render_mode"}
                raise ValueError(
                    unknown_name(f"option of {self.name}", option, known_here)
                )
            if option in new:
                wrong = wrong_option(option, value, known[option], self.name)
                if wrong:
                    raise ValueError(wrong)

    def parameters(self) -> dict[str, Any] | None:
        """Return the keywords of `make` with their defaults; None if it takes any."""
        known = self._parameters()
        return None if known is None else {n: p.default for n, p in known.items()}

    def _parameters(self) -> dict[str, inspect.Parameter] | None:
        try:
            parameters = parameters_of(self.make)
        except (TypeError, ValueError):  # of a function that is not Python's
            return None
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return None
        positional = inspect.Parameter.POSITIONAL_ONLY
        return {p.name: p for p in parameters if p.kind is not positional}

    def environment(self, render_mode: str | None = None) -> Any:
        """Return a new environment, as its maker creates it.

        Args:
            render_mode: How it can be shown, if it knows this mode.

        Raises:
            ValueError: The maker raises, or returns something else.
        """
        options = dict(self.options)
        if render_mode is not None:
            options["render_mode"] = render_mode
        call = made_with(self.name, options)
        try:
            with redirect_stdout(sys.stderr):  # as for imports
                env = self.make(**options)
        except (Exception, SystemExit) as error:
            reason = error_line(error)
            raise ValueError(f"game {call} failed: {reason}") from error
        if not isinstance(env, KINDS):
            raise ValueError(
                f"game {call} returns an object of type {type(env).__name__}: expected "
                "an environment of PettingZoo or Gymnasium"
            )
        return env

    def aec(self, render_mode: str | None = None) -> AECEnv:
        """Return a new environment in PettingZoo's AEC form, for playing.

        Its actions are numbers (see `numbered`), and it remembers the moves played,
        which kept trees and evaluators need. Agents who decide simultaneously do not
        see each other's actions: the environment makes one step once all have chosen.

        Raises:
            ValueError: See `environment`.
        """
        env = self.environment(render_mode)
        if isinstance(env, gymnasium.Env):
            return SinglePlayerEnv(remember(self._numbered(env, [PLAYER])))
        if isinstance(env, ParallelEnv) and has_rules(env):
            raise ValueError(
                f"game {self.name} returns the parallel form of a game that has rules; "
                "name the game itself, its rules, or its AEC environment instead"
            )
        if has_rules(env):
            return env
        played = self._numbered_aec(env)
        # One that names its agents in `reset` only cannot be followed from there on.
        return remember(played) if hasattr(played, "possible_agents") else played

    def _numbered_aec(self, env: AECEnv | ParallelEnv) -> AECEnv:
        agents = getattr(env, "possible_agents", ())
        if isinstance(env, ParallelEnv):
            return parallel_to_aec_wrapper(self._numbered(env, agents))
        inner = seen_through(env)
        if isinstance(inner, parallel_to_aec_wrapper):
            # What takes numbers has to stand below, where no choice lies yet.
            below = self._numbered(inner.env, agents)
            return env if below is inner.env else parallel_to_aec_wrapper(below)
        return self._numbered(env, agents)

    def _numbered(self, env: Any, agents: Iterable[str]) -> Any:
        return numbered(env, agents, self.name, self.samples)

    def shape(self) -> CopiedEnvironment:
        """Return a forward model that has the numbers of players and actions.

        It is not for planning, because it does not know whether something is hidden.

        Raises:
            ValueError: See `environment`; or a player's actions cannot be searched.
        """
        if not self._shapes:
            with closing(self.aec()) as env:
                begin(env, _SEED, self.name)
                planned = getattr(env, "planned", env)
                try:
                    shape = CopiedEnvironment(planned, perfect_information=True)
                except ValueError:
                    raise
                except Exception as error:  # of a property of the environment
                    reason = error_line(error)
                    raise ValueError(f"game {self.name}: {reason}") from error
            self._shapes.append(shape)
        return self._shapes[0]

    def can_render(self, env: Any, mode: str) -> bool:
        """Say whether environments of this maker can be made with a render mode."""
        metadata = getattr(env, "metadata", None) or {}
        known = self.parameters()
        takes = known is None or "render_mode" in known
        return takes and mode in (metadata.get("render_modes") or ())

    # -- what is shown

    def action_name(self, env: Any, action: int) -> str:
        """Return the name of an action, or its number if it has no name."""
        numbers = numbers_in(env)
        own = action if numbers is None else numbers.action(action)
        if self.format_action is not None:
            return self.format_action(env, own)
        words = _words(env)
        if action in words:
            return words[action]
        return "/".join(map(str, own.ravel())) if hasattr(own, "ravel") else str(own)

    def action_of(self, env: Any, text: str, legal: list[int]) -> int:
        """Return the action that a text names; a ValueError says what was expected."""
        if self.parse_action is not None:
            own, numbers = self.parse_action(env, text), numbers_in(env)
            return own if numbers is None else numbers.number(own)
        names = {self.action_name(env, action): action for action in legal}
        if text in names:
            return names[text]
        shown = nearest(text, list(names)) or list(names)[:3]
        raise ValueError(f"{quoted(text)}: expected a move such as {', '.join(shown)}")

    def text(self, env: Any, agent: str | None) -> str:
        """Return the position as text, as an agent or a spectator (None) sees it."""
        if self.ansi is not None:
            return self.ansi(env, agent)
        if agent is None and getattr(env, "render_mode", None) == "ansi":
            return rendered_text(env)
        return observed_text(env, agent, everybody=not self.perfect_information)


def game_from_environment(
    make: Callable[..., Any], name: str = "", **parts: Any
) -> EnvironmentGame:
    """Return an environment as a game, with optional names, text and resampling.

    Args:
        make: Makes the environment; its keywords are the game's options.
        name: The game's name; that of the function by default.
        **parts: Attributes of `EnvironmentGame`, such as `redeterminise` or `ansi`.

    Raises:
        TypeError: `make` cannot be called, or there is no such attribute.
        ValueError: Both `perfect_information` and `redeterminise`.
    """
    if not callable(make):
        raise TypeError(f"{make!r}: expected a function that makes an environment")
    name = name or getattr(make, "__name__", type(make).__name__)
    game = EnvironmentGame(name, make, **{"title": name, **parts})
    if game.perfect_information and game.redeterminise is not None:
        raise ValueError(f"{name}: either {WORD} or redeterminise")
    check_samples(game.samples)
    return game


def check_samples(samples: Any) -> None:
    """Raise ValueError unless it is None or a number of samples."""
    is_number = isinstance(samples, int) and not isinstance(samples, bool)
    if samples is not None and not (is_number and samples >= 1):
        raise ValueError(f"{SAMPLES}={quoted(samples)}: expected an integer from 1")


def begin(env: Any, seed: int, name: str) -> None:
    """Reset an environment; turn any error into a ValueError that names the game.

    An environment that cannot take a long seed gets the last 32 bits of it: NumPy's old
    generators take no more.
    """
    try:
        try:
            env.reset(seed=seed)
        except Exception:
            if seed < 1 << 32:
                raise
            env.reset(seed=seed % (1 << 32))
    except Exception as error:
        reason = error_line(error)
        raise ValueError(f"game {name}: reset(seed={seed}) raised {reason}") from error


def has_rules(env: Any) -> bool:
    """Say whether an environment provides planning states, as this package's do."""
    return hasattr(getattr(env, "unwrapped", env), "planning_state")


def is_maker(found: Any) -> bool:
    """Say whether an object is an environment class."""
    return inspect.isclass(found) and issubclass(found, KINDS)


def _words(env: Any) -> dict[int, str]:
    """Return the words that an environment has for its actions, by their numbers."""
    inner = getattr(env, "unwrapped", env)
    named = getattr(inner, "get_action_meanings", None)
    if named is None:
        return {}
    least = max(0, int(getattr(getattr(inner, "action_space", None), "start", 0)))
    words = [" ".join(str(word).split()) for word in named()]
    return dict(enumerate(words, least))
