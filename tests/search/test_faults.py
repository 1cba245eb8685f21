"""After an interruption, wherever it comes, the next plan is that of a new agent.

All places, some thousand of them: `python -m tests.search.faults`.
"""

import os

import pytest

from tests.search.faults import CONFIGURATIONS, run

# Set to some thousand to go through about as many places here.
PLACES = int(os.environ.get("MCTS_AGENTS_FAULTS", "180"))


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda c: c.name)
def test_an_interrupted_agent_plans_on_like_a_new_one(configuration):
    tally = run(configuration, PLACES // len(CONFIGURATIONS))
    assert tally.wrong == []
    assert tally.raised == tally.places >= 15
