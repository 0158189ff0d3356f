"""Options that define what to read, stored in a table or passed to a read."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.clock import ManualClock
from workbench.base.errors import (
    InvalidRequest,
    InvalidSchema,
    SnapshotNotFound,
    UnknownOption,
    Unsupported,
    WorkbenchError,
)
from workbench.base.session import session_options
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.store import TableStore
from workbench.storage.local import LocalFileIO
from workbench.table.read_options import open_for_read
from workbench.table.table import Table

HOUR = 3_600_000
START = 1_767_225_600_000  # 2026-01-01 00:00 UTC


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileSystemCatalog:
    monkeypatch.setattr(session_options, "timezone", "UTC")
    opened = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=ManualClock(START))
    opened.create_database("db")
    return opened


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int32())})


def ids(table: Table) -> list[int]:
    return sorted(table.to_arrow()["id"].to_pylist())


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    """Five versions, an hour apart; version N holds the rows 1 … N, the third was created by a compaction."""
    assert isinstance(catalog.clock, ManualClock)
    created = catalog.create_table("db.t", {"id": "INT"}, primary_key="id", options={"bucket": 3, "write-only": True})
    for number in (1, 2, 4, 5):
        created.write(rows(number))
        catalog.clock.advance(HOUR)
        if number == 2:
            created.compact(full=True)
            catalog.clock.advance(HOUR)
    return created


def stored(table: Table, options: Mapping[str, str]) -> Table:
    """Return the table with these options added to its stored ones."""
    schema = replace(table.schema, id=table.schema.id + 1, options={**table.schema.options, **options})
    Path(table.location, "schema", f"schema-{schema.id}").write_text(schema.to_json())
    return wb.connect(Path(table.location).parents[1]).get_table("db.t")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scan.mode": "latest-full"}, [1, 2, 4, 5]),
        ({"log.scan": "latest"}, [1, 2, 4, 5]),
        ({"scan.mode": "compacted-full"}, [1, 2]),
        ({"scan.mode": "compacted-full", "full-compaction.delta-commits": "3"}, [1, 2]),
        ({"scan.snapshot-id": "4"}, [1, 2, 4]),
        ({"scan.timestamp": "2026-01-01 03:30:00"}, [1, 2, 4]),
        ({"scan.timestamp-millis": str(START + HOUR)}, [1, 2]),
        # The first version of that time or later, if an older one exists, so that none is missing in between.
        ({"scan.creation-time-millis": str(START + HOUR)}, [1, 2]),
        ({"scan.creation-time-millis": str(START + HOUR + 1)}, [1, 2]),
        # Otherwise the files created since then.
        ({"scan.creation-time-millis": str(START)}, [1, 2, 4, 5]),
        ({"scan.creation-time-millis": str(START + 9 * HOUR)}, []),
        ({"scan.file-creation-time-millis": str(START + 3 * HOUR + 1)}, [5]),
    ],
)
def test_valid_options(table: Table, options: dict[str, str], expected: list[int]) -> None:
    given = open_for_read(table, options)
    assert ids(given) == ids(stored(table, options)) == expected
    assert ids(pickle.loads(pickle.dumps(given))) == expected
    assert sorted(given.to_batches().read_all()["id"].to_pylist()) == expected


def test_one_bucket(table: Table) -> None:
    parts = [open_for_read(table, {"scan.bucket": str(bucket)}) for bucket in range(4)]
    assert sorted(number for part in parts for number in ids(part)) == [1, 2, 4, 5]
    assert sorted(number for part in parts for number in ids(part.at(snapshot=3))) == [1, 2]
    assert 0 < len(ids(parts[0])) < 4
    assert ids(parts[3]) == []
    assert parts[3].scan().explain().files_pruned == {"option 'scan.bucket'": 4}
    with pytest.raises(Unsupported, match=r"'scan\.bucket' = '0'"):
        parts[0].changes(3, 5)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"scan.snapshot-id": "1", "scan.tag-name": "x"}, WorkbenchError, "scan.tag-name are mutually exclusive"),
        (
            {"scan.snapshot-id": "1", "scan.mode": "latest"},
            WorkbenchError,
            "cannot be combined with 'scan.mode' = 'latest'",
        ),
        ({"scan.mode": "from-snapshot"}, WorkbenchError, "Set scan.snapshot-id or scan.tag-name"),
        ({"scan.mode": "incremental"}, WorkbenchError, "'scan.mode' = 'incremental' requires another option"),
        ({"scan.mode": "latest-delta"}, WorkbenchError, "'latest-delta'"),
        ({"scan.mode": "newest"}, InvalidSchema, "'newest'"),
        ({"scan.snapshot-id": "one"}, InvalidSchema, "'one'"),
        ({"scan.snapshot-id": "17"}, SnapshotNotFound, "17"),
        ({"scan.tag-name": "gone"}, SnapshotNotFound, "'gone'"),
        ({"scan.watermark": "1"}, SnapshotNotFound, "watermark 1"),
        ({"scan.timestamp": "some day"}, WorkbenchError, "'some day'"),
        ({"scan.partitions": "dt=1"}, Unsupported, "'scan.partitions' = 'dt=1'"),
        ({"incremental-between": "1,2"}, Unsupported, "'incremental-between' = '1,2'"),
        ({"scan.fallback-snapshot-branch": "b"}, Unsupported, "'scan.fallback-snapshot-branch' = 'b'"),
        ({"chain-table.enabled": "true"}, Unsupported, "'chain-table.enabled' = 'true'"),
        ({"pk-clustering-override": "true"}, Unsupported, "'pk-clustering-override' = 'true'"),
    ],
)
def test_invalid_options(table: Table, options: dict[str, str], error: type[Exception], named: str) -> None:
    with pytest.raises(error) as refused:
        stored(table, options).to_arrow()
    assert named in str(refused.value)


def test_a_read_sets_only_what_a_read_may(table: Table) -> None:
    with pytest.raises(UnknownOption, match=r"Did you mean 'scan\.snapshot-id'"):
        open_for_read(table, {"scan.snapshot-ids": "1"})
    with pytest.raises(WorkbenchError, match="'merge-engine' cannot be set for a read"):
        open_for_read(table, {"merge-engine": "first-row"})
    for fixed in ({"bucket": "7"}, {"partition": "v"}, {"partition.default-name": "none"}):
        with pytest.raises(InvalidRequest, match=f"'{next(iter(fixed))}' cannot be set for a read or write"):
            open_for_read(table, fixed)
    stated = {"primary-key": ",".join(table.primary_key), "bucket": table.options["bucket"], "type": "TABLE"}
    assert ids(open_for_read(table, {**stated, "read.batch-size": "7"})) == [1, 2, 4, 5]
    lenient = stored(table, {"ignore-delete": "true"})
    with pytest.raises(InvalidRequest, match="'ignore-delete' cannot be set"):
        open_for_read(lenient, {"ignore-delete": "false"})


def test_a_table_that_reads_an_old_version_is_not_written(table: Table) -> None:
    old = stored(table, {"scan.snapshot-id": "1"})
    with pytest.raises(WorkbenchError, match=r"at snapshot 1: .* read-only"):
        old.write(rows(9))
    stored(table, {"scan.mode": "latest"}).write(rows(9))
    assert 9 in ids(table)


def test_system_tables_are_those_of_the_version(table: Table) -> None:
    old = stored(table, {"scan.snapshot-id": "1"})
    catalog = wb.connect(Path(table.location).parents[1])
    assert catalog.open("db.t$files").to_arrow().num_rows == len(old.scan().plan()[0].files) == 1
    assert catalog.open("db.t$snapshots").to_arrow().num_rows == 5


def test_columns_of_then_options_of_now(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.u", {"id": "INT", "v": "INT"}, primary_key="id", options={"bucket": 1})
    table.write([{"id": 1, "v": 5}])
    table.write([{"id": 1, "v": 3}])
    fields = (*table.schema.fields, replace(table.schema.fields[1], id=2, name="w"))
    options = {"bucket": "1", "sequence.field": "v"}
    schema = replace(table.schema, id=1, fields=fields, highest_field_id=2, options=options)
    Path(table.location, "schema", "schema-1").write_text(schema.to_json())
    newest = catalog.get_table("db.u")
    assert newest.at(snapshot=2).to_arrow().to_pylist() == [{"id": 1, "v": 5}]
    assert newest.to_arrow().to_pylist() == [{"id": 1, "v": 5, "w": None}]


# --- two branches -------------------------------------------------------------------------------------------------


@pytest.fixture
def branches(catalog: FileSystemCatalog) -> Table:
    """Partition 1 in both branches, 2 in the table's own, 3 in branch ``b`` alone."""
    assert isinstance(catalog.clock, ManualClock)
    created = catalog.create_table("db.t", {"id": "INT", "p": "INT"}, partition_by="p")
    root = Path(created.location, "branch", "branch-b")
    (root / "schema").mkdir(parents=True)
    options = {"bucket": "1"}
    theirs = replace(created.schema, primary_keys=("p", "id"), options=options)
    (root / "schema" / "schema-0").write_text(theirs.to_json())
    created.write([{"id": 1, "p": 1}, {"id": 2, "p": 2}])
    catalog.clock.advance(HOUR)
    created.branch("b").write([{"id": 11, "p": 1}, {"id": 13, "p": 3}])
    catalog.clock.advance(HOUR)
    created.write([{"id": 1, "p": 1}])
    created.branch("b").write([{"id": 13, "p": 3}, {"id": 14, "p": 3}])
    return created


