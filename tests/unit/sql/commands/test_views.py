"""Views of a catalog: CREATE, ALTER, DROP, SHOW, DESCRIBE, and queries that read them on DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory_catalog import MemoryCatalog
from tests.unit.sql.commands.conftest import Run
from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    InvalidExpression,
    InvalidRequest,
    InvalidSchema,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.catalog.connect import connect
from workbench.catalog.descriptions import Function, View
from workbench.catalog.identifier import Identifier
from workbench.format.types import DataField, parse_type
from workbench.sql.context import Context
from workbench.sql.engines.registry import without_views
from workbench.sql.execute import execute
from workbench.sql.explained import reads_of

Rows = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def catalog(tmp_path: Path) -> MemoryCatalog:
    opened = MemoryCatalog({"warehouse": str(tmp_path)})
    opened.create_database("shop")
    opened.create_database("other")
    return opened


@pytest.fixture
def large(run: Run, orders: str) -> str:
    """Return the name of a view of the rows of 'orders' with n > 1."""
    run(f"CREATE VIEW large AS SELECT id, v FROM {orders} WHERE n > 1")
    return "large"


def test_a_view_stores_what_the_connector_stores(run: Run, catalog: MemoryCatalog, orders: str) -> None:
    done = run(
        "CREATE VIEW large (key COMMENT 'the key', total) COMMENT 'hot' TBLPROPERTIES ('k' = 'v') AS\n"
        f"SELECT id, count(*) FROM {orders} WHERE n > 1 GROUP BY id"
    )
    assert done.message == "CREATE VIEW shop.large"
    query = "SELECT id, count(*) FROM orders WHERE n > 1 GROUP BY id"
    assert catalog.get_view("shop.large").to_json() == {
        "fields": [
            {"id": 0, "name": "key", "type": "BIGINT", "description": "the key"},
            {"id": 1, "name": "total", "type": "BIGINT"},
        ],
        "query": query,
        "dialects": {"spark": query},
        "comment": "hot",
        "options": {"k": "v"},
    }


def test_names_are_stored_in_full_where_they_would_mean_another_table(
    run: Run, catalog: MemoryCatalog, orders: str
) -> None:
    run(f"CREATE VIEW other.large AS SELECT id FROM {orders} AS o")
    assert catalog.get_view("other.large").query == "SELECT id FROM `shop`.`orders` AS o"


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM large ORDER BY id", [(2, "b"), (3, "c")]),
        ("SELECT shop.large.id FROM shop.large WHERE large.id > 2", [(3,)]),
        ("SELECT x.v FROM paimon.shop.large AS x WHERE x.id = 2", [("b",)]),
        ("SELECT k FROM large AS x(k, l) ORDER BY k", [(2,), (3,)]),
        ("SELECT a.id FROM large a JOIN large b ON a.id = b.id AND b.v = 'c'", [(3,)]),
        ("WITH c AS (SELECT id FROM large) SELECT count(*) FROM c", [(2,)]),
        ("SELECT id FROM orders WHERE id IN (SELECT id FROM large) ORDER BY id", [(2,), (3,)]),
        ("WITH orders AS (SELECT 9 AS id) SELECT count(*) FROM large", [(2,)]),
    ],
)
def test_a_query_reads_a_view(rows: Rows, query: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows(query) == expected


def test_a_view_reads_views_and_the_tables_of_its_database(run: Run, catalog: MemoryCatalog, large: str) -> None:
    run(f"CREATE VIEW other.twice AS SELECT a.id FROM {large} a JOIN shop.{large} b ON a.id = b.id -- twice")
    catalog.create_view("shop.of_java", "SELECT id FROM orders", {"id": "BIGINT"}, dialects={"spark": "TABLE large"})
    assert execute("SELECT sum(id) FROM other.twice", catalog, "other").to_arrow().to_pydict() == {"sum(id)": [5]}
    assert execute("SELECT * FROM shop.of_java", catalog, "other").to_arrow().num_rows == 2


def test_columns_that_a_table_got_later_are_left_out(run: Run, rows: Rows, orders: str) -> None:
    run(f"CREATE VIEW every (a, b, c, d) AS SELECT * FROM {orders}")
    run(f"ALTER TABLE {orders} ADD COLUMN late INT")
    assert rows("SELECT * FROM every WHERE a = 1") == [(1, "a", "x", 1)]
    assert rows("SELECT x.d FROM every x WHERE x.a = 2") == [(2,)]


def test_a_view_is_read_in_the_dialect_of_duckdb(catalog: MemoryCatalog, large: str) -> None:
    found = execute(f"FROM shop.{large} SELECT id ORDER BY ALL", catalog, engine="duckdb").to_arrow()
    assert found.to_pydict() == {"id": [2, 3]}


def test_a_view_is_written_from_and_explained(run: Run, rows: Rows, catalog: MemoryCatalog, large: str) -> None:
    run(f"CREATE TABLE copied AS SELECT id FROM {large}")
    run(f"INSERT INTO copied SELECT id + 10 FROM {large}")
    assert rows("SELECT id FROM copied ORDER BY id") == [(2,), (3,), (12,), (13,)]
    (read,) = reads_of(Context(catalog, "shop"), f"SELECT id FROM {large}")
    assert (read.table.name, read.columns, read.where) == ("shop.orders", ("id",), "n > 1")


def test_a_circle_of_views_is_refused(run: Run, catalog: MemoryCatalog, large: str) -> None:
    run(f"CREATE VIEW second AS SELECT * FROM {large}")
    with pytest.raises(InvalidExpression, match=r"View shop\.large cannot read itself"):
        run("ALTER VIEW large AS SELECT * FROM second")
    catalog.metastore.replace_view(
        Identifier("shop", "large"), catalog.get_view("shop.large"), View((), "SELECT id FROM second")
    )
    with pytest.raises(InvalidExpression, match=r"reads itself: shop\.second → shop\.large → shop\.second"):
        run("SELECT * FROM second")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT id FROM gone", r"View shop\.bad cannot be read: There is no table shop\.gone"),
        ("SELECT nope FROM orders", r"View shop\.bad cannot be read: There is no column 'nope'"),
        ("SELECT FROM WHERE", r"View shop\.bad cannot be read: The statement cannot be parsed"),
        ("SELECT id FROM prod.shop.orders", r"View shop\.bad cannot be read: 'prod\.shop\.orders' is not in this"),
    ],
)
@pytest.mark.usefixtures("orders")
def test_an_error_names_the_view(run: Run, catalog: MemoryCatalog, query: str, message: str) -> None:
    catalog.create_view("shop.bad", query, {"id": "BIGINT"})
    with pytest.raises(WorkbenchError, match=message):
        run("SELECT id FROM bad")


def test_views_have_no_versions_but_their_tables_have(run: Run, catalog: MemoryCatalog, large: str) -> None:
    from workbench.sql.statements import TimeTravel

    run("INSERT INTO orders VALUES (4, 'd', 'y', 4)")
    with pytest.raises(Unsupported, match=r"shop\.large is a view and has no versions"):
        run(f"SELECT * FROM {large} VERSION AS OF 1")
    older = execute(f"SELECT * FROM {large}", catalog, "shop", version=TimeTravel("snapshot", 1)).to_arrow()
    assert (older.num_rows, run(f"SELECT * FROM {large}").to_arrow().num_rows) == (2, 3)


def test_create_replace_and_drop(run: Run, rows: Rows, large: str) -> None:
    with pytest.raises(AlreadyExists, match="Write CREATE OR REPLACE VIEW"):
        run(f"CREATE VIEW {large} AS SELECT 1 AS one")
    assert run(f"CREATE VIEW IF NOT EXISTS {large} AS SELECT 1 AS one").message.endswith("already exists, unchanged")
    assert run(f"CREATE OR REPLACE VIEW {large} AS SELECT 1 AS one").message.endswith("replaced")
    assert rows(f"SELECT * FROM {large}") == [(1,)]
    assert run(f"DROP VIEW {large}").message == "DROP VIEW shop.large"
    assert run(f"DROP VIEW IF EXISTS {large}").message.endswith("does not exist, nothing to drop")
    with pytest.raises(TableNotFound, match=r"There is no view shop\.large"):
        run(f"DROP VIEW {large}")


def test_a_query_must_be_one_that_a_view_can_have(run: Run, orders: str) -> None:
    with pytest.raises(InvalidSchema, match="has 1 column, its query returns 2"):
        run(f"CREATE VIEW two (a) AS SELECT id, v FROM {orders}")
    with pytest.raises(InvalidExpression, match="is not a query"):
        run("CREATE VIEW two AS DROP TABLE orders")
    with pytest.raises(InvalidExpression, match="exclude each other"):
        run("CREATE OR REPLACE VIEW IF NOT EXISTS two AS SELECT 1 AS one")
    with pytest.raises(AlreadyExists, match=r"shop\.orders is a table"):
        run(f"CREATE VIEW {orders} AS SELECT 1 AS one")


def test_tables_and_views_are_not_confused(run: Run, large: str) -> None:
    for statement, message in (
        (f"DROP TABLE {large}", "is a view, not a table. Write DROP VIEW"),
        ("DROP VIEW orders", "is a table, not a view. Write DROP TABLE"),
        ("ALTER VIEW orders RENAME TO o", "is a table, not a view. Write ALTER TABLE"),
        (f"INSERT INTO {large} VALUES (1, 'a')", "shop.large is a view"),
    ):
        with pytest.raises(TableNotFound, match=re.escape(message)):
            run(statement)


def test_alter(run: Run, catalog: MemoryCatalog, large: str) -> None:
    run(f"ALTER VIEW {large} SET TBLPROPERTIES ('comment' = 'hot', 'a' = '1', 'b' = '2')")
    run(f"ALTER VIEW {large} UNSET TBLPROPERTIES IF EXISTS ('a')")
    run(f"ALTER VIEW {large} AS SELECT n FROM orders WHERE id = 3")
    run(f"ALTER VIEW {large} RENAME TO warm")
    with pytest.raises(Unsupported, match=r"shop\.warm cannot be moved to database 'other': its query names tables"):
        run("ALTER VIEW warm RENAME TO other.hot")
    run("ALTER VIEW warm AS SELECT n FROM shop.orders WHERE id = 3")
    run("ALTER VIEW warm RENAME TO other.hot")
    changed = catalog.get_view("other.hot")
    assert (changed.comment, changed.options, changed.dialects["spark"]) == (
        "hot",
        {"b": "2"},
        "SELECT n FROM shop.orders WHERE id = 3",
    )
    with pytest.raises(TableNotFound):
        run("ALTER VIEW large AS SELECT 1 AS one")


def test_show_and_describe(rows: Rows, run: Run, large: str) -> None:
    run(f"ALTER VIEW {large} SET TBLPROPERTIES ('comment' = 'hot', 'k' = 'v')")
    query = "SELECT id, v FROM orders WHERE n > 1"
    assert rows("SHOW VIEWS") == [("shop", "large", False)]
    assert rows("SHOW VIEWS IN other") == rows("SHOW VIEWS IN shop LIKE 'x*'") == []
    assert rows("SHOW VIEWS LIKE 'l*'") == [("shop", "large", False)]
    assert rows("SHOW TABLES") == [("shop", "orders", False)]
    assert rows(f"SHOW COLUMNS IN {large}") == [("id",), ("v",)]
    assert rows(f"SHOW TBLPROPERTIES {large}") == [("k", "v")]
    created = rows(f"SHOW CREATE TABLE {large}")[0][0]
    assert created == (
        "CREATE VIEW shop.large (\n  id,\n  v)\nCOMMENT 'hot'\nTBLPROPERTIES (\n  'k' = 'v')\nAS\n" + query + "\n"
    )
    run(f"DROP VIEW {large}")
    run(created)
    assert rows(f"DESCRIBE {large}") == [("id", "bigint", None), ("v", "string", None)]
    assert rows(f"DESCRIBE EXTENDED {large}")[2:] == [
        ("", "", ""),
        ("# Detailed View Information", "", ""),
        ("Name", "shop.large", ""),
        ("Comment", "hot", ""),
        ("View Text", query, ""),
        ("View Query Output Columns", "[id, v]", ""),
        ("View Properties", "[k=v]", ""),
    ]
    assert rows(f"DESCRIBE {large} v") == [("col_name", "v"), ("data_type", "string"), ("comment", "NULL")]


def test_functions_are_listed_and_described(
    rows: Rows, catalog: MemoryCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    area = Function(
        "area",
        (DataField(0, "x", parse_type("INT")),),
        (DataField(0, "r", parse_type("BIGINT")),),
        definitions={"spark": {"type": "lambda"}},
        comment="x squared",
    )
    monkeypatch.setattr(catalog.metastore, "list_functions", lambda database: ["area"] * (database == "shop"))
    monkeypatch.setattr(catalog.metastore, "get_function", lambda name: area if name.table == "area" else None)
    assert rows("SHOW FUNCTIONS") == rows("SHOW USER FUNCTIONS IN shop LIKE 'a*'") == [("shop.area",)]
    assert rows("SHOW FUNCTIONS IN other") == []
    assert rows("DESCRIBE FUNCTION EXTENDED shop.area") == [
        ("Function: paimon.shop.area",),
        ("Input: x INT",),
        ("Returns: BIGINT",),
        ("Comment: x squared",),
        ("Deterministic: true",),
        ('Definition for spark: {"type": "lambda"}',),
    ]
    with pytest.raises(TableNotFound, match="Did you mean 'area'"):
        rows("DESCRIBE FUNCTION are")


def test_a_directory_has_no_views(tmp_path: Path) -> None:
    directory = connect(str(tmp_path / "plain"))
    directory.create_database("shop")
    for statement in ("CREATE VIEW shop.v AS SELECT 1 AS one", "CREATE OR REPLACE VIEW shop.v AS SELECT 1 AS one"):
        with pytest.raises(Unsupported, match="Catalogs with 'metastore' = 'filesystem' have no views"):
            execute(statement, directory)
    with pytest.raises((TableNotFound, CatalogError), match=r"There is no view shop\.v"):
        execute("DROP VIEW shop.v", directory)


def test_a_query_without_views_is_left_as_it_is(catalog: MemoryCatalog, orders: str) -> None:
    from workbench.sql.parse import parse

    select = parse(f"SELECT /* as is */ id FROM {orders}")
    assert without_views(Context(catalog, "shop"), select).select is select  # type: ignore[arg-type]


def test_dialects_are_altered(run: Run, catalog: MemoryCatalog) -> None:
    catalog.create_table("shop.orders", {"id": "INT"})
    run("CREATE VIEW shop.ids AS SELECT id FROM orders")
    spark = catalog.get_view("shop.ids").dialects["spark"]
    call = "CALL sys.alter_view_dialect"
    run(f"{call}('shop.ids', 'add', 'flink', 'SELECT 1')")
    assert catalog.get_view("shop.ids").dialects == {"spark": spark, "flink": "SELECT 1"}
    run(f"{call}(view => 'shop.ids', action => 'update', query => 'SELECT 2 AS id')")
    run(f"{call}('shop.ids', 'drop', 'flink')")
    assert catalog.get_view("shop.ids").dialects == {"spark": "SELECT 2 AS id"}
    for arguments, error, message in (
        ("'shop.ids', 'add', 'spark', 'SELECT 1'", AlreadyExists, "already has a query for spark"),
        ("'shop.ids', 'drop', 'flink'", InvalidRequest, "has no query for flink"),
        ("'shop.ids', 'update', 'spork', 'SELECT 1'", InvalidRequest, "Did you mean 'spark'"),
        ("'shop.ids', 'add', 'flink'", InvalidRequest, "query is missing"),
        ("'shop.ids', 'replace', 'spark', 'SELECT 1'", InvalidRequest, "Actions: add, update, drop"),
        ("'shop.id', 'drop'", TableNotFound, "Did you mean 'ids'"),
    ):
        with pytest.raises(error, match=message):
            run(f"{call}({arguments})")
