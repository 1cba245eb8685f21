"""Games of OpenSpiel: their rules here are pyspiel's, their names and options ours."""

import copy
import gzip
import itertools
import json
import pickle
import random

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from mcts_agents import MCTSAgent
from mcts_agents.envs import environments, load_game, make_model, parse_game
from mcts_agents.envs.open_spiel.facts import PARTNERS
from mcts_agents.envs.open_spiel.records import HEAD, LENGTH
from mcts_agents.model import new_generator
from mcts_agents.testing import check_environment
from tests.golden import golden_folder

pyspiel = pytest.importorskip("pyspiel")

# Sequential, chance, simultaneous, hidden, more players, rewards on the way.
SPECS = (
    "tic_tac_toe",
    "breakthrough",
    "hex(board_size=5)",
    "go(board_size=5)",
    "othello",
    "kuhn_poker:players=3",
    "leduc_poker",
    "liars_dice",
    "hearts",
    "backgammon",
    "pig:players=3",
    "goofspiel(num_cards=4)",
    "goofspiel:players=3",
    "matrix_pd",
    "oshi_zumo",
    "markov_soccer",
    "catch",
    "cliff_walking",
    "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
)


def model_of(spec):
    return make_model(f"open_spiel:{spec}")[1]


@pytest.mark.parametrize("spec", SPECS)
def test_random_games_are_those_of_pyspiel(spec):
    model = model_of(spec)
    draws = random.Random(1)
    rng = new_generator(1)
    for _ in range(4):
        state = model.reset(rng)
        for _ in range(200):
            position = model.position(state)
            movers = model.movers(state)
            assert list(model.scores(state)) == position.returns()
            if position.is_terminal():
                break
            if position.is_simultaneous_node():
                deciding = [
                    p for p in range(model.players) if position.legal_actions(p)
                ]
            else:
                deciding = [position.current_player()]
            assert list(movers) == deciding
            assert not position.is_chance_node()
            joint = {}
            for player in movers:
                legal = model.legal_actions(state, player).tolist()
                assert legal == position.legal_actions(player)
                joint[player] = draws.choice(legal)
            model.apply(state, joint, rng)
            after = model.position(state)
            if position.is_simultaneous_node():
                position.apply_actions([joint.get(p, 0) for p in range(model.players)])
            else:
                position.apply_action(joint[movers[0]])
            if not position.is_chance_node():
                assert str(position) == str(after)
                assert position.history() == after.history()
        returns = model.scores(state)
        if model.is_over(state):
            best = returns.max()
            leaders = (returns == best).sum()
            for result, got in zip(model.results(state), returns, strict=True):
                if leaders == model.players or (got == best and leaders > 1):
                    assert result == 2
                else:
                    assert result == (1 if got == best else 3)


def replayed(model, name, game):
    """Play a recorded game; return what differs."""
    rng = new_generator(0)
    state = model.reset(rng)
    position = model.facts.game.new_initial_state()
    for ply, player in enumerate(game["players"]):
        assert model.movers(state) == (player,)
        names = {
            position.action_to_string(player, a): a for a in position.legal_actions()
        }
        assert sorted(model.legal_actions(state, player)) == sorted(names.values())
        assert len(names) == len(game["legal"][ply].split())
        move = translated(name, model.players, player, game["moves"][ply])
        (action,) = [a for text, a in names.items() if text.rstrip("*") == move]
        model.apply(state, {player: action}, rng)
        position.apply_action(action)
    assert model.is_over(state)
    assert model.scores(state).tolist() == game["returns"]


def translated(name, players, player, move):
    """Return a recorded move as OpenSpiel writes it."""
    if name == "connect_four":
        return f"{'xo'[player]}{int(move) - 1}"
    if name == "tic_tac_toe":
        return f"{'xo'[player]}({int(move[1]) - 1},{ord(move[0]) - ord('a')})"
    return move


