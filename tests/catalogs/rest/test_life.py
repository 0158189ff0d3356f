"""Databases, tables, views and versions in Paimon's own REST server."""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

import workbench as wb
from tests.catalogs.rest.servers import TOKEN
from tests.stores.proxy import Proxy
from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    DatabaseNotFound,
    ReadOnlyCatalogError,
    SchemaMismatch,
    SnapshotNotFound,
    TableNotFound,
    Unsupported,
)
from workbench.catalog.identifier import Identifier
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.metadata.store import TableStore
from workbench.sql.execute import execute
from workbench.table.schema_changes.replace import replace_schema, restore_schema

PARTITIONED = {"metastore.partitioned-table": "true"}
OPTIONS = {"bucket": "1", "write-only": "true"}
COLUMNS = {"id": "BIGINT NOT NULL", "v": "STRING"}


def _orders(catalog: wb.Catalog, database: str, **more: object) -> wb.Table:
    return catalog.create_table(f"{database}.orders", COLUMNS, primary_key="id", options=OPTIONS, **more)


def _rows(table: object) -> dict[int, str]:
    rows = table.to_arrow().to_pylist()  # type: ignore[attr-defined]
    found = {row["id"]: row["v"] for row in rows}
    assert len(found) == len(rows)
    return found


def test_databases(catalog: wb.Catalog) -> None:
    catalog.create_database("life", comment="sales", properties={"team": "a"})
    found = catalog.get_database("life")
    assert (found.comment, dict(found.properties)) == ("sales", {"team": "a"})
    catalog.alter_database("life", {"team": None, "stage": "test"})
    assert dict(catalog.get_database("life").properties) == {"stage": "test"}
    assert "life" in catalog.list_databases()
    with pytest.raises(AlreadyExists):
        catalog.create_database("life")
    catalog.create_table("life.t", COLUMNS)
    with pytest.raises(CatalogError, match="contains 1 table"):
        catalog.drop_database("life")
    catalog.drop_database("life", cascade=True)
    with pytest.raises(DatabaseNotFound):
        catalog.get_database("life")


