"""# Sushi Go!

| | |
|---|---|
| Import | `from mcts_agents.envs import sushi_go` |
| Ids | `mcts_agents/sushi_go-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 to 5: `player_0`, `player_1`, ... |
| Action shape | 16 |
| Observation shape | (players + 1, 30) |
| Observation values | -6 to 127 |
| Moves | all at once |
| Hidden information | the other hands until one has held them, the pile, choices |
| Chance | the deal |

A game of picking cards and passing hands. Each player holds a hand, takes one card of
it in secret, all lay their cards on the table at once, and what is left of player i's
hand goes to player i - 1. When the hands are empty the round is scored. Most points
after three rounds win; a tie is broken by more puddings, and players who are still
tied draw.

| players | 2 | 3 | 4 | 5 |
|---|---|---|---|---|
| cards in a first hand | 10 | 9 | 8 | 7 |

Nothing is shuffled back: all three rounds are dealt from one pile of 108 cards.

| card | number | points |
|---|---|---|
| maki 1, 2, 3 | 6, 8, 12 | end of round: most icons 6, second most 3 |
| tempura | 14 | 5 for each pair |
| sashimi | 14 | 10 for each three |
| dumpling | 14 | 1, 3, 6, 10, 15 for 1, 2, 3, 4, 5 or more |
| squid, salmon, egg (nigiri) | 5, 10, 5 | 3, 2, 1; on a wasabi three times as much |
| wasabi | 6 | takes one nigiri that is played later |
| chopsticks | 4 | in a later turn, two cards instead of one |
| pudding | 10 | end of game: most 6, fewest -6; stay on the table till then |

Points that are not for the end of a round or of the game are paid as soon as the cards
are laid. Prizes are divided among the tied, rounded towards zero. Nobody gets a prize
for no icons, nor one for puddings if all have equally many.

**Chopsticks.** Who has chopsticks on the table from an earlier turn of the round and
at least two cards in the hand may use them: action 15, then two choices of a card in a
row. Both cards are played, and one chopsticks card returns into the hand before it is
passed. The turn's other players have chosen by then; their cards stay face down until
all are complete. A wasabi and then a nigiri may be chosen so in one turn, the second
on the first. The last card of a hand is a decision like any other.

## Hidden information

A player knows all that was ever on the table, its own hand and, after r passes of a
round, the present hands of the r seats before its own: it has held them, and what was
taken from them was laid open. Not known are the other hands, the order of the pile,
and what others have chosen in a turn that is not complete. Who uses chopsticks in a
turn is public as soon as all have decided that, since only these players are asked
next. When an agent plans, other hands and the pile are dealt anew from the cards it
has not seen, and pending cards of others are chosen anew, uniformly among what the
new hand allows.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (players + 1, 30). A
row for each seat, from the asking player's own on in seat order:

| column | |
|---|---|
| 0-11 | cards in the hand by type, zeros if unknown; own pending card not counted |
| 12 | 1 if the hand is known |
| 13-24 | cards on the field by type, used wasabi and nigiri on it included |
| 25-27 | squid, salmon, egg nigiri on wasabi |
| 28 | points so far (127 if more) |
| 29 | 1 if the player uses chopsticks in this turn |

And a last row of common facts:

| column | |
|---|---|
| 0-11 | cards whose place is not known (unknown hands and pile) by type |
| 12-26 | the own pending choice, 1 at its action 0-14 |
| 27 | round 0, 1, 2; 3 when the game is over |
| 28 | cards in each hand at the start of the turn |
| 29 | 0: all choose; 1, 2: first and second card of those who use chopsticks |

The mask is 1 for legal actions of a player who decides now, all zeros for others.

## Action space

Actions are named by type, never by place in the hand.

| action | |
|---|---|
| 0, 1, 2 | play maki 1, 2, 3 |
| 3, 4, 5 | play tempura, sashimi, dumpling |
| 6, 7, 8 | play squid, salmon, egg (not on a wasabi) |
| 9, 10, 11 | play wasabi, chopsticks, pudding |
| 12, 13, 14 | play squid, salmon, egg on an unused wasabi |
| 15 | use chopsticks; two choices follow |

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

At the end of the game; 0 before. In `env` an illegal action ends the game with -1 for
the player and 0 for the others, in `raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=4, maki="tag2022", rulebook="tag")`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; pictures show all hands |
| `players` | 2 to 5 |
| `maki` | `"tag2022"`: 8 cards of maki 2 and 12 of maki 3; `"published"`: 12 and 8 |
| `rulebook` | `"tag"` or `"published"`, see below |

| | `rulebook="tag"` | `rulebook="published"` |
|---|---|---|
| second prize for maki, if several tie for the first | paid | not paid |
| -6 for puddings, if two play | paid | not paid |
| nigiri, with an unused wasabi on the table | as one likes | must go on it |

The defaults are the rules of the TAG framework in April 2022, with which the MultiTree
paper's results were made. Two slips of that program are not repeated: its -6 for
puddings was forgotten in some seat orders, and it took the hands passed by the seats
behind a player, not by those before it, for known.

## Scores

For searches that use scores: points so far. The paper's value is that score, half as
much again for a player who has won and half for one who has lost.

## Recorded games

`mcts-agents verify sushi_go FILE` compares these rules with games that TAG has
recorded. Games of TAG in April 2022 (`sushi_go` in the file's header) are compared with
the default options. Games of TAG in May 2026 (`sushi_go_published`) are compared with
`maki="published"` and `rulebook="published"`. Of the deal of a new round it is compared
that no card is lost or made: the order of the pile is chance. Turns in which TAG left
the rules are marked in the file, and what comes out of them is not compared: puddings
that it paid wrongly, and a wrong second card with chopsticks.

## Version history

- v0: first version

## Sources

P. Walker-Harding, "Sushi Go!" (Adventureland Games 2013, Gamewright 2014), rules
sheet. R. D. Gaina et al., "TAG: A Tabletop Games Framework" (EXAG 2020).
J. Goodman, D. Perez-Liebana, S. Lucas, "MultiTree MCTS in tabletop games" (CoG 2022).
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.sushi_go.draw import paint, regions, size
from mcts_agents.envs.sushi_go.notation import format_action, parse_action
from mcts_agents.envs.sushi_go.recordings import RECORDS
from mcts_agents.envs.sushi_go.rules import HAND_SIZES, rules
from mcts_agents.envs.sushi_go.table import ansi

GAME = Game(
    name="sushi_go",
    version=0,
    title="Sushi Go!",
    rules=rules,
    player_counts=tuple(HAND_SIZES),
    simultaneous=True,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    tag_records=RECORDS,
)

raw_env, env, parallel_env = environments(GAME)
