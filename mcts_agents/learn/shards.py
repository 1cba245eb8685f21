"""Files of a dataset: blocks of games, as NumPy archives or as Parquet."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.extras import from_extra
from mcts_agents.interrupts import interrupt_held
from mcts_agents.learn.dataset_columns import Column, Layout
from mcts_agents.reading import read_arrays
from mcts_agents.writing import replacing

FORMATS = ("npz", "parquet")

# Of one file that is read. Its rows bound what a damaged one can take where only some
# columns are read; all of them may take what the decisions of a large game take.
MOST_ROWS = 1 << 23
MOST_BYTES = 1 << 36

Columns = dict[str, np.ndarray]


class DatasetError(ValueError):
    """A dataset cannot be read or written; the message names the file and says why."""


def check_format(name: str) -> None:
    """Raise ValueError unless files of a format can be written and read here."""
    if name not in FORMATS:
        raise ValueError(f"format={name!r}: expected one of {', '.join(FORMATS)}")
    if name == "parquet":
        with from_extra("parquet", "format='parquet' needs pyarrow"):
            import pyarrow  # noqa: F401


def shard_path(folder: Path, number: int, format: str) -> Path:
    """Return the file of a block of games."""
    return folder / f"shard-{number:05d}.{format}"


def write_shard(path: Path, columns: Columns, layout: Layout) -> None:
    """Write a file, which is there as a whole or not at all.

    Ctrl-C is heard when it is written.

    Raises:
        OSError: It cannot be written.
    """
    write = _write_parquet if path.suffix == ".parquet" else _write_npz
    with interrupt_held(), replacing(path) as temporary:
        write(temporary, columns, layout)


def read_shard(
    path: Path, layout: Layout, only: Iterable[str] | None = None
) -> Columns:
    """Return stored columns of a file, all or some.

    Raises:
        DatasetError: The file is missing, damaged, or has other columns.
        MissingExtraError: The library that reads such files is not installed.
    """
    wanted = [c for c in layout.stored if only is None or c.name in only]
    read = _read_npz
    broken: tuple[type[Exception], ...] = (OSError, ValueError)
    if path.suffix == ".parquet":
        with from_extra("parquet", f"{path}: Parquet files need pyarrow"):
            from pyarrow import ArrowException

        read, broken = _read_parquet, (OSError, ValueError, KeyError, ArrowException)
    try:
        columns = read(path, wanted)
    except FileNotFoundError as error:
        raise DatasetError(f"{path}: there is no such file") from error
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}") from error
    except broken as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DatasetError(
            f"{path}: damaged, or not a file of this dataset: {reason}; without it, "
            "the same recording makes it again"
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
        try:
            _check_kind(column, found.shape, found.dtype)
        except DatasetError as error:
            raise DatasetError(f"{path}: {error}") from error
        if column.is_list and len(found) != columns["legal_count"].sum():
            raise DatasetError(
                f"{path}: column {column.name} has {len(found)} entries, and "
                f"legal_count says {columns['legal_count'].sum()}"
            )


def _check_kind(column: Column, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """See that a column is of the shape and type that the dataset describes."""
    if dtype != column.dtype or shape[1:] != column.shape or not shape:
        raise DatasetError(
            f"column {column.name} is {dtype} of shape {shape[1:]}, not {column.dtype} "
            f"of {column.shape}"
        )


def _write_npz(path: Path, columns: Columns, layout: Layout) -> None:
    with open(path, "wb") as file:
        np.savez_compressed(file, **columns)


def _read_npz(path: Path, wanted: list[Column]) -> Columns:
    columns = {column.name: column for column in wanted}

    def check(name: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
        # Before memory is taken for it: a small file may unpack to a large one.
        _check_kind(columns[name], shape, dtype)
        if not columns[name].is_list and shape[0] > MOST_ROWS:
            raise DatasetError(
                f"{shape[0]:,} rows, more than the {MOST_ROWS:,} allowed in a file; "
                "record fewer games in one"
            )

    return read_arrays(path, MOST_BYTES, columns, check)


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
