"""Sushi Go!: the rules against a slow twin, and what players can(not) know."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mcts_agents.envs.sushi_go.cards import ACTIONS, CARD_OF, pack, unpack
from mcts_agents.envs.sushi_go.notation import format_action, parse_action
from mcts_agents.envs.sushi_go.rules import rules
from mcts_agents.model import RESULT_NAMES, new_generator, random_below
from tests.envs.sushi_go_twin import CARDS, PUBLISHED_DECK, USE_CHOPSTICKS, Twin

TAG_DECK = {**PUBLISHED_DECK, "maki 2": 8, "maki 3": 12}
EVERY_COUNT = pytest.mark.parametrize("players", [2, 3, 4, 5])


def bunch(*cards: str) -> np.uint64:
    """Cards by name, packed."""
    held = Counter(cards)
    return pack([held[card] for card in CARDS])


def names(packed: int) -> list[str]:
    """The names of packed cards, sorted by type."""
    return [
        card for card, n in zip(CARDS, unpack(packed), strict=True) for _ in range(n)
    ]


def random_joint(model, state, rng, bold=True):
    """A random action of each mover; a `bold` one uses chopsticks when it can."""
    joint = {}
    for player in model.movers(state):
        legal = model.legal_actions(state, player)
        uses = bold and USE_CHOPSTICKS in legal
        joint[player] = (
            USE_CHOPSTICKS if uses else int(legal[random_below(rng, len(legal))])
        )
    return joint


def play_some(players, seed, decisions, **variant):
    """A model, and a state after so many joint decisions (or the game's last)."""
    model = rules.model(players=players, **variant)
    rng = new_generator(seed)
    state = model.reset(rng)
    for _ in range(decisions):
        if not model.is_over(state):
            # Chopsticks at every second chance, so that some lie there unused.
            bold = random_below(rng, 2) == 0
            model.apply(state, random_joint(model, state, rng, bold), rng)
    return model, state


positions = st.tuples(st.integers(2, 5), st.integers(0, 2**32), st.integers(0, 45))


# -- the rules


@EVERY_COUNT
@pytest.mark.parametrize("maki", ["tag2022", "published"])
@pytest.mark.parametrize("rulebook", ["tag", "published"])
def test_random_games_equal_those_of_the_twin(players, maki, rulebook):
    model = rules.model(players=players, maki=maki, rulebook=rulebook)
    deck = TAG_DECK if maki == "tag2022" else PUBLISHED_DECK
    for seed in range(30):
        rng = new_generator(seed)
        state = model.reset(rng)
        view = model.view(state)
        twin = Twin(
            players,
            deck,
            lambda: [names(hand) for hand in view["hands"][:players]],  # noqa: B023
            published=rulebook == "published",
        )
        compare(model, state, twin, deck)
        while twin.movers():
            joint = random_joint(model, state, rng, bold=seed % 2)
            model.apply(state, joint, rng)
            twin.apply(joint)
            compare(model, state, twin, deck)


def compare(model, state, twin, deck):
    """Everything that the two sets of rules say of a position."""
    players, view = model.players, model.view(state)
    assert list(model.movers(state)) == twin.movers()
    for player in twin.movers():
        assert model.legal_actions(state, player).tolist() == twin.legal(player)
    assert model.scores(state).tolist() == twin.scores
    assert [RESULT_NAMES[r] for r in model.results(state)] == twin.results()
    here = Counter(deck) - twin.pile
    here.subtract(twin.removed)
    for player in range(players):
        assert names(view["hands"][player]) == in_order(twin.remaining(player))
        assert names(view["fields"][player]) == in_order(twin.fields[player])
        assert view["on_wasabi"][player].tolist() == [
            twin.fields[player].count(f"{nigiri} on wasabi")
            for nigiri in ("squid", "salmon", "egg")
        ]
        here.subtract(names(view["hands"][player]) + names(view["fields"][player]))
        if view["pending"][player] >= 0:
            here[CARDS[CARD_OF[view["pending"][player]]]] -= 1
    assert names(view["pile"]) == in_order(twin.pile.elements())
    assert not any(here.values())  # no card is lost or made


def in_order(cards):
    plain = [card.removesuffix(" on wasabi") for card in cards]
    return sorted(plain, key=CARDS.index)


def test_published_deck_and_tag_deck_have_108_cards():
    for maki, deck in (("tag2022", TAG_DECK), ("published", PUBLISHED_DECK)):
        model = rules.model(maki=maki)
        assert unpack(model.game["deck"][0]).tolist() == list(deck.values())
        assert sum(deck.values()) == 108


# Cards played one a turn, and the points that the published rules give for them.
AT_ONCE = [
    (["tempura"], 0),
    (["tempura"] * 2, 5),
    (["tempura"] * 3, 5),
    (["tempura"] * 4, 10),
    (["sashimi"] * 2, 0),
    (["sashimi"] * 3, 10),
    (["sashimi"] * 5, 10),
    (["sashimi"] * 6, 20),
    (["dumpling"], 1),
    (["dumpling"] * 2, 3),
    (["dumpling"] * 3, 6),
    (["dumpling"] * 4, 10),
    (["dumpling"] * 5, 15),
    (["dumpling"] * 6, 15),
    (["squid", "salmon", "egg"], 6),
    (["wasabi", "squid on wasabi"], 9),
    (["wasabi", "salmon on wasabi"], 6),
    (["wasabi", "egg on wasabi", "squid"], 6),
    (["wasabi", "wasabi", "squid on wasabi", "squid on wasabi"], 18),
    (["squid", "wasabi"], 3),
    (["maki 3", "pudding", "chopsticks"], 0),
    (["tempura", "sashimi", "tempura", "sashimi", "sashimi"], 15),
]


@pytest.mark.parametrize(("plays", "points"), AT_ONCE)
def test_points_paid_at_once(plays, points):
    model = rules.model(players=2)
    rng = new_generator(0)
    state = model.reset(rng)
    view = model.view(state)
    for play in plays:
        action = parse_action(model, play)
        size = int(unpack(view["hands"][0]).sum())
        card = CARDS[CARD_OF[action]]
        view["hands"][:2] = bunch(card, *["maki 1"] * (size - 1))
        assert action in model.legal_actions(state, 0)
        model.apply(state, [action, 0], rng)
    assert model.scores(state).tolist() == [points, 0]


def last_turn(fields, rulebook, last_round=0):
    """The score of each player after a round's last turn, in which all play egg (1)."""
    model = rules.model(players=len(fields), rulebook=rulebook)
    rng = new_generator(0)
    state = model.reset(rng)
    view = model.view(state)
    view["passes"] = model.game["hand_size"][0] - 1
    view["round"] = last_round
    for player, cards in enumerate(fields):
        view["hands"][player] = bunch("egg")
        view["fields"][player] = bunch(*cards)
    model.apply(state, [CARDS.index("egg")] * len(fields), rng)
    return [int(score) - 1 for score in model.scores(state)], model, state


# Maki icons of the players; points as published; points where TAG pays differently.
MAKI = [
    ([5, 3, 1, 0], [6, 3, 0, 0], None),
    ([5, 5, 3, 0], [3, 3, 0, 0], [3, 3, 3, 0]),
    ([5, 3, 3, 1], [6, 1, 1, 0], None),
    ([4, 4, 4, 4], [1, 1, 1, 1], None),
    ([2, 0, 0, 0], [6, 0, 0, 0], None),
    ([0, 0, 0, 0], [0, 0, 0, 0], None),
    ([1, 3, 2], [0, 6, 3], None),
    ([2, 2, 2, 1, 1], [2, 2, 2, 0, 0], [2, 2, 2, 1, 1]),
    ([6, 2, 2, 2, 2], [6, 0, 0, 0, 0], None),
]


@pytest.mark.parametrize(("icons", "published", "tag"), MAKI)
def test_maki_points(icons, published, tag):
    fields = [["maki 3"] * (n // 3) + [f"maki {n % 3}"] * (n % 3 > 0) for n in icons]
    assert last_turn(fields, "published")[0] == published
    assert last_turn(fields, "tag")[0] == (tag or published)


PUDDINGS = [
    ([3, 1, 2, 2], [6, -6, 0, 0], None),
    ([3, 3, 1, 1], [3, 3, -3, -3], None),
    ([2, 0, 0, 0], [6, -2, -2, -2], None),
    ([1, 0, 0, 0, 0], [6, -1, -1, -1, -1], None),
    ([2, 2, 2, 2], [0, 0, 0, 0], None),
    ([0, 0, 0], [0, 0, 0], None),
    ([4, 2], [6, 0], [6, -6]),
    ([1, 1], [0, 0], None),
]


@pytest.mark.parametrize(("puddings", "published", "tag"), PUDDINGS)
def test_pudding_points(puddings, published, tag):
    fields = [["pudding"] * n for n in puddings]
    assert last_turn(fields, "published", last_round=2)[0] == published
    assert last_turn(fields, "tag", last_round=2)[0] == (tag or published)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([["maki 1"], [], []], ["won", "lost", "lost"]),
        # Puddings pay 6, -3, -3.
        ([["pudding", "pudding"], ["pudding"], ["pudding"]], ["won", "lost", "lost"]),
        # Puddings pay 3, 3, -6; maki pay the last player 6.
        ([["pudding"], ["pudding"], ["maki 1"]], ["drawn", "drawn", "lost"]),
        ([[], [], []], ["drawn", "drawn", "drawn"]),
    ],
)
def test_results(fields, expected):
    _, model, state = last_turn(fields, "published", last_round=2)
    assert [RESULT_NAMES[r] for r in model.results(state)] == expected
    assert model.is_over(state)


def test_more_puddings_win_where_points_are_equal():
    _, model, state = last_turn([["pudding"], ["maki 1"]], "published", last_round=2)
    assert model.scores(state).tolist() == [7, 7]
    assert [RESULT_NAMES[r] for r in model.results(state)] == ["won", "lost"]


def test_puddings_stay_and_all_else_goes_after_a_round():
    _, model, state = last_turn([["pudding", "wasabi"], ["sashimi"]], "tag")
    view = model.view(state)
    assert [names(field) for field in view["fields"][:2]] == [["pudding"], []]
    assert (view["round"], view["passes"]) == (1, 0)
    assert [len(names(hand)) for hand in view["hands"][:2]] == [10, 10]
    assert not any(a >= 12 for a in model.legal_actions(state, 0))  # wasabi is gone


def table(players, hands, fields, **variant):
    """A model and a state in which the players have these cards."""
    model = rules.model(players=players, **variant)
    state = model.reset(new_generator(0))
    view = model.view(state)
    for player in range(players):
        view["hands"][player] = bunch(*hands[player])
        view["fields"][player] = bunch(*fields[player])
        view["wasabi"][player] = fields[player].count("wasabi")
    view["passes"] = model.game["hand_size"][0] - len(hands[0])
    return model, state


def test_chopsticks_play_two_cards_and_go_back_into_the_hand_that_passes():
    model, state = table(
        3,
        [["wasabi", "squid", "egg"], ["tempura"] * 3, ["sashimi"] * 3],
        [["chopsticks"], [], []],
    )
    rng = new_generator(0)
    model.apply(state, {0: 15, 1: 3, 2: 4}, rng)
    assert model.movers(state) == (0,)
    assert model.legal_actions(state, 0).tolist() == [6, 8, 9]  # no second chopsticks
    model.apply(state, {0: 9}, rng)
    assert model.legal_actions(state, 0).tolist() == [6, 8, 12, 14]
    assert model.scores(state).tolist() == [0, 0, 0]
    model.apply(state, {0: 12}, rng)
    view = model.view(state)
    assert model.movers(state) == (0, 1, 2)
    assert model.scores(state).tolist() == [9, 0, 0]
    assert names(view["fields"][0]) == ["squid", "wasabi"]
    assert [names(hand) for hand in view["hands"][:3]] == [
        ["tempura", "tempura"],
        ["sashimi", "sashimi"],
        ["egg", "chopsticks"],
    ]


@pytest.mark.parametrize(
    ("hand", "field", "allowed"),
    [
        (["egg", "squid"], ["chopsticks"], True),
        (["egg"], ["chopsticks"], False),  # two cards are needed
        (["egg", "chopsticks"], [], False),  # must lie on the field
    ],
)
def test_when_chopsticks_may_be_used(hand, field, allowed):
    model, state = table(2, [hand, hand], [field, []])
    assert (USE_CHOPSTICKS in model.legal_actions(state, 0)) == allowed
    assert USE_CHOPSTICKS not in model.legal_actions(state, 1)


def test_wasabi_is_optional_for_tag_and_compulsory_as_published():
    cards = [["egg", "salmon", "tempura"], ["egg"] * 3], [["wasabi"], []]
    tag, state = table(2, *cards)
    assert tag.legal_actions(state, 0).tolist() == [3, 7, 8, 13, 14]
    published, state = table(2, *cards, rulebook="published")
    assert published.legal_actions(state, 0).tolist() == [3, 13, 14]
    assert published.legal_actions(state, 1).tolist() == [8]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"players": 1}, "players=1: sushi_go is for 2 to 5 players"),
        ({"players": 9}, "players=9: sushi_go is for 2 to 5 players"),
        ({"maki": "many"}, "maki='many': sushi_go has 'tag2022', 'published'"),
        ({"rulebook": "x"}, "rulebook='x': sushi_go has 'tag', 'published'"),
        ({"size": 3}, "sushi_go has no option 'size'"),
    ],
)
def test_wrong_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**option)


