"""Hive tables become Paimon tables, with the rows that Java's migration gives them, and without losing a file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.hive_files import COLUMNS, HiveTable, files_below, partitioned, plain, rows
from tests.catalogs.hive.metastores import RunningMetastore, registered
from tests.catalogs.referee import JavaCatalog
from workbench.base.errors import InvalidRequest
from workbench.catalog.hive import migration
from workbench.sql.execute import execute
from workbench.storage.local import LocalFileIO

pytestmark = pytest.mark.java

FORMATS = ("parquet", "orc", "avro")
CONDITIONS = {
    "dt = '2026-11-01'": [1, 2, 3, 4, 5],
    "dt IS NULL AND hh = 3": [7],
    "dt IS NOT NULL AND hh > 1": [6],
    "hh > 1 AND id < 7": [6],
    "name IS NULL": [5],
    "price > 2.4 OR dt = 'a b'": [5, 6, 7],
}


def java_rows(java: JavaCatalog, name: str) -> list[Any]:
    return sorted(java.run("read", table=name))


def our_rows(catalog: wb.Catalog, name: str) -> list[dict[str, Any]]:
    return sorted(catalog.get_table(name).to_arrow().to_pylist(), key=lambda each: each["id"])


# Java asks the metastore for the columns, and neither of these can load Hive's class for Avro.
@pytest.mark.parametrize("kind", ["parquet", pytest.param("orc", marks=pytest.mark.long)])
def test_partitioned_tables_become_what_java_makes_of_them(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str, kind: str
) -> None:
    for name in ("ours", "theirs"):
        partitioned(metastore, database, name, kind)
    java.run("migrate", table=f"{database}.theirs", options={"metastore.partitioned-table": "true"})
    migrated = catalog.migrate_table(f"{database}.ours", options={"metastore.partitioned-table": "true"})
    assert migrated.name == f"{database}.ours"
    assert java_rows(java, f"{database}.ours") == java_rows(java, f"{database}.theirs")
    expected = our_rows(catalog, f"{database}.theirs")
    assert our_rows(catalog, f"{database}.ours") == expected
    assert [each["id"] for each in expected] == [1, 2, 3, 4, 5, 6, 7]
    assert expected[6] == {"id": 7, "name": "n7", "price": 3.5, "dt": None, "hh": 3}
    ours, theirs = (metastore.get(database, each) for each in ("ours", "theirs"))
    for each in (ours, theirs):
        each.parameters.pop("transient_lastDdlTime")
    assert ours.parameters == theirs.parameters
    assert (ours.tableType, ours.partitionKeys, ours.sd.cols) == (
        theirs.tableType,
        theirs.partitionKeys,
        theirs.sd.cols,
    )
    assert ours.sd.location == theirs.sd.location.replace("theirs", "ours")
    assert set(registered(metastore, database, "ours")) == set(registered(metastore, database, "theirs"))
    assert (
        catalog.get_table(f"{database}.ours").schema.options == catalog.get_table(f"{database}.theirs").schema.options
    )
    assert catalog.list_tables(database) == ["ours", "theirs"]
    assert catalog.list_other_tables(database) == []


@pytest.mark.long
def test_types_of_partition_columns(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    keys, values = {"day": "date", "yes": "boolean", "big": "bigint"}, ("2026-11-01", "true", "-7")
    for name in ("ours", "theirs"):
        table = HiveTable(metastore, database, name, "parquet", COLUMNS, keys)
        table.add("f", rows(1), values)
        table.add("f", rows(2), ("__HIVE_DEFAULT_PARTITION__",) * len(keys))
    java.run("migrate", table=f"{database}.theirs", options={})
    catalog.migrate_table(f"{database}.ours")
    assert java_rows(java, f"{database}.ours") == java_rows(java, f"{database}.theirs")
    found = our_rows(catalog, f"{database}.ours")
    assert found == our_rows(catalog, f"{database}.theirs")
    assert [list(each.values())[3:] for each in found] == [[date(2026, 11, 1), True, -7], [None] * 3]
    places = [metastore.warehouse / f"{database}.db" / name for name in ("ours", "theirs")]
    ours, theirs = ({str(each.parent.relative_to(place)) for each in place.rglob("*.parquet")} for place in places)
    assert ours == theirs
    # Java refuses these, because the names of the types differ.
    table = HiveTable(metastore, database, "more", "parquet", COLUMNS, {"n": "decimal(4,1)", "at": "timestamp"})
    table.add("f", rows(1), ("1.5", "2026-11-01 10:00:00.5"))
    catalog.migrate_table(f"{database}.more")
    (row,) = our_rows(catalog, f"{database}.more")
    assert (row["n"], row["at"]) == (Decimal("1.5"), datetime(2026, 11, 1, 10, 0, 0, 500_000))
    assert java_rows(java, f"{database}.more")[0][3:] == ["1.5", "2026-11-01T10:00:00.500"]


@pytest.mark.long
def test_partitioned_tables_of_avro(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    partitioned(metastore, database, "t", "avro")
    catalog.migrate_table(f"{database}.t")
    found = our_rows(catalog, f"{database}.t")
    assert [(each["id"], each["dt"], each["hh"]) for each in found] == [
        *((number, "2026-11-01", 1) for number in (1, 2, 3, 4, 5)),
        (6, "a b", 22),
        (7, None, 3),
    ]
    assert [[each[0], *each[3:]] for each in java_rows(java, f"{database}.t")] == [
        [str(each["id"]), each["dt"], str(each["hh"])] for each in found
    ]


@pytest.mark.long
def test_migrated_tables_are_read_by_conditions_and_changed(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    partitioned(metastore, database, "t", "parquet")
    table = catalog.migrate_table(f"{database}.t")
    for where, ids in CONDITIONS.items():
        assert sorted(table.to_arrow(columns=["id", "hh"], where=where)["id"].to_pylist()) == ids
    assert sorted(table.to_arrow(columns=["hh"])["hh"].to_pylist()) == [1, 1, 1, 1, 1, 3, 22]
    files = catalog.open(f"{database}.t$files").to_arrow(where="record_count = 3").to_pylist()
    assert [(each["min_value_stats"], each["null_value_counts"]) for each in files] == [
        ("{dt=2026-11-01, hh=1, id=1, name=n1, price=0.5}", "{dt=0, hh=0, id=0, name=0, price=0}")
    ]
    table.delete("id = 2")
    table.write([{"id": 8, "name": "new", "price": 1.0, "dt": "a b", "hh": 22}])
    table.compact(full=True)
    found = java_rows(java, f"{database}.t")
    assert sorted(each["id"] for each in our_rows(catalog, f"{database}.t")) == [1, 3, 4, 5, 6, 7, 8]
    assert len(found) == 7


@pytest.mark.long
@pytest.mark.parametrize("kind", FORMATS)
def test_a_table_goes_to_another_one_and_the_original_stays(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str, kind: str
) -> None:
    original = plain(metastore, database, kind=kind)
    before = {each: each.read_bytes() for each in files_below(original.directory)}
    result = execute(
        f"CALL sys.migrate_table('hive', '{database}.t', target_table => '{database}.new', delete_origin => false, "
        "options => 'target-file-size=64 mb', parallelism => 2)",
        catalog,
    )
    assert result.to_arrow().to_pylist() == [{"result": True}]
    assert {each: each.read_bytes() for each in files_below(original.directory)} == before
    assert [each[0] for each in java_rows(java, f"{database}.new")] == ["0", "1", "2", "3", "4", "5"]
    table = catalog.get_table(f"{database}.new")
    assert table.options["target-file-size"] == "64 mb"
    # Into a table with rows, and another time.
    execute(f"CALL sys.migrate_table('hive', '{database}.t', target_table => '{database}.new')", catalog)
    assert sorted(catalog.get_table(f"{database}.new").to_arrow()["id"].to_pylist()) == sorted([*range(6), *range(6)])
    assert catalog.list_other_tables(database) == []
    assert not original.directory.exists()


class Killed(BaseException):
    """The end of the process: nothing that follows is run."""


def killed(*_: object, **__: object) -> Any:
    raise Killed


def after(count: int, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is killed after some successful calls."""
    calls = iter(range(count))

    def call(*arguments: Any, **named: Any) -> Any:
        if next(calls, None) is None:
            raise Killed
        return real(*arguments, **named)

    return call


