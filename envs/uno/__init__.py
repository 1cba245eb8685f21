"""# Uno.

| | |
|---|---|
| Import | `from mcts_agents.envs import uno` |
| Ids | `mcts_agents/uno-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 10: `player_0`, `player_1`, ... |
| Action shape | 61 |
| Observation shape | (168 + 4 * players,) |
| Observation values | 0 to 127 |
| Moves | in turn |
| Hidden information | the other hands, the pile |
| Chance | the deal of each round, the shuffles of discards |

Players try to get rid of their cards. Each player begins a round with seven cards. In
turn, each player puts a matching card on the discard pile, or draws a card from the
pile if none matches. The round ends when a player's hand is empty, and the other
players add up the points of the cards that they still hold.

| cards | copies | points | |
|---|---|---|---|
| 0 in red, yellow, green, blue | 1 | 0 | |
| 1 to 9 in each colour | 2 | the number | |
| skip in each colour | 2 | 20 | the next player is skipped |
| reverse in each colour | 2 | 20 | play goes on in the other direction |
| draw two in each colour | 2 | 20 | the next player draws two cards and is skipped |
| wild | 4 | 50 | names the colour that comes next |
| wild draw four | 4 | 50 | the same; see `quirks` |

- A number matches a card of its colour or of its number. A skip, reverse or draw two
  matches its colour only. Wilds may always be played.
- A player draws a card only when no card in hand matches. If the drawn card matches, it
  is played at once, but its effect is ignored. Otherwise the player keeps it. Either
  way, the turn is over.
- With two players, a reverse acts as a skip.
- When the pile is empty, all discards except the top card are shuffled to form a new
  pile.
- A wild that is played straight after being drawn names no colour. Until a player names
  or plays a colour, the only cards that match are wilds and cards with the wild's
  number: a wild counts as a 0, a wild draw four as a 4. These numbers also match once a
  colour is named: a 0 may be played on any wild, and a 4 on any wild draw four.

**A round.** All 108 cards are shuffled, each player gets seven, and the next card is
turned up. If it is a wild, it is put back and the pile is shuffled again. Player 0
begins the first round. All later rounds begin with the next player after player 0 in
the direction of play, which carries over from round to round. If a skip is turned up,
the player who would begin is skipped; if a draw two, that player also draws two cards.
If a reverse is turned up, the direction changes, and the neighbour on the other side
of that player begins. The last card of a round takes effect before the hands are
counted.

**The game.** After each round, the points of the cards left in each hand are added to
that player's total. The game ends after a round in which a player's total reaches 500
points or more. The player with the fewest points wins; tied players all win.

Players do not call "Uno", and a wild draw four cannot be challenged.

## Length

A game to 500 points between random players takes about 1,200 actions in total with four
players (15 rounds), and 2,100 with two (20 rounds). The default target is still 500,
because the published rules and TAG, the paper's program, play to 500, and because luck
mostly decides a single round. With `target=50`, a game takes 120 actions with four
players and 220 with two.

## Hidden information

Players know their own hands, all discards, and how many cards each other player holds.
When an agent plans, it shuffles all other cards and deals them to the other hands and
the pile. As in TAG, the agent ignores two clues: a player who draws had no matching
card, and after the discards are reshuffled, the pile holds only those cards.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (168 + 4 * players,).
A card is numbered 13 * colour + value, with the colours red, yellow, green and blue and
the values 0 to 9, skip, reverse and draw two; 52 is the wild, 53 the wild draw four.

| place | |
|---|---|
| 0-53 | cards in the hand |
| 54-107 | discards, including the card on top |
| 108-161 | 1 for the card on top |
| 162-165 | 1 for the colour in force: red, yellow, green, blue; 0 for none |
| 166 | 1 if play goes on to the next higher seat |
| 167 | cards in the pile |

Four places follow for each seat, beginning with the observing player, in seat order:

| place | |
|---|---|
| 0 | cards in the hand |
| 1 | 1 if the player is to move |
| 2, 3 | points: hundreds, and the rest |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

An action names a card, not its place in the hand.

| action | |
|---|---|
| 13 * colour + value | a coloured card, numbered as above: 0-51 |
| 52 + colour | wild, and the colour named |
| 56 + colour | wild draw four, and the colour named |
| 60 | draw; legal only if nothing can be played |

Drawing is an action even though the player has no choice, because TAG counts it as one.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=4, target=500, scoring="incremental", quirks=True,
    match_symbols=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 10 |
| `target` | points that end the game, 1 to 5000 |
| `scoring` | `incremental`, as above, or `classic`, as published; see below |
| `quirks` | `True`: wilds work as in TAG's program, see above; `False`: see below |
| `match_symbols` | `True`: a skip also matches any skip, and so on, as published |

The rules are those of the April 2022 version of the TAG framework, which produced the
MultiTree paper's results. Because of a bug in TAG's program, nobody has to draw cards
for a wild draw four: it is just a second kind of wild. With `quirks=False`, the
published rule applies: the next player draws four cards and is skipped, and a player
may only play the card if no other card in hand has the colour in force. Wilds then
have no numbers, and a wild that is played straight after being drawn leaves the colour
unchanged.

With `scoring="classic"`, the player who empties the hand gets the points of all other
hands, and the player with the most points wins.

TAG differs from the published rules in three ways that no option changes: players
cannot choose to draw, a drawn card that matches must be played, and the effect of that
card is ignored. In TAG, the last card of a round affects which player begins the next
round. Here, the next player after player 0 begins it, unless the card turned up says
otherwise.

## Scores

For searches that use scores, the score is the negative of the points, including the
points of the cards in hand during a round. With `scoring="classic"`, the score is the
player's points. In the paper, the value of a finished game is 1.5 times the score for
a winner and half the score for a loser. Because scores are negative, this makes a win
worse in TAG. The searches of this package instead add half of the score's magnitude for
winners and subtract it for losers; `score_bonus_by=tag` does the same as TAG.

Searches use no rollouts unless you set `rollout`. This is the setting that the paper
found by tuning for Uno.

For searches that count turns, a turn is one action, and a round is a round of the game.

## Recorded games

`mcts-agents verify uno FILE` compares these rules with games recorded with TAG: legal
actions, hands, piles, discards, the colour, the direction, and points. The deals and
the players who begin later rounds are taken from the file. If the discards are
reshuffled during a round, the new pile takes the recorded order.

## Version history

- v0: first version

## Sources

M. Robbins, "Uno" (1971), rules. R. D. Gaina et al., "TAG: A Tabletop Games Framework"
(EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas, "MultiTree MCTS in tabletop games"
(CoG 2022).
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.uno.draw import paint, regions, size
from mcts_agents.envs.uno.notation import format_action, parse_action
from mcts_agents.envs.uno.recordings import RECORDS
from mcts_agents.envs.uno.rounds import FEWEST_PLAYERS, MOST_PLAYERS
from mcts_agents.envs.uno.rules import rules
from mcts_agents.envs.uno.table import ansi

GAME = Game(
    name="uno",
    version=0,
    title="Uno",
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
