"""Positions of Virus! for tests, with cards by name."""

from collections import Counter

from hypothesis import strategies as st

from mcts_agents.envs.virus.rules import rules
from mcts_agents.model import draw_below, new_generator

COLOURS = ("heart", "brain", "stomach", "bone", "wild")
CARDS = (
    *(f"{kind} {c}" for kind in ("organ", "medicine", "virus") for c in COLOURS),
    *("thief", "spreading", "transplant", "glove", "error"),
)
COPIES = (5, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1, 3, 2, 3, 1, 1)
WHOLE_DECK = Counter(dict(zip(CARDS, COPIES, strict=True)))
NO_CARD = len(CARDS)
# What may lie on an organ, by the number in a body: the cards beside the organ.
LYING = [
    None,
    (),
    *((f"virus {c}",) for c in COLOURS),
    *((f"medicine {c}",) for c in COLOURS),
    *((f"medicine {a}", f"medicine {b}") for a in COLOURS for b in COLOURS),
]


def hand(view, player):
    """The cards of a hand."""
    return [CARDS[card] for card in view["hands"][player] if card != NO_CARD]


def pile(view):
    """The pile, the next card first."""
    return [CARDS[card] for card in view["pile"][: view["pile_left"]][::-1]]


def body(view, player):
    """What lies on each organ of a body, by colour."""
    slots = zip(COLOURS, view["bodies"][player].tolist(), strict=True)
    return {colour: LYING[number] for colour, number in slots if number}


def all_cards(model, state):
    """All cards wherever they are."""
    view = model.view(state)
    cards = Counter(pile(view))
    cards.update(dict(zip(CARDS, view["discards"].tolist(), strict=True)))
    for player in range(model.players):
        cards.update(hand(view, player))
        for colour, lying in body(view, player).items():
            cards.update([f"organ {colour}", *lying])
    return +cards


def set_hand(view, player, cards):
    """Let these cards be a hand."""
    numbers = sorted(CARDS.index(card) for card in cards)
    view["hands"][player] = [*numbers, *[NO_CARD] * (3 - len(numbers))]


def table(hands, bodies, pile_=(), **options):
    """A model and a state with these hands and bodies; player 0 is on turn.

    Args:
        hands: The hands.
        bodies: Of each player what lies on each organ, by colour.
        pile_: The pile, the next card first; all other cards are discarded.
        options: Keywords of the variant.
    """
    model = rules.model(players=len(hands), **options)
    state = model.reset(new_generator(0))
    view = model.view(state)
    view["pile"], view["bodies"] = 0, 0
    rest = WHOLE_DECK.copy()
    for player, cards in enumerate(hands):
        set_hand(view, player, cards)
        rest.subtract(cards)
    for player, organs in enumerate(bodies):
        for colour, lying in organs.items():
            view["bodies"][player, COLOURS.index(colour)] = LYING.index(tuple(lying))
            rest.subtract([f"organ {colour}", *lying])
    rest.subtract(pile_)
    assert min(rest.values()) >= 0
    view["pile"][: len(pile_)] = [CARDS.index(card) for card in pile_[::-1]]
    view["pile_left"] = len(pile_)
    view["discards"] = [rest[card] for card in CARDS]
    return model, state


def permute_hidden(model, state, observer, random):
    """Exchange the cards of the other hands and of the pile.

    Written with lists of names, independent of `redeterminise`.
    """
    view = model.view(state)
    others = [player for player in range(model.players) if player != observer]
    sizes = {player: len(hand(view, player)) for player in others}
    cards = [*pile(view), *(card for p in others for card in hand(view, p))]
    random.shuffle(cards)
    for player, size in sizes.items():
        set_hand(view, player, cards[:size])
        del cards[:size]
    view["pile"][: len(cards)] = [CARDS.index(card) for card in cards]


def play_some(players, seed, decisions, **options):
    """A model, and a state after so many random actions (or the game's last)."""
    model = rules.model(players=players, **options)
    rng = new_generator(seed)
    state = model.reset(rng)
    model.playout(state, rng, decisions)
    return model, state


def random_play(model, seed):
    """Yield the state and its player before each action of a random game."""
    rng = new_generator(seed)
    state = model.reset(rng)
    while not model.is_over(state):
        (player,) = model.movers(state)
        yield state, player
        legal = model.legal_actions(state, player)
        action = int(legal[draw_below(rng, len(legal))])
        model.apply(state, {player: action}, rng)
    yield state, None


# Arguments of `play_some`.
positions = st.tuples(st.integers(2, 6), st.integers(0, 2**32), st.integers(0, 150))
