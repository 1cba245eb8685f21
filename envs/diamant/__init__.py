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
| Moves | all at once, who is in the cave |
| Hidden information | the order of the deck, choices |
| Chance | the shuffles |

A game of pressing one's luck. All players walk into a cave together. Cards are turned
one at a time: a treasure is divided among those who are in the cave, a hazard is a
warning, and the second hazard of the same kind ends the cave: those still in it lose
all that they carry. Before each card everybody in the cave decides in secret, and all
at once, whether to go on or to leave with what they carry. After five caves the
fullest chest wins; if several are as full, these draw.

The deck has 30 cards: treasures of 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 16 and
17 gems, and three cards of each of the hazards explosion, gas, rockfall, scorpions and
snakes.

- The first card of a cave is turned before anybody decides.
- A treasure: everybody in the cave gets an equal share, whole gems; the rest is left on
  the path.
- Who leaves puts the gems carried into the chest, and an equal share of those on the
  path, divided among all who leave at that moment; the rest is left on the path. Who
  has left waits for the next cave.
- A cave ends when all have left it, or by a second hazard. Gems still on the path are
  lost. Of a cave that a hazard ended that second card is out of the game. All other
  cards are shuffled for the next cave.

There are no artifact cards, as in the TAG framework; the published game has five. Of
TAG's program in April 2022 it is not repeated that all shuffles of a game use the same
seed.

## Hidden information

Only the order of the deck is hidden, and what others decide at the same moment. Which
cards are in the deck, all chests and all hands are public. When an agent plans, the
deck is shuffled anew, and the others decide anew.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (27 + 5 * players,):

| place | |
|---|---|
| 0-14 | 1 if that treasure, in ascending order, lies on the path |
| 15-19 | 1 if that hazard lies on the path |
| 20-24 | cards of that hazard out of the game |
| 25 | gems on the path |
| 26 | cave 0 to 4; 5 when the game is over |

and then five for each seat, from the asking player's own on in seat order:

| place | |
|---|---|
| 0 | 1 if the player is in the cave |
| 1, 2 | gems in the chest: hundreds, and the rest |
| 3, 4 | gems carried: hundreds, and the rest |

The mask is 1 for both actions of a player who is in the cave, all zeros for others.

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

At the end of the game; 0 before. Whoever is asked may do either; an action out of range
is an error.

## Options

`env(render_mode=None, players=4)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi` |
| `players` | 2 to 6 |

## Scores and heuristics

The score, for searches that use scores, is the gems in the chest. The paper's value is
that score, half as much again for a player who has won and half for one who has lost.
The evaluation is a player's share of all gems in chests and hands, what is carried
taken times the chance that the next card does not end the cave.

The scripted policy `cautious` leaves when what the next card may cost exceeds what it
may bring: the cards of hazards on the path, times the gems that leaving with all others
would bring, against the shares of the treasures in the deck.

## Recorded games

`mcts-agents verify diamant FILE` compares these rules with games that TAG has recorded.
The decks are shuffled such that the recorded cards come; everything else is compared
after every decision.

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
