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

Focus, also called Domination, is played with stacks of pieces on an 8x8 board without
three squares in each corner (52 squares). A stack belongs to the player whose piece
is on top. A player has two kinds of move. The first is to take one or more pieces from
the top of one of the player's own stacks and move them together in a straight line, up,
down, left or right, exactly as many squares as there are pieces. They pass over
whatever is in between and land on an empty square or on top of any stack. The second is
to put a piece from the player's reserve on any square, empty or not. If a stack then
has more than five pieces, the excess is removed from the bottom: pieces of the player
who moved go to that player's reserve, and all others are captured.

A player wins by capturing enough pieces: with two players, six; with three players,
three of each opponent or ten in all; with four players, two of each opponent or ten in
all. A player also wins when no other player can move. A player with neither a stack nor
a reserve is skipped, but may come back when one of the player's pieces is uncovered.
The game is a draw after `max_plies_per_player` moves times the number of players.

With four players, each begins with thirteen pieces, and every square holds one piece.
With two or three players, the pieces begin on the six by six squares in the middle.
With three players, each also begins with one piece in reserve, which must be put on the
board in the first turn.

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

For searches that use scores, the score is 1 for the winner and 0 for the others; in a
draw, all players get equal shares of 1. For an unfinished position, each player has
e = 300 - 50 u + v, where u is the smallest number of captures that the player still
needs to win and v is the number of stacks that the player controls; the evaluation is
the player's e divided by the sum over all players. The value of an action grows with
the number of pieces moved, the height of the stack they land on, and the change in the
number of stacks that the player controls. A turn is one move; a round is as many moves
as there are players.

## Version history

- v0: first version

## Sources

S. Sackson, "A Gamut of Games" (1969). J. A. M. Nijssen and M. H. M. Winands, "Search
policies in multi-player games" (ICGA Journal 36, 2013), for winning with three and four
players. H. Baier and M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself"
(IEEE CoG 2020), for the evaluation and the order of moves. Three details are ours: we
divide the evaluation by the sum over all players, we give both terms of the move order
(the height of the new stack and the change in the number of stacks) the same weight,
and we chose how the pieces are laid out at the start with two and three players.
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
