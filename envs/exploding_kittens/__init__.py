"""# Exploding Kittens.

| | |
|---|---|
| Import | `from mcts_agents.envs import exploding_kittens` |
| Ids | `mcts_agents/exploding_kittens-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 5: `player_0`, `player_1`, ... |
| Action shape | 75 |
| Observation shape | (players + 2, 40) |
| Observation values | 0 to 40 |
| Moves | in turn |
| Hidden information | the other hands, the pile |
| Chance | the deal, shuffles |

A game of nerves: a player who draws an exploding kitten and cannot defuse it is out.
The last player left wins.

| card | copies | |
|---|---|---|
| attack | 4 | ends your turn; a player whom you choose is next and draws twice |
| skip | 4 | replaces one draw |
| favor | 4 | a player whom you choose selects a card and gives it to you |
| shuffle | 4 | shuffles the pile |
| see | 5 | you look at the top three cards and put them back in any order |
| tacocat, meloncat, beardcat, rainbowcat, furrycat | 4 each | nothing |
| nope | 5 | cancels a card |
| defuse | 6 | saves you from a kitten |
| kitten | players - 1 | explodes |

**Set-up.** Each player gets a defuse and seven cards that are neither defuses nor
kittens. The remaining defuses and the kittens are shuffled into the pile.

**A turn.** You play any number of cards, or none, and end the turn with a draw. If you
have been attacked, your turn has two draws. If you play an attack or explode, your turn
ends even if draws are left; they do not pass to the next player.

**Nopes.** After you play a card, the players who hold a Nope are asked in seat order,
from the seat after yours to your own. Each passes or plays a Nope. A Nope can be noped
too: after each Nope, the questions begin again with the seat after the player who
played it. When all have passed, an odd number of Nopes cancels the card; it is
discarded in any case. Only players who hold a Nope are asked, so everyone knows that a
player who is asked holds one.

**Kittens.** If you draw a kitten and hold a defuse, the defuse is discarded and you
secretly put the kitten back at any place in the pile. This completes the draw. Without
a defuse, you are out and your cards are discarded.

**Favors.** You can ask only a player who holds a card. If that player's last card was a
Nope and has been played before the Favor takes effect, you get nothing.

## Hidden information

You know your own hand, all discards, how many cards each hand and the pile hold, and
how many kittens lie in the pile. You know the cards that you have seen in the pile or
put there, until they are drawn, the pile is shuffled, or another player puts a kitten
back or rearranges these cards. You also know the defuse that each player is dealt, the
cards that you gave to another player in a Favor, and that a player who was asked holds
a Nope, as long as these cards must still be in that hand. When the player discards a
card of such a type, you know of one card fewer of that type. When the player gives away
a card that you do not see, you know of one card fewer of each type, because it may have
been any of them.

When an agent plans, it shuffles all other cards and deals them again; hands get no
kittens. What other players know about each other and about the pile is hidden from the
agent. In the agent's determinizations, the other players therefore know only cards in
the agent's hand: the defuse that it was dealt, cards that they gave to the agent, and a
Nope if it was asked. Two things are not used: a player who is not asked for a Nope
holds none, and a card seen in the pile is in the hand of whoever has drawn it.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (players + 2, 40).
There is a row for each seat, beginning with the observing player, in seat order:

| column | |
|---|---|
| 0-11 | cards in the hand by type, as far as known |
| 12 | cards in the hand |
| 13 | 0 if still in, 1 if first to be out, 2 if second, ... |
| 14 | 1 if it is the player's turn |
| 15 | 1 if the player decides |

A row of common facts follows:

| column | |
|---|---|
| 0-12 | discards by type, kittens last |
| 13 | cards in the pile |
| 14 | draws that end the turn |
| 15-20 | 1 for the kind of decision |
| 21 | the action that may be noped, 0 if none |
| 22 | Nopes played on it |

Types are numbered in the order of the table of cards. Columns 15-20 stand for playing a
card, a Nope, the card to give, the order of the top cards, the place of the kitten, and
the end of the game.

The last row is the pile from the top: 0 for no card, 1 for an unknown card, 2 + type
for a known one. All other columns are 0. The mask is 1 for legal actions of the player
who decides, and all zeros for the others.

## Action space

Actions name cards, seats and places. Players are counted from 0.

| action | |
|---|---|
| 0 | draw |
| 1 | skip |
| 2 | shuffle |
| 3 | see |
| 4 + seat | favor from a player |
| 9 + seat | attack a player |
| 14, 15 | nope, pass |
| 16 + type | give a card of a type |
| 28 | give nothing |
| 29-34 | the order of the top three cards: 1 2 3, 1 3 2, 2 1 3, 2 3 1, 3 1 2, 3 2 1 |
| 35 + n | put the kitten under n cards |

If several orders give the same result because cards are equal, only the first is legal.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

A player who explodes gets -1 at once; the winner gets +1 at the end. In `env`, an
illegal action ends the game with -1 for the player and 0 for the others; in `raw_env`
and `parallel_env`, it raises an error.

## Options

`env(render_mode=None, players=4, rulebook="tag")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 5 |
| `rulebook` | `tag`, or `published`: attacks hit the next player, see keeps the order |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. They differ from the published rules in the two points of `rulebook`.
With either value of `rulebook`, pairs and other combinations of cats do nothing. Three
bugs of TAG's program are not reproduced: a player who, after playing a card, also
played a Nope against it discarded the wrong card, seats were confused after explosions
and attacks, and the draw after a Favor did not count.

## Scores and evaluation

For searches that use scores, the score is the number of other players who are out; for
a player who is out, it is the number of players who were out earlier. This is the
paper's value for this game, which has no bonus for the winner (`score_bonus` is 0 by
default). The evaluation (`value="evaluate"`) is the score divided by the number of
other players.

For searches that count turns, a turn ends when its last draw is made, skipped or
cancelled by an attack, or when the player explodes. A round has as many turns as the
game has seats, even after players are out.

## Recorded games

`mcts-agents verify exploding_kittens FILE` compares these rules with games recorded
with TAG: legal actions, hands, pile, discards, who is asked for a Nope, who is out, and
results. The order after a shuffle is taken from the file. In TAG, a player who has
played a Nope is asked again even without holding another one; that forced pass is not a
decision here. The file marks plays in which TAG broke the rules, and their results are
not compared.

## Version history

- v0: first version

## Sources

E. Lee, M. Inman, S. Small, "Exploding Kittens" (2015), rules. R. D. Gaina et al., "TAG:
A Tabletop Games Framework" (EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas,
"MultiTree MCTS in tabletop games" (CoG 2022).
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.exploding_kittens.draw import paint, regions, size
from mcts_agents.envs.exploding_kittens.notation import format_action, parse_action
from mcts_agents.envs.exploding_kittens.recordings import RECORDS
from mcts_agents.envs.exploding_kittens.rules import PLAYER_COUNTS, rules
from mcts_agents.envs.exploding_kittens.table import ansi
from mcts_agents.envs.game import Game

GAME = Game(
    name="exploding_kittens",
    version=0,
    title="Exploding Kittens",
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
