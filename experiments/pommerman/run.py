"""The experiments of Weil, Czech, Meuser and Kersting in Pommerman, CoG 2023.

"Know your Enemy: Investigating Monte-Carlo Tree Search with Opponent Models in
Pommerman": networks learn from demonstrations (SL), then by reinforcement (SRL), or by
reinforcement alone (RL), and guide SP-MCTS and TP-MCTS against scripted agents.

    python experiments/pommerman/run.py
    python experiments/pommerman/run.py --size paper --device cuda
    python experiments/pommerman/run.py --only demonstrations imitation table_2

Each step is a command of mcts-agents, which is printed before it runs. All can be
interrupted; the same command goes on. Everything is written to `--output`, by default
`out/pommerman/SIZE`: datasets, networks, tournaments and their stores, and from these
`results.md` with the tables, and figures 2 to 5 as PNG and SVG. `--size` names a YAML
file beside this one, or another file like it.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import loky
import yaml
from pydantic import Field, ValidationError, model_validator
from results import write_results

from mcts_agents.arena.tournaments.store import StoreError
from mcts_agents.envs import make_any
from mcts_agents.learn import DatasetError
from mcts_agents.learn.training.config import ImitationConfig, Section, TrainingConfig
from mcts_agents.learn.training.config_file import read_config
from mcts_agents.networks import NetworkDescription, OnnxNetwork, export_onnx
from mcts_agents.networks.network import Network
from mcts_agents.writing import replacing

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from child_commands import INTERRUPTED, command  # noqa: E402
from machines import noted  # noqa: E402

GAME = "pommerman:observation=planes,shuffle_corners=true"
STEPS = ("demonstrations", "imitation", "reinforcement")
TOURNAMENTS = ("figure_2", "table_2", "table_3", "equal_time")

# Its c_puct is 2.5, for values from -1 to 1; here they are from 0 to 1.
EXPLORATION = 1.25
DELETE_IT = "delete it, or take another --output"
# What the search of the paper is here, whatever guides it.
SEARCH = {
    "loop": "sampled",
    "tree_policy": "alphago",
    "exploration": EXPLORATION,
    "value": "win",
    "normalise": False,
}
# Those that learn by reinforcement.
REINFORCED = ("SRL", "RL")
OPPONENT_MODELS = {"SimpleUnbiased": "simple_unbiased", "RawNet": "evaluator"}
METHODS = {"SP-MCTS": "sp-mcts", "TP-MCTS": "tp-mcts"}
# Which searches table 2 and table 3 have of each network.
TABLE = {"SL": tuple(METHODS), "SRL": ("SP-MCTS",), "RL": ("SP-MCTS",)}

IMITATION: dict[str, Any] = {"learner": {"value_weight": 0.1}}
REINFORCEMENT: dict[str, Any] = {
    "self_play": {
        "method": "puct",
        "random_moves": 0,
        "explore_moves": 0,
        "root_noise": 0.1,
        "opponents": "simple_unbiased",
        "search": {
            "tree": "self",
            "loop": "sampled",
            "opponent_model": "simple_unbiased",
            "action_filter": "game",
            "exploration": EXPLORATION,
        },
    },
    "learner": {"value_weight": 0.1, "greedy_share": 0.5, "search_value": 0.0},
    "evaluation": {"minutes": 0},
}


class NetworkError(ValueError):
    """A network in the folder is not the one that the size asks for."""


@dataclass(frozen=True)
class Experiment:
    """What is done, and where.

    Attributes:
        size: As the YAML file says.
        folder: Of all that is written.
        device: Where networks learn.
        jobs: Worker processes of games.
        failed: What did not go well: tournaments in which games failed, and figures.
    """

    size: dict[str, Any]
    folder: Path
    device: str
    jobs: int
    failed: list[str] = field(default_factory=list)

    def run(self, steps: list[str]) -> None:
        """Make the steps, in their order, and write what there are results of.

        Raises:
            NetworkError: A network is not the one that is needed.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for step in (*STEPS, *TOURNAMENTS):
            if step in steps:
                getattr(self, step)()
        self.failed.extend(write_results(self.folder, self.size))

    def demonstrations(self) -> None:
        """Record games of four SimpleUnbiased agents."""
        size = self.size["demonstrations"]
        command(
            "record", GAME, "--agent", "scripted:policy=simple_unbiased",
            "--games", size["games"], "--seed", size["seed"], "--jobs", self.jobs,
            "--out", self.folder / "demonstrations",
        )  # fmt: skip

    def imitation(self) -> None:
        """Let a network learn from them for each seed (SL)."""
        config = self._write(
            "imitation.yaml", merged(IMITATION, self.size["imitation"])
        )
        for seed in self.size["seeds"]:
            command(
                "imitate", self.folder / "demonstrations", "--config", config,
                "--seed", seed, "--device", self.device,
                "--out", self.network("SL", seed),
            )  # fmt: skip

    def reinforcement(self) -> None:
        """Let networks learn by reinforcement, from these (SRL) and from none (RL)."""
        size = self.size["reinforcement"]
        played, made = iterations_played(self.size), size["iterations"]
        chosen = merged(REINFORCEMENT, size["config"])
        config = self._write("srl.yaml", chosen)
        network = self.size["imitation"].get("network", {})
        config_from_none = self._write("rl.yaml", {"network": network, **chosen})
        for seed in self.size["seeds"]:
            first = self.network("SL", seed) / "policy.safetensors"
            for name, how in (
                ("SRL", ("--config", config, "--start", first)),
                ("RL", ("--config", config_from_none)),
            ):
                train = (
                    "train", GAME, *how, "--seed", seed, "--device", self.device,
                    "--jobs", self.jobs, "--out", self.network(name, seed),
                )  # fmt: skip
                copy = self.played_network(name, seed) / "policy.onnx"
                if played < made and not copy.exists():
                    command(*train, "--blocks", played)
                    self._keep(name, seed, played, copy)
                command(*train, "--blocks", made)

    def _keep(self, name: str, seed: int, played: int, copy: Path) -> None:
        """Copy the network that is played, from which training then goes on.

        Raises:
            NetworkError: It has learned from more iterations already.
        """
        folder = self.network(name, seed)
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        if summary["blocks"] != played:
            raise NetworkError(
                f"{folder}: has learned from {summary['blocks']} iterations, and the "
                f"network after {played}, which is to be played, was not kept; take "
                "another --output"
            )
        copy.parent.mkdir(parents=True, exist_ok=True)
        with replacing(copy) as new:
            new.write_bytes((folder / "policy.onnx").read_bytes())

    def figure_2(self) -> None:
        """Play SL and random networks at several numbers of simulations."""
        for seed in self.size["seeds"]:
            self._write_random(seed)
            for simulations, games in self.size["figure_2"].items():
                for name in ("SL", "random"):
                    agents = {"RawNet": agent("sp-mcts", "simple_unbiased", 1)}
                    if simulations:
                        agents = {
                            method: agent(preset, "simple_unbiased", simulations)
                            for method, preset in METHODS.items()
                        }
                    title = f"figure_2-{name}-{seed}-{simulations}"
                    self._play(title, name, seed, agents, games)

    def table_2(self) -> None:
        """Play all networks with both opponent models against SimpleUnbiased."""
        for seed in self.size["seeds"]:
            for simulations, games in self.size["table_2"].items():
                chosen = dict.fromkeys(OPPONENT_MODELS, simulations)
                for name in TABLE:
                    title = f"table_2-{name}-{seed}-{simulations}"
                    self._play(title, name, seed, searches(name, chosen), games)

    def table_3(self) -> None:
        """Play all networks against the official SimpleAgent."""
        for seed in self.size["seeds"]:
            for name in TABLE:
                agents = searches(name, self.size["table_3"])
                title, games = f"table_3-{name}-{seed}", self.size["table_3_games"]
                self._play(title, name, seed, agents, games, field="simple")

    def equal_time(self) -> None:
        """Play with and without networks, all with the same time a decision.

        The networks are that of the tables, asked about batches of other sizes and in
        an open loop, a smaller one, and one that learned from fewer games.
        """
        size = self.size["equal_time"]
        own, few = self.size["imitation"], self.folder / "demonstrations-few"
        config = self._write("imitation.yaml", merged(IMITATION, own))
        small = merged(IMITATION, {**own, "network": size["small"]})
        config_small = self._write("small.yaml", small)
        command(
            "record", GAME, "--agent", "scripted:policy=simple_unbiased",
            "--games", size["few"], "--seed", self.size["demonstrations"]["seed"],
            "--jobs", self.jobs, "--out", few,
        )  # fmt: skip
        for seed in self.size["seeds"]:
            for name, games, chosen in (
                ("small", self.folder / "demonstrations", config_small),
                ("few", few, config),
            ):
                command(
                    "imitate", games, "--config", chosen, "--seed", seed,
                    "--device", self.device, "--out", self.network(name, seed),
                )  # fmt: skip
            self._play_equal_time(seed)

    def _play_equal_time(self, seed: int) -> None:
        size = self.size["equal_time"]
        usual = {**SEARCH, "batch": 8}
        agents = {"without a network": {"agent": "sp-mcts"}}
        for title, name, chosen in (
            ("network", "SL", usual),
            ("batches of 1", "SL", {**usual, "batch": 1}),
            ("batches of 32", "SL", {**usual, "batch": 32}),
            ("open loop", "SL", {**usual, "loop": "open"}),
            ("smaller network", "small", usual),
            ("fewer demonstrations", "few", usual),
        ):
            agents[title] = {
                "agent": "sp-mcts",
                "opponent_model": "simple_unbiased",
                "evaluator": self._evaluator(name, seed),
                **chosen,
            }
        spec = {
            "games": [{"game": GAME, "players": 4}],
            "agents": agents,
            "design": "one-against-field",
            "field": "scripted:policy=simple_unbiased",
            "budgets": [size["budget"]],
            "games_each": size["games"] * len(agents),
            "seed": 2023 + seed,
        }
        # What they win depends on what else the machine has to do.
        with noted(self._store(f"equal_time-{seed}"), self.jobs):
            self._tournament(f"equal_time-{seed}", spec)

    def network(self, name: str, seed: int) -> Path:
        """Return the folder of a network."""
        return self.folder / "networks" / f"{name}-{seed}"

    def played_network(self, name: str, seed: int) -> Path:
        """Return the folder of a network as tournaments play it."""
        played = iterations_played(self.size)
        if name in REINFORCED and played < self.size["reinforcement"]["iterations"]:
            return self.folder / "networks" / f"{name}-{seed}-after-{played}"
        return self.network(name, seed)

    def _write_random(self, seed: int) -> None:
        """Write a network that has learned nothing.

        Raises:
            NetworkError: There is one of another architecture.
        """
        folder = self.network("random", seed)
        model = make_any(GAME)[1]
        chosen = ImitationConfig.model_validate(self.size["imitation"])
        config = chosen.network_config(model)
        path = folder / "policy.onnx"
        if path.exists():
            try:
                there = OnnxNetwork(path.read_bytes()).config
            except ValueError as error:
                raise NetworkError(f"{path}: {error}; {DELETE_IT}") from error
            if there != config:
                raise NetworkError(
                    f"{path}: its architecture is not the one of imitation.network; "
                    f"{DELETE_IT}"
                )
            return
        folder.mkdir(parents=True, exist_ok=True)
        description = NetworkDescription.of(config, model, GAME)
        network = Network(config, seed=seed).eval()
        export_onnx(path, network, description)

    def _play(
        self,
        title: str,
        name: str,
        seed: int,
        agents: dict[str, Any],
        games: int,
        field: str = "simple_unbiased",
    ) -> None:
        """Play searches with a network against three scripted agents."""
        evaluator = self._evaluator(name, seed)
        spec = {
            "games": [
                {
                    "game": GAME,
                    "players": 4,
                    "search": {"evaluator": evaluator, **SEARCH},
                }
            ],
            "agents": agents,
            "design": "one-against-field",
            "field": f"scripted:policy={field}",
            "games_each": games * len(agents),
            "seed": 2023 + seed,
        }
        self._tournament(title, spec)

    def _evaluator(self, name: str, seed: int) -> dict[str, str]:
        file = (self.played_network(name, seed) / "policy.onnx").resolve()
        return {"agent": "policy", "file": str(file)}

    def _tournament(self, title: str, spec: dict[str, Any]) -> None:
        """Play a tournament; where games of it fail, the others are still played."""
        path, store = self._write(f"tournaments/{title}.yaml", spec), self._store(title)
        words = "tournament", path, "--store", store, "--jobs", self.jobs
        if not command(*words, games_may_fail=True):
            self.failed.append(f"games of {title}")

    def _store(self, title: str) -> Path:
        return self.folder / "tournaments" / f"{title}.sqlite"

    def _write(self, name: str, content: dict[str, Any]) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path


