"""Poker in plain Python: hands ranked by enumeration, betting with lists and sets."""

from collections import Counter
from itertools import combinations

BLINDS = (5, 10)


def rank_of_five(cards):
    """How good five cards are, as a tuple; cards are numbered 4 * rank + suit."""
    ranks = Counter(card // 4 for card in cards)
    order = sorted(ranks, key=lambda rank: (-ranks[rank], -rank))
    shape = tuple(sorted(ranks.values(), reverse=True))
    is_flush = len({card % 4 for card in cards}) == 1
    high = None
    if len(ranks) == 5:
        if max(ranks) - min(ranks) == 4:
            high = max(ranks)
        elif set(ranks) == {0, 1, 2, 3, 12}:
            high = 3
    if high is not None:
        return (8 if is_flush else 4, high)
    if is_flush:
        return (5, *order)
    shapes = ((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), None, None, (3, 2))
    kind = 7 if shape == (4, 1) else shapes.index(shape)
    return (kind, *order)


def best_rank(cards):
    """How good the best five of some cards are."""
    return max(rank_of_five(five) for five in combinations(cards, 5))


def payments(bets, still_in, hands, board, first, loses_odd_chips):
    """What each seat gets of the pots, chip by chip and level by level."""
    seats = range(len(bets))
    paid = [0 for _ in seats]
    if len(still_in) == 1:
        paid[still_in[0]] = sum(bets)
        return paid
    ranks = {seat: best_rank([*hands[seat], *board]) for seat in still_in}
    # The set of those who can win it, and the chips, from the lowest level up.
    pots = []
    for level in range(1, max(bets) + 1):
        chips = sum(bet >= level for bet in bets)
        able = [seat for seat in still_in if bets[seat] >= level] or pots[-1][0]
        if pots and pots[-1][0] == able:
            pots[-1][1] += chips
        else:
            pots.append([able, chips])
    for able, chips in pots:
        best = max(ranks[seat] for seat in able)
        winners = [seat for seat in able if ranks[seat] == best]
        winners.sort(key=lambda seat: (seat - first) % len(bets))
        for seat in winners:
            paid[seat] += chips // len(winners)
        if not loses_odd_chips:
            paid[winners[0]] += chips % len(winners)
    return paid


class Twin:
    """A game that is played along; `dealt` returns the hands and the five board cards.

    Attributes hold plain lists; `player` is None when the game is over.
    """

    def __init__(self, players, dealt, deals=11, loses_odd_chips=False):
        self.dealt, self.deals, self.loses = dealt, deals, loses_odd_chips
        self.stacks = [50] * players
        self.out = [False] * players
        self.ended, self.small = 0, 0
        self.begin()
        self.find()

    def after(self, seat, good):
        players = len(self.stacks)
        return next(
            other
            for other in ((seat + n) % players for n in range(1, players + 1))
            if good(other)
        )

    def is_in(self, seat):
        return not self.out[seat] and not self.folded[seat]

    def begin(self):
        seats = range(len(self.stacks))
        self.bets = [0 for _ in seats]
        self.folded = [False for _ in seats]
        self.acted = [False for _ in seats]
        self.hands, self.board = self.dealt()
        big = self.after(self.small, lambda seat: not self.out[seat])
        for seat, blind in zip((self.small, big), BLINDS, strict=True):
            self.pay(seat, blind)
        self.needs_call = [
            seat != big and not self.out[seat] and self.stacks[seat] > 0
            for seat in seats
        ]
        self.bet_made, self.street = False, 0
        self.opens = self.player = self.small

    def pay(self, seat, chips):
        chips = min(chips, self.stacks[seat])
        self.stacks[seat] -= chips
        self.bets[seat] += chips

    def legal(self):
        seat = self.player
        stack, call = self.stacks[seat], max(self.bets) - self.bets[seat]
        others = [
            other
            for other in range(len(self.stacks))
            if other != seat and self.is_in(other) and self.stacks[other] > 0
        ]
        found = {"fold", "all-in"}
        if self.needs_call[seat]:
            if stack >= call:
                found.add("call")
            for times in (1, 2, 3, 4):
                if others and stack >= call + times * max(self.bets):
                    found.add(f"raise x{times}")
        else:
            found.add("check")
            if others and not self.bet_made and stack >= 5:
                found.add("bet")
        return found

    def apply(self, action):
        seat = self.player
        call = max(self.bets) - self.bets[seat]
        self.acted[seat], self.needs_call[seat] = True, False
        if action == "fold":
            self.folded[seat] = True
            if self.opens == seat:
                self.opens = self.after(seat, self.is_in)
        elif action == "call":
            self.pay(seat, call)
        elif action != "check":
            if action.startswith("raise"):
                chips = call + int(action[-1]) * max(self.bets)
            else:
                chips = 5 if action == "bet" else self.stacks[seat]
            self.pay(seat, chips)
            self.bet_made = True
            for other in range(len(self.stacks)):
                can = other != seat and self.is_in(other) and self.stacks[other] > 0
                self.needs_call[other] = can
        self.player = self.after(seat, self.is_in)
        self.find()

    def find(self):
        """Go on to the next player who has something to decide."""
        while self.player is not None:
            still_in = [n for n in range(len(self.stacks)) if self.is_in(n)]
            if len(still_in) == 1:
                self.end(still_in)
                continue
            waiting = [
                seat
                for seat in still_in
                if self.stacks[seat] > 0
                and (self.needs_call[seat] or not self.acted[seat])
            ]
            if waiting:
                while self.player not in waiting:
                    self.player = self.after(self.player, self.is_in)
                return
            if self.street == 3:
                self.end(still_in)
                continue
            self.street += 1
            self.acted = [False] * len(self.stacks)
            self.bet_made, self.player = False, self.opens

    def end(self, still_in):
        paid = payments(
            self.bets, still_in, self.hands, self.board, self.small, self.loses
        )
        for seat, chips in enumerate(paid):
            self.stacks[seat] += chips
        self.out = [stack == 0 for stack in self.stacks]
        self.ended += 1
        if self.ended == self.deals or self.out.count(False) == 1:
            self.player = None
            return
        self.small = self.after(self.small, lambda seat: not self.out[seat])
        self.begin()

    def results(self):
        best = max(self.stacks)
        return ["won" if stack == best else "lost" for stack in self.stacks]
