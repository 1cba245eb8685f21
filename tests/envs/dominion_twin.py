"""Dominion once more, slowly: lists of card names, written from the rules.

Nothing here comes from the package; actions are words. Piles are lists, the next card
first.
"""

from collections import Counter

COSTS = {
    "copper": 0,
    "silver": 3,
    "gold": 6,
    "estate": 2,
    "duchy": 5,
    "province": 8,
    "cellar": 2,
    "market": 5,
    "merchant": 3,
    "militia": 4,
    "mine": 5,
    "moat": 2,
    "remodel": 4,
    "smithy": 4,
    "village": 3,
    "workshop": 3,
}
WORTH = {"copper": 1, "silver": 2, "gold": 3}
POINTS = {"estate": 1, "duchy": 3, "province": 6}
KINGDOM = tuple(COSTS)[6:]


class Twin:
    """One game.

    Attributes:
        known: known[player] counts the cards of a hand that all know to be there.
    """

    def __init__(self, hands, piles, published):
        self.players = len(hands)
        self.published = published
        self.hands = [Counter(hand) for hand in hands]
        self.piles = [list(pile) for pile in piles]
        self.discards = [Counter() for _ in hands]
        self.known = [Counter() for _ in hands]
        self.table, self.trash = Counter(), Counter()
        victory = 8 if self.players == 2 else 12
        self.supply = Counter(dict.fromkeys(KINGDOM, 10))
        self.supply |= Counter(dict.fromkeys(POINTS, victory))
        coppers = 60 - 7 * self.players if published else 32
        self.supply |= Counter(copper=coppers, silver=40, gold=30)
        self.turns = 0
        self.begin(0)

    def begin(self, player):
        self.turn_of = self.mover = player
        self.phase = "play"
        self.actions = self.buys = 1
        self.money = self.spent = self.merchants = 0
        self.safe = set()

    # -- what may be done

    def coins(self):
        hand = self.hands[self.turn_of]
        worth = sum(WORTH.get(card, 0) * n for card, n in hand.items())
        return worth + self.money - self.spent

    def offers(self, most, cards=tuple(COSTS)):
        return [c for c in cards if COSTS[c] <= most and self.supply[c]]

    def legal(self):
        held = list(+self.hands[self.mover])
        if self.phase == "play":
            return ["end", *(f"play {card}" for card in held if card in KINGDOM)]
        if self.phase == "buy":
            return ["end", *(f"buy {card}" for card in self.offers(self.coins()))]
        if self.phase == "attacked":
            return ["reveal moat", "done"]
        if self.phase == "gain":
            return [f"gain {card}" for card in self.gains]
        if self.phase == "trash":
            if self.effect == "remodel":
                return [f"trash {card}" for card in held]
            trashed = [f"trash {card}" for card in held if card in WORTH]
            return trashed + ["done"] * self.published
        discards = [f"discard {card}" for card in held]
        return discards + ["done"] * (self.phase == "cellar")

    def points(self):
        totals = []
        for player in range(self.players):
            cards = self.hands[player] + self.discards[player]
            cards += Counter(self.piles[player])
            if player == self.turn_of:
                cards += self.table
            totals.append(sum(POINTS.get(card, 0) * n for card, n in cards.items()))
        return totals

    def winners(self):
        points = self.points()
        best = [p for p in range(self.players) if points[p] == max(points)]
        later = [p for p in best if p > self.turn_of]
        return later if later and self.published else best

    # -- what is done

    def do(self, action, new_piles):
        """Do an action; `new_piles` has the order of piles that are shuffled."""
        word, *rest = action.split()
        mover, self.new_piles = self.mover, new_piles
        if word == "end":
            self.begin_buying() if self.phase == "play" else self.end_turn()
        elif word == "play":
            self.lose(mover, rest[0])
            self.table[rest[0]] += 1
            self.actions -= 1
            getattr(self, rest[0])()
        elif word == "buy":
            self.take(rest[0], self.discards[mover])
            self.spent += COSTS[rest[0]]
            self.buys -= 1
            if self.buys == 0:
                self.end_turn()
        elif word == "gain":
            if self.effect == "mine":
                self.take(rest[0], self.hands[mover])
                self.known[mover][rest[0]] += 1
            else:
                self.take(rest[0], self.discards[mover])
            self.go_on()
        elif word == "trash":
            self.lose(mover, rest[0])
            self.trash[rest[0]] += 1
            more = 3 if self.effect == "mine" else 2
            cards = WORTH if self.effect == "mine" else COSTS
            self.ask_gain(self.offers(COSTS[rest[0]] + more, cards))
        elif word == "discard":
            self.lose(mover, rest[0])
            self.discards[mover][rest[0]] += 1
            if self.phase == "cellar":
                self.discarded += 1
            elif self.hands[mover].total() == 3:
                self.next_victim()
        elif self.phase == "attacked":
            if word == "reveal":
                self.safe.add(mover)
            elif self.hands[mover].total() > 3:
                self.phase = "militia"
                return
            self.next_victim()
        else:
            if self.phase == "cellar":
                self.draw(self.discarded)
            self.go_on()

    def lose(self, player, card):
        """A card leaves a hand; it may be one that was known."""
        self.hands[player][card] -= 1
        self.known[player][card] = max(self.known[player][card] - 1, 0)

    def take(self, card, where):
        self.supply[card] -= 1
        where[card] += 1

    def draw(self, number):
        player = self.turn_of
        pile, discards = self.piles[player], self.discards[player]
        if number <= len(pile):
            drawn = Counter(pile[:number])
            del pile[:number]
        else:
            left = self.new_piles[player]
            assert len(left) == max(len(pile) + discards.total() - number, 0)
            assert Counter(left) <= discards
            drawn = Counter(pile) + discards - Counter(left)
            self.piles[player], self.discards[player] = list(left), Counter()
        self.hands[player] += drawn

    def go_on(self):
        self.phase, self.mover = "play", self.turn_of
        if self.actions == 0:
            self.begin_buying()

    def begin_buying(self):
        self.phase = "buy"
        if self.hands[self.turn_of]["silver"]:
            self.money += self.merchants
        self.merchants = 0

    def end_turn(self):
        self.turns += 1
        empty = sum(self.supply[card] == 0 for card in COSTS)
        if self.supply["province"] == 0 or empty >= 3:
            self.phase = "over"
            return
        player = self.turn_of
        self.discards[player] += self.hands[player] + self.table
        self.hands[player], self.table = Counter(), Counter()
        self.known[player] = Counter()
        self.draw(5)
        self.begin((player + 1) % self.players)

    # -- cards

    def plain(self, cards=0, actions=0, buys=0, money=0):
        self.actions += actions
        self.buys += buys
        self.money += money
        if cards:
            self.draw(cards)

    def ask_gain(self, cards):
        self.gains = cards
        self.phase = "gain"
        if not cards:
            self.go_on()

    def cellar(self):
        self.plain(actions=1)
        self.phase, self.discarded = "cellar", 0

    def market(self):
        self.plain(cards=1, actions=1, buys=1, money=1)
        self.go_on()

    def merchant(self):
        self.plain(cards=1, actions=1)
        self.merchants += 1
        self.go_on()

    def militia(self):
        self.plain(money=2)
        self.victims = [(self.turn_of + n) % self.players for n in range(self.players)]
        del self.victims[0]
        if self.published:
            self.safe = set()
        self.next_victim()

    def next_victim(self):
        while self.victims:
            victim = self.victims.pop(0)
            if victim in self.safe:
                continue
            self.mover = victim
            if self.hands[victim]["moat"]:
                self.phase = "attacked"
                self.known[victim]["moat"] = max(self.known[victim]["moat"], 1)
                return
            if self.hands[victim].total() > 3:
                self.phase = "militia"
                return
        self.go_on()

    def mine(self):
        self.effect = "mine"
        hand = self.hands[self.turn_of]
        asks = hand.total() if self.published else any(hand[card] for card in WORTH)
        if asks:
            self.phase = "trash"
        else:
            self.go_on()

    def moat(self):
        self.plain(cards=2)
        self.go_on()

    def remodel(self):
        self.effect = "remodel"
        if self.hands[self.turn_of].total():
            self.phase = "trash"
        else:
            self.go_on()

    def smithy(self):
        self.plain(cards=3)
        self.go_on()

    def village(self):
        self.plain(cards=1, actions=2)
        self.go_on()

    def workshop(self):
        self.effect = "workshop"
        self.ask_gain(self.offers(4))
