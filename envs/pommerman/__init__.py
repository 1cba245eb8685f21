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
program plays it, step for step. Four agents start in the corners of a board of rigid
walls and wood. They lay bombs that explode after nine steps, in a cross whose arms are
the bomb's strength minus one. An agent in flames dies. Under some wood lie items: one
more bomb to lay, one more cell of reach, and the ability to kick bombs, which then roll
until something stops them. The game ends when one player or one team is left, or after
800 steps.

All agents act at once. Conflicting moves are resolved first: no agent enters a cell
that two agents want, and agents cannot swap cells. Then bombs are kicked, agents move
and pick up items, bombs explode (including chain reactions), and agents in flames die.
Flames burn for three steps. If a blast reaches wood, the wood shields what is behind it
from all other blasts of that step. If flames of two explosions overlap in time on an
item, the item may be lost.

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
kinds again under the wood that is left, as many as can be there given the items found
so far. Players do not hear their enemies' messages.

In the fog, a planner also samples everything that its player has not seen, based on the
player's memory of the game. Every player remembers each cell as last seen. In its
memory, bombs that it has seen continue to roll, explode and burn wood until it looks
again. It remembers where and when it last saw each other player, who laid a bomb if it
saw this, and the items taken and bombs kicked in its sight. All this follows from its
own observations and actions alone. For each plan, the unseen parts are sampled:

- walls, as the generator places them: they are mirrored in the main diagonal, so what
  was seen on one side is known on the other; the remaining ones, of 36 rigid and 36
  wood in total, can be anywhere; wood out of sight is assumed to be still there
- players out of sight: any free cell that the player can have reached since it was last
  seen, counting 13 steps for each wood in the way
- bombs laid out of sight: none; unknown owners of bombs: any player that fits
- items under wood, and items that appeared out of sight
- abilities of other players: what was seen, and at least what they begin with

Some things are not modelled: wood that agents may have burnt out of sight, the plans of
agents out of sight, and the memory of enemies (in a plan, they see the whole sampled
world). Without fog, all players know the effect of an item that was taken, even in the
rare case that the item appeared in the same step and was not seen.

## Scripted agents

| spec | |
|---|---|
| `scripted:policy=simple_unbiased` | pomcpp2's SimpleUnbiasedAgent |
| `scripted:policy=simple` | the official SimpleAgent |
| `scripted:policy=safe_random` | random among moves that are safe for one step |
| `scripted:policy=idle` | stops |

You can use the same names for a search's `opponent_model` and `rollout_policy`, where
they run compiled. Only `simple` and `simple_unbiased` have a memory: they remember
where they have been.

## Planners

Every kind of tree of `mcts` works on this game. In the searches of the Pommerman paper,
the tree contains the decisions of one player (SP-MCTS) or of two (TP-MCTS), and an
opponent model decides for the others:

| | spec, and `opponent_model=simple_unbiased` for the first two |
|---|---|
| SP-MCTS | `sp-mcts` |
| TP-MCTS | `tp-mcts` |
| MultiTree | `mcts:tree=multi` |
| one tree, simultaneous choices | `mcts` |

`rollout=40,rollout_policy=simple_unbiased,value=evaluate` replaces a value network: the
scripted agent plays ten steps, and the value depends on the equipment of the agents
alive at the end. The search skips moves that have the same effect as a stop or lead
into lasting flames (`action_filter`). In `examples/four_planners.py`, these four
planners play each other, and `experiments/` has the paper's tournaments.

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

With `observation="planes"` the observation is 25 planes instead, int8 of shape
(25, 11, 11), with what the official observation tells, made for networks:

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
| 17, 18 | own bombs lying on the board; in all, lying or ready |
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

All actions are legal; an action that cannot be carried out is a stop. With messages
(`mode="radio"`), an action is 64 * move + 8 * first word + second word, words from 0 to
7.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Without teams, a player who dies has lost at once. The last players draw if they die in
the same step; all players who are alive when time is up draw, too. A team wins, draws
or loses together when the game is over, including its dead members.

With `official_rewards=True`, the environments give the rewards of the official program
on every step; planning agents still play for the results above. No player leaves before
the game is over: the dead do not act, and their mask is all zeros.

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
| `collapse` | the step after which the first ring turns rigid; officially 500 |
| `shuffle_corners` | whether the agents begin in random corners |
| `max_steps` | steps after which the game ends |
| `observation` | `"official"`, flat; or `"planes"` |
| `official_rewards` | environments only: use the rewards of the official program |

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
MultiAgentLearning/playground, December 2023. Quirks of that program are kept if they
decide games (the limit of the blast strength, counters that are never decremented,
items lost in doubled flames), with one exception: a new game begins without the
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
