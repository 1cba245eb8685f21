"""Positions of Dominion for tests, with cards by name."""

from collections import Counter

from mcts_agents.envs.dominion.rules import rules
from mcts_agents.model import draw_below, new_generator

CARDS = (
    *("copper", "silver", "gold", "estate", "duchy", "province", "cellar", "market"),
    *("merchant", "militia", "mine", "moat", "remodel", "smithy", "village"),
    "workshop",
)
TREASURES = CARDS[:3]
POINTS = {"estate": 1, "duchy": 3, "province": 6}
PHASES = ("play", "buy", "cellar", "gain", "trash", "militia", "attacked", "over")


def names(bunch):
    """The cards of a bunch by name."""
    pieces = [int(bunch[n // 8]) >> 8 * (n % 8) & 255 for n in range(len(CARDS))]
    return Counter({card: n for card, n in zip(CARDS, pieces, strict=True) if n})


def bunch(cards):
    """Cards by name, listed or counted, as a bunch."""
    words = [0, 0]
    for card, number in Counter(cards).items():
        place = CARDS.index(card)
        words[place // 8] += number << 8 * (place % 8)
    return words


def whole_game(players, published=False):
    """All cards of a game."""
    coppers = 60 if published else 32 + 7 * players
    victory = 8 if players == 2 else 12
    cards = {"copper": coppers, "silver": 40, "gold": 30}
    cards |= {"estate": victory + 3 * players, "duchy": victory, "province": victory}
    return Counter(cards | dict.fromkeys(CARDS[6:], 10))


def phase_of(view):
    """What is decided now, by name."""
    return PHASES[view["phase"]]


def pile_of(view, player):
    """A draw pile, the next card first."""
    pile = view["piles"][player, : view["pile_left"][player]]
    return [CARDS[card] for card in pile[::-1]]


def set_pile(view, player, cards):
    """Let these cards be a pile, the next card first."""
    view["piles"][player] = 0
    view["piles"][player, : len(cards)] = [CARDS.index(card) for card in cards[::-1]]
    view["pile_left"][player] = len(cards)


def set_hand(view, player, cards):
    """Let these cards be a hand."""
    view["hands"][player] = bunch(cards)
    view["hand_sizes"][player] = Counter(cards).total()


def all_cards(model, state):
    """All cards wherever they are, as (place, card); checks what is counted twice."""
    view, cards = model.view(state), Counter()
    rest = whole_game(model.players, bool(model.game["published"][0]))
    for player in range(model.players):
        hand, pile = names(view["hands"][player]), pile_of(view, player)
        held = hand + Counter(pile) + names(view["discards"][player])
        if player == view["turn_of"]:
            held += names(view["table"])
        assert held == names(view["owned"][player])
        assert hand.total() == view["hand_sizes"][player]
        assert names(view["known"][player]) <= hand
        points = sum(POINTS.get(card, 0) * n for card, n in held.items())
        assert points == view["points"][player]
        cards += Counter({(player, card): n for card, n in held.items()})
        assert held <= rest
        rest -= held
    supply = names(view["supply"])
    assert supply <= rest
    stocked = [card for n, card in enumerate(CARDS) if int(view["stocked"]) >> n & 1]
    assert stocked == sorted(supply, key=CARDS.index)
    return cards + Counter({("supply", card): n for card, n in supply.items()})


def known_hand(view, observer, owner):
    """The cards that an observer knows to be in a hand."""
    return names(view["hands" if observer == owner else "known"][owner])


def permute_hidden(model, state, observer, random):
    """Exchange the cards that an observer cannot place.

    Written with lists of names, independent of `redeterminise`.
    """
    view = model.view(state)
    asks_treasure = (
        phase_of(view) == "trash"
        and CARDS[view["effect"]] == "mine"
        and not model.game["published"][0]
    )
    for owner in range(model.players):
        known = known_hand(view, observer, owner)
        pool = list((names(view["hands"][owner]) - known).elements())
        size = len(pool)
        pool += pile_of(view, owner)
        while True:
            random.shuffle(pool)
            hand = known + Counter(pool[:size])
            if owner == observer or owner != view["player"] or not asks_treasure:
                break
            if any(hand[card] for card in TREASURES):
                break
        set_hand(view, owner, hand)
        set_pile(view, owner, pool[size:])


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
        # To end is the first action: chosen less often, so that more is played.
        chosen = max(draw_below(rng, len(legal)), draw_below(rng, len(legal)))
        model.apply(state, {player: int(legal[chosen])}, rng)
    return model, state
