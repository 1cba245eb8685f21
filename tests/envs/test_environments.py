"""Every environment keeps PettingZoo's conventions and shows what the rules say."""

import copy
import itertools
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from gymnasium.utils import seeding
from pettingzoo.test import api_test, parallel_api_test, seed_test

from mcts_agents.envs import GAMES
from mcts_agents.model import LOST, PLAYING, WON, new_generator
from tests.envs.variants import (
    SHARED,
    SIMULTANEOUS,
    TEAMS,
    VARIANTS,
    factories,
    frozen,
    play,
    random_legal,
    record,
    record_parallel,
)

# What api_test says of every environment that is not one of PettingZoo's own, and of
# the agents that find all actions masked at the end.
UNAVOIDABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    r"Action mask numpy array is all zeros \(no legal actions\)",
)

every_variant = pytest.mark.parametrize("label", VARIANTS)
every_simultaneous = pytest.mark.parametrize("label", SIMULTANEOUS)


def test_every_game_is_tested():
    assert {name for name, _ in VARIANTS.values()} == set(GAMES)


# -- PettingZoo's own tests; a warning is a failure


@pytest.fixture
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message)
        yield


@every_variant
@pytest.mark.parametrize("factory", [0, 1], ids=["raw_env", "env"])
def test_api(label, factory, strict):
    api_test(factories(label)[factory](), num_cycles=100)


@every_variant
def test_parallel_api(label, strict):
    parallel_api_test(factories(label)[2](), num_cycles=100)


@every_variant
def test_seed(label, strict):
    seed_test(factories(label)[1], num_cycles=100)


# -- seeds


@every_variant
def test_a_seed_reproduces_whole_games_and_the_games_after_it(label):
    _, env, parallel_env = factories(label)
    for factory, recorded in ((env, record), (parallel_env, record_parallel)):
        runs = []
        for _ in range(2):
            game, rng = factory(), np.random.default_rng(5)
            runs.append(
                [recorded(game, rng, seed=7), recorded(game, rng), recorded(game, rng)]
            )
        assert runs[0] == runs[1]


@every_simultaneous
def test_other_seeds_and_later_games_deal_other_cards(label):
    game = factories(label)[0]()
    seen = set()
    for reset in ({"seed": 1}, {"seed": 2}, {}, {}):
        game.reset(**reset)
        # Where one card is all that an opening shows, several may look alike.
        play(game, np.random.default_rng(0), most_steps=3 * len(game.agents))
        seen.add(frozen(game.observe("player_0"))["observation"])
    assert len(seen) == 4


def test_reset_without_any_seed_differs_between_environments():
    make = factories("sushi_go_5")[0]
    deals = set()
    for _ in range(3):
        game = make()
        game.reset()
        # All hands: one alone comes twice now and then.
        shown = (game.observe(agent) for agent in game.possible_agents)
        deals.add(tuple(frozen(one)["observation"] for one in shown))
    assert len(deals) == 3


# -- the environment is the forward model


@every_variant
def test_the_parallel_environment_shows_what_the_model_says_at_every_node(label):
    env, rng = factories(label)[2](), np.random.default_rng(3)
    observations, infos = env.reset(seed=11)
    model = env.forward_model
    generator = new_generator(int(seeding.np_random(11)[0].integers(2**63)))
    state = model.reset(generator)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    while True:
        movers = model.movers(state)
        for player, agent in enumerate(env.possible_agents):
            if agent in observations:
                assert env.observation_space(agent).contains(observations[agent])
                seen, mask = observations[agent].values()
                assert np.array_equal(seen, model.observe(state, player))
                legal = model.legal_actions(state, player) if player in movers else []
                assert sorted(legal) == np.flatnonzero(mask).tolist()
                assert (infos[agent]["active_agent"] == agent) == (player in movers)
        assert bool(env.agents) == bool(movers)
        if not movers:
            break
        actions = {
            f"player_{p}": random_legal(observations[f"player_{p}"]["action_mask"], rng)
            for p in movers
        }
        model.apply(state, {p: actions[f"player_{p}"] for p in movers}, generator)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for agent, reward in rewards.items():
            earned[agent] += reward
        assert all(type(value) is bool for value in terminations.values())
        assert not any(truncations.values())
    results = model.results(state)
    assert PLAYING not in results
    expected = [int(result == WON) - int(result == LOST) for result in results]
    assert list(earned.values()) == expected
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize("label", sorted(VARIANTS.keys() - set(SIMULTANEOUS)))
def test_after_the_end_nobody_is_shown_as_to_move(label):
    """What has said of each player in each position whether it is to move says no."""
    model = factories(label)[2]().forward_model
    rng, says = new_generator(5), True
    for _ in range(3):
        state = model.reset(rng)
        while movers := model.movers(state):
            for player in range(model.players):
                seen = model.observe(state, player).ravel() != 0
                says &= seen == (player in movers)
            model.apply(
                state,
                {p: model.legal_actions(state, p)[-1] for p in movers},
                rng,
            )
        for player in range(model.players):
            assert not model.observe(state, player).ravel()[says].any()


