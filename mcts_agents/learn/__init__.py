"""Decisions of agents as data to learn from; `docs/reinforcement_learning.md`."""

from mcts_agents.learn.curves import draw_learning_curve
from mcts_agents.learn.dataset import Dataset
from mcts_agents.learn.evaluation import evaluate
from mcts_agents.learn.recording import RecordingError, record
from mcts_agents.learn.shards import DatasetError

__all__ = [
    "Dataset",
    "DatasetError",
    "RecordingError",
    "draw_learning_curve",
    "evaluate",
    "record",
]
