"""What each algorithm of the minimax family is worth, in obvious plain Python.

No windows, no table, no order but that which the definitions themselves ask for.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts_agents.model import DRAWN, PLAYING, WON, ForwardModel, new_generator

PASS = "pass"


def generator(seed=0):
    return new_generator(np.random.SeedSequence(seed))


# For moves that chance has no part in: a new one for each of them takes longest.
NEVER_DRAWN_FROM = generator()


def leaf_values(model: ForwardModel, state, value, bonus=0.5) -> list[float]:
    """Return what a state is worth to each player, by a word or a function.

    Args:
        model: The game.
        state: The state.
        value: What `value` of the settings may be.
        bonus: What `score_bonus` of the settings says.
    """
    if callable(value):
        return list(value(model, state))
    players, results = range(model.players), model.results(state).tolist()
    if value == "evaluate" and PLAYING in results:
        return model.evaluate(state).tolist()
    if value in ("evaluate", "win"):
        won, drawn = (
            {model.teams[p] for p in players if results[p] == shared}
            for shared in (WON, DRAWN)
        )
        sharing, playing = won or drawn, 1 / model.team_count
        shares = [model.teams[p] in sharing and 1 / len(sharing) for p in players]
        return [
            playing if result == PLAYING else float(share)
            for result, share in zip(results, shares, strict=True)
        ]
    scores = model.scores(state).tolist()
    sign = {WON: bonus, PLAYING: 0.0, DRAWN: 0.0}
    scores = [
        s + sign.get(r, -bonus) * abs(s) for s, r in zip(scores, results, strict=True)
    ]
    if value == "score" or model.team_count == 1:
        return scores
    teams = model.teams
    return [
        scores[p] - max(scores[q] for q in players if teams[q] != teams[p])
        for p in players
    ]


def opponents_of(model, root):
    """Return how many players are not in the root player's team."""
    return sum(team != model.teams[root] for team in model.teams)


def after(model, state, joint):
    """Return what the movers' joint action leads to, where nothing is random."""
    state = model.copy(state)
    model.apply(state, joint, NEVER_DRAWN_FROM)
    return state


def considered(model, state, player):
    """Return the actions that a player may take: those that the game's filter keeps."""
    legal = model.legal_actions(state, player)
    if model.has("filter_actions"):
        legal = model.filter_actions(state, player, legal)
    return legal.tolist()


def ranked(model, state, player):
    """Return the actions that a player may take, by static order."""
    legal = model.legal_actions(state, player).tolist()
    ranks = np.zeros(len(legal))
    if model.has("action_values"):
        ranks = model.action_values(state, player)
    rank = dict(zip(legal, ranks.tolist(), strict=True))
    return sorted(considered(model, state, player), key=lambda a: (-rank[a], a))


def next_chooser(model, state, joint, root):
    """Return who chooses next of those who decide at once: the root player first."""
    waiting = [p for p in model.movers(state) if p not in joint]
    return root if root in waiting else waiting[0]


