"""`PolicyAgent`: plays a trained policy, or a function of what its player sees."""

from os import PathLike, fspath
from typing import Any, Self

import numpy as np
from gymnasium import spaces

from mcts_agents.agents.agent import Agent, check_mask, selected_agent
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.agents.policies.evaluator import PolicyEvaluator
from mcts_agents.agents.policies.export import perceptron_of
from mcts_agents.agents.policies.files import read_policy, write_npz
from mcts_agents.agents.policies.kinds import policy_of
from mcts_agents.model import ForwardModel, draw_uint64
from mcts_agents.model.actions import checked
from mcts_agents.model.copying.face_kinds import face_of, player_with_masks
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.masks import mask_in
from mcts_agents.model.views import OBSERVATIONS, View, observation_space
from mcts_agents.search.driver.one_thread import one_thread

# Views that an agent keeps, one for each observation space that it has met.
KEPT_VIEWS = 16


class PolicyAgent(Agent):
    """Plays a policy: a function of what its player sees.

    Observations are those of `SingleAgentEnv`. In games of this package they are made
    from the position, so the agent also plays inside of searches, as
    `rollout_policy` and `opponent_model`; in third-party environments they are what
    these show. Where a policy gives logits, illegal actions are masked, and the agent's
    own generator draws: the same seed gives the same actions, as far as the policy
    gives the same numbers.

    Args:
        policy: One of

            - a function `(observation, action_mask)` that returns an action (an
              integer), logits of shape (actions,) or (logits, value); the mask is int8
              of shape (actions,). Logits are logarithms of probabilities, up to a
              constant; -inf stands for 0;
            - a `torch.nn.Module`, called with a batch: float32 of shape (rows, n), or
              for `"dict"` a dictionary of `observation` (rows, *shape) and
              `action_mask` (rows, actions). It returns logits (rows, actions) or
              (logits, values), values of shape (rows,) or (rows, 1);
            - a `Network` of `mcts_agents.networks`;
            - a model of stable-baselines3 or sb3-contrib: PPO, MaskablePPO, A2C, TRPO,
              DQN, QR-DQN, or its `policy`.
        observation: `"flat"` or `"dict"`, see `SingleAgentEnv`; None takes what the
            policy was trained with, if it says it, else `"flat"`.
        deterministic: Play the best legal action, the first of equals; else draw from
            the policy's probabilities. No matter where a function returns actions.
        seed: See `Agent`.

    Attributes:
        policy: The policy, in the form in which it is asked.
        observation: `"flat"` or `"dict"`.
        deterministic: As given.
        file: The file that it was loaded from, or None.
        sha256: The SHA-256 of that file, or None.
        options: The options that it was loaded with.

    Raises:
        ValueError: No policy, or an option that is not allowed or does not fit it;
            when playing, an illegal action, or an output that is not as it should be.
    """

    file: str | None = None
    sha256: str | None = None

    def __init__(
        self,
        policy: Any,
        *,
        observation: str | None = None,
        deterministic: bool = False,
        seed: int | None = None,
    ):
        self.policy = policy_of(policy)
        if observation is not None and observation not in OBSERVATIONS:
            raise ValueError(f"observation={observation!r}: expected 'flat' or 'dict'")
        trained = self.policy.observation
        if observation is not None and trained not in (None, observation):
            raise ValueError(
                f"observation={observation!r}: {self.policy.name} takes {trained!r}"
            )
        if not isinstance(deterministic, bool):
            raise ValueError(f"deterministic={deterministic!r}: expected true or false")
        if self.policy.greedy_only and not deterministic:
            raise ValueError(
                f"{self.policy.name} ranks actions and has no probabilities to sample "
                "from; pass deterministic=True"
            )
        self.observation = observation or trained or "flat"
        self.deterministic = deterministic
        self.options: dict[str, Any] = {}
        # By the identity of a space or a model, which is kept, so that it stays its.
        self._views: dict[int, tuple[Any, View]] = {}
        super().__init__(seed=seed)

    @classmethod
    def load(
        cls,
        file: str | PathLike[str] | None = None,
        *,
        observation: str | None = None,
        deterministic: bool = False,
        activation: str | None = None,
        trust: bool = False,
        sha256: str | None = None,
        seed: int | None = None,
    ) -> Self:
        """Follows a trained policy from a file; `policy:file=model.npz`.

        Nothing in the file is executed without `trust`. A network in a `.onnx`, which
        `mcts_agents.networks.export_onnx` writes, needs no torch (extra `onnx`).
        Multi-layer perceptrons are read as plain numbers: a `.npz` of `save_npz`, which
        needs no torch, a `.zip` of stable-baselines3, a state dict of torch (`.pt`,
        `.pth`) or `.safetensors` with the names that `Perceptron` takes.

        Args:
            file: The file's path.
            observation: See the class.
            deterministic: See the class.
            activation: Activation function of the hidden layers, if the file does not
                specify it: tanh, relu, leaky_relu, elu, sigmoid or silu; tanh by
                default.
            trust: Read Python objects too: any policy in a `.zip` of stable-baselines3,
                a whole module in a `.pt`. Such a file can run any code. Not understood
                in files of agents and tournaments.
            sha256: What the file's SHA-256 has to be. `to_mapping` writes it.
            seed: See `Agent`.

        Raises:
            ValueError: The file cannot be read or holds something else, or an option is
                not allowed or has no effect on it.
        """
        if not isinstance(file, str | PathLike):
            raise ValueError(
                f"file={file!r}: expected the path of a trained policy, as in "
                "policy:file=model.npz"
            )
        path = fspath(file)
        policy, found = read_policy(
            path, activation=activation, trust=trust, sha256=sha256
        )
        try:
            agent = cls(
                policy, observation=observation, deterministic=deterministic, seed=seed
            )
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        agent.file, agent.sha256 = path, found
        given = {"activation": activation, "trust": trust or None}
        agent.options = {name: value for name, value in given.items() if value}
        return agent

    def save_npz(self, path: str | PathLike[str]) -> None:
        """Write the policy to a file that needs no torch, if it is a perceptron.

        Whether it is one is found out: what is written answers random observations as
        the policy does.

        Raises:
            ValueError: It is none, or the name does not end in .npz.
        """
        write_npz(path, perceptron_of(self.policy), self.observation)

    def evaluator(self) -> PolicyEvaluator:
        """Return the policy as the `evaluator` of a search, with values and priors."""
        return PolicyEvaluator(self)

    def __repr__(self) -> str:
        return f"PolicyAgent({self.file or self.policy.name})"

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_views": {}}

    def prepare(self, model: ForwardModel, player: int = 0) -> None:
        """Check that the policy fits the game's observations and actions.

        Raises:
            ValueError: It does not, or the game has no observations.
        """
        self._view_of(model)

    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Return the policy's action."""
        view = self._view_of(model)
        mask = np.zeros(model.actions, np.int8)
        mask[model.legal_actions(state, player)] = 1
        shown = {"observation": model.observe(state, player)}
        return self._choice(view.of(shown, mask), mask, 0)

    @one_thread
    def act(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> Any:
        """Return the action to take in `env` now; see `Agent.act`.

        Parallel and Gymnasium third-party environments show observations only to
        those who step them: there use `bind` or `choose`.
        """
        inner = getattr(env, "unwrapped", env)
        if hasattr(inner, "planning_state"):
            name = selected_agent(inner) if agent is None else agent
            # The player sees the same in each world that may be, so whichever it is
            # must not matter: the agent's own generator only draws actions.
            model = inner.forward_model
            state, player = inner.planning_state(name, self._rng.copy())
            if action_mask is not None:
                check_mask(model, state, player, action_mask, name)
            return self.decide(model, state, player)
        face = face_of(env)
        name = face.agents[player_with_masks(face, agent, action_mask)]
        if not hasattr(env, "observe"):
            raise ValueError(
                f"{env}: returns its observations only from step(); use "
                f"bind(env)(observation, {name!r}) or choose(...)"
            )
        return self._shown(env, env.observe(name), name, face)

    def bind(self, env: Any) -> Any:
        """Return `policy(observation, agent)` that acts on what `env` has shown."""

        def policy(observation: Any, agent: str) -> int:
            return self._shown(env, observation, agent)

        return policy

    def choose(
        self, observation: Any, action_mask: Any, space: spaces.Space, start: int = 0
    ) -> int:
        """Return an action for an observation as an environment shows it.

        Args:
            observation: What the environment shows, with its mask or without.
            action_mask: 1 for each legal action, shape (actions,).
            space: The environment's observation space.
            start: The least action.

        Raises:
            ValueError: The policy does not fit, or chooses an illegal action.
        """
        mask = np.asarray(action_mask).astype(np.int8)
        view = self._view(space, space, len(mask))
        return self._choice(view.of(observation, mask), mask, start)

    def _shown(
        self, env: Any, observation: Any, name: str, face: Face | None = None
    ) -> Any:
        """Return the action for what an environment has shown to an agent."""
        face = face_of(env) if face is None else face
        player = face.agents.index(name)
        mask = mask_in(observation)
        if mask is None:
            mask = face.checked_mask(player)
        numbers = face.numbers[player]
        if mask is None:
            mask = np.ones(numbers.limit - numbers.first, np.int8)
        space = env.observation_space
        if callable(space) and not isinstance(space, spaces.Space):
            space = space(name)
        return face.action(player, self.choose(observation, mask, space, numbers.first))

    def _view_of(self, model: ForwardModel) -> View:
        kept = self._views.get(id(model))
        if kept is not None:
            return kept[1]
        if model.observation_shape is None:
            raise ValueError(
                f"{self!r}: positions of {model.name} have no observations for a "
                "policy; there, it can play only in the environment itself"
            )
        try:
            self.policy.check_game(model)
            return self._view(model, observation_space(model), model.actions)
        except ValueError as error:
            raise ValueError(f"{self!r} cannot play {model.name}: {error}") from error

    def _view(self, owner: Any, space: spaces.Space, actions: int) -> View:
        """Return the view of an owner's space; the policy is checked for it once."""
        kept = self._views.get(id(owner))
        if kept is not None:
            return kept[1]
        view = View(self.observation, space, actions)
        self.policy.check(view.space, actions)
        if len(self._views) == KEPT_VIEWS:
            del self._views[next(iter(self._views))]
        self._views[id(owner)] = owner, view
        return view

    def _choice(self, observation: Any, mask: np.ndarray, start: int) -> int:
        proposal = self.policy.propose(observation, mask)
        if not isinstance(proposal, np.ndarray) or not proposal.ndim:
            return checked(proposal, mask, start, repr(self))
        legal = mask.nonzero()[0]
        logits = proposal[legal]
        best = logits.max()
        if not np.isfinite(best) or np.isnan(logits).any():
            raise ValueError(
                f"{self!r} gave logits {logits.tolist()} for the legal actions; "
                "expected finite numbers, or -inf for some"
            )
        if self.deterministic:
            return int(legal[logits.argmax()]) + start
        bounds = np.exp(logits - best).cumsum()
        drawn = (draw_uint64(self._rng) >> 11) / 2**53 * bounds[-1]
        # An action of probability 0 has no room between its bounds.
        return int(legal[bounds.searchsorted(drawn, side="right")]) + start


def _written(agent: PolicyAgent, full: bool) -> dict[str, Any]:
    """Return a policy's options: its file, and which content that must have."""
    if agent.file is None:
        raise ValueError(
            f"{agent!r} was not loaded from a file, so it has no spec; see "
            "PolicyAgent.load"
        )
    written = {"file": agent.file, **agent.options}
    if full or agent.observation != (agent.policy.observation or "flat"):
        written["observation"] = agent.observation
    if full or agent.deterministic:
        written["deterministic"] = agent.deterministic
    return {**written, "sha256": agent.sha256}


KIND = AgentKind(
    name="policy",
    agent=PolicyAgent,
    make=PolicyAgent.load,
    options=(
        "file",
        "observation",
        "deterministic",
        "activation",
        "trust",
        "sha256",
        "seed",
    ),
    written=_written,
)
