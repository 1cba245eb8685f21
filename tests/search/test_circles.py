"""Graphs with circles: one descent may be longer than any that was there before."""

from functools import cache

import numpy as np
import pytest

from mcts_agents.model import PLAYING, Rules, Spec, new_generator
from mcts_agents.search import AnsweredLater, Search, SearchSettings
from tests.search.evaluators import PUCT


@cache
def circles(players, actions):
    """All decide at once, for ever; the last action leads back to the beginning."""
    rules = Rules(
        "circles",
        state=np.dtype([("place", np.int64)]),
        chance=False,
        search_defaults={"value": "win"},
    )

    @rules.variant
    def variant(game, *, players=players, actions=actions):
        return Spec(players=players, actions=actions)

    @rules.define
    def reset(game, state, rng):
        state.place = 0

    @rules.define
    def movers(game, state):
        return (1 << game.players) - 1

    @rules.define
    def legal_actions(game, state, player, out):
        for action in range(game.actions):
            out[action] = action
        return game.actions

    @rules.define
    def apply(game, state, joint_action, rng):
        if joint_action[0] == game.actions - 1:
            state.place = 0
        else:
            state.place += 1

    @rules.define
    def results(game, state, out):
        out[:] = PLAYING

    @rules.define
    def scores(game, state, out):
        out[:] = 0.0

    @rules.define
    def state_key(game, state, observer):
        return state.place if game.players == 1 else 0

    return rules.model()


@pytest.mark.parametrize("depth", [1000, 6000])
def test_room_is_there_for_the_longest_path(depth):
    model = circles(3, 10)
    chosen = {"graph": True, "rollout": 0, "simulations": 3, "max_depth": depth}
    search = Search(model, SearchSettings(**chosen), nodes=64, edges=500)
    rng = new_generator(1)
    search.begin(model.reset(rng), 0, rng)
    for _ in range(3):
        assert search.advance(1) == 1
        record, arrays = search._workspace.record[0], search._workspace.memory.arrays
        assert record["edge_count"] <= len(arrays["edges"])
        assert 2 * record["joint_count"] <= len(arrays["joints"])
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
