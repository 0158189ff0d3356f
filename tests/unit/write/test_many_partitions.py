"""Writes into more partitions than a process may open files."""

from __future__ import annotations

import os
import resource
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from workbench.base.progress import Progress
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile import data_file_writer, open_writers
from workbench.datafile.formats import parquet_writer
from workbench.metadata.bucket_states import buckets_to_write
from workbench.table.table import Table
from workbench.write.batch import batch_writer
from workbench.write.postponed import PostponedWriter
from workbench.write.writer import TableWriter

FILES, PARTITIONS = 200, 400
COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "s": "STRING"}
OPTIONS = {
    "append": {},
    "append in buckets": {"bucket": "1", "bucket-key": "id"},
    "keyed": {"bucket": "1"},
    "postponed": {"bucket": "-2", "postpone.batch-write-fixed-bucket": "false"},
}


@pytest.fixture
def few_files() -> Iterator[None]:
    """Let the process open only some more files than it has open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + FILES, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def make(catalog: FileSystemCatalog, kind: str, options: dict[str, str] | None = None) -> Table:
    key = ["p", "id"] if kind in ("keyed", "postponed") else []
    return catalog.create_table("db.t", COLUMNS, key, ["p"], {**OPTIONS[kind], **(options or {})})


def rows(first: int, partitions: int) -> pa.Table:
    """Return two rows for each partition, shuffled."""
    ids = first + np.random.default_rng(first).permutation(2 * partitions)
    return pa.table({"p": pa.array(ids % partitions, pa.int32()), "id": ids, "s": ids.astype(str)})


def write(table: Table, pieces: Sequence[pa.Table]) -> TableWriter | PostponedWriter:
    """Return a writer that has written some pieces one after the other."""
    writer = batch_writer(table.store, buckets_to_write(table.store, None, overwrite=False), "user", Progress())
    for piece in pieces:
        writer.write(piece)
        writer.flush()
    return writer


def files_of(table: Table) -> list[Path]:
    return [path for path in Path(table.location).rglob("bucket-*/*") if path.is_file()]


def content(table: Table) -> list[tuple[int, int, str]]:
    return sorted(tuple(row.values()) for row in table.to_arrow().to_pylist())


def content_of(*pieces: pa.Table) -> list[tuple[int, int, str]]:
    return sorted(tuple(row.values()) for row in pa.concat_tables(pieces).to_pylist())


@pytest.mark.usefixtures("few_files")
@pytest.mark.parametrize("kind", OPTIONS)
def test_a_write_opens_a_limited_number_of_files(catalog: FileSystemCatalog, kind: str) -> None:
    table = make(catalog, kind)
    pieces = [rows(first, PARTITIONS) for first in (0, 10_000)]
    writer = write(table, pieces)
    table.commit(writer.prepare())
    if kind == "postponed":
        table.compact()
    assert content(table) == content_of(*pieces)


@pytest.mark.usefixtures("few_files")
@pytest.mark.parametrize("kind", OPTIONS)
def test_files_that_are_finished_early_are_removed_by_an_abort(catalog: FileSystemCatalog, kind: str) -> None:
    table = make(catalog, kind)
    writer = write(table, [rows(0, PARTITIONS)])
    assert any(path.stat().st_size for path in files_of(table))
    writer.abort()
    assert files_of(table) == []


@pytest.mark.parametrize("kind", ["append", "append in buckets", "postponed"])
def test_open_files_take_the_rows_of_later_pieces(
    catalog: FileSystemCatalog, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_writers, "_MOST_OPEN", 8)
    table = make(catalog, kind, {"write-only": "true"})
    pieces = [rows(first, 10) for first in (0, 100, 200)]
    writer = write(table, pieces)
    table.commit(writer.prepare())
    # All 10 partitions have a file; two more were begun when the second piece arrived, and two when the third did.
    assert len(files_of(table)) == 14
    if kind == "postponed":
        table.compact()
    assert content(table) == content_of(*pieces)


def test_rows_of_a_bucket_keep_their_order(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_writers, "_MOST_OPEN", 2)
    table = make(catalog, "append in buckets", {"write-only": "true"})
    pieces = [rows(first, 5) for first in (0, 100, 200)]
    writer = write(table, pieces)
    table.commit(writer.prepare())
    expected = pa.concat_tables(pieces)
    for partition in range(5):
        kept = table.to_arrow(["id"], where=f"p = {partition}")["id"].to_pylist()
        assert kept == expected.filter(pc.equal(expected["p"], partition))["id"].to_pylist()


def test_a_file_of_one_row_has_one_key_and_needs_no_dictionary(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def counted(module: Any, name: str) -> None:
        function = getattr(module, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            calls[name] += 1
            return function(*args, **kwargs)

        monkeypatch.setattr(module, name, call)

    counted(data_file_writer, "encode_columns")
    counted(pc, "count_distinct")
    monkeypatch.setattr(parquet_writer, "pc", pc)
    table = make(catalog, "keyed", {"write-only": "true"})
    single = pa.table({"p": pa.array(range(10), pa.int32()), "id": range(10), "s": ["x"] * 10})
    table.write(single)
    assert calls == {"encode_columns": 10}
    files = [file for split in table.scan().plan() for file in split.files]
    assert len({file.max_key for file in files}) == 10
    assert all(file.min_key == file.max_key for file in files)
    assert content(table) == content_of(single)
