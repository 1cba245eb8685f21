"""The rules of Exploding Kittens: against a slow twin, invariants, and single plays."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.exploding_kittens import cards
from mcts_agents.envs.exploding_kittens.notation import format_action, parse_action
from mcts_agents.envs.exploding_kittens.rules import LEGAL_LIMIT, rules
from mcts_agents.model import LOST, PLAYING, WON, draw_below, new_generator
from tests.envs.exploding_kittens_positions import (
    CARDS,
    all_cards,
    bunch,
    hand,
    known_places,
    names,
    phase_of,
    pile_of,
    play_some,
    set_pile,
    whole_deck,
)
from tests.envs.exploding_kittens_twin import Twin
from tests.envs.faulty_rules import mismatches, no_fault

positions = st.tuples(st.integers(2, 5), st.integers(0, 2**32), st.integers(0, 80))
TWIN_PHASES = {"favor": "give", "see": "order", "defuse": "place"}


# -- against the twin


def in_words(model, state, action):
    """An action in the twin's words, which name the cards of an order."""
    text = format_action(model, action).replace("player_", "")
    word, *places = text.split()
    if word != "order":
        return text
    top = pile_of(model.view(state))[:3]
    return " ".join(["order", *(top[int(n) - 1] for n in places[: len(top)])])


def assert_equal(model, state, twin):
    view, players = model.view(state), range(model.players)
    assert list(model.movers(state)) == ([] if twin.is_over() else [twin.mover])
    phase = phase_of(view)
    assert TWIN_PHASES.get(phase, phase) == twin.phase
    assert [hand(view, p) for p in players] == [+cards for cards in twin.hands]
    assert names(view["discards"]) == +twin.discards
    assert pile_of(view) == [card for card, _ in twin.pile]
    assert model.turn(state) == twin.turns
    orders = [twin.dead.index(p) + 1 if p in twin.dead else 0 for p in players]
    assert view["order_of_death"][players].tolist() == orders
    scores = [order - 1 if order else len(twin.dead) for order in orders]
    assert model.scores(state).tolist() == scores
    assert model.evaluate(state).tolist() == [n / (len(scores) - 1) for n in scores]
    won = WON if twin.is_over() else PLAYING
    assert model.results(state).tolist() == [LOST if n else won for n in orders]
    out = [model.call("is_out", state.ctypes.data, player) for player in players]
    assert out == [player in twin.dead for player in players]
    if not twin.is_over():
        assert (view["turn_of"], view["draws"]) == (twin.turn_of, twin.draws)
    for p in players:
        known = [d for d, (_, who) in enumerate(twin.pile) if p in who]
        assert known_places(view, p) == known
        assert [names(view["known"][p, owner]) for owner in players] == [
            +cards for cards in twin.known[p]
        ]


@pytest.mark.parametrize("rulebook", ["tag", "published"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_equal_those_of_the_twin(players, rulebook):
    model = rules.model(players=players, rulebook=rulebook)
    deck, seen = whole_deck(players), Counter()
    for seed in range(12):
        rng = new_generator(seed)
        state = model.reset(rng)
        view = model.view(state)
        hands = [hand(view, player) for player in range(players)]
        twin = Twin(hands, pile_of(view), rulebook == "published")
        assert [cards["defuse"] for cards in hands] == [1] * players
        assert [cards.total() for cards in hands] == [8] * players
        while model.movers(state):
            assert_equal(model, state, twin)
            assert all_cards(model, state) == deck
            actions = model.legal_actions(state, twin.mover)
            assert len(actions) <= LEGAL_LIMIT
            assert (np.diff(actions) > 0).all()
            words = [in_words(model, state, action) for action in actions]
            assert sorted(words) == sorted(twin.legal())
            # The draw, which ends games, less often than cards.
            chosen = max(draw_below(rng, len(words)), draw_below(rng, len(words)))
            model.apply(state, {twin.mover: actions[chosen]}, rng)
            twin.do(words[chosen], pile_of(view))
            seen[words[chosen].split()[0]] += 1
        assert_equal(model, state, twin)
    assert len(seen) == 11 - (rulebook == "published")


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 60))
def test_playout_is_random_stepping_up_to_its_limit(position, limit):
    """Same generator, same game; no card is lost and one player wins."""
    model, state = play_some(*position)
    played, stepped = model.copy(state), model.copy(state)
    rng, other = new_generator(7), new_generator(7)
    count = model.call("playout", played.ctypes.data, rng.ctypes.data, limit)
    steps = 0
    while (movers := model.movers(stepped)) and steps < limit:
        addresses = stepped.ctypes.data, movers[0], other.ctypes.data
        action = model.call("random_action", *addresses)
        model.apply(stepped, {movers[0]: action}, other)
        steps += 1
    assert count == steps
    assert (played == stepped).all()
    model.call("playout", played.ctypes.data, rng.ctypes.data, 10_000)
    assert all_cards(model, played) == whole_deck(model.players)
    assert Counter(model.results(played)) == {WON: 1, LOST: model.players - 1}


