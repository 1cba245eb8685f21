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

No-limit Texas Hold'em with bets of fixed sizes, as the TAG framework plays it. Each
player begins with 50 chips. The game ends after 11 hands, or when one player has all
the chips. The player with the most chips wins; tied players all win.

**A hand.** Each player who has chips gets two cards. The small blind is 5 and the big
blind 10; a player with fewer chips than the blind posts all of them. Then players bet
on four streets: before the flop, after three cards are dealt to the board (the flop),
after the fourth card (the turn), and after the fifth (the river). The best five-card
hand, made from a player's two cards and the board, wins the pot. If all others have
folded, the last player still in wins the pot at once.

- Player 0 posts the small blind in the first hand. In each later hand, the small blind
  passes to the next player with chips. The next player with chips after the small blind
  posts the big blind.
- The small blind acts first on every street, even before the flop, where the published
  rules begin with the player after the big blind. If the player who acts first folds,
  the next player still in acts first on the streets that follow.
- After a bet, a raise or an all-in, every other player with chips must call, raise, go
  all-in or fold. Before the flop, this applies from the start to every player but the
  big blind, as the blinds count as bets. A player without enough chips for a call can
  only go all-in or fold.
- A street ends when all players still in have acted and none of them needs to call.
  Players who are all-in are skipped.
- A raise adds one to four times the highest bet in the hand so far. If the highest bet
  is 10 chips, the raise x2 takes it to 30. Each street has at most one bet, of 5 chips,
  and none after a raise or an all-in.
- A player cannot bet or raise if all other players still in are all-in.

**Pots.** If the players still in have bet different amounts, the chips are split into a
main pot and side pots. Each pot goes to the best hand among the players who paid into
it in full and are still in; tied players share it equally. Odd chips go to the first
winner in seat order, beginning with the small blind. Chips at a level that only folded
players have reached are added to the pot below. A player without chips at the end of a
hand is out.

Hands rank, from best to worst: straight flush, four of a kind, full house, flush,
straight, three of a kind, two pair, pair, high card. Between hands of the same kind,
the ranks of the cards decide. An ace is high, but it counts as low in the straight from
ace to five.

## Hidden information

Players know their own two cards, the board, all bets and all actions. When an agent
plans, it shuffles all other cards, and from them it deals new hands to the other
players, including those who have folded, and the rest of the board. As in TAG, agents
infer nothing about the cards from the bets. At the end of the game, all cards are
revealed.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape
(112 + 10 * players,). A card is numbered 4 * rank + suit, with the ranks 2 to ace as 0
to 12, and clubs, diamonds, hearts, spades as 0 to 3. Amounts of chips take two places:
the hundreds, and the remainder.

| place | |
|---|---|
| 0-51 | 1 for the own cards |
| 52-103 | 1 for the cards on the board |
| 104-107 | 1 for the street |
| 108 | hands ended |
| 109, 110 | the highest bet of this hand |
| 111 | 1 if a player has bet, raised or gone all-in on this street |

Ten places follow for each seat, beginning with the observing player, in seat order:

| place | |
|---|---|
| 0, 1 | chips in the stack |
| 2, 3 | chips bet in this hand |
| 4 | 1 if still in |
| 5 | 1 if the player needs to call |
| 6 | 1 if the player has acted on this street |
| 7 | 1 for the small blind |
| 8 | 1 for the player who opens the next street |
| 9 | 1 if the player is to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

| action | | |
|---|---|---|
| 0 | fold | |
| 1 | check | if there is nothing to call |
| 2 | call | pay up to the highest bet |
| 3 | bet | 5 chips |
| 4-7 | raise x1 to x4 | call, and add the highest bet one to four times |
| 8 | all-in | the whole stack |

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=4, hands=11, odd_chips="first")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 14 |
| `hands` | maximum number of hands, 1 to 100 |
| `odd_chips` | `first`: to the first winner; `lost`: out of the game, as in TAG |

The April 2022 version of TAG, which produced the MultiTree paper's results, has three
bugs: it ranks an arbitrary five of a player's seven cards instead of the best five,
breaks ties between hands of the same kind in an unusual way, and creates chips when it
splits pots. These bugs are not reproduced here, but they affect the paper's figures for
this game.

## Scores

For searches that use scores, the score is the number of chips in the stack. Chips in
the pot belong to no player, so a bet lowers the score until the hand ends. At the end
of the game, half of the score is added for a winner and subtracted for a loser.

Searches play rollouts of 30 actions unless you set `rollout`. This is the setting that
the paper found by tuning for Poker.

For searches that count turns, a turn is one action, and a round is a hand.

## Recorded games

`mcts-agents verify poker FILE` compares these rules with games recorded with TAG: legal
actions, chips, bets, seats, the board, hands and the deck, and the payments from the
pots. The deals are taken from the file. Where TAG did not pay the best five-card hand,
the payment and the end of the game are compared with the outcome under standard rules,
which the file also contains.

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
