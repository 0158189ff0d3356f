from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = connect(tmp_path / "warehouse")
    opened.create_database("d")
    return opened


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    """A table partitioned by a string, with one bucket in each partition and integer keys."""
    return catalog.create_table(
        "d.t",
        {"dt": "STRING", "k": "BIGINT", "v": "STRING"},
        primary_key=["dt", "k"],
        partition_by=["dt"],
        options={"bucket": "1"},
    )


Write = Callable[[str, list[int], str], None]


@pytest.fixture
def write(table: Table) -> Write:
    """Adds rows of some keys to a partition in one commit."""

    def write(partition: str, keys: list[int], value: str) -> None:
        table.write(pa.table({"dt": [partition] * len(keys), "k": keys, "v": [value] * len(keys)}))

    return write
