"""What only copies need to be told: games with rules take what agrees with them."""

import pytest

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs import hex, love_letter, tictactoe
from mcts_agents.wrappers import SingleAgentEnv


def started(game=tictactoe, **variant):
    env = game.env(**variant)
    env.reset(seed=0)
    return env


def nothing(*given):
    """Take anything; no game with rules asks it."""


NO_EFFECT = {
    "redeterminise": nothing,
    "reseed": nothing,
    "continuous": 5,
    "caches": ("module.CACHE",),
    "snapshots": True,
    "replay": nothing,
}


@pytest.mark.parametrize("name", NO_EFFECT)
@pytest.mark.parametrize("kind", [MCTSAgent, OneStepAgent, RandomAgent])
def test_what_has_no_effect_in_a_game_with_rules_is_refused(kind, name):
    agent = kind(**{name: NO_EFFECT[name]})
    with pytest.raises(ValueError, match=rf"^{name}=.*tictactoe.*rules.*leave it out"):
        agent.act(started())


def test_a_key_of_states_is_refused_too():
    agent = MCTSAgent(simulations=10, graph=True, state_key=nothing)
    with pytest.raises(ValueError, match=r"^state_key=.*tictactoe"):
        agent.act(started())


def test_words_that_agree_with_the_rules_change_nothing():
    plain = MCTSAgent(simulations=60, seed=1)
    told = MCTSAgent(
        simulations=60, perfect_information=True, deterministic=True, seed=1
    )
    for env in (started(), started(hex, size=5)):
        expected, found = plain.plan(env), told.plan(env)
        assert found.visits.tolist() == expected.visits.tolist()


def test_words_that_contradict_the_rules_are_refused():
    env = started(love_letter)
    with pytest.raises(ValueError, match=r"^perfect_information=True: love_letter hid"):
        MCTSAgent(simulations=10, perfect_information=True).act(env)
    with pytest.raises(ValueError, match=r"^deterministic=True: .*love_letter"):
        MCTSAgent(simulations=10, deterministic=True).act(env)


def test_tournaments_and_learners_refuse_them_before_they_begin():
    agent = OneStepAgent(reseed=nothing, seed=0)
    spec = TournamentSpec(
        games=["tictactoe"], agents={"told": agent, "random": "random"}, games_each=2
    )
    with pytest.raises(ValueError, match="reseed="):
        [play_fixture(fixture) for fixture in prepare(spec)]
    with pytest.raises(ValueError, match="reseed="):
        SingleAgentEnv(tictactoe.env(), opponents=agent)
