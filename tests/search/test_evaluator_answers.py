"""What an evaluator is told, and what its answers are taken for."""

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.envs.tictactoe.rules import rules
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.evaluators import PUCT, Even, Linear, of_states, run, virtual_visits
from tests.toy_games import MATRIX, hands, nim

TICTACTOE = rules.model()


def test_what_the_evaluator_is_shown():
    class Asked(Even):
        def answer(self, observations, players, legal):
            assert observations.dtype == np.int8
            assert observations.shape == (len(players), *TICTACTOE.observation_shape)
            assert players.dtype == np.int64
            assert legal.dtype == bool
            assert legal.shape == (len(players), 9)
            for shown in (observations, players, legal):
                assert not shown.flags.writeable
            own, other, turn = observations.reshape(-1, 3, 9).transpose(1, 0, 2)
            assert turn.all()
            np.testing.assert_array_equal(legal, (own | other) == 0)
            np.testing.assert_array_equal(own.sum(1) < other.sum(1), players == 1)
            return super().answer(observations, players, legal)

    for loop in ("open", "closed"):
        run(TICTACTOE, Asked(2), loop=loop)


def test_an_evaluator_is_described_in_messages_only():
    class Network(Even):  # as long as a deep one's is the description of its layers
        described = 0

        def __repr__(self):
            Network.described += 1
            return "Network()"

    run(TICTACTOE, Network(2), batch=2)
    before = Network.described
    run(TICTACTOE, Network(2), batch=2, simulations=60)
    assert Network.described == before


def test_each_mover_has_a_row_and_its_own_value_from_it():
    # Both players of a matrix game are asked about each position; only what each one's
    # own row says of itself may count.
    model = MATRIX.model(payoffs=(3, 1, 0, 5, 5, 0, 1, 2), rounds=3)

    class Own(Even):
        def observe(self, model, states, players):
            return states

        def answer(self, observations, players, legal):
            values = np.zeros((len(players), 2))
            values[np.arange(len(players)), players] = np.where(players == 0, 0.25, 0.5)
            assert players.tolist() == [0, 1] * (len(players) // 2)
            np.testing.assert_array_equal(observations[::2], observations[1::2])
            return values, np.zeros(legal.shape)

    for player, value in ((0, 0.25), (1, 0.5)):
        found, _ = run(model, Own(2), player=player, max_depth=2, batch=4)
        assert found.values.tolist() == [value] * 2


def test_values_of_others_are_the_mean_of_the_rows():
    # Three players in turn; Paranoid takes the root player's value from each leaf,
    # which is in the row of whoever moves there.
    model = nim()

    class Rows(Even):
        def observe(self, model, states, players):
            return states

        def answer(self, observations, players, legal):
            values = np.tile([0.125, 0.25, 0.5], (len(players), 1))
            return values, np.zeros(legal.shape)

    found, _ = run(model, Rows(3), max_depth=1, batch=3)
    assert (found.values == 0.125).all()


def test_logits_of_illegal_actions_do_not_count():
    class Wild(Linear):
        def answer(self, observations, players, legal):
            values, logits = super().answer(observations, players, legal)
            wild = np.resize([np.nan, np.inf, 1e308], logits.shape)
            return values, np.where(legal, logits, wild)

    sizes = TICTACTOE.observation_size, 9
    wild, _ = run(TICTACTOE, Wild(2, sizes))
    plain, _ = run(TICTACTOE, Linear(2, sizes))
    assert wild.visits.tolist() == plain.visits.tolist()


def test_a_prior_of_zero_is_never_explored():
    class Sure(Even):
        def answer(self, observations, players, legal):
            values, logits = super().answer(observations, players, legal)
            first = legal.argmax(1)
            logits[:] = -np.inf
            logits[np.arange(len(first)), first] = 3.0
            return values, logits

    found, _ = run(make_model("hex:size=4")[1], Sure(2), batch=4)
    assert found.visits.tolist() == [300] + 15 * [0]


def test_actions_that_were_not_legal_have_an_even_share():
    # Hidden hands: another determinization has other legal actions at a node.
    model = hands(3)
    found, search = run(model, of_states(model), simulations=500)
    assert found.visits.sum() == 500
    arrays = search._workspace.memory.arrays
    grown = 0
    for node in arrays["nodes"][: int(search._workspace.record["node_count"][0])]:
        priors = arrays["statistics"]["prior"][node["first"] :][: node["count"]]
        assert (priors > 0).all()
        if priors.sum() > 1.01:
            grown += 1
            assert priors[-1] == pytest.approx(1 / node["count"])
    assert grown > 0


BAD = [
    (lambda rows: np.zeros((rows, 2)), "returned ndarray; expected the tuple"),
    (
        lambda rows: (np.zeros(rows), np.zeros((rows, 9))),
        r"values of shape \(1,\); expected \(1, 2\)",
    ),
    (
        lambda rows: (np.zeros((rows, 2)), np.zeros((rows, 8))),
        r"logits of shape \(1, 8\); expected \(1, 9\)",
    ),
    (
        lambda rows: (np.full((rows, 2), -0.5), np.zeros((rows, 9))),
        "values from -0.5 to -0.5; expected numbers that are shares of a win",
    ),
    (
        lambda rows: (np.full((rows, 2), np.nan), np.zeros((rows, 9))),
        "values from nan to nan",
    ),
    (
        lambda rows: (np.full((rows, 2), 0.5), np.full((rows, 9), np.nan)),
        "logits that are NaN, infinite, or -inf for all",
    ),
    (lambda rows: (np.full((rows, 2), 0.5), np.full((rows, 9), np.inf)), "infinite"),
    (lambda rows: (np.full((rows, 2), 0.5), np.full((rows, 9), -np.inf)), "-inf for"),
]


@pytest.mark.parametrize(("answer", "message"), BAD, ids=[m[:40] for _, m in BAD])
def test_answers_that_cannot_be_used(answer, message):
    class Bad(Even):
        def answer(self, observations, players, legal):
            return answer(len(players))

    with pytest.raises(ValueError, match=f"^the evaluator <.*{message}"):
        run(TICTACTOE, Bad(2))


def test_scores_may_be_anything_finite():
    class Scores(Even):
        def answer(self, observations, players, legal):
            values = np.tile([-7.0, 130.0], (len(players), 1))
            return values * self.factor, np.zeros(legal.shape)

    model, evaluator = make_model("hex:size=4")[1], Scores(2)
    evaluator.factor = 1.0
    found, _ = run(model, evaluator, value="score", simulations=20)
    assert (found.values[found.visits > 0] == -7.0).all()
    evaluator.factor = np.inf
    with pytest.raises(ValueError, match="expected numbers that are finite"):
        run(model, evaluator, value="score")


def test_what_an_evaluator_raises_comes_out_as_itself():
    class Broken(Even):
        def answer(self, observations, players, legal):
            if len(self.calls) == 5:
                raise KeyError("no such layer")
            return super().answer(observations, players, legal)

    evaluator = Broken(2)
    rng = new_generator(0)
    state = TICTACTOE.reset(rng)
    settings = SearchSettings(evaluator=evaluator, simulations=300, batch=4, **PUCT)
    search = Search(TICTACTOE, settings)
    with pytest.raises(KeyError, match="no such layer"):
        search.run(state, 0, rng)
    after = search.run(state, 0, new_generator(1))  # and the search can go on
    fresh = Search(TICTACTOE, settings).run(state, 0, new_generator(1))
    assert after.visits.tolist() == fresh.visits.tolist()
    assert not virtual_visits(search).any()
