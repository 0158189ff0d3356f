"""Expiring changelogs that outlived their snapshots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.maintained_tables import files, unused
from tests.support.versioned import row
from workbench.base.errors import CorruptFile, InvalidRequest
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.refs.changelogs import Changelogs
from workbench.table.table import Table


def outlived(catalog: FileSystemCatalog, **options: str) -> Table:
    """Make six commits of one key and a full compaction, then expire all snapshots but the last, and no changelog."""
    kept = {"bucket": "1", "write-only": "true", "changelog.num-retained.min": "99", **options}
    table = catalog.create_table("db.k", {"id": "INT NOT NULL"}, primary_key=["id"], options=kept)
    for _ in range(6):
        table.write(row(1))
    table.compact(full=True)
    assert table.expire_snapshots(retain_max=1, retain_min=1).changelogs == (1, 2, 3, 4, 5, 6)
    return table


def changelogs(table: Table) -> list[int]:
    return Changelogs(table.store).ids()


def hint(table: Table, name: str) -> str:
    return Path(table.location, "changelog", name).read_text()


def test_files_of_expired_changelogs_are_deleted(catalog: FileSystemCatalog) -> None:
    table = outlived(catalog)
    planned = table.expire_changelogs(retain_max=3, retain_min=3, dry_run=True)
    assert changelogs(table) == [1, 2, 3, 4, 5, 6]
    done = table.expire_changelogs(retain_max=3, retain_min=3)
    assert (planned.dry_run, done.dry_run, done.changelogs) == (True, False, (1, 2, 3, 4))
    assert (planned.data_files, planned.metadata_files, planned.bytes) == (
        done.data_files,
        done.metadata_files,
        done.bytes,
    )
    assert not any(Path(path).exists() for path in (*done.data_files, *done.metadata_files))
    assert done.metadata_files
    assert (changelogs(table), hint(table, "EARLIEST"), hint(table, "LATEST")) == ([5, 6], "5", "6")
    assert ": 4 changelogs, " in repr(done)
    assert table.changes(4, 6, mode="delta").num_rows == 2
    assert table.to_arrow().num_rows == 1
    # The files that the compaction removed are kept as the changelog of its commit.
    assert not unused(table) - {path for path in files(table) if path.startswith("bucket-")}


def test_the_newest_changelog_is_kept(catalog: FileSystemCatalog) -> None:
    table = outlived(catalog)
    assert table.expire_changelogs(retain_max=1, retain_min=1).changelogs == (1, 2, 3, 4, 5)
    assert table.expire_changelogs(retain_max=1, retain_min=1).changelogs == ()
    assert changelogs(table) == [6]


def test_options_consumers_and_limits(catalog: FileSystemCatalog) -> None:
    table = outlived(catalog)
    assert table.expire_changelogs().changelogs == ()
    Path(table.location, "consumer").mkdir()
    Path(table.location, "consumer", "consumer-job").write_text('{"nextSnapshot": 3}')
    assert table.expire_changelogs(retain_max=1, retain_min=1).changelogs == (1, 2)
    table.delete_consumer("job")
    assert table.expire_changelogs(retain_max=5, retain_min=2, older_than=0).changelogs == ()
    times = {each.id: each.time_millis for each in Changelogs(table.store).all()}
    result = table.expire_changelogs(retain_min=1, older_than=times[4]).changelogs
    assert result == tuple(number for number in (3,) if times[number] < times[4])


def test_the_limit_of_one_call(catalog: FileSystemCatalog) -> None:
    table = outlived(catalog)
    options = {**table.options, "snapshot.expire.limit": "2"}
    limited = table.with_store(table.store.with_schema(replace(table.schema, options=options)))
    assert limited.expire_changelogs(retain_max=1, retain_min=1).changelogs == (1, 2)


def test_invalid_numbers(catalog: FileSystemCatalog) -> None:
    table = outlived(catalog)
    with pytest.raises(InvalidRequest, match="must not exceed"):
        table.expire_changelogs(retain_max=1, retain_min=2)
    assert changelogs(table) == [1, 2, 3, 4, 5, 6]


def test_nothing_is_deleted_if_retained_metadata_is_unreadable(catalog: FileSystemCatalog) -> None:
    table = outlived(catalog)
    kept = Changelogs(table.store).find(6)
    assert kept is not None
    path = Path(table.location, "manifest", kept.delta_manifest_list)
    path.write_bytes(path.read_bytes()[:40])
    table = connect(catalog.warehouse).get_table("db.k")
    before = files(table)
    with pytest.raises(CorruptFile, match="manifest-list"):
        table.expire_changelogs(retain_max=1, retain_min=1)
    assert files(table) == before


def test_a_table_without_any(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"id": "INT"})
    assert table.expire_changelogs().changelogs == ()
    table.write(row(1))
    assert table.expire_changelogs(retain_max=1, retain_min=1).changelogs == ()