@dataclass
class Paranoid:
    """Everybody who is not in the root player's team minimises its value.

    Minimax for two; OPPS, BRS+ and Best-Reply Search by the last three. Who has passed
    and is asked again before anybody has moved does not pass but for want of an action.
    """

    model: ForwardModel
    root: int
    value: Any = "win"
    free_opponents: int = 99
    free_moves: int = 99
    ranked_moves: int = 99

    def actions(self, state, depth) -> dict[int, float]:
        """Return what each of the root player's actions is worth."""
        return {
            action: self._after(
                state, {}, self.root, action, depth, frozenset(), frozenset()
            )
            for action in considered(self.model, state, self.root)
        }

    def _leaf(self, state):
        if callable(self.value):
            return float(self.value(self.model, state)[self.root])
        return leaf_values(self.model, state, self.value)[self.root]

    def _after(self, state, joint, player, action, depth, free, passed):
        model = self.model
        if action == PASS:
            state = model.copy(state)
            model.pass_turn(state)
            return self._state(state, depth, free, passed | {player})
        joint = {**joint, player: action}
        if len(joint) < len(model.movers(state)):
            return self._decision(state, joint, depth - 1, free)
        return self._happens(state, joint, depth - 1, free)

    def _happens(self, state, joint, depth, free):
        model = self.model
        if not model.chance:
            return self._state(after(model, state, joint), depth, free)
        listed = [joint.get(p, -1) for p in range(model.players)]
        total = 0.0
        for outcome, p in enumerate(model.outcomes(state, listed).tolist()):
            if p > 0.0:
                reached = model.copy(state)
                model.apply_outcome(reached, listed, outcome)
                total += p * self._state(reached, depth, free)
        return total

    def _state(self, state, depth, free, passed=frozenset()):
        if not self.model.movers(state) or depth <= 0:
            return self._leaf(state)
        return self._decision(state, {}, depth, free, passed)

    def _decision(self, state, joint, depth, free, passed=frozenset()):
        model, root = self.model, self.root
        player = next_chooser(model, state, joint, root)
        if model.teams[player] == model.teams[root]:
            free = frozenset() if player == root else free
            actions = considered(model, state, player)
            return max(
                self._after(state, joint, player, action, depth, free, passed)
                for action in actions
            )
        return min(
            self._after(state, joint, player, action, depth, free | spent, passed)
            for action, spent in self._allowed(state, player, free, passed)
        )

    def _allowed(self, state, player, free, passed):
        """Return what an opponent may do, and who has moved freely by that."""
        order = ranked(self.model, state, player)
        best = order[: self.ranked_moves]
        allowed = [(action, frozenset()) for action in best]
        if player in free or len(free) < self.free_opponents:
            others = order[len(best) : self.free_moves]
            allowed += [(action, frozenset({player})) for action in others]
        passes = self.ranked_moves == 0 and self.free_opponents < opponents_of(
            self.model, self.root
        )
        if passes and (not allowed or self._may_pass(state, player, free, passed)):
            allowed.append((PASS, frozenset()))
        return allowed

    def _may_pass(self, state, player, free, passed):
        if player in passed:
            return False
        state = self.model.copy(state)
        self.model.pass_turn(state)
        return bool(free) or self.root not in self.model.movers(state)


def best_reply(model, state, root, depth, value):
    """Return the value of Best-Reply Search, as its paper has it.

    Players take turns in order. The root player's moves and replies of the others
    alternate; a reply is one move of one opponent, while all others pass.
    """
    if not model.movers(state) or depth <= 0:
        return leaf_values(model, state, value)[root]
    (player,) = model.movers(state)
    if player == root:
        return max(
            best_reply(model, after(model, state, {root: a}), root, depth - 1, value)
            for a in model.legal_actions(state, root).tolist()
        )
    found = []
    while player != root:
        for action in model.legal_actions(state, player).tolist():
            reached = after(model, state, {player: action})
            found.append(_rest_passes(model, reached, root, depth - 1, value))
        state = model.copy(state)
        model.pass_turn(state)
        if not model.movers(state):
            found.append(leaf_values(model, state, value)[root])
            break
        (player,) = model.movers(state)
    return min(found)


def _rest_passes(model, state, root, depth, value):
    if depth > 0:
        while model.movers(state) and model.movers(state) != (root,):
            state = model.copy(state)
            model.pass_turn(state)
    return best_reply(model, state, root, depth, value)


def max_n(model, state, player, depth, value):
    """Return every player's value of each of a player's actions."""
    return {
        action: _max_n_after(model, state, {}, player, action, depth, value, player)
        for action in ranked(model, state, player)
    }


def _max_n_after(model, state, joint, player, action, depth, value, root):
    joint = {**joint, player: action}
    if len(joint) < len(model.movers(state)):
        return _max_n_decision(model, state, joint, depth - 1, value, root)
    state = after(model, state, joint)
    if not model.movers(state) or depth <= 1:
        return leaf_values(model, state, value)
    return _max_n_decision(model, state, {}, depth - 1, value, root)


def _max_n_decision(model, state, joint, depth, value, root):
    player = next_chooser(model, state, joint, root)
    found = [
        _max_n_after(model, state, joint, player, action, depth, value, root)
        for action in ranked(model, state, player)
    ]
    return max(found, key=lambda values: values[player])  # the first of equals
