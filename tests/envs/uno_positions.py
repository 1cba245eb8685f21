"""Positions of Uno for tests, with cards by name."""

from hypothesis import strategies as st

from mcts_agents.envs.uno.rules import rules
from mcts_agents.model import draw_below, new_generator
from tests.envs.uno_twin import KINDS, WILDS, Twin

# Games are long: most of what can happen does so within some rounds.
SHORT = {"target": 60}


def card_at(place):
    """The card that a bit of a hand's first word belongs to."""
    return KINDS[place] if place < 52 else WILDS[place >= 56]


def hand(words):
    """The cards of the two words of a hand."""
    first, second = map(int, words)
    assert second & ~first == 0
    return [card_at(n) for word in (first, second) for n in range(60) if word >> n & 1]


def packed(cards):
    """Cards by name as the two words of a hand."""
    first = second = 0
    for kind in set(cards):
        number = cards.count(kind)
        if kind in WILDS:
            first |= ((1 << number) - 1) << 52 + 4 * WILDS.index(kind)
        else:
            first |= 1 << KINDS.index(kind)
            second |= (number - 1) << KINDS.index(kind)
    return first, second


def pile(view):
    """The cards of the pile, the next one first."""
    return [KINDS[card] for card in view["pile"][: view["pile_size"]][::-1]]


def discards(view):
    """The discards, the one on top first, the others in no order."""
    rest, top = hand(view["discards"]), KINDS[view["top"]]
    rest.remove(top)
    return [top, *rest]


def all_cards(model, state):
    """All cards wherever they are."""
    view = model.view(state)
    hands = [hand(words) for words in view["hands"][: model.players]]
    return [*pile(view), *discards(view), *(card for cards in hands for card in cards)]


def play_both(players, seed, decisions, **options):
    """A model, and a state and its twin after random decisions, as a generator.

    Yields (model, state, twin) at the beginning and after each decision, up to the end.
    """
    model = rules.model(players=players, **options)
    rng = new_generator(seed)
    state = model.reset(rng)

    def dealt():
        view = model.view(state)
        hands = [hand(words) for words in view["hands"][:players]]
        tops = discards(view)
        if len(tops) == 2 and KINDS[view["top"]] != tops[0]:
            tops.reverse()
        return hands, pile(view), tops

    twin = Twin(players, dealt, options)
    yield model, state, twin
    for _ in range(decisions):
        if model.is_over(state):
            return
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        action = int(legal[draw_below(rng, len(legal))])
        model.apply(state, {player: action}, rng)
        twin.apply(action_name(action))
        yield model, state, twin


def action_name(action):
    """An action as text, spelt from its number."""
    if action == 60:
        return "draw"
    if action < 52:
        return KINDS[action]
    return f"{card_at(action)} {('red', 'yellow', 'green', 'blue')[action % 4]}"


def play_some(players, seed, decisions, **options):
    """A model, and a state after so many random actions (or the game's last)."""
    model = rules.model(players=players, **options)
    rng = new_generator(seed)
    state = model.reset(rng)
    model.playout(state, rng, decisions)
    return model, state


# Arguments of `play_some`.
positions = st.tuples(st.integers(2, 10), st.integers(0, 2**32), st.integers(0, 300))


def table(hands, top, *, colour=None, pile=(), **options):
    """A model and a state with these hands; player 0 is on turn.

    All other cards are discarded, if `pile` names those of the pile, next one first.
    """
    model = rules.model(players=len(hands), **options)
    state = model.reset(new_generator(0))
    view = model.view(state)
    rest = [card for card in KINDS for _ in range(2 if card[-1] != "0" else 1)]
    rest += [*WILDS, *WILDS]
    for card in [*(card for cards in hands for card in cards), top, *pile]:
        rest.remove(card)
    for player, cards in enumerate(hands):
        view["hands"][player] = packed(cards)
    view["discards"] = packed([*rest, top])
    view["top"] = KINDS.index(top)
    names = ("red", "yellow", "green", "blue")
    view["colour"] = names.index(colour or top.split()[0])
    view["pile"][: len(pile)] = [KINDS.index(card) for card in pile[::-1]]
    view["pile_size"] = len(pile)
    view["player"], view["direction"] = 0, 1
    return model, state


def permute_hidden(model, state, observer, random):
    """Exchange the cards of the other hands and of the pile.

    Written with lists of names, independent of `redeterminise`.
    """
    view = model.view(state)
    others = [player for player in range(model.players) if player != observer]
    hands = {player: hand(view["hands"][player]) for player in others}
    cards = [*pile(view), *(card for cards in hands.values() for card in cards)]
    random.shuffle(cards)
    for player in others:
        size = len(hands[player])
        view["hands"][player] = packed(cards[:size])
        del cards[:size]
    view["pile"][: len(cards)] = [KINDS.index(card) for card in cards]
