"""Love Letter once more, slowly: lists of card names, written from the rules alone.

Nothing here comes from the package; only the numbers of the actions are shared.
"""

DECK = {
    "guard": 5,
    "priest": 2,
    "baron": 2,
    "handmaid": 2,
    "prince": 2,
    "king": 1,
    "countess": 1,
    "princess": 1,
}
CARDS = list(DECK)
TOKENS_TO_WIN = {2: 7, 3: 5, 4: 4}


def number(card):
    """The number printed on a card."""
    return CARDS.index(card) + 1


def actions():
    """What each action says: (card, target or None, named card or None)."""
    listed = [("guard", t, c) for t in range(4) for c in CARDS[1:]]
    for card in CARDS[1:]:
        if card in ("priest", "baron", "prince", "king"):
            listed += [(card, target, None) for target in range(4)]
        else:
            listed.append((card, None, None))
    return listed


ACTIONS = actions()


class Twin:
    """One game.

    Args:
        players: Number of players.
        deal: `() -> (hands, face_up, pile, starter)`: what chance decides at the start
            of a round: a card for each player, the cards laid open, the pile in order
            with the card laid aside last, and who starts.
        baron_shows: Whether players who tie at the baron know each other's card.

    Attributes:
        hands: Cards of each player; the card drawn last is the last one.
        seen: `seen[p][q]` is the card that p knows q to hold, if any.
        told: The pairs (p, q) of which q is sure that p knows q's card.
    """

    def __init__(self, players, deal, baron_shows=False):
        self.players = players
        self.deal = deal
        self.baron_shows = baron_shows
        self.tokens = [0] * players
        self.winners = [0]
        self.rounds = self.turns = 0
        self.winner = None
        self.start_round()

    def start_round(self):
        hands, self.face_up, self.pile, starter = self.deal()
        assert len(self.face_up) == (3 if self.players == 2 else 0)
        assert starter in self.winners
        self.hands = [[card] for card in hands]
        self.discards = [[] for _ in range(self.players)]
        self.protected = set()
        self.seen = [{} for _ in range(self.players)]
        self.told = set()
        self.start_turn(starter)

    def start_turn(self, player):
        self.player = player
        self.protected.discard(player)
        self.hands[player].append(self.pile.pop(0))

    def movers(self):
        return [] if self.winner is not None else [self.player]

    def alive(self):
        return [p for p in range(self.players) if self.hands[p]]

    def legal(self):
        """The numbers of the legal actions of the player on turn."""
        held = set(self.hands[self.player])
        if "countess" in held and held & {"prince", "king"}:
            held = {"countess"}
        return [
            index
            for index, (card, target, _) in enumerate(ACTIONS)
            if card in held and (target is None or self.may_target(card, target))
        ]

    def may_target(self, card, target):
        if target == self.player:
            return card == "prince"
        return target in self.alive()

    def apply(self, action):
        card, target, named = ACTIONS[action]
        me = self.player
        self.turns += 1
        if card in self.hands[me][:1]:
            self.lose_sight_of(me)
        self.hands[me].remove(card)
        self.discards[me].append(card)
        if target not in self.protected:
            self.effect(me, card, target, named)
        if len(self.alive()) == 1 or len(self.pile) <= 1:
            self.end_round()
            return
        after = [(me + step) % self.players for step in range(1, self.players + 1)]
        self.start_turn(next(p for p in after if p in self.alive()))

    def effect(self, me, card, target, named):
        if card == "guard" and self.hands[target] == [named]:
            self.knock_out(target)
        elif card == "priest":
            self.show(target, me)
        elif card == "baron":
            mine, other = (number(self.hands[p][0]) for p in (me, target))
            if mine != other:
                self.knock_out(me if mine < other else target)
            elif self.baron_shows:
                self.show(target, me)
                self.show(me, target)
        elif card == "handmaid":
            self.protected.add(me)
        elif card == "prince" and self.hands[target] == ["princess"]:
            self.knock_out(target)
        elif card == "prince":
            self.discards[target] += self.hands[target]
            self.lose_sight_of(target)
            self.hands[target] = [self.pile.pop(0)]
        elif card == "king":
            self.swap(me, target)
        elif card == "princess":
            self.knock_out(me)

    def show(self, owner, player):
        self.seen[player][owner] = self.hands[owner][0]
        self.told.add((player, owner))

    def lose_sight_of(self, owner):
        for seen in self.seen:
            seen.pop(owner, None)
        self.told = {pair for pair in self.told if pair[1] != owner}

    def swap(self, me, target):
        """Everybody who knew one of the cards knows who has it now."""
        self.hands[me], self.hands[target] = self.hands[target], self.hands[me]
        self.told = {pair for pair in self.told if pair[1] not in (me, target)}
        for player in range(self.players):
            seen = self.seen[player]
            mine, other = seen.pop(me, None), seen.pop(target, None)
            if mine and player != target:
                seen[target] = mine
            if other and player != me:
                seen[me] = other
        self.show(me, target)
        self.show(target, me)

    def knock_out(self, player):
        self.discards[player] += self.hands[player]
        self.hands[player] = []
        self.lose_sight_of(player)

    def end_round(self):
        self.rounds += 1
        worth = {
            p: (number(self.hands[p][0]), sum(map(number, self.discards[p])))
            for p in self.alive()
        }
        self.winners = [p for p in worth if worth[p] == max(worth.values())]
        for player in self.winners:
            self.tokens[player] += 1
        most = max(self.tokens)
        enough = most >= TOKENS_TO_WIN[self.players]
        if enough and self.tokens.count(most) == 1:
            self.winner = self.tokens.index(most)
        else:
            self.start_round()

    def results(self):
        if self.winner is None:
            return ["playing"] * self.players
        return ["won" if p == self.winner else "lost" for p in range(self.players)]
