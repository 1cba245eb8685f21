"""How an agent fares against others, for learning curves and final figures."""

from typing import TYPE_CHECKING

from mcts_agents.agents.held import AgentSpec
from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

if TYPE_CHECKING:
    from mcts_agents.arena.analysis.summaries import AgentFigures


def evaluate(
    agent: AgentSpec,
    opponent: AgentSpec,
    game: str,
    *,
    players: int | None = None,
    games: int = 200,
    seed: int = 0,
    opening: int = 0,
) -> "AgentFigures":
    """Play games of one agent against copies of another in all other seats.

    They are those of a tournament with the design `one-against-field`: the agent takes
    each seat equally often, and the same seed gives the same games. They are played
    in this process; `mcts-agents tournament` spreads and stores them.

    Args:
        agent: A spec or mapping, such as `{"agent": "policy", "file": "model.npz"}`; or
            an agent or a class of agents, of your own too.
        opponent: Who plays in the other seats, or in the other teams.
        game: Spec of the game, such as `hex:size=5`.
        players: Number of players, the game's default if None.
        games: How many games, from 1.
        seed: From which the seeds of games and agents derive.
        opening: Random decisions at the start of each game. Without, agents that use
            no chance repeat the same games.

    Returns:
        Among others `win_rate`, with ties split, `won`, `drawn` and `lost`, each with a
        95% Wilson interval, `mean_score`, and `expected`, the rate of equal strength.

    Raises:
        ValueError: A value that is not allowed, or an agent that cannot play.
        MissingExtraError: The extra `arena` is not installed.
    """
    from mcts_agents.arena.analysis.summaries import summarise

    spec = TournamentSpec(
        games=[{"game": game, **({"players": players} if players is not None else {})}],
        agents={"agent": agent},
        field=opponent,
        design="one-against-field",
        games_each=games,
        seed=seed,
        opening=opening,
    )
    records = [play_fixture(fixture) for fixture in prepare(spec)]
    return summarise(records, ["agent"], resamples=0).settings[0].agents[0]
