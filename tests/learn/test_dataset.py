"""Reading datasets: rows, batches, both formats, and damaged files."""

import itertools
import json
import pickle

import duckdb
import numpy as np
import pytest

from mcts_agents.learn import Dataset, DatasetError
from tests.learn.recorded import record_here

CHECKERS = {
    "game": "chinese_checkers:max_plies_per_player=4",
    "players": 2,
    "agents": "mcts:simulations=20,rollout=3",
    "games": 3,
    "games_per_shard": 2,
}


@pytest.fixture(scope="module", params=["hex", "chinese_checkers"])
def folders(request, tmp_path_factory):
    """The same recording in both formats."""
    keys = CHECKERS if request.param == "chinese_checkers" else {}
    folder = tmp_path_factory.mktemp(request.param)
    for format in ("npz", "parquet"):
        record_here(folder / format, format=format, **keys)
    return folder


def same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.dtype == other[name].dtype, name
        assert np.array_equal(values, other[name], equal_nan=name == "value"), name


def test_both_formats_hold_the_same(folders):
    npz, parquet = Dataset(folders / "npz"), Dataset(folders / "parquet")
    assert len(npz) == len(parquet) > 10
    same(npz[:], parquet[:])
    assert {**npz.description, "format": ""} == {**parquet.description, "format": ""}
    same(npz[7], parquet[7])


def test_columns_are_as_described(folders):
    dataset = Dataset(folders / "npz")
    rows = dataset[:]
    assert list(rows) == list(dataset.columns)
    for name, column in dataset.columns.items():
        assert rows[name].shape == (len(dataset), *column.shape)
        assert rows[name].dtype == column.dtype
        assert dataset[0][name].shape == column.shape


def test_other_programs_read_the_files(folders):
    """By the description in `dataset.json` alone."""
    rows = Dataset(folders / "npz")[:]
    path = folders / "npz" / "dataset.json"
    described = json.loads(path.read_text())["columns"]
    archives = [
        dict(np.load(path, allow_pickle=False))
        for path in sorted((folders / "npz").glob("*.npz"))
    ]
    stored = {name: np.concatenate([a[name] for a in archives]) for name in archives[0]}
    assert list(stored) == list(described)
    files = folders / "parquet" / "*.parquet"
    table = duckdb.sql(f"SELECT * FROM '{files}' ORDER BY game, ply, player")
    fetched = table.fetchall()
    assert table.columns == list(described)
    at = 0
    for number, row in enumerate(fetched):
        for (name, about), value in zip(described.items(), row, strict=True):
            if about["shape"] == ["legal_count"]:
                count = stored["legal_count"][number]
                mine = stored[name][at : at + count]
            else:
                mine = stored[name][number]
            assert mine.dtype == about["dtype"]
            assert np.array_equal(mine.reshape(-1), np.ravel(value), equal_nan=True)
        if "legal_count" in stored:
            ends = slice(at, at + stored["legal_count"][number])
            actions, shares = (
                stored["legal_actions"][ends],
                stored["visit_shares"][ends],
            )
            assert (np.flatnonzero(rows["action_mask"][number]) == actions).all()
            assert (rows["visits"][number][actions] == shares).all()
            assert shares.sum() == pytest.approx(1.0, abs=1e-6)
            at = ends.stop


