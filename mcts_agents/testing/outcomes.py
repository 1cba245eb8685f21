"""Do passing and listed chances agree with the game's other functions?"""

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.testing.calls import Calls, Position
from mcts_agents.testing.report import Report

# How often `apply` is compared with the listed outcomes.
DRAWS = 5
# What rounding may leave of a sum of probabilities.
TOLERANCE = 1e-9


def check_passing(
    model: ForwardModel, calls: Calls, report: Report, position: Position
) -> None:
    """Check that the only player to move passes, and nothing ends by it."""
    if not model.has("pass_turn") or len(position.movers) != 1:
        return
    after = calls.passed(position.state)
    mask = calls.number("movers", after)
    if mask.bit_count() != 1:
        calls.place.fail(
            "pass_turn",
            f"left the mask of movers {mask}",
            "One player must be to move when the only one has passed",
        )
    if calls.vector("results", after).tolist() != position.results:
        calls.place.fail(
            "pass_turn", "changed the results", "Nobody wins or loses by it"
        )
    report.checked["pass_turn leaves one player to move"] += 1


def check_outcomes(
    model: ForwardModel,
    calls: Calls,
    report: Report,
    position: Position,
    joint: list[int],
    rng: np.ndarray,
) -> None:
    """Check probabilities, and that `apply` leads where an outcome does.

    Args:
        model: The model.
        calls: Its checked calls.
        report: Where it is noted.
        position: The position.
        joint: A legal joint action.
        rng: A generator, advanced.
    """
    if not model.has("outcomes"):
        return
    place = calls.place
    probabilities = calls.outcomes(position.state, joint)
    if probabilities.min() <= 0.0 or abs(probabilities.sum() - 1.0) > TOLERANCE:
        place.fail(
            "outcomes",
            f"wrote {probabilities.tolist()} for {joint}",
            "Write numbers above 0 whose sum is 1",
        )
    reached = {
        calls.applied_outcome(position.state, joint, outcome).tobytes()
        for outcome in range(len(probabilities))
    }
    for _ in range(DRAWS):
        if calls.applied(position.state, joint, rng).tobytes() not in reached:
            place.fail(
                "apply_outcome",
                f"reaches none of the states that `apply` does, for {joint}",
                "`apply` must draw one of `outcomes`, and do the same with it",
            )
    report.checked["apply draws one of the outcomes"] += 1