@pytest.mark.parametrize(
    ("file", "spec"),
    [
        ("tic_tac_toe", "tic_tac_toe"),
        ("connect_four", "connect_four"),
        ("breakthrough_6x5", "breakthrough(rows=6,columns=5)"),
        ("breakthrough_8x8", "breakthrough"),
        ("hex_7x7", "hex(board_size=7)"),
    ],
)
def test_recorded_games_are_played_to_their_returns(file, spec):
    recorded = golden_folder("openspiel") / f"{file}.jsonl.gz"
    if not recorded.exists():
        pytest.skip(f"there are no recordings of {file} here")
    model = model_of(spec)
    with gzip.open(recorded, "rt") as lines:
        next(lines)
        games = [json.loads(line) for line in itertools.islice(lines, 10)]
    assert games
    for game in games:
        replayed(model, file, game)


def test_specs_are_those_of_this_package_and_of_pyspiel():
    assert parse_game("open_spiel:hex(board_size=7)") == (
        "open_spiel:hex(board_size=7)",
        {},
    )
    assert parse_game("open_spiel:hex:board_size=7") == (
        "open_spiel:hex",
        {"board_size": 7},
    )
    nested = "open_spiel:turn_based_simultaneous_game(game=goofspiel(num_cards=4))"
    assert parse_game(f"{nested}:counted=true") == (nested, {"counted": True})
    assert model_of("hex(board_size=7)").actions == 49
    assert model_of("hex:board_size=7").actions == 49
    assert model_of("hex(board_size=7):num_cols=3").actions == 21
    assert model_of("go:komi=6,board_size=5").facts.game.get_parameters()["komi"] == 6.0
    assert load_game("open_spiel:hex") is load_game("open_spiel:hex")
    assert load_game("open_spiel:kuhn_poker").player_counts == tuple(range(2, 11))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hexx", "unknown game of OpenSpiel 'hexx': did you mean hex"),
        ("hex:bord=3", "unknown option of open_spiel:hex 'bord'"),
        ("hex(bord=3)", "Unknown parameter 'bord'"),
        ("hex:board_size=big", "board_size='big': expected a whole number"),
        ("hex:players=3", "players=3: open_spiel:hex is for 2"),
        ("kuhn_poker:players=11", "players=11: open_spiel:kuhn_poker is for 2 to 10"),
        ("hex(board_size=7", "parentheses do not match"),
        ("hex:observation=words", "observation='words': open_spiel:hex has auto,"),
        ("hex:counted=3", "counted=3: expected true or false"),
        ("liars_dice_ir", "no tensor of what a player sees there; add the option"),
        ("mfg_garnet", "mean field game"),
        ("tarok(rng_seed=3)", "chance is drawn with the seed that reset gets"),
        ("tarok:rng_seed=3", "unknown option of open_spiel:tarok 'rng_seed'"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(spec, words):
    with pytest.raises(ValueError) as caught:
        model_of(spec)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(PARTNERS))
def test_partners_get_the_same(name):
    model = model_of(name)
    rng = new_generator(2)
    found = set()
    for _ in range(20):
        state = model.reset(rng)
        model.playout(state, rng, model.facts.longest)
        kept = model.scores(state).tolist()
        counted = model.facts.game.new_initial_state()
        draws = random.Random(len(found))
        while not counted.is_terminal():
            counted.apply_action(draws.choice(counted.legal_actions()))
        for returns in (kept, counted.returns()):
            assert returns[0] == returns[2] == -returns[1] == -returns[3]
            found.add(returns[0])
    assert len(found) > 2


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        ("tarok", 30),
        ("negotiation", 30),
        ("stones_and_gems", 30),
        ("bridge_uncontested_bidding", 1),  # to score a game takes it seconds
    ],
)
def test_chance_that_openspiel_draws_itself_comes_from_the_seed(spec, steps):
    def games(seed):
        model = model_of(f"{spec}:observation=blank")
        rng, draws, shown = new_generator(seed), random.Random(3), []
        for _ in range(3):
            state = model.reset(rng)
            for _ in range(steps):
                movers = model.movers(state)
                if not movers:
                    break
                legal = model.legal_actions(state, movers[0]).tolist()
                model.apply(state, {movers[0]: draws.choice(legal)}, rng)
                shown.append(str(model.position(state)))
            # What was dropped is played again, chance included.
            model._positions.by_number.clear()
            assert str(model.position(state)) == shown[-1]
        return shown

    found = games(1)
    assert games(1) == found
    if spec != "stones_and_gems":  # whose default board leaves nothing to chance
        assert games(2) != found


