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

A game of picking cards and passing hands. Each player secretly takes one card from a
hand, and all players lay their cards on the table at once. The rest of player i's hand
goes to player i - 1. When the hands are empty, the round is scored. The player with the
most points after three rounds wins. Ties go to the player with more puddings, and
players who are still tied draw.

| players | 2 | 3 | 4 | 5 |
|---|---|---|---|---|
| cards in a first hand | 10 | 9 | 8 | 7 |

Cards are never shuffled back: all three rounds are dealt from one pile of 108 cards.

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

Points that do not belong to the end of a round or of the game are paid as soon as the
cards are laid. Prizes are divided among tied players, rounded towards zero. A player
without icons gets no prize for them, and puddings give no prize if all players have
equally many.

**Chopsticks.** A player with chopsticks on the table from an earlier turn of the round
and at least two cards in the hand may use them: action 15, then two choices of a card
in a row. Both cards are played, and one chopsticks card returns to the hand before it
is passed. The other players have already chosen; their cards stay face down until all
choices are complete. In this way, a player can choose a wasabi and then a nigiri on it
in one turn. The last card of a hand is a decision like any other.

## Hidden information

A player knows everything that was ever on the table and its own hand. After r passes of
a round, it also knows the current hands of the r seats before its own, because it has
held them and has seen the cards taken from them. The other hands, the order of the
pile, and the choices of others in an incomplete turn are hidden. The use of chopsticks
in a turn becomes public as soon as all players have decided about it, because only
players who use them are asked next.

When an agent plans, it deals the other hands and the pile again from the cards that it
has not seen. It also chooses the pending cards of others again, uniformly among those
that the new hand allows.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (players + 1, 30).
There is a row for each seat, beginning with the observing player, in seat order:

| column | |
|---|---|
| 0-11 | cards in the hand by type, zeros if unknown; own pending card not counted |
| 12 | 1 if the hand is known |
| 13-24 | cards on the field by type, including used wasabi and the nigiri on it |
| 25-27 | squid, salmon, egg nigiri on wasabi |
| 28 | points so far (127 if more) |
| 29 | 1 if the player uses chopsticks in this turn |

A last row has common facts:

| column | |
|---|---|
| 0-11 | cards whose place is not known (unknown hands and pile) by type |
| 12-26 | the player's own pending choice, 1 at its action 0-14 |
| 27 | round 0, 1, 2; 3 when the game is over |
| 28 | cards in each hand at the start of the turn |
| 29 | 0: all choose; 1, 2: first and second card of those who use chopsticks |

The mask is 1 for legal actions of the players who decide now, and all zeros for the
others.

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

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error.

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
| nigiri, with an unused wasabi on the table | free choice | must go on it |

The defaults are the rules of the TAG framework in April 2022, with which the MultiTree
paper's results were made. Two bugs of TAG's program are not reproduced: it forgot the
-6 for puddings in some seat orders, and it treated the hands of the seats behind a
player as known instead of those before the player.

## Scores

For searches that use scores, the score is the points so far. The paper's value is 1.5
times that score for a player who has won, and half of it for one who has lost.

## Recorded games

`mcts-agents verify sushi_go FILE` compares these rules with games recorded with TAG.
Games of TAG in April 2022 (`sushi_go` in the file's header) are compared with the
default options. Games of TAG in May 2026 (`sushi_go_published`) are compared with
`maki="published"` and `rulebook="published"`. For the deal of a new round, the check is
only that no card is lost or added, because the order of the pile is chance. The file
marks turns in which TAG broke the rules, and their results are not compared: puddings
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
