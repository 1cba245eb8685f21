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

Pommerman is the Bomberman game of the NeurIPS 2018 competition. These rules reproduce
the official Python program step for step. Four agents start in the corners of a board
of rigid walls and wood. They lay bombs that explode after nine steps, in a cross whose
arms are as many cells long as the bomb's strength minus one. An agent in flames dies.
Some wood hides an item: one more bomb to lay, one more cell of reach, or the ability to
kick bombs, which then roll until something stops them. The game ends when only one
player or one team is left, or after 800 steps.

All agents act at once. Conflicting moves are resolved first: no agent enters a cell
that two agents want, and agents cannot swap cells. Then bombs are kicked, agents move
and pick up items, bombs explode (including chain reactions), and agents in flames die.
Flames burn for three steps. Wood that a blast burns still shields the cells behind it
from all blasts of that step. If the flames of two explosions overlap in time on the
cell of an item that the first explosion uncovered, the item may be lost.

| official environment | options |
|---|---|
| `PommeFFACompetition-v0`, `PommeFFAFast-v0` | none |
| `PommeTeam-v0`, `PommeTeamFast-v0` | `mode="team"` |
| `PommeTeamCompetition-v0` | `mode="team", fog=True` |
| `PommeRadio-v2`, `PommeRadioCompetition-v2` | `mode="radio"` |
| `PommeFFA-v1` | `collapse=500` |
| `PommeTeamCompetition-v1` | `mode="team", fog=True, collapse=500` |
| `OneVsOne-v0` | `players=2` |

In teams, players 0 and 2 play against 1 and 3. As in the official program, items raise
the blast strength to at most 10, or to at most 4 with fog.

## Hidden information

No player knows what lies under wood. When an agent plans, it hides items of random
kinds under the remaining wood; their number fits the items found so far. Players do not
hear their enemies' messages.

In the fog, a planner also samples everything that its player has not seen, based on the
player's memory of the game. Each player remembers every cell as it was when last seen.
In this memory, bombs that the player has seen continue to roll, explode and burn wood
until the player sees those cells again. The player also remembers where and when it
last saw each other player, who laid each bomb that it saw being laid, and which items
it saw taken and which bombs it saw kicked. The memory depends only on the player's own
observations and actions. For each plan, the unknown parts are filled in:

- Walls are placed as the board generator places them. The opening board is symmetric
  about the main diagonal, so what was seen on one side is known on the other. The
  remaining walls, out of 36 rigid and 36 wood in total, can be anywhere. Wood out of
  sight is assumed to be still there.
- A player out of sight can be on any free cell that it could have reached since it was
  last seen. Getting through a cell of wood counts as 13 steps, because it must be burnt
  first.
- The plan assumes that no bombs were laid out of sight. A bomb of unknown owner goes to
  any player who could have laid it.
- Items under wood, and items that appeared out of sight, are random.
- Other players have the abilities that they were seen to gain, and at least those that
  they begin with.

Samples leave some things out: wood that agents may have burnt out of sight, what agents
out of sight intend to do, and what enemies remember (in a plan, enemies see the whole
sampled world). Without fog, all players know the kind of every item that is taken, even
in the rare case that the item appeared in the same step and so was never visible.

## Scripted agents

| spec | |
|---|---|
| `scripted:policy=simple_unbiased` | pomcpp2's SimpleUnbiasedAgent |
| `scripted:policy=simple` | the official SimpleAgent |
| `scripted:policy=safe_random` | random among moves that are safe for one step |
| `scripted:policy=idle` | always stops |

You can use the same names for a search's `opponent_model` and `rollout_policy`; there,
the agents run as compiled code. Only `simple` and `simple_unbiased` have a memory: they
remember where they have been.

## Planners

Every kind of tree that `mcts` offers works for this game. In the searches of the
Pommerman paper, the tree contains the decisions of one player (SP-MCTS) or of two
players (TP-MCTS), and an opponent model decides for the others:

| | spec; add `opponent_model=simple_unbiased` to the first two |
|---|---|
| SP-MCTS | `sp-mcts` |
| TP-MCTS | `tp-mcts` |
| MultiTree | `mcts:tree=multi` |
| one tree, simultaneous choices | `mcts` |

`rollout=40,rollout_policy=simple_unbiased,value=evaluate` replaces a value network:
scripted agents play ten steps for all four players, and the value depends on who is
alive at the end and on their equipment. The search skips moves that have the same
effect as a stop, and moves into flames that will not have burnt out (`action_filter`).
In `examples/four_planners.py`, these four planners play each other, and `experiments/`
has the paper's tournaments.

## Observation space

`{"observation", "action_mask"}`. The observation is int8: the official observation,
flattened. It begins with five maps of the board, row by row:

| map | |
|---|---|
| 0 | what is visible there, by the codes below |
| 1 | strength of the bomb there |
| 2 | steps until it explodes |
| 3 | its direction: 0 at rest, 1 up, 2 down, 3 left, 4 right |
| 4 | remaining steps of the flames |

| code | 0 | 1 | 2 | 3 | 4 | 5 | 6, 7, 8 | 10 to 13 |
|---|---|---|---|---|---|---|---|---|
| | passage | rigid | wood | bomb | flames | fog | extra bomb, range, kick | agents |

Then 17 facts:

