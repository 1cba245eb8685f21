"""# Dominion.

| | |
|---|---|
| Import | `from mcts_agents.envs import dominion` |
| Ids | `mcts_agents/dominion-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 4: `player_0`, `player_1`, ... |
| Action shape | 77 |
| Observation shape | (4 * players + 4, 16) |
| Observation values | 0 to 127 |
| Moves | in turn |
| Hidden information | the other hands, all piles |
| Chance | shuffles |

A game of building a deck: each player begins with seven Coppers and three Estates, buys
cards that make the deck better, and in time those that are worth points. The kingdom
cards are those of the first game that the rule book recommends.

| card | cost | effect |
|---|---|---|
| copper, silver, gold | 0, 3, 6 | 1, 2, 3 coins |
| estate, duchy, province | 2, 5, 8 | 1, 3, 6 points |
| cellar | 2 | +1 action; discard any number of cards, then draw as many |
| market | 5 | +1 card, +1 action, +1 buy, +1 coin |
| merchant | 3 | +1 card, +1 action; +1 coin if a silver is in the hand for the buys |
| militia | 4 | +2 coins; each other player discards down to three cards |
| mine | 5 | trash a treasure and gain one that costs up to 3 more, into the hand |
| moat | 2 | +2 cards; shown when a Militia is played, it protects from it |
| remodel | 4 | trash a card and gain one that costs up to 2 more |
| smithy | 4 | +3 cards |
| village | 3 | +1 card, +2 actions |
| workshop | 3 | gain a card that costs up to 4 |

**A turn.** You have one action, to play a kingdom card, and one buy; cards give more.
All treasures of the hand count as coins. Cards that are bought or gained go to your
discard pile. Then the hand and the cards played are discarded and you draw five cards.
When your pile is empty, the discards are shuffled and become the pile.

**The end.** The game ends after a turn in which the last province was taken or three
piles of the supply are empty. Most points win; tied players all win.

The supply has 40 silver, 30 gold, 8 of each victory card among two players and 12 of
each among more, and 10 of each kingdom card. A Workshop, a Remodel and a Mine must be
used if they can be.

## Hidden information

You know your own hand, all discards and played cards, the supply, the trash, and so
which cards each player has. You do not know the order of any pile, or which cards of
another player are in the hand and which in the pile. Cards of a hand that all players
have seen stay known: a treasure that a Mine has put there, and a Moat of a player who
is asked to show one, since nobody else is asked. Where a card of that type leaves the
hand, one fewer is sure.

When an agent plans, it shuffles its own pile, and the hidden part of every other hand
with the pile of the same player. A player whom a Mine asks for a treasure holds one.
What players do not hold is not worked out from what they are not asked.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape
(4 * players + 4, 16). The columns are types of cards, but for the rows of facts. Four
rows for each seat, from the asking player's own on in seat order:

| row | |
|---|---|
| 0 | the hand, as far as known |
| 1 | the discard pile |
| 2 | all cards of the player |
| 3 | facts |

The facts of a seat are: cards in the hand; 1 if it is the player's turn; 1 if the
player decides; 1 if the player has shown a Moat. Four common rows:

| row | |
|---|---|
| 0 | the supply |
| 1 | the cards played in this turn |
| 2 | the trash |
| 3 | common facts |

| column | |
|---|---|
| 0, 1 | actions, buys left |
| 2, 3 | coins of the cards played, coins spent |
| 4 | Merchants not paid yet |
| 5 | cards discarded for the Cellar |
| 6 | the card that asks, its type, 0 if none does |
| 7 | the card that was trashed, its type + 1, 0 for none |
| 8-15 | 1 for what is decided |

Types are numbered in the order of the table of cards, columns 8-15 stand for a card to
play, to buy, to discard for the Cellar, to gain, to trash, to discard because of a
Militia, to show, and the end of the game. Numbers above 127 are shown as 127. The mask
is 1 for legal actions of the player who decides, all zeros for others.

## Action space

| action | |
|---|---|
| 0 | end the actions or the turn |
| 1-10 | play a kingdom card |
| 11-26 | buy a card |
| 27-42 | gain a card |
| 43-58 | discard a card |
| 59-74 | trash a card |
| 75 | show a Moat |
| 76 | done: discard no more for the Cellar, show no Moat, do not use the Mine |

Types are in the order of the table, kingdom cards from the Cellar on.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

In `env` an illegal action ends the game with -1 for the player and 0 for the others, in
`raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=4, rulebook="tag")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 4 |
| `rulebook` | `tag`, or `published` |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. The published ones differ in these points:

| | `tag` | `published` |
|---|---|---|
| coppers in the supply | 32 | 60 less 7 for each player |
| a tie | all tied players win | those of them win who had fewer turns |
| Mine | must be used | need not be used |
| a Moat that was shown | protects for the rest of the turn | is shown to each Militia |

In both, treasures need not be played one by one, and all discards can be looked
through. TAG asks a player with several Moats once for each, which is not repeated here.

## Scores and evaluation

For searches that use scores: the points of all cards of a player. They are 3 at the
start and grow late, so that they say little of who is ahead. There is no evaluation.

A turn, for searches that count turns, is a player's turn; a round is one of each.

## Recorded games

`mcts-agents verify dominion FILE` compares these rules with games that TAG has
recorded: legal actions, hands, piles, discards, the supply, the trash, what is left of
the turn, points and results. The order after a shuffle is taken from the record. Where
TAG has asked a player for a second Moat the file says so, and what comes out of that
step is not compared.

## Version history

- v0: first version

## Sources

D. X. Vaccarino, "Dominion" (2008, second edition 2016), rules. R. D. Gaina et al.,
"TAG: A Tabletop Games Framework" (EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas,
"MultiTree MCTS in tabletop games" (CoG 2022).
"""

from mcts_agents.envs.dominion.draw import paint, regions, size
from mcts_agents.envs.dominion.notation import format_action, parse_action
from mcts_agents.envs.dominion.recordings import RECORDS
from mcts_agents.envs.dominion.rules import PLAYER_COUNTS, rules
from mcts_agents.envs.dominion.table import ansi
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game

GAME = Game(
    name="dominion",
    version=0,
    title="Dominion",
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
