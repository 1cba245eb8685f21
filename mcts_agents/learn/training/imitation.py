"""`Imitator`: a network that learns from recorded decisions, pass by pass.

The policy learns what agents did (`visits` of the dataset, all on the action of agents
that do not search), the value each team's share of the win: the supervised learning of
Weil, Czech, Meuser, Kersting, "Know your enemy" (2023), section 3.2, and of AlphaGo.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import loky
import numpy as np

from mcts_agents import __version__
from mcts_agents.envs import Game, load_any, make_any
from mcts_agents.extras import from_extra
from mcts_agents.learn.dataset import Dataset
from mcts_agents.learn.shards import DatasetError
from mcts_agents.learn.training.checkpoints import (
    Progress,
    go_on,
    write_checkpoint,
)
from mcts_agents.learn.training.config import ImitationConfig
from mcts_agents.learn.training.folder import ONNX, POLICY, SUMMARY, Folder
from mcts_agents.learn.training.learner import Learner
from mcts_agents.learn.training.listeners import Listener
from mcts_agents.learn.training.replay import Batch, from_random_sides
from mcts_agents.model.contract import DRAWN, LOST, PLAYING, WON
from mcts_agents.model.win_shares import result_shares, shares_by_team
from mcts_agents.networks import NetworkDescription

with from_extra("rl", "learning needs PyTorch and safetensors"):
    import torch

    from mcts_agents.networks.losses import loss, masked
    from mcts_agents.networks.saving import save

RESULTS = {1: WON, 0: DRAWN, -1: LOST}
# Rows that the held-out games are looked at in.
_ROWS = 4096


def spec_of(description: Mapping[str, Any]) -> str:
    """Return the spec of the game that a dataset was recorded of."""
    name = description["game"]
    game = load_any(name)
    usual = game.rules.defaults() if isinstance(game, Game) else {}
    options = ",".join(
        f"{option}={str(value).lower() if value in (True, False, None) else value}"
        for option, value in description["variant"].items()
        if option not in usual or usual[option] != value
    )
    return f"{name}:{options}" if options else name


@contextmanager
def _all_cores() -> Iterator[None]:
    """Let PyTorch use all cores for a while, as in `train`."""
    before = torch.get_num_threads()
    torch.set_num_threads(loky.cpu_count())
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Imitator:
    """A run of learning from a dataset, new or gone on with.

    Args:
        dataset: Folder of the dataset, as `record` writes it; it must be complete.
        folder: Where everything goes; made if it is not there.
        config: All choices.
        seed: From which all chance comes.
        device: Where the network computes, as `torch.device` names it.
        listener: Is told how learning goes on.

    Raises:
        DatasetError: There is no dataset, or not all of it.
        ValueError: The game or the device cannot serve; the message says why.
    """

    def __init__(
        self,
        dataset: str | os.PathLike[str],
        folder: str | os.PathLike[str],
        config: ImitationConfig | None = None,
        *,
        seed: int = 0,
        device: str = "cpu",
        listener: Listener | None = None,
    ):
        self.config = config or ImitationConfig()
        self.listener = listener or Listener()
        self.dataset = Dataset(dataset)
        if "variant" not in self.dataset.description:
            raise DatasetError(
                f"{dataset}: holds self-play of `train`; expected what `record` wrote"
            )
        if not self.dataset.is_complete or not len(self.dataset):
            raise DatasetError(
                f"{dataset}: has {self.dataset.games} of "
                f"{self.dataset.description['games']} games; run `record` again to "
                "complete it"
            )
        if Path(folder).resolve() == self.dataset.folder.resolve():
            raise DatasetError(f"{folder}: holds the dataset; take another folder")
        described = self.dataset.description
        spec = spec_of(described)
        _, self.model = make_any(spec)
        # What the run is of: the same command goes on with it.
        self.game = {
            "game": spec,
            "seed": seed,
            "recorded": {
                "seed": described["seed"],
                "games": described["games"],
                "decisions": len(self.dataset),
                "agents": described["agents"],
                "checksum": self.dataset.checksum(),
            },
        }
        self._seed = seed
        network = self.config.network_config(self.model)
        self._description = NetworkDescription.of(network, self.model, spec)
        self.learner = Learner(
            self.config.learner,
            network,
            seed=seed,
            device=device,
            precision=self.config.precision,
        )
        self.folder = Folder(Path(folder))
        self.progress = Progress()

    def run(self) -> Progress:
        """Learn, or go on with it, and write what a trained network leaves.

        Raises:
            DatasetError: The folder holds another run, or a damaged file; or another
                process learns there.
            OSError: It cannot be written.
        """
        with self.folder.held("learning"), _all_cores():
            self.folder.enter(self.game, self.config)
            self.progress = go_on(self.folder.checkpoints, self.learner)
            self._prepare()
            passes = self.config.learner.passes
            self.listener.begun(self.progress, self.progress.blocks / passes)
            for number in range(self.progress.blocks, passes):
                self._pass(number)
                write_checkpoint(
                    self.folder.checkpoints, self.learner.tensors(), self.progress
                )
            self._finish()
        return self.progress

    def _prepare(self) -> None:
        """Find who won each game, and choose the games that are held out."""
        teams = np.asarray(self.model.teams)
        results: dict[int, np.ndarray] = {}
        rows = self.dataset.whole("game", "player", "outcome")
        for game, player, outcome in zip(*rows.values(), strict=True):
            found = results.setdefault(
                int(game), np.full(self.model.players, PLAYING, np.int64)
            )
            found[teams == teams[int(player)]] = RESULTS[int(outcome)]
        count = max(results) + 1
        self._shares = np.zeros((count, self.model.players), np.float32)
        for game, result in results.items():
            self._complete(game, result)
            self._shares[game] = result_shares(result, self.model.teams)
        rng = np.random.default_rng(self._seed)
        share = self.config.learner.held_out
        held_out = max(1, round(share * count)) if share and count > 1 else 0
        # By row: whether it is of a game that is held out.
        self._held_out = np.isin(rows["game"], rng.permutation(count)[:held_out])
        if np.count_nonzero(~self._held_out) < 2:
            raise DatasetError(
                f"{self.dataset.folder}: fewer than 2 decisions to learn from"
            )

    def _complete(self, game: int, result: np.ndarray) -> None:
        """Fill in the results of players who never decided.

        Raises:
            DatasetError: The results of the others do not tell.
        """
        unknown = result == PLAYING
        if not unknown.any():
            return
        if (result == WON).any():
            result[unknown] = LOST
        elif (
            len(set(np.asarray(self.model.teams)[unknown].tolist())) == 1
            and (result[~unknown] == LOST).all()
        ):
            result[unknown] = WON
        else:
            raise DatasetError(
                f"{self.dataset.folder}: nothing tells how game {game} ended for the "
                f"players {unknown.nonzero()[0].tolist()}, who never decided in it"
            )

    def _pass(self, number: int) -> None:
        """Learn from all games that are not held out once."""
        config, progress = self.config.learner, self.progress
        began, sums, updates = time.perf_counter(), np.zeros(2), 0
        rng = np.random.default_rng([self._seed, number])
        sides = self.model.symmetries if config.symmetries else ()
        learned, of = 0, np.count_nonzero(~self._held_out)
        for batch in self._batches(int(rng.integers(1 << 32))):
            spent = (number + learned / of) / config.passes
            sums += self.learner.update(from_random_sides(batch, sides, rng), spent)
            updates += 1
            learned += len(batch.policy)
            self.listener.learning(learned, of)
        progress.blocks += 1
        progress.positions.append(learned)
        progress.updates += updates
        progress.losses.append((sums / max(updates, 1)).tolist())
        progress.evaluations.append({"pass": number + 1, **self._measured()})
        progress.seconds += time.perf_counter() - began
        self.listener.evaluated(progress.evaluations[-1])

    def _batches(self, seed: int) -> Iterator[Batch]:
        """Give all that is learned from once, in random order.

        The last batch may be smaller, or one larger: a single row, which could not be
        normalised, joins the batch before.
        """
        size = self.config.learner.batch_size
        given = self.dataset.batches(size, seed=seed, among=~self._held_out)
        before = self._batch(next(given))
        for rows in given:
            batch = self._batch(rows)
            if len(batch.policy) == 1:
                before = Batch(*map(np.concatenate, zip(before, batch, strict=True)))
            else:
                yield before
                before = batch
        yield before

    def _batch(self, rows: Mapping[str, np.ndarray]) -> Batch:
        players = rows["player"].astype(np.int64)
        shares = self._shares[rows["game"]]
        return Batch(
            rows["observation"],
            rows["visits"],
            rows["action_mask"].astype(bool),
            shares_by_team(shares, players, self.model.teams),
        )

    def _measured(self) -> dict[str, Any]:
        """Return how well the network knows the games that are held out."""
        sums, count = np.zeros(3), 0
        network, device = self.learner.network, self.learner.device
        for rows in self.dataset.batches(_ROWS, among=self._held_out):
            batch = self._batch(rows)
            policy, legal, values = map(torch.from_numpy, batch[1:])
            with torch.inference_mode():
                seen = torch.from_numpy(batch.observations).to(device).float()
                answer = tuple(head.cpu() for head in network(seen))
                found = loss(answer, policy, legal, values)
            best = masked(answer[0], legal).argmax(dim=1)
            chosen = torch.from_numpy(rows["choice"].astype(np.int64))
            right = (best == chosen).float().mean()
            sums += len(policy) * np.array([found.policy, found.value, right])
            count += len(policy)
        names = ("policy_loss", "value_loss", "same_action")
        means = (sums / max(count, 1)).tolist() if count else [None] * 3
        return {"held_out": count, **dict(zip(names, means, strict=True))}

    def _finish(self) -> None:
        network, progress = self.learner.network, self.progress
        save(self.folder.path / POLICY, network, self._description)
        told = self.folder.export(network, self._description)
        if told:
            self.listener.say(told)
        self.folder.write(
            SUMMARY,
            {
                **self.game,
                "version": __version__,
                "passes": progress.blocks,
                "positions": sum(progress.positions),
                "updates": progress.updates,
                "minutes": progress.seconds / 60,
                "losses": [
                    dict(zip(("policy", "value"), losses, strict=True))
                    for losses in progress.losses
                ],
                "evaluations": progress.evaluations,
                "agent": f"policy:file={ONNX}",
            },
        )
