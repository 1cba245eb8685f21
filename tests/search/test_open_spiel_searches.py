"""Searches of OpenSpiel's games: decisions, budgets, and what is refused."""

import copy
import itertools

import numpy as np
import pytest

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.envs import environments, load_game, make_model
from mcts_agents.model import clock, new_generator
from mcts_agents.search import SearchSettings

pyspiel = pytest.importorskip("pyspiel")


def environment(spec, **options):
    raw_env, _, _ = environments(f"open_spiel:{spec}")
    env = raw_env(**options)
    env.reset(seed=0)
    return env


def played(env, moves):
    for move in moves:
        env.step(env.game.parse_action(env.forward_model, move))
    return env


@pytest.mark.parametrize("options", [{}, {"loop": "closed"}, {"solver": False}])
def test_tic_tac_toe_is_won_and_drawn(options):
    agent = MCTSAgent(simulations=2000, seed=1, **options)
    # x x _ / o o _: x wins at once; o would.
    env = played(environment("tic_tac_toe"), ["(0,0)", "(1,0)", "(0,1)", "(1,1)"])
    assert env.action_name(agent.act(env)) == "(0,2)"
    env = played(environment("tic_tac_toe"), ["(0,0)", "(1,1)", "(0,1)"])
    assert env.action_name(agent.act(env)) == "(0,2)"
    env = environment("tic_tac_toe")
    while env.agents:
        over = env.terminations[env.agent_selection]
        env.step(None if over else agent.act(env))
    assert env.forward_model.scores(env.spectator_state()).tolist() == [0.0, 0.0]


SETTINGS = (
    {},
    {"loop": "closed"},
    {"loop": "sampled"},
    {"tree": "multi"},
    {"tree": "self"},
    {"rollout": 3},
    {"rollout_policy": "mast"},
    {"graph": True},
    {"value": "score", "backup": "lambda"},
)


@pytest.mark.parametrize(
    "spec", ["connect_four", "leduc_poker", "pig", "goofspiel(num_cards=4)"]
)
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_same_seed_gives_the_same_decision(spec, settings):
    env = environment(spec, observation="blank")
    agent = MCTSAgent(simulations=300, seed=7, **settings)
    try:
        first = agent.plan(env)
    except ValueError as error:
        if not any(word in str(error) for word in settings):
            raise
        pytest.skip(str(error))
    # Again in the same model, which has met all of these positions, and in a new one.
    for other in (env, environment(spec, observation="blank")):
        again = MCTSAgent(simulations=300, seed=7, **settings).plan(other)
        assert visits(again) == visits(first)
        assert again.action == first.action
    if "rollout_policy" in settings:
        return  # a copy does not remember the averages of the first decision
    twin, env_twin = copy.deepcopy(agent), copy.deepcopy(env)
    assert visits(agent.plan(env)) == visits(twin.plan(env_twin))


def visits(result):
    return result.visits.tolist(), result.values.tolist()


@pytest.mark.parametrize("spec", ["connect_four", "oh_hell", "backgammon"])
def test_dropped_positions_change_no_decision(monkeypatch, spec):
    from mcts_agents.envs.open_spiel import positions, records

    def decision():
        agent = MCTSAgent(simulations=1500, seed=3)
        return visits(agent.plan(environment(spec, observation="blank")))

    kept = decision()
    monkeypatch.setattr(positions, "MOST_KEPT", 64)
    assert decision() == kept
    assert records.CHILDREN > 1500


