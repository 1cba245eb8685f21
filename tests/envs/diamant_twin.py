"""Diamant once more, slowly: lists of card names, written from the rules alone.

Nothing here comes from the package; only the names of hazards are shared.
"""

from collections import Counter

TREASURES = [1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17]
HAZARDS = ["explosion", "gas", "rockfall", "scorpions", "snakes"]
DECK = Counter(TREASURES + 3 * HAZARDS)


class Twin:
    """One game.

    Args:
        players: Number of players.
        shuffle: `() -> cards`: the order of a cave's deck, first card first, called
            when a cave begins; that is chance, and so is given.

    Attributes:
        deck, path, removed: Lists of cards: a number is a treasure, a word a hazard.
        chests, hands: Gems of each player.
        inside: The players in the cave, ascending.
        lost: Gems that were lost with hands or on paths.
    """

    def __init__(self, players, shuffle):
        self.players = players
        self.shuffle = shuffle
        self.chests = [0] * players
        self.removed = []
        self.caves_ended = 0
        self.decisions = 0
        self.lost = 0
        self.taken = 0
        self.enter()

    def enter(self):
        self.deck = self.shuffle()
        assert Counter(self.deck) + Counter(self.removed) == DECK
        self.path = []
        self.pool = 0
        self.hands = [0] * self.players
        self.inside = list(range(self.players))
        self.draw()

    def draw(self):
        card = self.deck.pop(0)
        if card in TREASURES:
            self.taken += card
            self.path.append(card)
            for player in self.inside:
                self.hands[player] += card // len(self.inside)
            self.pool += card % len(self.inside)
        elif card in self.path:
            self.removed.append(card)
            self.inside = []
            self.end_cave()
        else:
            self.path.append(card)

    def end_cave(self):
        self.lost += sum(self.hands) + self.pool
        self.caves_ended += 1
        if self.caves_ended < 5:
            self.enter()
        else:
            self.deck += self.path
            self.path, self.pool = [], 0
            self.hands = [0] * self.players

    def apply(self, joint):
        """`joint`: 1 for each player in the cave who leaves, 0 for the others."""
        assert sorted(joint) == self.inside
        self.decisions += 1
        leaving = [player for player in self.inside if joint[player] == 1]
        self.inside = [player for player in self.inside if joint[player] == 0]
        if leaving:
            share = self.pool // len(leaving)
            for player in leaving:
                self.chests[player] += self.hands[player] + share
                self.hands[player] = 0
                self.pool -= share
        if self.inside:
            self.draw()
        else:
            self.end_cave()

    def results(self):
        if self.caves_ended < 5:
            return ["playing"] * self.players
        best = max(self.chests)
        first = "drawn" if self.chests.count(best) > 1 else "won"
        return [first if chest == best else "lost" for chest in self.chests]

    def danger(self):
        """The number of cards in the deck that would end the cave."""
        return sum(card in self.path for card in self.deck if card in HAZARDS)

    def gain(self):
        """A player's shares of all treasures in the deck, if nobody leaves."""
        return sum(card // len(self.inside) for card in self.deck if card in TREASURES)

    def stake(self):
        """What a player gets if all leave."""
        return self.hands[self.inside[0]] + self.pool // len(self.inside)
