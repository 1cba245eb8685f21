"""What networks say as searches want it: values by seat, scores of single players."""

import numpy as np
import pytest

from mcts_agents.networks import HeadsEvaluator, NetworkConfig
from mcts_agents.networks.heads import values_by_player
from tests.networks.small import positions, small
from tests.toy_games import SINGLE  # noqa: F401

TEAMS = [(0, 1), (0, 1, 2), (0, 1, 0, 1), (0, 0, 1, 2)]
