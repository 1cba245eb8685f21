"""Are random actions and playouts uniformly random?"""

import random
from collections import Counter
from typing import Any

import numpy as np

from mcts_agents.extras import from_extra
from mcts_agents.model import ForwardModel, new_generator
from mcts_agents.testing.calls import Calls, Position
from mcts_agents.testing.report import Report

# A fair function is refused once in a thousand million times.
LEAST_PROBABILITY = 1e-9
DRAWS_FOR_EACH_ACTION = 50
MOST_DRAWS = 1000
PLAYOUTS = 200
# Games of so many moves are not compared move by move.
LONGEST_COMPARED = 1000


def load_statistics() -> Any:
    """Return SciPy's statistics.

    Raises:
        MissingExtraError: They are not installed.
    """
    with from_extra("arena", "check_rules needs SciPy"):
        from scipy import stats
    return stats


def check_draws(
    calls: Calls, report: Report, position: Position, rng: np.ndarray
) -> None:
    """Check `random_action` and scripted policies in one position; `rng` advances."""
    place, model = calls.place, calls.model
    for player, legal in position.legal.items():
        actions = legal.tolist()
        if model.has("random_action"):
            number = min(DRAWS_FOR_EACH_ACTION * len(actions), MOST_DRAWS)
            state = position.state.copy()
            drawn = Counter(calls.random_actions(state, player, rng, number))
            _check_legal(calls, "random_action", drawn, player, actions)
            expected = drawn.total() / len(actions)
            if expected >= 5 and len(actions) > 1:
                found = load_statistics().chisquare(
                    [drawn[action] for action in actions]
                )
                if found.pvalue < LEAST_PROBABILITY:
                    rare = min(actions, key=lambda action: drawn[action])
                    place.fail(
                        "random_action",
                        f"chose action {rare} of player {player} {drawn[rare]} times "
                        f"instead of about {expected:.0f}",
                        "All legal actions must be equally likely",
                    )
                report.checked["random_action is uniform"] += 1
            report.checked["random_action is legal"] += 1
        for policy in model.policies:
            memory = np.zeros(max(model.policy_bytes(policy), 1), np.uint8)
            model.begin_policy(policy, memory.ctypes.data, rng)
            state = position.state.copy()
            action = model.policy_action(policy, state, player, memory.ctypes.data, rng)
            if state.tobytes() != position.state.tobytes():
                place.fail(policy, "changed the state", "A policy only looks")
            _check_legal(calls, policy, [action], player, actions)
            report.checked["scripted policies choose legal actions"] += 1


def _check_legal(
    calls: Calls,
    function: str,
    chosen: "Counter[int] | list[int]",
    player: int,
    actions: list[int],
) -> None:
    wrong = set(chosen) - set(actions)
    if wrong:
        calls.place.fail(
            function,
            f"chose {min(wrong)} for player {player}, whose legal actions are "
            f"{actions[:20]}",
            "Choose one of the legal actions",
        )


def check_playouts(
    model: ForwardModel, calls: Calls, report: Report, seed: int
) -> None:
    """Check the playout from an opening: its count, its end, and how it ends."""
    place = calls.place
    rng = new_generator(np.random.SeedSequence([seed, 2]))
    place.episode = place.move = 0
    opening = calls.reset(new_generator(np.random.SeedSequence([seed, 0])))
    movers = len(model.movers(opening))
    for limit in (0, movers - 1, movers, 7 * movers):
        after, played = calls.playout(opening, rng, limit)
        deciding = len(model.movers(after))
        if not 0 <= played <= limit:
            place.fail(
                "playout",
                f"returned {played} with a limit of {limit} actions",
                "Stop before the limit would be exceeded, and return the number of "
                "actions that were played",
            )
        if played == 0 and after.tobytes() != opening.tobytes():
            place.fail(
                "playout", "returned 0 but changed the state", "Count the actions"
            )
        if deciding and played + deciding <= limit:
            place.fail(
                "playout",
                f"stopped after {played} of {limit} actions in an unfinished game",
                "Play on to the end of the game or the limit",
            )
    report.checked["playout counts its actions"] += 1
    _compare_endings(model, calls, report, opening, rng)


def _compare_endings(
    model: ForwardModel,
    calls: Calls,
    report: Report,
    opening: np.ndarray,
    rng: np.ndarray,
) -> None:
    """Compare the results of playouts with those of random games, step by step."""
    played: Counter[tuple[int, ...]] = Counter()
    stepped: Counter[tuple[int, ...]] = Counter()
    choices = random.Random(int(rng[0]))
    for number in range(PLAYOUTS):
        state = opening.copy()
        if not _step_to_the_end(model, state, rng, choices):
            report.skip(
                "playout ends as random games do",
                f"a random game takes more than {LONGEST_COMPARED} moves",
            )
            return
        stepped[tuple(model.results(state).tolist())] += 1
        limit = LONGEST_COMPARED * model.players
        if number == 0:
            state, _ = calls.playout(opening, rng, limit)
        else:
            state = opening.copy()
            model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
        played[tuple(model.results(state).tolist())] += 1
    kinds = sorted(played | stepped)
    table = np.array([[counts[kind] for kind in kinds] for counts in (played, stepped)])
    if len(kinds) > 1:
        found = load_statistics().chi2_contingency(table)
        if found.pvalue < LEAST_PROBABILITY:
            calls.place.fail(
                "playout",
                f"ends with results {dict(played)}, random games with {dict(stepped)}",
                "Choose all legal actions with equal probability, by the same rules",
            )
    report.checked["playout ends as random games do"] += 1


def _step_to_the_end(
    model: ForwardModel, state: np.ndarray, rng: np.ndarray, choices: random.Random
) -> bool:
    for _ in range(LONGEST_COMPARED):
        movers = model.movers(state)
        if not movers:
            return True
        joint = {}
        for player in movers:
            joint[player] = choices.choice(model.legal_actions(state, player))
        model.apply(state, joint, rng)
    return False