@pytest.mark.parametrize(
    ("hands", "texts", "number"),
    [
        ([["attack", "favor", "skip", "see"], ["skip"], ["nope"]], (), 7),
        ([["favor"], ["attack", "skip", "skip", "tacocat"]], ("favor player_1",), 3),
        ([["see"], []], ("see",), 6),
        ([["defuse"], []], ("draw",), 5),
        ([["skip"], ["nope"]], ("skip",), 2),
    ],
)
def test_random_actions_are_uniform_among_the_legal(hands, texts, number):
    pile = ["kitten", "see", "skip", "nope", "tacocat"]
    model, state = table(hands, pile)
    play(model, state, *texts)
    (player,) = model.movers(state)
    rng = new_generator(1)
    legal = model.legal_actions(state, player).tolist()
    assert len(legal) == number
    drawn = Counter(
        model.call("random_action", state.ctypes.data, player, rng.ctypes.data)
        for _ in range(4000)
    )
    assert sorted(drawn) == legal
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_card_is_lost_in_random_games(players):
    model, rng = rules.model(players=players), new_generator(players)
    for _ in range(500):
        state = model.reset(rng)
        model.call("playout", state.ctypes.data, rng.ctypes.data, 30)
        assert all_cards(model, state) == whole_deck(players)
        model.redeterminise(state, draw_below(rng, players), rng)
        model.call("playout", state.ctypes.data, rng.ctypes.data, 10_000)
        assert all_cards(model, state) == whole_deck(players)
        assert sorted(model.scores(state)) == list(range(players))


# -- single plays


def table(hands, pile, **variant):
    """A model and a state with these hands and this pile; player 0 is on turn.

    The cards that are named nowhere lie on the discard pile.
    """
    model = rules.model(players=len(hands), **variant)
    state = model.reset(new_generator(0))
    view = model.view(state)
    view["hands"] = view["known"] = 0
    rest = whole_deck(model.players) - Counter(pile)
    for player, held in enumerate(hands):
        view["hands"][player] = bunch(held)
        rest -= Counter(held)
    set_pile(view, pile)
    view["discards"] = bunch(rest)
    return model, state


def play(model, state, *texts):
    """Let the players who decide do what the texts say."""
    for text in texts:
        (player,) = model.movers(state)
        action = parse_action(model, text)
        assert action in model.legal_actions(state, player)
        model.apply(state, {player: action}, new_generator(0))
    return model.view(state)


PILE = ["see", "kitten", "skip", "nope", "kitten"]


def test_an_attack_makes_the_target_draw_twice():
    model, state = table([["attack"], ["attack"], []], PILE)
    view = play(model, state, "attack player_1")
    assert (view["turn_of"], view["draws"]) == (1, 2)
    view = play(model, state, "attack player_2")  # they do not add up
    assert (view["turn_of"], view["draws"]) == (2, 2)
    view = play(model, state, "draw")
    assert (view["turn_of"], view["draws"]) == (2, 1)
    assert hand(view, 2) == {"see": 1}


def test_the_dead_are_passed_over():
    model, state = table([["skip"], [], ["skip"]], ["kitten", "skip", "kitten"])
    view = play(model, state, "skip", "draw")  # player 1 explodes
    assert view["order_of_death"][:3].tolist() == [0, 1, 0]
    assert view["turn_of"] == 2
    assert play(model, state, "skip")["turn_of"] == 0
    view = play(model, state, "draw")
    assert play(model, state, "draw")["order_of_death"][:3].tolist() == [0, 1, 2]
    assert model.results(state).tolist() == [WON, LOST, LOST]


def test_nopes_cancel_each_other_and_the_card_is_spent():
    nopes = [["nope", "skip"], ["nope"], ["nope", "nope"]]
    for texts, counts in (
        (("pass", "pass", "pass"), True),
        (("nope", "pass", "pass"), False),
        (("nope", "nope", "pass", "pass"), True),
        (("pass", "nope", "pass", "nope", "pass", "pass"), True),
        # Player 2 has another one and is asked about the own Nope last.
        (("pass", "nope", "pass", "pass", "nope", "nope", "nope"), True),
    ):
        model, state = table(nopes, PILE)
        view = play(model, state, "skip")
        assert phase_of(view) == "nope"
        view = play(model, state, *texts)
        assert phase_of(view) == "main"
        assert view["turn_of"] == (1 if counts else 0)
        assert hand(view, 0)["skip"] == 0
        assert view["nopes"] == 0