def test_missing_partitions_are_read_from_the_fallback_branch(branches: Table) -> None:
    table = stored(branches, {"scan.fallback-branch": "b"})
    assert ids(table) == [1, 1, 2, 13, 14]
    assert sorted(table.to_batches().read_all()["id"].to_pylist()) == [1, 1, 2, 13, 14]
    assert ids(pickle.loads(pickle.dumps(table))) == [1, 1, 2, 13, 14]
    # A partition in the first branch hides the same partition of the other one, regardless of the predicate.
    assert table.to_arrow(where="id > 10 AND p < 3").num_rows == 0
    assert table.to_arrow(columns=["p"], where="id > 10")["p"].to_pylist() == [3, 3]
    assert table.to_arrow(limit=4).num_rows == 4
    assert table.scan().count() == table.to_arrow(columns=[]).num_rows == 5
    assert (table.scan(limit=2).count(), table.scan(where="p = 3").count()) == (2, 2)
    assert table.scan().known_bounds("id") is None
    assert table.arrow_schema == table.to_arrow().schema
    assert ids(table.branch("b")) == [11, 13, 14]


def test_the_primary_branch_takes_precedence(branches: Table) -> None:
    assert ids(stored(branches, {"scan.primary-branch": "b"})) == [2, 11, 13, 14]


