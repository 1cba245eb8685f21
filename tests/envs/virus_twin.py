"""Virus! once more, slowly: lists of card names, written from the rules."""

from collections import Counter
from itertools import combinations

from tests.envs.virus_positions import CARDS


def state_of(lying):
    """What the cards that lie on an organ make of it."""
    if len(lying) == 2:
        return "immunised"
    if not lying:
        return "neutral"
    return "infected" if lying[0].startswith("virus") else "vaccinated"


class Twin:
    """A game; hands are sorted, bodies are dicts from organ to the cards on it.

    Args:
        hands: The hands.
        pile: The pile, the next card first.
        is_published: Whether the published rules are played.
    """

    def __init__(self, hands, pile, is_published):
        self.hands = [sorted(hand, key=CARDS.index) for hand in hands]
        self.pile, self.discards = list(pile), []
        self.bodies = [{} for _ in hands]
        self.is_published = is_published
        self.player = self.turns = self.shuffles = 0
        self.winner, self.over, self.spreads_on = None, False, False

    def others(self):
        """The other players, each with the text that names the distance."""
        players = len(self.hands)
        return [
            (
                f"+{n}",
                (self.player + n) % players,
                self.bodies[(self.player + n) % players],
            )
            for n in range(1, players)
        ]

    def legal(self):
        """The legal actions as text."""
        hand = self.hands[self.player]
        if self.spreads_on:
            return set(self.plays("spreading"))
        if not hand:
            return {"draw"}
        actions = {text for card in hand for text in self.plays(card)}
        found = {}
        for number in (1, 2, 3):
            for places in combinations(range(len(hand)), number):
                cards = tuple(hand[place] for place in places)
                text = "discard " + " ".join(str(place + 1) for place in places)
                found.setdefault(cards, text)  # the first places come first
        return actions | set(found.values())

    def plays(self, card):
        """Each way to play a card, as text."""
        mine = self.bodies[self.player]
        kind, _, colour = card.partition(" ")
        if kind == "organ" and colour not in mine:
            yield card
        elif kind == "medicine":
            for organ in mine:
                if self.takes(mine, organ, colour):
                    yield f"{card} on {organ}"
        elif card == "glove" and self.is_published:
            yield "glove all"
        elif card in ("glove", "error"):
            for name, _, _ in self.others():
                yield f"{card} {name}"
        elif kind in ("virus", "thief"):
            for name, _, his in self.others():
                for organ in his:
                    if kind == "virus" and self.takes(his, organ, colour):
                        yield f"{card} on {organ} of {name}"
                    if kind == "thief" and len(his[organ]) < 2 and organ not in mine:
                        yield f"thief {organ} of {name}"
        elif kind == "spreading":
            yield from self.spreadings(mine)
        elif kind == "transplant":
            yield from self.transplants(mine)

    def spreadings(self, mine):
        """Each way in which a virus can move."""
        for own, lying in mine.items():
            if state_of(lying) != "infected":
                continue
            for name, _, his in self.others():
                for organ in his:
                    fits = "virus wild" in lying or organ in (own, "wild")
                    if fits and state_of(his[organ]) == "neutral":
                        yield f"spreading {own} to {organ} of {name}"

    def transplants(self, mine):
        """Each pair of organs that can be swapped."""
        for own in mine:
            for name, _, his in self.others():
                for organ in his:
                    if len(mine[own]) == 2 or len(his[organ]) == 2:
                        continue
                    after = [*(mine.keys() - {own}), organ]
                    his_after = [*(his.keys() - {organ}), own]
                    unique = all(len(set(x)) == len(x) for x in (after, his_after))
                    if unique and (own != organ or self.is_published):
                        yield f"transplant {own} for {organ} of {name}"

    @staticmethod
    def takes(body, organ, colour):
        """Whether a virus or medicine of a colour may be played on an organ."""
        lying = body[organ]
        if len(lying) == 2:
            return False
        wild = {"virus wild", "medicine wild"} & set(lying)
        return bool(wild) or "wild" in (organ, colour) or organ == colour

    def apply(self, text, hand_after, pile_after):
        """Play; where the discards are shuffled the two tell what came of it."""
        words = text.split()
        kind, hand = words[0], self.hands[self.player]
        card = " ".join(words[:2]) if kind in ("organ", "medicine", "virus") else kind
        if not self.spreads_on:
            if kind == "discard":
                taken = [hand[int(word) - 1] for word in words[1:]]
                self.discards += taken
            else:
                taken = [] if kind == "draw" else [card]
                if card in ("thief", "spreading", "transplant", "glove", "error"):
                    self.discards.append(card)
            for one in taken:
                hand.remove(one)
            self.draw(hand, hand_after, pile_after)
        mine = self.bodies[self.player]
        seats = {name: (seat, his) for name, seat, his in self.others()}
        seat, his = seats.get(words[-1], (None, None))
        if kind == "organ":
            mine[words[1]] = []
        elif kind == "medicine":
            self.lay(mine, words[3], card)
        elif kind == "virus":
            self.lay(his, words[3], card)
        elif kind == "thief":
            mine[words[1]] = his.pop(words[1])
        elif kind == "spreading":
            his[words[3]], mine[words[1]] = mine[words[1]], []
        elif kind == "transplant":
            given, taken = mine.pop(words[1]), his.pop(words[3])
            mine[words[3]], his[words[1]] = taken, given
        elif kind == "glove":
            all_ = range(len(self.hands)) if seat is None else [seat]
            for one in {*all_} - {self.player}:
                self.discards += self.hands[one]
                self.hands[one] = []
        elif kind == "error":
            self.bodies[self.player], self.bodies[seat] = his, mine
        self.spreads_on = (
            self.is_published
            and kind == "spreading"
            and any(self.spreadings(self.bodies[self.player]))
        )
        if not self.spreads_on:
            self.end_turn()

    def draw(self, hand, hand_after, pile_after):
        """Draw up to three cards."""
        while len(hand) < 3 and self.pile:
            hand.append(self.pile.pop(0))
        if len(hand) < 3 and self.discards:
            drawn = Counter(hand_after) - Counter(hand)
            assert drawn + Counter(pile_after) == Counter(self.discards)
            hand += drawn.elements()
            self.pile, self.discards = list(pile_after), []
            self.shuffles += 1
        hand.sort(key=CARDS.index)

    def lay(self, body, organ, card):
        """Lay a virus or a medicine on an organ."""
        lying, kind = body[organ], card.split()[0]
        if not lying or kind == lying[0].split()[0] == "medicine":
            lying.append(card)
            return
        self.discards += [*lying, card]
        body[organ] = []
        if kind == "virus" and lying[0].startswith("virus"):
            self.discards.append(f"organ {organ}")
            del body[organ]

    def healthy(self, player):
        """How many organs of a player are not infected."""
        return sum(state_of(x) != "infected" for x in self.bodies[player].values())

    def end_turn(self):
        """Pass the turn on, and see who has won."""
        self.turns += 1
        players = len(self.hands)
        self.player = self.turns % players
        winners = [player for player in range(players) if self.healthy(player) >= 4]
        self.winner = winners[0] if winners else None
        self.over = bool(winners) or self.turns == 100 * players

    def results(self):
        """How the game ended for each player."""
        if self.winner is None:
            return ["drawn"] * len(self.hands)
        return ["won" if p == self.winner else "lost" for p in range(len(self.hands))]
