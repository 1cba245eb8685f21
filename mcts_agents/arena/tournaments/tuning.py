"""Search for good options of an agent with Optuna, and check the best ones in a match.

Each trial is a match: the agent with a trial's options in one seat, the opponent in all
others, every seat equally often; its value is the win rate. The best of many noisy
trials looks better than it is, so a match of new games follows.

What is proposed is a function of the seed and of the trials before, and each trial
starts its own sampler: a study that was interrupted goes on as if it had not been.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from mcts_agents.agents import make_agent
from mcts_agents.agents.held import HeldAgent
from mcts_agents.agents.kinds import KINDS, AgentKind
from mcts_agents.agents.saving import spec_text, to_mapping
from mcts_agents.agents.specs import resolve
from mcts_agents.arena.playing.backends import Backend, Outcome
from mcts_agents.arena.playing.budgets import budget_setting, check_taken
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.search_space import Parameter, parse_parameter
from mcts_agents.arena.tournaments.spec_file import complaints
from mcts_agents.arena.tournaments.spec_values import (
    MOST_GAMES,
    MOST_OPENING,
    MOST_SEED,
    SettingError,
    Strict,
    Whole,
    agent_mapping,
    agent_or_none,
    check_variant,
    game_spec,
)
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tournament import (
    enter,
    holds_study,
    prepare,
    run_tournament,
)
from mcts_agents.arena.tournaments.tournament_spec import (
    TournamentSpec,
    differences,
    stored_value,
)
from mcts_agents.extras import from_extra
from mcts_agents.names import quoted

STUDY = "tune"
TUNED = "tuned"

# Notes in a study, which Optuna keeps.
_DESCRIPTION, _REFUSED, _GAMES = "description", "refused", "games"


class TuningError(ValueError):
    """A study cannot continue; the message says why."""


class FailedGameError(TuningError):
    """A game of a trial failed, so that nothing can be said of its options."""


class TuningSpec(Strict):
    """What is tuned, and against whom.

    Attributes:
        game: Spec of the game.
        players: Number of players; None: the game's default.
        agent: The agent, of any kind that describes its options; trials change the
            options in `parameters`.
        against: The agent in all other seats; None: the agent as it is given.
        budget: Budget of each decision, see `budget_setting`; empty: the agents' own.
        parameters: What is tried, see `search_space`; that of the agent's kind if left
            out.
        games_each: Games of a trial.
        seed: Seed of everything.
        opening: Random decisions at the start of each game, see `TournamentSpec`.

    Raises:
        pydantic.ValidationError: A ValueError that names each value that is not
            allowed.
    """

    game: Annotated[str, AfterValidator(game_spec)]
    players: Whole | None = None
    agent: Annotated[Any, AfterValidator(agent_mapping)] = Field(
        default="mcts", validate_default=True
    )
    against: Annotated[Any, AfterValidator(agent_or_none)] = None
    budget: str = ""
    parameters: tuple[str, ...] = Field(default=(), validate_default=True)
    games_each: Whole = Field(default=50, ge=1, le=MOST_GAMES)
    seed: Whole = Field(default=0, ge=0, le=MOST_SEED)
    opening: Whole = Field(default=0, ge=0, le=MOST_OPENING)

    @field_validator("agent")
    @classmethod
    def _check_agent(cls, agent: Mapping[str, Any]) -> Mapping[str, Any]:
        if isinstance(agent, HeldAgent):
            raise ValueError(
                f"an object of {agent['class']} has no options to tune; give its spec"
            )
        if not resolve(agent)[0].described:
            known = [name for name, kind in KINDS.items() if kind.described]
            raise ValueError(
                f"{agent['agent']} agents have no options to tune; these have: "
                f"{', '.join(known)}"
            )
        return agent

    @field_validator("budget")
    @classmethod
    def _check_budget(cls, budget: str) -> str:
        if budget:
            budget_setting(budget)
        return budget

    @field_validator("parameters")
    @classmethod
    def _check_parameters(
        cls, parameters: tuple[str, ...], known: ValidationInfo
    ) -> tuple[str, ...]:
        if "agent" not in known.data:  # which is refused
            return parameters
        kind, _ = resolve(known.data["agent"])
        parameters = parameters or kind.search_space
        if not parameters:
            raise ValueError(
                f"name what is tried: {kind.name} agents have no search space of "
                f"their own; their options: {', '.join(kind.described)}"
            )
        names = [parse_parameter(text, kind).name for text in parameters]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} is named twice")
        return parameters

    @model_validator(mode="after")
    def _check_variant(self) -> "TuningSpec":
        check_variant(self.game, self.players)
        return self

    @model_validator(mode="after")
    def _check_one_budget(self) -> "TuningSpec":
        """Refuse what every trial would be refused for."""
        if not self.budget:
            return self
        tried = [parameter.name for parameter in self.space()]
        against = self.agent if self.against is None else self.against
        for key, options, kind in (
            ("agent", self.agent, self.kind),
            ("against", against, _kind(against)),
            ("parameters", tried, self.kind),
        ):
            if kind is None:
                continue
            for option in kind.budgets:
                if option in options:
                    raise SettingError(
                        f"{option} sets a budget, but budget={self.budget!r} does too; "
                        "remove one of them",
                        (key,),
                    )
            try:
                check_taken(kind, self.budget)
            except ValueError as error:
                raise SettingError(str(error), (key,)) from error
        return self

    @property
    def kind(self) -> AgentKind:
        """The kind of the agent."""
        return resolve(self.agent)[0]

    def space(self) -> list[Parameter]:
        """Return the values to try."""
        return [parse_parameter(text, self.kind) for text in self.parameters]

    def match(
        self, options: Mapping[str, Any], games: int, part: object
    ) -> TournamentSpec:
        """Return a match of the agent with some options.

        Args:
            options: Instead of the agent's own.
            games: How many games.
            part: From which the seed derives: each part has other deals.
        """
        digest = hashlib.sha256(f"{self.seed}|{part}".encode()).digest()
        return TournamentSpec(
            games=[{"game": self.game, "players": self.players or ()}],
            agents={TUNED: {**self.agent, **options}},
            field=self.agent if self.against is None else self.against,
            budgets=self.budget or (),
            design="one-against-field",
            games_each=games,
            seed=int.from_bytes(digest[:8], "big") >> 11,
            opening=self.opening,
        )


def _reason(error: SettingError | ValidationError) -> str:
    """Return why options were refused, by their agent's constructor or by the game."""
    if isinstance(error, SettingError):
        return str(error)
    return "; ".join(message for _, message in complaints(error))


