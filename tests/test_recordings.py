"""The recorded games that travel with the project, and how they are chosen."""

import gzip
import json

import numpy as np
import pytest

from tests.golden import SMALL_SET, golden_folder, is_small
from tests.recordings.choose import OPENSPIEL, TAG, chosen

MOST_BYTES = 800_000
ARCHIVES = {
    *("games", "midgame", "observations"),
    *("simple_agent_policy", "simple_unbiased_policy"),
}


def test_the_chosen_games_show_all_features():
    rng = np.random.default_rng(3)
    for _ in range(20):
        features = [set(rng.choice(40, 6).tolist()) for _ in range(60)]
        costs = rng.integers(1, 9, 60).tolist()
        picks = chosen(features, costs)
        assert picks == sorted(set(picks))
        everything = set().union(*features)
        assert set().union(*(features[n] for n in picks)) == everything
        for left_out in picks:
            others = (features[n] for n in picks if n != left_out)
            assert set().union(*others) != everything


def test_a_dear_game_is_taken_only_for_what_it_alone_shows():
    features = [{1, 2, 3}, {1}, {2}, {3}]
    assert chosen(features, [9, 1, 1, 1]) == [1, 2, 3]
    assert chosen([*features, {4}], [1, 9, 9, 9, 50]) == [0, 4]


def test_every_file_is_there_and_they_are_small():
    files = {path for path in SMALL_SET.rglob("*") if path.is_file()}
    assert sum(path.stat().st_size for path in files if path.suffix != ".pyc") < (
        MOST_BYTES
    )
    for reference, names, ending in (
        ("openspiel", OPENSPIEL, ".jsonl.gz"),
        ("tag", TAG, ".jsonl.gz"),
        ("pommerman", ARCHIVES, ".npz"),
    ):
        folder = SMALL_SET / reference
        found = {path.name for path in folder.iterdir()}
        assert found == {name + ending for name in names}


def games_of(path):
    """Each game of a file or an archive as one comparable value."""
    if path.suffix == ".gz":
        header, *games = gzip.decompress(path.read_bytes()).splitlines()
        return {header}, set(games)
    with np.load(path) as archive:
        metas = [json.loads(str(meta)) for meta in archive["game_meta"]]
        lengths = archive["game_n_steps"].tolist()
        starts = archive["game_step0"].tolist()
        actions = archive["actions"]
        played = [
            actions[start : start + length].tobytes()
            for start, length in zip(starts, lengths, strict=True)
        ]
    games = zip(metas, lengths, played, strict=True)
    return set(), {(str(meta), length, moves) for meta, length, moves in games}


@pytest.mark.parametrize(
    "file",
    [
        *(f"openspiel/{name}.jsonl.gz" for name in OPENSPIEL),
        *(f"tag/{name}.jsonl.gz" for name in TAG),
        *("pommerman/games.npz", "pommerman/midgame.npz"),
    ],
)
def test_the_games_are_those_of_the_larger_set(file):
    reference, name = file.split("/")
    header, games = games_of(SMALL_SET / file)
    assert games
    larger_header, larger = games_of(golden_folder(reference) / name)
    assert header == larger_header
    assert games <= larger
    assert is_small(reference) or len(games) < len(larger)
