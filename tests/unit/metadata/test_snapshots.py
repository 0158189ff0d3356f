"""Finding versions regardless of the hints."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.small_files import read_hint
from workbench.metadata.snapshots import Snapshots
from workbench.table.table import Table


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    created = catalog.create_table("db.t", {"id": "INT"})
    for number in range(4):
        created.write(pa.table({"id": [number]}))
    return created


def directory(table: Table) -> Path:
    return Path(table.location, "snapshot")


@pytest.mark.parametrize("hint", [b"4", b"4\n", b"3", b"1", b"0", b"-7", b"", b"four", b"\xff", b"9", b"1e3", None])
def test_latest(table: Table, hint: bytes | None) -> None:
    path = directory(table) / "LATEST"
    if hint is None:
        path.unlink()
    else:
        path.write_bytes(hint)
    latest = Snapshots(table.store).latest()
    assert latest is not None
    assert latest.id == 4


@pytest.mark.parametrize("hint", [b"1", b"2", b"9", b"", b"\xff", None])
def test_earliest(table: Table, hint: bytes | None) -> None:
    (directory(table) / "snapshot-1").unlink()
    if hint is not None:
        (directory(table) / "EARLIEST").write_bytes(hint)
    assert Snapshots(table.store).earliest_id() == 2


def test_listing_returns_only_snapshots(table: Table) -> None:
    for name in ("snapshot-", "snapshot-x", "snapshot-5.tmp", ".snapshot-5.abc.tmp", "snapshot--5", "LATEST.tmp"):
        (directory(table) / name).write_text("{}")
    (directory(table) / "LATEST").unlink()
    assert Snapshots(table.store).ids() == [1, 2, 3, 4]
    assert Snapshots(table.store).latest_id() == 4


def test_a_rolled_back_table_is_read_again(table: Table) -> None:
    """Another engine rolled back to 2 and wrote another 3: nothing remembered of the old 3 may be shown."""
    assert [each.commit_user for each in table.snapshots()]
    old = {each.id: each.commit_user for each in table.snapshots()}
    (directory(table) / "LATEST").write_text("2")
    for number in (3, 4):
        (directory(table) / f"snapshot-{number}").unlink()
    table.write(pa.table({"id": [30, 31, 32]}))
    new = {each.id: each.commit_user for each in table.snapshots()}
    assert list(new) == [1, 2, 3]
    assert new[3] != old[3]
    assert sorted(table.to_arrow().column(0).to_pylist()) == [0, 1, 30, 31, 32]


def test_the_hint_follows(table: Table) -> None:
    assert read_hint(table.store.file_io, str(directory(table) / "LATEST")) == 4
    assert read_hint(table.store.file_io, str(directory(table) / "EARLIEST")) == 1


def test_names_of_a_missing_version(table: Table) -> None:
    assert Snapshots(table.store).find(17) is None
    assert [each.id for each in Snapshots(table.store).all()] == [1, 2, 3, 4]