def test_tables(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database, comment="all orders")
    table.write([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    table.write([{"id": 1, "v": "c"}])
    assert _rows(table) == {1: "c", 2: "b"}
    assert [each.id for each in table.snapshots()] == [1, 2]
    assert all(each.uuid for each in table.snapshots())
    catalog.rename_table(f"{database}.orders", f"{database}.sold")
    assert catalog.list_tables(database) == ["sold"]
    again = catalog.get_table(f"{database}.sold")
    assert again.location == table.location
    assert again.schema.comment == "all orders"
    # This server forgets the snapshots of a table that is renamed, for Java too.
    assert again.store.snapshots.latest() is None
    with pytest.raises(TableNotFound):
        table.to_arrow()
    with pytest.raises(AlreadyExists):
        catalog.create_table(f"{database}.sold", COLUMNS)
    catalog.drop_table(f"{database}.sold")
    with pytest.raises(TableNotFound):
        catalog.get_table(f"{database}.sold")


def test_a_table_that_was_created_again_is_another_one(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    table.write([{"id": 1, "v": "a"}])
    catalog.drop_table(table.name)
    _orders(catalog, database).write([{"id": 2, "v": "b"}])
    with pytest.raises(TableNotFound, match="created again"):
        table.to_arrow()


def test_every_change_of_columns(catalog: wb.Catalog, database: str) -> None:
    catalog.create_table(f"{database}.t", {"k": "INT", "v": "STRING"}, options={"a.b": "1"})
    done = catalog.alter_table(
        f"{database}.t",
        wb.AddColumn("w", "DOUBLE", comment="new", first=True),
        wb.AddColumn("x", "ARRAY<INT>", after="k"),
        wb.AddColumn("r", "ROW<a INT, b STRING>"),
        wb.SetOption("snapshot.num-retained.max", 50),
        wb.UpdateComment("evolved"),
    )
    assert done.schema == catalog.get_table(f"{database}.t").schema
    assert done.schema.field_names == ("w", "k", "x", "v", "r")
    changes = (
        wb.RenameColumn("v", "vv"),
        wb.UpdateColumnType("k", "BIGINT"),
        wb.UpdateColumnComment("k", "key"),
        wb.UpdateColumnDefault("k", 7),
        wb.MoveColumn("w", after="vv"),
        wb.AddColumn("r.c", "INT"),
        wb.DropColumn("x"),
        wb.RemoveOption("snapshot.num-retained.max"),
    )
    schema = catalog.alter_table(f"{database}.t", *changes).schema
    assert schema.field_names == ("k", "vv", "w", "r")
    assert str(schema.field("k").type) == "BIGINT"
    assert (schema.field("k").description, schema.field("k").default_value) == ("key", "7")
    assert "c" in str(schema.field("r").type)
    assert "snapshot.num-retained.max" not in schema.options
    assert schema.id == 2
    with pytest.raises(SchemaMismatch, match="nope"):
        catalog.alter_table(f"{database}.t", wb.DropColumn("nope"))


def test_views(catalog: wb.Catalog, database: str) -> None:
    name = f"{database}.large"
    view = catalog.create_view(
        name, "SELECT id FROM orders", {"id": "BIGINT"}, dialects={"spark": "SELECT 1"}, comment="c"
    )
    assert catalog.get_view(name) == view
    changed = dataclasses.replace(view, dialects={"flink": "SELECT 2"}, comment="d", options={"k": "v"})
    catalog.alter_view(name, changed)
    assert catalog.get_view(name) == changed
    other = dataclasses.replace(view, query="SELECT 3")
    catalog.alter_view(name, other)
    assert catalog.get_view(name) == other
    for arguments in ("'add', 'duckdb', 'SELECT 4'", "'update', 'duckdb', 'SELECT 5'", "'drop', 'spark'"):
        execute(f"CALL sys.alter_view_dialect('{name}', {arguments})", catalog)
    assert catalog.get_view(name).dialects == {"duckdb": "SELECT 5"}
    catalog.rename_view(name, f"{database}.small")
    assert catalog.list_views(database) == ["small"]
    catalog.drop_view(f"{database}.small")
    assert catalog.list_views(database) == []


def test_a_query_requests_a_view_only_if_there_is_no_table(catalog: wb.Catalog, database: str, proxy: Proxy) -> None:
    _orders(catalog, database).write([{"id": 1, "v": "a"}])
    catalog.create_view(f"{database}.all", f"SELECT id FROM {database}.orders", {"id": "BIGINT"})
    requested = {}
    for name in ("orders", "all"):
        proxy.seen.clear()
        assert execute(f"SELECT id FROM {database}.{name}", catalog).to_arrow().to_pylist() == [{"id": 1}]
        requested[name] = [each.target.rpartition(f"{database}/")[2] for each in proxy.seen]
    # The first request opens the table, the second its newest version; the third checks that it is still that table.
    assert requested["orders"] == ["tables/orders", "tables/orders/snapshot", "tables/orders"]
    assert requested["all"] == ["tables/all", "views/all", *requested["orders"]]


def test_branches_and_rollback(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    table.write([{"id": 1, "v": "a"}])
    table.create_tag("t1", 1)
    assert table.create_branch("b1", tag="t1").snapshot == 1
    assert list(table.branches()) == ["b1"]
    with pytest.raises(AlreadyExists):
        table.create_branch("b1")
    with pytest.raises(Unsupported, match="tag"):
        table.create_branch("b2", snapshot=1)
    with pytest.raises(Unsupported, match="rename"):
        table.rename_branch("b1", "b2")
    branch = catalog.get_table(f"{table.name}$branch_b1")
    branch.write([{"id": 9, "v": "br"}])
    assert _rows(branch) == {1: "a", 9: "br"}
    assert _rows(table) == {1: "a"}
    done = table.fast_forward("b1")
    assert (done.snapshot, done.taken_snapshots, done.dropped_snapshots) == (2, (2,), ())
    assert _rows(catalog.get_table(table.name)) == {1: "a", 9: "br"}
    table.write([{"id": 3, "v": "c"}])
    # The server knows only those later snapshots that were committed to the table itself.
    assert table.rollback_to(tag="t1").snapshots == (2, 3)
    assert _rows(table) == {1: "a"}
    table.delete_branch("b1")
    assert list(table.branches()) == []


def test_sandboxes_read_the_files_and_are_not_applied(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    table.write([{"id": 1, "v": "a"}])
    with table.sandbox() as sandbox:
        sandbox.write([{"id": 2, "v": "b"}])
        assert _rows(sandbox) == {1: "a", 2: "b"}
        with pytest.raises(Unsupported, match="Applying a sandbox"):
            sandbox.apply()
    assert _rows(table) == {1: "a"}
    assert [each.id for each in table.snapshots()] == [1]


def test_a_pickled_table_commits_through_the_service(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    elsewhere = pickle.loads(pickle.dumps(table.store))
    assert isinstance(elsewhere, TableStore)
    assert TOKEN not in repr(elsewhere) + repr(elsewhere.runtime) + repr(elsewhere.runtime.environment)
    table.write([{"id": 1, "v": "a"}])
    found = elsewhere.snapshots.latest()
    assert found is not None
    assert found.commit_user == table.snapshots()[0].commit_user


def test_partitions(catalog: wb.Catalog, database: str, proxy: Proxy) -> None:
    # This server finds partitions by the name of the table alone.
    table = catalog.create_table(
        f"{database}.parts", {"k": "INT", "dt": "STRING"}, partition_by="dt", options=PARTITIONED
    )
    table.write([{"k": 1, "dt": "a"}, {"k": 2, "dt": "b"}])
    found = {each.spec["dt"]: each.record_count for each in catalog.list_partitions(table.name)}
    assert found == {"a": 1, "b": 1}
    metastore = catalog.metastore
    identifier = Identifier.parse(table.name)
    assert catalog.create_partitions(table.name, {"dt": "c"})
    assert {each.spec["dt"] for each in catalog.list_partitions(table.name)} == {"a", "b", "c"}
    metastore.mark_partitions_done(identifier, [{"dt": "a"}])
    catalog.alter_table(table.name, wb.SetOption("partition.mark-done-action", "mark-event"))
    done = catalog.get_table(table.name).mark_partitions_done([{"dt": "b=1"}, {"dt": "b"}])
    assert done.files == ()
    assert proxy.seen[-1].target.endswith("/partitions/mark")
    assert json.loads(proxy.seen[-1].body) == {"specs": [{"dt": "b=1"}, {"dt": "b"}]}


def test_functions_are_listed_and_described(port: int, catalog: wb.Catalog, database: str) -> None:
    document = (
        b'{"name": "plus", "inputParams": [{"id": 0, "name": "x", "type": "INT"}], "returnParams": [{"id": 0, "name": '
        b'"y", "type": "INT"}], "deterministic": true, "definitions": {"flink": {"type": "sql", "definition": "x+1"}}, '
        b'"comment": "adds one", "options": {}}'
    )
    url = f"http://127.0.0.1:{port}/v1/paimon/databases/{database}/functions"
    urlopen(Request(url, document, {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})).close()
    assert catalog.list_functions(database) == ["plus"]
    found = catalog.get_function(f"{database}.plus")
    assert found.definitions == {"flink": {"type": "sql", "definition": "x+1"}}
    assert (found.inputs[0].name, found.comment) == ("x", "adds one")
    with pytest.raises(TableNotFound, match="plus"):
        catalog.get_function(f"{database}.pluz")


def test_names_with_other_characters(catalog: wb.Catalog, database: str) -> None:
    name = f"{database}.o~r d*é+%"
    catalog.create_table(name, COLUMNS).write([{"id": 1, "v": "a"}])
    assert _rows(catalog.get_table(name)) == {1: "a"}


def test_versions_are_found(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    for number in range(1, 6):
        table.write([{"id": number, "v": "a"}])
    assert table.snapshot(3).id == 3
    assert table.at(snapshot=2).to_arrow().num_rows == 2
    with pytest.raises(SnapshotNotFound, match="1 to 5"):
        table.snapshot(7)
    page = table.store.snapshots.page(2)
    assert ([each.id for each in page.snapshots], page.next) == ([5, 4], 4)
    assert [each.id for each in table.store.snapshots.page(2, page.next).snapshots] == [3, 2]
    table.expire_snapshots(retain_max=2, retain_min=1)
    assert [each.id for each in table.snapshots()] == [4, 5]


def test_options_of_the_service_are_defaults_of_new_tables(catalog: wb.Catalog, database: str) -> None:
    table = catalog.create_table(f"{database}.t", COLUMNS)
    assert table.schema.options["snapshot.num-retained.min"] == "3"
    other = catalog.create_table(f"{database}.u", COLUMNS, options={"snapshot.num-retained.min": "4"})
    assert other.schema.options["snapshot.num-retained.min"] == "4"


def test_a_read_only_catalog_changes_nothing(catalog: wb.Catalog, database: str, options: dict[str, str]) -> None:
    table = _orders(catalog, database)
    table.write([{"id": 1, "v": "a"}])
    table.create_tag("t1", 1)
    closed = wb.connect(options, read_only=True)
    same = closed.get_table(table.name)
    refused: list[Callable[[], object]] = [
        lambda: same.write([{"id": 2, "v": "b"}]),
        lambda: same.create_branch("b1", tag="t1"),
        lambda: same.rollback_to(snapshot=1),
        lambda: closed.alter_table(table.name, wb.AddColumn("w", "INT")),
        lambda: closed.create_view(f"{database}.v", "SELECT 1", {"x": "INT"}),
        lambda: closed.drop_table(table.name),
    ]
    for change in refused:
        with pytest.raises(ReadOnlyCatalogError):
            change()
    assert _rows(same) == {1: "a"}


def test_a_stream_commits_an_identifier_once(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    with table.writer(commit_user="job") as writer:
        writer.write([{"id": 1, "v": "a"}])
        messages = writer.prepare()
    table.commit(messages, identifier=42, commit_user="job")
    assert table.commit(messages, identifier=42, commit_user="job").snapshots == ()
    assert _rows(table) == {1: "a"}


def test_system_tables_and_views_of_the_library(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    table.write([{"id": 1, "v": "a"}])
    table.write([{"id": 2, "v": "b"}])
    table.create_tag("t1", 1)
    table.create_branch("b1", tag="t1")
    rows = {name: catalog.open(f"{table.name}${name}").to_arrow().num_rows for name in SYSTEM_TABLES}
    assert rows == SYSTEM_TABLES
    assert "2 snapshots" in str(wb.health(table)) + str(wb.timeline(table))
    table.compact(full=True)
    assert _rows(table) == {1: "a", 2: "b"}
    assert table.store.snapshots.latest_id() == 3


SYSTEM_TABLES = {"snapshots": 2, "schemas": 1, "files": 2, "tags": 1, "branches": 1, "manifests": 2, "options": 3}


def test_a_definition_is_replaced(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database)
    table.write([{"id": 1, "v": "a"}])
    table.truncate()
    columns = {"id": "BIGINT NOT NULL", "w": "INT"}
    replace_schema(table.store, new_table_schema(columns, primary_key="id", time_millis=1))
    table = catalog.get_table(table.name)
    assert table.schema.field_names == ("id", "w")
    assert table.schema.id == 1
    table.write([{"id": 2, "w": 5}])
    assert table.to_arrow().to_pylist() == [{"id": 2, "w": 5}]


def test_a_replaced_definition_is_restored(catalog: wb.Catalog, database: str) -> None:
    table = _orders(catalog, database, comment="all orders")
    table.write([{"id": 1, "v": "a"}])
    before = table.schema
    table.truncate()
    replace_schema(
        table.store, new_table_schema({"id": "BIGINT NOT NULL", "w": "INT"}, primary_key="id", time_millis=1)
    )
    restored = restore_schema(catalog.get_table(table.name).store, before.id)
    again = catalog.get_table(table.name)
    assert again.schema == restored
    assert (again.schema.fields, again.schema.options, again.schema.comment) == (
        before.fields,
        before.options,
        "all orders",
    )
    again.rollback_to(snapshot=1)
    assert _rows(catalog.get_table(table.name)) == {1: "a"}
    again.write([{"id": 2, "v": "b"}])
    assert _rows(again) == {1: "a", 2: "b"}


def test_columns_of_written_rows_are_merged(catalog: wb.Catalog, database: str) -> None:
    options = {**OPTIONS, "write.merge-schema": "true"}
    table = catalog.create_table(f"{database}.t", COLUMNS, primary_key="id", options=options)
    table.write([{"id": 1, "v": "a"}])
    table.write([{"id": 2, "v": "b", "extra": 3}])
    rows = catalog.get_table(table.name).to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": 1, "v": "a", "extra": None}, {"id": 2, "v": "b", "extra": 3}]


def test_external_tables_are_committed_as_files(
    catalog: wb.Catalog, database: str, tmp_path: Path, proxy: Proxy
) -> None:
    place = tmp_path / "external"
    place.mkdir()
    name = f"{database}.t"
    identifier = {"database": database, "object": "t"}
    schema = {
        "fields": [{"id": 0, "name": "id", "type": "INT"}],
        "partitionKeys": [],
        "primaryKeys": [],
        "options": {"path": f"file:{place}"},
    }
    api = catalog.metastore.api  # type: ignore[attr-defined]
    api.client.post(api.paths.objects("tables", database), {"identifier": identifier, "schema": schema})
    table = catalog.get_table(name)
    assert table.location == str(place)
    table.write([{"id": 1}])
    assert table.to_arrow()["id"].to_pylist() == [1]
    assert [each.name for each in sorted((place / "snapshot").iterdir())][-1] == "snapshot-1"
    assert not any(each.target.endswith(("/commit", "/snapshot")) for each in proxy.seen)
    catalog.drop_table(name)
    assert (place / "snapshot" / "snapshot-1").exists()
