"""Emptying a table for good."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.support.maintained_tables import files, unused
from workbench.base.errors import InvalidRequest, Unsupported, WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL"}
KINDS: dict[str, dict[str, Any]] = {
    "append": {},
    "vectors": {"options": {"deletion-vectors.enabled": "true"}},
    "key": {"primary_key": ["p", "id"], "options": {"bucket": "1", "changelog-producer": "input"}},
    "postponed": {"primary_key": ["p", "id"], "options": {"bucket": "-2"}},
}


def rows(*ids: int) -> pa.Table:
    return pa.table({"p": pa.array([each % 2 for each in ids], pa.int32()), "id": pa.array(ids, pa.int64())})


def made(catalog: FileSystemCatalog, kind: str, **options: str) -> Table:
    given = {**KINDS[kind], "options": {**KINDS[kind].get("options", {}), **options}}
    table = catalog.create_table("db.t", COLUMNS, partition_by=["p"], **given)
    for number in range(5):
        table.write(rows(*range(number, number + 4)))
    table.compact(full=True)
    table.delete("id = 3")
    table.analyze()
    table.create_tag("v1", 1)
    table.create_tag("v3", 3)
    table.create_branch("dev", tag="v3")
    table.branch("dev").write(rows(50))
    table.set_consumer("job", 4)
    longer = {"changelog.num-retained.max": "9", "changelog.num-retained.min": "9"}
    catalog.alter_table("db.t", *(set_option(name, text) for name, text in longer.items()))
    table = catalog.get_table("db.t")
    table.expire_snapshots(3, 3, older_than=2**60)
    Path(table.location, "manifest", "manifest-lost").write_text("a killed writer left it")
    return table


def set_option(name: str, value: str) -> Any:
    import workbench as wb

    return wb.SetOption(name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_but_the_schema_is_deleted(catalog: FileSystemCatalog, kind: str) -> None:
    table = made(catalog, kind)
    before, snapshots = files(table), tuple(each.id for each in table.snapshots())
    planned = table.purge_files()
    assert (planned.dry_run, planned.snapshot, files(table)) == (True, None, before)
    assert (planned.branches, planned.tags, planned.consumers) == (("dev",), ("v1", "v3"), ("job",))
    assert (planned.snapshots, len(planned.changelogs)) == (snapshots, snapshots[0] - 1)
    done = table.purge_files(dry_run=False)
    reported = ("branches", "tags", "consumers", "snapshots", "changelogs")
    assert [getattr(done, each) for each in reported] == [getattr(planned, each) for each in reported]
    removed = {
        path
        for path in before - files(table)
        if path.split("/")[0] in ("p=0", "p=1", "manifest", "index", "statistics")
    }
    assert {str(Path(path).relative_to(table.location)) for path in done.files} == removed
    left = {str(Path(path).relative_to(table.location)) for path in set(planned.files) - set(done.files)}
    assert {path.split("/")[0] for path in left} <= {"manifest", "statistics"}
    assert planned.bytes - done.bytes == sum(Path(table.location, path).stat().st_size for path in left)
    assert done.metrics is not None
    assert (done.metrics.files_deleted, done.metrics.bytes_deleted) == (len(done.files), done.bytes)
    assert [(each.id, each.operation) for each in table.snapshots()] == [(snapshots[-1] + 1, "TRUNCATE")]
    assert (table.to_arrow().num_rows, table.tags(), table.branches(), table.consumers()) == (0, {}, [], {})
    assert not unused(table)
    assert not list(Path(table.location).glob("p=*"))
    assert repr(planned).startswith("<PurgedFiles of db.t (dry run): 1 branch, 2 tags, ")
    assert f"{len(snapshots)} snapshots" in repr(done)
    table.write(rows(7))
    table.compact()
    assert table.to_arrow().to_pylist() == [{"p": 1, "id": 7}]


def test_a_table_never_written(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS)
    assert table.purge_files().files == ()
    assert table.purge_files(dry_run=False).snapshot == 1
    assert table.to_arrow().num_rows == 0


def test_tables_that_are_not_purged(catalog: FileSystemCatalog) -> None:
    table = made(catalog, "append")
    before = files(table)
    with pytest.raises(InvalidRequest, match="is a branch"):
        table.branch("dev").purge_files(dry_run=False)
    for option, error in (("scan.fallback-branch", WorkbenchError), ("tag.callbacks", Unsupported)):
        options = {**table.options, option: "dev"}
        changed = Table(table.store.with_schema(replace(table.schema, options=options)))
        with pytest.raises(error, match=option):
            changed.purge_files(dry_run=False)
    assert files(table) == before
