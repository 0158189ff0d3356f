from __future__ import annotations

import pytest

from workbench.base.errors import InvalidExpression, InvalidSchema, Unsupported, WorkbenchError
from workbench.expr.dialect import with_selects
from workbench.sql.commands.databases import CreateDatabase
from workbench.sql.literals import literal_value
from workbench.sql.parse import parse, split_script
from workbench.sql.parts import parse_tree
from workbench.sql.statements import (
    Column,
    CreateTable,
    DropDatabase,
    DropTable,
    InsertInto,
    Rows,
    Select,
    TimeTravel,
    with_full_names,
)


def test_script_is_split_outside_quotes_and_comments() -> None:
    script = "SELECT ';' ; -- one; two\n\nSHOW TABLES IN `a;b`;\n;"
    assert split_script(script) == ["SELECT ';'", "SHOW TABLES IN `a;b`"]
    assert split_script("EXPLAIN SELECT 1 \n; SHOW TABLES \n") == ["EXPLAIN SELECT 1", "SHOW TABLES"]


def test_select_names_its_table_columns_and_version() -> None:
    result = parse("SELECT o.a, b + 1 AS c FROM `shop`.orders VERSION AS OF 3 AS o WHERE id BETWEEN 3 AND 9")
    assert isinstance(result, Select)
    assert [(table.parts, table.version) for table in result.tables] == [
        (("shop", "orders"), TimeTravel("snapshot", 3))
    ]
    assert result.columns == ("a", "b", "id")


@pytest.mark.parametrize(
    ("clause", "version"),
    [
        ("VERSION AS OF 3", TimeTravel("snapshot", 3)),
        ("FOR VERSION AS OF 'v1'", TimeTravel("tag", "v1")),
        ("TIMESTAMP AS OF '2026-01-01 00:00:00'", TimeTravel("timestamp", "2026-01-01 00:00:00")),
    ],
)
def test_time_travel(clause: str, version: TimeTravel) -> None:
    result = parse(f"SELECT * FROM t {clause}")
    assert isinstance(result, Select)
    assert result.tables[0].version == version
    assert result.columns is None


def test_tables_of_a_query_leave_out_common_table_expressions_and_functions() -> None:
    result = parse(
        "WITH t AS (SELECT * FROM t) SELECT * FROM t JOIN a.b USING (x), range(3) WHERE z IN (SELECT z FROM q)"
    )
    assert isinstance(result, Select)
    assert [table.parts for table in result.tables] == [("t",), ("a", "b"), ("q",)]


def test_full_names_are_cut_into_the_text_and_nothing_else_changes() -> None:
    text = "SELECT  a /* t */ FROM t x JOIN `we``ird` VERSION AS OF 'v' ON x.t = 't'"
    result = parse(text)
    assert isinstance(result, Select)
    names = {table: ("d", *table.parts) for table in result.tables}
    assert with_full_names(result, names, TimeTravel("snapshot", 3)) == (
        "SELECT  a /* t */ FROM `d`.`t` VERSION AS OF 3 x JOIN `d`.`we``ird` VERSION AS OF 'v' ON x.t = 't'"
    )


def test_version_texts_are_quoted() -> None:
    assert TimeTravel("tag", "it's \\ x").sql == "VERSION AS OF 'it\\'s \\\\ x'"
    assert TimeTravel("timestamp", "2026-01-01").sql == "TIMESTAMP AS OF '2026-01-01'"


def test_insert_values() -> None:
    result = parse("INSERT INTO t (b, a) VALUES (1, 'x'), (2, NULL)")
    assert isinstance(result, InsertInto)
    assert result.columns == ("b", "a")
    assert isinstance(result.source, Rows)
    assert len(result.source.rows) == 2
    assert not result.overwrite


@pytest.mark.parametrize("query", ["SELECT x FROM y", "WITH q AS (SELECT 1) SELECT * FROM q, y", "(SELECT x FROM y)"])
def test_insert_select_keeps_the_text_of_its_query(query: str) -> None:
    result = parse(f"INSERT OVERWRITE TABLE t PARTITION (dt = '2026-01-01') {query}")
    assert isinstance(result, InsertInto)
    assert isinstance(result.source, Select)
    assert result.source.text == query
    assert [table.parts for table in result.source.tables] == [("y",)]
    assert result.overwrite
    assert result.partition == {"dt": "2026-01-01"}


