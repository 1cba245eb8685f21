"""Networks trained from scratch: Connect Four, Hex 7x7 and Sushi Go.

    pip install --editable ".[arena,rl,onnx,dev]"    # in the checkout
    python experiments/self_play/run.py
    python experiments/self_play/run.py --only hex-1

Each network learns for `--minutes` from games against itself; then it plays 200 games
against a search without a network, and in Connect Four it is asked for moves in 1,000
positions, none of which it has learned from, that a perfect solver judges. In Connect
Four, there are three networks that learn with Gumbel's search at 16 simulations a move,
and three that learn with PUCT at 64; how well each of them played after every five
minutes is drawn as curves.

Every step is a command, which is printed before it runs. All of them can be
interrupted; the same command goes on. Everything is written to `--output`, at the end
`results-MINUTES.md` and `curves-MINUTES.svg`.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import loky
import numpy as np
from matplotlib.figure import Figure

from mcts_agents.agents.specs import parse_spec
from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.reports.drawing import colour, style, svg_of
from mcts_agents.learn.training.checkpoints import checkpoints, read_checkpoint
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.config_file import read_config
from mcts_agents.networks import export_onnx
from mcts_agents.networks.saving import load
from mcts_agents.writing import replacing

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from child_commands import INTERRUPTED, command, script  # noqa: E402

PERFECT = HERE.parents[1] / "benchmarks" / "perfect_connect_four.py"
GAMES = 200
# Random decisions at the start of each of them.
OPENING = 2
POSITIONS = 1000
# Of the positions and games that are reported; nothing was ever chosen by them.
SEED = 40_404


@dataclass(frozen=True)
class Run:
    """A network that is trained.

    Attributes:
        config: Name of the YAML file beside this one.
        game: Spec of the game.
        players: Number of players.
        seed: Of the training.
        simulations: Of the games afterwards.
        opponent: Who plays in the other seats.
    """

    config: str
    game: str
    players: int
    seed: int
    simulations: int
    opponent: str

    @property
    def name(self) -> str:
        """What its folder is called."""
        return f"{self.config}-{self.seed}"


PLAIN = "mcts:simulations=5000"
RUNS = (
    *(
        Run(f"connect_four_{method}", "connect_four", 2, seed, 64, PLAIN)
        for seed in (1, 2, 3)
        for method in ("gumbel", "puct")
    ),
    Run("hex", "hex:size=7", 2, 1, 100, PLAIN),
    Run("sushi_go", "sushi_go", 3, 1, 64, "mcts:tree=multi,simulations=500"),
)
METHODS = {
    "connect_four_gumbel": "trained with Gumbel, 16 simulations",
    "connect_four_puct": "trained with PUCT, 64 simulations",
}


class Experiment:
    """The steps, in a folder.

    Args:
        folder: Of all that is written.
        minutes: Of each training.
        jobs: Worker processes.
        runs: What is trained.
    """

    def __init__(self, folder: Path, minutes: float, jobs: int, runs: Sequence[Run]):
        self.folder = folder
        self.minutes = minutes
        self.jobs = jobs
        self.runs = runs

    def begin(self) -> None:
        """Make the folder.

        Raises:
            ValueError: Networks that are there have learned for longer, or have learned
                to the end of a shorter time, with a learning rate that fell until then.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._noted.exists():
            longest = json.loads(self._noted.read_text(encoding="utf-8"))
            # Earlier versions noted the minutes before anything was learned.
            kept = any(self._is_trained(run, longest) for run in RUNS)
            if longest > self.minutes and kept:
                raise ValueError(
                    f"networks in {self.folder} learn for {longest:g}; name another "
                    "--output"
                )
        for run in self.runs:
            if self.trained(run):
                continue
            ended = (self.folder / run.name / "summary.json").exists()
            minutes = self.summary(run)["minutes"] if ended else self._learned(run)
            if ended or minutes >= self.minutes:
                more = "" if ended else "more, or "
                raise ValueError(
                    f"{self.folder / run.name} has learned for {minutes:g} already; "
                    f"name {more}another --output"
                )

    @property
    def _noted(self) -> Path:
        """The file of the minutes that the networks learn."""
        return self.folder / "minutes.json"

    def _learned(self, run: Run) -> float:
        """Return how many minutes an unfinished network has learned, at least.

        With the last block, training may go beyond the minutes that it has; with the
        block before, it may not.
        """
        made = checkpoints(self.folder / run.name / "checkpoints")
        return read_checkpoint(made[-2])[1].seconds / 60 if len(made) > 1 else 0.0

    def run(self) -> None:
        """Make every step that has not been made, and write the results."""
        for run in self.runs:
            self.train(run)
        for run in self.runs:
            self.match(run)
        if any(run in self.fours for run in self.runs):
            self.perfect()
        self.write_results()

    def train(self, run: Run) -> None:
        """Train a network, or go on with it."""
        if not self.trained(run):
            command(
                "train", run.game, "--players", run.players,
                "--config", HERE / f"{run.config}.yaml", "--minutes", self.minutes,
                "--seed", run.seed, "--jobs", self.jobs,
                "--out", self.folder / run.name,
            )  # fmt: skip
        # Only now: a number that was mistyped does not keep the folder from others.
        with replacing(self._noted) as new:
            new.write_text(f"{json.dumps(self.minutes)}\n", encoding="utf-8")

    def match(self, run: Run) -> None:
        """Play against a search without a network."""
        command(
            "tournament", "--game", run.game,
            "--players", run.players, "--design", "one-against-field",
            "--agent", f"network={self.searching(run)}", "--field", run.opponent,
            "--games", GAMES, "--opening", OPENING, "--seed", SEED,
            "--jobs", self.jobs, "--store", self.store(run),
        )  # fmt: skip

    def searching(self, run: Run, policy: Path | None = None) -> str:
        """Return the spec of the agent that searches with a network.

        Args:
            run: Whose it is.
            policy: The network at some time of training; None: at the end.
        """
        policy = policy or self.folder / run.name / "policy.onnx"
        name, options = parse_spec(self.summary(run)["agent"])
        options |= {
            "evaluator": f"(policy:file={policy})",
            "simulations": run.simulations,
        }
        return f"{name}:{','.join(f'{key}={value}' for key, value in options.items())}"

    def perfect(self) -> None:
        """Ask Connect Four's networks for moves, and the search without a network."""
        self._judge({"plain": PLAIN}, "plain")
        for run in self.fours:
            specs = {
                blocks: self.searching(run, self._exported(run, blocks))
                for _, blocks in self._evaluated(run)
            }
            self._judge(specs, run.name)

    def _judge(self, specs: dict[Any, str], name: str) -> None:
        path = self.judged(name)
        known = [self.folder / run.name for run in self.fours]
        if path.exists():
            figures = json.loads(path.read_text(encoding="utf-8"))
            # With other networks, other positions are those that none has learned from.
            learned = {run.name: self.summary(run)["positions"] for run in self.fours}
            asked = list(figures["agents"])
            if figures["not_in"] == learned and asked == list(specs.values()):
                return
        script(
            PERFECT, *specs.values(), "--positions", POSITIONS, "--seed", SEED,
            "--not-in", *known, "--json", path,
        )  # fmt: skip

    def _evaluated(self, run: Run) -> list[tuple[float, int]]:
        """Return when a network was kept in training: minutes and blocks."""
        evaluations = self.summary(run)["evaluations"]
        return [(found["minutes"], found["blocks"]) for found in evaluations]

    def _exported(self, run: Run, blocks: int) -> Path:
        """Return a network that was kept in training as an ONNX file."""
        folder = self.folder / run.name / "policies"
        path = folder / f"policy-{blocks:06d}.safetensors"
        exported = path.with_suffix(".onnx")
        if not exported.exists():
            export_onnx(exported, *load(path))
        return exported

    @property
    def fours(self) -> list[Run]:
        """The networks of Connect Four that have been trained."""
        return [run for run in RUNS if run.game == "connect_four" and self.trained(run)]

    def trained(self, run: Run) -> bool:
        """Return whether a network has learned for as long as it should."""
        return self._is_trained(run, self.minutes)

    def _is_trained(self, run: Run, minutes: float) -> bool:
        path = self.folder / run.name / "summary.json"
        return path.exists() and self.summary(run)["minutes"] >= minutes

    def summary(self, run: Run) -> dict[str, Any]:
        """Return what training says of itself."""
        path = self.folder / run.name / "summary.json"
        summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return summary

    def store(self, run: Run) -> Path:
        """Return the store of a match."""
        return self.folder / f"{run.name}-{self.minutes:g}.sqlite"

    def judged(self, name: str) -> Path:
        """Return the file of what the solver says."""
        return self.folder / f"perfect-{name}-{self.minutes:g}.json"

    # -- results

    def write_results(self) -> None:
        """Write the page of what there is so far, and the curves."""
        title = f"# Networks trained from scratch in {self.minutes:g} minutes"
        lines = [title, *self._matches()]
        if self.judged("plain").exists():
            lines += self._perfect_moves()
        with replacing(self.folder / f"results-{self.minutes:g}.md") as new:
            new.write_text("\n\n".join(lines) + "\n", encoding="utf-8")

    def _matches(self) -> list[str]:
        rows = []
        for run in RUNS:
            store = self.store(run)
            results = read_results(store) if store.exists() else None
            if results and results.games:
                (network, *_) = results.summary.overall.agents
                summary = self.summary(run)
                rows.append(
                    f"| {run.game}, {run.players} players "
                    f"| {run.config}, seed {run.seed} "
                    f"| {summary['minutes']:.0f} | {summary['positions']:,} "
                    f"| {run.simulations} | `{run.opponent}` | {network.games} "
                    f"| {_percent(network.win_rate)} | {network.expected:.1%} |"
                )
        head = (
            "| game | network | minutes | positions | simulations | against | games "
            "| win rate (95%) | even |\n|---|---|--:|--:|--:|---|--:|---|--:|"
        )
        return ["\n".join([head, *rows])] if rows else []

    def _perfect_moves(self) -> list[str]:
        plain = self._figures("plain")
        rows = [f"| `{PLAIN}` | {_percent(plain['agents'][0])} | |"]
        curves: dict[str, list[tuple[list[float], list[float]]]] = {}
        for run in self.fours:
            if self.judged(run.name).exists():
                rates = self._figures(run.name)["agents"]
                network = f"{METHODS[run.config]}, seed {run.seed}"
                minutes = [minutes for minutes, _ in self._evaluated(run)]
                curve = minutes, [rate.value for rate in rates]
                learned = ", ".join(
                    f"{rate:.1%} after {minutes:.1f}"
                    for minutes, rate in zip(*curve, strict=True)
                )
                rows.append(f"| {network} | {_percent(rates[-1])} | {learned} |")
                curves.setdefault(run.config, []).append(curve)
        picture = _curves(curves, plain["agents"][0].value)
        curves_file = f"curves-{self.minutes:g}.svg"
        with replacing(self.folder / curves_file) as new:
            new.write_text(picture, encoding="utf-8")
        text = (
            f"Moves that keep the value of the game, by a perfect solver, in "
            f"{plain['positions']:,} positions of Connect Four that no network has "
            f"learned from. Networks are asked with {self.fours[0].simulations} "
            f"simulations. Random moves keep the value in {plain['random']:.1%}."
        )
        passes = ", ".join(f"{_passes(name):g} if {METHODS[name]}" for name in curves)
        text += f" How often a position was learned from: {passes}."
        head = "| agent | perfect moves (95%) | minutes |\n|---|---|---|"
        return [text, "\n".join([head, *rows]), f"![Learning curves]({curves_file})"]

    def _figures(self, name: str) -> dict[str, Any]:
        found = json.loads(self.judged(name).read_text(encoding="utf-8"))
        agents = found["agents"].values()
        rates = [Estimate(own["rate"], own["low"], own["high"]) for own in agents]
        return {**found, "agents": rates}


