"""Positions of Exploding Kittens for tests, with cards by name."""

from collections import Counter

from mcts_agents.envs.exploding_kittens.rules import rules
from mcts_agents.model import draw_below, new_generator

CARDS = (
    *("attack", "skip", "favor", "shuffle", "see", "tacocat", "meloncat", "beardcat"),
    *("rainbowcat", "furrycat", "nope", "defuse", "kitten"),
)
COPIES = (4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 5, 6)
PHASES = ("main", "nope", "favor", "see", "defuse", "over")


def names(bunch):
    """The cards of a bunch by name."""
    return Counter(
        {c: n for place, c in enumerate(CARDS) if (n := int(bunch) >> 4 * place & 15)}
    )


def bunch(cards):
    """Cards by name, listed or counted, as a bunch."""
    return sum(n << 4 * CARDS.index(card) for card, n in Counter(cards).items())


def whole_deck(players):
    """All cards of a game."""
    return Counter(dict(zip(CARDS, (*COPIES, players - 1), strict=True)))


def phase_of(view):
    """What is decided now, by name."""
    return PHASES[view["phase"]]


def hand(view, player):
    """The cards of a hand."""
    return names(view["hands"][player])


def pile_of(view):
    """The pile, the next card first."""
    return [CARDS[card] for card in view["pile"][: view["pile_left"]][::-1]]


def set_pile(view, cards):
    """Let these cards be the pile, the next card first."""
    view["pile"] = 0
    view["pile"][: len(cards)] = [CARDS.index(card) for card in cards[::-1]]
    view["pile_left"] = len(cards)


def all_cards(model, state):
    """All cards wherever they are; the kitten that is being placed is in nobody's."""
    view = model.view(state)
    cards = names(view["discards"]) + Counter(pile_of(view))
    for player in range(model.players):
        cards += hand(view, player)
    if phase_of(view) == "defuse":
        cards["kitten"] += 1
    return cards


def known_hand(model, state, observer, owner):
    """The cards that an observer knows to be in a hand."""
    view = model.view(state)
    if observer == owner:
        return hand(view, owner)
    known = names(view["known"][observer, owner])
    if phase_of(view) == "nope" and view["player"] == owner:
        known["nope"] = max(known["nope"], 1)
    return known


def known_places(view, observer):
    """The places of the pile, from the top, that an observer knows."""
    left = int(view["pile_left"])
    seen = int(view["seen"][observer])
    return [depth for depth in range(left) if seen >> (left - 1 - depth) & 1]


def permute_hidden(model, state, observer, random):
    """Exchange the cards that an observer cannot place, and what others know.

    Written with lists of names, independent of `redeterminise`.
    """
    view = model.view(state)
    others = [p for p in range(model.players) if p != observer]
    known = {p: known_hand(model, state, observer, p) for p in others}
    sizes = {p: hand(view, p).total() - known[p].total() for p in others}
    pile, places = pile_of(view), known_places(view, observer)
    unknown = [depth for depth in range(len(pile)) if depth not in places]
    pool = [pile[depth] for depth in unknown]
    kittens = pool.count("kitten")
    pool = [card for card in pool if card != "kitten"]
    for player in others:
        pool += (hand(view, player) - known[player]).elements()
    random.shuffle(pool)
    for player in others:
        cards = known[player] + Counter(pool[: sizes[player]])
        del pool[: sizes[player]]
        view["hands"][player] = bunch(cards)
    pool += ["kitten"] * kittens
    random.shuffle(pool)
    for depth in unknown:
        pile[depth] = pool.pop()
    set_pile(view, pile)
    for other in others:
        view["seen"][other] = random.getrandbits(len(pile))
        for owner in others:
            held = list(hand(view, owner).elements())
            some = random.sample(held, random.randint(0, len(held)))
            view["known"][other, owner] = 0 if other == owner else bunch(some)


def play_some(players, seed, decisions, **variant):
    """A model, and a state after so many random decisions (or the game's last)."""
    model = rules.model(players=players, **variant)
    rng = new_generator(seed)
    state = model.reset(rng)
    for _ in range(decisions):
        if model.is_over(state):
            break
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        # Cards are played more often than not, so that much is seen and given.
        action = int(legal[draw_below(rng, len(legal))])
        if action == 0 and draw_below(rng, 2):
            action = int(legal[draw_below(rng, len(legal))])
        model.apply(state, {player: action}, rng)
    return model, state
