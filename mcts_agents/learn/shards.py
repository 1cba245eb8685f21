"""Files of a dataset: blocks of games, as NumPy archives or as Parquet."""

import importlib.util
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.learn.columns import Column, Layout
from mcts_agents.writing import replacing

FORMATS = ("npz", "parquet")

Columns = dict[str, np.ndarray]


class DatasetError(ValueError):
    """A dataset cannot be read or written; the message names the file and says why."""


def check_format(name: str) -> None:
    """Raise ValueError unless files of a format can be written and read here."""
    if name not in FORMATS:
        raise ValueError(f"format={name!r}: expected one of {', '.join(FORMATS)}")
    if name == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise ValueError(
            "format='parquet': needs pyarrow, which is not installed: "
            'pip install "mcts-agents[parquet]"'
        )


def shard_path(folder: Path, number: int, format: str) -> Path:
    """Return the file of a block of games."""
    return folder / f"shard-{number:05d}.{format}"


def write_shard(path: Path, columns: Columns, layout: Layout) -> None:
    """Write a file, which is there as a whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    write = _write_parquet if path.suffix == ".parquet" else _write_npz
    with replacing(path) as temporary:
        write(temporary, columns, layout)


def read_shard(
    path: Path, layout: Layout, only: Iterable[str] | None = None
) -> Columns:
    """Return stored columns of a file, all or some.

    Raises:
        DatasetError: The file is missing, damaged, or has other columns.
    """
    wanted = [c for c in layout.stored if only is None or c.name in only]
    read = _read_npz
    broken: tuple[type[Exception], ...] = (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
    )
    if path.suffix == ".parquet":
        from pyarrow import ArrowException

        read, broken = _read_parquet, (OSError, ValueError, KeyError, ArrowException)
    try:
        columns = read(path, wanted)
    except FileNotFoundError as error:
        raise DatasetError(f"{path}: there is no such file") from error
    except broken as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatasetError(
            f"{path}: damaged, or no file of this dataset: {reason}; without it, the "
            "same recording makes it again"
        ) from error
    _check(path, columns, wanted)
    return columns


def _check(path: Path, columns: Columns, wanted: list[Column]) -> None:
    """See that columns are as the dataset describes them."""
    rows = {len(columns[c.name]) for c in wanted if not c.is_list}
    if len(rows) > 1:
        raise DatasetError(f"{path}: columns of different lengths: {sorted(rows)}")
    for column in wanted:
        found = columns[column.name]
        if found.dtype != column.dtype or found.shape[1:] != column.shape:
            raise DatasetError(
                f"{path}: column {column.name} is {found.dtype} of shape "
                f"{found.shape[1:]}, not {column.dtype} of {column.shape}"
            )
        if column.is_list and len(found) != columns["legal_count"].sum():
            raise DatasetError(
                f"{path}: column {column.name} has {len(found)} entries, and "
                f"legal_count says {columns['legal_count'].sum()}"
            )


def _write_npz(path: Path, columns: Columns, layout: Layout) -> None:
    with open(path, "wb") as file:
        np.savez_compressed(file, **columns)


def _read_npz(path: Path, wanted: list[Column]) -> Columns:
    with np.load(path, allow_pickle=False) as archive:
        return {column.name: archive[column.name] for column in wanted}


def _write_parquet(path: Path, columns: Columns, layout: Layout) -> None:
    import pyarrow
    from pyarrow import parquet

    arrays = {c.name: _arrow_array(c, columns) for c in layout.stored}
    parquet.write_table(
        pyarrow.table(arrays), path, compression="zstd", write_page_checksum=True
    )


def _arrow_array(column: Column, columns: Columns) -> Any:
    import pyarrow

    values = columns[column.name]
    flat = pyarrow.array(values.reshape(-1))
    if column.is_list:
        ends = np.cumsum(columns["legal_count"], dtype=np.int32)
        return pyarrow.ListArray.from_arrays(np.append(np.int32(0), ends), flat)
    if column.shape:
        size = int(np.prod(column.shape))
        return pyarrow.FixedSizeListArray.from_arrays(flat, size)
    return flat


def _read_parquet(path: Path, wanted: list[Column]) -> Columns:
    from pyarrow import parquet

    names = [column.name for column in wanted]
    with parquet.ParquetFile(path, page_checksum_verification=True) as file:
        table = file.read(columns=names)
    columns = {}
    for column in wanted:
        values = table.column(column.name).combine_chunks()
        if column.shape or column.is_list:
            values = values.flatten()
        found = values.to_numpy(zero_copy_only=False)
        columns[column.name] = (
            found.reshape(table.num_rows, *column.shape) if column.shape else found
        )
    return columns
