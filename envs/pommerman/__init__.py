"""# Pommerman."""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.pommerman.draw import paint, size
from mcts_agents.envs.pommerman.notation import format_action, parse_action
from mcts_agents.envs.pommerman.recordings import verify_steps
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.table import ansi

GAME = Game(
    name="pommerman",
    version=0,
    title="Pommerman",
    rules=rules,
    player_counts=(2, 4),
    simultaneous=True,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    recordings={".npz": verify_steps},
)

raw_env, env, parallel_env = environments(GAME)