# -- uniform play


@pytest.mark.parametrize("rulebook", ["tag", "published"])
def test_random_actions_are_uniform_among_the_legal(rulebook):
    hand = ["egg", "squid", "squid", "tempura", "pudding", "chopsticks"]
    model, state = table(
        2, [hand, hand], [["wasabi", "chopsticks"], []], rulebook=rulebook
    )
    rng = new_generator(1)
    for player, kinds in ((0, {"tag": 8, "published": 6}[rulebook]), (1, 5)):
        legal = model.legal_actions(state, player).tolist()
        assert len(legal) == kinds
        drawn = Counter(
            model.call("random_action", state.ctypes.data, player, rng.ctypes.data)
            for _ in range(8000)
        )
        assert sorted(drawn) == legal
        assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@settings(max_examples=60, deadline=None)
@given(positions, st.integers(0, 130))
def test_playout_is_random_stepping_up_to_its_limit(position, limit):
    """Same generator, same game; no joint decision that would exceed the limit."""
    model, state = play_some(*position)
    played, stepped = model.copy(state), model.copy(state)
    rng, other = new_generator(7), new_generator(7)
    count = model.call("playout", played.ctypes.data, rng.ctypes.data, limit)
    steps = 0
    while (movers := model.movers(stepped)) and steps + len(movers) <= limit:
        joint = {
            p: model.call("random_action", stepped.ctypes.data, p, other.ctypes.data)
            for p in movers
        }
        model.apply(stepped, joint, other)
        steps += len(movers)
    assert count == steps
    assert (played == stepped).all()