POINTS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "before the plan": (migration.MovePlan, "write", lambda _: killed),
    "before the first file": (migration.TableMigration, "_transfer", lambda _: killed),
    "between two files": (migration, "move_file", lambda real: after(2, real)),
    "before the commit": (wb.Table, "commit", lambda _: killed),
    "after the commit": (migration.TableMigration, "_finished", lambda _: killed),
    "before the rename": (wb.Catalog, "rename_table", lambda _: killed),
    "after the rename": (wb.Catalog, "rename_table", lambda real: lambda *names: (real(*names), killed())),
}


@contextmanager
def dies(monkeypatch: pytest.MonkeyPatch, point: str) -> Iterator[None]:
    """Let a migration end at a point, without undoing anything."""
    owner, name, replacement = POINTS[point]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, replacement(getattr(owner, name)))
        patch.setattr(migration.TableMigration, "_undo_if_unpublished", lambda *_: None)
        with pytest.raises(Killed):
            yield


@pytest.mark.long
@pytest.mark.parametrize("kind", ["managed", "external", "copied"])
@pytest.mark.parametrize("point", POINTS)
def test_the_next_call_completes_what_a_killed_process_began(
    catalog: wb.Catalog,
    metastore: RunningMetastore,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    point: str,
    kind: str,
) -> None:
    name = f"{database}.t"
    original = plain(metastore, database, external=kind == "external")
    if kind == "copied":
        monkeypatch.setattr(migration, "_is_one_storage", lambda *_: False)
    original.add("000009_0", [])
    (original.directory / "_SUCCESS").touch()
    with dies(monkeypatch, point):
        catalog.migrate_table(name)
    # No row is anywhere but in a file of one of both.
    files = [each.name for each in files_below(metastore.warehouse / f"{database}.db")]
    assert sum(each.startswith(("00000", "data-")) for each in files) >= 3
    table = catalog.migrate_table(name)
    assert [each["id"] for each in our_rows(catalog, name)] == [0, 1, 2, 3, 4, 5]
    assert (catalog.list_tables(database), catalog.list_other_tables(database)) == (["t"], [])
    assert not (Path(table.location) / "migration.json").exists()
    assert not (metastore.warehouse / f"{database}.db" / "t_paimon_").exists()
    with pytest.raises(wb.TableNotFound, match=r"no table .* of Hive's own formats"):
        catalog.migrate_table(name)


