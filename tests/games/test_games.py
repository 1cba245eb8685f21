"""The compiled small games against their plain twins, over every game there is."""

from itertools import permutations, product

import numpy as np
import pytest

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator, random_below
from tests.exact import dots_and_boxes as exact_dots
from tests.exact import goofspiel as exact_goofspiel
from tests.exact import kuhn as exact_kuhn
from tests.exact.matrix import BIASED_ROCK_PAPER_SCISSORS
from tests.games.dots_and_boxes import DOTS
from tests.games.goofspiel import GOOFSPIEL
from tests.games.kuhn_poker import KUHN, place
from tests.games.matrix_games import matrix_game

RNG = new_generator(1)


def results_of(payoff):
    """Results of two players when the first one got `payoff` from the other."""
    if payoff == 0:
        return [DRAWN, DRAWN]
    return [WON, LOST] if payoff > 0 else [LOST, WON]


def test_matrix_game():
    model = matrix_game(BIASED_ROCK_PAPER_SCISSORS)
    for a, b in product(range(3), repeat=2):
        state = model.reset(RNG)
        assert model.movers(state) == (0, 1)
        assert model.results(state).tolist() == [PLAYING] * 2
        assert [model.legal_actions(state, p).tolist() for p in (0, 1)] == [
            [0, 1, 2]
        ] * 2
        model.apply(state, [a, b], RNG)
        payoff = BIASED_ROCK_PAPER_SCISSORS[a][b]
        assert model.movers(state) == ()
        assert model.scores(state).tolist() == [payoff, -payoff]
        assert model.results(state).tolist() == results_of(payoff)


def test_matrix_game_with_unequal_numbers_of_actions():
    model = matrix_game([[1, 2, 3, 4]])
    state = model.reset(RNG)
    assert [len(model.legal_actions(state, player)) for player in (0, 1)] == [1, 4]
    with pytest.raises(ValueError, match="1 x 1 to 4 x 4"):
        matrix_game([[1, 2, 3, 4, 5]])


def test_goofspiel_every_game():
    model = GOOFSPIEL.model()
    for first, second in product(permutations(range(4)), repeat=2):
        state = model.reset(RNG)
        history = ()
        for joint in zip(first, second, strict=True):
            assert model.movers(state) == (0, 1)
            assert model.results(state).tolist() == [PLAYING] * 2
            for player in range(2):
                legal = model.legal_actions(state, player).tolist()
                assert legal == exact_goofspiel.hand(history, player)
            model.apply(state, joint, RNG)
            history += (joint,)
        payoff = exact_goofspiel.payoff(history)
        assert model.movers(state) == ()
        assert model.scores(state).tolist() == [payoff, -payoff]
        assert model.results(state).tolist() == results_of(payoff)


def test_kuhn_poker_every_hand():
    model = KUHN.model()
    for cards, end in product(exact_kuhn.DEALS, exact_kuhn.ENDS):
        state = place(model, cards[0], "", cards[1])
        for number, move in enumerate(end):
            seat = number % 2
            assert model.movers(state) == (seat,)
            assert model.legal_actions(state, seat).tolist() == [0, 1]
            assert model.scores(state).tolist() == [0, 0]
            assert model.results(state).tolist() == [PLAYING] * 2
            np.testing.assert_array_equal(
                state, place(model, cards[seat], end[:number], cards[1 - seat])
            )
            joint = [-1, -1]
            joint[seat] = int(move == "b")
            for observer in range(2):
                assert model.visible_action(state, joint, seat, observer) == joint[seat]
            model.apply(state, joint, RNG)
        won = exact_kuhn.chips(cards, end)
        assert model.movers(state) == ()
        assert model.scores(state).tolist() == [won, -won]
        assert model.results(state).tolist() == results_of(won)


def test_kuhn_poker_deals_and_redeterminises_uniformly():
    model = KUHN.model()
    rng = new_generator(2)
    deals = [tuple(model.view(model.reset(rng))["cards"].tolist()) for _ in range(6000)]
    assert set(deals) == set(exact_kuhn.DEALS)
    assert min(deals.count(deal) for deal in exact_kuhn.DEALS) > 900
    others = []
    for _ in range(2000):
        state = place(model, 1, "p", 2)
        model.redeterminise(state, 1, rng)
        assert model.view(state)["cards"][1] == 1
        others.append(int(model.view(state)["cards"][0]))
    assert set(others) == {0, 2}
    assert 900 < others.count(0) < 1100


def test_dots_and_boxes_random_games():
    model = DOTS.model()
    rng = new_generator(3)
    for _ in range(300):
        state = model.reset(rng)
        moves = ()
        while True:
            drawn, player, boxes = exact_dots.position(moves)
            assert model.scores(state).tolist() == boxes
            if len(drawn) == exact_dots.EDGES:
                break
            assert model.movers(state) == (player,)
            assert model.results(state).tolist() == [PLAYING] * 2
            legal = model.legal_actions(state, player).tolist()
            assert legal == sorted(set(range(exact_dots.EDGES)) - drawn)
            edge = legal[random_below(rng, len(legal))]
            model.apply(state, {player: edge}, rng)
            moves += (edge,)
        assert model.movers(state) == ()
        assert model.results(state).tolist() == results_of(boxes[0] - boxes[1])
