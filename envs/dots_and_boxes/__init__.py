"""# Dots and Boxes.

| | |
|---|---|
| Import | `from mcts_agents.envs import dots_and_boxes` |
| Ids | `mcts_agents/dots_and_boxes-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 6: `player_0`, `player_1`, ... (A, B, ... in pictures) |
| Action shape | width * (height + 1) + (width + 1) * height (82) |
| Observation shape | (2 + 2 * players, height + 1, width + 1) |
| Observation values | 0, 1 |
| Moves | in turn, again after completing a box |
| Hidden information, chance | none |

Players take turns joining two neighbouring dots of a grid, horizontally or vertically,
with an edge. A player who draws the fourth edge of a box owns the box and moves again;
one edge can complete two boxes. Otherwise, the next player moves. When all edges are
drawn, the player with the most boxes wins. If several players are tied for the most
boxes, they draw and the others lose.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (2 + 2 * players,
height + 1, width + 1): planes, rows from the top, columns from the left. Seats are
counted from the observing player, who is seat 0.

| plane | 1 at (r, c) where |
|---|---|
| 0 | the dots (r, c) and (r, c + 1) are joined |
| 1 | the dots (r, c) and (r + 1, c) are joined |
| 2 + seat | the box with the upper left dot (r, c) is owned by that seat |
| 2 + players + seat | everywhere, if that seat is to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Actions are edges: first the horizontal edges, then the vertical edges, row by row.

| action | text | joins the dots |
|---|---|---|
| r * width + c | `hr,c` | (r, c) and (r, c + 1) |
| width * (height + 1) + r * (width + 1) + c | `vr,c` | (r, c) and (r + 1, c) |

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, width=7, height=5, tag_ties=False)`

- `players`: 2 to 6.
- `width`, `height`: boxes in a row and rows of boxes, 1 to 10 each.
- `tag_ties`: among players who are tied for the most boxes, the lowest seat wins and
  the others lose, as in the TAG framework. With two players on the default board there
  are no ties.

## Scores and values

For searches that use scores, the score is the number of boxes that the player owns. The
evaluation of an unfinished position is the player's share of all boxes, where boxes
without an owner are divided evenly among the players. The value of an action is 1 if it
completes a box, 0 if it draws the third side of a box, and otherwise 0.5. The scripted
policy `greedy` completes a box if it can. Otherwise, it avoids drawing a third side if
it can. It chooses at random among equally good actions. A turn lasts until the player
draws an edge that completes no box; a round is as many turns as there are players.

## Recorded games

`mcts-agents verify dots_and_boxes FILE` compares these rules with games recorded with
OpenSpiel.

## Version history

- v0: first version

## Sources

E. Lucas, "L'arithmétique amusante" (1895). E. Berlekamp, "The Dots and Boxes Game" (A K
Peters 2000). R. D. Gaina et al., "TAG: A Tabletop Games Framework" (EXAG 2020), for the
size of the board.
"""

from mcts_agents.envs.dots_and_boxes.draw import ansi, paint, regions, size
from mcts_agents.envs.dots_and_boxes.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.dots_and_boxes.rules import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    rules,
)
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game

GAME = Game(
    name="dots_and_boxes",
    version=0,
    title="Dots and Boxes",
    rules=rules,
    player_counts=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    recorded_variant=recorded_variant,
)
raw_env, env, parallel_env = environments(GAME)