def test_nobody_is_asked_without_a_nope():
    model, state = table([["skip"], ["defuse"]], ["kitten"])
    assert play(model, state, "skip")["turn_of"] == 1


def test_a_favor_may_find_no_card_left():
    model, state = table([["favor", "nope"], ["nope"]], ["kitten"])
    view = play(model, state, "favor player_1", "nope", "nope")
    assert phase_of(view) == "favor"
    assert model.legal_actions(state, 1).tolist() == [cards.GIVE_NOTHING]
    view = play(model, state, "give nothing")
    assert (view["player"], hand(view, 0).total()) == (0, 0)
    model, state = table([["favor"], []], ["kitten"])
    assert model.legal_actions(state, 0).tolist() == [cards.DRAW]


def test_a_kitten_is_put_where_the_player_wants():
    for depth in range(3):
        model, state = table([["defuse"], ["tacocat"]], ["kitten", "see", "skip"])
        view = play(model, state, "draw")
        assert phase_of(view) == "defuse"
        assert hand(view, 0) == {}
        view = play(model, state, f"place {depth}")
        pile = ["see", "skip"]
        pile.insert(depth, "kitten")
        assert pile_of(view) == pile
        assert view["turn_of"] == 1


def test_orders_of_few_and_of_equal_cards():
    for pile, number in (
        (["kitten"], 1),
        (["kitten", "skip"], 2),
        (["skip", "skip", "kitten"], 3),
        (["skip", "nope", "kitten", "see"], 6),
    ):
        model, state = table([["see"], []], pile)
        play(model, state, "see")
        assert len(model.legal_actions(state, 0)) == number
    view = play(model, state, "order 3 1 2")
    assert pile_of(view) == ["kitten", "skip", "nope", "see"]


def test_published_rules():
    model, state = table(
        [["attack", "see"], [], []], ["see", "kitten", "kitten"], rulebook="published"
    )
    view = play(model, state, "see")
    assert phase_of(view) == "main"
    assert known_places(view, 0) == [0, 1, 2]
    attacks = [format_action(model, a) for a in model.legal_actions(state, 0)]
    assert attacks == ["draw", "attack player_1"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"players": 1}, "players=1: exploding_kittens is for 2 to 5 players"),
        ({"players": 6}, "players=6: exploding_kittens is for 2 to 5 players"),
        ({"rulebook": "own"}, "rulebook='own': exploding_kittens has 'tag', 'publ"),
        ({"size": 3}, "exploding_kittens has no option 'size'"),
    ],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**option)


def test_actions_are_written_and_read():
    model = rules.model()
    texts = [format_action(model, action) for action in range(model.actions)]
    assert len(set(texts)) == model.actions == 75
    for action, text in enumerate(texts):
        assert parse_action(model, text) == action
        assert parse_action(model, f"  {text.upper().replace(' ', '  ')} ") == action
    assert texts[cards.GIVE : cards.GIVE_NOTHING] == [f"give {c}" for c in CARDS[:-1]]
    with pytest.raises(ValueError, match=r"'hug' is not an action .* 'order 3 1 2' or"):
        parse_action(model, "hug")


# -- faults put into the rules are found by the recordings


def without_defuse(view):
    """A card's count: nobody has more than one defuse."""
    for player in range(len(view["hands"])):
        if hand(view, player)["defuse"] > 1:
            view["hands"][player] -= bunch(["defuse"])


def next_is_attacked(view):
    """A target: an attack is on the seat after the one that was named."""
    alive = [p for p in range(5) if int(view["alive"]) >> p & 1]
    if view["draws"] == 2:
        place = alive.index(int(view["turn_of"])) + 1
        view["player"] = view["turn_of"] = alive[place % len(alive)]


def first_is_last(view):
    """A score: the first player to be out counts as the last one."""
    deaths = view["order_of_death"]
    if int(view["alive"]).bit_count() == 1:
        deaths[deaths > 0] = deaths.max() + 1 - deaths[deaths > 0]


def bottom_first(view):
    """An order: two cards of the pile are exchanged after they were ordered."""
    if phase_of(view) == "main" and view["last"].max() == cards.PUT_BACK:
        pile = pile_of(view)
        set_pile(view, [*pile[1:2], *pile[:1], *pile[2:]])


def goes_on(view):
    """An end: the game does not end with one player left."""
    if phase_of(view) == "over":
        view["phase"] = 0


FAULTS = (without_defuse, next_is_attacked, first_is_last, bottom_first, goes_on)


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_finds_faults(fault):
    assert mismatches("exploding_kittens", fault) > 0


def test_verify_finds_nothing_in_rules_without_a_fault():
    assert mismatches("exploding_kittens", no_fault) == 0
