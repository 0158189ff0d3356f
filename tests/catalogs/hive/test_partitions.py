"""Partitions in the metastore: registered by commits, in the order of the keys, and removed with their last file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import RunningMetastore, registered
from tests.catalogs.referee import JavaCatalog
from workbench.catalog.hive.client import thrift_types
from workbench.catalog.hive.environment import HiveEnvironment
from workbench.catalog.identifier import Identifier
from workbench.sql.execute import execute

pytestmark = pytest.mark.java

OPTIONS = {"metastore.partitioned-table": "true"}
COLUMNS = {"k": "INT", "hh": "INT", "v": "STRING", "dt": "STRING"}


def partitioned(catalog: wb.Catalog, name: str, **options: str) -> wb.Table:
    """Create a table whose keys have another order than its columns."""
    return catalog.create_table(name, COLUMNS, partition_by=["dt", "hh"], options={**OPTIONS, **options})


def row(k: int, dt: str, hh: int) -> dict[str, Any]:
    return {"k": k, "hh": hh, "v": "x", "dt": dt}


def call(catalog: wb.Catalog, statement: str) -> None:
    """Run a statement."""
    execute(statement, catalog)


def test_a_commit_registers_what_java_registers(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    ours = partitioned(catalog, f"{database}.ours")
    java.run(
        "createTable",
        table=f"{database}.theirs",
        columns=[["k", "INT"], ["hh", "INT"], ["v", "STRING"], ["dt", "STRING"]],
        partition_by=["dt", "hh"],
        options=OPTIONS,
    )
    ours.write([row(1, "2026-11-01", 1), row(2, "a/b c", 2)])
    java.run("write", table=f"{database}.theirs", rows=[[1, 1, "x", "2026-11-01"], [2, 2, "x", "a/b c"]])
    mine, other = registered(metastore, database, "ours"), registered(metastore, database, "theirs")
    assert set(mine) == {("2026-11-01", "1"), ("a/b c", "2")}
    for values, partition in mine.items():
        assert partition.sd.location.replace("/ours/", "/theirs/") == other[values].sd.location
        assert Path(partition.sd.location.removeprefix("file:")).is_dir()
        partition.sd.location, partition.tableName = other[values].sd.location, "theirs"
    assert mine == other


def test_later_commits_add_only_what_is_new_and_remove_what_is_empty(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    table = partitioned(catalog, f"{database}.t")
    table.write([row(1, "a", 1), row(2, "b", 2)])
    table.write([row(3, "b", 2), row(4, "c", 3)])
    assert set(registered(metastore, database, "t")) == {("a", "1"), ("b", "2"), ("c", "3")}
    table.delete("dt = 'a'")
    assert set(registered(metastore, database, "t")) == {("b", "2"), ("c", "3")}
    # One file instead of two: fewer files, and still a partition.
    table.write([row(5, "b", 2)], mode="overwrite", partition={"dt": "b", "hh": 2})
    assert set(registered(metastore, database, "t")) == {("b", "2"), ("c", "3")}
    table.compact(full=True)
    table.truncate()
    assert registered(metastore, database, "t") == {}


def test_a_partition_of_another_branch_is_kept(catalog: wb.Catalog, metastore: RunningMetastore, database: str) -> None:
    table = partitioned(catalog, f"{database}.t")
    table.write([row(1, "a", 1)])
    table.create_tag("v1")
    table.create_branch("dev", tag="v1")
    catalog.get_table(f"{database}.t$branch_dev").write([row(2, "z", 9)])
    assert set(registered(metastore, database, "t")) == {("a", "1"), ("z", "9")}
    table.truncate()
    assert set(registered(metastore, database, "t")) == {("a", "1"), ("z", "9")}
    catalog.get_table(f"{database}.t$branch_dev").truncate()
    assert registered(metastore, database, "t") == {}


def test_java_drops_partitions_that_we_registered(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    table = partitioned(catalog, f"{database}.t")
    table.write([row(1, "a", 1), row(2, "b", 2)])
    java.run("dropPartitions", table=f"{database}.t", partitions=[{"dt": "a", "hh": "1"}])
    assert set(registered(metastore, database, "t")) == {("b", "2")}
    assert catalog.get_table(f"{database}.t").to_arrow()["k"].to_pylist() == [2]
    assert [each["spec"] for each in java.run("listPartitions", table=f"{database}.t")] == [{"dt": "b", "hh": "2"}]


def test_only_tables_that_say_so_have_partitions_in_the_metastore(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    catalog.create_table(f"{database}.t", COLUMNS, partition_by=["dt"]).write([row(1, "a", 1)])
    assert metastore.get(database, "t").partitionKeys == []
    assert registered(metastore, database, "t") == {}


def test_a_commit_whose_partitions_cannot_be_registered_warns_and_is_repaired(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.catalog.hive import environment

    table = partitioned(catalog, f"{database}.t")

    def refuse(*_: object) -> None:
        raise wb.CatalogError("The metastore is down.")

    with monkeypatch.context() as patch:
        patch.setattr(environment, "add_partitions", refuse)
        with pytest.warns(RuntimeWarning, match=rf"is published.*metastore is down.*sys\.repair\('{database}\.t'\)"):
            table.write([row(1, "a", 1)])
    assert catalog.get_table(f"{database}.t").to_arrow().num_rows == 1
    assert registered(metastore, database, "t") == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(catalog, f"CALL sys.repair('{database}.t')")
    assert set(registered(metastore, database, "t")) == {("a", "1")}


def test_repair_registers_tables_and_databases_that_exist_as_directories(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    files = wb.connect(str(metastore.warehouse))
    table = files.create_table(f"{database}.t", COLUMNS, partition_by=["dt", "hh"], options=OPTIONS)
    table.write([row(1, "a", 1)])
    files.create_database(f"{database}_new")
    files.create_table(f"{database}_new.u", {"k": "INT"})
    assert catalog.list_tables(database) == []
    with pytest.raises(wb.AlreadyExists, match=r"CALL sys\.repair"):
        partitioned(catalog, f"{database}.t")
    call(catalog, f"CALL sys.repair('{database},{database}_new')")
    assert catalog.list_tables(database) == ["t"]
    assert java.run("listTables", database=f"{database}_new") == ["u"]
    assert set(registered(metastore, database, "t")) == {("a", "1")}
    # Twice is once; and a schema that only the files have is brought to the metastore.
    call(catalog, "CALL sys.repair()")
    files.alter_table(f"{database}.t", wb.AddColumn("w", "INT"))
    call(catalog, f"CALL sys.repair('{database}.t')")
    assert [each.name for each in metastore.get(database, "t").sd.cols] == ["k", "v", "w"]
    with pytest.raises(wb.TableNotFound, match="There is no table in"):
        call(catalog, f"CALL sys.repair('{database}.missing')")


def test_partitions_are_registered_and_marked_without_a_commit(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    partitioned(catalog, f"{database}.t")
    name, spec = Identifier(database, "t"), {"hh": "3", "dt": "2026-11-09"}
    for _ in range(2):
        catalog.metastore.create_partitions(name, [spec])
    assert set(registered(metastore, database, "t")) == {("2026-11-09", "3")}
    event = thrift_types().PartitionEventType.LOAD_DONE

    def is_done() -> bool:
        return bool(metastore.client.call("isPartitionMarkedForEvent", database, "t", spec, event))

    assert not is_done()
    catalog.metastore.mark_partitions_done(name, [spec])
    assert is_done()
    java.run("markDone", table=f"{database}.t", partitions=[spec])
    catalog.create_table(f"{database}.u", {"k": "INT"})
    with pytest.raises(wb.Unsupported, match=r"metastore\.partitioned-table"):
        catalog.metastore.create_partitions(Identifier(database, "u"), [spec])


def test_add_partition_registers_what_java_registers(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    """Spark's ADD PARTITION creates the partitions through Java's catalog."""
    for name in ("ours", "theirs"):
        partitioned(catalog, f"{database}.{name}").write([row(1, "a", 1)])
    call(catalog, f"ALTER TABLE {database}.ours ADD PARTITION (hh = 3, dt = 'b c') PARTITION (dt = 'd', hh = 4)")
    java.run(
        "createPartitions", table=f"{database}.theirs", partitions=[{"dt": "b c", "hh": "3"}, {"dt": "d", "hh": "4"}]
    )
    ours, theirs = registered(metastore, database, "ours"), registered(metastore, database, "theirs")
    for each in theirs.values():
        each.tableName, each.sd.location = "ours", each.sd.location.replace("/theirs/", "/ours/")
    assert set(ours) == {("a", "1"), ("b c", "3"), ("d", "4")}
    assert ours == theirs
    with pytest.raises(wb.AlreadyExists, match="already has a partition with dt = a, hh = 1"):
        call(catalog, f"ALTER TABLE {database}.ours ADD PARTITION (dt = 'a', hh = 1)")
    again = "PARTITION (dt = 'a', hh = 1) PARTITION (dt = 'd', hh = 4)"
    call(catalog, f"ALTER TABLE {database}.ours ADD IF NOT EXISTS {again}")
    assert registered(metastore, database, "ours") == ours
    # A partition that is dropped is no longer registered; one that never had rows is kept, as by Java.
    call(catalog, f"ALTER TABLE {database}.ours DROP PARTITION (dt = 'a', hh = 1)")
    assert set(registered(metastore, database, "ours")) == {("b c", "3"), ("d", "4")}
    catalog.create_table(f"{database}.plain", COLUMNS, partition_by="dt")
    assert not catalog.create_partitions(f"{database}.plain", {"dt": "x"})
    call(catalog, f"ALTER TABLE {database}.plain ADD PARTITION (dt = 'x')")
    assert metastore.client.call("get_partition_names", database, "plain", -1) == []


def test_an_applied_sandbox_registers_its_partitions_and_tags(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    table = partitioned(catalog, f"{database}.t")
    table.write([row(1, "a", 1), row(2, "b", 2)])
    with table.sandbox() as sandbox:
        sandbox.write([row(3, "c", 3)])
        sandbox.drop_partitions({"dt": "a"})
        assert set(registered(metastore, database, "t")) == {("a", "1"), ("b", "2")}
        sandbox.apply()
    assert set(registered(metastore, database, "t")) == {("b", "2"), ("c", "3")}
    tagged = catalog.create_table(f"{database}.u", {"k": "INT"}, options={"metastore.tag-to-partition": "dt"})
    tagged.write([{"k": 1}])
    tagged.create_tag("old")
    with tagged.sandbox() as sandbox:
        sandbox.create_tag("new")
        sandbox.delete_tag("old")
        assert set(registered(metastore, database, "u")) == {("old",)}
        sandbox.apply()
    assert set(registered(metastore, database, "u")) == {("new",)}


def test_a_sandbox_that_is_applied_again_registers_what_an_earlier_process_did_not(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = partitioned(catalog, f"{database}.t")
    table.write([row(1, "a", 1)])
    with table.sandbox(tmp_path / "sandbox") as sandbox:
        sandbox.write([row(3, "c", 3)])

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(HiveEnvironment, "snapshots_replaced", killed)
        with table.sandbox(tmp_path / "sandbox") as sandbox, pytest.raises(KeyboardInterrupt):
            sandbox.apply()
    assert catalog.get_table(f"{database}.t").to_arrow().num_rows == 2
    assert set(registered(metastore, database, "t")) == {("a", "1")}
    with table.sandbox(tmp_path / "sandbox") as sandbox:
        sandbox.apply()
    assert set(registered(metastore, database, "t")) == {("a", "1"), ("c", "3")}


def test_partitions_follow_a_rollback_and_a_fast_forward(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    table = partitioned(catalog, f"{database}.t")
    table.write([row(1, "a", 1)])
    table.drop_partitions({"dt": "a"})
    assert registered(metastore, database, "t") == {}
    table.rollback_to(1)
    assert set(registered(metastore, database, "t")) == {("a", "1")}
    table.create_tag("start")
    table.create_branch("dev", tag="start")
    branch = table.branch("dev")
    branch.write([row(2, "b", 2)])
    branch.drop_partitions({"dt": "a"})
    assert set(registered(metastore, database, "t")) == {("a", "1"), ("b", "2")}
    table.fast_forward("dev")
    table.delete_branch("dev")
    assert set(registered(metastore, database, "t")) == {("b", "2")}
