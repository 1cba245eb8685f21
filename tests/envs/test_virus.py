"""The rules of Virus! against a twin in plain Python, and single cases."""

from collections import Counter

import pytest

from mcts_agents.envs.virus.notation import format_action, parse_action
from mcts_agents.envs.virus.rules import LEGAL_LIMIT, rules
from mcts_agents.model import RESULT_NAMES, draw_below, new_generator
from tests.envs.virus_positions import (
    COLOURS,
    WHOLE_DECK,
    all_cards,
    body,
    hand,
    pile,
    random_play,
    table,
)
from tests.envs.virus_twin import Twin

PUBLISHED = {"rulebook": "published"}


@pytest.mark.parametrize(
    ("players", "options"),
    [(2, {}), (4, {}), (6, {}), (2, PUBLISHED), (3, PUBLISHED), (5, PUBLISHED)],
)
def test_whole_games_agree_with_the_twin(players, options):
    model = rules.model(players=players, **options)
    played, shuffles = Counter(), 0
    for seed in range(12):
        rng = new_generator(seed)
        state = model.reset(rng)
        view = model.view(state)
        hands = [hand(view, player) for player in range(players)]
        twin = Twin(hands, pile(view), bool(options))
        while not twin.over:
            (player,) = model.movers(state)
            assert player == twin.player
            legal = model.legal_actions(state, player).tolist()
            assert legal == sorted(set(legal))
            texts = [format_action(model, action) for action in legal]
            assert set(texts) == twin.legal()
            # Half of the games without most of the discards, which make games long.
            plays = [t for t in texts if not t.startswith("discard")] or texts
            choice = plays if seed % 2 and draw_below(rng, 4) else texts
            text = choice[draw_below(rng, len(choice))]
            played[text.split()[0], twin.spreads_on] += 1
            model.apply(state, {player: parse_action(model, text)}, rng)
            twin.apply(text, hand(view, player), pile(view))
            assert [hand(view, p) for p in range(players)] == twin.hands
            bodies = [body(view, p) for p in range(players)]
            lying = [{c: tuple(x) for c, x in b.items()} for b in twin.bodies]
            assert bodies == lying
            assert pile(view) == twin.pile
            assert all_cards(model, state) == WHOLE_DECK
            assert Counter(twin.discards) == Counter(discards(view))
            assert model.turn(state) == twin.turns
            healthy = [twin.healthy(p) for p in range(players)]
            assert model.scores(state).tolist() == healthy
            assert model.is_over(state) == twin.over
        names = [RESULT_NAMES[result] for result in model.results(state)]
        assert names == twin.results()
        shuffles += twin.shuffles
    assert shuffles
    assert {kind for kind, _ in played} >= {
        *("organ", "medicine", "virus", "thief", "spreading", "transplant", "glove"),
        *("error", "draw", "discard"),
    }


def discards(view):
    """The discards."""
    numbers = view["discards"].tolist()
    return [card for card, n in zip(WHOLE_DECK, numbers, strict=True) for _ in range(n)]


def test_random_games_end_and_keep_all_cards():
    """Of 100 rounds at most; the larger soak was run once by hand."""
    lengths = []
    for seed in range(40):
        players = 2 + seed % 5
        options = PUBLISHED if seed % 2 else {}
        model = rules.model(players=players, **options)
        for state, player in random_play(model, seed):
            if player is not None:
                assert 0 < len(model.legal_actions(state, player)) <= LEGAL_LIMIT
        assert all_cards(model, state) == WHOLE_DECK
        assert model.turn(state) <= 100 * players
        won = max(model.scores(state)) >= 4
        assert won == ("won" in [RESULT_NAMES[r] for r in model.results(state)])
        lengths.append(model.turn(state))
    assert max(lengths) > min(lengths)


# -- single cases


def legal_names(model, state):
    (player,) = model.movers(state)
    actions = model.legal_actions(state, player)
    return {format_action(model, int(action)) for action in actions}


def plays(model, state):
    return {name for name in legal_names(model, state) if "discard" not in name}


def play(model, state, *texts):
    for text in texts:
        (player,) = model.movers(state)
        assert text in legal_names(model, state)
        joint = {player: parse_action(model, text)}
        model.apply(state, joint, new_generator(0))