# -- what players know


def known_owners(model, state, observer):
    """Seats whose hands the observer has held, and its own (rules, hidden part)."""
    passes = min(int(model.view(state)["passes"]), model.players - 1)
    return {(observer - back) % model.players for back in range(passes + 1)}


def shown_hands(model, state):
    """Hands with the cards that were chosen in secret put back."""
    view = model.view(state)
    hands = []
    for player in range(model.players):
        cards = names(view["hands"][player])
        if view["pending"][player] >= 0:
            cards.append(CARDS[CARD_OF[view["pending"][player]]])
        hands.append(in_order(cards))
    return hands


@settings(max_examples=150, deadline=None)
@given(positions, st.integers(0, 4), st.integers(0, 2**32))
def test_redeterminise_keeps_all_that_the_observer_knows(position, observer, seed):
    model, state = play_some(*position)
    observer %= model.players
    other = model.copy(state)
    model.redeterminise(other, observer, new_generator(seed))
    view, new = model.view(state), model.view(other)
    assert (model.observe(other, observer) == model.observe(state, observer)).all()
    assert model.movers(other) == model.movers(state)
    assert (model.scores(other) == model.scores(state)).all()
    assert (model.results(other) == model.results(state)).all()
    for field in ("fields", "on_wasabi", "users", "step", "passes", "round", "last"):
        assert np.array_equal(view[field], new[field])
    for field in ("hands", "wasabi", "pending"):
        assert view[field][observer] == new[field][observer]
    before, after = shown_hands(model, state), shown_hands(model, other)
    for owner in known_owners(model, state, observer):
        assert before[owner] == after[owner]
    assert [len(hand) for hand in before] == [len(hand) for hand in after]
    assert in_order(sum(before, names(view["pile"]))) == in_order(
        sum(after, names(new["pile"]))
    )
    if observer in model.movers(state):
        legal = model.legal_actions(state, observer)
        assert (model.legal_actions(other, observer) == legal).all()
    finish_like_the_twin(model, other)


