"""Writes that exceed their memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from workbench.base.errors import WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile import data_file_writer
from workbench.table.table import Table
from workbench.write.files.spill import SpillFile

ROWS, PIECES = 5_000, 8
LIMITS = {"bucket": "2", "write-buffer-size": "100 kb", "write-only": "true"}


def make(catalog: FileSystemCatalog, options: dict[str, str]) -> Table:
    columns = {"p": "INT", "id": "BIGINT", "v": "STRING"}
    return catalog.create_table("db.t", columns, ["p", "id"], ["p"], {**LIMITS, **options})


def pieces() -> Iterator[pa.Table]:
    chance = np.random.default_rng(7)
    for piece in range(PIECES):
        ids = chance.integers(0, ROWS, ROWS)
        yield pa.table({"p": ids % 2, "id": ids, "v": [f"{piece} of {each}" for each in ids]})


def newest() -> dict[int, str]:
    rows = pa.concat_tables(pieces()).to_pydict()
    return dict(zip(rows["id"], rows["v"], strict=True))


def content(table: Table) -> dict[int, str]:
    rows = table.to_arrow(["id", "v"]).to_pydict()
    assert len(set(rows["id"])) == len(rows["id"])
    return dict(zip(rows["id"], rows["v"], strict=True))


def write(table: Table) -> None:
    with table.writer() as writer:
        for each in pieces():
            writer.write(each)
        table.commit(writer.prepare())


def spills_open() -> int:
    targets = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    return sum(os.readlink(target).endswith("(deleted)") for target in targets if os.path.lexists(target))


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ({}, 1),
        ({"spill-compression": "none"}, 1),
        ({"spill-compression": "lzo"}, 1),
        ({"local-sort.max-num-file-handles": "3"}, 2),
        ({"write-buffer-spill.max-disk-size": "1 b"}, 4),
        ({"write-buffer-spillable": "false"}, 8),
        ({"write-buffer-size": "1 gb"}, 1),
    ],
    ids=str,
)
def test_how_many_runs_a_bucket_gets(catalog: FileSystemCatalog, options: dict[str, str], runs: int) -> None:
    table = make(catalog, options)
    write(table)
    splits = table.scan().plan()
    assert len(splits) == 4
    assert {len(split.files) for split in splits} == {runs}
    assert content(table) == newest()


def test_a_large_run_rolls_at_the_target_size(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_file_writer, "_ROW_GROUP_ROWS", 100)
    table = make(catalog, {"target-file-size": "2 kb"})
    write(table)
    for split in table.scan().plan():
        files = sorted(split.files, key=lambda file: file.min_key)
        assert len(files) > 1
        assert split.raw_convertible
    assert content(table) == newest()


def test_spilled_rows_leave_no_files(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    others = spills_open()
    with table.writer() as writer:
        for each in pieces():
            writer.write(each)
        assert spills_open() > others + 2
    assert spills_open() == others
    with table.writer() as writer:
        for each in pieces():
            writer.write(each)
        writer.prepare()
        assert spills_open() == others


def test_a_full_disk_is_reported_and_nothing_is_written(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make(catalog, {})
    others = spills_open()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pa, "PythonFile", full)
    with pytest.raises(WorkbenchError, match=r"No space left") as reported:
        write(table)
    assert "TMPDIR" in str(reported.value.hint)
    assert table.snapshots() == []
    assert spills_open() == others


def test_rows_of_a_spill_file_are_read_part_by_part(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    file = SpillFile(table.schema.core)
    parts = [list(pieces())[first : first + 2] for first in range(0, 6, 2)]
    spilled = [file.add(part, part[0].schema) for part in parts]
    for part, result in zip(parts, spilled, strict=True):
        assert result.rows == 2 * ROWS
        assert pa.concat_tables(result.tables()).equals(pa.concat_tables(part))
    file.close()
