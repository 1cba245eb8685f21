"""The rules of Dominion: against a slow twin, invariants, and single plays."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.dominion import cards
from mcts_agents.envs.dominion.notation import format_action, parse_action
from mcts_agents.envs.dominion.rules import LEGAL_LIMIT, rules
from mcts_agents.model import LOST, PLAYING, WON, draw_below, new_generator
from tests.envs.dominion_positions import (
    CARDS,
    PHASES,
    all_cards,
    bunch,
    names,
    phase_of,
    pile_of,
    play_some,
    set_hand,
    set_pile,
    whole_game,
)
from tests.envs.dominion_twin import COSTS, Twin
from tests.envs.faulty_rules import mismatches, no_fault

positions = st.tuples(st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 250))


# -- against the twin


def assert_equal(model, state, twin):
    view, players = model.view(state), range(model.players)
    is_over = twin.phase == "over"
    assert list(model.movers(state)) == ([] if is_over else [twin.mover])
    assert phase_of(view) == twin.phase
    for field in ("hands", "discards", "known"):
        found = [names(view[field][player]) for player in players]
        assert found == [+cards for cards in getattr(twin, field)]
    assert [pile_of(view, player) for player in players] == twin.piles
    assert names(view["table"]) == +twin.table
    assert names(view["supply"]) == +twin.supply
    owned = sum((names(view["owned"][p]) for p in players), Counter())
    whole = whole_game(model.players, twin.published)
    assert whole - owned - twin.supply == +twin.trash
    assert model.turn(state) == twin.turns
    assert model.round(state) == twin.turns // model.players
    assert model.scores(state).tolist() == twin.points()
    results = [WON if p in twin.winners() else LOST for p in players]
    expected = results if is_over else [PLAYING] * model.players
    assert model.results(state).tolist() == expected
    if not is_over:
        assert (view["turn_of"], view["actions"]) == (twin.turn_of, twin.actions)
        assert (view["buys"], view["merchants"]) == (twin.buys, twin.merchants)
        assert (view["money"], view["spent"]) == (twin.money, twin.spent)


@pytest.mark.parametrize("rulebook", ["tag", "published"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_equal_those_of_the_twin(players, rulebook):
    model, seen = rules.model(players=players, rulebook=rulebook), Counter()
    for seed in range(6):
        rng = new_generator(seed)
        state = model.reset(rng)
        view = model.view(state)
        hands = [names(view["hands"][player]) for player in range(players)]
        piles = [pile_of(view, player) for player in range(players)]
        start = Counter(copper=7, estate=3)
        assert [h + Counter(p) for h, p in zip(hands, piles, strict=True)] == [
            start
        ] * players
        assert [hand.total() for hand in hands] == [5] * players
        twin = Twin(hands, piles, rulebook == "published")
        while model.movers(state):
            assert_equal(model, state, twin)
            all_cards(model, state)
            actions = model.legal_actions(state, twin.mover)
            assert len(actions) <= LEGAL_LIMIT
            assert (np.diff(actions) > 0).all()
            words = [format_action(model, action) for action in actions]
            assert sorted(words) == sorted(twin.legal())
            chosen = draw_below(rng, len(words))
            if seed % 2:  # what was seldom done is done more often
                others = [chosen, *(draw_below(rng, len(words)) for _ in range(3))]
                chosen = min(others, key=lambda n: seen[words[n]])
            model.apply(state, {twin.mover: actions[chosen]}, rng)
            now = [pile_of(view, player) for player in range(players)]
            twin.do(words[chosen], now)
            seen[words[chosen]] += 1
        assert_equal(model, state, twin)
    assert {word for word in seen if word.startswith("play")} == {
        f"play {card}" for card in CARDS[cards.KINGDOM :]
    }
    assert {"reveal moat", "done", "gain gold", "trash copper"} <= set(seen)


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 60))
def test_playout_is_random_stepping_up_to_its_limit(position, limit):
    """Same generator, same game; no card is lost and somebody wins."""
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
    model.call("playout", played.ctypes.data, rng.ctypes.data, 100_000)
    all_cards(model, played)
    assert WON in model.results(played)
    assert PLAYING not in model.results(played)


@pytest.mark.parametrize("rulebook", ["tag", "published"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_card_is_lost_in_random_games(players, rulebook):
    model = rules.model(players=players, rulebook=rulebook)
    rng = new_generator(players)
    for _ in range(150):
        state = model.reset(rng)
        for _ in range(3):
            limit = draw_below(rng, 150)
            model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
            all_cards(model, state)
            model.redeterminise(state, draw_below(rng, players), rng)
            all_cards(model, state)
        model.call("playout", state.ctypes.data, rng.ctypes.data, 100_000)
        all_cards(model, state)
        view = model.view(state)
        empty = 16 - int(view["stocked"]).bit_count()
        assert empty >= 3 or names(view["supply"])["province"] == 0


# -- single plays


def table(*hands, piles=(), discards=(), **variant):
    """A model and a state with these hands; player 0 is on turn.

    Of each player a hand as text is given, and for some the pile, next card first, and
    the discards. Cards that are named nowhere lie in the supply.
    """
    model = rules.model(players=len(hands), **variant)
    state = model.reset(new_generator(0))
    view = model.view(state)
    rest = whole_game(model.players, bool(model.game["published"][0]))
    for player, hand in enumerate(hands):
        pile = piles[player].split() if player < len(piles) else []
        thrown = discards[player].split() if player < len(discards) else []
        set_hand(view, player, hand.split())
        set_pile(view, player, pile)
        view["discards"][player] = bunch(thrown)
        held = Counter(hand.split()) + Counter(pile) + Counter(thrown)
        view["owned"][player] = bunch(held)
        view["points"][player] = sum(
            cards.POINTS[CARDS.index(card)] * n for card, n in held.items()
        )
        rest -= held
    set_supply(view, rest)
    return model, state


def set_supply(view, supply):
    """Let the supply hold these cards."""
    view["supply"] = bunch(supply)
    view["stocked"] = sum(1 << CARDS.index(card) for card, n in supply.items() if n)


def play(model, state, *texts):
    """Let the players who decide do what the texts say."""
    for text in texts:
        (player,) = model.movers(state)
        action = parse_action(model, text)
        assert action in model.legal_actions(state, player), text
        model.apply(state, {player: action}, new_generator(0))
    return model.view(state)


def legal(model, state):
    """What the player who decides may do, as text."""
    (player,) = model.movers(state)
    return [format_action(model, a) for a in model.legal_actions(state, player)]


def hand(view, player):
    return sorted(names(view["hands"][player]).elements())


def test_costs_are_those_of_the_twin():
    assert dict(zip(CARDS, cards.COST.tolist(), strict=True)) == COSTS


def test_a_merchant_pays_with_a_silver_in_hand():
    for card, coins in (("silver", 4), ("gold", 3)):
        model, state = table(f"merchant merchant {card}", "", piles=["estate duchy"])
        view = play(model, state, "play merchant", "play merchant", "end")
        assert (view["merchants"], view["phase"]) == (0, PHASES.index("buy"))
        offers = [word.split()[-1] for word in legal(model, state)[1:]]
        assert offers == [card for card in CARDS if COSTS[card] <= coins]


def test_a_cellar_draws_as_many_as_were_discarded():
    model, state = table(
        "cellar estate estate copper", "", piles=["gold"], discards=["silver"]
    )
    play(model, state, "play cellar", "discard estate", "discard estate")
    assert legal(model, state) == ["discard copper", "done"]
    view = play(model, state, "done")
    # The discards were shuffled after the pile was drawn.
    assert view["hand_sizes"][0] == 3
    assert names(view["hands"][0])["gold"] == 1
    assert len(pile_of(view, 0)) == 2
    assert (view["actions"], view["discarded"]) == (1, 0)
    assert phase_of(view) == "play"


def test_treasures_of_a_mine_go_to_the_hand():
    model, state = table("mine silver estate", "estate")
    play(model, state, "play mine")
    assert legal(model, state) == ["trash silver"]
    play(model, state, "trash silver")
    assert legal(model, state) == ["gain copper", "gain silver", "gain gold"]
    view = play(model, state, "gain gold")
    assert hand(view, 0) == ["estate", "gold"]
    assert phase_of(view) == "buy"
    model, state = table("mine estate", "estate")
    assert phase_of(play(model, state, "play mine")) == "buy"


def test_a_remodel_must_be_used():
    model, state = table("remodel gold", "estate")
    play(model, state, "play remodel")
    assert legal(model, state) == ["trash gold"]
    play(model, state, "trash gold")
    assert len(legal(model, state)) == 16
    view = play(model, state, "gain province")
    assert model.scores(state).tolist() == [6, 1]
    assert names(view["discards"][0]) == {"province": 1}
    model, state = table("remodel", "estate")
    assert phase_of(play(model, state, "play remodel")) == "buy"


def test_nothing_is_gained_where_nothing_is_left():
    for hand_, texts in (
        ("workshop", ["play workshop"]),
        ("remodel copper", ["play remodel", "trash copper"]),
    ):
        model, state = table(hand_, "estate")
        set_supply(model.view(state), {"gold": 1, "province": 2})
        assert phase_of(play(model, state, *texts)) == "buy"


def test_a_militia_goes_around_the_table():
    model, state = table("militia", "copper " * 5, "moat gold gold", "estate " * 4)
    view = play(model, state, "play militia")
    assert (view["player"], phase_of(view)) == (1, "militia")
    view = play(model, state, "discard copper", "discard copper")
    assert (view["player"], phase_of(view)) == (2, "attacked")
    assert legal(model, state) == ["reveal moat", "done"]
    view = play(model, state, "done")  # three cards are left to him
    assert (view["player"], phase_of(view)) == (3, "militia")
    view = play(model, state, "discard estate")
    assert (view["player"], phase_of(view)) == (0, "buy")
    assert view["hand_sizes"].tolist() == [0, 3, 3, 3]


def test_a_moat_protects_for_a_turn_or_is_shown_again():
    for rulebook, phase in (("tag", "buy"), ("published", "attacked")):
        model, state = table(
            "village militia militia", "moat " * 5, piles=["gold"], rulebook=rulebook
        )
        play(model, state, "play village", "play militia", "reveal moat")
        view = play(model, state, "play militia")
        assert phase_of(view) == phase
        assert view["hand_sizes"][1] == 5


def test_the_published_mine_need_not_be_used():
    for cards_, texts in (
        ("mine silver", ["trash silver", "done"]),
        ("mine estate", ["done"]),
    ):
        model, state = table(cards_, "", rulebook="published")
        play(model, state, "play mine")
        assert legal(model, state) == texts
        view = play(model, state, "done")
        assert (phase_of(view), view["hand_sizes"][0]) == ("buy", 1)


def test_clean_up_discards_all_and_draws_five():
    model, state = table(
        "village copper copper", "", piles=["gold estate estate"], discards=["duchy"]
    )
    view = play(model, state, "play village", "end", "buy silver", "end")
    assert view["turn_of"] == 1
    assert view["hand_sizes"][0] == 5
    assert names(view["table"]) == names(view["discards"][0]) == {}
    assert names(view["owned"][0]).total() == 8
    assert len(pile_of(view, 0)) == 3


def test_the_game_ends_after_the_buys():
    model, state = table("gold gold copper copper market", "", piles=["gold"])
    view = model.view(state)
    supply = names(view["supply"])
    supply["province"] = 1
    set_supply(view, supply)
    play(model, state, "play market", "end", "buy province")
    assert not model.is_over(state)
    play(model, state, "buy estate")
    assert model.is_over(state)
    assert model.results(state).tolist() == [WON, LOST]


@pytest.mark.parametrize(("empty", "is_over"), [(2, False), (3, True)])
def test_three_empty_piles_end_the_game(empty, is_over):
    model, state = table("copper", "estate", "estate")
    view = model.view(state)
    supply = names(view["supply"])
    for card in ("copper", "moat", "gold")[:empty]:
        supply[card] = 0
    set_supply(view, supply)
    play(model, state, "end", "end")
    assert model.is_over(state) == is_over
    if is_over:  # tied players win together
        assert model.results(state).tolist() == [LOST, WON, WON]


@pytest.mark.parametrize("rulebook", ["tag", "published"])
def test_fewer_turns_decide_published_ties(rulebook):
    model, state = table("estate", "estate", rulebook=rulebook)
    set_supply(model.view(state), {"copper": 1})
    play(model, state, "end", "end")
    first = WON if rulebook == "tag" else LOST
    assert model.results(state).tolist() == [first, WON]


@pytest.mark.parametrize(
    ("hands", "texts", "number"),
    [
        (["cellar moat smithy copper", ""], (), 4),
        (["copper copper copper", ""], ("end",), 9),
        (["cellar moat smithy gold", ""], ("play cellar",), 4),
        (["workshop", ""], ("play workshop",), 11),
        (["remodel gold estate duchy", ""], ("play remodel",), 3),
        (["militia", "moat gold"], ("play militia",), 2),
        (["militia", "gold duchy estate silver"], ("play militia",), 4),
    ],
)
def test_random_actions_are_uniform_among_the_legal(hands, texts, number):
    model, state = table(*hands)
    play(model, state, *texts)
    (player,) = model.movers(state)
    rng = new_generator(1)
    actions = model.legal_actions(state, player).tolist()
    assert len(actions) == number
    drawn = Counter(
        model.call("random_action", state.ctypes.data, player, rng.ctypes.data)
        for _ in range(4000)
    )
    assert sorted(drawn) == actions
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"players": 1}, "players=1: dominion is for 2 to 4 players"),
        ({"players": 5}, "players=5: dominion is for 2 to 4 players"),
        ({"rulebook": "own"}, "rulebook='own': dominion has 'tag', 'published'"),
        ({"size": 3}, "dominion has no option 'size'"),
    ],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**option)


def test_actions_are_written_and_read():
    model = rules.model()
    texts = [format_action(model, action) for action in range(model.actions)]
    assert len(set(texts)) == model.actions == 77
    for action, text in enumerate(texts):
        assert parse_action(model, text) == action
        assert parse_action(model, f"  {text.upper().replace(' ', '  ')} ") == action
    assert texts[cards.BUY : cards.GAIN] == [f"buy {card}" for card in CARDS]
    assert texts[1:3] == ["play cellar", "play market"]
    message = r"'hug' is not an action .* 'end', 'reveal moat'"
    with pytest.raises(ValueError, match=message):
        parse_action(model, "hug")


# -- faults put into the rules are found by the recordings


def smithies_draw_two(view):
    """A card's count: of the three cards of a Smithy one goes back."""
    player = int(view["turn_of"])
    if view["last"][player] == 8 + cards.PLAY - 1 and view["hand_sizes"][player] > 2:
        held = sorted(names(view["hands"][player]).elements())
        set_hand(view, player, held[1:])
        set_pile(view, player, [held[0], *pile_of(view, player)])


def next_is_attacked(view):
    """A target: the seat after the one that a Militia attacks has to discard."""
    if phase_of(view) == "militia":
        view["player"] = (view["player"] + 1) % 2


def duchies_count_four(view):
    """A score."""
    for player in range(4):
        if view["last"][player] == cards.BUY + CARDS.index("duchy"):
            view["points"][player] += 1


def bottom_first(view):
    """An order: the first and the last card of a pile are exchanged."""
    pile = pile_of(view, 0)
    if len(pile) > 1:
        set_pile(view, 0, [pile[-1], *pile[1:-1], pile[0]])


def goes_on(view):
    """An end: the game does not end with three empty piles."""
    if phase_of(view) == "over" and names(view["supply"])["province"]:
        view["phase"] = 0


FAULTS = (
    smithies_draw_two,
    next_is_attacked,
    duchies_count_four,
    bottom_first,
    goes_on,
)


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_finds_faults(fault):
    assert mismatches("dominion", fault) > 0


def test_verify_finds_nothing_in_rules_without_a_fault():
    assert mismatches("dominion", no_fault) == 0
