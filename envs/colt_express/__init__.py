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

A train robbery. In each of five rounds, the bandits first plan their actions with cards
and then carry them out card by card. By then, the others have often moved on.

**The train.** There is a car for each player, from the caboose (car 0) to the right,
and the locomotive in front. A bandit is inside a car or on its roof. The cars hold
purses ($250 to $500) and jewels ($500). A strongbox ($1000) and the marshal are in the
locomotive. Each bandit begins with a purse of $250, six bullets and ten cards. Even
seats begin in car 0, the others in car 1.

**Planning.** At the start of a round, each player shuffles the player's own ten cards
together with the bullets received, and draws six. The round card sets the number and
kind of turns. In a turn each player puts one card on the common queue, or draws up to
three cards. Player `n` is first in round `n`, modulo the number of players.

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
| punch | 1 | a bandit in the same place drops loot and is pushed one car away |
| marshal | 1 | moves the marshal to a neighbouring car |
| shoot | 2 | gives one of the six bullets to another bandit |
| collect | 2 | takes loot; if it is a purse, a random one |

- A shot inside a car hits a bandit in a neighbouring car. A shot on the roofs hits the
  nearest bandit in either direction. A bullet is a useless card in the deck of the
  bandit who was hit.
- The bandit who punches chooses the target, the kind of loot and the direction.
- A bandit who ends up in the marshal's car, by walking, by being pushed or because the
  marshal comes, receives a neutral bullet and must go up to the roof. Only climbing
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

**Round cards.** Four of the first seven cards are played, then one of the last three.
With more than four players, there are fewer turns.

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
| Pickpocket | N N H N | N N H N | a bandit alone in a place takes a purse there |

**The end.** Players count their loot, plus $1000 for those with the fewest bullets
left. The highest sum wins. In a tie, the tied player who received the fewest bullets
wins. If players are still tied, all of them win.

A card with only one possible action is carried out at once, without a decision.

## Length

A game between random players takes about 50 decisions in total with two players, 110
with four and 140 with six.

## Hidden information

A player knows the player's own cards, all cards face up, the train, and how many
purses, jewels, strongboxes, bullets and cards each player has. All players see the card
that is carried out.

When an agent plans, the cards of each other player (in the deck, in the hand and face
down) are shuffled and dealt again, with no bullet among the cards face down. The values
of all purses that are not the agent's own are shuffled, and the round cards to come are
drawn again. As in TAG, two hints are not used: which purse somebody took from the
player, and which cards a player had before shuffling them. When the game is over,
everything is revealed.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (128 + 11 *
players,). Cards are numbered move, climb, punch, marshal, shoot, collect, bullet; loot
purses, jewels, strongboxes; round cards as in the table above. Seats are counted from
the observing player.

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

Eleven places follow for each seat:

| place | |
|---|---|
| 0, 1 | the car; 1 on its roof |
| 2 | the character, numbered as above |
| 3 | bullets left |
| 4, 5 | cards in the hand and in the deck |
| 6 | bullets received |
| 7-9 | loot |
| 10 | 1 if the player is to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

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

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=4, rulebook="tag", asks_forced=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 6 |
| `rulebook` | `tag`, or `published`: see below |
| `asks_forced` | `True`, as in TAG: actions without an alternative are also decisions |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. With `rulebook="published"` a bandit who climbs down to the marshal
is hit and goes back up, and Marshal's Revenge costs the purse of least value.

Some bugs of TAG's program are not reproduced: its decks are not shuffled between
rounds, later seats get no action in a double turn, all purses of a car have the same
value, a pickpocketed purse also stays in its place, and Django pushes nobody on roofs
or into the caboose.

## Scores

For searches that use scores, the score is in dollars. Players with the fewest bullets
left get an extra 200 for each finished round. The paper's value is 1.5 times the score
for a player who has won, and half of it for one who has lost.

Searches end a rollout after 30 actions unless you set `rollout`, as in the setting that
the paper tuned for Colt Express.

For searches that count turns, a turn is one action, including actions without an
alternative. A round is a round of the game.

## Recorded games

`mcts-agents verify colt_express FILE` compares these rules with games recorded with
TAG: legal actions, places, loot, the queue, hands, decks, bullets and scores. Cards
drawn, and states after a bug of TAG's, are taken from the file.

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