@pytest.mark.parametrize("spec", ["leduc_poker", "blackjack", "backgammon", "hex"])
def test_full_tables_change_no_decision(spec):
    """What is known of positions is thrown away when its tables are full."""
    from mcts_agents.envs.open_spiel.records import CHILDREN, LISTS

    def decision(entries, listed):
        env = environment(spec, observation="blank")
        used = env.forward_model._children._used
        used[:] = entries, listed
        found = visits(MCTSAgent(simulations=400, seed=3).plan(env))
        return found, used.tolist()

    plain, _ = decision(0, 0)
    for entries, listed in ((CHILDREN // 2 - 100, 0), (0, LISTS - (1 << 16) - 50)):
        found, used = decision(entries, listed)
        assert found == plain
        if entries or spec != "hex":  # which lists nothing
            assert used[0] < CHILDREN // 4


def test_kuhn_poker_is_valued_exactly():
    """With the best card a bet is worth more, and the value is what it can be."""
    model = make_model("open_spiel:kuhn_poker")[1]
    agent = MCTSAgent(simulations=4000, seed=2)
    rng = new_generator(0)
    found = set()
    while len(found) < 3:
        state = model.reset(rng)
        card = model.position(state).history()[0]
        model.redeterminise(state, 0, rng)
        result = agent.search(model, state, 0)
        low, high = {0: (-1.3, 0.0), 1: (-1.0, 1.0), 2: (0.9, 2.0)}[card]
        assert low <= result.values.max() <= high
        found.add(card)
    # After a bet: fold the worst card, call with the best.
    for card, action in ((0, 0), (2, 1)):
        while True:
            state = model.reset(rng)
            if model.position(state).history()[1] == card:
                break
        model.apply(state, {0: 1}, rng)
        model.redeterminise(state, 1, rng)
        assert agent.search(model, state, 1).action == action


def test_matching_pennies_are_mixed():
    """Moves at once are chosen without seeing each other: nobody gains by the order."""
    model = make_model("open_spiel:matrix_mp")[1]
    state = model.reset(new_generator(0))
    assert model.movers(state) == (0, 1)
    agent = MCTSAgent(simulations=20000, tree_policy="regret_matching", seed=1)
    for player in (0, 1):
        result = agent.search(model, state, player)
        assert abs(result.values @ result.policy - 0.5) < 0.05
        assert abs(result.policy[0] - 0.5) < 0.05
    # And a dominant action is found in a game that is no zero-sum game.
    model = make_model("open_spiel:matrix_pd")[1]
    state = model.reset(new_generator(0))
    # (UCB1 explores in step for both, and so never meets a lone defector.)
    game = load_game("open_spiel:matrix_pd")
    for player in (0, 1):
        found = agent.search(model, state, player)
        best = int(found.actions[found.policy.argmax()])
        assert game.format_action(model, best) == "Defect"


@pytest.mark.parametrize(
    "spec", ["pig:players=3", "goofspiel:players=3", "kuhn_poker:players=3", "catch"]
)
def test_planners_beat_random_players_of_any_number(spec):
    more = "," if ":" in spec else ":"
    game, model = make_model(f"open_spiel:{spec}{more}observation=blank")
    _, _, parallel = environments(game)
    total = np.zeros(model.players)
    for seed in range(12):
        env = parallel(**model.variant)
        env.reset(seed=seed)
        planner = MCTSAgent(simulations=40, seed=seed)
        others = RandomAgent(seed=seed)
        best = seed % model.players
        while env.agents:
            actions = {}
            state = env.spectator_state()
            for player in model.movers(state):
                agent = planner if player == best else others
                name = f"player_{player}"
                actions[name] = agent.act(env, name)
            env.step(actions)
        scores = env.forward_model.scores(env.spectator_state())
        total += np.roll(scores, -best)
    if model.players > 1:
        assert total[0] > total[1:].max()
    else:
        assert total[0] > 0  # at random about -10


def test_what_a_search_cannot_do_is_refused():
    env = environment("breakthrough")
    with pytest.raises(ValueError, match=r"threads=2: .*runs in Python"):
        MCTSAgent(threads=2).act(env)
    with pytest.raises(ValueError, match="counted=true"):
        MCTSAgent(forward_model_calls=1000).act(env)
    MCTSAgent(forward_model_calls=1000, rollout=10).act(env)
    counted = environment("breakthrough", counted=True)
    result = MCTSAgent(forward_model_calls=1000, solver=False).plan(counted)
    assert result.forward_model_calls >= 1000 > result.simulations * 5
    with pytest.raises(ValueError, match="state_key"):
        MCTSAgent(graph=True).act(environment("chess", observation="blank"))
    with pytest.raises(ValueError, match="loop='closed'"):
        MCTSAgent(loop="closed").act(environment("pig", observation="blank"))


def test_graphs_join_what_is_one_position():
    model = make_model("open_spiel:tic_tac_toe")[1]
    keys = set()
    for order in itertools.permutations((0, 4, 2)):
        if order.index(4) != 1:
            continue
        state = model.reset(new_generator(0))
        for player, action in zip((0, 1, 0), order, strict=True):
            model.apply(state, {player: action}, new_generator(0))
        keys.add(model.state_key(state))
    assert len(keys) == 1
    env = environment("tic_tac_toe")
    assert MCTSAgent(simulations=300, graph=True, seed=1).plan(env).simulations == 300


def test_values_of_users_see_the_position():
    seen = []

    def value(model, state):
        position = model.position(state)
        seen.append(len(position.history()))
        return [0.5, 0.5]

    env = environment("hex(board_size=5)")
    MCTSAgent(simulations=50, rollout=0, value=value, seed=1).act(env)
    assert max(seen) > 1
    with pytest.raises(RuntimeError, match="counted=true"):
        MCTSAgent(simulations=50, rollout=1000, value=value, seed=1).act(env)
    # The agent and the model can be used as before.
    assert MCTSAgent(simulations=50, seed=1).plan(env).simulations == 50


def test_an_exception_in_a_callback_comes_out_as_itself(monkeypatch):
    env = environment("leduc_poker")
    model = env.forward_model
    calls = iter(range(10_000))

    def failing(*arguments):
        if next(calls) == 40:
            raise KeyboardInterrupt
        return original(*arguments)

    original = model._children.child()
    agent = MCTSAgent(simulations=500, seed=1)
    row = model.game["child"][0].copy()
    model.game.flags.writeable = True
    model.game["child"][0] = (model._address(model._guarded(failing), 4), 0)
    with pytest.raises(KeyboardInterrupt):
        agent.plan(env)
    model.game["child"][0] = row
    agent.reset(1)
    again = agent.plan(env)
    assert visits(again) == visits(MCTSAgent(simulations=500, seed=1).plan(env))


def test_trees_are_kept_and_one_step_agents_play():
    env = environment("connect_four")
    agent = MCTSAgent(simulations=200, reuse_tree=True, seed=1)
    other = OneStepAgent(seed=2)
    while env.agents:
        if env.terminations[env.agent_selection]:
            env.step(None)
            continue
        env.step((agent if env.agent_selection == "player_0" else other).act(env))
    assert env.forward_model.scores(env.spectator_state())[0] == 1.0


def test_budgets_in_seconds_are_kept(ticking_clock):
    env = environment("chess", observation="blank")
    agent = MCTSAgent(seconds=0.3, seed=1)
    for _ in range(3):
        result = agent.plan(env)
        assert result.simulations > 10
        assert 0.25 < result.seconds < 0.31


def test_settings_of_games_are_complete():
    for spec in ("hex", "backgammon:observation=blank", "kuhn_poker"):
        model = make_model(f"open_spiel:{spec}")[1]
        settings = SearchSettings().for_model(model)
        assert settings.rollout == model.facts.longest


def test_rollouts_action_by_action_look_at_the_clock(monkeypatch):
    looks = []
    look = clock.look
    monkeypatch.setattr(clock, "look", lambda: looks.append(look()))
    agent = MCTSAgent(simulations=10, rollout_policy="mast", seed=1)
    found = agent.plan(environment("go(board_size=9)"))
    assert len(looks) > found.forward_model_calls > 500
