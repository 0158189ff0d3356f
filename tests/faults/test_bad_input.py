"""Every invalid input results in one short sentence that names it and, if there is one, the most similar name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    CatalogNotFound,
    DatabaseNotFound,
    InvalidExpression,
    InvalidSchema,
    SchemaMismatch,
    SnapshotNotFound,
    TableNotFound,
    UnknownOption,
    Unsupported,
    WorkbenchError,
)
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "day": "DATE", "qty": "TINYINT", "name": "STRING", "price": "DECIMAL(6, 2)"}


def refuses(kind: type[WorkbenchError], act: Callable[[], object], *words: str) -> None:
    """Check that ``act`` raises ``kind`` with one short line that contains all of ``words``."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(WorkbenchError) as caught:
            act()
    message = str(caught.value)
    assert type(caught.value) is kind, message
    assert "\n" not in message
    assert len(message) < 300, message
    assert message.rstrip().endswith((".", "?", "…", "'", ")")), message
    for word in words:
        assert word in message, message


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = connect(tmp_path / "wh")
    opened.create_database("db")
    return opened


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    created = catalog.create_table("db.orders", COLUMNS, primary_key="id", options={"bucket": "1"})
    for _ in range(3):
        created.write([{"id": 1, "day": None, "qty": 1, "name": "n", "price": Decimal("1.00")}])
    return created


# --- warehouses, databases, names -------------------------------------------------------------------------------------


def test_warehouse_missing(tmp_path: Path) -> None:
    refuses(CatalogError, lambda: connect(tmp_path / "no" / "such"), "no/such")
    refuses(CatalogError, lambda: connect(tmp_path / "new").list_databases(), "new")
    refuses(CatalogNotFound, lambda: connect("prodd"), "'prodd'")
    refuses(CatalogError, lambda: connect(""), "")
    refuses(CatalogError, lambda: connect(metastore="filesystem"), "warehouse")
    refuses(CatalogError, lambda: connect(tmp_path, metastore="filesytem"), "'filesytem'", "'filesystem'")


def test_warehouse_is_something_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refuses(CatalogError, lambda: connect(tmp_path / "file"), "file")
    (tmp_path / "home" / "docs").mkdir(parents=True)
    refuses(CatalogError, lambda: connect(tmp_path / "home").list_databases(), "home", "not a Paimon warehouse")


@pytest.mark.usefixtures("table")
def test_names(catalog: FileSystemCatalog) -> None:
    refuses(DatabaseNotFound, lambda: catalog.list_tables("dbb"), "'dbb'", "'db'")
    refuses(DatabaseNotFound, lambda: catalog.get_table("dbb.orders"), "'dbb'", "'db'")
    refuses(DatabaseNotFound, lambda: catalog.create_table("dbb.t", {"a": "INT"}), "'dbb'")
    refuses(DatabaseNotFound, lambda: catalog.drop_database("dbb"), "'dbb'")
    refuses(TableNotFound, lambda: catalog.get_table("db.order"), "db.order", "'orders'")
    refuses(TableNotFound, lambda: catalog.drop_table("db.order"), "'orders'")
    refuses(CatalogError, lambda: catalog.get_table("orders"), "'orders'")
    refuses(TableNotFound, lambda: catalog.open("db.orders$snapshot"), "'snapshots'")
    refuses(AlreadyExists, lambda: catalog.create_database("db"), "'db'")
    refuses(AlreadyExists, lambda: catalog.create_table("db.orders", COLUMNS), "db.orders")
    refuses(CatalogError, lambda: catalog.drop_database("db"), "'db'", "cascade")


BAD_NAMES = ["..", ".", "", "a/b", "../up", "a\\b", "a\0b", " ", "a\nb", "../../etc"]


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_leave_the_warehouse(tmp_path: Path, catalog: FileSystemCatalog, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    for act in (
        lambda: catalog.create_database(name),
        lambda: catalog.create_table(f"db.{name}", {"a": "INT"}),
        lambda: catalog.get_table(f"db.{name}"),
        lambda: catalog.drop_table(f"db.{name}", missing_ok=True),
        lambda: catalog.rename_table("db.orders", f"db.{name}"),
        lambda: catalog.list_tables(name),
        lambda: catalog.drop_database(name, cascade=True),
    ):
        refuses(CatalogError, act)
    assert sorted(tmp_path.rglob("*")) == before


# --- definitions and options ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (UnknownOption, {"bukcet": "1"}, ["'bukcet'", "'bucket'"]),
        (UnknownOption, {"scan.unheard-of": "1"}, ["'scan.unheard-of'"]),
        (InvalidSchema, {"bucket": "many"}, ["bucket", "many"]),
        (InvalidSchema, {"bucket": "0"}, ["bucket", "0"]),
        (InvalidSchema, {"target-file-size": "big"}, ["target-file-size", "big"]),
        (Unsupported, {"merge-engine": "dedup"}, ["merge-engine", "dedup", "deduplicate"]),
        (InvalidSchema, {"write-only": "perhaps"}, ["write-only", "perhaps"]),
        (InvalidSchema, {"commit.timeout": "soon"}, ["commit.timeout", "soon"]),
        (Unsupported, {"pk-clustering-override": "true"}, ["pk-clustering-override", "true"]),
        (Unsupported, {"chain-table.enabled": "true"}, ["chain-table.enabled", "true"]),
        (Unsupported, {"file.format": "lance"}, ["file.format", "lance"]),
    ],
)
def test_options(
    catalog: FileSystemCatalog, kind: type[WorkbenchError], options: dict[str, str], words: list[str]
) -> None:
    given = {"bucket": "1", **options}
    refuses(kind, lambda: catalog.create_table("db.t", COLUMNS, primary_key="id", options=given), *words)
    assert catalog.list_tables("db") == []


