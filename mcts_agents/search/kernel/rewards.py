"""Rewards along the path, with a discount.

Without a discount every decision takes in what the leaf is worth, with all that was
scored before the decision. With one it takes in its return, which is what follows it:

    G = r(0) + discount r(1) + ... + discount^(n-1) r(n-1) + discount^n (V - score)

r(k) is the change of the player's score as the game moves on for the k-th time after
the decision (a joint action is one move of the game), n how often it does before the
leaf, V the leaf's value and `score` the score there, so that the rest is what the leaf
promises beyond what was scored.

Each step of the path has a row: the rewards that follow it, up to the path's next step,
and by what the return from there is multiplied. `selection` begins a row, `descent` and
`closed_loop` collect rewards where the game moves on, `closed_loop` and `batches` keep
rows for later, and `back_up` takes in the returns. Pools (`abstraction.py`) take in
returns, too; backups other than `monte_carlo` pass rewards on (`back_up.pass_up`).
Compiled playouts are not used, unless the discount is 1 (`rollout`). Ranges of values
widen by each decision's return instead of the leaf's value (`value` is `score`, or a
function of one's own), and averages of moves (`mast.py`) are credited with the return
from the root.

Source: R. Sutton, A. Barto, "Reinforcement learning", 2018, equation 3.8; in a search:
L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, section 2.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import as_pointer
from mcts_agents.search.kernel.batch_records import batch_of
from mcts_agents.search.kernel.parts import Array, Part, array_of, one_of
from mcts_agents.search.kernel.records import (
    each_player,
    scores_of,
    values_of,
)
from mcts_agents.search.kernel.variants import EXTENDED


def is_on(settings):
    """Whether decisions take in returns."""
    return settings.discount is not None


def bytes_of_row(model, settings):
    """Return what is kept with a stored state of how it was reached."""
    return 8 * (model.players + 1) if is_on(settings) else 0


def _rows(model, settings):
    return model.players * settings.max_depth if is_on(settings) else 0


PART = Part(
    fields=[
        ("discounted", np.int64),
        ("discount", np.float64),  # for each time that the game moves on
    ],
    values=lambda model, settings: {
        "discounted": is_on(settings),
        "discount": settings.discount if is_on(settings) else 1.0,
    },
    arrays={
        # of each step of the path, for each player
        "rewards": Array(np.float64, lambda m, s: _rows(m, s) * m.players),
        "factors": Array(np.float64, _rows),
        "last_scores": Array(np.float64, each_player),
    },
    needs={"discount": [one_of("value", "score")]},
    extended=is_on,
)

rewards_of = array_of("rewards", np.float64)
factors_of = array_of("factors", np.float64)
last_scores_of = array_of("last_scores", np.float64)


@njit
def note_scores(search):
    """Remember the scores of the state, with which later ones are compared."""
    call.scores(search)
    for player in range(search.players):
        last_scores_of(search)[player] = scores_of(search)[player]


@njit
def begin_row(search, row):
    """Begin the row of a step of the path."""
    for player in range(search.players):
        rewards_of(search)[row * search.players + player] = 0.0
    factors_of(search)[row] = 1.0


@njit
def collect_rewards(search):
    """Add what the scores have changed by to the row of the path's last step."""
    row = search.step_count - 1
    call.scores(search)
    for player in range(search.players):
        score = scores_of(search)[player]
        reward = score - last_scores_of(search)[player]
        last_scores_of(search)[player] = score
        if row >= 0:
            at = row * search.players + player
            rewards_of(search)[at] += factors_of(search)[row] * reward
    if row >= 0:
        factors_of(search)[row] *= search.discount


# -- rows that are kept


@njit
def kept_row(search, slot):
    """View what a stored state's slot keeps of how it was reached: a row."""
    address = slot + ((search.state_size + 7) >> 3 << 3)
    return carray(as_pointer(address), search.players + 1, np.float64)


@njit
def keep_row(search, slot):
    """Keep the row of the path's last step with the state that it led to."""
    kept = kept_row(search, slot)
    row = search.step_count - 1
    for player in range(search.players):
        kept[player] = 0.0
        if row >= 0:
            kept[player] = rewards_of(search)[row * search.players + player]
    kept[search.players] = factors_of(search)[row] if row >= 0 else 1.0


@njit
def recall_row(search, slot):
    """Set the row of the path's last step to what was kept."""
    kept = kept_row(search, slot)
    row = search.step_count - 1
    for player in range(search.players):
        rewards_of(search)[row * search.players + player] = kept[player]
    factors_of(search)[row] = kept[search.players]


@njit
def waiting_rows(search):
    """View the rewards, factors and scores of descents that wait for an evaluator."""
    batch = batch_of(search)
    steps, lanes = batch.step_limit, batch.lane_limit
    return (
        carray(as_pointer(batch.rewards), steps * search.players, np.float64),
        carray(as_pointer(batch.factors), steps, np.float64),
        carray(as_pointer(batch.scores), lanes * search.players, np.float64),
    )


@njit
def keep_waiting(search, number, first):
    """Keep the path's rows, from `first` on, and the leaf's scores, of a descent."""
    rewards, factors, scores = waiting_rows(search)
    players = search.players
    for i in range(search.step_count * players):
        rewards[first * players + i] = rewards_of(search)[i]
    for i in range(search.step_count):
        factors[first + i] = factors_of(search)[i]
    for player in range(players):
        scores[number * players + player] = last_scores_of(search)[player]


@njit
def recall_waiting(search, number, first, count):
    """Set the path's rows, `count` of them, and the leaf's scores, to those kept."""
    rewards, factors, scores = waiting_rows(search)
    players = search.players
    for i in range(count * players):
        rewards_of(search)[i] = rewards[first * players + i]
    for i in range(count):
        factors_of(search)[i] = factors[first + i]
    for player in range(players):
        scores_of(search)[player] = scores[number * players + player]


@njit
def waiting_score(search, number, player):
    """Return a player's score at the leaf of a descent that waits."""
    return waiting_rows(search)[2][number * search.players + player]


# -- returns


@njit
def take_off_scores(search):
    """Make the leaf's values what it promises beyond the scores."""
    for player in range(search.players):
        values_of(search)[player] -= scores_of(search)[player]


@njit
def pass_rewards(search, row, passed):
    """Make what follows a row's step, for each player, what follows its decision."""
    for player in range(search.players):
        reward = rewards_of(search)[row * search.players + player]
        passed[player] = reward + factors_of(search)[row] * passed[player]


@njit
def sum_returns(search):
    """Make every row's rewards the returns of its decision, and `values` the root's."""
    values = values_of(search)
    for row in range(search.step_count - 1, -1, -1):
        pass_rewards(search, row, values)
        for player in range(search.players):
            rewards_of(search)[row * search.players + player] = values[player]


@njit
def value_of_step(search, row, player):
    """Return what a step of the path takes in for a player."""
    if EXTENDED:
        if search.discounted:
            return rewards_of(search)[row * search.players + player]
    return values_of(search)[player]
