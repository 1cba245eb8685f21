"""Sushi Go! once more, slowly: lists of card names, written from the rules alone.

Nothing here comes from the package; only the numbers of the actions are shared.
"""

from collections import Counter

PUBLISHED_DECK = {
    "maki 1": 6,
    "maki 2": 12,
    "maki 3": 8,
    "tempura": 14,
    "sashimi": 14,
    "dumpling": 14,
    "squid": 5,
    "salmon": 10,
    "egg": 5,
    "wasabi": 6,
    "chopsticks": 4,
    "pudding": 10,
}
CARDS = list(PUBLISHED_DECK)
NIGIRI = {"squid": 3, "salmon": 2, "egg": 1}
ON_WASABI = {12: "squid", 13: "salmon", 14: "egg"}
USE_CHOPSTICKS = 15


class Twin:
    """One game.

    Args:
        players: Number of players.
        deck: The cards in the box, `{name: count}`.
        deal: `() -> hands`: a list of card names for each player; what comes from the
            pile is chance, and so is given. Cards that the pile lacks are an error.
        published: Whether the published rules hold where TAG's differ.

    Attributes:
        hands, fields: List of card names per player; the field of a nigiri that was
            played on a wasabi shows "squid on wasabi" beside the "wasabi".
        turn: What each player does this turn: a list of up to three actions.
    """

    def __init__(self, players, deck, deal, published=False):
        self.players = players
        self.pile = Counter(deck)
        self.deal = deal
        self.published = published
        self.fields = [[] for _ in range(players)]
        self.turn = [[] for _ in range(players)]
        self.scores = [0] * players
        self.removed = []
        self.round = 1
        self.over = False
        self.start_round()

    def start_round(self):
        """Take the hands from the pile."""
        self.hands = self.deal()
        size = {2: 10, 3: 9, 4: 8, 5: 7}[self.players]
        assert [len(hand) for hand in self.hands] == [size] * self.players
        self.pile.subtract(card for hand in self.hands for card in hand)
        assert min(self.pile.values()) >= 0

    # -- choosing

    def turn_done(self, player):
        turn = self.turn[player]
        return len(turn) == (3 if turn[:1] == [USE_CHOPSTICKS] else 1)

    def movers(self):
        """Everybody at first; then those who took up their chopsticks."""
        if self.over:
            return []
        return [p for p in range(self.players) if not self.turn_done(p)]

    def remaining(self, player):
        """Hand of a player without the cards already chosen in this turn."""
        hand = list(self.hands[player])
        for action in self.turn[player]:
            if action != USE_CHOPSTICKS:
                hand.remove(ON_WASABI[action] if action >= 12 else CARDS[action])
        return hand

    def free_wasabi(self, player):
        field, turn = self.fields[player], self.turn[player]
        free = field.count("wasabi") + turn.count(CARDS.index("wasabi"))
        free -= sum(card.endswith("on wasabi") for card in field)
        return free - sum(action in ON_WASABI for action in turn)

    def legal(self, player):
        hand = self.remaining(player)
        legal = {CARDS.index(card) for card in hand}
        if self.free_wasabi(player) > 0:
            on_wasabi = {a for a, card in ON_WASABI.items() if card in hand}
            if self.published:
                legal -= {CARDS.index(card) for card in NIGIRI}
            legal |= on_wasabi
        if not self.turn[player] and "chopsticks" in self.fields[player]:
            if len(hand) >= 2:
                legal.add(USE_CHOPSTICKS)
        return sorted(legal)

    # -- playing

    def apply(self, joint):
        """Let movers act: `joint` maps player to action."""
        assert sorted(joint) == self.movers()
        for player, action in joint.items():
            assert action in self.legal(player)
            self.turn[player].append(action)
        if all(self.turn_done(p) for p in range(self.players)):
            self.reveal()

    def reveal(self):
        for player in range(self.players):
            before = self.points_at_once(player)
            for action in self.turn[player]:
                if action == USE_CHOPSTICKS:
                    continue
                card = ON_WASABI[action] if action >= 12 else CARDS[action]
                self.hands[player].remove(card)
                on_wasabi = " on wasabi" if action >= 12 else ""
                self.fields[player].append(card + on_wasabi)
            self.scores[player] += self.points_at_once(player) - before
            if USE_CHOPSTICKS in self.turn[player]:
                self.fields[player].remove("chopsticks")
                self.hands[player].append("chopsticks")
            self.turn[player] = []
        # The hand of player i goes to player i - 1.
        self.hands = [
            self.hands[(player + 1) % self.players] for player in range(self.players)
        ]
        if not self.hands[0]:
            self.end_round()

    def points_at_once(self, player):
        """All points of the field that are paid as soon as cards are revealed."""
        count = Counter(self.fields[player])
        points = 5 * (count["tempura"] // 2) + 10 * (count["sashimi"] // 3)
        points += sum(range(1, min(count["dumpling"], 5) + 1))
        for nigiri, value in NIGIRI.items():
            points += value * count[nigiri] + 3 * value * count[nigiri + " on wasabi"]
        return points

    def end_round(self):
        icons = [
            sum(int(card[-1]) for card in field if card.startswith("maki"))
            for field in self.fields
        ]
        for player, points in enumerate(maki_points(icons, self.published)):
            self.scores[player] += points
        for player in range(self.players):
            field = self.fields[player]
            puddings = [card for card in field if card == "pudding"]
            self.removed += [c.split(" on ")[0] for c in field if c != "pudding"]
            self.fields[player] = puddings
        if self.round == 3:
            self.end_game()
            return
        self.round += 1
        self.start_round()

    def end_game(self):
        self.over = True
        puddings = [len(field) for field in self.fields]
        for player, points in enumerate(pudding_points(puddings, self.published)):
            self.scores[player] += points

    def results(self):
        if not self.over:
            return ["playing"] * self.players
        ranks = [
            (score, len(field))
            for score, field in zip(self.scores, self.fields, strict=True)
        ]
        best = max(ranks)
        at_top = "won" if ranks.count(best) == 1 else "drawn"
        return [at_top if rank == best else "lost" for rank in ranks]


def maki_points(icons, published):
    """Points for maki: 6 for most, 3 for second most, divided among the tied."""
    points = [0] * len(icons)
    ranked = sorted({n for n in icons if n > 0}, reverse=True)
    for place, prize in zip(ranked[:2], (6, 3), strict=False):
        tied = [p for p, n in enumerate(icons) if n == place]
        for p in tied:
            points[p] = prize // len(tied)
        if published and len(tied) > 1:
            break
    return points


def pudding_points(puddings, published):
    """Points for puddings: most 6, fewest -6, divided among the tied."""
    points = [0] * len(puddings)
    if len(set(puddings)) == 1:
        return points
    for extreme, prize in ((max(puddings), 6), (min(puddings), -6)):
        if prize < 0 and published and len(puddings) == 2:
            continue
        tied = [p for p, n in enumerate(puddings) if n == extreme]
        for p in tied:
            points[p] = prize // len(tied) if prize > 0 else -(-prize // len(tied))
    return points
