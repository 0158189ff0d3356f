"""System tables: their columns, their rows, their sources, and refusals."""

from __future__ import annotations

import json
import pickle
import shutil
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from workbench.base.errors import (
    CatalogError,
    CorruptFile,
    InvalidExpression,
    SchemaMismatch,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.base.session import session_options
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles
from workbench.table.system.registry import METADATA_KINDS, SYSTEM_TABLES
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "dt": "DATE NOT NULL", "qty": "INT", "note": "STRING"}
# Only tables with row tracking have the remaining one.
OF_ANY_TABLE = [name for name in SYSTEM_TABLES if name != "row_tracking"]


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "UTC")


def rows(ids: range) -> pa.Table:
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "dt": [date(2026, 1, 1 + number % 2) for number in ids],
            "qty": pa.array([None if number % 3 == 0 else number for number in ids], pa.int32()),
            "note": [f"note {number}" for number in ids],
        }
    )


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    """Two partitions of two buckets; versions 1 and 2 are writes, 3 is a full compaction, 4 a write of one row."""
    created = catalog.create_table(
        "db.t",
        COLUMNS,
        primary_key=["dt", "id"],
        partition_by=["dt"],
        options={"bucket": 2, "fields.qty.aggregate-function": "sum"},
        comment="a table",
    )
    created.write(rows(range(10)))
    created.write(rows(range(5, 20)))
    created.compact(full=True)
    created.write(rows(range(1)))
    return created


def make_branch(table: Table, name: str, snapshot: int | None = None) -> None:
    """Create a branch as Java does: the schemas, and the snapshot from which it starts, if any."""
    root, branch = Path(table.location), Path(table.location, "branch", f"branch-{name}")
    shutil.copytree(root / "schema", branch / "schema")
    if snapshot is not None:
        (branch / "snapshot").mkdir()
        shutil.copy(root / "snapshot" / f"snapshot-{snapshot}", branch / "snapshot")


def edit_snapshot(table: Table, number: int, **members: Any) -> None:
    file = Path(table.location, "snapshot", f"snapshot-{number}")
    file.write_text(json.dumps({**json.loads(file.read_text()), **members}))


def system(catalog: FileSystemCatalog, name: str) -> list[dict[str, Any]]:
    return catalog.open(f"db.t${name}").to_arrow().to_pylist()


EXPECTED_COLUMNS = {
    "snapshots": "snapshot_id schema_id commit_user commit_identifier commit_kind commit_time base_manifest_list "
    "delta_manifest_list changelog_manifest_list total_record_count delta_record_count changelog_record_count "
    "watermark next_row_id operation",
    "schemas": "schema_id fields partition_keys primary_keys options comment update_time",
    "options": "key value",
    "manifests": "file_name file_size num_added_files num_deleted_files schema_id min_partition_stats "
    "max_partition_stats min_row_id max_row_id",
    "files": "partition bucket file_path file_format schema_id level record_count file_size_in_bytes min_key max_key "
    "null_value_counts min_value_stats max_value_stats min_sequence_number max_sequence_number creation_time "
    "deleteRowCount file_source first_row_id write_cols",
    "tags": "tag_name snapshot_id schema_id commit_time record_count create_time time_retained",
    "branches": "branch_name create_time",
    "consumers": "consumer_id next_snapshot_id",
    "partitions": "partition record_count file_size_in_bytes file_count last_update_time created_at created_by "
    "updated_by options total_buckets done deleted_record_count",
    "buckets": "partition bucket record_count file_size_in_bytes file_count last_update_time",
    "aggregation_fields": "field_name field_type function function_options comment",
    "statistics": "snapshot_id schema_id mergedRecordCount mergedRecordSize colstat",
    "table_indexes": "partition bucket index_type file_name file_size row_count dv_ranges row_range_start "
    "row_range_end index_field_id index_field_name",
    "file_key_ranges": "partition bucket file_path file_format schema_id level record_count file_size_in_bytes "
    "min_key max_key first_row_id",
    "file_indexes": "partition bucket file_path file_size_in_bytes record_count schema_id column_name index_type "
    "storage_type index_file_path index_size_in_bytes index_container_size_in_bytes is_empty",
}


