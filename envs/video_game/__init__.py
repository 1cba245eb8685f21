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
Tactics. A cell holds at most one agent. Player 0's team begins in the top rows and
player 1's team in the bottom rows. With the default sizes, agents 1 to 5 of each team
stand in front and agents 6 to 10 behind them. Every agent begins with 3 health.

Agents act in a fixed order: agent 1 of player 0, agent 1 of player 1, agent 2 of player
0, and so on; after the last agents, the order starts again from the beginning. On its
turn, an agent stays where it is or steps to one of the eight neighbouring cells, if
that cell is free. It then attacks one enemy at most two rows and two columns away from
its new cell, and the enemy loses one health. If an attack is possible from any cell
that the agent can reach, it must move so that it can attack, and attack; it may move
without attacking only if no attack is possible. An agent whose health reaches 0 leaves
the map at once, and its turns are lost.

The last team with agents on the map wins. The game is a draw after `max_plies` moves,
so that players who flee from each other cannot play forever. A random game has 55 moves
on average.

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

Action `direction * (agents + 1) + enemy` steps in that direction and attacks that enemy
agent, counted from 0. For a move without an attack, `enemy` equals `agents`.

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

- `size`: cells on each side of the square map, 3 to 8.
- `agents`: number of agents in each team, 1 to 16. A team can fill at most half of the
  map's rows, rounded down; the lowest-numbered agents stand in the front row.
- `max_plies`: number of moves after which the game is a draw, 1 to 30,000.

## Codes of moves

| kind | code of | codes |
|---|---|---|
| `abstract` | attacker, and target or none | 220 |
| `specific` | team, cell of arrival, the target's cell and health | 5,200 |
| `exact` | attacker with cell and health, direction, target with health | 594,000 |

Health is measured before the attack. The last column gives the number of codes for the
default sizes; some `specific` and `exact` codes can never occur.

## Scores and values

The score is the number of living agents. The evaluation of a position is each team's
share of the total health of all agents. An attack is worth 1 if it kills, 2/3 if it
leaves the target with one health and 1/3 if it leaves two. A move without an attack is
worth 1/4 divided by the distance from the agent's new cell to the nearest enemy, in
steps. A turn is one move, and a round is one move of each team.

## Version history

- v0: first version

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), section 4.4, which says only that
agents have an attack range and health, and can step to a neighbouring cell on each
turn. The other rules are ours. We chose them so that the number of legal first moves,
the length of random games and the frequencies of move codes match the paper's table 7.
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