def agent(preset: str, opponent_model: str, simulations: int) -> dict[str, Any]:
    """Return the agent of a search."""
    return {
        "agent": preset,
        "opponent_model": opponent_model,
        "simulations": simulations,
        "batch": min(8, simulations),
    }


def searches(name: str, simulations: dict[str, int]) -> dict[str, Any]:
    """Return the agents of the tables, by method and opponent model."""
    return {
        f"{method}, {model}": agent(METHODS[method], OPPONENT_MODELS[model], made)
        for method in TABLE[name]
        for model, made in simulations.items()
    }


def iterations_played(size: dict[str, Any]) -> int:
    """Return after how many iterations the tournaments play a network."""
    return int(size.get("iterations_played") or size["reinforcement"]["iterations"])


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return two nested mappings as one; the second one's values count."""
    found = dict(one)
    for name, value in other.items():
        inner = isinstance(value, dict) and isinstance(found.get(name), dict)
        found[name] = merged(found[name], value) if inner else value
    return found


def size_of(name: str) -> dict[str, Any]:
    """Read a size: the name of a file beside this one, or a path.

    Raises:
        ValueError: There is no such file, or something in it is not allowed.
    """
    beside = HERE / f"{name}.yaml"
    size = read_config(str(beside if beside.exists() else name), Size)
    config = merged(REINFORCEMENT, size.reinforcement.config)
    try:
        small = {**size.imitation, "network": size.equal_time.small}
        for chosen in (size.imitation, small):
            ImitationConfig.model_validate(merged(IMITATION, chosen))
        learner = TrainingConfig.model_validate(config).learner
    except ValidationError as error:
        raise ValueError(f"{name}: {error}") from error
    played, made = size.iterations_played, size.reinforcement.iterations
    rates = learner.learning_rate, learner.final_learning_rate
    # Otherwise the rate depends on how many iterations are still to come.
    if played is not None and played < made and rates[0] != rates[1]:
        raise ValueError(
            f"{name}: iterations_played: {played}: fewer than the {made} iterations "
            f"need a constant learning rate, but learning_rate is {rates[0]:g} and "
            f"final_learning_rate is {rates[1]:g}"
        )
    return size.model_dump()


