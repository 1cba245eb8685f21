"""Leaves: what the state at the end of an iteration is worth to each player.

The leaf is the state at which `descent.descend` ended: below the trees every action was
one of `rollout.choose_by_policy`, or, once all trees were left, of the game's compiled
playout. `evaluate_leaf` asks the game for what the leaf heuristic needs, and the
heuristic, a plug-in that may be a Python function, writes the values; `back_up` takes
them in. Where an evaluator values leaves (`batches.py`, with `driver/leaf_batches.py`),
there is no rollout, and the heuristic is asked only where the game is over, or over for
the tree's player. A proven leaf has the proven result, and with a discount `rewards.py`
takes the score off.

- `win`: the share of the win, as `model.win_shares` has it: 1/k if k players have won,
  or if nobody has and k have drawn, and 0 for a loss; an unfinished state is worth
  1/players to those still playing. Where players have team mates k and `players` count
  teams.
- `score`: the game's score, with +50% for a winner and -50% for a loser (Goodman et
  al., CoG 2022, section V; the bonus is a setting). The percentage is of the score's
  magnitude, so that winning is better where scores are negative, too. TAG multiplies
  the score itself (`score_bonus_by=tag`), which there turns the bonus round.
- `leader`: the own score minus the greatest of the others' (in a team game, of the
  other teams'), with the same bonus.
- `evaluate`: the game's evaluation for players who still play, `win` for those whose
  result is known.

A new heuristic is a function of LEAF in `LEAF_VALUES`. Name it in the option's text
(`options/settings.py`) and run `docs/make_options.py` and `docs/make_option_types.py`.
Say in `PART` whether it needs scores or the evaluation, and in `solver.applies` whether
it keeps results. If it gives shares of a win, say so in `driver/leaf_batches.py`
(`_shares`), `back_up.py` (`own_ranges`) and `tree_policies/__init__.py` (`shares`).
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import as_pointer, float64_at, int32_at
from mcts_agents.model.contract import DRAWN, LOST, PLAYING, WON
from mcts_agents.model.rules import VALUES_OF_SCORES
from mcts_agents.search.kernel import plug_ins as plug_in
from mcts_agents.search.kernel.parts import Condition, NeededFunction, Part, one_of
from mcts_agents.search.kernel.records import (
    LEAF,
    UNPROVEN,
    results_of,
    settings_at,
)
from mcts_agents.search.kernel.solver import (
    outcome_of_results,
    prove_path,
    write_results,
)
from mcts_agents.search.kernel.status import MODEL_ERROR, SLICE_DONE

_BY_SCORE = one_of("value", *VALUES_OF_SCORES)


def check_value(model, settings):
    """Raise ValueError if positions are to be valued by scores that a game lacks."""
    value = settings.value
    if value in VALUES_OF_SCORES and not model.has_points:
        raise ValueError(
            f"value={value!r}: {model.name} has no scores, so all its positions would "
            "be worth the same; use value='win', or give the rules a function `scores`"
        )


PART = Part(
    fields=[
        ("needs_scores", np.int64),
        ("needs_evaluation", np.int64),
    ],
    values=lambda model, settings: {
        "needs_scores": settings.value in VALUES_OF_SCORES,
        "needs_evaluation": settings.value == "evaluate",
    },
    numbers=lambda settings: {
        "score_bonus": settings.score_bonus,
        "bonus_of_score": settings.score_bonus_by == "tag",
    },
    needs={
        "score_bonus": [_BY_SCORE],
        "score_bonus_by": [
            _BY_SCORE,
            Condition(lambda s: s.score_bonus != 0.0, "score_bonus above 0"),
        ],
    },
    entries=[
        NeededFunction(
            "value",
            "evaluate",
            "evaluate",
            lambda model: (
                "use value='score' or value='win'"
                if model.has_points
                else "use value='win'"
            ),
        )
    ],
    check=check_value,
)


@njit
def evaluate_leaf(search):
    """Write what the state reached is worth to each player into `values`.

    Returns:
        The status: SLICE_DONE or MODEL_ERROR.
    """
    if search.proven != UNPROVEN:
        write_results(search, search.proven)
    else:
        call.results(search)
    if search.needs_scores:
        call.scores(search)
    if search.needs_evaluation and results_of(search).min() == PLAYING:
        call.evaluate(search)
    if call.failed(search):
        return MODEL_ERROR
    plug_in.leaf_value(search)
    if call.failed(search):
        return MODEL_ERROR
    # No rollout: the state lies right below the path's last action.
    if search.solver and search.rollout_actions == 0 and search.step_count > 0:
        outcome = outcome_of_results(search)
        if outcome != UNPROVEN:
            prove_path(search, outcome)
    return SLICE_DONE


@njit
def write_win_values(view, out):
    """Write the value of each player's result; `win` above."""
    results = int32_at(view.results, view.players)
    teams = int32_at(view.teams, view.players)
    winners = drawers = np.int64(0)  # teams, bit masks
    for player in range(view.players):
        team = np.int64(1) << teams[player]
        if results[player] == WON:
            winners |= team
        elif results[player] == DRAWN:
            drawers |= team
    sharing = winners if winners else drawers
    number = 0
    for team in range(view.team_count):
        number += sharing >> team & 1
    for player in range(view.players):
        if results[player] == PLAYING:
            out[player] = 1.0 / view.team_count
        elif sharing >> teams[player] & 1:
            out[player] = 1.0 / number
        else:
            out[player] = 0.0


