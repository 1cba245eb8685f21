"""Positions of Colt Express for tests, with cards and loot by name."""

from collections import Counter

from hypothesis import strategies as st

from mcts_agents.envs.colt_express.rules import rules
from mcts_agents.model import draw_below, new_generator

CARDS = ("move", "climb", "punch", "marshal", "shoot", "collect", "bullet")
DECK = Counter(move=2, climb=2, punch=1, marshal=1, shoot=2, collect=2)
ITEMS = (*(f"purse {n}" for n in (250, 300, 350, 400, 450, 500)), "jewel", "strongbox")


def named(numbers, names):
    """What there is of each name, as a list."""
    return [name for name, n in zip(names, numbers, strict=True) for _ in range(n)]


def heap(view, name, player):
    """The cards of a hand or a deck."""
    return named(view[name][player, : len(CARDS)].tolist(), CARDS)


def set_heap(view, name, player, cards):
    """Let these cards be a hand or a deck."""
    view[name][player, : len(CARDS)] = [cards.count(card) for card in CARDS]


def items(numbers):
    """Loot by name."""
    return named(numbers.tolist(), ITEMS)


def queue(view):
    """Owner, card, and whether all know it, of each card that is not carried out."""
    found = []
    for place in range(int(view["executed"]), int(view["queued"])):
        is_first = bool(view["is_executing"]) and place == view["executed"]
        card = CARDS[view["cards"][place]]
        shown = bool(view["face_up"][place]) or is_first
        found.append((int(view["owners"][place]), card, shown))
    return found


def all_cards(model, state):
    """All cards by owner, all loot, and the round cards."""
    view = model.view(state)
    cards = Counter()
    for seat in range(model.players):
        own = heap(view, "hands", seat) + heap(view, "decks", seat)
        own += [card for owner, card, _ in queue(view) if owner == seat]
        assert Counter(own) - Counter(bullet=len(own)) == DECK
        cards.update((seat, card) for card in own)
    loot = [item for place in view["on_train"] for item in items(place)]
    loot += [
        item for seat in range(model.players) for item in items(view["loot"][seat])
    ]
    cards.update([*loot, *named(view["unused"].tolist(), ITEMS[:6])])
    assert len(set(view["rounds"].tolist())) == 5
    assert view["rounds"][:4].max() < 7 <= view["rounds"][4]
    return cards


def permute_hidden(model, state, observer, random):
    """Exchange what an observer cannot know: others' cards, purses, later rounds.

    At the end nothing is hidden. Written with lists of names, independent of
    `redeterminise`.
    """
    view = model.view(state)
    if view["is_over"]:
        return
    for seat in set(range(model.players)) - {observer}:
        _permute_cards(view, seat, random)
    _permute_purses(model, view, observer, random)
    opened = int(view["round"]) + 1
    if opened < 5:
        used = view["rounds"][:opened].tolist()
        rest = random.sample(
            [card for card in range(7) if card not in used], 4 - opened
        )
        view["rounds"][:] = [*used, *rest, random.randrange(7, 10)]


def _permute_cards(view, seat, random):
    """Exchange the cards of a deck, a hand, and those face down."""
    first = int(view["executed"])
    places = [
        first + n
        for n, (owner, _, is_shown) in enumerate(queue(view))
        if owner == seat and not is_shown
    ]
    size = len(heap(view, "hands", seat))
    cards = heap(view, "hands", seat) + heap(view, "decks", seat)
    cards += [CARDS[view["cards"][place]] for place in places]
    random.shuffle(cards)
    cards.sort(key=lambda card: card == "bullet")  # none lies face down
    for place in places:
        view["cards"][place] = CARDS.index(cards.pop(0))
    random.shuffle(cards)
    set_heap(view, "hands", seat, cards[:size])
    set_heap(view, "decks", seat, cards[size:])


def _permute_purses(model, view, observer, random):
    """Exchange the values of purses that are not the observer's."""
    heaps = [*view["on_train"], *(view["loot"][s] for s in range(model.players))]
    del heaps[len(view["on_train"]) + observer]
    heaps.append(view["unused"])
    purses = [item for one in heaps for item in named(one[:6].tolist(), ITEMS[:6])]
    random.shuffle(purses)
    for one in heaps:
        mine = [purses.pop() for _ in range(int(one[:6].sum()))]
        one[:6] = [mine.count(name) for name in ITEMS[:6]]


def play_some(players, seed, decisions, **options):
    """A model, and a state after so many random decisions (or the game's last)."""
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
positions = st.tuples(st.integers(2, 6), st.integers(0, 2**32), st.integers(0, 200))
