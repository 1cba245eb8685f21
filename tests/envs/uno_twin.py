"""Uno in plain Python, written from the rules, with cards as text."""

COLOURS = ("red", "yellow", "green", "blue")
ACTION_CARDS = ("skip", "reverse", "draw two")
WILDS = ("wild", "wild draw four")
KINDS = [
    *(f"{c} {v}" for c in COLOURS for v in (*map(str, range(10)), *ACTION_CARDS)),
    *WILDS,
]


def copies(card):
    """How many of a card are in the box."""
    if card in WILDS:
        return 4
    return 1 if card.endswith(" 0") else 2


DECK = [card for card in KINDS for _ in range(copies(card))]


def parts(card):
    """Colour and value of a coloured card; None and the name of a wild."""
    if card in WILDS:
        return None, card
    colour, _, value = card.partition(" ")
    return colour, value


def points(card):
    """What a card in the hand costs at the end of a round."""
    _, value = parts(card)
    if value in WILDS:
        return 50
    return 20 if value in ACTION_CARDS else int(value)


class Twin:
    """A game, told what chance does.

    Args:
        players: How many play.
        dealt: Returns (hands, pile with the next card first, discards with the top
            one first) after cards were dealt or discards shuffled.
        options: The options of the variant.
    """

    def __init__(self, players, dealt, options):
        self.players, self.dealt = players, dealt
        self.target = options.get("target", 500)
        self.classic = options.get("scoring") == "classic"
        self.quirks = options.get("quirks", True)
        self.match_symbols = options.get("match_symbols", False)
        self.totals = [0] * players
        self.direction, self.rounds, self.over = 1, 0, False
        self.deal(0)

    def deal(self, first):
        """Begin a round."""
        self.hands, self.pile, self.discards = self.dealt()
        (self.top,) = self.discards
        assert sorted(self.all_cards()) == sorted(DECK)
        self.colour, value = parts(self.top)
        assert value not in WILDS
        sizes = [7] * self.players
        if value == "draw two":
            sizes[first] += 2
        assert [len(hand) for hand in self.hands] == sizes
        self.player = first
        if value == "reverse":
            self.direction *= -1
        if value in ACTION_CARDS:
            self.player = self.after(first)

    def all_cards(self):
        return [*self.pile, *self.discards, *(c for hand in self.hands for c in hand)]

    def after(self, player):
        return (player + self.direction) % self.players

    def matches(self, card, hand):
        colour, value = parts(card)
        top_value = parts(self.top)[1]
        if value == "wild":
            return True
        if value == "wild draw four":
            return self.quirks or all(parts(c)[0] != self.colour for c in hand)
        if colour == self.colour:
            return True
        if value in ACTION_CARDS:
            return self.match_symbols and value == top_value
        if self.quirks and top_value in WILDS:
            return value == ("0" if top_value == "wild" else "4")
        return value == top_value

    def legal(self):
        """The actions of the player on turn, as text."""
        hand = self.hands[self.player]
        found = set()
        for card in hand:
            if self.matches(card, hand):
                found |= {f"{card} {c}" for c in COLOURS} if card in WILDS else {card}
        return found or {"draw"}

    def draws(self, player, number):
        """Let a player draw; return False if the discards had to be shuffled."""
        if number > len(self.pile):
            return False
        self.hands[player] += self.pile[:number]
        del self.pile[:number]
        return True

    def put(self, card):
        self.discards.insert(0, card)
        self.top = card

    def apply(self, action):
        """Play an action; return whether what chance did was looked up."""
        player, hand = self.player, self.hands[self.player]
        follower = self.after(player)
        if action == "draw":
            self.player = follower
            if not self.pile:
                return self.look_up_after_drawing(player)
            card = self.pile.pop(0)
            if not self.matches(card, hand):
                hand.append(card)
                return False
            self.put(card)
            if card not in WILDS:
                self.colour = parts(card)[0]
            elif self.quirks:
                self.colour = None
            return False
        card = next(c for c in (action, action.rpartition(" ")[0]) if c in hand)
        hand.remove(card)
        self.put(card)
        self.colour = parts(card)[0] or action.rpartition(" ")[2]
        value = parts(card)[1]
        looked_up = False
        if value == "reverse" and self.players > 2:
            self.direction *= -1
            follower = self.after(player)
        number = 2 if value == "draw two" else 0
        if value == "wild draw four" and not self.quirks:
            number = 4
        if number and not self.draws(follower, number):
            looked_up = True
            self.look_up()
        is_skip = value == "skip" or (value == "reverse" and self.players == 2)
        if number or is_skip:
            follower = self.after(follower)
        self.player = follower
        if not self.hands[player]:
            self.end_round(player)
            return True
        return looked_up

    def look_up(self):
        """Take over the cards after discards were shuffled within a round."""
        before = sorted(self.all_cards())
        sizes = [len(hand) for hand in self.hands]
        hands, self.pile, self.discards = self.dealt()
        for seat, (old, new) in enumerate(zip(self.hands, hands, strict=True)):
            lost = list(old)
            for card in new:
                if card in lost:
                    lost.remove(card)
            assert not lost
            assert len(new) - sizes[seat] in (0, 1, 2, 4)
        self.hands = hands
        assert sorted(self.all_cards()) == before
        return True

    def look_up_after_drawing(self, player):
        old_top, number = self.top, len(self.hands[player])
        self.look_up()
        assert self.discards[-1] == old_top
        if len(self.hands[player]) == number:
            self.top = self.discards[0]
            card = self.top
            if card not in WILDS:
                self.colour = parts(card)[0]
            elif self.quirks:
                self.colour = None
        return True

    def end_round(self, winner):
        self.rounds += 1
        for player, hand in enumerate(self.hands):
            receiver = winner if self.classic else player
            self.totals[receiver] += sum(map(points, hand))
        self.over = max(self.totals) >= self.target
        if not self.over:
            self.player = 0
            self.deal(self.after(0))

    def scores(self):
        """The score of each player."""
        if self.classic:
            return list(self.totals)
        held = [0 if self.over else sum(map(points, hand)) for hand in self.hands]
        return [-a - b for a, b in zip(self.totals, held, strict=True)]

    def results(self):
        """The result of each player."""
        best = max(self.scores())
        return ["won" if score == best else "lost" for score in self.scores()]
