"""# Colt Express.

| | |
|---|---|
| Import | `from mcts_agents.envs import colt_express` |
| Ids | `mcts_agents/colt_express-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 6: `player_0`, `player_1`, ... |
| Action shape | 77 |
| Observation shape | (128 + 11 * players,) |
| Observation values | 0 to 127 |
| Moves | in turn |
| Hidden information | other hands, cards face down, values of purses, rounds to come |
| Chance | the deal, the shuffles, which purse is taken |

A train robbery. In each of five rounds, the bandits first plan with cards what they are
going to do, and then carry it out card by card, when the others have often moved on.

**The train.** There is a car for each player, from the caboose (car 0) to the right,
and the locomotive in front. A bandit is inside a car or on its roof. The cars hold
purses ($250 to $500) and jewels ($500). A strongbox ($1000) and the marshal are in the
locomotive. Everybody begins with a purse of $250, six bullets and ten cards. Even seats
begin in car 0, the others in car 1.

**Planning.** At the start of a round, everybody shuffles the own ten cards, together
with the bullets received, and draws six. The round card says how many turns there are
and of which kind. In a turn each player puts one card on the common queue, or draws up
to three cards. Player `n` is first in round `n`, modulo the number of players.

| turn | |
|---|---|
| normal | cards lie face up |
| hidden | cards lie face down |
| double | each player has two actions in a row |
| reverse | the first player, and then the others in reverse order |

**Carrying out.** The cards of the queue are carried out in the order in which they were
played. The owner decides the details at that moment. Then the card goes to the owner's
deck.

| card | copies | |
|---|---|---|
| move | 2 | inside to the next car, on roofs up to three cars |
| climb | 2 | from inside to the roof of the car, or back |
| punch | 1 | a bandit in the same place drops loot and is pushed to a next car |
| marshal | 1 | moves the marshal to a next car |
| shoot | 2 | gives one of the six bullets to another bandit |
| collect | 2 | takes loot; of the purses a random one |

- A shot inside hits a bandit in a next car, and on roofs the nearest ones in each
  direction. A bullet is a card without use in the deck of the bandit who was hit.
- Who punches chooses the bandit, the kind of loot and the direction.
- A bandit who gets into the same car as the marshal, on foot, pushed or because the
  marshal comes, receives a neutral bullet and has to go up to the roof. Only climbing
  down to the marshal is safe.
- A card has no effect if there is nothing to collect or nobody to hit.

| character | |
|---|---|
| Ghost | the card of the first turn lies face down |
| Cheyenne | takes the purse that a bandit drops when she punches |
| Django | a bandit whom he shoots at is pushed one car further |
| Tuco | may also shoot through the roof of his own car |
| Doc | draws seven cards at the start of a round |
| Belle | is not shot at or punched if there is another target |

**Round cards.** Four different ones of the first seven are played, then one of the last
three. With more than four players turns are fewer.

| card | turns | five and six players | at the end of the round |
|---|---|---|---|
| Angry Marshal | N N H R | N N R | above the marshal: hit; he moves to the left |
| Braking | N H N H | N H H H | bandits on roofs move one car to the right |
| Bridge | N D N | N D | |
| Passenger Rebellion | N N H N N | N H N R | bandits inside are hit |
| Swivel Arm | N H N N | N H N | bandits on roofs move to car 0 |
| Take It All | N H D R | N D R | a strongbox is put into the marshal's car |
| Tunnel | N H N H N | N H N H | |
| Marshal's Revenge | N N H N | N N H N | above the marshal: lose the best purse |
| Hostage | N N H N | N N H N | $250 for bandits in or on the locomotive |
| Pickpocket | N N H N | N N H N | who is alone in a place takes a purse there |

**The end.** The loot counts, and $1000 for those who have the fewest bullets left. The
highest sum wins. If several are level, the fewest bullets received win, and if these
are level too, all of these win.

Actions without an alternative are not asked for: such a card is carried out at once.

## Length

Among random players a game takes about 50 decisions of all players together with two
players, 110 with four and 140 with six.

## Hidden information

A player knows the own cards, all cards face up, the train, and how many purses, jewels,
strongboxes, bullets and cards everybody has. The card that is carried out is known to
all. When an agent plans, the cards in the deck, in the hand and face down of each other
player are shuffled and dealt anew, no bullet among those face down; the values of all
purses that are not the player's own are shuffled, and the round cards to come are drawn
anew. As in TAG, two hints are not used: which purse somebody took from the player, and
which cards a player had who later shuffled them. When the game is over, everything is
laid open.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape
(128 + 11 * players,). Cards are numbered move, climb, punch, marshal, shoot, collect,
bullet; loot purses, jewels, strongboxes; round cards as in the table above. Seats are
counted from the asking player's own on.

| place | |
|---|---|
| 0-6 | cards in the hand |
| 7-13 | cards in the deck |
| 14-19 | own purses of $250, 300, 350, 400, 450, 500 |
| 20 | car of the marshal |
| 21 | rounds ended |
| 22 | the round card |
| 23 | the turn, from 0 |
| 24 | 1 normal, 2 hidden, 3 double, 4 reverse turn; 0 without one |
| 25 | 1 for the second action of a double turn |
| 26 | 1 when cards are carried out |
| 27 | cards in the queue |
| 28-37 | 1 for each round card that was opened |
| 38 + 2 * n | 1 + seat of the owner of card n of the queue; 0 for none |
| 39 + 2 * n | 1 + the card; 0 if it is not known |
| 86 + 6 * car | loot inside a car, three numbers |
| 89 + 6 * car | loot on its roof |

and then eleven for each seat:

| place | |
|---|---|
| 0, 1 | the car; 1 on its roof |
| 2 | the character, numbered as above |
| 3 | bullets left |
| 4, 5 | cards in the hand and in the deck |
| 6 | bullets received |
| 7-9 | loot |
| 10 | 1 if on turn |

The mask is 1 for legal actions of the player on turn, all zeros for others.

## Action space

| action | |
|---|---|
| 0-5 | play a card: move, climb, punch, marshal, shoot, collect |
| 6 | draw |
| 7 + car | move to a car: 7-13 |
| 14 | climb |
| 15, 16 | marshal to the left, to the right |
| 17-20 | collect a purse, a jewel, a strongbox, nothing |
| 21 + seat | shoot a player: 21-26 |
| 27 | shoot nobody |
| 28 + 8 * seat + 4 * side + loot | punch a player to the left (0) or right (1) |
| 76 | punch nobody |

The loot of a punch is what the other player drops: 0 to 3 for a purse, a jewel, a
strongbox or nothing.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

At the end of the game; 0 before. In `env` an illegal action ends the game with -1 for
the player and 0 for the others, in `raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=4, rulebook="tag", asks_forced=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 6 |
| `rulebook` | `tag`, or `published`: see below |
| `asks_forced` | `True`, as in TAG: actions without an alternative are decisions too |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. With `rulebook="published"` a bandit who climbs down to the marshal
is hit and goes back up, and Marshal's Revenge costs the purse of least value.

Some slips of TAG's program are not repeated: there decks are not shuffled between
rounds, in a double turn the later seats get no action, all purses of a car have one
value, a pickpocketed purse also stays in its place, and Django pushes nobody on roofs
or into the caboose.

## Scores

For searches that use scores: dollars, with 200 for each round ended for those who have
the fewest bullets left. The paper's value is the score, half as much again for a player
who has won and half for one who has lost.

Searches end a rollout after 30 actions unless you set `rollout`, as in the setting that
the paper tuned for Colt Express.

A turn, for searches that count turns, is one action, those without an alternative
included; a round is a round of the game.

## Recorded games

`mcts-agents verify colt_express FILE` compares these rules with games that TAG has
recorded: legal actions, places, loot, the queue, hands, decks, bullets and scores.
Cards that are drawn are taken from the file, and so are states after a slip of TAG's.

## Version history

- v0: first version

## Sources

C. Raimbault, "Colt Express" (2014), rules. R. D. Gaina et al., "TAG: A Tabletop Games
Framework" (EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas, "MultiTree MCTS in
tabletop games" (CoG 2022).
"""

from mcts_agents.envs.colt_express.draw import paint, regions, size
from mcts_agents.envs.colt_express.notation import format_action, parse_action
from mcts_agents.envs.colt_express.recordings import RECORDS
from mcts_agents.envs.colt_express.rules import PLAYER_COUNTS, rules
from mcts_agents.envs.colt_express.table import ansi
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game

GAME = Game(
    name="colt_express",
    version=0,
    title="Colt Express",
    rules=rules,
    player_counts=PLAYER_COUNTS,
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    tag_records=RECORDS,
)

raw_env, env, parallel_env = environments(GAME)
