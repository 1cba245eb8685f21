"""Positions of Poker for tests, with cards by number."""

from hypothesis import strategies as st

from mcts_agents.envs.poker.hands import ON_BOARD
from mcts_agents.envs.poker.rules import rules
from mcts_agents.model import new_generator


def living(model, view):
    """The seats to which cards were dealt in this hand."""
    hands = view["hands"][: model.players].tolist()
    return [seat for seat, (one, other) in enumerate(hands) if one != other]


def board(view):
    """The cards on the board."""
    return view["community"][: ON_BOARD[view["street"]]].tolist()


def deck(view):
    """The cards of the deck, the next one first."""
    return view["deck"][: view["deck_size"]][::-1].tolist()


def all_cards(model, state):
    """All cards wherever they are."""
    view = model.view(state)
    hands = [view["hands"][seat].tolist() for seat in living(model, view)]
    return [*board(view), *deck(view), *(card for hand in hands for card in hand)]


def permute_hidden(model, state, observer, random):
    """Exchange the cards of the other hands and of the deck.

    Written with lists, independent of `redeterminise`. All is open at the end.
    """
    if model.is_over(state):
        return
    view = model.view(state)
    others = [seat for seat in living(model, view) if seat != observer]
    cards = deck(view) + [int(card) for seat in others for card in view["hands"][seat]]
    random.shuffle(cards)
    for seat in others:
        view["hands"][seat] = cards.pop(), cards.pop()
    view["deck"][: len(cards)] = cards


def play_some(players, seed, decisions, **options):
    """A model, and a state after so many random actions (or the game's last)."""
    model = rules.model(players=players, **options)
    rng = new_generator(seed)
    state = model.reset(rng)
    model.playout(state, rng, decisions)
    return model, state


# Arguments of `play_some`.
positions = st.tuples(st.integers(2, 14), st.integers(0, 2**32), st.integers(0, 60))
