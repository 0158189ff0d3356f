"""Looking up rows by key: later lookups use what earlier ones have read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.file_ios import CountingFileIO
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table


@pytest.fixture
def files() -> CountingFileIO:
    return CountingFileIO(LocalFileIO())


@pytest.fixture
def table(tmp_path: Path, files: CountingFileIO) -> Table:
    catalog = FileSystemCatalog(str(tmp_path), files)
    catalog.create_database("db")
    options = {"bucket": "1", "write-only": "true"}
    table = catalog.create_table("db.t", {"k": "INT", "v": "STRING"}, primary_key=["k"], options=options)
    table.write([{"k": key, "v": "old"} for key in range(100)])
    table.write([{"k": key, "v": "new"} for key in range(50)])
    return catalog.get_table("db.t")


@pytest.mark.parametrize(("key", "value"), [(10, "new"), (70, "old")])
def test_a_second_lookup_opens_no_data_file(table: Table, files: CountingFileIO, key: int, value: str) -> None:
    table.to_arrow(where="k = 20")
    table.to_arrow(where="k = 60")
    files.counts.clear()
    assert table.to_arrow(where=f"k = {key}").to_pylist() == [{"k": key, "v": value}]
    assert files.counts["open_input"] == 0
    assert files.counts["bytes_read"] < 1000, "no more than the hint of the latest snapshot and the snapshot"


def test_a_lookup_sees_concurrent_writes(table: Table) -> None:
    assert table.to_arrow(where="k = 10")["v"].to_pylist() == ["new"]
    table.write([{"k": 10, "v": "newest"}])
    assert table.to_arrow(where="k = 10")["v"].to_pylist() == ["newest"]
