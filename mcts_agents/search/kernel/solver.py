"""MCTS-Solver: proven results of positions near the end of the game.

An action that ends the game has a proven outcome if one team wins (a player without
team mates is a team) or all draw; any other result (a tie of some, a loss of all)
proves nothing. A position is proven for the win of the mover's team if one of its
actions is; if all of its actions are proven, the mover takes a draw if there is one,
else the position is lost to the team that wins after every action (with several teams
the winner may depend on the mover's whim: then nothing is proven). Outcomes are handed
up the path as far as they prove anything. Proven losses are avoided, a descent ends at
a proven position with its exact value, and the search ends when the root is proven.

Where several players decide at once, the position after a joint action may be proven,
but nothing is concluded from it about the decision itself: its value may lie in a
mixture of actions. A simultaneous decision is never proven.

When a node is made each of its actions is tried once, so that those that end the game
are proven at once: the search sees every mate in one, which sampling may miss for long.
These tries count as forward-model calls.

It applies where a path determines the state, nothing is hidden, and values are results
(`applies` below); there it is on by default if `value` is `win`. `selection` tries the
actions of new nodes, unless several players decide there; `descent` and `iterations`
stop at what is proven, `leaf_values` gives it its exact value, indices avoid what is
lost, and the final move ranks proofs before visits and values (`root_reading`).

Source: M. Winands, Y. Bjornsson, J.-T. Saito, "Monte-Carlo tree search solver", 2008;
the rule for more than two players is ours.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.contract import DRAWN, LOST, WON
from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel.parts import Part
from mcts_agents.search.kernel.records import (
    ALL_DRAW,
    FIRST_WINNER,
    UNPROVEN,
    edges_of,
    joint_action_of,
    joints_of,
    nodes_of,
    path_of,
    results_of,
    teams_of,
)
from mcts_agents.search.kernel.tree import count_players, place_of_joint
from mcts_agents.search.kernel.tree_policies import BY_INDEX


def applies(model, settings):
    """Whether there is anything to prove in a game under complete settings."""
    return (
        settings.tree == "one"
        and BY_INDEX.holds(settings)
        and not (model.chance or model.hidden_information)
        and settings.value in ("win", "evaluate")
        and not (settings.paranoid and model.team_count > 2)
        and not settings.graph
        and settings.simultaneous == "decoupled"
        and settings.loop == "open"
        and settings.evaluator is None
        and settings.backup == "monte_carlo"
        and settings.action_filter != "game"
    )


def _check(model, settings):
    if settings.solver and not applies(model, settings):
        raise ValueError(
            f"solver=true: {model.name} with these settings has nothing to prove; it "
            f"takes tree='one', an open loop, no graph, simultaneous='decoupled', no "
            f"action_filter, {BY_INDEX.words}, no evaluator, backup='monte_carlo', no "
            "chance, nothing hidden, value 'win' or 'evaluate', and no Paranoid with "
            "more than two teams (a player without team mates is one)"
        )


PART = Part(
    fields=[
        ("solver", np.int64),
        ("proven", np.int64),  # lane: outcome at which the descent ended, 0: none
    ],
    values=lambda model, settings: {"solver": settings.solver},
    check=_check,
)


@njit
def outcome_of_results(search):
    """Return the outcome that the results of a finished game stand for."""
    results = results_of(search)
    winner = UNPROVEN
    drawn = 0
    for player in range(search.players):
        if results[player] == WON:
            won = FIRST_WINNER + teams_of(search)[player]
            if winner != UNPROVEN and winner != won:
                return UNPROVEN  # no outcome here stands for several winners
            winner = won
        drawn += results[player] == DRAWN
    return ALL_DRAW if drawn == search.players else winner


@njit
def write_results(search, outcome):
    """Write the results that an outcome stands for."""
    results = results_of(search)
    for player in range(search.players):
        if outcome == ALL_DRAW:
            results[player] = DRAWN
        else:
            won = outcome == FIRST_WINNER + teams_of(search)[player]
            results[player] = WON if won else LOST


@njit
def try_actions(search, bandit):
    """Prove the actions of a new node that end the game; return what they prove."""
    home = search.state
    for index in range(bandit.first, bandit.first + bandit.count):
        call.copy_between(search, search.trial_state, home)
        search.state = search.trial_state
        joint_action_of(search)[bandit.player] = edges_of(search)[index].action
        call.apply(search)
        if call.movers(search) == 0:
            call.results(search)
            edges_of(search)[index].outcome = outcome_of_results(search)
        search.state = home
    search.forward_model_calls += bandit.count
    return outcome_of_bandit(search, bandit)


@njit
def prove_path(search, outcome):
    """Note the outcome of the path's last action, and what it proves further up."""
    for i in range(search.step_count - 1, -1, -1):
        step = path_of(search)[i]
        bandit = nodes_of(search)[step.node]
        if bandit.movers != 1 << bandit.player:  # a simultaneous decision
            edges_of(search)[joint_link_of_path(search, i)].outcome = outcome
            return
        edges_of(search)[step.edge].outcome = outcome
        outcome = outcome_of_bandit(search, bandit)
        if outcome == UNPROVEN:
            return
    edges_of(search)[0].outcome = outcome  # the root's link


@njit
def joint_link_of_path(search, last):
    """Return the link of the joint action that ends at a step of the path."""
    bandits = count_players(nodes_of(search)[path_of(search)[last].node].movers)
    key = np.uint64(0)
    for i in range(last - bandits + 1, last + 1):
        key = mixed(key, edges_of(search)[path_of(search)[i].edge].action)
    node = np.int64(path_of(search)[last - bandits + 1].node)
    return np.int64(joints_of(search)[place_of_joint(search, node, key)].edge)


@njit
def outcome_of_bandit(search, bandit):
    """Return what the outcomes of its actions prove about a decision."""
    common = UNPROVEN
    draw = False
    undecided = False  # between several winners
    open_ends = 0
    for index in range(bandit.first, bandit.first + bandit.count):
        outcome = edges_of(search)[index].outcome
        if outcome == FIRST_WINNER + teams_of(search)[bandit.player]:
            return outcome
        if outcome == UNPROVEN:
            open_ends += 1
        elif outcome == ALL_DRAW:
            draw = True
        elif common == UNPROVEN:
            common = outcome
        elif common != outcome:
            undecided = True
    if open_ends > 0:
        return UNPROVEN
    if draw:  # which the mover takes, whoever wins after its other actions
        return ALL_DRAW
    return UNPROVEN if undecided else common
