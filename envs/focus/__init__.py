"""# Focus.

| | |
|---|---|
| Import | `from mcts_agents.envs import focus` |
| Ids | `mcts_agents/focus-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 4: `player_0`, `player_1`, ... (A, B, ... in pictures) |
| Action shape | 1092 |
| Observation shape | (6 * players + players**2 + 1, 8, 8) |
| Observation values | 0 to 52 |
| Moves | in turn |
| Hidden information, chance | none |

Focus, also called Domination, is played with stacks on the 52 squares of a board of
eight by eight without its corners. A stack belongs to the player whose piece lies on
top. In a turn, a player takes one or more pieces from the top of one of the player's
stacks and moves them in a straight line, as many squares as there are pieces. They may
jump over anything and land on anything. Alternatively, the player puts a piece from the
reserve on any square. A stack keeps its top five pieces. Of the pieces below, the
player's own go to the reserve, and the others are captured.

A player wins by capturing enough: six pieces with two players; with three players,
three of each opponent or ten in all; with four, two of each or ten in all. A player
also wins when no other player can move. A player with neither a stack nor a reserve is
skipped, and may come back when a piece is uncovered. The game is a draw after
`max_plies_per_player` moves times the number of players.

Four players begin with thirteen pieces each, one on every square. Two and three players
begin on the six by six squares in the middle. With three players, each also holds one
piece in the hand, which must be put on the board in the first turn.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (6 * players +
players**2 + 1, 8, 8): planes, rows from the top, columns from the left. Seats are
counted from the observing player, who is seat 0.

| plane | at (r, c) |
|---|---|
| level * players + seat | 1 where the seat's piece lies at this level, 0 to 4 |
| 5 * players + seat | everywhere: the seat's reserve |
| 6 * players + seat * players + other | everywhere: captured pieces of the other seat |
| 6 * players + players**2 | everywhere: 1 if the observing player is to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Squares are numbered row by row from the top left, without the three of each corner.
Directions are north, east, south and west, 0 to 3; pieces are 1 to 5. Level 0 of the
observation is the bottom of a stack.

| action | text | move |
|---|---|---|
| square * 20 + (pieces - 1) * 4 + direction | `c1-c3` | pieces off a stack |
| 1040 + square | `*c3` | a piece from the reserve |

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=4, max_plies_per_player=250)`

- `players`: 2 to 4.
- `max_plies_per_player`: the game is drawn after this many moves times players; 1 to
  1,000,000. Four random players take about 800 moves.

## Scores and values

For searches that use scores, the score is 1 for the winner; in a draw, players share 1.
The evaluation of an unfinished position is each player's share of e = 300 - 50 u + v,
where u is the smallest number of captures that the player still needs and v the number
of stacks that it controls. The value of an action grows with the number of pieces
moved, the height of the stack they land on, and the change in the number of stacks that
the player controls. A turn is one move; a round is as many moves as there are players.

## Version history

- v0: first version

## Sources

S. Sackson, "A Gamut of Games" (1969). J. A. M. Nijssen and M. H. M. Winands, "Search
policies in multi-player games" (ICGA Journal 36, 2013), for winning with three and four
players. H. Baier and M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself"
(IEEE CoG 2020), for the evaluation and the order of moves. Three details are ours: the
evaluation is a share of the sum over all players, both terms of the order have the same
weight, and the set-ups for two and three players.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.focus.draw import ansi, paint, regions, size
from mcts_agents.envs.focus.notation import format_action, parse_action
from mcts_agents.envs.focus.rules import FEWEST_PLAYERS, MOST_PLAYERS, rules
from mcts_agents.envs.game import Game

GAME = Game(
    name="focus",
    version=0,
    title="Focus",
    rules=rules,
    player_counts=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
)
raw_env, env, parallel_env = environments(GAME)
