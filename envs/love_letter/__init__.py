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
| Hidden information | other hands unless the player has seen them, the pile |
| Chance | the deal of each round, who starts it after a tie |

A game of deduction with sixteen cards. Each player holds one card. In a turn, the
player draws a second card, plays one of the two face up, and does what it says.

| card | number | copies | |
|---|---|---|---|
| guard | 1 | 5 | name a target and a card (not guard); a target who holds it is out |
| priest | 2 | 2 | see the target's card |
| baron | 3 | 2 | compare hands with the target: the player with the lower card is out |
| handmaid | 4 | 2 | protects the player until that player's next turn |
| prince | 5 | 2 | the target (may be the player) discards the hand and draws a card |
| king | 6 | 1 | exchange hands with the target |
| countess | 7 | 1 | nothing; must be played if the other card is prince or king |
| princess | 8 | 1 | a player who plays or discards her is out |

**A round.** All sixteen cards are shuffled. One is laid aside face down; with two
players, three more are laid aside face up. Each player gets one card. A target is any
other player who is not out; a prince may also be played on oneself. Protected players
may be chosen as targets, but the card then has no effect, so there is always a legal
play. A player who is out discards the hand face up and is skipped for the rest of the
round. If the pile is empty, the target of a prince draws the card laid aside face down.

The round ends when, after a play, only one player is left or the pile is empty. Among
the players left, the highest card wins. Ties go to the player whose discard pile has
the higher total; players who are still tied all win. Each winner gets a token.

**The game.** Player 0 starts the first round. A winner of the last round starts the
next one, chosen at random if there are several. A player wins by holding more tokens
than any other player, and at least this many:

| players | 2 | 3 | 4 |
|---|---|---|---|
| tokens | 7 | 5 | 4 |

If several players are tied for the most tokens, the game continues. Drawing is part of
a turn, not a decision.

## Hidden information

Each player knows their own hand, all discards and all face-up cards. They also know a
card that they have seen with a priest or given away with a king, until it is played or
discarded. If a king moves a card that they know to another hand, they know the card in
that hand. Whenever a player whose card is known plays a card of the same number, the
knowledge is lost, even if the card just drawn may have been played.

When an agent plans, it shuffles the cards whose place it does not know and deals them
to unknown hands and piles. As in TAG, information from the outcome of a guard or a
baron is not used, except for a tie at the baron with `baron_shows`.

If one player has seen another player's card, only these two can tell later whether that
card is still in the hand. In an agent's determinizations, other players still know the
agent's hand if the agent knows that they have seen it. They know nothing about each
other's hands.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (players + 1, 22).
There is a row for each seat, beginning with the observing player, in seat order:

| column | |
|---|---|
| 0-7 | cards in the hand by number 1-8, as far as known |
| 8 | 1 if the card kept in the hand is known |
| 9-16 | discards by number 1-8, played cards included |
| 17 | tokens (127 if more) |
| 18 | 1 if out of the round |
| 19 | 1 if protected by a handmaid |
| 20 | 1 if the player is to move |
| 21 | 1 if the player has seen the observing player's card, as both know |

The last row holds the remaining facts:

| column | |
|---|---|
| 0-7 | cards whose place is not known (unknown hands and piles) by number 1-8 |
| 8 | cards in the pile, without the one laid aside |
| 9-16 | cards laid aside face up by number 1-8 |
| 17 | number of the card just drawn, 0 if not on turn |
| 18-21 | 0 |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Actions name cards and seats, never places in the hand. Players are counted from 0.

| action | |
|---|---|
| 7 * target + number - 2 | guard at player 0-3, naming card 2-8: 0-27 |
| 28 + target | priest |
| 32 + target | baron |
| 36 | handmaid |
| 37 + target | prince; the player's own seat is a target, too |
| 41 + target | king |
| 45 | countess |
| 46 | princess |

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. Being out of a round gives no
reward: the player continues in the next round. In `env`, an illegal action ends the
game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`, it
raises an error.

## Options

`env(render_mode=None, players=4, baron_shows=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 4 |
| `baron_shows` | after a tie at the baron both players know each other's card |

The rules are those of the TAG framework in April 2022, with which the MultiTree paper's
results were made. They differ from the published rules in two points: after a tie, a
winner chosen at random starts, and protected players may be targets. Two bugs of TAG's
program are not reproduced: its baron compared the card drawn last, which could be the
baron itself, and a prince played on oneself could discard the prince a second time.

## Scores and evaluation

For searches that use scores, the score is the number of tokens. The evaluation
(`value="evaluate"`) is the number of tokens divided by the number needed to win, at
most 1, and half of that for a player who is out of the current round. It follows the
paper's value function, which treated a player who was out as a loser until the next
round and therefore halved that player's score.

For searches that count turns, a turn is one card played, and a round is a round of the
game, from the deal to the award of tokens. The scripted policy `sensible` plays an
action with the highest `action_values`. They assume that an unknown card is any unseen
card with equal probability, and they favour keeping a high card over playing it.

## Recorded games

`mcts-agents verify love_letter FILE` compares these rules with games recorded with TAG:
legal plays, hands, piles, discards, who is out or protected, tokens, and who knows a
hand. Each round begins with the recorded deal. Knowledge differs from TAG in
two points. Here, both players remember the cards that they exchanged with a king; TAG
forgets them. And when a player whose card was seen holds two equal cards and plays one,
TAG still knows the other. The file marks plays in which TAG broke the rules, and their
results are not compared.

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
