"""# Rolit.

| | |
|---|---|
| Import | `from mcts_agents.envs import rolit` |
| Ids | `mcts_agents/rolit-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2, 3 or 4: `player_0`, `player_1`, ... (Red, Green, Yellow, Blue) |
| Action shape | 64 |
| Observation shape | (players + 2, 8, 8) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Rolit is Othello for up to four players, who take turns putting balls of their own
colour on a board of 8x8 fields. Balls that a player encloses change to that player's
colour.

**Start.** Four balls lie in the middle, clockwise from the upper left: red, green,
yellow, blue. With fewer than four players, the balls of the colours that no player has
are neutral: they can be captured, but they capture nothing and count for no player.

**Moves.** A player puts one ball on an empty field. In each of the eight directions, if
an unbroken line of balls of other colours (one or several) lies between the new ball
and another ball of the player, the whole line is captured: its balls take the player's
colour. If any field allows a capture, the player must choose a field that captures.
Otherwise, all empty fields next to a ball, diagonally included, are legal. Players
therefore never pass, and a player without balls continues to play.

**End.** The game ends when the board is full, after 60 moves. The player with the most
balls wins. If several players are tied for the most, they draw and the others lose.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (players + 2, 8, 8):
planes, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my balls are |
| 1 to players - 1 | the balls of the next players in turn order are |
| players | neutral balls are |
| players + 1 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

`row * 8 + column`. As text, a field is a letter for the column and a number for the row
from the top: `c2` is action 10.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=4, neutral_fourth=True)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi` |
| `players` | 2, 3 or 4 |
| `neutral_fourth` | with 2 or 3 players: whether the game begins with neutral balls |

With `neutral_fourth=False`, the fields where neutral balls would lie begin empty, so a
game has 61 moves with three players and 62 with two. With four players, there are no
neutral balls, and `neutral_fourth=False` raises an error.

## Evaluation and order of moves

For searches, player i's value is e_i / sum_j e_j, where e_i is twice the number of the
player's stable balls plus the number of legal moves that the player would have if it
were the player's turn; if all e_j are 0, the value is 1/players. A ball is stable if,
on each of the four axes through it, the whole line is full, or one of the ball's two
neighbours is off the board or a stable ball of the same colour. The score is the number
of the player's balls.

Moves are ordered by a fixed value of each field, and moves to fields of equal value by
the number of balls that they capture. This is one quarter of the table of values, with
a corner of the board at the upper left; the other quarters are its mirror images:

```
5 2 4 3
2 1 3 3
4 3 4 4
3 3 4 5
```

## Version history

- v0: first version

## Sources

H. Baier, M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself" (CoG 2020): the
start for four players, the evaluation. J. A. M. Nijssen, M. H. M. Winands, "Search
policies in multi-player games" (ICGA Journal 36, 2013): a static order by fields. The
order of turns, the table's numbers, the test for stable balls and the neutral balls are
ours; published rules put one ball of each colour in the middle for any number of
players.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.rolit.draw import ansi, paint, regions, size
from mcts_agents.envs.rolit.notation import format_action, parse_action
from mcts_agents.envs.rolit.rules import FEWEST_PLAYERS, MOST_PLAYERS, rules

GAME = Game(
    name="rolit",
    version=0,
    title="Rolit",
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
