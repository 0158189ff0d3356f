"""How an attached session of Spark Connect reads its statements, and what its refusals are."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import CommitConflict, SchemaMismatch, WorkbenchError
from workbench.sql.execute import execute
from workbench.sql.session.connect.functions import with_sys_functions
from workbench.sql.session.connect.subjects import Kind, Subject, query_of_describe, subject_of

NAMES = {"bucket": "f_bucket", "path_to_descriptor": "f_path"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT sys.bucket(4, id) FROM t", "SELECT f_bucket(4, id) FROM t"),
        ("SELECT `paimon`.SYS.Bucket (4, sys.bucket(2, id))", "SELECT f_bucket (4, f_bucket(2, id))"),
        ("SELECT sys.other(1), bucket(4, id), 'sys.bucket(4)'", None),
        ("SELECT sys.bucket FROM sys", None),
        ("SELECT * FROM paimon.sys.tables", None),
    ],
)
def test_functions_in_sys_get_other_names(text: str, expected: str | None) -> None:
    assert with_sys_functions(text, NAMES.get) == (expected or text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DESCRIBE QUERY SELECT id FROM t", "SELECT id FROM t"),
        ("desc with a AS (SELECT 1) SELECT * FROM a", "with a AS (SELECT 1) SELECT * FROM a"),
        ("DESCRIBE t", None),
        ("DESCRIBE FUNCTION abs", None),
        ("SELECT 1", None),
    ],
)
def test_a_described_query(text: str, expected: str | None) -> None:
    assert query_of_describe(text) == expected


def test_what_copy_into_is_about() -> None:
    assert subject_of("COPY INTO shop.t FROM '/x' FILE_FORMAT = (TYPE = CSV)") == Subject(Kind.TABLE, ("shop", "t"))
    assert subject_of("COPY INTO '/x' FROM shop.t FILE_FORMAT = (TYPE = CSV)") == Subject(Kind.CATALOG)


def test_refusals_are_analysis_exceptions_too() -> None:
    errors = pytest.importorskip("pyspark.errors")
    from workbench.sql.session.refusals import refusals_of_spark

    with (
        pytest.raises(errors.AnalysisException, match=r"no column 'x'\. Name another\.") as raised,
        refusals_of_spark(),
    ):
        raise SchemaMismatch("There is no column 'x'.", "Name another.").at(3, 4)
    assert isinstance(raised.value, SchemaMismatch)
    assert (raised.value.span, raised.value.code, raised.value.getCondition()) == ((3, 4), SchemaMismatch.code, None)
    with pytest.raises(WorkbenchError) as failed, refusals_of_spark():
        raise CommitConflict("Another writer was first.")
    assert type(failed.value) is CommitConflict


def test_requests_to_the_catalog_have_the_zone_of_the_statement(catalog: Any) -> None:
    from workbench.sql.session.connect.writes import send_to_bridge

    send_to_bridge(catalog, "paimon", {"operation": "create_database", "database": "made", "properties": {}})
    assert "made" in catalog.list_databases()


@pytest.mark.parametrize("replaces", [False, True])
def test_created_tables_keep_types_that_spark_does_not_know(catalog: Any, replaces: bool) -> None:
    from workbench.sql.parse import parse
    from workbench.sql.session.connect.definitions import Replacing, create_table
    from workbench.sql.session.connect.writes import Target

    columns = {
        "v": "VARCHAR(3)",
        "s": "STRUCT<a: VARCHAR(2) NOT NULL COMMENT 'short', t: TIMESTAMP_NTZ(3)>",
        "m": "MAP<VARCHAR(2), ARRAY<CHAR(2)>>",
        "b": "BINARY(3)",
        "x": "STRUCT<deep: STRUCT<b: BINARY(2)>>",
    }
    text = f"CREATE TABLE shop.t (id INT NOT NULL, {', '.join(f'{name} {kind}' for name, kind in columns.items())})"
    execute(text.replace("shop.t", "shop.same"), catalog)
    target = Target(catalog, "paimon", "shop.t", {})
    if replaces:
        catalog.create_table("shop.t", {"id": "INT"})
    create_table(target, parse(text), Replacing(replaces=replaces), lambda _: None)
    found, expected = (str(catalog.get_table(name).schema.fields) for name in ("shop.t", "shop.same"))
    assert found == expected


def test_a_described_database_has_its_properties(tmp_path: Any) -> None:
    from workbench.base.errors import DatabaseNotFound
    from workbench.sql.session.connect.definitions import described_database

    catalog = wb.connect(metastore="jdbc", uri=f"jdbc:sqlite:{tmp_path}/catalog.db", warehouse=str(tmp_path))
    properties = {"owner": "ada", "team": "a", "db.password": "planted"}
    catalog.create_database("stock", comment="goods", properties=properties)
    known = [("Catalog Name", "lake"), ("Namespace Name", "stock"), ("Comment", "goods")]
    known += [("Location", f"{tmp_path}/stock.db"), ("Owner", "ada")]
    assert described_database(catalog, "lake", "DESCRIBE DATABASE lake.stock") == known
    rows = described_database(catalog, "lake", "DESC SCHEMA EXTENDED stock")
    assert rows == [*known, ("Properties", "((db.password,***), (team,a))")]
    with pytest.raises(DatabaseNotFound):
        described_database(catalog, "lake", "DESCRIBE DATABASE lake.nope")
