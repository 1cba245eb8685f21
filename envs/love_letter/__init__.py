"""# Love Letter.

| | |
|---|---|
| Import | `from mcts_agents.envs import love_letter` |
| Ids | `mcts_agents/love_letter-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 4: `player_0`, `player_1`, ... |
| Action shape | 47 |
| Observation shape | (players + 1, 22) |
| Observation values | 0 to 127 |
| Moves | in turn |
| Hidden information | the other hands unless one has seen them, the pile |
| Chance | the deal of each round, who starts it after a tie |

A game of deduction with sixteen cards. Everybody holds one card; in turn, one draws a
second, plays one of the two face up, and does what it says.

| card | number | copies | |
|---|---|---|---|
| guard | 1 | 5 | name a target and another card than guard: who holds it is out |
| priest | 2 | 2 | see the target's card |
| baron | 3 | 2 | compare the cards in hand: who has the lower one is out |
| handmaid | 4 | 2 | protected until the own next turn |
| prince | 5 | 2 | the target, or oneself, discards the hand and draws |
| king | 6 | 1 | exchange hands with the target |
| countess | 7 | 1 | nothing; must be played if the other card is prince or king |
| princess | 8 | 1 | who plays or discards her is out |

**A round.** All sixteen cards are shuffled; one is laid aside face down, with two
players three more face up, and everybody gets one. A target is any other player who is
not out. Protected players may be chosen; nothing happens then, so that there always is
a legal play. Who is out discards the hand face up and is passed over. A prince whose
target finds no card in the pile lets him take the one laid aside.

The round ends when only one player is left or the pile is empty after a play. The
highest card wins; of several, the one with the higher sum on the own discard pile; who
is still tied wins, too. Each winner gets a token.

**The game.** Player 0 starts the first round, a winner of the last one the next,
chosen at random if there are several. Who has the most tokens, and alone so, wins once
it is enough:

| players | 2 | 3 | 4 |
|---|---|---|---|
| tokens | 7 | 5 | 4 |

If several are level at the top, play goes on. Drawing is part of a turn, not a
decision.

## Hidden information

A player knows the own hand, all discards and what lies face up, the hand that a priest
has shown to it until that card is played or discarded, and the card that it gave away
for a king. Who knows a hand that is exchanged by a king knows where it is now. If a
player whose card was seen plays a card of the same number, the other one knows nothing
any more. When an agent plans, the cards that it cannot place are shuffled and dealt
anew to unknown hands and piles. What a guard or a baron's outcome tells about a hand is
not used, as in TAG, but for a tie at the baron with `baron_shows`.

Whether another player's knowledge is still good is known to that player and to the one
who was seen, not to the rest. In the worlds that an agent plans on, the others know
what the agent knows that they know of its own hand, and nothing of each other.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (players + 1, 22). A
row for each seat, from the asking player's own on in seat order:

| column | |
|---|---|
| 0-7 | cards in the hand by number 1-8, as far as known |
| 8 | 1 if the card kept in the hand is known |
| 9-16 | discards by number 1-8, played cards included |
| 17 | tokens (127 if more) |
| 18 | 1 if out of the round |
| 19 | 1 if protected by a handmaid |
| 20 | 1 if on turn |
| 21 | 1 if the player has seen the asking player's card, as both know |

And a last row of common facts:

| column | |
|---|---|
| 0-7 | cards whose place is not known (unknown hands and piles) by number 1-8 |
| 8 | cards in the pile, without the one laid aside |
| 9-16 | cards laid aside face up by number 1-8 |
| 17 | number of the card just drawn, 0 if not on turn |
| 18-21 | 0 |

The mask is 1 for legal actions of the player on turn, all zeros for others.

## Action space

Actions name cards and seats, never places in the hand. Players are counted from 0.

| action | |
|---|---|
| 7 * target + number - 2 | guard at player 0-3, naming card 2-8: 0-27 |
| 28 + target | priest |
| 32 + target | baron |
| 36 | handmaid |
| 37 + target | prince; the own seat is a target |
| 41 + target | king |
| 45 | countess |
| 46 | princess |

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

At the end of the game; 0 before. Being out of a round is no result: the agent goes on
in the next one. In `env` an illegal action ends the game with -1 for the player and 0
for the others, in `raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=4, baron_shows=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 4 |
| `baron_shows` | after a tie at the baron both players know each other's card |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. They differ from the published ones in two points: a winner chosen at
random starts after a tie, and protected players may be targets. Two slips of that
program are not repeated: its baron compared the card drawn last, which could be the
baron itself, and a prince played at oneself could discard the prince a second time.

## Scores and evaluation

For searches that use scores: tokens. The evaluation (`value="evaluate"`) is tokens as a
share of those needed to win, at most 1, and half of that while out of the present
round. So the paper's value function is kept, which counted players who were out as
losers until the next round, at half their score; results say nothing of it, since they
are what ends an agent's game.

A turn, for searches that count turns, is one card played; a round is a round of the
game, from deal to token. The scripted policy `sensible` plays what `action_values`
finds best: chances by the cards not seen, and a high card better kept than played.

## Recorded games

`mcts-agents verify love_letter FILE` compares these rules with games that TAG has
recorded: legal plays, hands, piles, discards, who is out or protected, tokens, and the
hands that players know. Each round begins with the recorded deal. Knowledge differs
from TAG in two points. Here both players remember the cards that they exchanged by a
king; TAG forgets them. And when a player whose card was seen holds two equal cards and
plays one, TAG still knows the other. Plays in which TAG left the rules are marked in
the file, and what comes out of them is not compared.

## Version history

- v0: first version

## Sources

S. Kanai, "Love Letter" (Alderac Entertainment Group 2012), rules. R. D. Gaina et al.,
"TAG: A Tabletop Games Framework" (EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas,
"MultiTree MCTS in tabletop games" (CoG 2022).
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.love_letter.draw import paint, regions, size
from mcts_agents.envs.love_letter.notation import format_action, parse_action
from mcts_agents.envs.love_letter.recordings import RECORDS
from mcts_agents.envs.love_letter.rounds import TARGETS
from mcts_agents.envs.love_letter.rules import rules
from mcts_agents.envs.love_letter.table import ansi

GAME = Game(
    name="love_letter",
    version=0,
    title="Love Letter",
    rules=rules,
    player_counts=tuple(TARGETS),
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
