"""The rows that all engines write and read: generated from fixed seeds, kept as Arrow files."""

from __future__ import annotations

import binascii
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tests.benchmarks.specs import COMMITS

CHUNK_ROWS = 1 << 20
Numbers = npt.NDArray[np.int64]
Commits = Callable[[float], Iterator[pa.Table]]


def store_commits(directory: Path, name: str, scale: float) -> None:
    """Make the rows of a table, if they are not there yet, for `specs.stored_commits`."""
    home = directory / "rows" / name
    if (home / "done").exists():
        return
    home.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(ROWS[name](scale)):
        path = str(home / f"{number:03}.arrow")
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows.combine_chunks(), max_chunksize=CHUNK_ROWS)
    (home / "done").touch()


# ---- columns ----


def _integers(random: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(random.integers(0, 1000, rows, dtype=np.int32))


def _doubles(random: np.random.Generator, rows: int) -> pa.Array:
    return pa.array(random.random(rows) * 1000)


def _decimals(random: np.random.Generator, rows: int, kind: pa.DataType) -> pa.Array:
    return _decimals_of(random.integers(0, 10_000_000, rows), kind)


def _decimals_of(unscaled: Numbers, kind: pa.DataType) -> pa.Array:
    words = np.zeros((len(unscaled), 2), np.int64)
    words[:, 0] = unscaled
    return pa.Array.from_buffers(kind, len(unscaled), [None, pa.py_buffer(words)])


def _texts(random: np.random.Generator, rows: int) -> pa.Array:
    """Texts with 20,000 distinct values of 13 to 19 bytes, such as a status or the name of a product."""
    numbers = random.integers(0, 20_000, rows)
    words = pa.array([f"{('express', 'saver', 'basic')[n % 3]}-offer-{n}" for n in range(20_000)])
    return words.take(pa.array(numbers))


def _times(random: np.random.Generator, rows: int) -> pa.Array:
    """Times within one year, ascending except for some disorder."""
    step = 365 * 86_400_000_000 // rows
    return pa.array(np.arange(rows) * step + random.integers(0, 60_000_000, rows) + 1_700_000_000_000_000).cast(
        pa.timestamp("us")
    )


def _hexadecimal(numbers: Numbers) -> pa.Array:
    """16 digits for each number, spread over the whole range."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    digits = binascii.hexlify(mixed.astype(">u8").tobytes())
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(numbers), [None, pa.py_buffer(digits)])
    return fixed.cast(pa.binary()).cast(pa.string())


# ---- tables without a key ----


def _append_rows(scale: float) -> Iterator[pa.Table]:
    rows = int(5_000_000 * scale)
    random = np.random.default_rng(1)
    yield pa.table(
        {
            "id": pa.array(np.arange(rows)),
            "qty": _integers(random, rows),
            "price": _doubles(random, rows),
            "amount": _decimals(random, rows, pa.decimal128(12, 2)),
            "note": _texts(random, rows),
            "ts": _times(random, rows),
            "day": pa.array(random.integers(19_000, 20_000, rows, dtype=np.int32)).cast(pa.date32()),
            "flag": pa.array(random.integers(0, 2, rows).astype(bool)),
        }
    )


def _tiny_commits(scale: float) -> Iterator[pa.Table]:
    for number in range(max(2, int(200 * scale))):
        ids = np.arange(number * 50, number * 50 + 50)
        yield pa.table({"id": pa.array(ids), "price": pa.array(ids * 0.5)})


def _commits_of_ten_rows(commits: int) -> Commits:
    def rows(scale: float) -> Iterator[pa.Table]:  # noqa: ARG001 - requests do not depend on the rows
        for number in range(commits):
            ids = np.arange(number * 10, number * 10 + 10)
            yield pa.table({"id": pa.array(ids), "price": pa.array(ids * 0.5)})

    return rows


def _ten_rows(scale: float) -> Iterator[pa.Table]:  # noqa: ARG001 - always the same
    yield pa.table({"id": pa.array(np.arange(10)), "price": pa.array(np.arange(10) * 0.5)})


# ---- tables with a key ----

KeyColumns = Callable[[Numbers], dict[str, pa.Array]]


def _keyed(keys: KeyColumns, *, upserts: int = 5, upsert_rows: int = 400_000, hot: float | None = None) -> Commits:
    """2 M rows, then upserts of random keys; with ``hot``, nine in ten upserts are of this fraction of the keys."""

    def commits(scale: float) -> Iterator[pa.Table]:
        random = np.random.default_rng(2)
        all_rows = int(2_000_000 * scale)
        yield _keyed_rows(random, keys(random.permutation(all_rows)))
        for _ in range(upserts):
            rows = int(upsert_rows * scale)
            chosen = random.choice(all_rows, rows, replace=False)
            if hot is not None:
                few = random.choice(int(all_rows * hot), rows * 9 // 10)
                chosen = random.permutation(np.concatenate([few, chosen[: rows // 10]]))
            yield _keyed_rows(random, keys(chosen))

    return commits


def _sparse(commits: Commits) -> Commits:
    """The same rows, but six in ten values of the upserts are NULL."""

    def sparse(scale: float) -> Iterator[pa.Table]:
        random = np.random.default_rng(4)
        for number, rows in enumerate(commits(scale)):
            for position, name in enumerate(rows.column_names[1:], 1) if number else ():
                given = pa.array(random.random(rows.num_rows) < 0.4)
                rows = rows.set_column(position, name, pc.if_else(given, rows[name], None))
            yield rows

    return sparse


def _keyed_rows(random: np.random.Generator, keys: dict[str, pa.Array]) -> pa.Table:
    rows = len(next(iter(keys.values())))
    columns = {
        **keys,
        "qty": _integers(random, rows),
        "price": _doubles(random, rows),
        "amount": _decimals(random, rows, pa.decimal128(12, 2)),
        "note": _texts(random, rows),
    }
    return pa.table({**columns, "ts": _times(random, rows)}).select(range(6))


def _large(all_rows: int, runs: int = 6) -> Commits:
    """Runs of random keys, four columns."""

    def commits(scale: float) -> Iterator[pa.Table]:
        random = np.random.default_rng(3)
        keys = int(all_rows * scale)
        rows = keys // runs
        for _ in range(runs):
            ids = random.choice(keys, rows, replace=False)
            yield pa.table(
                {
                    "id": pa.array(ids),
                    "qty": _integers(random, rows),
                    "price": _doubles(random, rows),
                    "note": _texts(random, rows),
                }
            )

    return commits


def _bigint(numbers: Numbers) -> dict[str, pa.Array]:
    return {"id": pa.array(numbers)}


def _string(numbers: Numbers) -> dict[str, pa.Array]:
    return {"id": _hexadecimal(numbers)}


def _composite(numbers: Numbers) -> dict[str, pa.Array]:
    codes = pc.utf8_lpad(pa.array(numbers // 1000).cast(pa.string()), 8, "0")
    return {"shop": pa.array(numbers % 1000), "id": pc.binary_join_element_wise("order", codes, "-")}


def _decimal(numbers: Numbers) -> dict[str, pa.Array]:
    return {"id": _decimals_of(numbers * 25, pa.decimal128(18, 2))}


ROWS: dict[str, Commits] = {
    "append": _append_rows,
    "tiny": _tiny_commits,
    "ten": _ten_rows,
    "listed": _ten_rows,
    "bigint": _keyed(_bigint),
    "string": _keyed(_string),
    "composite": _keyed(_composite),
    "decimal": _keyed(_decimal),
    "skewed": _keyed(_bigint, hot=0.01),
    "many-runs": _keyed(_bigint, upserts=29, upsert_rows=70_000),
    "partial": _sparse(_keyed(_bigint)),
    "sums": _keyed(_bigint),
    "stream-20": _large(20_000_000),
    "stream-40": _large(40_000_000),
    **{f"commits-{number}": _commits_of_ten_rows(number) for number in COMMITS},
    "few-keys": _commits_of_ten_rows(2),
    "files-of-2-mib": _large(1_200_000, runs=4),
}


if __name__ == "__main__":
    store_commits(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
