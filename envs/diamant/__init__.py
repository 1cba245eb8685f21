"""# Diamant.

| | |
|---|---|
| Import | `from mcts_agents.envs import diamant` |
| Ids | `mcts_agents/diamant-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 6: `player_0`, `player_1`, ... |
| Action shape | 2 |
| Observation shape | (27 + 5 * players,) |
| Observation values | 0 to 99 |
| Moves | simultaneous, for players in the cave |
| Hidden information | the order of the deck, choices |
| Chance | the shuffles |

A push-your-luck game. All players walk into a cave together, and cards are turned over
one at a time. A treasure is divided among the players in the cave. The first hazard of
a kind is only a warning. The second one ends the cave, and players who are still in it
lose all the gems that they carry. Before each further card, all players in the cave
decide secretly and simultaneously whether to continue or to leave with the gems that
they carry. After five caves, the player with the most gems in the chest wins; tied
players draw.

The deck has 30 cards: treasures of 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 16 and
17 gems, and three cards of each of the hazards explosion, gas, rockfall, scorpions and
snakes.

- The first card of a cave is turned before the first decision.
- Treasure: each player in the cave gets an equal share in whole gems; the remainder
  stays on the path.
- Players who leave put the gems they carry into their chests. They also share the gems
  on the path equally with all players who leave at the same time; the remainder stays
  on the path. They wait for the next cave.
- A cave ends when all players have left it, or with the second hazard of one kind. Gems
  still on the path are lost. The hazard card that ended the cave is removed from the
  game. All other cards are shuffled for the next cave.

As in the TAG framework, there are no artifact cards; the published game has five. In
TAG's program of April 2022, all shuffles of a game use the same seed; this is not
reproduced.

## Hidden information

Only the order of the deck and the simultaneous decisions of others are hidden. Which
cards are in the deck, all chests, and all gems carried are public. When an agent plans,
it shuffles the deck, and the search chooses the decisions of the other players itself.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (27 + 5 * players,):

| place | |
|---|---|
| 0-14 | 1 if that treasure, in ascending order, lies on the path |
| 15-19 | 1 if that hazard lies on the path |
| 20-24 | cards of that hazard out of the game |
| 25 | gems on the path |
| 26 | cave 0 to 4; 5 when the game is over |

Five places follow for each seat, beginning with the observing player, in seat order:

| place | |
|---|---|
| 0 | 1 if the player is in the cave |
| 1, 2 | gems in the chest: hundreds, and the rest |
| 3, 4 | gems carried: hundreds, and the rest |

The mask is 1 for both actions of a player who is in the cave, and all zeros for the
others.

## Action space

| action | |
|---|---|
| 0 | continue |
| 1 | exit |

Players who have left the cave have no decision.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. Both actions are always legal for
players in the cave; an action out of range raises an error.

## Options

`env(render_mode=None, players=4)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi` |
| `players` | 2 to 6 |

## Scores and heuristics

For searches that use scores, the score is the number of gems in the chest. The paper's
value is 1.5 times that score for a player who has won, and half of it for one who has
lost. The evaluation is a player's share of all players' gems, in chests and carried,
where gems carried are weighted by the probability that the next card does not end the
cave.

The scripted policy `cautious` leaves when the possible loss from the next card exceeds
the possible gain. The loss is the number of hazard cards in the deck that would end the
cave, times the gems that the player would bring home if all players left now. The gain
is the sum of the player's shares of all treasures in the deck, if nobody leaves.

## Recorded games

`mcts-agents verify diamant FILE` compares these rules with games recorded with TAG. The
decks are ordered as recorded; everything else is compared after every decision.

## Version history

- v0: first version

## Sources

B. Faidutti, A. R. Moon, "Diamant" (Schmidt Spiele 2005), rules. R. D. Gaina et al.,
"TAG: A Tabletop Games Framework" (EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas,
"MultiTree MCTS in tabletop games" (CoG 2022).
"""

from mcts_agents.envs.diamant.caves import FEWEST_PLAYERS, MOST_PLAYERS
from mcts_agents.envs.diamant.draw import paint, regions, size
from mcts_agents.envs.diamant.notation import format_action, parse_action
from mcts_agents.envs.diamant.recordings import RECORDS
from mcts_agents.envs.diamant.rules import rules
from mcts_agents.envs.diamant.table import ansi
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game

GAME = Game(
    name="diamant",
    version=0,
    title="Diamant",
    rules=rules,
    player_counts=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    simultaneous=True,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    tag_records=RECORDS,
)

raw_env, env, parallel_env = environments(GAME)
