"""# Chinese Checkers.

| | |
|---|---|
| Import | `from mcts_agents.envs import chinese_checkers` |
| Ids | `mcts_agents/chinese_checkers-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2, 3, 4 or 6: `player_0`, `player_1`, ... |
| Action shape | 5329 (73 fields) or 14641 (121 fields) |
| Observation shape | (players + 2, fields) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

A race across a six-pointed star. Each player's pieces start in one corner and must
reach the opposite corner. Nothing is ever captured.

| board | fields | pieces per player | row lengths from the top |
|---|---|---|---|
| small, the default | 73 | 6 | 1 2 3 10 9 8 7 8 9 10 3 2 1 |
| full | 121 | 10 | 1 2 3 4 13 12 11 10 9 10 11 12 13 4 3 2 1 |

Seats in turn order, clockwise:

| players | start corners | goals |
|---|---|---|
| 2 | N, S | S, N |
| 3 | N, SE, SW | S, NW, NE (empty at first) |
| 4 | N, NE, S, SW | S, SW, N, NE |
| 6 | N, NE, SE, S, SW, NW | S, SW, NW, N, NE, SE |

**Moves.** In a turn, a player moves one piece: either a step to an empty neighbouring
field, or a chain of one or more hops. A hop jumps over an adjacent piece of any player
to the empty field directly behind it. A chain may stop after any hop. During a chain,
the field where the piece started counts as empty, but the chain may not end there. Only
the start and the end of a chain matter: all chains between the same two fields are the
same action. Pieces may pass through or stop in any corner, and they may leave their
goal again. A player who cannot move is skipped.

**End.** A player wins by making a move after which the player's own goal is filled. The
game is a draw after `max_plies_per_player` moves times the number of players. (There is
always a player who can move: whoever moved last can at least move the piece back.) An
opponent could make winning impossible by leaving a piece in a player's goal, so
`win_rule` defines when a goal counts as filled. Every rule requires that all fields of
the goal are occupied. In addition:

- `"near"`, the default: at least one of the pieces there is the player's own, and all
  the player's pieces are within 4 steps (full board: 5) of the goal's outermost field.
  The goal itself extends 2 steps (full board: 3) from that field.
- `"any"`: at least one of the pieces there is the player's own.
- `"strict"`: all of them are the player's own.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape
(players + 2, fields), planes over the fields:

| plane | 1 where |
|---|---|
| 0 | my pieces are |
| 1 to players - 1 | the pieces of the next players in turn order are |
| players | my goal lies |
| players + 1 | everywhere, if I am to move |

The board is not turned for the observing player. The mask is 1 for legal actions of the
player to move, and all zeros for the others.

## Action space

`from * fields + to`. Fields are numbered row by row from the top, from left to right.
As text, a move is `ROW.INDEX>ROW.INDEX`, both counted from 0: `2.0>3.3` on the small
board.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=3, fields=73, win_rule="near", max_plies_per_player=300)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi` |
| `players` | 2, 3, 4 or 6 |
| `fields` | 73 or 121 |
| `win_rule` | `"near"`, `"any"` or `"strict"` |
| `max_plies_per_player` | 1 to 1,000,000 |

## Evaluation

For searches, d_i is the sum of the distances of player i's pieces to the outermost
field of the goal, and the value of i is (b - d_i) / sum_j (b - d_j). Here b is an upper
bound on d_i, the number of a player's pieces times the distance between opposite tips:
72, or 160 on the full board. The paper normalises the distances but does not say how it
turns small distances into high values; the subtraction is ours. The score is 1 for the
winner and 1/players for each player in a draw.

## Recorded games

`mcts-agents verify chinese_checkers FILE` compares these rules, with 121 fields and the
strict rule for winning, with games recorded with OpenSpiel. One move of such a file is
a whole turn; files that record single hops raise an error.

## Version history

- v0: first version

## Sources

H. Baier, M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself" (CoG 2020): the
small board, the evaluation. J. A. M. Nijssen, M. H. M. Winands, "Search policies in
multi-player games" (ICGA Journal 36, 2013). The corners for two, three and six players
and the strict rule are those of OpenSpiel, whose recorded games these rules reproduce.
The rule `"near"` and the limit on moves are ours.
"""

from mcts_agents.envs.chinese_checkers.board import SEATS
from mcts_agents.envs.chinese_checkers.draw import paint, regions, size
from mcts_agents.envs.chinese_checkers.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.chinese_checkers.rules import rules
from mcts_agents.envs.chinese_checkers.view import ansi
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game

GAME = Game(
    name="chinese_checkers",
    version=0,
    title="Chinese Checkers",
    rules=rules,
    player_counts=tuple(SEATS),
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