@njit
def win(view_address, settings_address, rng_address):
    """Write the value of the results."""
    view = carray(as_pointer(view_address), 1, LEAF)[0]
    write_win_values(view, float64_at(view.out, view.players))
    return 0


@njit
def write_scores(view, settings, out):
    """Write the scores with the bonus for winning and the malus for losing."""
    results = int32_at(view.results, view.players)
    scores = float64_at(view.scores, view.players)
    for player in range(view.players):
        base = scores[player]
        if not settings.bonus_of_score:
            base = abs(base)
        out[player] = scores[player]
        if results[player] == WON:
            out[player] += settings.score_bonus * base
        elif results[player] == LOST:
            out[player] -= settings.score_bonus * base


@njit
def score(view_address, settings_address, rng_address):
    """Write the scores with bonus and malus."""
    view = carray(as_pointer(view_address), 1, LEAF)[0]
    settings = settings_at(settings_address)
    write_scores(view, settings, float64_at(view.out, view.players))
    return 0


@njit
def leader(view_address, settings_address, rng_address):
    """Write each player's lead over the best of other teams (a lone one's score)."""
    view = carray(as_pointer(view_address), 1, LEAF)[0]
    settings = settings_at(settings_address)
    out = float64_at(view.out, view.players)
    write_scores(view, settings, out)
    if view.players == 1:
        return 0
    teams = int32_at(view.teams, view.players)
    first, second, best = -np.inf, -np.inf, -1
    for player in range(view.players):
        if out[player] > first:
            first, best = out[player], teams[player]
    for player in range(view.players):
        if teams[player] != best:
            second = max(second, out[player])
    for player in range(view.players):
        out[player] -= second if teams[player] == best else first
    return 0


@njit
def evaluate(view_address, settings_address, rng_address):
    """Write the evaluation of players who still play and the results of the others."""
    view = carray(as_pointer(view_address), 1, LEAF)[0]
    results = int32_at(view.results, view.players)
    out = float64_at(view.out, view.players)
    write_win_values(view, out)
    evaluation = float64_at(view.evaluation, view.players)
    for player in range(view.players):
        if results[player] == PLAYING:
            out[player] = evaluation[player]
    return 0


LEAF_VALUES = {"win": win, "score": score, "leader": leader, "evaluate": evaluate}
