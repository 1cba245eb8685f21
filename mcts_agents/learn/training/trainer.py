"""`Trainer`: blocks of self-play and learning in turn, until the budget is spent."""

import os
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import loky
import numpy as np

from mcts_agents.agents import make_agent
from mcts_agents.arena.playing.match import open_game
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.envs import EnvironmentGame, make_any
from mcts_agents.extras import from_extra
from mcts_agents.learn.shards import Columns
from mcts_agents.learn.training import evaluating
from mcts_agents.learn.training.block_files import BlockFiles
from mcts_agents.learn.training.block_playing import Workers
from mcts_agents.learn.training.checkpoints import (
    Progress,
    go_on,
    write_checkpoint,
)
from mcts_agents.learn.training.cluster_playing import ClusterWorkers
from mcts_agents.learn.training.config import TrainingConfig, check_teams
from mcts_agents.learn.training.environment_playing import EnvironmentWorkers
from mcts_agents.learn.training.folder import POLICY, Folder
from mcts_agents.learn.training.inference import frozen_network
from mcts_agents.learn.training.learner import Learner
from mcts_agents.learn.training.listeners import BlockReport, Listener
from mcts_agents.learn.training.places import Place
from mcts_agents.learn.training.replay import Replay
from mcts_agents.networks import NetworkDescription

with from_extra("rl", "training needs PyTorch and safetensors"):
    import torch

    from mcts_agents.networks.network import Network
    from mcts_agents.networks.saving import checksum, load, save


@dataclass(frozen=True)
class Budget:
    """When training ends: when the first of these is reached.

    Attributes:
        minutes: Time of all runs of the folder together; None: any.
        positions: Positions of self-play; the block in which it is reached is played to
            its end. None: any.
        blocks: Blocks of self-play; None: any.

    Raises:
        ValueError: None is given, or one is not above 0.
    """

    minutes: float | None = None
    positions: int | None = None
    blocks: int | None = None

    def __post_init__(self) -> None:
        given = vars(self)
        for name, value in given.items():
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name}={value}: expected a number above 0")
        if all(value is None for value in given.values()):
            raise ValueError("training needs a budget of minutes, positions or blocks")

    def spent(self, progress: Progress) -> float:
        """Return the share that is spent; at least 1: training ends."""
        shares = [0.0]
        if self.minutes is not None:
            shares.append(progress.seconds / (60.0 * self.minutes))
        if self.positions is not None:
            shares.append(sum(progress.positions) / self.positions)
        if self.blocks is not None:
            # The block that is learned from now counts as well.
            shares.append(len(progress.positions) / self.blocks)
        return max(shares)


