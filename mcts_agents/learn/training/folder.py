"""`Folder`: the files of a training run, other than its blocks and checkpoints."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import Timeout

from mcts_agents import __version__
from mcts_agents.extras import MissingExtraError
from mcts_agents.learn.curves import draw_learning_curve
from mcts_agents.learn.shards import DatasetError
from mcts_agents.learn.training.checkpoints import Progress
from mcts_agents.learn.training.config import ImitationConfig, TrainingConfig
from mcts_agents.learn.training.evaluating import spec_of
from mcts_agents.networks import Network, NetworkDescription
from mcts_agents.reading import MOST_TEXT, read_bytes, read_json
from mcts_agents.writing import locked, replacing

RUN = "training.json"
SUMMARY = "summary.json"
POLICY = "policy.safetensors"
ONNX = "policy.onnx"
CURVES = ("learning_curves.png", "learning_curves.svg")


class Folder:
    """The folder of a training run.

    Args:
        path: The folder.

    Attributes:
        path: As given.
        blocks: Folder of the blocks of self-play, a dataset.
        checkpoints: Folder of the checkpoints.
        policies: Folder of the networks that were evaluated.
        logs: Folder of TensorBoard's logs.
    """

    def __init__(self, path: Path):
        self.path = path
        self.blocks = path / "blocks"
        self.checkpoints = path / "checkpoints"
        self.policies = path / "policies"
        self.logs = path / "tensorboard"

    @contextmanager
    def held(self, doing: str) -> Iterator[None]:
        """Keep other processes out.

        Args:
            doing: What is done here, such as `training`.

        Raises:
            DatasetError: Another process does it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            lock = locked(self.path / ".lock")
        except Timeout as error:
            raise DatasetError(
                f"{self.path}: another process is {doing} there; wait for it, or take "
                "another folder"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def enter(
        self, game: dict[str, Any], config: TrainingConfig | ImitationConfig
    ) -> None:
        """Describe a new run, or see that the folder holds this one.

        What a killed process of this run had begun to write is removed.

        Raises:
            DatasetError: It holds another, or a damaged description.
        """
        described = {**game, "config": config.model_dump(mode="json")}
        described = json.loads(json.dumps(described))
        path = self.path / RUN
        if not path.exists():
            for left in (self.checkpoints, self.blocks, self.policies):
                if left.exists():
                    raise DatasetError(
                        f"{self.path}: has {left.name}, but no {RUN}; take another "
                        f"folder, or delete {left.name}"
                    )
            self.write(RUN, {"version": __version__, **described})
            return
        try:
            stored = read_json(read_bytes(path, MOST_TEXT).decode())
        except (OSError, ValueError) as error:
            raise DatasetError(f"{path}: damaged: {error}") from error
        if not isinstance(stored, dict) or not isinstance(stored.get("config"), dict):
            raise DatasetError(f"{path}: damaged: it describes no training run")
        # What an earlier version did not know was as it is by default now.
        usual = _flat({"config": type(config)().model_dump(mode="json")})
        was, given = usual | _flat(stored), _flat(described)
        for key in {**given, **_flat(stored)}:
            before, now = was.get(key), given.get(key)
            if key == "start" and before != now:
                raise DatasetError(
                    f"{self.path}: holds another run: it began with {_named(before)}, "
                    f"not with {_named(now)}; take another folder, or the same --start"
                )
            if before != now:
                raise DatasetError(
                    f"{self.path}: holds another run: its {key} is {before!r}, not "
                    f"{now!r}; take another folder, or the same settings"
                )
        for left in self.path.rglob(".*.part"):
            left.unlink()

    def snapshots(self) -> list[Path]:
        """Return the networks that were evaluated, the earliest first."""
        return sorted(self.policies.glob("policy-*.safetensors"))

    def export(self, network: Network, description: NetworkDescription) -> str | None:
        """Write the network as ONNX; return what to say if that cannot be."""
        try:
            from mcts_agents.networks import export_onnx

            export_onnx(self.path / ONNX, network, description)
        except MissingExtraError as error:
            return f"{ONNX} is not written: {error}"
        return None

    def draw(self, progress: Progress, game: str) -> None:
        """Draw the win rates of the evaluations, if there are any."""
        if not progress.evaluations:
            return
        from mcts_agents.arena.analysis.intervals import Estimate

        curves: dict[str, list[tuple[float, Estimate]]] = {}
        for found in progress.evaluations:
            rate = Estimate(found["win_rate"], found["low"], found["high"])
            curve = curves.setdefault(found["opponent"], [])
            curve.append((found["positions"], rate))
        for name in CURVES:
            draw_learning_curve(
                self.path / name,
                curves,
                title=f"{game}: {progress.seconds / 60:,.0f} minutes of self-play",
                even=progress.evaluations[-1]["expected"],
                steps="positions of self-play",
            )

    def summarise(
        self, game: dict[str, Any], config: TrainingConfig, progress: Progress
    ) -> None:
        """Write `summary.json` of self-play."""
        positions = sum(progress.positions)
        self.write(
            SUMMARY,
            {
                **game,
                "version": __version__,
                "blocks": progress.blocks,
                "games": progress.blocks * config.self_play.block_games,
                "positions": positions,
                "updates": progress.updates,
                "minutes": progress.seconds / 60,
                "self_play_minutes": progress.self_play_seconds / 60,
                "losses": dict(
                    zip(
                        ("policy", "value"),
                        progress.losses[-1] if progress.losses else (None, None),
                        strict=True,
                    )
                ),
                "evaluations": progress.evaluations,
                "agent": spec_of(config, ONNX),
            },
        )

    def write(self, name: str, content: dict[str, Any]) -> None:
        """Write a file of JSON."""
        with replacing(self.path / name) as temporary:
            text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
            temporary.write_text(text, encoding="utf-8")


def _named(start: str | None) -> str:
    if start is None:
        return "a random network"
    return f"a given one (SHA-256 of its weights: {start[:8]})"


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of nested mappings by the dotted names of their keys."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name == "version":
            continue
        if isinstance(value, dict):
            found |= _flat(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = value
    return found