def test_an_error_moves_the_files_back(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = plain(metastore, database)
    before = {each: each.read_bytes() for each in files_below(original.directory)}
    real, calls = LocalFileIO.rename, iter(range(2))

    def rename(self: LocalFileIO, source: str, target: str) -> None:
        if "t_paimon_" in target and next(calls, None) is None:
            raise PermissionError(13, "no")
        real(self, source, target)

    with monkeypatch.context() as patch:
        patch.setattr(LocalFileIO, "rename", rename)
        with pytest.raises(PermissionError):
            catalog.migrate_table(f"{database}.t")
    assert {each: each.read_bytes() for each in files_below(original.directory)} == before
    assert (catalog.list_tables(database), catalog.list_other_tables(database)) == ([], ["t"])
    catalog.migrate_table(f"{database}.t")
    assert [each["id"] for each in our_rows(catalog, f"{database}.t")] == [0, 1, 2, 3, 4, 5]


@pytest.mark.long
def test_a_process_that_is_at_work_is_not_disturbed(
    catalog: wb.Catalog,
    metastore: RunningMetastore,
    database: str,
    options: dict[str, str],
) -> None:
    original = plain(metastore, database)
    script = (
        "import sys, time, workbench as wb\n"
        "from workbench.storage.local import LocalFileIO\n"
        "real = LocalFileIO.rename\n"
        "def rename(self, source, target):\n"
        "    real(self, source, target)\n"
        "    print('moved', flush=True)\n"
        "    time.sleep(600)\n"
        "LocalFileIO.rename = rename\n"
        f"wb.connect({options!r}).migrate_table('{database}.t')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("moved")
        with pytest.raises(wb.CatalogError, match=rf"is being migrated by process {process.pid} on "):
            catalog.migrate_table(f"{database}.t")
    finally:
        process.kill()
        process.wait()
    assert len(files_below(original.directory)) < 3
    catalog.migrate_table(f"{database}.t")
    assert [each["id"] for each in our_rows(catalog, f"{database}.t")] == [0, 1, 2, 3, 4, 5]


@pytest.mark.long
def test_files_that_hive_writes_during_a_migration_are_kept(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = plain(metastore, database)
    real = migration.TableMigration._transfer

    def transfer(self: Any, *arguments: Any) -> None:
        real(self, *arguments)
        original.add("000009_0", rows(9))

    with monkeypatch.context() as patch:
        patch.setattr(migration.TableMigration, "_transfer", transfer)
        with pytest.raises(wb.CatalogError, match=r"was not dropped: 1 file .*000009_0.*t_paimon_ has all other rows"):
            catalog.migrate_table(f"{database}.t")
    late = original.directory / "000009_0"
    late.rename(metastore.warehouse / "late")
    catalog.migrate_table(f"{database}.t")
    assert [each["id"] for each in our_rows(catalog, f"{database}.t")] == [0, 1, 2, 3, 4, 5]


def test_tables_that_would_lose_rows_are_refused(
    catalog: wb.Catalog, metastore: RunningMetastore, database: str
) -> None:
    def refused(name: str, error: type[Exception], match: str, **arguments: Any) -> None:
        with pytest.raises(error, match=match):
            catalog.migrate_table(f"{database}.{name}", **arguments)

    plain(metastore, database, "acid", "orc", parameters={"transactional": "true"})
    refused("acid", wb.Unsupported, "transactional table")
    HiveTable(metastore, database, "text", "text", COLUMNS)
    refused("text", wb.Unsupported, "its SerDe is .*lazysimpleserde")
    nested = plain(metastore, database, "nested")
    nested.add("000000_0", rows(1), place=nested.directory / "HIVE_UNION_SUBDIR_1")
    refused("nested", wb.Unsupported, "1 file in directories that Hive does not read")
    mixed = HiveTable(metastore, database, "mixed", "parquet", {"orderid": "bigint"})
    HiveTable(metastore, database, "source", "parquet", {"orderId": "bigint"}).add("f", [{"orderId": 1}]).rename(
        mixed.directory / "f"
    )
    refused("mixed", wb.SchemaMismatch, "column 'orderId', which the table has as 'orderid'")
    old = HiveTable(metastore, database, "old", "orc", {"a": "bigint"})
    HiveTable(metastore, database, "numbered", "orc", {"_col0": "bigint"}).add("f", [{"_col0": 1}]).rename(
        old.directory / "f"
    )
    refused("old", wb.SchemaMismatch, "has the columns _col0, none of which the table has")
    broken = plain(metastore, database, "broken")
    (broken.directory / "000003_0").write_bytes(b"PAR1 nonsense")
    refused("broken", wb.CorruptFile, "000003_0")
    catalog.create_view(f"{database}.v", "SELECT 1 AS k", {"k": "INT"})
    refused("v", wb.Unsupported, "not a table with files")
    good = plain(metastore, database, "good")
    refused("good", InvalidRequest, "replaced and kept", delete_origin=False)
    refused("good", InvalidRequest, "option 'bucket'", options={"bucket": "2"})
    catalog.create_table(f"{database}.keyed", {"id": "BIGINT"}, primary_key="id")
    refused("good", InvalidRequest, "primary key, or fixed buckets", target=f"{database}.keyed")
    catalog.create_table(f"{database}.other", {"id": "BIGINT"})
    refused("good", wb.SchemaMismatch, "other columns", target=f"{database}.other")
    assert len(files_below(good.directory)) == 3
    assert catalog.list_tables(database) == ["keyed", "other"]


@pytest.mark.long
def test_columns_that_hive_added_later_are_null_in_older_files(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    table = HiveTable(metastore, database, "t", "parquet", {**COLUMNS, "added": "int"})
    HiveTable(metastore, database, "before", "parquet", COLUMNS).add("f", rows(1)).rename(table.directory / "old")
    table.add("new", [{**rows(2)[0], "added": 5}])
    migrated = catalog.migrate_table(f"{database}.t")
    assert [each["added"] for each in our_rows(catalog, f"{database}.t")] == [None, 5]
    assert migrated.to_arrow(where="added IS NULL")["id"].to_pylist() == [1]
    assert [each[3] for each in java_rows(java, f"{database}.t")] == [None, "5"]


def test_all_tables_of_a_database(catalog: wb.Catalog, metastore: RunningMetastore, database: str) -> None:
    for name in ("a", "b"):
        plain(metastore, database, name)
    HiveTable(metastore, database, "text", "text", COLUMNS)
    catalog.create_table(f"{database}.ours", {"id": "BIGINT"})
    result = execute(f"CALL sys.migrate_database('hive', '{database}')", catalog)
    assert result.to_arrow()["result"].to_pylist() == ["migrate database is finished, success cnt: 2 , failed cnt: 1"]
    assert any("text was not migrated" in each for each in result.notes)
    assert catalog.list_tables(database) == ["a", "b", "ours"]
    assert catalog.list_other_tables(database) == ["text"]