| place | |
|---|---|
| 0-1 | own row and column; for the dead, where they died |
| 2 | bombs that the player can lay now |
| 3 | own blast strength, 2 or more |
| 4 | 1 if the player can kick |
| 5 | the team mate, 9 for none |
| 6-8 | enemies, 9 for none |
| 9-12 | 1 for each player who is alive |
| 13-14 | the team mate's words of this step |
| 15-16 | steps played: hundreds, and the rest |

In the fog, cells more than four rows or columns away are 5 on the first map and 0 on
the others. The mask is all ones for the living and all zeros for the dead.

With `observation="planes"`, the observation is instead int8 of shape (25, size, size):
25 planes for neural networks. They are made from the official observation, but leave
out the team mate's words:

| plane | |
|---|---|
| 0-1 | 1 for rigid walls, for wood |
| 2-4 | 1 for open items: extra bomb, range, kick |
| 5 | bombs: 9 less the steps until they explode, so 0 when just laid |
| 6 | bombs: cells that they reach in one direction |
| 7-10 | 1 for bombs that roll up, down, left, right |
| 11 | flames: steps that they still burn |
| 12-15 | 1 for living agents: the player, then the next three by number |
| 16 | own blast strength: cells that a bomb reaches |
| 17, 18 | own bombs: 17 those on the board, 18 these and those ready to be laid |
| 19 | 1 if the player can kick |
| 20-23 | 1 if alive: the player, then the next three |
| 24 | tenths of `max_steps` that were played |

Bombs are also shown under agents. Planes 16 to 24 are the same on all cells. Cells out
of sight are 0 in planes 0 to 15. These planes have the eight symmetries of the board
(`model.symmetries`).

Two functions return the observation of a state in other forms, with fog if there is
fog. Pass the `forward_model` of `raw_env` or `parallel_env` as the model, and a state
such as `spectator_state` returns:

- `official_observation(model, state, player)` in `envs.pommerman.official_observation`:
  the dict of the official program, for agents that were written for it;
  `featurize(observation)` turns it into the official flat vector
- `planes(model, state, player)` in `envs.pommerman.planes`: PommerLearn's 23 planes
  for neural networks, float32 of shape (23, 11, 11)

## Action space

| action | |
|---|---|
| 0 | stop |
| 1, 2, 3, 4 | up, down, left, right |
| 5 | lay a bomb |

All actions are legal; an action that cannot be carried out has the effect of a stop.
With messages (`mode="radio"`), an action is 64 * move + 8 * first word + second word,
where the words are numbers from 0 to 7.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Without teams, a player who dies loses at once. If the last players alive die in the
same step, they draw; players who are still alive when time is up draw, too. The members
of a team, dead or alive, win, draw or lose together when the game is over.

With `official_rewards=True`, the environments pay the rewards of the official program
on every step; planning agents still play for the results above. With this option, no
player leaves before the game is over: the dead do not act, and their mask is all zeros.

| official reward | 4, no teams | teams | 2 |
|---|---|---|---|
| the game goes on, alive | 0 | 0 | 0 |
| the game goes on, dead | -1 on every step | 0 | |
| won, including dead team members | +1 | +1 | +1 |
| lost | -1 | -1 | -1 |
| drawn, time is up | -1 | -1 | -1 |
| drawn, no player is left | -1 | -1 | 0 |

Without teams, the sum over a game therefore means little; use the reward of the last
step. In the AEC environment, the dead get their accumulated rewards at their last turn.

## Options

`env(render_mode=None, players=4, mode="ffa", fog=None, collapse=None,
shuffle_corners=False, max_steps=800, observation="official", official_rewards=False)`

| option | |
|---|---|
| `render_mode` | `human`, `rgb_array` or `ansi`; no items under wood are shown |
| `players` | 4 on 11x11, or 2 on 8x8 |
| `mode` | `"ffa"`, `"team"`, or `"radio"`: teams with messages |
| `fog` | whether players see only up to four cells away; by default only in `"radio"` |
| `collapse` | the step after which the outermost ring turns rigid; officially 500 |
| `shuffle_corners` | whether the agents begin in random corners |
| `max_steps` | steps after which the game ends |
| `observation` | `"official"`, flat; or `"planes"` |
| `official_rewards` | environments only: use the rewards of the official program |

With `collapse`, the board of four players shrinks: after that step, the outermost ring
of cells turns rigid, and another ring follows after each quarter (rounded down) of the
steps that were left until `max_steps`. Agents on these cells die, and bombs, flames and
items there vanish. Observations show this at once, those of the official program one
step later.

## Pictures

A bomb shows its remaining steps, its direction and, on a small disc, its reach; the
redder a cell, the sooner it burns. The bomb's ring has the colour of its owner;
observations do not contain the owner, so pictures for a player do not show it. Flames
show their remaining steps. In teams, players 1 and 3 wear masks.

## Scores

The score is 1 for the living and 0 for the dead.

## Recorded games

`mcts-agents verify pommerman FILE` compares these rules, and what each player sees,
with games of the official program, step by step.

## Version history

- v0: first version

## Sources

C. Resnick et al., "Pommerman: A Multi-Agent Playground" (AIIDE workshops 2018). Rules:
MultiAgentLearning/playground, December 2023. Quirks of that program that can decide
games are kept (the limit on the blast strength, counters that are never decremented,
items lost in overlapping flames), with one exception: a new game begins without the
messages of the last game.
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