def test_create_table() -> None:
    result = parse(
        "CREATE TABLE IF NOT EXISTS shop.o (id BIGINT NOT NULL COMMENT 'the key', ts TIMESTAMP, n TIMESTAMP_NTZ,"
        " m MAP<STRING, ARRAY<DECIMAL(10,2)>>, s STRUCT<a: INT, `b c`: STRING NOT NULL>, b BINARY, v VARCHAR(5),"
        " PRIMARY KEY (id) NOT ENFORCED) USING paimon PARTITIONED BY (dt STRING) COMMENT 'hi'"
        " TBLPROPERTIES ('bucket' = 2, x.y = true)"
    )
    assert isinstance(result, CreateTable)
    assert result.table.parts == ("shop", "o")
    assert result.columns == (
        Column("id", "BIGINT", nullable=False, comment="the key"),
        Column("ts", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        Column("n", "TIMESTAMP(6)"),
        Column("m", "MAP<STRING, ARRAY<DECIMAL(10, 2)>>"),
        Column("s", "ROW<a INT, `b c` STRING NOT NULL>"),
        Column("b", "BYTES"),
        Column("v", "VARCHAR(5)"),
        Column("dt", "STRING"),
    )
    assert (result.primary_key, result.partition_by, result.comment) == (("id",), ("dt",), "hi")
    assert result.options == {"bucket": "2", "x.y": "true"}
    assert result.if_not_exists


def test_primary_key_by_option_as_in_spark() -> None:
    result = parse("CREATE TABLE t TBLPROPERTIES ('primary-key' = 'a, b') AS SELECT * FROM s")
    assert isinstance(result, CreateTable)
    assert result.primary_key == ("a", "b")
    assert result.options == {}
    assert result.query is not None
    assert result.query.text == "SELECT * FROM s"


def test_two_primary_keys_that_differ() -> None:
    with pytest.raises(InvalidSchema, match="different columns"):
        parse("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a) NOT ENFORCED) TBLPROPERTIES ('primary-key'='b')")


def test_small_statements() -> None:
    dropped = parse("DROP TABLE IF EXISTS t")
    assert isinstance(dropped, DropTable)
    assert dropped.if_exists
    assert parse("CREATE SCHEMA IF NOT EXISTS x") == CreateDatabase(
        "CREATE SCHEMA IF NOT EXISTS x", "x", if_not_exists=True
    )
    assert parse("DROP DATABASE x CASCADE") == DropDatabase("DROP DATABASE x CASCADE", "x", False, True)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("GRANT SELECT ON t TO someone", "GRANT"),
        ("CACHE TABLE t", "CACHE"),
        ("CREATE TEMPORARY VIEW v AS SELECT 1", "CREATE TEMPORARY VIEW"),
        ("DROP FUNCTION f", "DROP FUNCTION"),
        ("CREATE TABLE t (a INT) LOCATION '/x'", "LOCATION"),
        ("CREATE TABLE t (a INT) USING csv", "CSV"),
        ("CREATE TABLE t (a INT) PARTITIONED BY (bucket(4, a))", "BUCKET"),
        ("CREATE OR REPLACE TABLE t (a INT)", "OR REPLACE"),
    ],
)
def test_unsupported_statements_are_named(text: str, named: str) -> None:
    with pytest.raises(Unsupported, match=f"(?i){named}"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("INSERT INTO t VALUES (rand())", "SELECT * FROM VALUES (rand())"),
        (
            "INSERT INTO t (`values`) VALUES (1, default , 2+ 3), (4,5,6)",
            "SELECT * FROM VALUES (1, NULL , 2+ 3), (4,5,6)",
        ),
        ("INSERT INTO t VALUES ('DEFAULT', `default`)", "SELECT * FROM VALUES ('DEFAULT', `default`)"),
    ],
)
def test_values_with_expressions_are_a_query(text: str, source: str) -> None:
    result = parse(text)
    assert isinstance(result, InsertInto)
    assert isinstance(result.source, Select)
    assert result.source.text == source


@pytest.mark.parametrize(
    "text", ["rand()", "CAST(1.5 AS INT)", "CAST(X'41' AS STRING)", "CAST(300 AS TINYINT)", "CAST('1_0' AS INT)", "a"]
)
def test_expressions_are_not_literals(text: str) -> None:
    with pytest.raises(Unsupported, match="only literals"):
        literal_value(parse_tree(f"SELECT {text}").expressions[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELEC 1", "Did you mean 'SELECT'"),
        ("SELECT (1", "line 1"),
        ("SELECT 'x", "quote"),
        ("", "no statement"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("INSERT INTO t VALUES (1), (1, 2)", "Row 2"),
    ],
)
def test_unparsable_statements(text: str, message: str) -> None:
    with pytest.raises(InvalidExpression, match=message):
        parse(text)


def test_explain_names_the_sub_command() -> None:
    with pytest.raises(Unsupported) as refused:
        parse("EXPLAIN SELECT * FROM t WHERE id = 1")
    assert refused.value.hint == "Write %paimon explain SELECT * FROM t WHERE id = 1."
    with pytest.raises(Unsupported, match=r"%paimon explain SELECT \* FROM t WHERE id = 1\.$"):
        parse("EXPLAIN\n  SELECT *\n  FROM t\n  WHERE id = 1\n")
    for text in ("EXPLAIN", "EXPLAIN SELECT * -- all\nFROM t"):
        with pytest.raises(Unsupported, match="%paimon explain SELECT …"):
            parse(text)
    with pytest.raises(WorkbenchError, match=r"\bUSE\b"):
        parse("SET x = 1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("table `b` ORDER BY id", "SELECT * FROM `b` ORDER BY id"),
        ("INSERT INTO TABLE a TABLE s.b", "INSERT INTO TABLE a SELECT * FROM s.b"),
        ("INSERT OVERWRITE a PARTITION (p = 1) TABLE b", "INSERT OVERWRITE a PARTITION (p = 1) SELECT * FROM b"),
        ("INSERT INTO a BY NAME TABLE b", "INSERT INTO a BY NAME SELECT * FROM b"),
        ("CREATE TABLE a AS TABLE b VERSION AS OF 1", "CREATE TABLE a AS SELECT * FROM b VERSION AS OF 1"),
        (
            "WITH c AS (TABLE b) SELECT 1 UNION ALL TABLE c",
            "WITH c AS (SELECT * FROM b) SELECT 1 UNION ALL SELECT * FROM c",
        ),
    ],
)
def test_queries_that_name_only_a_table(text: str, expected: str) -> None:
    assert with_selects(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO TABLE a VALUES (1, 'TABLE b')",
        "CREATE TABLE a (table INT)",
        "SELECT table, 1 AS table FROM t",
        "SELECT * FROM f(TABLE t)",
        "TABLE 'open",
    ],
)
def test_other_mentions_of_the_word_table_stay(text: str) -> None:
    assert with_selects(text) == text
