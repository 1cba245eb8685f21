"""What the experiments of the OMA paper are: contestants, domains, matches."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mcts_agents.agents.presets import PRESETS
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs import make_any

FOLDER = Path(__file__).parent
PARAMETERS = FOLDER / "parameters.yaml"
FIGURES = (4, 5, 6, 7, 8, 9)
FIGURES_BESIDE = (10, 11)  # not in the paper
ROWS = (1, 2)
DEPTHS = "depths"


@dataclass(frozen=True)
class Match:
    """One comparison in one domain: a tournament of two agents, with its own store.

    Attributes:
        figure: Number of the figure, or `depths`.
        domain: Name of the domain, such as `Rolit(3)`.
        agent: Name of the contestant whose win rate is shown.
        opponent: Name of the other one.
        spec: What is played.
    """

    figure: int | str
    domain: str
    agent: str
    opponent: str
    spec: TournamentSpec

    @property
    def name(self) -> str:
        """What the match is called in files."""
        words = f"figure {self.figure} {self.agent} against {self.opponent}"
        return f"{slug(words)}-{slug(self.domain)}"

    def store(self, folder: Path) -> Path:
        """Return the path of the match's store."""
        return folder / f"{self.name}.sqlite"


@dataclass
class Parameters:
    """Tuned parameters in a file.

    Attributes:
        path: The file.
        tuned: By domain and contestant: `options`, and how they were found.
    """

    path: Path = PARAMETERS
    tuned: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path = PARAMETERS) -> "Parameters":
        """Read a file; a file that does not exist holds nothing.

        Raises:
            ValueError: It holds no parameters.
        """
        if not path.exists():
            return cls(path)
        try:
            tuned = yaml.safe_load(path.read_text()) or {}
            for studies in tuned.values():
                for study in studies.values():
                    dict(study["options"])
        except (yaml.YAMLError, UnicodeError) as error:
            raise ValueError(f"{path}: {' '.join(str(error).split())}") from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path}: expected `options` for each contestant of each domain, as "
                "`run.py tune` writes them"
            ) from error
        return cls(path, tuned)

    def options(self, domain: str, contestant: str) -> dict[str, Any]:
        """Return the options that were found.

        Raises:
            ValueError: They were not tuned.
        """
        try:
            return dict(self.tuned[domain][contestant]["options"])
        except KeyError:
            raise ValueError(
                f"{self.path}: {contestant} was not tuned in {domain}; run "
                "`run.py tune` first, or play with the presets' own parameters with "
                "--untuned"
            ) from None

    def add(self, domain: str, contestant: str, found: Any) -> None:
        """Write what was found into the file."""
        self.tuned.setdefault(domain, {})[contestant] = found
        head = [
            line
            for line in (PARAMETERS.read_text().splitlines(keepends=True))
            if line.startswith("#")
        ]
        text = yaml.safe_dump(self.tuned, sort_keys=False, allow_unicode=True)
        self.path.write_text("".join(head) + text)