class Demonstrations(Section):
    """How many games are recorded."""

    games: int = Field(ge=2)
    seed: int = Field(ge=0)


class Reinforcement(Section):
    """How long, and what differs from the usual config of `train`."""

    iterations: int = Field(ge=1)
    config: dict[str, Any]


class EqualTime(Section):
    """Searches with and without networks, with the same time a decision."""

    budget: str
    games: int = Field(ge=1)  # of each agent
    small: dict[str, Any]  # a smaller network
    few: int = Field(ge=2)  # games of which another one learns


class Size(Section):
    """A size of the experiments. Figures and tables: games by simulations."""

    seeds: list[int] = Field(min_length=1)
    demonstrations: Demonstrations
    imitation: dict[str, Any]
    reinforcement: Reinforcement
    # After how many iterations tables 2 and 3 and figure 5 play SRL and RL; None: all.
    iterations_played: Annotated[int, Field(ge=1)] | None = None
    iterations_shown: list[Annotated[int, Field(ge=0)]]  # those learned from before
    figure_2: dict[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]]
    table_2: dict[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
    table_3: dict[Literal["SimpleUnbiased", "RawNet"], Annotated[int, Field(ge=1)]]
    table_3_games: int = Field(ge=1)
    equal_time: EqualTime

    @model_validator(mode="after")
    def _check_shown(self) -> "Size":
        """Refuse iterations that are never played: the first is the network's own."""
        made = self.reinforcement.iterations
        if self.iterations_played is not None and self.iterations_played > made:
            raise ValueError(
                f"iterations_played: {self.iterations_played}: expected at most {made}"
            )
        for shown in self.iterations_shown:
            if shown >= made:
                raise ValueError(
                    f"iterations_shown: {shown}: {made} iterations are played, 0 to "
                    f"{made - 1}"
                )
        return self


def main() -> None:
    """Run the experiments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="two_cores")
    parser.add_argument("--device", default="cpu", help="where networks learn")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--jobs", type=int, default=loky.cpu_count())
    everything = (*STEPS, *TOURNAMENTS)
    parser.add_argument(
        "--only", nargs="*", choices=everything, default=everything, metavar="STEP",
        help=f"steps to make: {', '.join(everything)}; none: only write the results",
    )  # fmt: skip
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error(f"--jobs {given.jobs}: expected at least 1")
    try:
        size = size_of(given.size)
    except ValueError as error:
        known = ", ".join(sorted(path.stem for path in HERE.glob("*.yaml")))
        parser.error(f"--size: {error} (expected {known}, or a file like these)")
    folder = given.output or Path("out/pommerman") / Path(given.size).stem
    experiment = Experiment(size, folder, given.device, given.jobs)
    try:
        experiment.run(given.only)
    except KeyboardInterrupt:
        parser.exit(INTERRUPTED, "interrupted; run the same command to resume\n")
    except (StoreError, DatasetError, NetworkError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    if experiment.failed:
        failed = ", ".join(experiment.failed)
        parser.exit(1, f"failed: {failed}; the same command tries them again\n")


if __name__ == "__main__":
    main()
