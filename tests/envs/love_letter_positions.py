"""Positions of Love Letter for tests, with cards by name."""

from hypothesis import strategies as st

from mcts_agents.envs.love_letter.rules import rules
from mcts_agents.model import draw_below, new_generator
from tests.envs.love_letter_twin import CARDS, DECK, number


def names(bunch):
    """The names of the cards of a bunch, sorted by number."""
    return [c for c in CARDS for _ in range(int(bunch) >> 4 * number(c) & 15)]


def bunch(*cards):
    """Cards by name as a bunch."""
    return sum(1 << 4 * number(card) for card in cards)


def pile_names(view):
    """The pile in order, the card laid aside last."""
    numbers = [int(view["pile"]) >> 4 * n & 15 for n in range(int(view["pile_left"]))]
    return [CARDS[n - 1] for n in numbers]


def packed_pile(cards):
    """Cards by name as a pile in that order."""
    return sum(number(card) << 4 * place for place, card in enumerate(cards))


def hand(view, player):
    """The cards in a hand, the one drawn last."""
    cards = [view["hands"][player]]
    if view["player"] == player:
        cards.append(view["drawn"])
    return [CARDS[card - 1] for card in cards if card]


def is_known(view, observer, owner, field="known"):
    """Whether the observer knows the owner's card; `aware`: the owner is sure of it."""
    return bool(int(view[field]) >> (4 * owner + observer) & 1)


def all_cards(model, state):
    """All cards wherever they are, sorted: the deck, if none is lost or made."""
    view = model.view(state)
    cards = names(view["face_up"]) + pile_names(view)
    for player in range(model.players):
        cards += hand(view, player) + names(view["discards"][player])
    return sorted(cards, key=CARDS.index)


WHOLE_DECK = [card for card, copies in DECK.items() for _ in range(copies)]


def choose(model, state, rng, sensible):
    """A random legal action of the player on turn, or what the policy plays."""
    (player,) = model.movers(state)
    if sensible:
        return policy_action(model, state, player, rng)
    legal = model.legal_actions(state, player)
    return int(legal[draw_below(rng, len(legal))])


def policy_action(model, state, player, rng):
    """What the scripted policy plays."""
    return model.policy_action("sensible", state, player, 0, rng)


def play_some(players, seed, decisions, **variant):
    """A model, and a state after so many decisions (or the game's last).

    Random play ends rounds early, so that every other action is a sensible one; who
    has a priest or the king and may play it often does.
    """
    model = rules.model(players=players, **variant)
    rng = new_generator(seed)
    state = model.reset(rng)
    for _ in range(decisions):
        if model.is_over(state):
            break
        (player,) = model.movers(state)
        looks = [a for a in model.legal_actions(state, player) if is_look(a)]
        if looks and draw_below(rng, 3):
            action = int(looks[draw_below(rng, len(looks))])
        else:
            action = choose(model, state, rng, draw_below(rng, 2))
        model.apply(state, {player: action}, rng)
    return model, state


def is_look(action):
    """Whether an action is a priest's or the king's."""
    return 28 <= action < 32 or 41 <= action < 45


# Arguments of `play_some`.
positions = st.tuples(st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 40))


def table(hands, drawn, pile, face_up=(), **variant):
    """A model and a state with these hands; player 0 is on turn, nothing was played.

    The cards that are named nowhere lie on player 0's discard pile.
    """
    model = rules.model(players=len(hands), **variant)
    state = model.reset(new_generator(0))
    view = model.view(state)
    rest = list(WHOLE_DECK)
    for card in [*hands, drawn, *pile, *face_up]:
        rest.remove(card)
    for player, card in enumerate(hands):
        view["hands"][player] = number(card)
    view["drawn"] = number(drawn)
    view["pile"] = packed_pile(pile)
    view["pile_left"] = len(pile)
    view["face_up"] = bunch(*face_up)
    view["discards"] = 0
    view["discards"][0] = bunch(*rest)
    return model, state


def permute_hidden(model, state, observer, random):
    """Exchange the cards of unknown hands and pile, and what others know of others.

    Written with lists of names, independent of `redeterminise`.
    """
    view = model.view(state)
    owners = [
        p
        for p in range(model.players)
        if p != observer and view["hands"][p] and not is_known(view, observer, p)
    ]
    has_drawn = view["player"] != observer and view["drawn"] > 0
    cards = pile_names(view) + [CARDS[view["hands"][p] - 1] for p in owners]
    if has_drawn:
        cards.append(CARDS[view["drawn"] - 1])
    random.shuffle(cards)
    for owner in owners:
        view["hands"][owner] = number(cards.pop())
    if has_drawn:
        view["drawn"] = number(cards.pop())
    view["pile"] = packed_pile(cards)
    for owner in range(model.players):
        for player in range(model.players):
            if player in (observer, owner) or not view["hands"][owner]:
                continue
            bit = 1 << (4 * owner + player)
            if owner != observer:
                view["aware"] = int(view["aware"]) & ~bit | random.choice((0, bit))
            if not int(view["aware"]) & bit:
                view["known"] = int(view["known"]) & ~bit | random.choice((0, bit))
