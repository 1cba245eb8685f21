"""# Pommerman.

| | |
|---|---|
| Import | `from mcts_agents.envs import pommerman` |
| Ids | `mcts_agents/pommerman-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 4 or 2: `player_0`, `player_1`, ... |
| Action shape | 6, with messages 384 |
| Observation shape | (5 * size * size + 17,): 622 on 11x11, 337 on 8x8 |
| Observation values | 0 to 127 |
| Moves | all at once |
| Hidden information | items under wood; in the fog all that is far away |
| Chance | the opening board |

The Bomberman game of the NeurIPS 2018 competition, played as its official Python
program plays it, step for step. Four agents in the corners of a board of rigid walls
and wood lay bombs that explode after nine steps, in a cross as long as the bomb's
strength less one. Who stands in flames dies. Under some wood lie items: one more bomb
to lay, one more cell of reach, and the ability to kick bombs, which then roll on until
something stops them. The game ends when one player or one team is left, or after 800
steps.

Everything happens at once: wishes are settled first (nobody enters a cell that two
want, nobody swaps), then bombs are kicked, then agents move and pick up, then bombs
explode, chains and all, and who stands in flames dies. Flames burn for three steps.
Wood that one blast of a step reaches shields what is behind it from all others of that
step; an item on which flames of two explosions overlap in time may be lost.

| official environment | options |
|---|---|
| `PommeFFACompetition-v0`, `PommeFFAFast-v0` | none |
| `PommeTeam-v0`, `PommeTeamFast-v0` | `mode="team"` |
| `PommeTeamCompetition-v0` | `mode="team", fog=True` |
| `PommeRadio-v2`, `PommeRadioCompetition-v2` | `mode="radio"` |
| `PommeFFA-v1` | `collapse=500` |
| `PommeTeamCompetition-v1` | `mode="team", fog=True, collapse=500` |
| `OneVsOne-v0` | `players=2` |

In teams, players 0 and 2 play against 1 and 3. As in the official program the blast
strength that can be picked up is at most 10, with fog at most 4.

## Hidden information

Nobody knows what lies under wood. When an agent plans, items are hidden anew under all
wood that is left, as many as may be there after what has come out so far, each of any
kind. Enemies' messages are not heard.

In the fog a planner also imagines all that its player has not seen, from what it
remembers of the game. Every player remembers the last sight of each cell; bombs that it
has seen roll on, go off and burn wood in its memory until it looks again. It remembers
where and when it last saw each of the others, whose a bomb is if it saw it laid, the
items it saw taken, the bombs it saw kicked. This follows from its own observations and
actions alone. What it has never seen is drawn for each plan:

- walls, as the generator draws them: mirrored in the main diagonal, so what was seen on
  one side is known on the other; all that is left, 36 rigid and 36 wood in all,
  anywhere; wood out of sight is taken to stand
- the others out of sight: any free cell that each can have walked to since it was last
  seen, 13 steps for each wood in its way
- bombs laid out of sight: none; owners that are not known: any that fits
- items under wood, and those that came out of sight
- what the others can do: what was seen of it, at least what they begin with

Not modelled: that agents may have burnt wood out of sight, what those out of sight
plan, what enemies themselves remember (in a plan they see all of the imagined world).
Without fog all know what an item did to who took it, also in the rare case that it came
out in the same step and was not seen.

## Scripted agents

| spec | |
|---|---|
| `scripted:policy=simple_unbiased` | pomcpp2's SimpleUnbiasedAgent |
| `scripted:policy=simple` | the official SimpleAgent |
| `scripted:policy=safe_random` | at random, unharmed for a step |
| `scripted:policy=idle` | stops |

The same names are for a search's `opponent_model` and `rollout_policy`, where they run
compiled. Only `simple` and `simple_unbiased` remember anything: where they have been.

## Planners

Every tree that `mcts` has can be searched on this game. Those of the paper that this
game is known for advance by the decisions of one player (SP-MCTS) or of two (TP-MCTS),
and an opponent model decides for the others:

| | spec, and `opponent_model=simple_unbiased` for the first two |
|---|---|
| SP-MCTS | `sp-mcts` |
| TP-MCTS | `tp-mcts` |
| MultiTree | `mcts:tree=multi` |
| one tree, choices made at once | `mcts` |

With `rollout=40,rollout_policy=simple_unbiased,value=evaluate` a playout of ten steps
by the scripted agent, and how well the living are equipped at its end, take the place
of a value network. A tree leaves out moves that do no more than a stop or lead into
lasting flames (`action_filter`). `examples/four_planners.py` lets these four play each
other, and `experiments/` has the paper's tournaments.

## Observation space

`{"observation", "action_mask"}`. The observation is int8: the official one, flat. Five
maps of the board, row by row:

| map | |
|---|---|
| 0 | what is seen there, by the codes below |
| 1 | strength of the bomb there |
| 2 | steps until it explodes |
| 3 | where it rolls: 0 rests, 1 up, 2 down, 3 left, 4 right |
| 4 | steps that flames still burn |

| code | 0 | 1 | 2 | 3 | 4 | 5 | 6, 7, 8 | 10 to 13 |
|---|---|---|---|---|---|---|---|---|
| | passage | rigid | wood | bomb | flames | fog | extra bomb, range, kick | agents |

Then 17 facts:

| place | |
|---|---|
| 0-1 | own row and column, of the dead where they died |
| 2 | bombs that the player can lay now |
| 3 | own blast strength, 2 or more |
| 4 | 1 if the player can kick |
| 5 | team mate, 9 for none |
| 6-8 | enemies, 9 for none |
| 9-12 | 1 for each player who is alive |
| 13-14 | the team mate's words of this step |
| 15-16 | steps played: hundreds, and the rest |

In the fog, cells more than four rows or columns away are 5 on the first map and 0 on
the others. The mask is all ones for the living, all zeros for the dead.

Two functions give the same in other forms, of a state such as `spectator_state`
returns; the fog is kept in both, and the model is `forward_model` of `raw_env` and
`parallel_env`:

- `official_observation(model, state, player)` in `envs.pommerman.official_observation`:
  the dict of the official program, for agents that were written for it;
  `featurize(observation)` makes the official flat vector of it
- `planes(model, state, player)` in `envs.pommerman.planes`: PommerLearn's 23 planes
  for neural networks, float32 of shape (23, 11, 11)

## Action space

| action | |
|---|---|
| 0 | stop |
| 1, 2, 3, 4 | up, down, left, right |
| 5 | lay a bomb |

All are legal; one that cannot be carried out is a stop. With messages (`mode="radio"`)
an action is 64 * move + 8 * first word + second word, words from 0 to 7.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Without teams, who dies has lost at once; the last ones draw if they die in the same
step, and so do all who are alive when time is up. A team wins, draws or loses as one
when the game is over, also those who have died.

With `official_rewards=True` the environments pay what the official program pays, on
every step; agents that plan still play for the results above. Nobody leaves before the
game is over: the dead are not asked, and their mask is all zeros.

| official reward | 4, no teams | teams | 2 |
|---|---|---|---|
| the game goes on, alive | 0 | 0 | 0 |
| the game goes on, dead | -1 on every step | 0 | |
| won, with a team also its dead | +1 | +1 | +1 |
| lost | -1 | -1 | -1 |
| drawn, time is up | -1 | -1 | -1 |
| drawn, nobody is left | -1 | -1 | 0 |

So the sum over a game means little without teams: take the reward of the last step. In
the AEC environment the dead get all that has come together when they are asked last.

## Options

`env(render_mode=None, players=4, mode="ffa", fog=None, collapse=None,
shuffle_corners=False, max_steps=800, official_rewards=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; no items under wood are shown |
| `players` | 4 on 11x11, or 2 on 8x8 |
| `mode` | `"ffa"`, `"team"`, or `"radio"`: teams with messages |
| `fog` | whether players see no further than four cells; by default in `"radio"` |
| `collapse` | the step after which the first ring turns rigid; officially 500 |
| `shuffle_corners` | whether the agents begin in random corners |
| `max_steps` | steps after which the game ends |
| `official_rewards` | for environments only: rewards of the official program |

## Pictures

A bomb shows its remaining steps, on a small disc its reach, and where it rolls; the
redder a cell, the sooner it burns. Its ring has the colour of its owner, which
observations do not tell and pictures for a player do not show. Flames show the steps
that they still burn. In teams players 1 and 3 wear masks.

## Scores

1 for the living, 0 for the dead.

## Recorded games

`mcts-agents verify pommerman FILE` compares these rules with games of the official
program, step by step, and with what it has shown to each player.

## Version history

- v0: first version

## Sources

C. Resnick et al., "Pommerman: A Multi-Agent Playground" (AIIDE workshops 2018).
Rules: MultiAgentLearning/playground, December 2023. What is an accident of that program
is kept where it decides games (the limit of the blast strength, counters that are never
decremented, items lost in doubled flames), except that a new game begins without the
last one's messages.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.pommerman.draw import paint, regions, size
from mcts_agents.envs.pommerman.notation import format_action, parse_action
from mcts_agents.envs.pommerman.official import official_rewards
from mcts_agents.envs.pommerman.recordings import verify_archive
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.table import ansi

GAME = Game(
    name="pommerman",
    version=0,
    title="Pommerman",
    rules=rules,
    player_counts=(2, 4),
    simultaneous=True,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    recordings={".npz": verify_archive},
    official_rewards=official_rewards,
)

raw_env, env, parallel_env = environments(GAME)
