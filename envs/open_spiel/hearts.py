"""Worlds of Hearts while cards are passed, which OpenSpiel samples wrongly.

It deals what the observer cannot know anew, but lets the others pass cards that they
were not dealt. From such a position a game does not end, and OpenSpiel's rollouts end
the process. Its deals are right, so the others pass cards from these here, at random.
"""

from typing import Any

# The history of a game: the direction of passing (0: none), the deal, three cards that
# each player passes, and then the tricks.
_DEALT = 1 + 52
_PASSED = _DEALT + 4 * 3


def is_passing(position: Any) -> bool:
    """Whether some cards of a position of Hearts, and not all, have been passed."""
    history = position.history()
    return history[0] != 0 and _DEALT < len(history) < _PASSED


def passed_anew(drawn: Any, truth: Any, observer: int, draws: Any) -> Any:
    """Return the position in which others than the observer passed what they hold.

    Args:
        drawn: What OpenSpiel sampled, of which the deal is taken.
        truth: The position it was sampled from, of which the observer's cards are
            taken.
        observer: The player.
        draws: Random numbers, as `Draws`.
    """
    position = truth.get_game().new_initial_state()
    for action in drawn.history()[:_DEALT]:
        position.apply_action(action)
    for action in truth.history()[_DEALT:]:
        if position.current_player() != observer:
            legal = position.legal_actions()
            action = legal[draws.below(len(legal))]
        position.apply_action(action)
    return position