def test_the_columns_are_paimon_s() -> None:
    assert {name: " ".join(kind.schema.field_names) for name, kind in METADATA_KINDS.items()} == EXPECTED_COLUMNS


def test_metadata_is_enough(catalog: FileSystemCatalog, table: Table) -> None:
    for bucket in Path(table.location).glob("dt=*"):
        shutil.rmtree(bucket)
    for name in METADATA_KINDS:
        opened = catalog.open(f"db.t${name}")
        actual_rows = opened.to_arrow()
        actual_rows.validate(full=True)
        assert actual_rows.schema == opened.arrow_schema


def test_a_table_never_written(catalog: FileSystemCatalog) -> None:
    catalog.create_table("db.t", COLUMNS)
    filled = {name for name in OF_ANY_TABLE if catalog.open(f"db.t${name}").to_arrow().num_rows}
    assert filled == {"schemas", "aggregation_fields"}


@pytest.mark.usefixtures("table")
def test_files_and_their_sums(catalog: FileSystemCatalog) -> None:
    files = catalog.open("db.t$files").to_arrow()
    assert sorted(files["level"].to_pylist()) == [0, 5, 5, 5, 5]
    assert pc.sum(files["record_count"]).as_py() == 21
    assert all(Path(path).stat().st_size == size for path, size in zip(
        files["file_path"].to_pylist(), files["file_size_in_bytes"].to_pylist(), strict=True
    ))  # fmt: skip
    newest = files.filter(pc.equal(files["level"], 0)).to_pylist()[0]
    assert newest["partition"] == "{2026-01-01}"
    assert (newest["min_key"], newest["max_key"]) == ("[0]", "[0]")
    assert newest["null_value_counts"] == "{dt=0, id=0, note=0, qty=1}"
    assert newest["min_value_stats"] == "{dt=20454, id=0, note=note 0, qty=null}"
    assert (newest["file_source"], newest["file_format"], newest["deleteRowCount"]) == ("APPEND", "parquet", 0)
    partitions = system(catalog, "partitions")
    assert [each["partition"] for each in partitions] == ["dt=2026-01-01", "dt=2026-01-02"]
    assert [each["record_count"] for each in partitions] == [11, 10]
    buckets = system(catalog, "buckets")
    assert [(each["partition"], each["bucket"]) for each in buckets] == [
        (f"{{2026-01-0{day}}}", bucket) for day in (1, 2) for bucket in (0, 1)
    ]
    for name in ("record_count", "file_size_in_bytes", "file_count"):
        assert sum(each[name] for each in buckets) == sum(each[name] for each in partitions)
    ranges = catalog.open("db.t$file_key_ranges").to_arrow()
    assert ranges == files.select(ranges.schema.names)


def test_snapshots_and_schemas(catalog: FileSystemCatalog, table: Table) -> None:
    snapshots = system(catalog, "snapshots")
    assert [each["snapshot_id"] for each in snapshots] == [1, 2, 3, 4]
    assert [each["commit_kind"] for each in snapshots] == ["APPEND", "APPEND", "COMPACT", "APPEND"]
    (schema,) = system(catalog, "schemas")
    assert json.loads(schema["fields"])[0] == {"id": 0, "name": "id", "type": "BIGINT NOT NULL"}
    assert (schema["primary_keys"], schema["comment"]) == ('["dt","id"]', "a table")
    assert {each["key"]: each["value"] for each in system(catalog, "options")} == table.options
    functions = {each["field_name"]: each for each in system(catalog, "aggregation_fields")}
    assert functions["qty"]["function"] == "[sum]"
    assert functions["qty"]["function_options"] == "[fields.qty.aggregate-function]"
    assert functions["id"]["function"] == "[]"
    metas = system(catalog, "manifests")
    assert sum(each["num_added_files"] - each["num_deleted_files"] for each in metas) == 5
    assert metas[0]["min_partition_stats"] == "{2026-01-01}"