PILE = ["virus bone", "virus bone", "organ bone", "organ bone", "medicine bone"]


@pytest.mark.parametrize(
    ("lying", "card", "after"),
    [
        ([], "virus brain", ("virus brain",)),
        ([], "medicine wild", ("medicine wild",)),
        (["virus brain"], "virus wild", None),
        (["virus brain"], "medicine brain", ()),
        (["virus wild"], "medicine heart", ()),
        (["medicine brain"], "virus brain", ()),
        (["medicine wild"], "virus stomach", ()),
        (["medicine brain"], "medicine wild", ("medicine brain", "medicine wild")),
    ],
)
def test_what_viruses_and_medicines_do(lying, card, after):
    is_own = card.startswith("medicine")
    bodies = [{"brain": lying}, {}] if is_own else [{}, {"brain": lying}]
    model, state = table([[card], []], bodies, PILE)
    play(model, state, f"{card} on brain" + ("" if is_own else " of +1"))
    view = model.view(state)
    found = body(view, 0 if is_own else 1)
    assert found == ({} if after is None else {"brain": after})
    assert all_cards(model, state) == WHOLE_DECK
    assert len(hand(view, 0)) == 3


@pytest.mark.parametrize("colour", COLOURS)
def test_which_organs_a_virus_can_infect(colour):
    his = {c: [] for c in COLOURS} | {"bone": ["medicine wild"]}
    his["brain"] = ["medicine brain", "medicine heart"]
    model, state = table([[f"virus {colour}"], []], [{}, his], PILE)
    able = {"heart", "stomach", "bone", "wild"}
    if colour != "wild":
        able &= {colour, "wild", "bone"}
    assert plays(model, state) == {f"virus {colour} on {o} of +1" for o in able}


def test_immunised_organs_stay():
    immune = {"heart": ["medicine heart", "medicine wild"]}
    cards = ["thief", "transplant", "virus heart"]
    model, state = table([cards, [], []], [{"bone": []}, immune, {}], PILE)
    assert plays(model, state) == set()
    model, state = table([["error"], [], []], [{"bone": []}, immune, {}], PILE)
    play(model, state, "error +1")
    view = model.view(state)
    assert body(view, 0) == {"heart": ("medicine heart", "medicine wild")}
    assert body(view, 1) == {"bone": ()}


def test_a_glove_empties_one_hand_or_with_the_published_rules_all():
    hands = [["glove"], ["thief"], ["virus heart", "virus bone"]]
    model, state = table(hands, [{}, {}, {}], PILE)
    assert plays(model, state) == {"glove +1", "glove +2"}
    play(model, state, "glove +2")
    view = model.view(state)
    assert [len(hand(view, p)) for p in range(3)] == [3, 1, 0]
    model, state = table(hands, [{}, {}, {}], PILE, **PUBLISHED)
    assert plays(model, state) == {"glove all"}
    play(model, state, "glove all")
    view = model.view(state)
    assert [len(hand(view, p)) for p in range(3)] == [3, 0, 0]
    assert legal_names(model, state) == {"draw"}
    play(model, state, "draw")
    assert len(hand(view, 1)) == 3
    assert model.movers(state) == (2,)


def test_a_transplant_of_equal_organs_is_published():
    bodies = [{"heart": ["virus wild"], "bone": []}, {"heart": [], "brain": []}]
    model, state = table([["transplant"], []], bodies, PILE)
    assert plays(model, state) == {"transplant bone for brain of +1"}
    model, state = table([["transplant"], []], bodies, PILE, **PUBLISHED)
    equal = "transplant heart for heart of +1"
    assert plays(model, state) == {"transplant bone for brain of +1", equal}
    play(model, state, equal)
    view = model.view(state)
    assert body(view, 0) == {"heart": (), "bone": ()}
    assert body(view, 1) == {"heart": ("virus wild",), "brain": ()}


SPREADS = [
    {"heart": ["virus heart"], "bone": ["virus wild"], "brain": ["virus brain"]},
    {"heart": [], "stomach": []},
    {"brain": ["medicine wild"]},
]


