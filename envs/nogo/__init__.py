"""# Nogo.

| | |
|---|---|
| Import | `from mcts_agents.envs import nogo` |
| Ids | `mcts_agents/nogo-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 or 3: `player_0` (black, X), `player_1` (white, O), `player_2` (red, #) |
| Action shape | size * size (25) |
| Observation shape | (3, size, size), with three players (7, size, size) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Players take turns to put a stone of their colour on an empty point. As in Go, stones of
one colour that are connected horizontally or vertically form a group, and the empty
points next to a group are its liberties. A move is legal if every group on the board
has a liberty afterwards, so captures and suicide are both forbidden. Nobody can pass.

A player who is to move but has no legal move loses. With three players, the other two
continue, and the stones of the player who lost stay on the board. The last remaining
player wins; there are no draws. A point that is illegal for a player stays illegal for
that player. From the opening, a random game averages 22 moves with two players and 21
with three.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (planes, size, size),
rows from the top, columns from the left.

| plane, 2 players | plane, 3 players | 1 where |
|---|---|---|
| 0 | 0 | my stones are |
| 1 | 1 | the stones of the player after me are |
| | 2 | the stones of the third player are |
| 2 | 3 | everywhere, if I am to move |
| | 4, 5, 6 | everywhere, if the player of plane 0, 1 or 2 has lost |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Action `row * size + column` puts a stone on that point, with rows and columns counted
from 0 at the top left. In text, a letter names the column and a number the row, which
is counted from 1: `c2` is row 1, column 2.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, size=5)`

- `players`: 2 or 3.
- `size`: points on each side of the board, 2 to 11. Sizes up to 8 are the fastest.

## Codes and turns

The exact code of a move is `player * size * size + action`. The same moves leave the
same stones on the board in any order, so there are no other kinds of codes. A turn is
one move, and a round is as many moves as there are players.

## Recorded games

`mcts-agents verify nogo FILE` compares these rules with games of Go recorded with
OpenSpiel, on a board of any size.

## Version history

- v0: first version.

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), including the three-player game.
"""

from functools import partial

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.hex.notation import format_action, parse_action
from mcts_agents.envs.nogo.rules import rules
from mcts_agents.envs.stones.draw import ansi, paint, regions, size
from mcts_agents.envs.stones.notation import recorded_variant

GAME = Game(
    name="nogo",
    version=0,
    title="Nogo",
    rules=rules,
    player_counts=(2, 3),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    recorded_variant=partial(recorded_variant, "nogo"),
)
raw_env, env, parallel_env = environments(GAME)
