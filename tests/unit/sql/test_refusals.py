"""Statements that are refused, or accepted in another spelling, before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import AlreadyExists, InvalidExpression
from workbench.sql.execute import execute


def _run(catalog: Any, text: str) -> Any:
    return execute(text, catalog, "shop", engine="auto")


@pytest.mark.parametrize(
    ("call", "known"),
    [("cuont(*)", "count"), ("summ(id)", "sum"), ("uper('a')", "upper"), ("date_trnc('day', now())", "date_trunc")],
)
def test_a_misspelled_function_does_not_start_spark(
    catalog: Any, call: str, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.sql.engines.spark_engine.prepare_spark", lambda *_: pytest.fail("Spark starts"))
    # Other tests of the process may have started one.
    monkeypatch.setattr("workbench.sql.engines.typos.session_is_up", lambda: False)
    _run(catalog, "CREATE TABLE t (id INT)")
    with pytest.raises(InvalidExpression, match=f"Did you mean '{known}'"):
        _run(catalog, f"SELECT {call} FROM t")


@pytest.mark.parametrize("call", ["sha('a')", "my_own(id)", "to_char(1, '9')", "aes_encrypt('a', 'b')"])
def test_other_functions_are_left_to_spark(catalog: Any, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class StartedError(Exception):
        pass

    def start(*_: Any) -> None:
        raise StartedError

    monkeypatch.setattr("workbench.sql.engines.spark_engine.prepare_spark", start)
    _run(catalog, "CREATE TABLE t (id INT)")
    with pytest.raises(StartedError):
        _run(catalog, f"SELECT {call}, unknown_to_duckdb(id) FROM t")


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (id INT) TBLPROPERTIES ('bucket' = '1', 'bucket' = '2')",
        "CREATE TABLE t (id INT) OPTIONS ('bucket' '1', 'bucket' '2')",
        "ALTER TABLE t SET TBLPROPERTIES ('num-levels' = '3', 'num-levels' = '4')",
    ],
)
def test_a_property_is_set_once(catalog: Any, text: str) -> None:
    with pytest.raises(InvalidExpression, match="is set twice"):
        _run(catalog, text)


@pytest.mark.parametrize("name", ["SYS.CREATE_TAG", "Sys.create_Tag", "`SYS`.`Create_Tag`"])
def test_procedures_are_found_in_any_case(catalog: Any, name: str) -> None:
    _run(catalog, "CREATE TABLE t (id INT)")
    _run(catalog, "INSERT INTO t VALUES (1)")
    _run(catalog, f"CALL {name}(TABLE => 'shop.t', Tag => 'x')")
    assert list(catalog.get_table("shop.t").tags()) == ["x"]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("BOOLEAN", "true", "'true'"),
        ("FLOAT", "1.5", "'1.5'"),
        ("DOUBLE", "1.5", "'1.5'"),
        ("TIMESTAMP", "TIMESTAMP '2024-01-01 10:00:00'", "'2024-01-01 10:00:00'"),
        ("TIMESTAMP", "DATE '2024-01-01'", "'2024-01-01'"),
        ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '2024-01-01 10:00:00.123'", "'2024-01-01 10:00:00.123'"),
        ("DATE", "DATE '2024-01-01'", "'2024-01-01'"),
        ("DECIMAL(5, 2)", "1.50", "'1.5'"),
        ("TINYINT", "1", "'1'"),
    ],
)
def test_partitions_are_named_by_values_of_any_type(catalog: Any, kind: str, value: str, text: str) -> None:
    _run(catalog, f"CREATE TABLE t (id INT, p {kind}) PARTITIONED BY (p)")
    table = catalog.get_table("shop.t")
    for named in (value, text):
        _run(catalog, f"INSERT INTO t PARTITION (p = {named}) VALUES (1)")
        _run(catalog, f"INSERT OVERWRITE t PARTITION (p = {named}) VALUES (2)")
        assert table.to_arrow()["id"].to_pylist() == [2]
        assert _run(catalog, f"SHOW PARTITIONS t PARTITION (p = {named})").to_arrow().num_rows == 1
        _run(catalog, f"ALTER TABLE t ADD IF NOT EXISTS PARTITION (p = {named})")
        with pytest.raises(AlreadyExists, match="already has a partition with p = "):
            _run(catalog, f"ALTER TABLE t ADD PARTITION (p = {named})")
        _run(catalog, f"ALTER TABLE t DROP PARTITION (p = {named})")
        assert table.to_arrow().num_rows == 0
        _run(catalog, f"ALTER TABLE t ADD PARTITION (p = {named})")
        _run(catalog, f"INSERT INTO t PARTITION (p = {named}) VALUES (3)")
        _run(catalog, f"TRUNCATE TABLE t PARTITION (p = {named})")
        assert table.to_arrow().num_rows == 0


def test_deep_expressions_are_refused(catalog: Any) -> None:
    _run(catalog, "CREATE TABLE t (id INT)")
    _run(catalog, "INSERT INTO t VALUES (1)")
    chains = {" + ".join(["id"] * 500): 500, "id" + " - id + id" * 250: 1, " || ".join(["'x'"] * 500): "x" * 500}
    for chain, expected in chains.items():
        assert _run(catalog, f"SELECT {chain} AS x FROM t").to_arrow().column(0).to_pylist() == [expected]
    union = " UNION ALL ".join(f"SELECT {number}" for number in range(500))
    assert _run(catalog, union).to_arrow().column(0).to_pylist() == list(range(500))
    with pytest.raises(InvalidExpression, match="nested too deeply"):
        _run(catalog, "UPDATE t SET id = " + "(" * 5000 + "id" + ")" * 5000)
    with pytest.raises(InvalidExpression, match="nested too deeply"):
        _run(catalog, "SELECT " + "(" * 5000 + "id" + ")" * 5000 + " FROM t")
