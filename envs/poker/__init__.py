"""# Poker.

| | |
|---|---|
| Import | `from mcts_agents.envs import poker` |
| Ids | `mcts_agents/poker-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 14: `player_0`, `player_1`, ... |
| Action shape | 9 |
| Observation shape | (112 + 10 * players,) |
| Observation values | 0 to 100 |
| Moves | in turn |
| Hidden information | the other hands, the deck |
| Chance | the deal of each hand |

No-limit Texas Hold'em with bets of fixed sizes, as the TAG framework plays it.
Everybody begins with 50 chips. The game ends after 11 hands, or when one player has all
the chips, and the most chips win; if several are level, all of these win.

**A hand.** Everybody who has chips gets two cards. The small blind is 5, the big blind
10; a player who has less pays that. Then chips are bet on four streets: before the
flop, after the flop of three cards on the board, after the fourth (the turn), and after
the fifth (the river). Whoever makes the best five cards of the own two and the board
wins the pot. If all others have folded, the last player in wins it at once.

- Player 0 posts the small blind in the first hand, and then the next player who has
  chips, hand by hand. The next one after the small blind posts the big blind.
- The small blind acts first on every street. In the published rules the player after
  the big blind does so before the flop. If the small blind folds, the next player still
  in opens the streets that follow.
- After a bet, a raise or an all-in everybody else who has chips must call, raise, go
  all-in or fold. Without the chips for a call, only to go all-in or to fold is left.
- A street ends when everybody has acted and nobody needs to call. Players without chips
  are not asked.
- A raise is a multiple of the highest bet: with 10 chips to match, the raise x2 makes
  30. Only one bet, of 5, can be made on a street, unless somebody raises.
- Nobody bets or raises when all others still in are all-in.

**Pots.** The bets are split by levels: each pot goes to the best hand of those who paid
into it and are still in, in equal parts. Odd chips go to the first winner from the
small blind on. What only players who have folded have paid goes with the pot below.
A player who has no chips when a hand ends is out.

Hands from the best down: straight flush, four of a kind, full house, flush, straight,
three of a kind, two pairs, pair, high card; then the ranks of the cards decide. An ace
is high, or low in a straight from ace to five.

## Hidden information

A player knows the own two cards, the board, all bets and all actions. When an agent
plans, all other cards are shuffled, and dealt anew to the other players, those who have
folded included, and to the rest of the board. As in TAG, what the others' bets say of
their cards is not used. At the end of the game all cards lie open.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape
(112 + 10 * players,). A card is numbered 4 * rank + suit, with the ranks 2 to ace as 0
to 12, and clubs, diamonds, hearts, spades as 0 to 3. Sums of chips take two places:
hundreds, and the rest.

| place | |
|---|---|
| 0-51 | 1 for the own cards |
| 52-103 | 1 for the cards on the board |
| 104-107 | 1 for the street |
| 108 | hands ended |
| 109, 110 | the highest bet of this hand |
| 111 | 1 if somebody has bet, raised or gone all-in on this street |

and then ten for each seat, from the asking player's own on in seat order:

| place | |
|---|---|
| 0, 1 | chips in the stack |
| 2, 3 | chips bet in this hand |
| 4 | 1 if still in |
| 5 | 1 if the player needs to call |
| 6 | 1 if the player has acted on this street |
| 7 | 1 for the small blind |
| 8 | 1 for the player who opens the next street |
| 9 | 1 if on turn |

The mask is 1 for legal actions of the player on turn, all zeros for others.

## Action space

| action | | |
|---|---|---|
| 0 | fold | |
| 1 | check | if there is nothing to call |
| 2 | call | pay up to the highest bet |
| 3 | bet | 5 chips |
| 4-7 | raise x1 to x4 | call, and add the highest bet so many times |
| 8 | all-in | the whole stack |

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

At the end of the game; 0 before. In `env` an illegal action ends the game with -1 for
the player and 0 for the others, in `raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=4, hands=11, odd_chips="first")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 14 |
| `hands` | hands that are played at most, 1 to 100 |
| `odd_chips` | `first`: to the first winner; `lost`: out of the game, as in TAG |

TAG's program of April 2022, with which the MultiTree paper's results were made, ranks
an arbitrary choice of five cards, compares equal kinds in a way of its own, and creates
chips when it splits pots. That is not copied; the paper's figures for this game contain
it.

## Scores

For searches that use scores: the chips in the stack. Chips in the pot belong to nobody,
so a bet lowers the score until the hand ends. A victory adds half of the score, a
defeat takes half of it away.

Searches play rollouts of 30 actions unless you set `rollout`, as in the setting that
the paper tuned for Poker.

A turn, for searches that count turns, is one action; a round is a hand.

## Recorded games

`mcts-agents verify poker FILE` compares these rules with games that TAG has recorded:
legal actions, chips, bets, seats, the board, hands and the deck, and what the pots pay.
The deals are taken from the file. Where TAG paid otherwise than by the best five cards,
the payment is compared with that of standard rules, which the file holds too.

## Version history

- v0: first version

## Sources

The rules of Texas Hold'em. R. D. Gaina et al., "TAG: A Tabletop Games Framework"
(EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas, "MultiTree MCTS in tabletop games"
(CoG 2022).
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.poker.draw import paint, regions, size
from mcts_agents.envs.poker.hands import FEWEST_PLAYERS, MOST_PLAYERS
from mcts_agents.envs.poker.notation import format_action, parse_action
from mcts_agents.envs.poker.recordings import RECORDS
from mcts_agents.envs.poker.rules import rules
from mcts_agents.envs.poker.table import ansi

GAME = Game(
    name="poker",
    version=0,
    title="Poker",
    rules=rules,
    player_counts=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
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
