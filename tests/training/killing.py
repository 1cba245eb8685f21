"""A training run for processes that are killed; see test_killed.py."""

import torch

from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.trainer import Budget, Trainer

# Imports much of PyTorch, before processes are forked from the one that has it.
torch.optim.AdamW([torch.zeros(1)])

SMALL = {
    "network": {"hidden": [16], "kind": "perceptron"},
    "self_play": {"simulations": 4, "block_games": 16, "games_at_once": 8},
    "learner": {"batch_size": 32, "passes": 1.0},
    "evaluation": {"minutes": 0.0},
}


def train(folder, positions, seed=1, game="tictactoe"):
    """Train until there are so many positions."""
    small = SMALL
    if game != "tictactoe":  # an environment
        small = {**SMALL, "self_play": {"simulations": 4, "block_games": 4}}
    config = TrainingConfig.model_validate(small)
    trainer = Trainer(game, folder, config, seed=seed)
    trainer.folder.export = lambda *_: None  # which takes seconds, and is tested alone
    return trainer.run(Budget(positions=positions))
