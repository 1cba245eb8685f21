"""# Wargame.

| | |
|---|---|
| Import | `from mcts_agents.envs import wargame` |
| Ids | `mcts_agents/wargame-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 or 3: `player_0`, `player_1`, ... (A, B, C in pictures) |
| Action shape | units * (players - 1) (10) |
| Observation shape | (3, players, units) |
| Observation values | 0 to 3 |
| Moves | in turn |
| Hidden information, chance | none |

Armies of numbered units shoot at each other. Every unit begins with 3 health. Units
attack in a fixed order: unit 1 of player 0, unit 1 of player 1 and, with three players,
unit 1 of player 2; then unit 2 of player 0, and so on. After the last units, the order
starts again from the beginning. The only decision is which unit to attack: the
attacking unit takes one health from any living enemy unit. A unit whose health reaches
0 is dead, and its turns are lost: no other unit attacks in its place. The same player
may therefore attack twice in succession.

The last player with living units wins. With three players, a player who has lost all
units is out and the others continue. There are no draws. From the opening, a random
game averages 54 attacks with two players of 10 units each, 111 with two players of 20,
and 85 with three players of 10.

The health that remains does not depend on the order in which the same attacks are made.
Searches that use permutations of moves benefit from this.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, players, units):
planes with a row for each player, beginning with the observing player, in seat order,
and a column for each unit.

| plane | at (row, unit) |
|---|---|
| 0 | the unit's health, 0 to 3 |
| 1 | 1 if it attacks next |
| 2 | 1 everywhere if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Action `behind * units + unit` attacks that unit, counted from 0, of the player who sits
`behind + 1` seats after the player to move. In text, units are counted from 1. With two
players, `7` is the enemy's unit 7; with three, `1.7` is unit 7 of the next player in
seat order, and `2.7` is unit 7 of the player after that.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, units=10)`

- `players`: 2 or 3.
- `units`: number of units in each army, 1 to 32 with two players and 1 to 21 with
  three.

## Codes of moves

| kind | code of | codes |
|---|---|---|
| `abstract` | attacker and target | players * units * actions |
| `exact` | the same and the health of both before the hit | 9 times as many |

## Scores and values

The score is the number of living units. The evaluation of a position is each player's
share of the total health of all units. An attack is worth 1 if it kills, 2/3 if it
leaves the target with one health and 1/3 if it leaves two. A turn is one attack, and a
round is as many attacks as there are players.

## Version history

- v0: first version

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), sections 4.2 and 4.5. We chose two
details ourselves: the turns of dead units are lost, and exact codes contain the health
of both units. With these choices, the lengths of random games and the frequencies of
codes match the paper's table 7.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.wargame.draw import ansi, paint, regions, size
from mcts_agents.envs.wargame.notation import format_action, parse_action
from mcts_agents.envs.wargame.rules import FEWEST_PLAYERS, MOST_PLAYERS, rules

GAME = Game(
    name="wargame",
    version=0,
    title="Wargame",
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
