"""# Virus!

| | |
|---|---|
| Import | `from mcts_agents.envs import virus` |
| Ids | `mcts_agents/virus-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 6: `player_0`, `player_1`, ... |
| Action shape | 448 |
| Observation shape | (43 + 17 * players,) |
| Observation values | 0 to 100 |
| Moves | in turn |
| Hidden information | the other hands, the pile |
| Chance | the deal, shuffles of discards |

A race for a healthy body. Each player collects organs, protects them with medicines and
infects the organs of others. The first player with four healthy organs wins.

| card | copies | |
|---|---|---|
| organ | 5 of heart, brain, stomach, bone; 1 wild | joins your body; at most one each |
| medicine | 4 of each of the five colours | is played on one of your organs |
| virus | 4 of heart, brain, stomach, bone; 1 wild | is played on a rival's organ |
| thief | 3 | takes a rival's organ that your body lacks, with the cards on it |
| spreading | 2 | moves a virus from your organ to a rival's neutral organ |
| transplant | 3 | swaps an organ of yours with a rival's, including the cards |
| glove | 1 | makes another player discard all cards in hand |
| error | 1 | swaps your body with another player's |

**A turn.** You play one card or discard one to three, and then draw until your hand
holds three cards. If a glove has emptied your hand, you only draw three cards. As in
TAG, you draw before the card you played takes effect. When the pile is empty, the
discards are shuffled to form a new pile.

**Medicines and viruses.** A virus infects a neutral organ, and a medicine vaccinates
it. A virus on a vaccinated organ cancels the medicine, and a medicine on an infected
organ cancels the virus: both cards are discarded, and the organ is neutral again. A
second virus destroys an infected organ: it is discarded with both viruses. A second
medicine immunises a vaccinated organ for the rest of the game; only an error can move
it, and no other card affects it.

A medicine or virus must have the organ's colour, with three exceptions: a wild medicine
or virus can be played on any organ, and any colour can be played on the wild organ and
on an organ that carries a wild virus or medicine.

**Organs that move.** A thief, a transplant or a spreading cannot be played on immunised
organs, and a body never holds two organs of the same colour. In a transplant, each
player must lack the organ that arrives, so the two organs cannot have the same colour.
A spreading moves a virus to another player's organ of the same colour or to that
player's wild organ; a wild virus can move to any organ. The organ it moves to must be
neutral.

**The end.** An organ is healthy if it is not infected; the wild organ counts, too. If
any player has four healthy organs after a turn, that player wins and all others lose.
If several players have four, the first of them in seat order wins. After 100 rounds,
the game is a draw for all players.

## Hidden information

Players know their own hands, all bodies, all discards, and how many cards the other
hands and the pile hold. When an agent plans, it shuffles all other cards and deals them
to the other hands and the pile. As in TAG, the agent ignores one clue: after the
discards are reshuffled, the pile holds only those cards. A player who discards shows
the cards, but not their places in the sorted hand.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (43 + 17 * players,).
Colours are numbered heart, brain, stomach, bone, wild. Cards are numbered organs 0-4,
medicines 5-9, viruses 10-14, thief, spreading, transplant, glove, error.

| place | |
|---|---|
| 0-19 | cards in the hand |
| 20-39 | discards |
| 40 | cards in the pile |
| 41 | rounds ended |
| 42 | 1 while a spreading is in progress, see `rulebook` |

Seventeen places follow for each seat, beginning with the observing player, in seat
order:

| place | |
|---|---|
| 0 | cards in the hand |
| 1 | 1 if the player is to move |
| 2 + 3 * colour | 0 for no organ, 1 neutral, 2 infected, 3 vaccinated, 4 immunised |
| 3 + 3 * colour | 1 + colour of the virus or medicine on the organ; 0 for none |
| 4 + 3 * colour | 1 + colour of the second medicine; 0 for none |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Other players are counted in seat order; `other` is 0 for the next player.

| action | |
|---|---|
| colour | play an organ: 0-4 |
| 5 + 5 * colour + organ | play a medicine on one of your organs |
| 30 + 5 * (5 * colour + other) + organ | play a virus on another player's organ |
| 155 + 5 * other + organ | thief |
| 180 + 5 * (5 * mine + other) + organ | spreading, from one of your organs |
| 305 + 5 * (5 * mine + other) + organ | transplant, for one of your organs |
| 430 + other | glove |
| 435 + other | error |
| 439 + mask | discard; the bits 1, 2 and 4 are the places in the sorted hand |
| 447 | draw three cards; legal only with an empty hand |

If a hand holds equal cards, several actions would discard the same cards; only the one
with the first places is legal. In text, `+1` means the next player:
`virus heart on brain of +1`.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=4, rulebook="tag")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 6 |
| `rulebook` | `tag`, or `published`: see below |

The rules are those of the April 2022 version of the TAG framework, which produced the
MultiTree paper's results. With `rulebook="published"`, three cards work as in the
published rules:

- A spreading moves as many viruses as possible. Moving each virus is a separate action,
  and the player continues until no virus can move.
- A transplant may also swap two organs of the same colour.
- A glove makes all other players discard their hands. Its only action is 430,
  `glove all`.

Two bugs of TAG's program are not reproduced: in TAG, an error makes immunised organs
neutral, and the draw after 100 rounds comes one turn late.

## Scores

For searches that use scores, the score is the number of healthy organs, from 0 to 5.
In the paper, the value of a finished game is 1.5 times the score for a winner and half
the score for a loser.

Searches use no rollouts unless you set `rollout`. This is the setting that the paper
found by tuning for Virus!

## Recorded games

`mcts-agents verify virus FILE` compares these rules with games recorded with TAG: legal
actions, hands, bodies, pile, discards, and results. The order after a shuffle of the
discards is taken from the file. In games that last 100 rounds, TAG plays one extra
turn, which the file marks; by these rules, the game must already be a draw by then.

## Version history

- v0: first version

## Sources

D. Cabrero, C. Lopez, S. Santisteban, "Virus!" (2015), rules. R. D. Gaina et al., "TAG:
A Tabletop Games Framework" (EXAG 2020). J. Goodman, D. Perez-Liebana, S. Lucas,
"MultiTree MCTS in tabletop games" (CoG 2022).
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.virus.draw import paint, regions, size
from mcts_agents.envs.virus.notation import format_action, parse_action
from mcts_agents.envs.virus.recordings import RECORDS
from mcts_agents.envs.virus.rules import PLAYER_COUNTS, rules
from mcts_agents.envs.virus.table import ansi

GAME = Game(
    name="virus",
    version=0,
    title="Virus!",
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