def _curves(
    curves: dict[str, list[tuple[list[float], list[float]]]], plain: float
) -> str:
    """Return learning curves as SVG: each network thin, their mean thick."""
    with style():
        figure = Figure((8.0, 4.5), layout="constrained")
        axes = figure.subplots()
        for number, (config, networks) in enumerate(curves.items()):
            for minutes, rates in networks:
                axes.plot(minutes, rates, color=colour(number), linewidth=0.6)
            # Networks are kept after blocks, at somewhat different times.
            first = max(minutes[0] for minutes, _ in networks)
            last = min(minutes[-1] for minutes, _ in networks)
            common = np.linspace(first, last, len(networks[0][0]))
            mean = np.mean(
                [np.interp(common, *network) for network in networks], axis=0
            )
            axes.plot(
                common, mean, color=colour(number), linewidth=2.2,
                marker="o", label=f"{METHODS[config]} (mean of {len(networks)})",
            )  # fmt: skip
        axes.axhline(plain, color="#222222", linestyle="--", label=PLAIN)
        axes.set_xlabel("minutes of training")
        axes.set_ylabel("perfect moves")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlim(left=0)
        axes.legend(loc="lower right")
        return svg_of(figure, "curves", "Perfect moves in Connect Four over training")


def _passes(config: str) -> float:
    """Return how often a position is learned from."""
    path = HERE / f"{config}.yaml"
    return read_config(str(path), TrainingConfig).learner.passes


def _percent(rate: Estimate) -> str:
    return f"{rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def main() -> None:
    """Run the experiments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [run.name for run in RUNS]
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NETWORK",
        help=f"networks to train and measure: {', '.join(names)}",
    )  # fmt: skip
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--output", type=Path, default=Path("out/self_play"))
    parser.add_argument("--jobs", type=int, default=loky.cpu_count())
    given = parser.parse_args()
    if set(str(given.output)) & set(",()="):
        parser.error(f"--output {given.output}: expected a path without , ( ) and =")
    runs = [run for run in RUNS if run.name in given.only]
    experiment = Experiment(given.output, given.minutes, given.jobs, runs)
    try:
        experiment.begin()
    except ValueError as error:
        parser.error(f"--minutes {given.minutes:g}: {error}")
    try:
        experiment.run()
    except KeyboardInterrupt:
        parser.exit(INTERRUPTED, "interrupted; run the same command to resume\n")


if __name__ == "__main__":
    main()
