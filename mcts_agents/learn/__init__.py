"""Decisions of agents as data to learn from; see `docs/reinforcement_learning.md`.

`recording` plays and writes them, `dataset` reads them, `win_rates` and `curves` say
how a learner fares.
"""

from mcts_agents.learn.curves import draw_learning_curve
from mcts_agents.learn.dataset import Dataset
from mcts_agents.learn.recording import RecordingError, record
from mcts_agents.learn.recording_spec import RecordingSpec
from mcts_agents.learn.shards import DatasetError
from mcts_agents.learn.win_rates import evaluate

__all__ = [
    "Dataset",
    "DatasetError",
    "RecordingError",
    "RecordingSpec",
    "draw_learning_curve",
    "evaluate",
    "record",
]
