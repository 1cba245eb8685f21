"""`ScriptedAgent`: plays one of the scripted policies that come with a game."""

from typing import Any, Unpack
from weakref import WeakKeyDictionary

import numpy as np

from mcts_agents.agents.agent import Agent, AgentOptions
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.model import ForwardModel
from mcts_agents.search.driver.one_thread import one_thread


class ScriptedAgent(Agent):
    """Plays a scripted policy of the game, such as Pommerman's `simple`.

    What the policy remembers of a game is kept for each environment and seat, and
    begins anew with every game. As `opponent_model` or `rollout_policy` of a search it
    is the compiled policy itself.

    Args:
        policy: Name of the policy, one of `ForwardModel.policies`; required.
        **agent: See `Agent`.

    Raises:
        ValueError: `policy` is no word; when playing, if the game has no such policy.
    """

    def __init__(self, *, policy: str | None = None, **agent: Unpack[AgentOptions]):
        if not isinstance(policy, str) or not policy:
            raise ValueError(
                f"policy={policy!r}: expected the name of a scripted policy of the "
                "game, as in scripted:policy=NAME"
            )
        self.policy = policy
        # By environment and player: the number of the game, and the memory.
        self._memories: WeakKeyDictionary[Any, dict[int, tuple[int, np.ndarray]]]
        # By game and player: the memory of positions without an environment.
        self._alone: WeakKeyDictionary[ForwardModel, dict[int, np.ndarray]]
        super().__init__(**agent)

    def _given(self) -> dict[str, Any]:
        return {"policy": self.policy}

    def reset(self, seed: int | None = None) -> None:
        """Reset the generator, and forget all games."""
        super().reset(seed)
        self._forget()

    def _forget(self) -> None:
        self._memories = WeakKeyDictionary()
        self._alone = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        del state["_memories"], state["_alone"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    @one_thread
    def act(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> int:
        """Return the action to take in `env` now; see `Agent.act`."""
        inner = getattr(env, "unwrapped", env)
        with self.position(env, agent, action_mask) as (model, state, player):
            self.prepare(model)
            seats = self._memories.setdefault(inner, {})
            number, memory = seats.get(player, (None, None))
            if memory is None or number != inner.games_begun:
                memory = self._new_memory(model)
                seats[player] = (inner.games_begun, memory)
            return self._action(model, state, player, memory)

    @one_thread
    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Return the policy's action; its memory covers its decisions since `reset`."""
        self.prepare(model)
        seats = self._alone.setdefault(model, {})
        if player not in seats:
            seats[player] = self._new_memory(model)
        return self._action(model, state, player, seats[player])

    def prepare(self, model: ForwardModel, player: int = 0) -> None:
        """Raise ValueError if a game has no policy of this name."""
        if self.policy not in model.policies:
            known = ", ".join(model.policies) or "none"
            raise ValueError(
                f"policy={self.policy!r}: {model.name} has these scripted policies: "
                f"{known}"
            )

    def _new_memory(self, model: ForwardModel) -> np.ndarray:
        size = model.policy_bytes(self.policy)
        memory = np.zeros(-(-size // 8), np.uint64)
        model.begin_policy(self.policy, memory.ctypes.data, self._rng)
        return memory

    def _action(self, model, state, player, memory) -> int:
        address = memory.ctypes.data
        return int(model.policy_action(self.policy, state, player, address, self._rng))


KIND = AgentKind(
    name="scripted",
    agent=ScriptedAgent,
    make=ScriptedAgent,
    options=("policy", "seed"),
    written=lambda agent, full: {"policy": agent.policy},
)
