"""# Investment Pair Game.

| | |
|---|---|
| Import | `from mcts_agents.envs import investment` |
| Ids | `mcts_agents/investment-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2 or 3: `player_0`, `player_1`, ... (teams A, B, C in pictures) |
| Action shape | pairs (11, with three players 10) |
| Observation shape | (4, players, pairs) |
| Observation values | 0 to 3 |
| Moves | in turn |
| Hidden information, chance | none |

Every player has a team of numbered agents. The agents with the same number, one from
each team, form a pair (a group of three if there are three teams, also called a pair
below). They compete to be the first to reach a wealth of 3; all agents begin with
nothing. Agents act in a fixed order: agent 1 of team 0, agent 1 of team 1 and, with
three teams, agent 1 of team 2; then agent 2 of team 0, and so on. After the last
agents, the order starts again from the beginning.

The agent whose turn it is gives one new unit of wealth to an agent of its own team
whose pair is undecided; it may choose itself. The first agent of a pair to reach 3
units wins the pair for its team. The other agents of that pair have lost and pass from
then on; the winner receives nothing more but keeps its turns.

The game ends when all pairs are decided. The team that has won the most pairs wins. If
several teams tie for the most pairs, they draw, and any other team loses; with two
teams and an odd number of pairs, a draw is impossible. From the opening, a random game
averages 46 gifts with 11 pairs, 88 with 21, and 52 with ten groups of three.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (4, players, pairs):
planes with a row for each team, beginning with the observing player's team, in seat
order, and a column for each pair.

| plane | at (row, pair) |
|---|---|
| 0 | the agent's wealth, 0 to 3 |
| 1 | 1 if the pair is undecided |
| 2 | 1 if the agent gives next |
| 3 | 1 everywhere if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the others.

## Action space

Action i gives one unit to agent i of the player's own team, counted from 0. In text,
agents are counted from 1.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the others; in `raw_env` and `parallel_env`,
it raises an error. Searches value a draw between k teams at 1/k.

## Options

`env(render_mode=None, players=2, pairs=None)`

- `players`: number of teams, 2 or 3.
- `pairs`: number of pairs (with three players, groups of three), which is also the
  number of agents in a team: 1 to 32 with two players and 1 to 21 with three. None
  means 11 with two players and 10 with three.

## Codes of moves

| kind | code of | codes |
|---|---|---|
| `abstract` | team and target | players * pairs |
| `specific` | the same and the target's wealth | 3 times as many |
| `exact` | the same, two more kinds of wealth | 36 times as many; 108 with 3 players |

For specific and exact codes, "times as many" means compared with abstract codes. Wealth
is measured before the gift. In addition to what specific codes contain, exact codes
contain the wealth of the agent that gives and the wealth of each of the target's
opponents in its pair. It is not certain which codes the paper's program used: abstract
and specific codes fit the paper's table 7 equally well, and specific codes reproduce
its table 3.

## Scores and values

The score is the number of pairs won. The evaluation of a position is a team's share of
a pair, averaged over all pairs. The share is 1 if the team has won the pair and 0 if it
has lost it. In an undecided pair, the share is w + 1, where w is the wealth of the
team's agent, divided by the sum of w + 1 over all agents of the pair. A gift is worth 1
if it wins a pair, 2/3 if the target then needs one more unit, and 1/3 if it needs two.
A turn is one gift, and a round is as many gifts as there are teams.

## Version history

- v0: first version

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), sections 4.3 and 4.5. The paper
leaves some details open, and these choices are ours: wealth begins at 0, agents whose
pairs are decided receive nothing, winners continue to give, and the contents of the
move codes. With these choices, the lengths of random games and the frequencies of codes
match the paper's table 7.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.investment.draw import ansi, paint, regions, size
from mcts_agents.envs.investment.notation import format_action, parse_action
from mcts_agents.envs.investment.rules import FEWEST_PLAYERS, MOST_PLAYERS, rules

GAME = Game(
    name="investment",
    version=0,
    title="Investment Pair Game",
    rules=rules,
    player_counts=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
)
raw_env, env, parallel_env = environments(GAME)