def test_times_are_those_of_the_session_zone(
    catalog: FileSystemCatalog, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_snapshot(table, 1, timeMillis=1_800_000_000_000)
    times = [each["commit_time"] for each in system(catalog, "snapshots")]
    assert times[0] == datetime(2027, 1, 15, 8)
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    assert system(catalog, "snapshots")[0]["commit_time"] == datetime(2027, 1, 15, 17)


@pytest.mark.usefixtures("table")
def test_it_reads_like_any_table(catalog: FileSystemCatalog) -> None:
    files = catalog.open("db.t$FILES")
    assert files.name == "db.t$files"
    everything = files.to_arrow()
    some = files.to_arrow(["level", "bucket"], where="level = 5 AND record_count > 0")
    assert some.schema.names == ["level", "bucket"]
    assert some["level"].to_pylist() == [5] * 4
    assert files.to_arrow(["bucket"], where="partition = '{2026-01-01}'", limit=1).num_rows == 1
    assert files.to_arrow(limit=0).num_rows == 0
    assert files.to_batches().read_all() == everything
    assert pa.table(files) == everything
    assert list(files.to_pandas(["bucket"]).columns) == ["bucket"]
    with pytest.raises(InvalidExpression, match="no column"):
        files.to_arrow(where="lvl = 5")
    with pytest.raises(SchemaMismatch, match="'lvl'"):
        files.to_arrow(["lvl"])
    with pytest.raises(WorkbenchError, match="got -1"):
        files.to_arrow(limit=-1)


def test_only_requested_columns_are_computed(catalog: FileSystemCatalog, table: Table) -> None:
    manifest = next(Path(table.location, "manifest").glob("manifest-[!l]*"))
    files = catalog.open("db.t$files")
    result = files.computed_columns()
    result["level"]()
    manifest.unlink()
    assert result["bucket"]().to_pylist() == files.to_arrow(["bucket"])["bucket"].to_pylist()


def test_versions_and_branches(catalog: FileSystemCatalog, table: Table) -> None:
    make_branch(table, "dev", 2)
    make_branch(table, "bare")
    files = catalog.open("db.t$files")
    assert files.at(snapshot=1).to_arrow().num_rows == 4
    assert files.at(snapshot=3).to_arrow()["level"].to_pylist() == [5] * 4
    assert pickle.loads(pickle.dumps(files.at(snapshot=1))).to_arrow().num_rows == 4
    branch = catalog.open("db.t$branch_dev$files")
    assert branch.name == "db.t$branch_dev$files"
    assert branch.to_arrow() == files.at(snapshot=2).to_arrow()
    assert files.branch("dev").to_arrow() == branch.to_arrow()
    assert table.branches() == ["bare", "dev"]
    assert [each["branch_name"] for each in system(catalog, "branches")] == ["bare", "dev"]
    dev = table.branch("dev")
    assert (dev.name, dev.location) == ("db.t$branch_dev", table.location)
    assert dev.to_arrow() == table.at(snapshot=2).to_arrow()
    assert pickle.loads(pickle.dumps(dev)).to_arrow() == dev.to_arrow()
    assert catalog.get_table("db.t$branch_bare").to_arrow().num_rows == 0
    assert dev.branch("main").to_arrow() == table.to_arrow()
    assert catalog.get_table("db.t$branch_main").name == "db.t"
    dev.write(rows(range(100, 104)))
    assert (dev.snapshot().id, table.snapshot().id) == (3, 4)
    assert dev.to_arrow().num_rows == table.at(snapshot=2).to_arrow().num_rows + 4
    assert table.to_arrow().num_rows == 20


def test_unknown_names(catalog: FileSystemCatalog, table: Table) -> None:
    make_branch(table, "dev")
    Path(table.location, "branch", "branch-half").mkdir()
    for name, error, match in [
        ("db.t$fils", TableNotFound, "Did you mean 'files'"),
        ("db.t$", CatalogError, "name of a system table"),
        ("db.t$branch_", CatalogError, "name of a branch"),
        ("db.t$branch_dv", TableNotFound, "Did you mean 'dev'"),
        ("db.t$branch_..", CatalogError, "name of a branch"),
        ("db.t$branch_x/../dev", CatalogError, "name of a branch"),
        ("db.t$branch_half", TableNotFound, "no schema"),
        ("db.t$files$options", CatalogError, "does not name a table"),
        ("db.u$files", TableNotFound, "no table"),
        ("db.t$row_tracking", WorkbenchError, r"db\.t does not track its rows"),
    ]:
        with pytest.raises(error, match=match):
            catalog.open(name)
    with pytest.raises(TableNotFound, match=r"no branch '\.\./t'"):
        table.branch("../t")


def test_nothing_is_written_or_dropped_through_them(catalog: FileSystemCatalog, table: Table) -> None:
    make_branch(table, "dev")
    for name in OF_ANY_TABLE:
        opened = catalog.open(f"db.t${name}")
        for act in (
            lambda: opened.write(rows(range(1))),  # noqa: B023
            lambda: opened.compact(full=True),  # noqa: B023
            lambda: opened.commit([]),  # noqa: B023
            lambda: opened.new_write_plan(),  # noqa: B023
        ):
            with pytest.raises(WorkbenchError, match="read-only"):
                act()
        if name not in ("audit_log", "binlog"):
            with pytest.raises(Unsupported, match="no changes"):
                opened.changes(1, 2)
    with pytest.raises(Unsupported, match="no plan"):
        catalog.open("db.t$files").scan().plan()
    for name in ("db.t$branch_dev", "db.t$files"):
        with pytest.raises(CatalogError, match="is not a valid table name"):
            catalog.drop_table(name)
        with pytest.raises(CatalogError, match="is not a valid table name"):
            catalog.rename_table(name, "db.u")
        with pytest.raises(CatalogError, match="is not a valid table name"):
            catalog.create_table(name, COLUMNS)
    assert table.to_arrow().num_rows == 20


def test_rows_with_their_kind(catalog: FileSystemCatalog, table: Table) -> None:
    log = catalog.open("db.t$audit_log")
    actual_rows = log.to_arrow()
    shown = actual_rows.drop_columns("rowkind").sort_by("id")
    assert shown == table.to_arrow().sort_by("id").cast(shown.schema)
    assert set(actual_rows["rowkind"].to_pylist()) == {"+I"}
    assert log.to_batches(["id", "rowkind"], where="id > 17").read_all().to_pylist() == [
        {"id": 18, "rowkind": "+I"},
        {"id": 19, "rowkind": "+I"},
    ]
    assert log.to_arrow(["rowkind"], limit=3).num_rows == 3
    packed = catalog.open("db.t$binlog").to_arrow(["id", "qty"])
    assert sorted(packed["id"].to_pylist()) == [[number] for number in range(20)]
    table.write(rows(range(2)).append_column("kind", pa.array(["-D", "+I"])), row_kind="kind")
    assert log.to_arrow(["rowkind", "id"], where="id < 2").sort_by("id").to_pylist() == [
        {"rowkind": "-D", "id": 0},
        {"rowkind": "+I", "id": 1},
    ]
    assert log.to_arrow(where="rowkind = '-D'")["id"].to_pylist() == [0]
    assert log.to_arrow(["rowkind"]).num_rows == 20
    table.compact(full=True)
    assert set(log.to_arrow(["rowkind"])["rowkind"].to_pylist()) == {"+I"}
    assert log.to_arrow().num_rows == 19


def test_fully_compacted_buckets(catalog: FileSystemCatalog, table: Table) -> None:
    shown = catalog.open("db.t$ro")
    table.write(rows(range(50, 60)))
    assert shown.to_arrow() == table.at(snapshot=3).to_arrow()
    assert shown.at(snapshot=2).to_arrow().num_rows == 0
    report = shown.scan().explain()
    assert (report.files, report.files_read, report.files_pruned) == (8, 4, {"not the last level": 4})
    assert shown.to_arrow(["id"], where="id > 17")["id"].to_pylist() == [18, 19]


def test_consumers(catalog: FileSystemCatalog, table: Table) -> None:
    assert table.consumers() == {}
    directory = Path(table.location, "consumer")
    directory.mkdir()
    (directory / "consumer-b").write_text('{"nextSnapshot": 3}')
    (directory / "consumer-a").write_text('{\n  "nextSnapshot" : 1\n}')
    assert table.consumers() == {"a": 1, "b": 3}
    assert system(catalog, "consumers") == [
        {"consumer_id": "a", "next_snapshot_id": 1},
        {"consumer_id": "b", "next_snapshot_id": 3},
    ]
    for text in ("", "[]", "{}", '{"nextSnapshot": "3"}', '{"nextSnapshot": true}'):
        (directory / "consumer-b").write_text(text)
        with pytest.raises(CorruptFile, match="consumer-b"):
            table.consumers()


def test_statistics(catalog: FileSystemCatalog, table: Table) -> None:
    directory = Path(table.location, "statistics")
    directory.mkdir()
    columns = {"qty": {"colId": 2, "nullCount": 7}}
    (directory / "stat-1").write_text(json.dumps({"snapshotId": 2, "schemaId": 0, "colStats": columns}))
    edit_snapshot(table, 4, statistics="stat-1")
    (result,) = system(catalog, "statistics")
    assert json.loads(result.pop("colstat")) == columns
    assert result == {"snapshot_id": 2, "schema_id": 0, "mergedRecordCount": None, "mergedRecordSize": None}
    assert catalog.open("db.t$statistics").at(snapshot=3).to_arrow().num_rows == 0
    for text in ("", "[]", "{}", '{"snapshotId": "x", "schemaId": 0}'):
        (directory / "stat-1").write_text(text)
        with pytest.raises(CorruptFile, match="stat-1"):
            system(catalog, "statistics")


def test_statistics_of_files_follow_the_schema(catalog: FileSystemCatalog, table: Table) -> None:
    """Statistics are shown by the newest schema, after columns were renamed, widened, dropped and added."""
    file = Path(table.location, "schema", "schema-0")
    stored = json.loads(file.read_text())
    for field, change in zip(stored["fields"], ({}, {}, {"name": "amount", "type": "BIGINT"}, {}), strict=True):
        field.update(change)
    stored["fields"][3:] = [{"id": 4, "name": "added", "type": "DOUBLE"}]
    file.with_name("schema-1").write_text(json.dumps({**stored, "id": 1, "highestFieldId": 4}))
    (newest,) = catalog.open("db.t$files").to_arrow(where="level = 0").to_pylist()
    assert newest["null_value_counts"] == "{added=1, amount=1, dt=0, id=0}"
    assert newest["min_value_stats"] == "{added=null, amount=null, dt=20454, id=0}"
    assert newest["schema_id"] == 0


@pytest.mark.parametrize("damage", [{"min_key": b"\0\0\0\1x"}, {"max_key": b"\0\0"}])
def test_garbled_keys_are_reported(catalog: FileSystemCatalog, table: Table, damage: dict[str, bytes]) -> None:
    manifests = ManifestFiles(table.store)
    entries = [replace(each, file=replace(each.file, **damage)) for each in manifests.live_files(table.snapshot())]
    lists = [manifests.write_list(metas) for metas in (manifests.write(entries), [])]
    for member, written in zip(("baseManifestList", "deltaManifestList"), lists, strict=True):
        edit_snapshot(table, 4, **{member: written.name, f"{member}Size": written.size})
    files = catalog.open("db.t$files")
    assert files.to_arrow(["level"]).num_rows == 5
    with pytest.raises(CorruptFile, match=r"db\.db/t: a value in its metadata is invalid"):
        files.to_arrow()