def test_definitions(catalog: FileSystemCatalog) -> None:
    def create(columns: Any, **more: Any) -> Callable[[], Table]:
        return lambda: catalog.create_table("db.t", columns, **more)

    refuses(InvalidSchema, create({"id": "BIGNIT"}), "BIGNIT", "BIGINT")
    refuses(InvalidSchema, create({"id": "INT"}, primary_key="idd"), "'idd'")
    refuses(InvalidSchema, create({"id": "INT"}, partition_by="dt"), "'dt'")
    refuses(InvalidSchema, create({"id": "INT"}, primary_key="id", partition_by="id"), "id")
    refuses(InvalidSchema, create({}), "")
    refuses(InvalidSchema, create(pa.schema([("a", pa.int32()), ("a", pa.int32())])), "'a'")
    refuses(InvalidSchema, create({"_SEQUENCE_NUMBER": "INT"}), "_SEQUENCE_NUMBER")
    refuses(InvalidSchema, create({"id": "INT"}, options={"bucket": "2"}), "bucket")
    assert catalog.list_tables("db") == []


# --- rows that do not fit ---------------------------------------------------------------------------------------------

MISFITS: list[tuple[Any, list[str]]] = [
    (pa.table({"id": ["x"]}), ["'id'", "BIGINT", "string"]),
    (pa.table({"id": [1.5]}), ["'id'", "BIGINT"]),
    (pa.table({"id": [True]}), ["'id'", "BIGINT", "bool"]),
    (pa.table({"id": [1], "qty": [300]}), ["'qty'", "TINYINT", "300"]),
    (pa.table({"id": [1], "name": [5]}), ["'name'", "STRING", "int64"]),
    (pa.table({"id": [1], "day": ["2026-01-01"]}), ["'day'", "DATE", "string"]),
    (pa.table({"id": [1], "price": pa.array([Decimal("12345.67")])}), ["'price'", "DECIMAL(6, 2)"]),
    (pa.table({"id": [1], "price": pa.array([Decimal("1.234")])}), ["'price'", "DECIMAL(6, 2)"]),
    (pa.table({"id": [1], "price": [99999]}), ["'price'", "DECIMAL(6, 2)"]),
    (pa.table({"id": pa.array([None], pa.int64())}), ["'id'", "BIGINT NOT NULL", "1 NULL value"]),
    (pa.table({"name": ["x"]}), ["'id'", "missing"]),
    (pa.table({"id": [1], "nmae": ["x"]}), ["'nmae'", "'name'"]),
    (pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"]), ["'id'", "twice"]),
    ([{"id": 1, "qty": 300}], ["'qty'", "TINYINT"]),
    ([{"id": 1, "qty": "three"}], ["'qty'", "TINYINT"]),
    ([{"id": 1, "name": 5}], ["'name'", "STRING"]),
    ([{"id": 1, "name": "ok"}, {"id": None}], ["'id'", "1 NULL value"]),
    ([{"id": 1, "price": Decimal("1.234")}], ["'price'", "DECIMAL(6, 2)"]),
    ([{"id": 1, "day": "y" * 5000}], ["'day'", "DATE"]),
    (pd.DataFrame({"id": [1, "x"]}), ["id"]),
    (pa.chunked_array([[1, 2]]), []),
    ({"id": [1]}, ["dict"]),
    ("a string", ["str"]),
    (5, ["int"]),
    (None, ["NoneType"]),
]


@pytest.mark.parametrize(("data", "words"), MISFITS)
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_rows_that_do_not_fit(table: Table, data: Any, words: list[str], mode: str) -> None:
    before = sorted(Path(table.location).rglob("*"))
    refuses(SchemaMismatch, lambda: table.write(data, mode=mode), *words)
    assert sorted(Path(table.location).rglob("*")) == before


def test_overflow_to_infinity(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.f", {"f": "FLOAT"})
    refuses(SchemaMismatch, lambda: table.write(pa.table({"f": [1e300]})), "'f'", "FLOAT")
    table.write(pa.table({"f": [float("inf"), float("nan"), 0.5, None]}))
    assert table.to_arrow().column("f")[0].as_py() == float("inf")


def test_write_arguments(catalog: FileSystemCatalog, table: Table) -> None:
    rows = pa.table({"id": [1], "op": ["+X"]})
    refuses(SchemaMismatch, lambda: table.write(rows, row_kind="op"), "'+X'", "'op'", "+I")
    refuses(SchemaMismatch, lambda: table.write(rows, row_kind="opp"), "'opp'", "'op'")
    refuses(Unsupported, lambda: table.write(rows, mode="upsert"), "'upsert'")
    refuses(WorkbenchError, lambda: table.write(rows, partition={"dt": "x"}), "overwrite")
    refuses(SchemaMismatch, lambda: table.write(rows, mode="overwrite", partition={"dt": "x"}), "'dt'")
    append = catalog.create_table("db.log", {"dt": "DATE", "id": "INT"}, partition_by="dt")
    refuses(Unsupported, lambda: append.write(rows, row_kind="op"), "db.log")
    bad = lambda value: lambda: append.write([], mode="overwrite", partition={"dt": value})  # noqa: E731
    refuses(SchemaMismatch, bad("tomorrow"), "'dt'", "DATE")
    outside = pa.table({"dt": pa.array([5], pa.int32()).cast(pa.date32()), "id": pa.array([1], pa.int32())})
    before = sorted(Path(append.location).rglob("*.parquet"))
    act = lambda: append.write(outside, mode="overwrite", partition={"dt": date(2026, 1, 1)})  # noqa: E731
    refuses(SchemaMismatch, act, "dt=5")
    assert sorted(Path(append.location).rglob("*.parquet")) == before


# --- reads ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "where", "words"),
    [
        (InvalidExpression, "id = = 3", []),
        (InvalidExpression, "id =", []),
        (InvalidExpression, "", []),
        (InvalidExpression, "id = 3; DROP TABLE x", []),
        (InvalidExpression, "nmae = 'x'", ["'nmae'", "'name'"]),
        (InvalidExpression, "name > 3 AND nme IS NULL", ["'nme'", "'name'"]),
        (InvalidExpression, "day = 'someday'", ["someday"]),
        (InvalidExpression, "id", ["id"]),
        (InvalidExpression, "id = 'x'", ["x"]),
        (InvalidExpression, "foo(id) = 1", ["foo"]),
        (InvalidExpression, 5, ["int"]),
        (InvalidExpression, "id = " + "(" * 2000 + "1" + ")" * 2000, []),
        (InvalidExpression, "name = 'x", []),
    ],
)
def test_where(table: Table, kind: type[WorkbenchError], where: Any, words: list[str]) -> None:
    refuses(kind, lambda: table.to_arrow(where=where), *words)


def test_read_arguments(table: Table) -> None:
    refuses(SchemaMismatch, lambda: table.to_arrow(columns=["id", "nmae"]), "'nmae'", "'name'")
    refuses(SchemaMismatch, lambda: table.to_arrow(columns=["id", "id"]), "'id'", "twice")
    refuses(SchemaMismatch, lambda: table.to_arrow(columns="name"), "'name'")
    refuses(SchemaMismatch, lambda: table.to_batches(columns=["nmae"]), "'nmae'", "'name'")
    refuses(WorkbenchError, lambda: table.to_arrow(limit=-1), "-1")


def test_versions(table: Table) -> None:
    refuses(SnapshotNotFound, lambda: table.at(snapshot=999), "999", "1 to 3")
    refuses(SnapshotNotFound, lambda: table.at(snapshot=0), "0", "1 to 3")
    refuses(SnapshotNotFound, lambda: table.at(timestamp="1999-01-01"), "1")
    refuses(WorkbenchError, lambda: table.at(timestamp="last tuesday"), "'last tuesday'")
    refuses(WorkbenchError, lambda: table.at(), "snapshot", "timestamp")
    refuses(WorkbenchError, lambda: table.at(snapshot=1, timestamp=5), "one")
    refuses(WorkbenchError, lambda: table.changes(3, 1), "3", "1")
    refuses(SnapshotNotFound, lambda: table.changes(1, 17), "17")
    refuses(SnapshotNotFound, lambda: table.changes(-4, 1), "-4")
    refuses(SnapshotNotFound, lambda: table.changes("v1", 3), "'v1'")
    refuses(Unsupported, lambda: table.changes(0, 1, mode="changelog"), "'changelog-producer'")
    refuses(SnapshotNotFound, lambda: table.at(snapshot="v1"), "v1", "1 to 3")  # type: ignore[arg-type]
    for act in (
        lambda: table.at(snapshot=1).write([{"id": 1}]),
        lambda: table.at(snapshot=1).compact(),
        lambda: table.at(snapshot=1).commit([]),
        lambda: table.at(snapshot=1).writer().__enter__(),
    ):
        refuses(WorkbenchError, act, "snapshot 1", "read")


@pytest.mark.parametrize("message", [b"", b"garbage", b"{}", b'{"version": 99}', b"\xff\xfe", 5, "text", None])
def test_garbage_messages(table: Table, message: Any) -> None:
    with pytest.raises(WorkbenchError) as caught:
        table.commit([message])
    assert len(str(caught.value)) < 300
    assert table.snapshot().id == 3
