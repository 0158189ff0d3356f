"""INSERT statements that an attached session rewrites for Spark."""

from __future__ import annotations

import pytest
from pyspark.sql.types import DateType, IntegerType, StringType, StructType

from workbench.sql.session.inserts import with_casts, with_dynamic_partitions_last

_SCHEMAS = {
    "TABLE db.t": "day date, id int, `a b` string",
    "VALUES ('x')": "col1 string",
    "values ('x')": "col1 string",
    "VALUES ('x', 'y')": "col1 string, col2 string",
    "(SELECT '1' AS id)": "id string",
    "SELECT '1' AS id, '2026-01-02' AS day": "id string, day string",
}

_TYPES = {"date": DateType(), "int": IntegerType(), "string": StringType()}


def _cast(text: str) -> str | None:
    return with_casts(text, _schema_of)


def _schema_of(query: str) -> StructType:
    schema = StructType()
    for column in _SCHEMAS[query].split(", "):
        name, _, kind = column.rpartition(" ")
        schema.add(name.strip("`"), _TYPES[kind])
    return schema


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "INSERT INTO db.t (`a b`, id) VALUES ('x', 'y')",
            "INSERT INTO db.t (`a b`, id) SELECT CAST(c0 AS string) AS `a b`, CAST(c1 AS int) AS `id` "
            "FROM (VALUES ('x', 'y')) AS q(c0, c1)",
        ),
        (
            "insert overwrite table db.t partition (day = '2026-01-02', id = 3) values ('x')",
            "insert overwrite table db.t partition (day = '2026-01-02', id = 3) SELECT CAST(c0 AS string) AS `a b` "
            "FROM (values ('x')) AS q(c0)",
        ),
        (
            "INSERT INTO db.t BY NAME SELECT '1' AS id, '2026-01-02' AS day",
            "INSERT INTO db.t BY NAME SELECT CAST(c0 AS int) AS `id`, CAST(c1 AS date) AS `day` "
            "FROM (SELECT '1' AS id, '2026-01-02' AS day) AS q(c0, c1)",
        ),
        (
            "INSERT INTO db.t(id) (SELECT '1' AS id)",
            "INSERT INTO db.t(id) SELECT CAST(c0 AS int) AS `id` FROM ((SELECT '1' AS id)) AS q(c0)",
        ),
        ("INSERT INTO db.t VALUES ('x', 'y')", None),
        ("INSERT INTO db.t (missing) VALUES ('x')", None),
        ("INSERT INTO db.t REPLACE WHERE id = 1 SELECT '1' AS id", None),
        ("SELECT 1", None),
    ],
)
def test_the_query_casts_its_columns(text: str, expected: str | None) -> None:
    assert _cast(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO db.t PARTITION (day) VALUES (1, 'a', NULL)", "(`id`, `a b`, `day`) VALUES (1, 'a', NULL)"),
        ("INSERT INTO db.t PARTITION (id = 3, day) SELECT 'a', NULL", "(`a b`, `day`) SELECT 'a', NULL"),
        ("INSERT INTO db.t PARTITION (day, id = 3) SELECT 'a', NULL", None),
        ("INSERT INTO db.t PARTITION (day) (`a b`, day) SELECT 'a', NULL", None),
        ("INSERT INTO db.t PARTITION (day = NULL) SELECT 1, 'a'", None),
        ("INSERT INTO other.db.t PARTITION (day) SELECT 1, 'a', NULL", None),
        ("INSERT INTO partition VALUES (1)", None),
    ],
)
def test_dynamic_partitions_come_last(text: str, expected: str | None) -> None:
    written = with_dynamic_partitions_last(text, _schema_of, lambda parts: parts[0] != "other")
    assert written == text if expected is None else written.endswith(f") {expected}")
