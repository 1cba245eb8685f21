"""Hidden information in OpenSpiel's games: agents plan on what their player knows."""

import copy
import random
from collections import Counter

import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.envs import environments, make_model
from mcts_agents.envs.open_spiel import records
from mcts_agents.envs.open_spiel.facts import ENUMERABLE
from mcts_agents.envs.open_spiel.tables import worlds_of
from mcts_agents.model import new_generator

pyspiel = pytest.importorskip("pyspiel")

# All that OpenSpiel can resample, without bridge, which takes it seconds a sample, and
# gin_rummy, which it resamples wrongly.
RESAMPLED = (
    "kuhn_poker",
    "kuhn_poker:players=3",
    "leduc_poker",
    "leduc_poker:players=3",
    "universal_poker:observation=blank",
    "hearts",
    "oh_hell",
    "euchre",
    "blackjack",
    "bargaining",
)


def walks(spec, episodes, seed):
    """Yield states of random games with their model, and who is to move."""
    model = make_model(f"open_spiel:{spec}")[1]
    rng, draws = new_generator(seed), random.Random(seed)
    for _ in range(episodes):
        state = model.reset(rng)
        for _ in range(40):
            movers = model.movers(state)
            if not movers:
                break
            yield model, state, movers[0]
            joint = {p: draws.choice(model.legal_actions(state, p)) for p in movers}
            model.apply(state, joint, rng)


@pytest.mark.parametrize("spec", RESAMPLED)
def test_samples_agree_with_what_their_player_knows(spec):
    rng = new_generator(3)
    for model, state, player in walks(spec, 3, seed=1):
        known = model.knowledge(model.position(state), player)
        legal = model.legal_actions(state, player).tolist()
        sample = model.copy(state)
        model.redeterminise(sample, player, rng)
        assert model.knowledge(model.position(sample), player) == known
        assert model.legal_actions(sample, player).tolist() == legal
        assert model.movers(sample) == model.movers(state)
        assert model.hidden_information


def bytes_of_what_can_be_known(model, state, sample):
    """Return a sample's bytes, without numbers that each process or copy draws."""
    words = sample.view(np.int64).copy()
    words[[records.OWNER, records.NUMBER, records.ROOT, records.KEPT]] = 0
    return words.tobytes()


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "hearts", "oh_hell"])
def test_samples_do_not_depend_on_what_is_hidden(spec):
    """Two positions that are the same to a player give the same samples.

    The second is a sample of the first: whatever is hidden differs, and what the player
    knows does not. If anything of the truth got into a sample the two would differ.
    """
    differing = 0
    for model, state, player in walks(spec, 8, seed=2):
        other = model.copy(state)
        model.redeterminise(other, player, new_generator(99))
        differing += model.position(other).history() != model.position(state).history()
        for seed in range(5):
            found = set()
            for truth in (state, other):
                sample = model.copy(truth)
                model.redeterminise(sample, player, new_generator(seed))
                found.add(bytes_of_what_can_be_known(model, truth, sample))
            assert len(found) == 1
    assert differing >= 3


def test_the_check_above_would_catch_a_leak(monkeypatch):
    from mcts_agents.envs.open_spiel.model import SpielModel

    # OpenSpiel's resample, replaced by the truth: what a cheating model would plan on.
    monkeypatch.setattr(SpielModel, "_resample", lambda self, *_: 1)
    with pytest.raises(AssertionError):
        test_samples_do_not_depend_on_what_is_hidden("leduc_poker")


def test_decisions_do_not_depend_on_what_is_hidden():
    raw_env, _, _ = environments("open_spiel:leduc_poker")
    env = raw_env()
    for seed in range(8):
        env.reset(seed=seed)
        twin = copy.deepcopy(env)
        # The same to the player, with another card in the opponent's hand.
        model, state = env.forward_model, env.spectator_state()
        model.redeterminise(state, 0, new_generator(seed))
        twin._state[:] = state
        plans = [MCTSAgent(simulations=200, seed=5).plan(each) for each in (env, twin)]
        assert plans[0].action == plans[1].action
        assert plans[0].visits.tolist() == plans[1].visits.tolist()


def test_a_strong_sample_has_the_right_frequencies():
    model = make_model("open_spiel:kuhn_poker:players=3")[1]
    state = model.reset(new_generator(0))
    own = model.position(state).history()[0]
    counts = {}
    rng = new_generator(1)
    for _ in range(1200):
        sample = model.copy(state)
        model.redeterminise(sample, 0, rng)
        cards = tuple(model.position(sample).history())
        assert cards[0] == own
        counts[cards] = counts.get(cards, 0) + 1
    assert len(counts) == 6
    assert sum((n - 200) ** 2 / 200 for n in counts.values()) < 20.5


def worlds_of_a_search(spec, simulations):
    """Return the deals in which the iterations of one search began."""
    model = make_model(f"open_spiel:{spec}")[1]
    state = model.reset(new_generator(0))
    (player,) = model.movers(state)
    model.redeterminise(state, player, new_generator(1))
    dealt = len(model.position(state).history())
    met = []

    def value(model, leaf):
        met.append(tuple(model.position(leaf).history()[:dealt]))
        return [0.0] * model.players

    agent = MCTSAgent(simulations=simulations, rollout=0, value=value, seed=3)
    agent.search(model, state, player)
    return met