def _kind(agent: Mapping[str, Any]) -> AgentKind | None:
    """Return the kind of an agent; an object's own budget is looked at by its match."""
    return None if isinstance(agent, HeldAgent) else resolve(agent)[0]


class Trial(BaseModel):
    """One set of options and its results.

    Attributes:
        number: Number of the trial, from 1.
        options: The options that were tried.
        games: Games played; 0 if the options were refused.
        win_rate: Share of the wins, None if the options were refused.
        refused: Why they do not go together, or why the game cannot serve them; empty
            if they were played.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    number: int
    options: dict[str, Any]
    games: Annotated[int, Field(ge=0)]
    win_rate: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None
    refused: str


def load_optuna() -> Any:
    """Return the Optuna library, with its log level set to warnings.

    Raises:
        MissingExtraError: It is not installed.
    """
    with from_extra("tune", "tuning needs Optuna"):
        import optuna
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def check_path(path: str | PathLike[str]) -> None:
    """Raise an error if Optuna would read the name of a store as an address.

    Raises:
        StoreError: The name has a sign that addresses have.
    """
    if found := set("?#%{}") & set(fspath(path)):
        raise StoreError(
            f"{path}: the name of a study's store cannot have {' '.join(sorted(found))}"
        )


class Tuning:
    """A study in a store.

    Args:
        spec: What is tuned.
        store: An open store, new or with this study.

    Raises:
        ValueError: Optuna is not installed.
        StoreError: The store holds another study, or a tournament without one; or it
            cannot be written.
    """

    def __init__(self, spec: TuningSpec, store: Store):
        self._optuna = load_optuna()
        self.spec = spec
        self.store = store
        self._study = self._open()

    def _open(self) -> Any:
        optuna, store = self._optuna, self.store
        description = self.spec.model_dump(mode="json")
        if not description["opening"]:
            del description["opening"]  # as in studies from before there were any
        check_path(store.path)
        # Optuna would write to it.
        if not holds_study(store) and store.description() is not None:
            raise StoreError(f"{store.path}: holds a tournament; use another store")
        storage = optuna.storages.RDBStorage(f"sqlite:///{store.path}")
        names = optuna.study.get_all_study_names(storage)
        if not names and store.description() is not None:
            raise StoreError(f"{store.path}: holds a tournament; use another store")
        study = optuna.create_study(
            storage=storage, study_name=STUDY, direction="maximize", load_if_exists=True
        )
        stored = study.user_attrs.get(_DESCRIPTION)
        if stored is None:
            study.set_user_attr(_DESCRIPTION, description)
        else:
            for key in differences(stored, description):
                raise StoreError(
                    f"{store.path}: holds another study: its {key} is "
                    f"{stored_value(stored, key)!r}, not "
                    f"{stored_value(description, key)!r}"
                )
        for trial in study.get_trials(deepcopy=False):
            if trial.state == optuna.trial.TrialState.RUNNING:  # it was interrupted
                study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
                if queued := trial.system_attrs.get("fixed_params"):
                    study.enqueue_trial(queued)
        return study

    def try_soon(self, options: Mapping[str, Any]) -> None:
        """Queue these options for one of the next trials, unless they were tried.

        Args:
            options: Values of some or all of the parameters; the others are sampled.

        Raises:
            ValueError: An option is not among the parameters.
        """
        names = [parameter.name for parameter in self.spec.space()]
        for name in options:
            if name not in names:
                raise ValueError(f"{name} is not tuned; tuned are {', '.join(names)}")
        self._study.enqueue_trial(dict(options), skip_if_exists=True)

    def trials(self) -> list[Trial]:
        """Return the trials so far.

        Raises:
            StoreError: The store holds what no trial has.
        """
        states = self._optuna.trial.TrialState
        found: list[Trial] = []
        for trial in self._study.get_trials(deepcopy=False):
            refused = trial.user_attrs.get(_REFUSED, "")
            if trial.state == states.COMPLETE or refused:
                stored = {
                    "number": len(found) + 1,
                    "options": trial.params,
                    "games": trial.user_attrs.get(_GAMES, 0),
                    "win_rate": trial.value,
                    "refused": refused,
                }
                found.append(self._checked(stored))
        return found

    def _checked(self, stored: dict[str, Any]) -> Trial:
        try:
            return Trial(**stored)
        except ValidationError as error:
            wrong = error.errors()[0]
            key = str(wrong["loc"][0]).replace("_", " ")
            expected = wrong["msg"].replace("Input should be", "expected")
            raise StoreError(
                f"{self.store.path}: trial {stored['number']} of its study: {key} is "
                f"{quoted(wrong['input'])}, {expected}"
            ) from error

    def best(self) -> Trial:
        """Return the trial with the greatest win rate; the first one of several.

        Raises:
            TuningError: All trials were refused.
        """
        played = [trial for trial in self.trials() if trial.win_rate is not None]
        if not played:
            reasons = [trial.refused for trial in self.trials()][-1:]
            raise TuningError(f"no trial could be played: {'; '.join(reasons)}")
        return max(played, key=lambda trial: (trial.win_rate, -trial.number))

    def run_trial(
        self, backend: Backend, told: Callable[[Outcome], None] | None = None
    ) -> Trial:
        """Try one more set of options.

        Args:
            backend: Where the games are played.
            told: Called after each game.

        Raises:
            StoreError: The match of the best has begun, so no trial can change it.
            FailedGameError: A game failed.
        """
        if self.store.description() is not None:
            raise StoreError(
                f"{self.store.path}: the match of the best trial has begun; use "
                "another store for more trials"
            )
        number = len(self.trials()) + 1
        digest = hashlib.sha256(f"{self.spec.seed}|sampler|{number}".encode()).digest()
        self._study.sampler = self._optuna.samplers.TPESampler(
            seed=int.from_bytes(digest[:4], "big"), multivariate=True
        )
        trial = self._study.ask()
        options = {one.name: one.suggest(trial) for one in self.spec.space()}
        try:
            schedule = prepare(self.spec.match(options, self.spec.games_each, number))
        except (SettingError, ValidationError) as error:
            trial.set_user_attr(_REFUSED, _reason(error))
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            return self.trials()[-1]
        wins = []
        for outcome in backend.play(schedule):
            if isinstance(outcome, Failure):
                raise FailedGameError(f"{outcome.fixture}: {outcome.error}")
            wins.append(outcome.wins(TUNED))
            if told is not None:
                told(outcome)
        trial.set_user_attr(_GAMES, self.spec.games_each)
        # Exact, so that the order in which games end makes no difference.
        self._study.tell(trial, math.fsum(wins) / self.spec.games_each)
        return self.trials()[-1]

    def confirm(
        self,
        games: int,
        backend: Backend,
        told: Callable[[Outcome], None] | None = None,
    ) -> None:
        """Play the best trial's options against the field in new games.

        The games are stored as a tournament of their own; what is stored already is not
        played again.

        Raises:
            StoreError: The store cannot be written.
            TuningError: All trials were refused.
        """
        schedule = prepare(self.spec.match(self.best().options, games, "confirmation"))
        enter(self.store, schedule)
        run_tournament(schedule, self.store, backend, told)

    def best_spec(self) -> str:
        """Return the best agent's spec, budget included; JSON where none can say it."""
        match = self.spec.match(self.best().options, 1, "")
        (entrant,) = match.entrants(match.settings()[0])
        return spec_text(to_mapping(make_agent(entrant.mapping())))