def finish_like_the_twin(model, state):
    """A sample is a position of the game: it can be played out to a sound end."""
    rng = new_generator(0)
    while not model.is_over(state):
        hands = model.view(state)["hands"][: model.players]
        assert all(unpack(hand).max() <= 10 for hand in hands)
        model.apply(state, random_joint(model, state, rng), rng)
    assert all(r > 0 for r in model.results(state))


@settings(max_examples=150, deadline=None)
@given(positions, st.integers(0, 4), st.integers(0, 2**32), st.randoms())
def test_equal_information_and_seed_give_equal_samples(
    position, observer, seed, random
):
    """What the observer cannot see is permuted by hand; the samples stay the same."""
    model, state = play_some(*position)
    observer %= model.players
    twisted = model.copy(state)
    permute_hidden(model, twisted, observer, random)
    assert (model.observe(twisted, observer) == model.observe(state, observer)).all()
    model.redeterminise(state, observer, new_generator(seed))
    model.redeterminise(twisted, observer, new_generator(seed))
    assert (state == twisted).all()


def permute_hidden(model, state, observer, random):
    """Exchange the cards of unknown hands and pile, pending cards and the pile's order.

    Written with lists of names, independent of `redeterminise`.
    """
    view = model.view(state)
    hands = shown_hands(model, state)
    known = known_owners(model, state, observer)
    unknown = [p for p in range(model.players) if p not in known]
    cards = [card for p in unknown for card in hands[p]] + names(view["pile"])
    random.shuffle(cards)
    for owner in unknown:
        size = len(hands[owner])
        hands[owner], cards = cards[:size], cards[size:]
    view["pile"] = bunch(*cards)
    view["pile_order"] = random.getrandbits(60), random.getrandbits(60)
    for owner in set(range(model.players)) - {observer}:
        if view["pending"][owner] >= 0:
            card = random.choice(hands[owner])
            hands[owner].remove(card)
            free = names(view["fields"][owner]).count("wasabi")
            free -= view["on_wasabi"][owner].sum()
            view["wasabi"][owner] = free + (card == "wasabi")
            view["pending"][owner] = CARDS.index(card)
        view["hands"][owner] = bunch(*hands[owner])


