"""Graphs with circles: one descent may be longer than any that was there before."""

import numpy as np
import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import AnsweredLater, Search, SearchSettings
from tests.search.evaluators import PUCT
from tests.search.toy_games import circles


@pytest.mark.parametrize("abstraction", ["none", "all"])
@pytest.mark.parametrize("depth", [1000, 6000])
def test_room_is_there_for_the_longest_path(depth, abstraction):
    model = circles(3, 10)
    chosen = {"graph": True, "rollout": 0, "simulations": 3, "max_depth": depth}
    chosen["abstraction"] = abstraction
    search = Search(model, SearchSettings(**chosen), nodes=64, edges=500)
    rng = new_generator(1)
    search.begin(model.reset(rng), 0, rng)
    for _ in range(3):
        assert search.advance(1) == 1
        record, arrays = search._workspace.record[0], search._workspace.memory.arrays
        assert record["edge_count"] <= len(arrays["edges"])
        assert 2 * record["joint_count"] <= len(arrays["joints"])
        assert record["pool_count"] <= len(arrays["pools"])
    assert search.result().depth == depth


@pytest.mark.parametrize("batch", [2, 8])
def test_waiting_paths_have_room(batch):
    model = circles(1, 2)
    chosen = {**PUCT, "graph": True, "batch": batch, "simulations": 9000}
    evaluator = AnsweredLater(lambda model, states, players: states)
    search = Search(model, SearchSettings(**chosen, evaluator=evaluator))
    rng = new_generator(1)
    search.begin(model.reset(rng), 0, rng)
    record, asked = search._workspace.evaluation._record[0], 0
    while asked < 420:
        search.advance(9000)
        rows = search.waiting
        if not rows:
            break
        asked += 1
        assert record["step_count"] <= record["step_limit"]
        # First straight on, then back to the beginning as often as not.
        logits = np.tile([0.0, -20.0 if asked < 400 else 0.0], (rows, 1))
        search.answer(np.full((rows, 1), 0.5), logits)
    assert asked > 400 or search.result().depth == 1000
