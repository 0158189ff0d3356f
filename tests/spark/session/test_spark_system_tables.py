"""System tables, branches and versions in Spark SQL."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import TableNotFound
from workbench.sql.execute import execute

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture
def shop(catalog: Any) -> Any:
    orders = catalog.create_table(
        "shop.orders", {"id": "BIGINT", "v": "INT"}, primary_key=["id"], options={"bucket": "1", "write-only": "true"}
    )
    for start in (0, 5):
        ids = range(start, start + 10)
        orders.write(pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array(ids, pa.int32())}))
    return catalog


def rows(catalog: Any, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in wb.spark.sql(text, catalog).collect()]


def test_system_tables_are_tables(shop: Any) -> None:
    text = "SELECT s.snapshot_id, f.record_count FROM shop.orders$snapshots s JOIN shop.`orders$files` f"
    assert rows(shop, f"{text} ON s.total_record_count = f.record_count + 10 WHERE f.level = 0") == [(2, 10), (2, 10)]
    assert rows(shop, "SELECT max(snapshot_id) FROM shop.orders$snapshots") == [(2,)]
    assert rows(shop, "SELECT count(*) FROM shop.orders$files VERSION AS OF 1") == [(1,)]
    assert rows(shop, "SELECT rowkind, count(*) FROM shop.orders$audit_log GROUP BY rowkind") == [("+I", 15)]
    assert rows(shop, "SELECT count(*) FROM shop.orders$ro") == [(0,)]
    types = dict(wb.spark.sql("SELECT * FROM shop.orders$files", shop).dtypes)
    assert (types["creation_time"], types["write_cols"]) == ("timestamp_ntz", "array<string>")
    reported = execute("SELECT count(*) FROM orders$files WHERE level = 0", shop, "shop", engine="spark")
    assert reported.to_arrow().to_pydict() == {"count(1)": [2]}
    with pytest.raises(TableNotFound):
        wb.spark.sql("SELECT * FROM shop.orders$fils", shop)
    assert rows(shop, "SELECT count(*) FROM shop.orders$file_indexes") == [(0,)]


def test_branches_and_tags(shop: Any) -> None:
    root = Path(shop.get_table("shop.orders").location)
    branch = root / "branch" / "branch-dev"
    shutil.copytree(root / "schema", branch / "schema")
    for directory, name in ((branch / "snapshot", "snapshot-1"), (root / "tag", "tag-2")):
        directory.mkdir()
        shutil.copy(root / "snapshot" / "snapshot-1", directory / name)
    assert rows(shop, "SELECT count(*) FROM shop.orders$branch_dev") == [(10,)]
    assert rows(shop, "SELECT count(*) FROM shop.orders VERSION AS OF 2") == [(10,)]
    assert rows(shop, "SELECT count(*) FROM shop.orders") == [(15,)]
