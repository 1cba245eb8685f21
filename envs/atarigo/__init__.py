"""# Atarigo.

| | |
|---|---|
| Import | `from mcts_agents.envs import atarigo` |
| Ids | `mcts_agents/atarigo-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (black, X), `player_1` (white, O) |
| Action shape | size * size (36) |
| Observation shape | (3, size, size) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Atarigo is a form of Go in which the first capture wins. Players take turns to put a
stone of their colour on an empty point. Stones of one colour that are connected
horizontally or vertically form a group, and the empty points next to a group are its
liberties. A player who takes the last liberty of an opponent's group captures it and
wins at once. A move that does not capture is legal only if the new stone's group has a
liberty afterwards. Nobody can pass. A player who is to move but has no legal move
loses, which hardly ever happens. There are no draws. From the opening, a random game
averages 24 moves.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, size, size):
planes of the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my stones are |
| 1 | the opponent's stones are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

Action `row * size + column` puts a stone on that point, with rows and columns counted
from 0 at the top left. In text, a letter names the column and a number the row, which
is counted from 1: `c2` is row 1, column 2.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, size=6)`

- `size`: points on each side of the board, 2 to 11. Sizes up to 8 are the fastest.

## Codes and turns

The exact code of a move is `player * size * size + action`; there are no other kinds of
codes. A turn is one move, and a round is two.

## Recorded games

`mcts-agents verify atarigo FILE` compares these rules with games of Go recorded with
OpenSpiel, on a board of any size.

## Version history

- v0: first version.

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025). The paper does not say whether
suicide is legal; we forbid it, which fits the playout statistics in the paper's
table 7. The rule that a player without a legal move loses is also ours.
"""

from functools import partial

from mcts_agents.envs.atarigo.rules import rules
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.hex.notation import format_action, parse_action
from mcts_agents.envs.stones.draw import ansi, paint, regions, size
from mcts_agents.envs.stones.notation import recorded_variant

GAME = Game(
    name="atarigo",
    version=0,
    title="Atarigo",
    rules=rules,
    player_counts=(2,),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    recorded_variant=partial(recorded_variant, "atarigo"),
)
raw_env, env, parallel_env = environments(GAME)
