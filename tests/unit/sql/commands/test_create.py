from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from workbench.base.errors import AlreadyExists, InvalidSchema, SchemaMismatch

DEFAULTS = "a INT DEFAULT 5, b STRING DEFAULT 'it''s', c DATE DEFAULT DATE '2026-01-01', d DECIMAL(5, 2) DEFAULT 1.50"


@pytest.fixture
def defaults(run: Any) -> None:
    run(f"CREATE TABLE defaults (id INT NOT NULL, {DEFAULTS}) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1')")


@pytest.mark.usefixtures("defaults")
def test_columns_with_defaults(run: Any, rows: Any) -> None:
    run("INSERT INTO defaults (id) VALUES (1)")
    assert rows("SELECT * FROM defaults") == [(1, 5, "it's", date(2026, 1, 1), Decimal("1.50"))]
    with pytest.raises(InvalidSchema, match="'x' is not a valid INT"):
        run("CREATE TABLE bad (id INT DEFAULT 'x')")


@pytest.mark.usefixtures("defaults")
def test_rows_inserted_by_name(run: Any, rows: Any) -> None:
    run("INSERT INTO defaults BY NAME SELECT 'q' AS b, 2 AS ID")
    assert rows("SELECT id, a, b FROM defaults") == [(2, 5, "q")]
    with pytest.raises(SchemaMismatch, match="no column 'bb'"):
        run("INSERT INTO defaults BY NAME SELECT 1 AS id, 'q' AS bb")


@pytest.mark.usefixtures("defaults")
def test_a_table_like_another(run: Any, rows: Any, catalog: Any) -> None:
    run("INSERT INTO defaults (id) VALUES (1)")
    run("CREATE TABLE copy LIKE defaults TBLPROPERTIES ('bucket' = '2')")
    copy, source = catalog.get_table("shop.copy").schema, catalog.get_table("shop.defaults").schema
    assert copy.fields == source.fields
    assert (copy.primary_keys, copy.options) == (source.primary_keys, {"bucket": "2"})
    assert rows("SELECT * FROM copy") == []
    with pytest.raises(AlreadyExists):
        run("CREATE TABLE copy LIKE defaults")
    assert "unchanged" in run("CREATE TABLE IF NOT EXISTS copy LIKE defaults").message
    with pytest.raises(InvalidSchema, match="takes the columns"):
        run("CREATE TABLE other (id INT) LIKE defaults")


def test_a_doubled_quote_is_one_quote(rows: Any) -> None:
    assert rows("SELECT 'it''s', \"say \"\"hi\"\"\", 'a' 'b'") == [("it's", 'say "hi"', "ab")]