def test_unknown_cards_are_dealt_uniformly():
    """Counts in unknown hands and in later deals follow the hypergeometric law."""
    model, state = play_some(4, 5, 1)
    view = model.view(state)
    unseen = names(view["pile"]) + names(view["hands"][1]) + names(view["hands"][2])
    deck = Counter(unseen)
    size = len(names(view["hands"][1]))
    samples = 4000
    rng = new_generator(3)
    found = {(card, owner): Counter() for card in CARDS for owner in (1, 2, "later")}
    for _ in range(samples):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        hands = {p: names(model.view(sample)["hands"][p]) for p in (1, 2)}
        while model.view(sample)["round"] == 0:
            model.apply(sample, random_joint(model, sample, rng, bold=False), rng)
        hands["later"] = names(model.view(sample)["hands"][3])
        for card, owner in found:
            found[card, owner][hands[owner].count(card)] += 1
    for (card, owner), counts in found.items():
        drawn = 8 if owner == "later" else size
        law = stats.hypergeom(len(unseen), deck[card], drawn)
        assert_follows(counts, law, samples)


def assert_follows(counts, law, samples):
    """Chi-square test of counts of 0, 1, 2, ...; the thin tail is one class."""
    last = max(n for n in range(11) if samples * law.sf(n - 1) >= 10)
    expected = [samples * law.pmf(n) for n in range(last)] + [
        samples * law.sf(last - 1)
    ]
    observed = [counts[n] for n in range(last)]
    observed.append(samples - sum(observed))
    assert stats.chisquare(observed, expected).pvalue > 1e-5


