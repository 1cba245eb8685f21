"""Positions of Sushi Go! for tests, with cards by name."""

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from mcts_agents.envs.sushi_go.cards import CARD_OF, pack, unpack
from mcts_agents.envs.sushi_go.rules import rules
from mcts_agents.model import new_generator, random_below
from tests.envs.sushi_go_twin import CARDS, USE_CHOPSTICKS


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


# Arguments of `play_some`.
positions = st.tuples(st.integers(2, 5), st.integers(0, 2**32), st.integers(0, 45))


def in_order(cards):
    plain = [card.removesuffix(" on wasabi") for card in cards]
    return sorted(plain, key=CARDS.index)


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


def waiting_for_chopsticks():
    """Player 0 uses chopsticks, while player 1 has chosen a card in secret."""
    model, state = table(
        2,
        [["tempura", "sashimi", "egg"], ["squid", "squid", "salmon"]],
        [["chopsticks"], ["wasabi"]],
    )
    model.apply(state, {0: USE_CHOPSTICKS, 1: 12}, new_generator(0))
    return model, state


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
