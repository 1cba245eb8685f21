"""Games whose options need other players than the default number."""

import numpy as np
import pytest
from pydantic import ValidationError

from mcts_agents.arena.tournaments.spec_file import complaints
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.arena.tournaments.tuning import TuningSpec
from mcts_agents.learn import evaluate
from mcts_agents.model import Rules, Spec
from tests.team_game import STONES

PAIRS = Rules("pairs", state=STONES.state, game=np.dtype([("left", np.int8)]))
for function in ("reset", "movers", "legal_actions", "apply", "scores"):
    PAIRS.define(STONES._functions[function])


@PAIRS.variant
def variant(game, *, players=3, pairs=False, left=9):
    if pairs and players != 4:
        raise ValueError(f"players={players}: pairs are for 4")
    if not 1 <= left <= 20:
        raise ValueError(f"left={left}: expected 1 to 20")
    game["left"] = left
    teams = (0, 1, 0, 1) if pairs else None
    return Spec(players=players, actions=3, observation_shape=(1,), teams=teams)


@PAIRS.define
def results(game, state, out):
    for player in range(game.players):
        out[player] = 0 if state.left else 1 + 2 * ((state.turn + player) % 2)


@PAIRS.define
def observe(game, state, player, out):
    out[0] = state.left


NAME = f"{__name__}:PAIRS"
AGENTS = ["random", "one-step"]


def test_options_may_need_the_players_that_are_named():
    game = {"game": f"{NAME}:pairs=true", "players": 4}
    (setting,) = TournamentSpec(games=[game], agents=AGENTS).settings()
    assert setting.players == 4
    assert TuningSpec(**game, agent="one-step", parameters=("samples=1..2",))
    assert evaluate("random", "random", **game, games=2).win_rate.value is not None


@pytest.mark.parametrize(
    ("options", "players", "place", "words"),
    [
        (":pairs=true", (), "game", "players=3: pairs"),
        (":pairs=true", (4, 3), "game", "players=3: pairs"),
        (":left=99", 4, "game", "left=99"),
        (":pears=true", 4, "game", "did you mean pairs"),
        (":players=3", 4, "players", "sets players=3, but players=4 was"),
    ],
)
def test_what_does_not_fit_is_said_of_the_game_or_of_the_players(
    options, players, place, words
):
    spec = {"game": NAME + options, "players": players}
    with pytest.raises(ValidationError) as refused:
        TournamentSpec(games=["hex", spec], agents=AGENTS)
    ((where, message),) = complaints(refused.value)
    assert where == ("games", 1, place)
    assert words in message