class Trainer:
    """A training run in a folder, new or gone on with.

    Args:
        game: Spec of the game, such as `connect_four` or `hex:size=7`.
        folder: Where everything goes; made if it is not there.
        config: All choices.
        players: Number of players; None: the game's default.
        seed: From which all chance comes.
        place: Where games are played and the network computes; None: on all cores of
            this machine. With other numbers of workers the network is asked about other
            numbers of positions at once, which may change the last digits of its
            answers, and so a game.
        start: A file of `networks.save` with the weights to begin with, such as those
            that have learned from demonstrations; None: random ones.
        listener: Is told how training goes on.

    Raises:
        ValueError: The game, the device or the weights cannot serve; the message says
            why.
    """

    def __init__(
        self,
        game: str,
        folder: str | os.PathLike[str],
        config: TrainingConfig | None = None,
        *,
        players: int | None = None,
        seed: int = 0,
        place: Place | None = None,
        start: str | os.PathLike[str] | None = None,
        listener: Listener | None = None,
    ):
        self.config = config or TrainingConfig()
        self.listener = listener or Listener()
        found, self.model = make_any(game, players)
        self.game = {"game": game, "players": players, "seed": seed}
        check_teams(self.model)
        first = None if start is None else self._beginning(start)
        self._network = (
            self.config.network_config(self.model) if first is None else first.config
        )
        # What the folder is of: the same command goes on with it.
        begun = None if first is None else checksum(first.state_dict())
        self._described = {**self.game, "start": begun}
        self._description = NetworkDescription.of(self._network, self.model, game)
        self._seed = seed
        self._cores = loky.cpu_count()
        playing = self.config.self_play
        place = place or Place()
        self._device = place.device
        self._workers: Workers | ClusterWorkers | EnvironmentWorkers
        if isinstance(found, EnvironmentGame):
            self._workers = EnvironmentWorkers(game, place, playing, seed)
        elif place.name == "local":
            self._workers = Workers(place.cores, playing, seed)
        else:
            self._workers = ClusterWorkers(game, place, playing, seed)
        self.learner = Learner(
            self.config.learner,
            self._network,
            seed=seed,
            device=place.device,
            precision=self.config.precision,
            start=first,
        )
        self._prepare()
        self.folder = Folder(Path(folder))
        self.progress = Progress()

    def _beginning(self, start: str | os.PathLike[str]) -> Network:
        """Return the network to begin with.

        Raises:
            ValueError: It is no network of this game, or not the one of the config.
        """
        network, description = load(start)
        try:
            description.check(self.model)
        except ValueError as error:
            raise ValueError(f"{os.fspath(start)}: {error}") from error
        if self.config.network:
            chosen = self.config.network_config(self.model)
            has, wants = network.config.to_mapping(), chosen.to_mapping()
            others = [
                name for name in {**has, **wants} if has.get(name) != wants.get(name)
            ]
            if others:
                name = others[0]
                raise ValueError(
                    f"{os.fspath(start)}: its network has {name}={has.get(name)}, the "
                    f"config asks for {name}={wants.get(name)}; leave `network` out of "
                    "the config"
                )
        return network

    def _prepare(self) -> None:
        """Rehearse: refusals come, and code is compiled, before the clock.

        Raises:
            ValueError: An opponent of the evaluations cannot play the game, or it is
                over after their random decisions.
        """
        evaluation = self.config.evaluation
        if evaluation.minutes:
            game, players, seed = self.game.values()
            with closing(open_table(game, players)) as table:
                table.begin(seed)
                for spec in evaluation.opponents:
                    try:
                        table.prepare(make_agent(spec), 0)
                    except (ValueError, OSError) as error:
                        raise ValueError(
                            f"evaluation.opponents: {spec}: {error}"
                        ) from error
                try:
                    open_game(table, seed, evaluation.opening)
                except ValueError as error:
                    raise ValueError(f"evaluation.{error}") from error

        def even(seen: Any, players: np.ndarray, legal: np.ndarray) -> Any:
            shape = len(players), self.model.players
            return np.full(shape, 1.0 / self.model.team_count), np.zeros(legal.shape)

        self._workers.rehearse(self.model, even)

    def run(self, budget: Budget) -> Progress:
        """Train until the budget is spent, and write what a trained network leaves.

        Raises:
            DatasetError: The folder holds another run, or a damaged file; or another
                process trains there.
            OSError: It cannot be written.
        """
        threads = torch.get_num_threads()
        torch.set_num_threads(self._cores)
        try:
            with self.folder.held("training"):
                self.folder.enter(self._described, self.config)
                self._restore()
                self._train(budget)
                self._finish()
        finally:
            torch.set_num_threads(threads)
            self._workers.close()
        return self.progress

    # -- what is there already

    def _restore(self) -> None:
        """Take over the last checkpoint, and the blocks that are learned from."""
        config = self.config
        self._blocks = BlockFiles(
            self.folder.blocks,
            self.model,
            str(self.game["game"]),
            config.self_play.block_games,
        )
        self._replay = Replay(self.model, config.learner)
        self.progress = progress = go_on(self.folder.checkpoints, self.learner)
        window = config.learner.window(sum(progress.positions))
        held: list[Columns] = []
        for block in reversed(range(progress.blocks)):
            if sum(len(columns["player"]) for columns in held) >= window:
                break
            held.append(self._block(block))
            progress.positions[block] = len(held[-1]["player"])
        for columns in reversed(held):
            self._replay.add(columns, window)

    # -- training

    def _train(self, budget: Budget) -> None:
        progress = self.progress
        self.listener.begun(progress, budget.spent(progress))
        while budget.spent(progress) < 1.0:
            began = time.perf_counter()
            before = progress.seconds
            columns = self._block(progress.blocks)
            played = time.perf_counter() - began
            progress.positions.append(len(columns["player"]))
            window = self.config.learner.window(sum(progress.positions))
            self._replay.add(columns, window)
            losses = self._learn(budget.spent(progress))
            progress.blocks += 1
            progress.losses.append(losses)
            progress.self_play_seconds += played
            progress.seconds = before + time.perf_counter() - began
            self._keep()
            spent = budget.spent(progress)
            rate = self.learner.rate(spent)
            self.listener.block(BlockReport(progress, played, rate, spent))
            if self._is_due(progress):
                self._evaluate(before, began)

    def _block(self, block: int) -> Columns:
        """Return a block; play it if it is not there."""
        if self._blocks.path(block).exists():
            # The process may have ended before the block was described.
            self._blocks.describe()
        else:
            size = self._blocks.block_games
            frozen = frozen_network(
                self.learner.network,
                self._device,
                self._workers.rows,
                self.config.precision,
            )
            numbers = range(block * size, (block + 1) * size)

            def told(games: int) -> None:
                self.listener.playing(games, size)

            games = self._workers.play(self.model, frozen, numbers, told)
            self._blocks.write(block, games)
        return self._blocks.read(block)

    def _learn(self, spent: float) -> list[float]:
        """Make the updates that are due; return the mean losses, or zeros."""
        config, progress = self.config.learner, self.progress
        rng = np.random.default_rng([self._seed, progress.blocks])
        due = int(config.passes * sum(progress.positions) / config.batch_size)
        updates = due - progress.updates if len(self._replay) else 0
        sums = np.zeros(2)
        for number in range(updates):
            batch = self._replay.sample(config.batch_size, rng)
            sums += self.learner.update(batch, spent)
            progress.updates += 1
            self.listener.learning(number + 1, updates)
        means: list[float] = (sums / max(updates, 1)).tolist()
        return means

    def _keep(self) -> None:
        tensors = self.learner.tensors()
        write_checkpoint(self.folder.checkpoints, tensors, self.progress)

    # -- evaluation

    def _is_due(self, progress: Progress) -> bool:
        minutes = self.config.evaluation.minutes
        return bool(minutes) and progress.seconds >= progress.evaluated + 60 * minutes

    def _evaluate(self, before: float = 0.0, began: float | None = None) -> None:
        """Play in the arena; its time counts if training goes on afterwards."""
        progress, config = self.progress, self.config
        latest = self.folder.policies / f"policy-{progress.blocks:06d}.safetensors"
        earlier = [path for path in self.folder.snapshots() if path.name < latest.name]
        agent = self._player(self.learner.network)
        opponents: list[tuple[str, Any]] = [
            (spec, spec) for spec in config.evaluation.opponents
        ]
        if config.evaluation.earlier and earlier:
            network = load(earlier[-1])[0]
            opponents.append((evaluating.EARLIER, self._player(network)))
        game = {
            **self.game,
            "games": config.evaluation.games,
            "opening": config.evaluation.opening,
        }
        at = {
            "minutes": progress.seconds / 60,
            "positions": sum(progress.positions),
            "blocks": progress.blocks,
        }
        for number, (name, opponent) in enumerate(opponents):
            self.listener.evaluating(number, len(opponents), name)
            found = evaluating.measured(agent, name, opponent, game)
            progress.evaluations.append({**at, **found})
            self.listener.evaluated(progress.evaluations[-1])
        self.folder.policies.mkdir(exist_ok=True)
        save(latest, self.learner.network, self._description)
        if began is not None:
            progress.seconds = before + time.perf_counter() - began
        progress.evaluated = progress.seconds
        self._keep()
        self.folder.draw(progress, str(self.game["game"]))

    def _player(self, network: Any) -> Any:
        return evaluating.player(frozen_network(network, self._device, 1), self.config)

    # -- the end

    def _finish(self) -> None:
        """Write the files of the end, and evaluate what is not evaluated yet."""
        progress = self.progress
        positions = sum(progress.positions)
        # First of all: whatever an opponent may do, the network is there.
        path = self.folder.path / POLICY
        save(path, self.learner.network, self._description)
        told = self.folder.export(self.learner.network, self._description)
        if told:
            self.listener.say(told)
        if self.config.evaluation.minutes and progress.blocks:
            done = [entry["positions"] for entry in progress.evaluations]
            if positions not in done:
                self._evaluate()
        self.folder.draw(progress, str(self.game["game"]))
        self.folder.summarise(self._described, self.config, progress)
