"""How an attached session of Spark Connect reads its statements, and what its refusals are."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import CommitConflict, SchemaMismatch, WorkbenchError
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
