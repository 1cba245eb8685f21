"""An agent that waits, so that a recording comes no further than a test wants."""

import os
import time
from pathlib import Path

from mcts_agents.agents import RandomAgent

# Variables of the environment: the folder of the recording, and how many files there
# may be. Without the first, nobody waits.
FOLDER, MOST = "TESTS_RECORDING_FOLDER", "TESTS_RECORDING_FILES"


class Waiting(RandomAgent):
    """Plays at random, but decides nothing while there are so many files."""

    def decide(self, model, state, player):
        folder = os.environ.get(FOLDER)
        while folder and len(list(Path(folder).glob("shard-*"))) >= int(
            os.environ[MOST]
        ):
            time.sleep(0.01)
        return super().decide(model, state, player)