class Experiment:
    """The experiment's file, and the matches that it stands for.

    Args:
        opening: Random decisions of each player at the start of each game: without
            them most of these agents repeat themselves, tuning included.
    """

    def __init__(self, opening: int = 1):
        self._opening = opening
        data = yaml.safe_load((FOLDER / "experiment.yaml").read_text())
        self.domains: dict[str, dict[str, Any]] = data["domains"]
        self.contestants: dict[str, dict[str, Any]] = data["contestants"]
        self.figures: dict[int, dict[str, Any]] = data["figures"]
        self.depths: dict[str, Any] = data["depths"]
        self.tuning: dict[str, Any] = data["tuning"]
        self.seed: int = data["seed"]

    @property
    def tunable(self) -> list[str]:
        """The contestants that have parameters to tune, in the order of tuning."""
        contestants = self.tuning["contestants"].items()
        return [name for name, about in contestants if about["parameters"]]

    def chosen_domains(self, names: Sequence[str]) -> list[str]:
        """Return the domains of some names, or of parts of them; all of none.

        Raises:
            ValueError: No domain has such a name, or there is no such game.
        """
        found = [
            domain
            for domain in self.domains
            if not names or any(slug(name) in slug(domain) for name in names)
        ]
        for name in names:
            if not any(slug(name) in slug(domain) for domain in self.domains):
                raise ValueError(
                    f"unknown domain {name!r}; expected one of "
                    f"{', '.join(self.domains)}, or a part of a name"
                )
        for domain in found:
            try:
                make_any(self.domains[domain]["game"], self.domains[domain]["players"])
            except ValueError as error:
                raise ValueError(
                    f"{domain}: {error}; choose others with --domain"
                ) from error
        return found

    def matches(
        self,
        figures: Sequence[int],
        domains: Sequence[str],
        budget: str,
        games: int,
        parameters: Parameters | None,
        rows: Sequence[int] = ROWS,
    ) -> Iterator[Match]:
        """Yield the matches of some figures in some domains.

        Args:
            figures: Numbers of figures.
            domains: Names of domains.
            budget: See `budgeted`.
            games: Games of each match.
            parameters: Tuned parameters; None for those of the presets.
            rows: Which rows of each figure: 1 has the opponents of the paper, 2 those
                with more enhancements. Some figures have no second row.

        Raises:
            ValueError: No figure has any of the rows; a contestant was not tuned; see
                `budgeted`.
        """
        if not any(
            row <= len(self.figures[f]["against"]) for f in figures for row in rows
        ):
            raise ValueError(
                f"figures {_listed(figures)}: none has a row {_listed(rows)}; those of "
                "minimax searches, 6 to 9, have rows 1 and 2, all others row 1"
            )
        for figure in figures:
            about = self.figures[figure]
            for row, opponents in enumerate(about["against"], start=1):
                for opponent in opponents if row in rows else ():
                    for domain in domains:
                        agents = {
                            name: budgeted(
                                self.contestant(name, domain, parameters), budget
                            )
                            for name in (about["agent"], opponent)
                        }
                        spec = self._spec(domain, agents, games)
                        yield Match(figure, domain, about["agent"], opponent, spec)

    def opening(self, domain: str) -> int:
        """Return how many random decisions begin a game of a domain."""
        return self._opening * self.domains[domain]["players"]

    def depth_matches(self, depths: Sequence[int], games: int) -> Iterator[Match]:
        """Yield the matches of footnote 5: each depth against one less."""
        domain, name = self.depths["domain"], self.depths["contestant"]
        for depth in depths:
            agents = {
                f"{name} {d}": {**self.contestants[name], "depth": d}
                for d in (depth, depth - 1)
            }
            spec = self._spec(domain, agents, games)
            yield Match(DEPTHS, domain, f"{name} {depth}", f"{name} {depth - 1}", spec)

    def contestant(
        self, name: str, domain: str, parameters: Parameters | None
    ) -> dict[str, Any]:
        """Return a contestant's mapping, tuned for a domain if it can be tuned."""
        about = self.tuning["contestants"].get(name)
        if parameters is None or about is None:
            return dict(self.contestants[name])
        own = parameters.options(domain, name) if about["parameters"] else {}
        return self.untuned(name, domain, parameters) | own

    def untuned(self, name: str, domain: str, parameters: Parameters) -> dict[str, Any]:
        """Return the mapping of a contestant with all but what is tuned for itself."""
        mapping = dict(self.contestants[name])
        like = self.tuning["contestants"][name].get("like")
        if like is not None:
            mapping |= parameters.options(domain, like)
        return mapping

    def _spec(
        self, domain: str, agents: Mapping[str, Any], games: int
    ) -> TournamentSpec:
        return TournamentSpec(
            games=[self.domains[domain]],
            agents=dict(agents),
            games_each=games,
            seed=self.seed,
            opening=self.opening(domain),
        )


def budgeted(mapping: Mapping[str, Any], budget: str) -> dict[str, Any]:
    """Return an agent's mapping with a budget.

    Args:
        mapping: The agent.
        budget: A time such as `250ms`; or a number, of simulations for MCTS and of
            nodes for a minimax search. A simulation without a rollout looks at one new
            position, as a node does.

    Raises:
        ValueError: It is neither.
    """
    option, amount = budget_setting(budget)
    if option not in ("seconds", "simulations"):
        raise ValueError(
            f"budget {budget!r}: expected a time such as 250ms, or a number such as "
            "5000, of simulations for MCTS and of nodes for minimax searches"
        )
    if option == "simulations" and not is_mcts(mapping):
        option = "nodes"
    return {**mapping, option: amount}


def is_mcts(mapping: Mapping[str, Any]) -> bool:
    """Whether an agent is of the kind `mcts`, itself or as a preset."""
    return mapping["agent"] == "mcts" or mapping["agent"] in PRESETS


def slug(name: str) -> str:
    """Return a name in letters that files have: `rolit-3` for `Rolit(3)`."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("+", "plus")).strip("-")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
