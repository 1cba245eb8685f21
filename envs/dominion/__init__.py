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

A deck-building game. Each player begins with seven Coppers and three Estates, buys
cards that improve the deck, and later buys cards that are worth points. The kingdom
cards are the set that the rule book recommends for the first game.

| card | cost | effect |
|---|---|---|
| copper, silver, gold | 0, 3, 6 | 1, 2, 3 coins |
| estate, duchy, province | 2, 5, 8 | 1, 3, 6 points |
| cellar | 2 | +1 action; discard any number of cards, then draw as many |
| market | 5 | +1 card, +1 action, +1 buy, +1 coin |
| merchant | 3 | +1 card, +1 action; +1 coin if the hand has a silver in the buy phase |
| militia | 4 | +2 coins; each other player discards down to three cards |
| mine | 5 | trash a treasure and gain one that costs up to 3 more, into the hand |
| moat | 2 | +2 cards; protects from a Militia if you show it |
| remodel | 4 | trash a card and gain one that costs up to 2 more |
| smithy | 4 | +3 cards |
| village | 3 | +1 card, +2 actions |
| workshop | 3 | gain a card that costs up to 4 |

**A turn.** You have one action, with which you can play a kingdom card, and one buy;
some cards give more of them. All treasures in your hand count as coins. Cards that you
buy or gain go to your discard pile, except those gained with a Mine. At the end of the
turn, you discard your hand and the cards that you have played, and draw five cards. If
you have to draw and your pile is empty, the discards are shuffled and become the pile.

**The end.** The game ends after a turn if no province is left or at least three piles
of the supply are empty. The player with the most points wins; with the default rules,
tied players all win.

The supply has 40 silver, 30 gold, and 10 of each kingdom card. It has 8 of each victory
card with two players, and 12 with more. The number of coppers depends on `rulebook`.
The effects of Workshop, Remodel and (with `rulebook="tag"`) Mine must be used if
possible.

## Hidden information

You know your own hand, all discards and played cards, the supply and the trash, and
therefore which cards each player owns. You do not know the order of any pile, or which
of another player's cards are in the hand and which are in the pile. Cards of a hand
that all players have seen stay known: a treasure that came from a Mine, and the Moat of
a player who is asked to show one (only players who hold a Moat are asked). When a card
of that type leaves the hand, one fewer is known.

When an agent plans, it shuffles its own pile. For every other player, it shuffles the
hidden part of the hand together with the pile and deals the hand again. With
`rulebook="tag"`, only a player who holds a treasure is asked to trash one for a Mine,
so the agent deals that player at least one treasure. It does not infer from the absence
of such a question that a player lacks a card.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (4 * players + 4,
16). The columns are card types, except in the rows of facts. There are four rows for
each seat, beginning with the observing player, in seat order:

| row | |
|---|---|
| 0 | the hand, as far as known |
| 1 | the discard pile |
| 2 | all cards of the player |
| 3 | facts |

The facts of a seat are: cards in the hand; 1 if it is the player's turn; 1 if the
player decides; 1 if the player has shown a Moat. Four common rows follow:

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
| 6 | the type of the card that asks for a decision, 0 for none |
| 7 | the type + 1 of the card that was trashed, 0 for none |
| 8-15 | 1 for the kind of decision |

Types are numbered in the order of the table of cards. Columns 8-15 stand for a card to
play, to buy, to discard for the Cellar, to gain, to trash, to discard because of a
Militia, to show, and the end of the game. Numbers above 127 are shown as 127. The mask
is 1 for legal actions of the player who decides, and all zeros for the others.

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

In `env`, an illegal action ends the game with -1 for the player and 0 for the others;
in `raw_env` and `parallel_env`, it raises an error.

## Options

`env(render_mode=None, players=4, rulebook="tag")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 4 |
| `rulebook` | `tag`, or `published` |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. The published rules differ in these points:

| | `tag` | `published` |
|---|---|---|
| coppers in the supply | 32 | 60 minus 7 for each player |
| a tie | all tied players win | the tied players with fewer turns win |
| Mine | must be used | is optional |
| a Moat that was shown | protects for the rest of the turn | protects from one attack |

In both rule books, treasures are not played one by one, and all discards are public.
TAG asks a player with several Moats once for each Moat; this is not reproduced here.

## Scores and evaluation

For searches that use scores, the score is the total of the points on all cards that a
player owns. It is 3 at the start and grows only late in the game, so for a long time it
says little about who is ahead. There is no evaluation function.

For searches that count turns, a turn is a player's turn, and a round is one turn of
each player.

## Recorded games

`mcts-agents verify dominion FILE` compares these rules with games recorded with TAG:
legal actions, hands, piles, discards, the supply, the trash, the rest of the turn,
points and results. The order after a shuffle is taken from the file. If TAG asked a
player for a second Moat, the file says so, and the result of that step is not compared.

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
