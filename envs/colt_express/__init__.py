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
and then carry them out card by card. By then, the other bandits have often moved on.

**The train.** The train has one car for each player, numbered from the caboose (car 0)
at the left end, and the locomotive as the last car at the right end. A bandit is inside
a car or on its roof. The cars hold purses ($250 to $500) and jewels ($500). The
locomotive holds a strongbox ($1000) and the marshal. Each bandit begins with a purse of
$250, six bullets and ten cards. Players in even seats begin inside car 0, the others
inside car 1.

**Planning.** At the start of a round, each player shuffles their own ten cards together
with the bullets that they have received, and draws six. The round card sets the number
and kinds of turns. In a turn, each player either adds one card to the common queue or
draws up to three cards. Rounds count from 0: player `n` goes first in round `n`, modulo
the number of players.

| turn | |
|---|---|
| normal | cards lie face up |
| hidden | cards lie face down |
| double | each player plays or draws twice in a row |
| reverse | the first player begins, and the others follow in reverse seat order |

**Carrying out.** The cards of the queue are carried out in the order in which they were
played. The owner decides the details at that moment. Then the card goes to the owner's
deck.

| card | copies | |
|---|---|---|
| move | 2 | inside to the next car, on roofs up to three cars |
| climb | 2 | from inside to the roof of the car, or back |
| punch | 1 | a bandit in the same place drops loot and is pushed one car away |
| marshal | 1 | moves the marshal to a neighbouring car |
| shoot | 2 | gives one of the shooter's bullets, if any are left, to another bandit |
| collect | 2 | takes loot of a chosen kind from the same place; a purse at random |

- From inside a car, a bandit shoots at a bandit inside a neighbouring car. From a roof,
  a bandit shoots at a bandit on the nearest occupied roof in either direction. The
  bullet goes to the deck of the bandit who was hit, where it is a useless card.
- The bandit who punches chooses the target, the kind of loot and the direction.
- A bandit who ends up inside the marshal's car by walking, by being pushed, or because
  a marshal card moves the marshal there, receives a neutral bullet (one that comes from
  no other bandit) and goes up to the roof. By default, a bandit who climbs down to the
  marshal is safe. Nobody is hit in the car that the marshal enters at the end of an
  Angry Marshal round.
- A card has no effect if there is nothing to collect or nobody to hit.

Each bandit is a different character, dealt at random:

| character | |
|---|---|
| Ghost | plays the card of the first turn of each round face down |
| Cheyenne | takes the purse that is dropped by a bandit whom she punches |
| Django | pushes a bandit at whom he shoots one car away, even without bullets |
| Tuco | may also shoot through the roof of his own car |
| Doc | draws seven cards at the start of a round |
| Belle | cannot be shot at or punched if there is another target |

**Round cards.** The first four rounds use four different cards, drawn at random from
the first seven in this table. The last round uses one of the last three. N, H, D and R
stand for normal, hidden, double and reverse turns. With more than four players, most of
the first seven cards have one turn fewer.

| card | turns | five and six players | at the end of the round |
|---|---|---|---|
| Angry Marshal | N N H R | N N R | bandits above the marshal are hit; he moves left |
| Braking | N H N H | N H H H | bandits on roofs move one car to the right |
| Bridge | N D N | N D | |
| Passenger Rebellion | N N H N N | N H N R | bandits inside are hit |
| Swivel Arm | N H N N | N H N | bandits on roofs move to car 0 |
| Take It All | N H D R | N D R | a strongbox is put into the marshal's car |
| Tunnel | N H N H N | N H N H | |
| Marshal's Revenge | N N H N | N N H N | above the marshal: lose the best purse |
| Hostage | N N H N | N N H N | a $250 purse for bandits in or on the locomotive |
| Pickpocket | N N H N | N N H N | a bandit alone in a place takes a purse there |

**The end.** Players count their loot, plus $1000 for those with the fewest bullets
left. The highest sum wins. In a tie, the tied player who received the fewest bullets
wins. If players are still tied, all of them win.

If a player has only one legal action, it is carried out at once, without a decision,
unless you set `asks_forced=True`.

## Length

A game between random players takes about 50 decisions in total with two players, 110
with four and 140 with six.

## Hidden information

Each player knows their own cards, all face-up cards, the train, and how many purses,
jewels, strongboxes, bullets and cards every player has. All players see the card that
is being carried out.

When an agent plans, the cards of each other player (in the deck, in the hand and face
down) are shuffled and dealt again, with no bullet among the cards face down. The values
of all purses that are not the agent's own are shuffled, and the round cards to come are
drawn again. As in TAG, the agent ignores some of what it could infer: the value of a
purse that it has lost, that other players began with a purse of $250, and which cards a
player held before shuffling them. When the game is over, everything is revealed.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (128 + 11 *
players,). Cards are in the order move, climb, punch, marshal, shoot, collect, bullet.
Loot is in the order purses, jewels, strongboxes. Round cards are in the order of the
table above. Seats are counted from the observing player.

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

Some bugs of TAG's program are not reproduced. In TAG, decks are not shuffled between
rounds, later seats get no action in a double turn, all purses of a car have the same
value, a pickpocketed purse also stays where it was, and Django pushes nobody on roofs
or into the caboose.

## Scores

For searches that use scores, the score is the value of a player's loot in dollars. All
players with the fewest bullets left get $200 more for each finished round. The paper's
value is 1.5 times the score for a player who has won, and half the score for a player
who has lost.

By default, searches end a rollout after 30 actions, the setting that the paper tuned
for Colt Express. Set `rollout` to change this.

For searches that count turns, a turn is one action, including actions without an
alternative. A round is a round of the game.

## Recorded games

`mcts-agents verify colt_express FILE` compares these rules with games recorded with
TAG: legal actions, places, loot, the queue, hands, decks, bullets and scores. The cards
drawn, and the states that follow a bug in TAG, are taken from the file.

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