def test_indices_are_those_of_arrays(folders):
    # One file in memory at a time.
    dataset, rows = Dataset(folders / "npz", memory=1), Dataset(folders / "npz")[:]
    count = len(dataset)
    scattered = np.array([count - 1, 0, 3, 3, -1, -count, count // 2])
    same(dataset[scattered], {n: v[scattered] for n, v in rows.items()})
    same(dataset[list(scattered)], {n: v[scattered] for n, v in rows.items()})
    same(dataset[2:9:3], {n: v[2:9:3] for n, v in rows.items()})
    same(dataset[[]], {n: v[:0] for n, v in rows.items()})
    for index in (0, -1, np.int64(5)):
        same(dataset[index], {n: v[index] for n, v in rows.items()})
    for index in (count, -count - 1, [0, count]):
        with pytest.raises(IndexError, match=f"the dataset has {count} rows"):
            dataset[index]
    for index in ("action", 1.5, [[0]]):
        with pytest.raises(IndexError, match="expected a row's number"):
            dataset[index]
    assert sum(1 for _ in dataset) == count


@pytest.mark.parametrize("memory", [1, 1 << 30])
def test_batches_have_every_row_once(folders, memory):
    dataset = Dataset(folders / "npz", memory=memory)
    rows = dataset[:]
    plain = list(dataset.batches(4))
    assert [len(batch["game"]) for batch in plain[:-1]] == [4] * (len(plain) - 1)
    same({n: np.concatenate([b[n] for b in plain]) for n in rows}, rows)

    def keys(batches):
        return [
            key
            for batch in batches
            for key in zip(
                batch["game"].tolist(),
                batch["ply"].tolist(),
                batch["player"].tolist(),
                strict=True,
            )
        ]

    shuffled = keys(dataset.batches(4, seed=1))
    assert shuffled != keys(plain)
    assert sorted(shuffled) == sorted(keys(plain))
    assert len(set(shuffled)) == len(dataset)
    assert (
        shuffled == keys(dataset.batches(4, seed=1)) == keys(dataset.batches(9, seed=1))
    )
    assert shuffled != keys(dataset.batches(4, seed=2))
    if memory == 1:  # file by file
        shard = [k[0] // dataset.description["games_per_shard"] for k in shuffled]
        assert sum(a != b for a, b in itertools.pairwise(shard)) == len(set(shard)) - 1
    with pytest.raises(ValueError, match="size=0"):
        next(dataset.batches(0))


def test_a_copy_in_another_process_takes_no_rows_along(folders):
    dataset = Dataset(folders / "npz")
    small = len(pickle.dumps(dataset))
    rows = dataset[:]
    assert len(pickle.dumps(dataset)) == small
    same(pickle.loads(pickle.dumps(dataset))[:], rows)
    with pytest.raises(ValueError, match="memory=0"):
        Dataset(folders / "npz", memory=0)


def test_torch_loads_batches(folders):
    torch = pytest.importorskip("torch")
    dataset = Dataset(folders / "parquet")
    loader = torch.utils.data.DataLoader(dataset, batch_size=5, shuffle=True)
    seen = 0
    for batch in loader:
        assert batch["visits"].dtype == torch.float32
        assert batch["observation"].shape[1:] == dataset[0]["observation"].shape
        seen += len(batch["action"])
    assert seen == len(dataset)


# -- what cannot be read


@pytest.fixture(params=["npz", "parquet"])
def shard(request, tmp_path):
    """The second file of a dataset."""
    record_here(tmp_path, format=request.param)
    return tmp_path / f"shard-00001.{request.param}"


def spoil_end(data):
    return data[: len(data) // 2]


def spoil_all(data):
    return b"nothing of the kind"


def spoil_nothing(data):
    return b""


@pytest.mark.parametrize("spoil", [spoil_end, spoil_all, spoil_nothing])
def test_a_damaged_file_is_named(shard, spoil):
    keys = {"format": shard.suffix[1:]}
    whole = shard.read_bytes()
    shard.write_bytes(spoil(whole))
    for use in (Dataset, lambda folder: record_here(folder, **keys)):
        with pytest.raises(DatasetError, match=rf"{shard.name}: damaged.*makes it"):
            use(shard.parent)
    shard.unlink()
    assert Dataset(shard.parent).games == 4
    record_here(shard.parent, **keys)
    assert shard.read_bytes() == whole


def test_every_byte_of_the_rows_is_checked(shard):
    whole = shard.read_bytes()
    dataset = Dataset(shard.parent)
    rows = dataset[:]
    found = 0
    for place in range(40, len(whole), len(whole) // 60):
        spoiled = bytearray(whole)
        spoiled[place] ^= 0x55
        shard.write_bytes(bytes(spoiled))
        try:
            same(Dataset(shard.parent)[:], rows)
        except DatasetError as error:
            assert shard.name in str(error)
            found += 1
    assert found > 20


def test_other_columns_and_objects_are_refused(tmp_path):
    record_here(tmp_path)
    path = tmp_path / "shard-00001.npz"
    stored = dict(np.load(path))
    for name, values, said in (
        ("action", stored["action"].astype(np.int64), "column action is int64"),
        ("visits", stored["visits"][:, :-1], r"column visits is float32 of shape \(8"),
        ("visits", stored["visits"][:-1], "columns of different lengths"),
        ("visits", np.array([{}] * len(stored["game"])), "damaged.*allow_pickle"),
    ):
        np.savez(path, **{**stored, name: values})
        with pytest.raises(DatasetError, match=rf"{path.name}: {said}"):
            Dataset(tmp_path)[:]
    np.savez(path, **{n: v for n, v in stored.items() if n != "visits"})
    with pytest.raises(DatasetError, match=r"damaged.*visits"):
        Dataset(tmp_path)[:]
    np.savez(path, **{**stored, "game": stored["game"] + 1})
    with pytest.raises(DatasetError, match=r"holds the games \[4, 5, 6\], not \[3, 4"):
        record_here(tmp_path)


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path):
    dataset = record_here(tmp_path, games=4)
    record_here(tmp_path, games=6)
    with pytest.raises(DatasetError, match="open the dataset again"):
        dataset[:]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("{", "damaged"),
        ("[]", "not a description of a dataset"),
        ({"schema": 2}, "newer version of mcts-agents .schema 2"),
        ({"games": "all"}, "damaged: games is 'all'"),
        ({"actions": 10}, "its columns are not those of its game"),
    ],
)
def test_a_damaged_description_is_named(tmp_path, change, said):
    record_here(tmp_path, games=1)
    path = tmp_path / "dataset.json"
    text = change
    if isinstance(change, dict):
        text = json.dumps({**json.loads(path.read_text()), **change})
    path.write_text(text)
    with pytest.raises(DatasetError, match=rf"dataset.json: .*{said}"):
        Dataset(tmp_path)


def test_a_folder_without_a_dataset_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(DatasetError, match="there is no such file"):
            Dataset(folder)