@every_variant
def test_aec_and_parallel_are_the_same_game(label):
    aec, _, parallel_env = factories(label)
    aec, parallel, rng = aec(), parallel_env(), np.random.default_rng(4)
    aec.reset(seed=9)
    observations, _ = parallel.reset(seed=9)
    while parallel.agents:
        while aec.terminations[aec.agent_selection]:  # who is out is asked for None
            aec.step(None)
        deciding = [a for a in parallel.agents if observations[a]["action_mask"].any()]
        actions = {}
        for agent in deciding:  # ascending, and nobody's turn comes twice
            assert aec.agent_selection == agent
            assert frozen(aec.observe(agent)) == frozen(observations[agent])
            others = set(aec.possible_agents) - {agent}
            assert not any(aec.observe(a)["action_mask"].any() for a in others)
            actions[agent] = random_legal(observations[agent]["action_mask"], rng)
            aec.step(np.int64(actions[agent]))
        observations, rewards, terminations, _, _ = parallel.step(actions)
        assert rewards == aec.rewards
        assert terminations == aec.terminations
    for agent, seen in observations.items():
        assert frozen(aec.observe(agent)) == frozen(seen)


@every_variant
def test_agents_collect_their_reward_once_at_the_end(label):
    env = factories(label)[1]()
    collected = {agent: [] for agent in env.possible_agents}
    shown = record(env, np.random.default_rng(6), seed=6)
    for agent, _, reward, termination, *_ in shown:
        collected[agent].append((reward, termination))
    assert not env.agents
    for turns in collected.values():
        assert all(turn == (0.0, False) for turn in turns[:-1])
        assert turns[-1][1] is True
    final = [turns[-1][0] for turns in collected.values()]
    # One (or a team) has won, or those who share the first place have drawn.
    assert set(final) <= {-1.0, 0.0, 1.0}
    winners = 2 if label in TEAMS else 1
    if label in SHARED:
        winners = max(winners, final.count(1.0))
    assert final.count(1.0) == winners or final.count(0.0) >= 2


@every_variant
def test_observations_work_for_everybody_after_the_end(label):
    env = factories(label)[0]()
    env.reset(seed=1)
    play(env, np.random.default_rng(1))
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(env.observe(agent))
        assert not env.observe(agent)["action_mask"].any()


@every_variant
def test_spaces_metadata_and_names(label):
    name, _ = VARIANTS[label]
    for env in (make() for make in factories(label)):
        inner = env.unwrapped
        env.reset(seed=1)
        # Tutorials unpack the values in this order.
        seen = inner._observation(0, asked=True)
        assert list(seen) == ["observation", "action_mask"]
        assert str(env) == env.metadata["name"] == f"{name}_v{inner.game.version}"
        assert env.metadata["render_modes"] == ["human", "rgb_array", "ansi"]
        assert env.possible_agents == [
            f"player_{p}" for p in range(inner.forward_model.players)
        ]
        for agent in env.possible_agents:
            space = env.observation_space(agent)
            assert set(space) == {"observation", "action_mask"}
            assert {part.dtype for part in space.values()} == {np.dtype(np.int8)}
            assert space is env.observation_space(agent)
            assert env.action_space(agent) is env.action_space(agent)


@every_variant
def test_actions_have_names_that_are_read_back(label):
    env = factories(label)[0]()
    env.reset(seed=2)
    for _, action in play(env, np.random.default_rng(2), most_steps=60):
        name = env.action_name(action)
        assert env.game.parse_action(env.forward_model, name) == action


# -- copies


@every_variant
@pytest.mark.parametrize("factory", [0, 1, 2], ids=["raw_env", "env", "parallel_env"])
@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["deepcopy", "pickle"],
)
def test_copies_in_mid_game_are_faithful_and_independent(label, factory, copied):
    env = factories(label)[factory]()
    steps = 0
    if factory == 2:
        observations, _ = env.reset(seed=3)
        rng = np.random.default_rng(3)
        for _ in range(3):
            observations, *_ = env.step(
                {
                    agent: random_legal(observation["action_mask"], rng)
                    for agent, observation in observations.items()
                    if observation["action_mask"].any()
                }
            )
    else:
        env.reset(seed=3)
        # An odd number: where two or three decide at once, an action is pending.
        steps = len(play(env, np.random.default_rng(3), most_steps=7))
        assert steps in (5, 6, 7)
    twin, third = copied(env), copied(env)
    before = [frozen(env.unwrapped.__getstate__()["attributes"]["_state"])]
    endings = [_finish(copy_of, observations if factory == 2 else None)
               for copy_of in (twin, third)]  # fmt: skip
    assert [frozen(env.unwrapped.__getstate__()["attributes"]["_state"])] == before
    assert endings[0] == endings[1]
    assert endings[0] == _finish(env, observations if factory == 2 else None)