def test_games_with_dice_of_their_own_are_planned_in():
    raw_env, _, _ = environments("open_spiel:stones_and_gems")
    env, untouched = raw_env(observation="blank"), raw_env(observation="blank")
    env.reset(seed=1), untouched.reset(seed=1)
    plans = [
        MCTSAgent(simulations=20, rollout=rollout, seed=3).plan(env).visits.tolist()
        for rollout in (1000, 1000, 5)
    ]
    assert plans[0] == plans[1]
    for _ in range(10):
        for each in (env, untouched):
            each.step(1)
        MCTSAgent(simulations=5, rollout=5, seed=3).act(env)
    assert str(env.forward_model.position(env.spectator_state())) == str(
        untouched.forward_model.position(untouched.spectator_state())
    )


def test_chance_has_the_frequencies_of_openspiel():
    model = model_of("kuhn_poker")
    rng = new_generator(5)
    counts = np.zeros((3, 3))
    for _ in range(6000):
        counts[tuple(model.position(model.reset(rng)).history())] += 1
    assert np.diag(counts).sum() == 0
    off = counts[~np.eye(3, dtype=bool)]
    assert ((off - 1000) ** 2 / 1000).sum() < 20.5  # chi square of 5, p = 0.001
    # Of unequal outcomes: markov_soccer's ball, a die, and its rollouts' chance.
    model = model_of("pig")
    rolled = np.zeros(6)
    for _ in range(3000):
        state = model.reset(rng)
        model.apply(state, {0: 0}, rng)
        rolled[model.position(state).history()[-1]] += 1
    assert ((rolled - 500) ** 2 / 500).sum() < 20.5


@pytest.mark.parametrize("spec", ["tic_tac_toe", "kuhn_poker", "pig:players=3"])
def test_environments_keep_the_interfaces_of_pettingzoo(spec):
    _, env, parallel_env = environments(f"open_spiel:{spec.partition(':')[0]}")
    _, options = parse_game(f"open_spiel:{spec}")
    if spec.startswith("pig"):
        options["observation"] = "blank"
    api_test(env(**options), num_cycles=60)
    parallel_api_test(parallel_env(**options), num_cycles=60)


def test_rewards_may_be_those_of_openspiel():
    _, _, parallel_env = environments("open_spiel:catch")
    env = parallel_env(official_rewards=True)
    env.reset(seed=1)
    total = 0.0
    while env.agents:
        mask = env._observation(0, True)["action_mask"]
        rewards = env.step({"player_0": int(mask.argmax())})[1]
        total += rewards["player_0"]
    assert total == env.forward_model.scores(env.spectator_state())[0] != 0.0


def test_states_and_environments_are_copied_and_pickled():
    raw_env, _, _ = environments("open_spiel:leduc_poker")
    env = raw_env()
    env.reset(seed=4)
    env.step(1)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for twin in twins:
        assert str(twin.forward_model.position(twin.spectator_state())) == str(
            env.forward_model.position(env.spectator_state())
        )
    while env.agents:
        action = 1 if not env.terminations[env.agent_selection] else None
        for each in (env, *twins):
            each.step(action)
    assert not any(twin.agents for twin in twins)
    # A model of another process has never heard of the position.
    state = raw_env().forward_model.new_state()
    state[:] = env.spectator_state()
    other = model_of("leduc_poker")
    assert str(other.position(state)) == str(env.forward_model.position(state))


def test_dropped_positions_are_played_again(monkeypatch):
    from mcts_agents.envs.open_spiel import positions

    monkeypatch.setattr(positions, "MOST_KEPT", 4)
    model = model_of("tic_tac_toe")
    rng = new_generator(0)
    states = [model.reset(rng)]
    for action in range(7):
        states.append(states[-1].copy())
        model.apply(states[-1], {action % 2: action}, rng)
    for number, state in enumerate(states):
        assert model.position(state).history() == list(range(number))


def test_actions_have_names_that_can_be_typed():
    for spec in (
        "breakthrough",
        "tic_tac_toe",
        "leduc_poker",
        "goofspiel(num_cards=4)",
    ):
        game, model = make_model(f"open_spiel:{spec}")
        state = model.reset(new_generator(0))
        player = model.movers(state)[0]
        names = [game.format_action(model, a) for a in range(model.actions)]
        assert len(set(names)) == model.actions
        for action in model.legal_actions(state, player):
            assert not names[action].isdecimal()
            assert game.parse_action(model, names[action]) == action
    game, model = make_model("open_spiel:breakthrough")
    assert "a7a6" in {game.format_action(model, a) for a in range(model.actions)}


