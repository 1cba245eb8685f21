"""Four planners in one game of Pommerman, as a GIF.

    pip install --editable ".[pictures]"    # in the checkout
    python examples/four_planners.py

They differ in whose decisions their trees hold, and look ahead with the scripted agent
SimpleUnbiased. After step 150 the board collapses, ring by ring: good planners wait for
the mistakes of others, and would do so until time is up.
"""

from pathlib import Path

from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.arena.replay import gif
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

GAME = "pommerman:collapse=150,max_steps=350"
PLANNERS = {
    "SP-MCTS": "sp-mcts:opponent_model=simple_unbiased",
    "TP-MCTS": "tp-mcts:opponent_model=simple_unbiased",
    "MultiTree": "mcts:tree=multi",
    "one tree": "mcts",
}
LOOK_AHEAD = "mcts:rollout=40,rollout_policy=simple_unbiased,value=evaluate"


def main(output="four_planners.gif", game=GAME, simulations=300, seed=7):
    """Play the game, write the GIF, and return each planner's result."""
    spec = TournamentSpec(
        games=[{"game": game, "search": LOOK_AHEAD}],
        agents=PLANNERS,
        budgets=[simulations],
        games_each=1,
        seed=seed,
    )
    (fixture,) = prepare(spec)
    replay = Replay(play_fixture(fixture), search=False)
    gif.write(replay, replay.moments(), 1, Path(output))
    return {seat.agent: seat.result for seat in replay.record.seats}


if __name__ == "__main__":
    for planner, result in main().items():
        print(f"{planner}: {result}")