def test_both_branches_are_read_at_one_time(branches: Table) -> None:
    table = stored(branches, {"scan.fallback-branch": "b"})
    # The other branch had no version at that time, and Java takes its first one.
    assert ids(table.at(snapshot=1)) == [1, 2, 13]
    assert ids(table.at(snapshot=2)) == [1, 1, 2, 13, 14]
    assert ids(table.at(timestamp=START + HOUR)) == [1, 2, 13]
    with pytest.raises(SnapshotNotFound):
        table.at(timestamp=START)
    assert ids(table.at(version="1")) == [1, 2, 13]
    branches.create_tag("first", 1)
    with pytest.raises(Unsupported, match="two branches"):
        table.at(tag="first")


def test_operations_unsupported_on_two_branches_are_refused(branches: Table, catalog: FileSystemCatalog) -> None:
    table = stored(branches, {"scan.fallback-branch": "b"})
    for refused in (lambda: table.scan().plan(), lambda: table.changes(1, 2), lambda: table.scan().explain()):
        with pytest.raises(Unsupported, match="two branches"):
            refused()
    for system in ("partitions", "ro", "audit_log"):
        with pytest.raises(Unsupported, match=r"'scan\.fallback-branch' = 'b'"):
            catalog.open(f"db.t${system}")
    assert catalog.open("db.t$snapshots").to_arrow().num_rows == 2
    table.write([{"id": 5, "p": 5}])
    assert ids(table) == [1, 1, 2, 5, 13, 14]
    with pytest.raises(Unsupported, match="two branches"):
        stored(branches, {"scan.fallback-branch": "b", "scan.mode": "compacted-full"})
    with pytest.raises(Unsupported, match=r"'scan\.bucket' is not supported"):
        stored(branches, {"scan.fallback-branch": "b", "scan.bucket": "0"})


def test_rows_of_the_other_branch_are_not_skipped(branches: Table) -> None:
    path = Path(branches.location, "branch", "branch-b", "schema", "schema-0")
    path.write_text(path.read_text().replace('"options": {', '"options": {"scan.snapshot-id": "1",'))
    for read in (lambda: branches.branch("b").to_arrow(), lambda: stored(branches, {"scan.fallback-branch": "b"})):
        with pytest.raises(Unsupported, match=r"'scan\.snapshot-id' = '1'"):
            read()
    with pytest.raises(Unsupported, match=r"'scan\.snapshot-id' = '1'"):
        stored(branches, {"scan.bucket": "0"}).branch("b").to_arrow()
    assert ids(wb.connect(Path(branches.location).parents[1]).get_table("db.t$branch_b")) == [11, 13]


def test_branches_that_do_not_fit(branches: Table) -> None:
    with pytest.warns(UserWarning, match=r"no branch 'x', which option 'scan\.fallback-branch' names"):
        assert ids(stored(branches, {"scan.fallback-branch": "x"})) == [1, 1, 2]
    with pytest.raises(WorkbenchError, match="mutually exclusive"):
        stored(branches, {"scan.fallback-branch": "b", "scan.primary-branch": "b"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ids(stored(branches, {"scan.fallback-branch": "b", "scan.primary-branch": " "})) == [1, 1, 2, 13, 14]


def test_a_pickled_store_keeps_its_read_options(table: Table) -> None:
    store = open_for_read(table, {"scan.bucket": "1"}).store
    there = pickle.loads(pickle.dumps(store))
    assert isinstance(there, TableStore)
    assert there.read_options == store.read_options


def test_an_unknown_option_is_kept_and_reported_once(table: Table) -> None:
    catalog = wb.connect(Path(table.location).parents[1])
    with pytest.warns(UserWarning, match=r"unknown option 'scan\.mood'.*Did you mean 'scan\.mode'"):
        stored(table, {"scan.mood": "blue"})
    with pytest.warns(UserWarning, match=r"db\.t: .*'scan\.mood'"):
        assert ids(catalog.get_table("db.t")) == [1, 2, 4, 5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert catalog.get_table("db.t").options["scan.mood"] == "blue"
