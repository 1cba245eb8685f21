"""Exploding Kittens once more, slowly: lists of card names, written from the rules.

Nothing here comes from the package; actions are words. Cards in the pile are lists of
[card, players who know it], the next one first.
"""

from collections import Counter
from itertools import permutations

PLAYED = ("attack", "skip", "favor", "shuffle", "see")


class Twin:
    """One game.

    Attributes:
        known: known[observer][owner] counts the cards that an observer knows to be in
            another player's hand.
    """

    def __init__(self, hands, pile, published):
        self.players = len(hands)
        self.published = published
        self.hands = [Counter(hand) for hand in hands]
        self.pile = [[card, set()] for card in pile]
        self.discards = Counter()
        self.dead = []
        seats = range(len(hands))  # everybody is dealt a defuse
        self.known = [[Counter(defuse=int(o != p)) for p in seats] for o in seats]
        self.turns = 0
        self.begin(0, 1)
        self.turns = 0

    # -- who decides, and what may be done

    def is_over(self):
        return len(self.dead) == self.players - 1

    def seats_after(self, seat):
        """The living seats clockwise after a seat, itself last."""
        seats = [(seat + n) % self.players for n in range(1, self.players + 1)]
        return [s for s in seats if s not in self.dead]

    def legal(self):
        if self.phase == "nope":
            return ["nope", "pass"]
        if self.phase == "give":
            return [f"give {card}" for card in +self.hands[self.mover]] or [
                "give nothing"
            ]
        if self.phase == "order":
            return [f"order {' '.join(cards)}" for cards in self.orders()]
        if self.phase == "place":
            return [f"place {place}" for place in range(len(self.pile) + 1)]
        others = self.seats_after(self.mover)[:-1]
        found = ["draw"]
        for card in PLAYED:
            if not self.hands[self.mover][card]:
                continue
            if card == "attack":
                found += [f"attack {s}" for s in others[: 1 if self.published else 9]]
            elif card == "favor":
                found += [f"favor {s}" for s in others if self.hands[s].total()]
            else:
                found.append(card)
        return found

    def orders(self):
        """The orders of the top cards that differ."""
        return set(permutations([card for card, _ in self.pile[:3]]))

    # -- what is done

    def do(self, action, new_pile):
        """Do an action; `new_pile` is the order of the cards if they are shuffled."""
        word, *rest = action.split()
        mover = self.mover
        if self.phase == "nope":
            if word == "nope":
                self.discard(mover, "nope")
                self.nopes.append(mover)
                self.to_ask = self.holders(mover)
            self.ask(new_pile)
        elif self.phase == "give":
            if word == "give" and rest != ["nothing"]:
                self.give(mover, self.turn_of, rest[0])
            self.main()
        elif self.phase == "order":
            self.put_back(mover, rest)
        elif self.phase == "place":
            for entry in self.pile:
                entry[1] &= {mover}
            self.pile.insert(int(rest[0]), ["kitten", {mover}])
            self.drawn()
        elif word == "draw":
            self.draw(mover)
        else:
            self.discard(mover, word)
            self.played, self.nopes = action, []
            self.to_ask = self.holders(mover)
            self.ask(new_pile)

    def holders(self, actor):
        return [s for s in self.seats_after(actor) if self.hands[s]["nope"]]

    def ask(self, new_pile):
        if self.to_ask:
            self.phase, self.mover = "nope", self.to_ask.pop(0)
            for observer in range(self.players):
                if observer != self.mover:
                    known = self.known[observer][self.mover]
                    known["nope"] = max(known["nope"], 1)
            return
        self.main()
        if len(self.nopes) % 2 == 1:
            return
        word, *target = self.played.split()
        if word == "attack":
            self.begin(int(target[0]), 2)
        elif word == "skip":
            self.drawn()
        elif word == "favor":
            self.phase, self.mover = "give", int(target[0])
        elif word == "shuffle":
            assert Counter(new_pile) == Counter(card for card, _ in self.pile)
            self.pile = [[card, set()] for card in new_pile]
        else:
            for _, players in self.pile[:3]:
                players.add(self.turn_of)
            if not self.published:
                self.phase = "order"

    def discard(self, owner, card):
        self.hands[owner][card] -= 1
        self.discards[card] += 1
        for observer in range(self.players):
            self.forget(observer, owner, card)

    def forget(self, observer, owner, card):
        known = self.known[observer][owner]
        known[card] = max(known[card] - 1, 0)

    def give(self, giver, taker, card):
        self.hands[giver][card] -= 1
        self.hands[taker][card] += 1
        for observer in range(self.players):
            unsure = [card] if observer == taker else list(self.known[observer][giver])
            for each in unsure:
                self.forget(observer, giver, each)
        self.known[giver][taker][card] += 1

    def put_back(self, mover, cards):
        self.pile[:3] = [[card, {mover}] for card in cards]
        self.main()

    def draw(self, mover):
        card, _ = self.pile.pop(0)
        if card != "kitten":
            self.hands[mover][card] += 1
            self.drawn()
        elif self.hands[mover]["defuse"]:
            self.discard(mover, "defuse")
            self.phase = "place"
        else:
            self.dead.append(mover)
            self.discards += self.hands[mover]
            self.discards["kitten"] += 1
            self.hands[mover] = Counter()
            for other in range(self.players):
                self.known[mover][other] = Counter()
                self.known[other][mover] = Counter()
            for _, players in self.pile:
                players.discard(mover)
            if self.is_over():
                self.turns += 1
                self.phase = "over"
            else:
                self.begin(self.seats_after(mover)[0], 1)

    # -- turns

    def main(self):
        self.phase, self.mover = "main", self.turn_of

    def begin(self, player, draws):
        self.turns += 1
        self.turn_of, self.draws = player, draws
        self.main()

    def drawn(self):
        self.draws -= 1
        if self.draws:
            self.main()
        else:
            self.begin(self.seats_after(self.turn_of)[0], 1)
