"""Single-agent environments of games, by name."""

from typing import Any

from mcts_agents.envs import load_game, parse_game
from mcts_agents.envs.environment import GameParallelEnv
from mcts_agents.envs.game_environment import RENDER_FPS, RENDER_MODES
from mcts_agents.wrappers.single_agent import SingleAgentEnv


def single_agent_env(
    game: str,
    opponents: Any = "random",
    *,
    seat: int | str = 0,
    observation: str = "flat",
    illegal: float | str = -1.0,
    render_mode: str | None = None,
    **variant: Any,
) -> SingleAgentEnv:
    """Return an environment of a game with one seat for a learner.

    `gymnasium.make("mcts_agents/SushiGo-v0", players=3)` is
    `single_agent_env("sushi_go", players=3)` in Gymnasium's wrappers, and
    `gymnasium.make("mcts_agents/Game-v0", game="mini_breakthrough:rules")` is
    `single_agent_env("mini_breakthrough:rules")` there.

    Args:
        game: Name or spec, such as `"hex"`, `"sushi_go:players=3"` or
            `"mini_breakthrough:rules"`.
        opponents: See `SingleAgentEnv`, as `seat`, `observation` and `illegal`.
        seat: See there.
        observation: See there.
        illegal: See there.
        render_mode: `human`, `rgb_array`, `ansi` or None.
        **variant: Options of the game that the spec does not name.

    Raises:
        ValueError: An unknown game, a value that is not allowed, an option that is
            unknown or given twice; see also `SingleAgentEnv`.
    """
    name, options = parse_game(game)
    twice = sorted(options.keys() & variant.keys())
    if twice:
        raise ValueError(
            f"{', '.join(twice)}: given both in {game!r} and as keywords; give each "
            "option once"
        )
    # All decide at once in the parallel environment, and it is the faster one.
    env = GameParallelEnv(load_game(name), render_mode, **options, **variant)
    return SingleAgentEnv(
        env, opponents, seat=seat, observation=observation, illegal=illegal
    )


# Where `gymnasium.make` looks for what its own `render_mode` may be.
single_agent_env.metadata = {
    "render_modes": list(RENDER_MODES),
    "render_fps": RENDER_FPS,
}
