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
| Hidden information | other hands until the player has held them, the pile, choices |
| Chance | the deal |

A game of picking cards and passing hands. Each player secretly chooses one card from
the hand, and all players reveal their cards and lay them on the table at once. Player i
then passes the rest of the hand to player i - 1, and player 0 to the last player. When
the hands are empty, the round is scored. The player with the most points after three
rounds wins. Ties go to the player with more puddings; players who are still tied draw.

| players | 2 | 3 | 4 | 5 |
|---|---|---|---|---|
| cards dealt to each player in a round | 10 | 9 | 8 | 7 |

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

All points are scored as soon as the cards are revealed, except those marked as end of
round or end of game. Tied players divide the points for maki and puddings among
themselves, rounded towards zero. A player without maki icons gets no points for maki.
If all players have the same number of puddings, nobody gains or loses points for them.

**Chopsticks.** A player who has chopsticks on the table from an earlier turn of the
round and at least two cards in the hand may use them: the player takes action 15 and
then chooses two cards, one after the other. Both cards are played, and one chopsticks
card returns to the hand before the hand is passed. Meanwhile, the cards that the other
players have chosen stay face down. In one turn, a player can thus choose a wasabi and
then a nigiri on it. Playing the last card of a hand is also a decision.

## Hidden information

A player knows its own hand and all cards that have ever been on the table. After r
passes in a round, player i also knows the current hands of players i - 1 to i - r
(counted around the table), because it has held these hands and has seen which cards
were taken from them. The other hands, the order of the pile, and the cards that others
have chosen in an incomplete turn are hidden. Who uses chopsticks in a turn becomes
public as soon as all players have decided, because only these players choose next.

When an agent plans, it deals the hands that it does not know and the pile again from
the cards that it has not seen. For each other player who has already chosen a card in
the current turn, it chooses again, uniformly among the ways to play a card of the hand.

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

The last row holds the remaining facts:

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

Actions identify cards by type, never by their position in the hand.

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
| -6 for the fewest puddings, with two players | applied | not applied |
| nigiri, with an unused wasabi on the table | free choice | must go on it |

The defaults are the rules of the TAG framework in April 2022, with which the MultiTree
paper's results were made. Three bugs of TAG's program are not reproduced: it forgot the
-6 for puddings in some seat orders, it divided the +6 even if all players had equally
many puddings, and it treated the hands of players i + 1 to i + r as known to player i
instead of those of players i - 1 to i - r.

## Scores

For searches that use scores, the score is the points so far. The paper's value is 1.5
times that score for a player who has won, and half of it for one who has lost.

## Recorded games

`mcts-agents verify sushi_go FILE` compares these rules with games recorded with TAG.
Games of TAG in April 2022 (`sushi_go` in the file's header) are compared with the
default options. Games of TAG in May 2026 (`sushi_go_published`) are compared with
`maki="published"` and `rulebook="published"`. When a new round is dealt, the command
checks only that no card is lost or added, because the order of the pile is random. The
file marks the turns in which TAG broke the rules, and their results are not compared:
turns in which it scored puddings wrongly or played a wrong second card with chopsticks.

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
