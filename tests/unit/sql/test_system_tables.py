"""System tables, branches and versions by name, in SQL."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import TableNotFound, WorkbenchError
from workbench.sql.execute import execute
from workbench.sql.parse import parse
from workbench.sql.statements import TimeTravel


@pytest.fixture
def orders(catalog: Any) -> Any:
    run(catalog, "CREATE TABLE orders (id BIGINT NOT NULL, item STRING)")
    run(catalog, "INSERT INTO orders VALUES (1, 'pen')")
    run(catalog, "INSERT INTO orders VALUES (2, 'ink')")
    return catalog


def run(catalog: Any, text: str, **given: Any) -> Any:
    return execute(text, catalog, "shop", **given)


def rows(catalog: Any, text: str, **given: Any) -> list[tuple[Any, ...]]:
    table = run(catalog, text, **given).to_arrow()
    return list(zip(*[column.to_pylist() for column in table.columns], strict=True))


def tag(catalog: Any, name: str, snapshot: int) -> None:
    location = Path(catalog.get_table("shop.orders").location)
    (location / "tag").mkdir(exist_ok=True)
    shutil.copy(location / "snapshot" / f"snapshot-{snapshot}", location / "tag" / f"tag-{name}")


@pytest.mark.parametrize(
    "name", ["orders$snapshots", "`orders$snapshots`", "shop.orders$snapshots", "orders$SNAPSHOTS"]
)
def test_names_with_and_without_quotes(orders: Any, name: str) -> None:
    assert rows(orders, f"SELECT snapshot_id, commit_kind FROM {name} WHERE snapshot_id > 1") == [(2, "APPEND")]


def test_queries_on_metadata(orders: Any) -> None:
    assert rows(orders, "SELECT count(*), sum(f.record_count) FROM orders$files AS f WHERE f.level = 0") == [(2, 2)]
    assert rows(orders, "SELECT * FROM orders$branches") == []
    assert rows(orders, "SELECT table_name FROM sys.tables ORDER BY table_name LIMIT 1") == [("orders",)]
    assert rows(orders, "SELECT rowkind, item FROM orders$audit_log ORDER BY id DESC") == [("+I", "ink"), ("+I", "pen")]
    assert rows(orders, "SELECT '$a', item FROM orders WHERE item = 'pen' -- a$b") == [("$a", "pen")]


def test_a_caption_names_the_table(orders: Any) -> None:
    assert run(orders, "SELECT * FROM orders$files").caption == "shop.orders$files, snapshot 2"
    assert run(orders, "SELECT * FROM sys.tables").caption == "sys.tables"
    run(orders, "CREATE TABLE bare (id INT)")
    assert run(orders, "SELECT * FROM bare$schemas").caption == "shop.bare$schemas"
    assert run(orders, "SELECT * FROM bare").caption == "shop.bare, empty"


def test_versions_of_metadata(orders: Any) -> None:
    assert rows(orders, "SELECT count(*) FROM orders$files VERSION AS OF 1") == [(1,)]
    assert rows(orders, "SELECT count(*) FROM orders$files", version=TimeTravel("snapshot", 1)) == [(1,)]


def test_a_tag_takes_precedence_over_the_snapshot_of_that_number(orders: Any) -> None:
    tag(orders, "2", 1)
    for text in ("VERSION AS OF 2", "VERSION AS OF '2'"):
        assert rows(orders, f"SELECT count(*) FROM orders {text}") == [(1,)]
    assert rows(orders, "SELECT count(*) FROM orders", version=TimeTravel("snapshot", 2)) == [(2,)]


def test_a_watermark_as_a_version(orders: Any) -> None:
    file = Path(orders.get_table("shop.orders").location, "snapshot", "snapshot-2")
    file.write_text(json.dumps({**json.loads(file.read_text()), "watermark": 500}))
    assert rows(orders, "SELECT count(*) FROM orders VERSION AS OF 'watermark-400'") == [(2,)]
    with pytest.raises(WorkbenchError, match="watermark 501"):
        rows(orders, "SELECT count(*) FROM orders VERSION AS OF 'watermark-501'")


def test_refused_statements(orders: Any) -> None:
    with pytest.raises(TableNotFound, match="Did you mean 'files'"):
        run(orders, "SELECT * FROM orders$file")
    for text in ("INSERT INTO orders$files VALUES (1)", "DROP TABLE orders$files", "CREATE TABLE a$b (id INT)"):
        with pytest.raises(WorkbenchError):
            run(orders, text)
    assert rows(orders, "SELECT count(*) FROM orders") == [(2,)]


def test_positions_refer_to_the_original_text() -> None:
    text = "SELECT * FROM shop.orders$branch_dev$files VERSION AS OF 3"
    (table,) = parse(text).tables
    assert table.parts == ("shop", "orders$branch_dev$files")
    assert text[slice(*table.span)] == "shop.orders$branch_dev$files"