def test_spreading_moves_one_virus():
    model, state = table([["spreading"], [], []], SPREADS, PILE)
    assert plays(model, state) == {
        "spreading heart to heart of +1",
        "spreading bone to heart of +1",
        "spreading bone to stomach of +1",
    }
    play(model, state, "spreading bone to heart of +1")
    view = model.view(state)
    assert model.movers(state) == (1,)
    assert body(view, 0)["bone"] == ()
    assert body(view, 1)["heart"] == ("virus wild",)


def test_published_spreading_goes_on_while_a_virus_can_move():
    model, state = table([["spreading"], [], []], SPREADS, PILE, **PUBLISHED)
    play(model, state, "spreading heart to heart of +1")
    view = model.view(state)
    assert (model.movers(state), model.turn(state)) == ((0,), 0)
    assert len(hand(view, 0)) == 3  # drawn once only
    assert len(pile(view)) == len(PILE) - 3
    assert legal_names(model, state) == {"spreading bone to stomach of +1"}
    play(model, state, "spreading bone to stomach of +1")
    assert (model.movers(state), model.turn(state)) == ((1,), 1)
    assert len(pile(view)) == len(PILE) - 3
    assert body(view, 0) == {"heart": (), "bone": (), "brain": ("virus brain",)}
    assert body(view, 1) == {"heart": ("virus heart",), "stomach": ("virus wild",)}


def test_the_first_seat_with_four_healthy_organs_wins():
    """A body that is swapped may make another player the winner."""
    four = {c: [] for c in COLOURS[:4]}
    three = {c: [] for c in COLOURS[:3]} | {"wild": ["virus wild"]}
    model, state = table([["error"], [], []], [three, four, {}], PILE)
    play(model, state, "error +2")
    assert [RESULT_NAMES[r] for r in model.results(state)] == ["lost", "won", "lost"]
    assert model.scores(state).tolist() == [0, 4, 3]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        (["virus bone", "virus bone", "thief"], {"1", "3", "1 2", "1 3", "1 2 3"}),
        (["thief"] * 3, {"1", "1 2", "1 2 3"}),
        (
            ["organ heart", "glove", "virus bone"],
            {*"123", "1 2", "1 3", "2 3", "1 2 3"},
        ),
    ],
)
def test_equal_cards_are_discarded_in_one_way(cards, expected):
    model, state = table([cards, []], [{}, {}], PILE)
    names = {name for name in legal_names(model, state) if "discard" in name}
    assert names == {f"discard {places}" for places in expected}


def test_cards_are_drawn_before_the_played_card_works():
    """The organ that a virus destroys is not in the pile of which the player draws."""
    bodies = [{}, {"heart": ["virus heart"]}]
    hands = [["virus heart", "thief", "thief"], []]
    model, state = table(hands, bodies)
    view = model.view(state)
    number = sum(view["discards"])
    play(model, state, "virus heart on heart of +1")
    assert sorted(discards(view)) == ["organ heart", "virus heart", "virus heart"]
    assert len(pile(view)) == number - 1


# -- text and options


@pytest.mark.parametrize("options", [{}, PUBLISHED])
def test_actions_are_written_and_read(options):
    model = rules.model(**options)
    names = [format_action(model, action) for action in range(448)]
    assert len(set(names)) == 448
    for action, text in enumerate(names):
        assert parse_action(model, f"  {text.upper()} ") == action
    for text in ("", "organ", "virus heart on heart", "discard 2 1", "glove +6"):
        message = r"is not an action of virus; expected 'organ"
        with pytest.raises(ValueError, match=message):
            parse_action(model, text)
    wrong = "glove +1" if options else "glove all"
    with pytest.raises(ValueError, match="is not an action of virus"):
        parse_action(model, wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, r"players=1: virus is for 2 to 6 players"),
        ({"players": 7}, r"players=7: virus is for 2 to 6 players"),
        ({"rulebook": "mine"}, r"rulebook='mine': virus has 'tag', 'published'"),
    ],
)
def test_options_that_do_not_exist(options, message):
    with pytest.raises(ValueError, match=message):
        rules.model(**options)
