"""Looks of a search for masks that nothing has announced, after its own first steps."""

import sys

from mcts_agents.model import clock
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.guards import signal_has_raised

# After how many steps it is looked whether masks appear, in the first plans together
# and in each later one.
FIRST_LOOKS, LATER_LOOKS = 8, 2


class MaskLooks:
    """Looks whether masks appear after steps of plans, in copies.

    Attributes:
        left: How many are still to be made in this plan.
    """

    def __init__(self) -> None:
        self.left = 0
        self._first = FIRST_LOOKS

    def begin(self, are_due: bool, anew: bool) -> None:
        """Begin a plan.

        Args:
            are_due: Whether masks may appear that nothing announces.
            anew: Whether they did in the last plan: then it is looked after each step.
        """
        self.left = 0
        if are_due and anew:
            self._first, self.left = FIRST_LOOKS, sys.maxsize
        elif are_due:
            self.left = max(self._first, LATER_LOOKS)

    def look(self, face: Face) -> None:
        """Look in a copy whether masks appear, as looks may be counted or throw dice.

        Raises:
            UndeclaredMasksError: They do.
        """
        watch = clock.running()
        if watch is not None and watch.look():
            return
        self.left -= 1
        if not face.movers_mask():
            return  # nobody copies a finished game, so it may hold anything
        self._first -= 1
        try:
            twin = face.clone(Cloner())
        except MemoryError:
            raise
        except Exception:  # a search that has to copy it meets that as well
            if signal_has_raised():
                raise
            return
        twin.shown()
