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
top. In a turn a player takes one or more pieces from the top of an own stack and moves
them straight on, as many squares as there are pieces, over anything, onto whatever lies
there; or puts a piece from the reserve on any square. A stack keeps five pieces: those
below are taken away. Own ones go to the reserve, others are captured.

A player wins by capturing enough: six pieces with two players; with three players,
three of each opponent or ten in all; with four, two of each or ten in all. A player
also wins when nobody else can move. Whoever has neither a stack nor a reserve is
skipped, and may come back when a piece is uncovered. After `max_plies_per_player` moves
times players the game is drawn.

Four players begin with thirteen pieces each, one on every square. Two and three begin
on the six by six squares in the middle; of three, each holds one more piece in the
hand, which the first turn must put on the board.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (6 * players +
players**2 + 1, 8, 8): planes, rows from the top, columns from the left. Seats count
from the asking player's own on, which is seat 0.

| plane | at (r, c) |
|---|---|
| level * players + seat | 1 where the seat's piece lies at this level, 0 to 4 |
| 5 * players + seat | everywhere: the seat's reserve |
| 6 * players + seat * players + other | everywhere: other's pieces captured |
| 6 * players + players**2 | everywhere: 1 if the asking player is to move |

The mask is 1 for legal actions of the player to move, and all zeros for others.

## Action space

Squares are numbered row by row from the top left, without the corners' three.
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

At the end of the game; 0 before. In `env` an illegal action ends the game with -1 for
the player and 0 for the others, in `raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=4, max_plies_per_player=250)`

- `players`: 2 to 4.
- `max_plies_per_player`: the game is drawn after this many moves times players; 1 to
  1,000,000. Four players at random take about 800 moves.

## Scores and values

For searches that use scores: 1 for the winner, a draw shares 1. The evaluation of an
unfinished position is each player's share of e = 300 - 50 u + v, where u are the fewest
captures that the player still needs and v the stacks that it controls. The value of an
action grows with the pieces that move, the height of the stack they come to, and the
change of the number of stacks that the player controls. A turn is a move; a round is as
many moves as there are players.

## Version history

- v0: first version

## Sources

S. Sackson, "A Gamut of Games" (1969). J. A. M. Nijssen and M. H. M. Winands, "Search
policies in multi-player games" (ICGA Journal 36, 2013), for winning with three and four
players. H. Baier and M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself"
(IEEE CoG 2020), for the evaluation and the order of moves; that an evaluation is the
share in the sum of all, that both terms of the order weigh the same, and how two and
three players begin, is ours.
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
