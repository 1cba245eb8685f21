"""`ScriptedAgent`: a game's policies as agents, and what they remember."""

import copy

import numpy as np
import pytest

from mcts_agents import MCTSAgent, ScriptedAgent, make_agent
from mcts_agents.agents import agent_spec, save_agent, to_mapping
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.envs import load_game, make_model, pommerman
from mcts_agents.model import new_generator
from tests.search.remembering_game import ACTIONS, remembering


class Env:
    """As much of an environment of this package as an agent looks at."""

    def __init__(self, model):
        self.forward_model, self.games_begun = model, 0
        self.possible_agents = ["a", "b", "c"]
        self.reset()

    def reset(self):
        self.state = self.forward_model.reset(new_generator(0))
        self.games_begun += 1

    def planning_state(self, agent, rng):
        return self.state, self.possible_agents.index(agent)


MODEL = remembering((7,) * 8)


def counted(agent, env, seat, calls=3):
    """Act some times; return the first action of a policy that counts up."""
    actions = [agent.act(env, seat) for _ in range(calls)]
    assert actions == [(actions[0] + call) % ACTIONS for call in range(calls)]
    return actions[0]


@pytest.mark.parametrize("policy", load_game("pommerman").rules.policies)
def test_it_plays_as_the_policy_stepped_by_hand(policy):
    env = pommerman.parallel_env(mode="team")
    env.reset(seed=4)
    model = env.forward_model
    agent = ScriptedAgent(policy=policy, seed=9)
    rng = new_generator(np.random.SeedSequence(9))
    memories = {}
    for _ in range(60):
        movers = model.movers(env.spectator_state())
        if not movers:
            break
        actions = {f"player_{p}": agent.act(env, f"player_{p}") for p in movers}
        for name, action in actions.items():
            state, player = env.planning_state(name, rng)
            if name not in memories:
                size = max(model.policy_bytes(policy), 1)
                memories[name] = np.zeros(-(-size // 8), np.uint64)
                model.begin_policy(policy, memories[name].ctypes.data, rng)
            address = memories[name].ctypes.data
            assert action == model.policy_action(policy, state, player, address, rng)
        env.step({name: actions.get(name, 0) for name in env.agents})


def test_each_environment_and_seat_is_remembered_apart():
    agent = ScriptedAgent(policy="counts", seed=1)
    one, other = Env(MODEL), Env(MODEL)
    firsts = {
        (env, seat): agent.act(env, seat) for env in (one, other) for seat in "abc"
    }
    assert len(set(firsts.values())) > 1
    for (env, seat), first in reversed(firsts.items()):
        assert counted(agent, env, seat) == (first + 1) % ACTIONS


def test_a_new_game_begins_anew_and_so_does_a_reset():
    agent, env = ScriptedAgent(policy="counts_from_two", seed=1), Env(MODEL)
    for _ in range(3):  # the same seed each time
        assert counted(agent, env, "a", calls=4) == 2
        env.reset()
    assert counted(agent, env, "a") == 2
    agent.reset(1)
    assert counted(agent, env, "a") == 2


def test_real_environments_count_their_games():
    for env in (pommerman.env(), pommerman.parallel_env()):
        for number in (1, 2, 3):
            env.reset(seed=7)
            assert env.unwrapped.games_begun == number


def test_copies_of_an_environment_do_not_disturb_it():
    agent, env = ScriptedAgent(policy="counts_from_two"), Env(MODEL)
    assert counted(agent, env, "a", calls=2) == 2
    branch = copy.copy(env)
    assert counted(agent, branch, "a", calls=4) == 2
    assert counted(agent, env, "a") == 4


def test_positions_without_an_environment():
    agent = ScriptedAgent(policy="counts_from_two")
    twin = remembering((7, 7))
    states = {model: model.reset(new_generator(0)) for model in (MODEL, twin)}
    for call in range(4):
        for model, state in states.items():
            for player in range(3):
                assert agent.decide(model, state, player) == (2 + call) % ACTIONS
    agent.reset()
    assert agent.decide(MODEL, states[MODEL], 1) == 2
    plain = ScriptedAgent(policy="highest")
    assert plain.decide(MODEL, states[MODEL], 1) == 4


def test_specs_and_files(tmp_path):
    agent = make_agent("scripted:policy=simple", seed=3)
    assert isinstance(agent, ScriptedAgent)
    assert repr(agent) == "ScriptedAgent(policy='simple', seed=3)"
    assert to_mapping(agent) == {"agent": "scripted", "policy": "simple"}
    assert agent_spec(agent) == "scripted:policy=simple"
    for name in ("a.yaml", "a.json"):
        save_agent(agent, tmp_path / name)
        again = make_agent(tmp_path / name)
        assert (type(again), again.policy) == (ScriptedAgent, "simple")


@pytest.mark.parametrize("policy", [None, "", 3])
def test_a_policy_must_be_named(policy):
    with pytest.raises(ValueError, match=r"^policy=.*: expected the name of a script"):
        ScriptedAgent(policy=policy)
    with pytest.raises(ValueError, match=r"^policy=None: .* scripted:policy=NAME"):
        make_agent("scripted")


def test_an_unknown_policy_is_named_with_the_known_ones():
    known = "pommerman has these scripted policies: idle, safe_random, simple, simple_"
    env = pommerman.env()
    env.reset(seed=1)
    agent = ScriptedAgent(policy="wise")
    with pytest.raises(ValueError, match=f"^policy='wise': {known}"):
        agent.act(env)
    with pytest.raises(ValueError, match=f"^policy='wise': {known}"):
        agent.prepare(env.forward_model)
    with pytest.raises(ValueError, match="these scripted policies: none"):
        agent.prepare(make_model("hex:size=3")[1])


def test_tournaments_and_games_refuse_it_before_they_begin(run_here):
    agents = {"plain": "random", "wise one": "scripted:policy=wise"}
    spec = TournamentSpec(games=["pommerman"], agents=agents, games_each=4)
    with pytest.raises(SettingError, match=r"wise one in pommerman.*: policy=.wise."):
        prepare(spec)
    played = run_here(
        "play", "pommerman", "--agent", "scripted:policy=wise", "--json", "--seed", "1"
    )
    assert played.returncode == 2
    assert "policy='wise': pommerman has these" in played.stderr
    assert played.stdout == ""


def test_a_game_between_scripted_agents(run_here):
    played = run_here(
        "play",
        "pommerman:players=2,max_steps=30",
        "--agent",
        "scripted:policy=simple",
        "--agent",
        "scripted:policy=simple_unbiased",
        "--json",
        "--seed",
        "1",
    )
    assert played.returncode == 0, played.stderr
    assert '"scripted:policy=simple"' in played.stdout


def test_in_a_search_it_is_the_compiled_policy():
    env = pommerman.parallel_env()
    env.reset(seed=2)
    options = {"simulations": 60, "tree": "self", "rollout": 8, "seed": 5}
    plans = []
    for model in (
        "simple",
        ScriptedAgent(policy="simple"),
        "scripted:policy=simple",
        {"agent": "scripted", "policy": "simple"},
    ):
        agent = MCTSAgent(opponent_model=model, rollout_policy=model, **options)
        assert agent.settings.opponent_model == "simple"
        assert agent.settings.rollout_policy == "simple"
        plans.append(agent.plan(env, "player_0").visits.tolist())
    assert plans[1:] == plans[:1] * 3
    nested = make_agent("mcts:tree=self,opponent_model=(scripted:policy=simple)")
    assert nested.settings.opponent_model == "simple"
    with pytest.raises(ValueError, match="policy='random': in a search option, the"):
        MCTSAgent(opponent_model=ScriptedAgent(policy="random"))