def test_observations_are_those_of_openspiel_or_refused():
    model = model_of("leduc_poker")
    state = model.reset(new_generator(0))
    position = model.position(state)
    for player in range(2):
        seen = model.observe(state, player)
        assert seen.ravel().tolist() == position.observation_tensor(player)
    model = model_of("leduc_poker:observation=information_state")
    state = model.reset(new_generator(0))
    seen = model.observe(state, 1).ravel().tolist()
    assert seen == model.position(state).information_state_tensor(1)
    raw_env, _, _ = environments("open_spiel:oware")
    env = raw_env()
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="add the option observation=blank"):
        env.observe("player_0")
    parallel = environments("open_spiel:oware")[2]
    env = parallel()
    for _ in range(2):  # and nothing is left of it
        with pytest.raises(RuntimeError, match="add the option observation=blank"):
            env.reset(seed=0)
    env = raw_env(observation="blank")
    env.reset(seed=0)
    assert env.observe("player_0")["observation"].tolist() == [0]


def test_a_game_that_goes_on_for_longer_than_it_says_is_an_error():
    """Where compiled code would write past the end of a state."""
    model, rng = model_of("pig"), new_generator(0)
    state = model.reset(rng)
    (player,) = model.movers(state)
    words = state.view(np.int64)
    words[LENGTH] = 2 * (len(words) - HEAD - 2 * model.players) - 1
    longest = model.copy(state)
    model.apply(longest, {player: 1}, rng)  # one action fits
    words[LENGTH] += 1
    with pytest.raises(RuntimeError, match="longer than its max_history_length"):
        model.apply(state, {player: 1}, rng)


def test_playouts_end_where_they_are_told_to():
    model = model_of("breakthrough")
    rng = new_generator(2)
    state = model.reset(rng)
    for limit in (0, 1, 7):
        played = state.copy()
        assert model.playout(played, rng, limit) == limit
        assert len(model.position(played).history()) == limit
    whole = state.copy()
    assert model.playout(whole, rng) == 1  # one call of OpenSpiel
    assert model.is_over(whole)
    assert sorted(model.scores(whole)) == [-1.0, 1.0]
    with pytest.raises(RuntimeError, match="counted=true"):
        model.position(whole)
    model = model_of("breakthrough:counted=true")
    state = model.reset(rng)
    played = model.playout(state, rng)
    position = model.position(state)
    assert position.is_terminal() and len(position.history()) == played
    model = model_of("goofspiel(num_cards=4):counted=true")
    state = model.reset(rng)
    assert model.playout(state, rng) == 6  # the last cards are played by themselves
    model = model_of("goofspiel(num_cards=4)")
    state = model.reset(rng)
    assert model.playout(state, rng, 5) == 4


@pytest.mark.parametrize("spec", ["connect_four", "leduc_poker", "backgammon", "pig"])
def test_whole_rollouts_are_worth_what_single_steps_are(spec):
    option = ":observation=blank" if spec in ("backgammon", "pig") else ""
    whole, counted = (model_of(f"{spec}{option or ':'}{more}") for more in ("", ""))
    rng = new_generator(3)
    games = 120 if spec == "backgammon" else 600
    state = whole.reset(new_generator(8))
    first = []
    for _ in range(games):
        end = state.copy()
        whole.playout(end, rng)
        first.append(whole.scores(end)[0])
    second = []
    for _ in range(games):
        end = state.copy()
        counted.playout(end, rng, counted.facts.longest - 1)
        second.append(counted.scores(end)[0])
    error = np.sqrt((np.var(first) + np.var(second)) / games)
    assert abs(np.mean(first) - np.mean(second)) < 4 * error


@pytest.mark.parametrize("spec", ["tic_tac_toe", "leduc_poker"])
def test_environments_pass_the_checks_for_planning(spec):
    raw_env, _, _ = environments(f"open_spiel:{spec}")
    assert "no mistake found" in str(check_environment(raw_env, episodes=1))
