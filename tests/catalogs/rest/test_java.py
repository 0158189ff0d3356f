"""Java's RESTCatalog opens what we made, and we open what it made, both through Paimon's own server."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.referee import JavaCatalog
from tests.catalogs.rest.conftest import options_of
from tests.catalogs.rest.servers import java_facts
from tests.stores.proxy import Proxy
from workbench.base.parallel import parallel_map
from workbench.catalog.descriptions import View
from workbench.catalog.rest.auth import Request
from workbench.catalog.rest.changes import change_to_json, view_changes
from workbench.catalog.rest.dlf import AccessKey, DefaultSigner, OpenApiSigner
from workbench.catalog.rest.paths import ResourcePaths

# Java keeps tables that it opened.
UNCACHED = {"cache-enabled": "false"}
# Java keeps tables that it opened.
UNCACHED = {"cache-enabled": "false"}
OPTIONS = {"bucket": "1", "write-only": "true"}
COLUMNS = {"id": "BIGINT NOT NULL", "v": "STRING"}


@pytest.fixture
def java(port: int) -> Iterator[JavaCatalog]:
    return JavaCatalog(options_of(port, **UNCACHED))


def test_java_reads_what_we_made(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    catalog.alter_database(database, {"comment": "sales", "team": "a"})
    assert java.run("getDatabase", database=database)["options"]["team"] == "a"
    name = f"{database}.orders"
    table = catalog.create_table(name, COLUMNS, primary_key="id", options={"bucket": "1"}, comment="all orders")
    table.write([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    assert java.run("read", table=name) == [["1", "a"], ["2", "b"]]
    added = wb.AddColumn("w", "INT", comment="new", first=True)
    catalog.alter_table(name, added, wb.SetOption("snapshot.num-retained.max", 50))
    found = java.run("getTable", table=name)
    assert found["columns"][0] == ["w", "INT", "new"]
    assert (found["comment"], found["primary_key"]) == ("all orders", ["id"])
    assert found["options"]["snapshot.num-retained.max"] == "50"
    table = catalog.get_table(name)
    table.create_tag("t1", 1)
    table.create_branch("b1", tag="t1")
    assert java.run("listBranches", table=name) == ["b1"]
    assert java.run("listTags", table=name) == ["t1"]
    catalog.get_table(f"{name}$branch_b1").write([{"id": 9, "v": "br"}])
    assert java.run("read", table=name, branch="b1")[-1][-2:] == ["9", "br"]
    table.fast_forward("b1")
    assert len(java.run("read", table=name)) == 3
    catalog.create_view(f"{database}.vw", "SELECT 1", {"x": "INT"}, dialects={"spark": "SELECT 2"}, comment="c")
    assert java.run("getView", table=f"{database}.vw")["dialects"] == {"spark": "SELECT 2"}
    catalog.rename_view(f"{database}.vw", f"{database}.vw2")
    assert java.run("listViews", database=database) == ["vw2"]


def test_we_read_what_java_made(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    name = f"{database}.orders"
    columns = [["id", "BIGINT NOT NULL", "the key"], ["v", "STRING"], ["tags", {"type": "ARRAY", "element": "STRING"}]]
    options = {"bucket": "1", "deletion-vectors.enabled": "true"}
    java.run("createTable", table=name, columns=columns, primary_key=["id"], options=options, comment="of Java")
    java.run("write", table=name, rows=[[1, "a", None], [2, "b", None]])
    table = catalog.get_table(name)
    assert table.schema.comment == "of Java"
    assert table.schema.field("id").description == "the key"
    assert sorted(table.to_arrow()["id"].to_pylist()) == [1, 2]
    java.run(
        "alterTable", table=name, changes=[["add", "w", "INT", "new"], ["rename", "v", "vv"], ["comment", "changed"]]
    )
    table = catalog.get_table(name)
    assert table.schema.field_names == ("id", "vv", "tags", "w")
    assert table.schema.comment == "changed"
    table.write([{"id": 3, "vv": "c", "tags": ["x"], "w": 1}])
    assert len(java.run("read", table=name)) == 3
    java.run("createTag", table=name, tag="t1", snapshot=1)
    java.run("createBranch", table=name, branch="b1", tag="t1")
    assert list(table.branches()) == ["b1"]
    java.run("rollback", table=name, snapshot=2)
    assert table.snapshots()[0].id == 1
    assert table.store.snapshots.latest_id() == 2
    java.run("dropBranch", table=name, branch="b1")
    assert list(table.branches()) == []
    java.run(
        "createView",
        table=f"{database}.vw",
        columns=[["x", "INT"]],
        query="SELECT 1",
        dialects={"spark": "SELECT 2"},
        comment="c",
        options={"k": "v"},
    )
    view = catalog.get_view(f"{database}.vw")
    assert (view.query, view.dialects, view.comment, view.options) == (
        "SELECT 1",
        {"spark": "SELECT 2"},
        "c",
        {"k": "v"},
    )
    catalog.alter_view(f"{database}.vw", dataclasses.replace(view, comment="d"))
    assert java.run("getView", table=f"{database}.vw")["comment"] == "d"
    java.run(
        "createFunction",
        table=f"{database}.fn",
        inputs=[["x", "INT"]],
        outputs=[["y", "INT"]],
        dialect="flink",
        definition="x+1",
        comment="adds",
    )
    assert catalog.get_function(f"{database}.fn").definitions["flink"]["definition"] == "x+1"
    java.run("renameTable", table=name, to=f"{database}.sold")
    assert catalog.list_tables(database) == ["sold"]
    java.run("dropTable", table=f"{database}.sold")
    assert catalog.list_tables(database) == []


def test_partitions_of_both(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    name = f"{database}.p"
    options = {"metastore.partitioned-table": "true"}
    table = catalog.create_table(name, {"k": "INT", "dt": "STRING"}, partition_by="dt", options=options)
    table.write([{"k": 1, "dt": "a"}, {"k": 2, "dt": "b"}])
    java.run("write", table=name, rows=[[3, "c"]])
    ours = sorted((each.spec["dt"], each.record_count, each.file_count) for each in catalog.list_partitions(name))
    theirs = sorted(
        (each["spec"]["dt"], each["rows"], each["files"]) for each in java.run("listPartitions", table=name)
    )
    assert ours == theirs == [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]


def _two_writers(catalog: wb.Catalog, java: JavaCatalog, name: str, count: int) -> None:
    table = catalog.create_table(name, {"n": "BIGINT", "who": "STRING"}, options={"commit.max-retries": "100"})

    def run(writer: str) -> None:
        if writer == "java":
            java.run("commits", table=name, first=0, count=count, rest=["java"])
        else:
            for number in range(count):
                table.write([{"n": number, "who": "ours"}])

    parallel_map(run, ["java", "ours"], workers=2)
    rows = table.to_arrow().to_pylist()
    assert sorted((row["n"], row["who"]) for row in rows) == sorted(
        (number, who) for number in range(count) for who in ("java", "ours")
    )
    assert [each.id for each in table.snapshots()] == list(range(1, 2 * count + 1))
    assert len(java.run("read", table=name)) == 2 * count


def test_two_writers_lose_and_double_nothing(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    _two_writers(catalog, java, f"{database}.log", 6)


@pytest.mark.long
def test_two_writers_of_a_hundred_commits_each(catalog: wb.Catalog, java: JavaCatalog, database: str) -> None:
    _two_writers(catalog, java, f"{database}.log", 100)


def test_we_send_the_requests_that_java_sends(proxy: Proxy, catalog: wb.Catalog, database: str) -> None:
    java = JavaCatalog(options_of(proxy.port, **UNCACHED))
    ours = _requests_of(proxy, lambda: _life_of_ours(catalog, f"{database}_a"), f"{database}_a")
    theirs = _requests_of(proxy, lambda: _life_of_java(java, f"{database}_b"), f"{database}_b")
    assert theirs
    assert [each for each in ours if each not in theirs] == []
    changes = [each for each in theirs if each[0] != "GET"]
    assert [each for each in changes if each not in ours] == []


def _requests_of(proxy: Proxy, run: Callable[[], None], database: str) -> list[tuple[str, str, Any]]:
    """Return what is requested, without what differs between two databases, tables and commits."""
    before = len(proxy.seen)
    run()
    found = []
    for each in proxy.seen[before:]:
        target = each.target.replace(database, "DB")
        # This library also looks whether a name is free or taken, with requests that Java sends for other names.
        target = re.sub(r"(tables|views)/\w$", r"\1/NAME", target) if each.method == "GET" else target
        found.append((each.method, target, _shape(json.loads(each.body or b"null"), database)))
    return found


def _shape(value: Any, database: str, key: str = "") -> Any:
    """Return a document with the types of the values that differ between commits."""
    if isinstance(value, dict):
        return {name: _shape(each, database, name) for name, each in value.items() if name not in _OPTIONAL}
    if isinstance(value, list):
        return [_shape(each, database) for each in value]
    if key in _CHANGING:
        return type(value).__name__
    return value.replace(database, "DB") if isinstance(value, str) else value


# Java notes these only for some engines.
_OPTIONAL = {"watermark", "properties", "operation"}
_CHANGING = {
    "tableId",
    "baseSnapshotUuid",
    "uuid",
    "baseManifestList",
    "baseManifestListSize",
    "deltaManifestList",
    "deltaManifestListSize",
    "commitUser",
    "timeMillis",
    "fileSizeInBytes",
    "lastFileCreationTime",
}


def _life_of_ours(catalog: wb.Catalog, database: str) -> None:
    catalog.create_database(database, properties={"a": "1"})
    catalog.list_databases()
    catalog.alter_database(database, {"a": None, "b": "2"})
    name = f"{database}.t"
    table = catalog.create_table(
        name, {"id": "BIGINT NOT NULL", "dt": "STRING NOT NULL"}, ["id", "dt"], "dt", OPTIONS, "c"
    )
    catalog.list_tables(database)
    catalog.alter_table(
        name,
        wb.RenameColumn("id", "key"),
        wb.MoveColumn("dt", first=True),
        wb.UpdateColumnComment("key", "k"),
        wb.SetOption("snapshot.num-retained.max", "9"),
        wb.RemoveOption("snapshot.num-retained.max"),
        wb.UpdateComment("d"),
    )
    table = catalog.get_table(name)
    table.write([{"key": 1, "dt": "a"}])
    table.write([{"key": 2, "dt": "a"}])
    table.create_tag("t1", 1)
    table.create_branch("b1", tag="t1")
    table.create_branch("b2")
    table.branches()
    catalog.get_table(f"{name}$branch_b1").write([{"key": 3, "dt": "a"}])
    table.fast_forward("b1")
    table.rollback_to(snapshot=1)
    table.delete_branch("b1")
    table.delete_branch("b2")
    catalog.list_partitions(name)
    catalog.rename_table(name, f"{database}.u")
    catalog.create_view(f"{database}.v", "SELECT 1", {"x": "INT"}, dialects={"spark": "SELECT 2"}, comment="c")
    catalog.get_view(f"{database}.v")
    catalog.list_views(database)
    catalog.rename_view(f"{database}.v", f"{database}.w")
    catalog.drop_view(f"{database}.w")
    catalog.list_functions(database)
    catalog.drop_table(f"{database}.u")
    assert catalog.list_tables(database) == []
    catalog.drop_database(database)


def _life_of_java(java: JavaCatalog, database: str) -> None:
    java.run("createDatabase", database=database, options={"a": "1"})
    java.run("listDatabases")
    java.run("getDatabase", database=database)
    java.run("alterDatabase", database=database, properties={"a": None, "b": "2"})
    name = f"{database}.t"
    columns = [["id", "BIGINT NOT NULL"], ["dt", "STRING NOT NULL"]]
    keys = {"primary_key": ["id", "dt"], "partition_by": ["dt"]}
    java.run("createTable", table=name, columns=columns, options=OPTIONS, comment="c", **keys)
    java.run("listTables", database=database)
    changes = [
        ["rename", "id", "key"],
        ["first", "dt"],
        ["columnComment", "key", "k"],
        ["set", "snapshot.num-retained.max", "9"],
        ["remove", "snapshot.num-retained.max"],
        ["comment", "d"],
    ]
    java.run("alterTable", table=name, changes=changes)
    java.run("write", table=name, rows=[["a", 1]])
    java.run("write", table=name, rows=[["a", 2]])
    java.run("createTag", table=name, tag="t1", snapshot=1)
    java.run("createBranch", table=name, branch="b1", tag="t1")
    java.run("createBranch", table=name, branch="b2")
    java.run("listBranches", table=name)
    java.run("write", table=name, branch="b1", rows=[["a", 3]])
    java.run("fastForward", table=name, branch="b1")
    java.run("rollback", table=name, snapshot=1)
    java.run("dropBranch", table=name, branch="b1")
    java.run("dropBranch", table=name, branch="b2")
    java.run("listPartitions", table=name)
    java.run("renameTable", table=name, to=f"{database}.u")
    java.run("getTable", table=f"{database}.u")
    view = f"{database}.v"
    spark = {"spark": "SELECT 2"}
    java.run(
        "createView", table=view, columns=[["x", "INT"]], query="SELECT 1", dialects=spark, comment="c", options={}
    )
    java.run("getView", table=view)
    java.run("listViews", database=database)
    java.run("renameView", table=view, to=f"{database}.w")
    java.run("dropView", table=f"{database}.w")
    java.run("listFunctions", database=database)
    java.run("dropTable", table=f"{database}.u")
    java.run("dropDatabase", database=database)


def test_we_sign_and_write_as_the_classes_of_java() -> None:
    facts = java_facts()
    key = AccessKey("the-id", "the-secret", "the-token")
    path = "/v1/p/databases/d/tables/t%24branch_b"
    now = datetime(2026, 11, 28, 8, 9, 10, tzinfo=UTC)
    post = Request("POST", path, body='{"a":"ä"}')
    get = Request("GET", path, {"tableNamePattern": "ord%", "maxResults": "10"})
    host = "dlf.example.com"
    signer = DefaultSigner("cn-hangzhou")
    assert signer.headers(post, key, host, now) == facts["default"]
    assert signer.headers(get, AccessKey("the-id", "the-secret"), host, now) == facts["default get"]
    nonce = facts["openapi"]["x-acs-signature-nonce"]
    assert OpenApiSigner(lambda: nonce).headers(post, key, host, now) == facts["openapi"]
    assert ResourcePaths("a b~c").table("sh op", "or~ders$branch_b*1") == facts["path"]
    ours = [
        wb.AddColumn("w", "DOUBLE", comment="new", first=True),
        wb.AddColumn("a.b", "ARRAY<INT>"),
        wb.AddColumn("x", "INT", after="k"),
        wb.DropColumn("v"),
        wb.RenameColumn("a.b", "c"),
        wb.UpdateColumnType("k", "BIGINT"),
        wb.UpdateColumnNullability("k", nullable=True),
        wb.UpdateColumnComment("k", "key"),
        wb.UpdateColumnComment("k", None),
        wb.UpdateColumnDefault("k", 7),
        wb.MoveColumn("k", after="w"),
        wb.SetOption("a", "1"),
        wb.RemoveOption("a"),
        wb.UpdateComment("text"),
        wb.UpdateComment(None),
    ]
    assert [change_to_json(each) for each in ours] == json.loads(facts["changes"])["changes"]
    old = View((), "SELECT 0", {"hive": "a", "spark": "b"}, "c", {"a": "1"})
    new = View((), "SELECT 0", {"flink": "SELECT 1", "spark": "SELECT 2"}, "text", {"b": "2"})
    assert view_changes(old, new) == json.loads(facts["view changes"])["changes"]
