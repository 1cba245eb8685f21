"""What batches hold, against the rows that they are drawn from."""

import json

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.learn.training.block_files import BlockFiles
from mcts_agents.learn.training.config import LearnerConfig
from mcts_agents.learn.training.game_settings import GameSettings
from mcts_agents.learn.training.replay import Replay, greedier, mixed
from mcts_agents.learn.training.self_play import SelfPlay
from mcts_agents.search import SearchSettings
from tests.search.evaluators import linear


def games_of(model, numbers, random_moves=0):
    settings = SearchSettings(
        evaluator=linear(model),
        simulations=4,
        value="win",
        batch=1,
        root_policy="gumbel",
        tree_policy="gumbel",
    )
    chosen = GameSettings(random_moves=random_moves)
    play = SelfPlay(model, settings, chosen, games=4, seed=3, numbers=numbers)
    return sorted(play, key=lambda game: game.number)


@pytest.mark.parametrize("name", ["tictactoe", "love_letter:players=3"])
def test_blocks_hold_the_games(name, tmp_path):
    model = make_model(name)[1]
    games = games_of(model, range(6, 12))
    assert [game.number for game in games] == list(range(6, 12))
    files = BlockFiles(tmp_path, model, name, 6)
    files.write(1, games)
    columns = files.read(1)
    start = 0
    for game in games:
        rows = slice(start, start + len(game))
        np.testing.assert_array_equal(columns["observation"][rows], game.observation)
        np.testing.assert_array_equal(columns["visits"][rows], game.policy)
        np.testing.assert_array_equal(columns["action_mask"][rows], game.legal)
        np.testing.assert_array_equal(columns["value"][rows], game.value)
        shares = np.tile(game.outcome.astype(np.float32), (len(game), 1))
        np.testing.assert_array_equal(columns["shares"][rows], shares)
        assert set(columns["game"][rows]) <= {game.number}
        start += len(game)
    assert start == len(columns["player"])


def test_blocks_are_counted_beyond_five_digits(tmp_path):
    files = BlockFiles(tmp_path, make_model("tictactoe")[1], "tictactoe", 1)
    for block in (99_999, 100_000):
        files.path(block).touch()
    files.describe()
    assert json.loads((tmp_path / "dataset.json").read_text())["games"] == 100_001


def test_with_many_actions_masks_and_policies_are_whole_again(tmp_path):
    model = make_model("chinese_checkers")[1]
    games = games_of(model, range(1))
    files = BlockFiles(tmp_path, model, "chinese_checkers", 1)
    files.write(0, games)
    columns = files.read(0)
    assert "legal_count" in columns
    np.testing.assert_array_equal(columns["visits"], games[0].policy)
    np.testing.assert_array_equal(columns["action_mask"], games[0].legal)


def test_random_moves_have_no_rows_and_come_in_every_second_game():
    model = make_model("connect_four:width=5,height=4")[1]
    games = games_of(model, range(40), random_moves=5)
    first = {game.number: int(game.ply[0]) for game in games if len(game)}
    assert {ply for number, ply in first.items() if number % 2 == 0} == {0}
    assert {ply for number, ply in first.items() if number % 2} == {1, 2, 3, 4, 5}


def test_batches_are_rows_seen_from_some_side(tmp_path):
    model = make_model("tictactoe")[1]
    files = BlockFiles(tmp_path, model, "tictactoe", 20)
    files.write(0, games_of(model, range(20)))
    columns = files.read(0)
    replay = Replay(model, LearnerConfig(search_value=0.0))
    replay.add(columns, window=10)
    batch = replay.sample(64, np.random.default_rng(1))
    flat = columns["observation"].reshape(len(replay), -1)
    seen = 0
    for row in range(64):
        twin = batch.observations[row].reshape(-1)
        for number, symmetry in enumerate(model.symmetries):
            same = (flat[:, symmetry.observation] == twin).all(axis=1)
            policies = columns["visits"][same][:, symmetry.actions]
            shares = columns["shares"][same, columns["player"][same]]
            fits = (policies == batch.policy[row]).all(axis=1)
            if (fits & (shares == batch.values[row, 0])).any():
                seen |= 1 << number
                break
        else:
            pytest.fail("a row that was never played")
    assert seen.bit_count() > 4  # several sides


def test_the_window_holds_the_last_blocks(tmp_path):
    model = make_model("tictactoe")[1]
    files = BlockFiles(tmp_path, model, "tictactoe", 4)
    replay, sizes = Replay(model, LearnerConfig(symmetries=False)), []
    for block in range(4):
        files.write(block, games_of(model, range(4 * block, 4 * block + 4)))
        columns = files.read(block)
        sizes.append(len(columns["player"]))
        replay.add(columns, window=sizes[-1] + 1)
        assert len(replay) == sum(sizes[-2:])
    config = LearnerConfig(least_window=10, window_share=0.5, most_window=40)
    assert [config.window(n) for n in (4, 30, 60, 1000)] == [10, 15, 30, 40]


def test_half_of_the_policy_goes_to_the_best_action():
    policy = np.array([[0.5, 0.3, 0.2], [0.4, 0.2, 0.4], [0.0, 1.0, 0.0]], np.float32)
    found = greedier(policy, 0.5)
    expected = [[0.75, 0.15, 0.1], [0.45, 0.1, 0.45], [0.0, 1.0, 0.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_array_equal(greedier(policy, 0.0), policy)
    np.testing.assert_allclose(greedier(policy, 1.0)[1], [0.5, 0.0, 0.5], rtol=1e-6)


def test_policies_are_learned_greedier(tmp_path):
    model = make_model("tictactoe")[1]
    files = BlockFiles(tmp_path, model, "tictactoe", 4)
    files.write(0, games_of(model, range(4)))
    columns = files.read(0)
    replay = Replay(model, LearnerConfig(greedy_share=0.5, symmetries=False))
    replay.add(columns, window=10)
    wanted = {row.tobytes() for row in greedier(columns["visits"], 0.5)}
    batch = replay.sample(64, np.random.default_rng(1))
    assert {row.tobytes() for row in batch.policy} <= wanted


def test_value_targets_mix_results_and_searches():
    shares = np.array([[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5], [1, 0, 0]], np.float32)
    values = np.array([0.5, 0.4, np.nan, 1.0], np.float32)
    found = mixed(shares, values, 0.5)
    expected = [[0.75, 0.125, 0.125], [0.2, 0.8, 0], [0, 0.5, 0.5], [1, 0, 0]]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_array_equal(mixed(shares, values, 0.0), shares)