def waiting_for_chopsticks():
    """Player 0 uses chopsticks, while player 1 has chosen a card in secret."""
    model, state = table(
        2,
        [["tempura", "sashimi", "egg"], ["squid", "squid", "salmon"]],
        [["chopsticks"], ["wasabi"]],
    )
    model.apply(state, {0: USE_CHOPSTICKS, 1: 12}, new_generator(0))
    return model, state


def test_pending_choices_of_others_are_chosen_anew_uniformly():
    model, state = waiting_for_chopsticks()
    view = model.view(state)
    view["passes"] = 7  # both hands are known
    rng = new_generator(2)
    drawn = Counter()
    for _ in range(4000):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        drawn[int(model.view(sample)["pending"][1])] += 1
    assert sorted(drawn) == [6, 7, 12, 13]  # plain or on the wasabi
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


def test_own_pending_choice_is_kept_and_known():
    model, state = waiting_for_chopsticks()
    for seed in range(20):
        sample = model.copy(state)
        model.redeterminise(sample, 1, new_generator(seed))
        assert model.view(sample)["pending"][1] == 12
    common = model.observe(state, 1)[-1]
    assert common[12:27].tolist() == [0] * 12 + [1, 0, 0]
    assert not model.observe(state, 0)[-1][12:27].any()


@settings(max_examples=100, deadline=None)
@given(positions, st.randoms())
def test_observation_tells_nothing_that_is_hidden(position, random):
    model, state = play_some(*position)
    for observer in range(model.players):
        twisted = model.copy(state)
        permute_hidden(model, twisted, observer, random)
        seen = model.observe(state, observer)
        assert (seen == model.observe(twisted, observer)).all()
        assert seen.min() >= -6
        assert seen.any()


def test_what_an_observation_says():
    model, state = table(
        3,
        [["tempura"] * 8, ["egg"] * 8, ["wasabi", *["squid"] * 7]],
        [["chopsticks"], ["wasabi", "salmon"], ["pudding"] * 2],
    )
    view = model.view(state)
    view["pile"] = bunch("dumpling", "dumpling")
    view["on_wasabi"][1] = 0, 1, 0
    view["scores"][:3] = 4, 6, -1
    seen = model.observe(state, 1)
    own, second, third, common = seen
    assert seen.dtype == np.int8
    assert own[:13].tolist() == [0] * 8 + [8, 0, 0, 0, 1]
    assert own[13:25].tolist() == [0] * 7 + [1, 0, 1, 0, 0]
    assert own[25:].tolist() == [0, 1, 0, 6, 0]
    assert not second[:13].any()  # one pass: seat 2 holds what seat 1 has not seen
    assert second[24] == 2
    assert second[28] == -1
    assert third[:13].tolist() == [0] * 3 + [8] + [0] * 8 + [1]  # it came from seat 1
    assert common[:12].tolist() == [0] * 5 + [2, 7, 0, 0, 1, 0, 0]
    assert common[27:].tolist() == [0, 8, 0]


# -- notation


def test_actions_are_written_and_read():
    model = rules.model()
    texts = [format_action(model, action) for action in range(ACTIONS)]
    assert texts[3] == "tempura"
    assert texts[10] == "chopsticks"
    assert texts[12] == "squid on wasabi"
    assert texts[15] == "use chopsticks"
    assert [parse_action(model, text) for text in texts] == list(range(ACTIONS))
    assert parse_action(model, "  Squid  ON wasabi ") == 12


def test_unknown_text_is_answered_with_what_was_expected():
    with pytest.raises(
        ValueError, match=r"'sushi' is no action of sushi_go; .*tempura"
    ):
        parse_action(rules.model(), "sushi")