def test_a_search_begins_in_so_many_worlds_at_the_most():
    assert len(set(worlds_of_a_search("oh_hell:worlds=5", 300))) == 5
    assert len(set(worlds_of_a_search("oh_hell:worlds=0", 300))) > 250
    counts = Counter(worlds_of_a_search("oh_hell:worlds=4", 2000))
    # Each of the first four iterations has its own, and all are drawn alike then.
    assert sum((n - 500) ** 2 / 500 for n in counts.values()) < 16.3
    # Below the limit nothing is used again.
    few = worlds_of_a_search("oh_hell:worlds=400", 300)
    assert few == worlds_of_a_search("oh_hell:worlds=0", 300)


def test_a_search_of_few_worlds_meets_all_of_them_as_often_as_they_are_likely():
    counts = Counter(worlds_of_a_search("kuhn_poker:players=3,worlds=100", 3000))
    assert len(counts) == 6
    assert sum((n - 500) ** 2 / 500 for n in counts.values()) < 20.5


@pytest.mark.parametrize("spec", sorted(ENUMERABLE))
def test_listed_worlds_are_those_that_openspiel_samples(spec):
    compared = 0
    for model, state, player in walks(f"{spec}:observation=blank", 3, seed=4):
        truth = model.position(state)
        worlds = {}
        for world, chance in worlds_of(truth, player, 1000):
            assert model.knowledge(world, player) == model.knowledge(truth, player)
            history = tuple(world.history())
            worlds[history] = worlds.get(history, 0.0) + chance
        draws = random.Random(compared)
        count = 50 * len(worlds)
        sampled = Counter(
            tuple(truth.resample_from_infostate(player, draws.random).history())
            for _ in range(count)
        )
        assert set(sampled) <= set(worlds)
        share = count / sum(worlds.values())
        distance = sum(
            (sampled[history] - chance * share) ** 2 / (chance * share)
            for history, chance in worlds.items()
        )
        freedom = max(len(worlds) - 1, 1)
        assert distance < freedom + 4.5 * (2 * freedom) ** 0.5
        compared += 1
        if compared == 8:
            break
    assert compared >= 4


def test_worlds_are_an_option_of_games_that_hide_something():
    with pytest.raises(ValueError, match="worlds=-1: expected a whole number from 0"):
        make_model("open_spiel:kuhn_poker:worlds=-1")
    with pytest.raises(ValueError, match="worlds"):
        make_model("open_spiel:hex:worlds=5")


@pytest.mark.parametrize("spec", ["battleship", "phantom_ttt", "liars_dice", "hanabi"])
def test_games_that_cannot_be_resampled_cannot_be_planned_in(spec):
    raw_env, _, _ = environments(f"open_spiel:{spec}")
    env = raw_env(observation="blank")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="OpenSpiel cannot resample it"):
        MCTSAgent(simulations=10).act(env)
    # It is played all the same, by whoever needs no copy.
    state = env.spectator_state()
    player = env.forward_model.movers(state)[0]
    env.step(env.forward_model.legal_actions(state, player)[0])


def test_a_game_with_false_samples_is_refused():
    raw_env, _, _ = environments("open_spiel:gin_rummy")
    env = raw_env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="contradicts what the player knows"):
        MCTSAgent(simulations=10).act(env)


def test_keys_are_of_what_a_player_knows():
    for model, state, player in walks("leduc_poker", 4, seed=7):
        sample = model.copy(state)
        model.redeterminise(sample, player, new_generator(0))
        assert model.state_key(sample, player) == model.state_key(state, player)
        if model.position(sample).history() != model.position(state).history():
            assert model.state_key(sample) != model.state_key(state)
            assert model.state_key(sample, 1 - player) != model.state_key(
                state, 1 - player
            )


def test_pictures_show_players_what_they_know():
    game, model = make_model("open_spiel:kuhn_poker")
    state = model.reset(new_generator(0))
    cards = model.position(state).history()
    assert game.ansi(model, state, 0) == str(cards[0])
    assert game.ansi(model, state, None) == f"{cards[0]} {cards[1]}"


def test_cards_that_are_passed_in_hearts_were_held():
    """OpenSpiel's own samples let players pass cards that they were not dealt."""
    model = make_model("open_spiel:hearts")[1]
    rng, draws = new_generator(5), random.Random(5)
    samples = Counter()
    for _ in range(6):
        state = model.reset(rng)
        for _ in range(12):
            (player,) = model.movers(state)
            if model.position(state).history()[0] == 0:
                break  # nobody passes
            known = model.knowledge(model.position(state), player)
            for _ in range(5):
                sample = model.copy(state)
                model.redeterminise(sample, player, rng)
                position = model.position(sample)
                assert model.knowledge(position, player) == known
                replayed = position.get_game().new_initial_state()
                for action in position.history():
                    assert action in replayed.legal_actions()
                    replayed.apply_action(action)
                samples[
                    position.history()[53:] == model.position(state).history()[53:]
                ] += 1
            MCTSAgent(simulations=20, seed=1).search(model, state, player)
            legal = model.legal_actions(state, player)
            model.apply(state, {player: draws.choice(legal)}, rng)
    assert samples[False] > 100
