"""Positions of Diamant for tests, with cards by name."""

from hypothesis import strategies as st

from mcts_agents.envs.diamant.rules import rules
from mcts_agents.model import new_generator, random_below
from mcts_agents.model.random import draw_uint64
from tests.envs.diamant_twin import HAZARDS, TREASURES, Twin

FACES = [*TREASURES, *HAZARDS]


def card_name(card: int):
    """The name of one of the thirty cards."""
    return TREASURES[card] if card < 15 else HAZARDS[(card - 15) // 3]


def names(mask: int) -> list:
    """The names of a set of cards."""
    return [card_name(card) for card in range(30) if int(mask) >> card & 1]


def path_of(model, state) -> list:
    """The names of the cards on the path, in the order of drawing."""
    view = model.view(state)
    return [FACES[face] for face in view["path"][: view["path_length"]]]


def coming(model, state) -> list:
    """The cards still in the deck in the order in which they will come.

    Numbers of five bits are read from the deck's generator, and the first that is a
    card in the deck is next. Of three alike the one with the lowest number goes.
    """
    deck = {card for card in range(30) if int(model.view(state)["deck"]) >> card & 1}
    generator = model.view(state)["deck_order"].copy()
    order = []
    while deck:
        numbers = draw_uint64(generator) >> 4
        for place in range(12):
            card = numbers >> 5 * place & 31
            if card in deck:
                name = card_name(card)
                deck.remove(min(c for c in deck if card_name(c) == name))
                order.append(name)
                break
    return order


def random_joint(model, state, rng, leaving=4):
    """Continue or, once in `leaving` times, Exit for each mover."""
    return {p: int(random_below(rng, leaving) == 0) for p in model.movers(state)}


def play_both(players, seed, decisions, leaving=4):
    """A model, and a state and its twin after so many joint decisions (or the end)."""
    model = rules.model(players=players)
    rng = new_generator(seed)
    state = model.reset(rng)
    # A cave begins with its first card turned; the rest is in the state.
    twin = Twin(players, lambda: path_of(model, state) + coming(model, state))
    for _ in range(decisions):
        if not model.is_over(state):
            joint = random_joint(model, state, rng, leaving)
            model.apply(state, joint, rng)
            twin.apply(joint)
    return model, state, twin


def play_some(*position):
    """A model, and a state after so many joint decisions (or the game's last)."""
    return play_both(*position)[:2]


# Arguments of `play_some`: in a random game about one decision in `leaving` is Exit.
positions = st.tuples(
    st.integers(2, 6), st.integers(0, 2**32), st.integers(0, 30), st.integers(2, 12)
)


def table(players, path, *, carried=0, on_path=0, chests=(), cave=0, upcoming=None):
    """A model, and a state in which everybody is in a cave with this path.

    With `upcoming` the deck's order is chosen so that this card comes next.
    """
    model = rules.model(players=players)
    state = model.reset(new_generator(0))
    view = model.view(state)
    deck = set(range(30))
    for card in path:
        deck.remove(min(c for c in deck if names(1 << c) == [card]))
    view["deck"] = sum(1 << card for card in deck)
    view["path_length"] = len(path)
    view["path"][: len(path)] = [FACES.index(card) for card in path]
    view["hazards"] = sum(1 << HAZARDS.index(c) for c in path if c in HAZARDS)
    view["carried"], view["on_path"], view["cave"] = carried, on_path, cave
    view["chests"][: len(chests)] = chests
    seed = 1
    while upcoming is not None and coming(model, state)[0] != upcoming:
        view["deck_order"] = new_generator(seed)
        seed += 1
    return model, state


def permute_hidden(model, state, observer, random):
    """Put the deck into another order, whoever looks."""
    model.view(state)["deck_order"] = random.getrandbits(60), random.getrandbits(60)
