"""# Video Game.

| | |
|---|---|
| Import | `from mcts_agents.envs import video_game` |
| Ids | `mcts_agents/video_game-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (red, A), `player_1` (blue, B) |
| Action shape | 9 * (agents + 1) (99) |
| Observation shape | (5, size, size) |
| Observation values | 0 to agents, at least 3 |
| Moves | in turn |
| Hidden information, chance | none |

Two teams of numbered agents fight on a small map, modelled on the fights of Team Fight
Tactics. A cell holds at most one agent. The team of player 0 begins in the upper rows
and that of player 1 in the lower ones, agents 1 to 5 in front and 6 to 10 behind them.
Every agent begins with a health of 3.

Agents act in a fixed order: agent 1 of player 0, agent 1 of player 1, agent 2 of player
0, and so on; after the last agents, it is the turn of the first ones again. The agent
stays where it is or steps to a free cell among the eight around it, and then attacks
one enemy, who must be at most two cells away in each direction and loses one health. If
it can attack from any of these cells, it must; only otherwise may it move without an
attack. An agent without health leaves the map at once, and its turns are lost.

The last team with agents wins. The game is a draw after `max_plies` moves, in case
players flee from each other; a random game has 55 moves.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (5, size, size):
planes, rows from the top, columns from the left.

| plane | at (r, c) |
|---|---|
| 0 | the health of my agent there |
| 1 | the health of the enemy there |
| 2 | the number of the agent there, from 1 |
| 3 | 1 if that agent acts next |
| 4 | 1 everywhere if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

Action `direction * (agents + 1) + enemy`, with `enemy` counted from 0 and equal to
`agents` for a move without an attack.

| direction | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
|---|---|---|---|---|---|---|---|---|---|
| text | `stay` | `nw` | `n` | `ne` | `w` | `e` | `sw` | `s` | `se` |

North is up. As text, enemies are counted from 1: `ne-4` steps to the north-east and
attacks agent 4, `ne` only steps.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, size=5, agents=10, max_plies=1000)`

- `size`: cells a side of the map, 3 to 8.
- `agents`: agents of each team, 1 to 16. They begin in at most half of the rows,
  rounded down; the first ones fill the row in front.
- `max_plies`: the game is a draw after this many moves, 1 to 30,000.

## Codes of moves

| kind | code of | codes |
|---|---|---|
| `abstract` | attacker, and target or none | 220 |
| `specific` | team, cell of arrival, the target's cell and health | 5,200 |
| `exact` | attacker with cell and health, direction, target with health | 594,000 |

Health is measured before the attack. The numbers are for the default sizes; not all
codes of the last two kinds can occur.

## Scores and values

The score is the number of living agents. The evaluation of a position is each team's
share of the health of all agents. A move is worth 1 if it kills, and otherwise 2/3 or
1/3, depending on the health that it leaves. Without an attack, it is worth 1/4 next to
an enemy, and less the farther away the nearest enemy is. A turn is one move, and a
round is one move of each team.

## Version history

- v0: first version

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), section 4.4, which only says that
agents have a range of attack and a health, and can step to the next cell in each turn.
The rules are ours. We searched for rules for which the number of first moves, the
length of random games and the frequencies of codes match the paper's table 7.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.video_game.draw import ansi, paint, regions, size
from mcts_agents.envs.video_game.notation import format_action, parse_action
from mcts_agents.envs.video_game.rules import rules

GAME = Game(
    name="video_game",
    version=0,
    title="Video Game",
    rules=rules,
    player_counts=(2,),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
)
raw_env, env, parallel_env = environments(GAME)