@every_variant
@pytest.mark.parametrize("factory", [0, 2], ids=["raw_env", "parallel_env"])
def test_copies_of_all_kinds_stay_apart_when_they_step_in_turns(label, factory):
    def started():
        env = factories(label)[factory]()
        env.reset(seed=3)
        for _ in range(3):
            step(env, np.random.default_rng(3))
        return env

    def step(env, rng):
        """Take one random step; return all that is seen after it."""
        movers = env._undecided()
        actions = {}
        for player in movers[:1] if factory == 0 else movers:
            legal = env.forward_model.legal_actions(env._state, player)
            actions[env.possible_agents[player]] = int(rng.choice(legal))
        env.step(actions if factory == 2 else next(iter(actions.values())))
        return env.agents[:], env._movers, frozen(env.spectator_state())

    def playing(env, seed):
        rng = np.random.default_rng(seed)
        for _ in range(12):
            if not env._movers:
                return
            yield step(env, rng)

    alone = [list(playing(started(), seed)) for seed in (5, 6, 7)]
    env = started()
    twins = env, copy.copy(env), copy.copy(env)
    games = [playing(twin, seed) for twin, seed in zip(twins, (5, 6, 7), strict=True)]
    together = list(itertools.zip_longest(*games))
    assert [[s for s in game if s] for game in zip(*together, strict=True)] == alone


def _finish(env, observations):
    """Play on to the end and into the next game; return what was shown."""
    rng = np.random.default_rng(8)
    if observations is None:
        played = play(env, rng)
        return played, frozen(env.observe("player_0")), record(env, rng)
    shown = []
    while env.agents:
        observations, *rest = env.step(
            {
                agent: random_legal(observation["action_mask"], rng)
                for agent, observation in observations.items()
                if observation["action_mask"].any()
            }
        )
        shown.append((frozen(observations), rest))
    return shown, record_parallel(env, rng)


# -- planning


@every_variant
def test_planning_states_are_copies_of_the_position_for_the_player_to_move(label):
    env = factories(label)[1]()
    env.reset(seed=4)
    play(env, np.random.default_rng(4), most_steps=4)
    inner, rng = env.unwrapped, new_generator(1)
    before = frozen(env.observe(env.agent_selection))
    state, player = inner.planning_state(env.agent_selection, rng)
    model = inner.forward_model
    assert player in model.movers(state)
    mask = env.observe(env.agent_selection)["action_mask"]
    assert sorted(model.legal_actions(state, player)) == np.flatnonzero(mask).tolist()
    state[:] = 0
    assert frozen(env.observe(env.agent_selection)) == before


@every_simultaneous
def test_planning_does_not_show_what_others_hold(label):
    """Planning copies differ among themselves: none of them is the true deal."""
    env = factories(label)[0]()
    env.reset(seed=4)
    rng = new_generator(1)
    states = {env.planning_state("player_0", rng)[0].tobytes() for _ in range(5)}
    assert len(states) == 5


@every_simultaneous
def test_nobody_learns_a_pending_action(label):
    """Whatever the first agent chose, everything that can be looked at is the same."""
    env = factories(label)[1]()
    env.reset(seed=6)
    choices = np.flatnonzero(env.observe("player_0")["action_mask"])
    assert len(choices) > 1
    looks = []
    for choice in choices:
        env = factories(label)[1](render_mode="ansi")
        env.reset(seed=6)
        env.step(int(choice))
        inner = env.unwrapped
        states = [
            inner.planning_state(agent, new_generator(7))[0].tobytes()
            for agent in env.agents[1:]
        ]
        looks.append(
            (
                env.agent_selection,
                [frozen(env.observe(agent)) for agent in env.agents],
                states,
                env.rewards,
                env.terminations,
                env.infos,
                env.render(),
                inner.np_random.bit_generator.state,
                {
                    name: value.tobytes() if isinstance(value, np.ndarray) else value
                    for name, value in vars(inner).items()
                    if name in ("_state", "_rng", "_movers", "_finished")
                },
            )
        )
    assert all(look == looks[0] for look in looks)


@every_simultaneous
def test_a_player_whose_action_is_pending_has_no_decision(label):
    env = factories(label)[0]()
    env.reset(seed=6)
    env.step(random_legal(env.observe("player_0")["action_mask"], np.random))
    with pytest.raises(ValueError, match="player_0 has no decision to make now"):
        env.planning_state("player_0", new_generator(1))


# -- no pygame without pictures


def test_nothing_of_pygame_is_imported_without_pictures():
    code = """
import sys
import mcts_agents
import pettingzoo
from mcts_agents.envs import GAMES
assert not [m for m in sys.modules if m.startswith("mcts_agents.envs.hex")], "eager"
for name in GAMES:
    for api in ("aec", "parallel"):
        env = pettingzoo.make(api, f"mcts_agents/{name}-v0")
        env.reset(seed=1)
        if api == "aec":
            env.step(int(env.last()[0]["action_mask"].argmax()))
        env.close()
assert "pygame" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
