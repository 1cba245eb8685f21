"""What functions of users, evaluators and policies are shown of copies."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import concatenate, create_empty_array

from mcts_agents.model.copying.actions import ActionNumbers
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.held_copies import HeldCopies
from mcts_agents.model.copying.situations import Situations
from mcts_agents.model.copying.watchers import remembered_by
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.history import History


class ShownCopies(ForwardModel):
    """A model of copies, as `CopiedEnvironment`, which can be looked into.

    Attributes:
        env: The live environment.
    """

    env: Any
    _copies: HeldCopies
    _situations: Situations
    _observation_space: spaces.Space | None = None
    _numbers: dict[str, ActionNumbers]

    def _show(self, live: Face) -> None:
        """Take the observation space, if all players have the same."""
        space, *others = (live.observation_space(p) for p in range(self.players))
        alike = all(other == space for other in others)
        self._observation_space = space if alike else None
        self._numbers = dict(zip(live.agents, live.numbers, strict=True))
        if alike:
            self.observation_shape = space.shape or ()

    def environment(self, state: np.ndarray, *, own: bool = False) -> Any:
        """Return the copy of the environment that a state stands for.

        For functions that value positions or choose in them. It has the wrappers of the
        live environment but those that only watch; `unwrapped` is what lies below. Of
        the AEC form of a parallel environment it is the parallel environment.

        Args:
            state: A state of this model, inside of `planning`.
            own: Whether you will change it: step it, or move something to try it out.
                Then make a copy of the state first, with `copy`, unless the state is
                one that your function was called with. Without, only look at it: what
                you change, you change in the search.

        Raises:
            RuntimeError: The state stands for nothing any more.
        """
        address = state.ctypes.data
        if not own:
            return self._copies.at(address).face.env
        held, handle = self._copies.own(*self._situations.handles(address))
        held.is_lent = True
        held.legal = {}
        self._situations.write(address, held, handle)
        return held.face.env

    @property
    def own_observation_space(self) -> spaces.Space | None:
        """What every player is shown, without its mask; None if they differ."""
        return self._observation_space

    def observe(self, state: np.ndarray, player: int) -> Any:
        """Return what the environment shows to a player, without its mask.

        Its type is the environment's own. In parallel and Gymnasium environments it is
        what the last step showed; at the root, where another has seen that, it is
        asked of the environment, if that can tell.

        Raises:
            ValueError: It cannot.
        """
        return self._copies.at(state.ctypes.data).face.observation(player)

    def observations(self, states: np.ndarray, players: np.ndarray) -> Any:
        """Return observations in one batch, as a vector of environments has them.

        Args:
            states: uint8, (rows, state_size).
            players: Whose observations, (rows,).

        Returns:
            Of a Box an array (rows, *shape) of its dtype, of a Discrete space integers
            (rows,), of a Dict a dictionary of such, and so on.
        """
        rows = [self.observe(s, int(p)) for s, p in zip(states, players, strict=True)]
        space = self.own_observation_space
        return concatenate(space, rows, create_empty_array(space, len(rows)))

    def history(self) -> History:
        """Return what was played in the live environment, for tree reuse.

        Raises:
            ValueError: The environment does not remember it, or actions have no
                numbers.
        """
        remembered = remembered_by(self.env)
        if remembered is None:
            raise ValueError(
                "reuse_tree=True or keep_abstraction=True: the actions played in "
                f"{self.name} are not visible from outside; wrap the environment "
                "before reset: env = mcts_agents.remember(env)"
            )
        try:
            return remembered.history(lambda agent, a: self._numbers[agent].number(a))
        except ValueError as error:
            raise ValueError(f"reuse_tree=True: {self.name}: {error}") from error
