"""Lazy frames of `wb.spark.read` and `wb.spark.sql` whose table is dropped, renamed or created again before their use:
they raise TableNotFound, as the table does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import workbench as wb
from workbench.metadata.schemas import same_table
from workbench.spark.reading import watched_frames

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

COLUMNS = {"id": "BIGINT", "v": "STRING"}
KEYED: dict[str, Any] = {"primary_key": ["id"], "options": {"bucket": "1"}}


def _created(catalog: Any, rows: int = 2, **arguments: Any) -> Any:
    table = catalog.create_table("shop.t", COLUMNS, **arguments)
    for number in range(rows):
        table.write([{"id": number, "v": "a"}, {"id": 9, "v": "b"}])
    return table


def _create_again(catalog: Any) -> None:
    catalog.drop_table("shop.t")
    _created(catalog)


ENDS: dict[str, Callable[[Any], None]] = {
    "was dropped while it was in use, or renamed": lambda catalog: catalog.drop_table("shop.t"),
    "or renamed": lambda catalog: catalog.rename_table("shop.t", "shop.u"),
    "was created again": _create_again,
}
TABLES: dict[str, dict[str, Any]] = {"of logs": {}, "of keys": KEYED, "empty": {"rows": 0}}
FRAMES: dict[str, Callable[[Any, Any], Any]] = {
    "read": lambda table, _: wb.spark.read(table),
    "version": lambda table, _: wb.spark.read(table.at(1) if table.snapshots() else table),
    "query": lambda _, catalog: wb.spark.sql("SELECT v FROM shop.t WHERE id >= 0", catalog),
    "star": lambda _, catalog: wb.spark.sql("SELECT * FROM shop.t", catalog),
    "places": lambda _, catalog: wb.spark.sql("SELECT id, __paimon_bucket FROM shop.t", catalog),
    "join": lambda _, catalog: wb.spark.sql("SELECT a.v FROM shop.t a JOIN shop.t b USING (id)", catalog),
}
USES: dict[str, Callable[[Any], Any]] = {
    "collect": lambda frame: frame.collect(),
    "count": lambda frame: frame.count(),
    "show": lambda frame: frame.show(),
    "toPandas": lambda frame: frame.toPandas(),
    "toArrow": lambda frame: frame.toArrow(),
    "derived": lambda frame: frame.where("1 = 1").select(frame.columns[0]).distinct().collect(),
    "loop": lambda frame: list(frame.toLocalIterator()),
    "write": lambda frame: frame.write.format("noop").mode("overwrite").save(),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", TABLES)
def test_frames_of_tables_that_are_gone(catalog: Any, kind: str, end: str) -> None:
    table = _created(catalog, **TABLES[kind])
    frames = {name: make(table, catalog) for name, make in FRAMES.items()}
    used = frames["query"].collect()
    assert len(used) == (0 if kind == "empty" else len(table.to_arrow()))
    ENDS[end](catalog)
    for frame in frames.values():
        with pytest.raises(wb.TableNotFound, match=end):
            frame.collect()


@pytest.mark.parametrize("use", USES)
def test_each_use_of_a_frame(catalog: Any, use: str) -> None:
    frame = wb.spark.read(_created(catalog))
    USES[use](frame)
    catalog.drop_table("shop.t")
    with pytest.raises(wb.TableNotFound, match="was dropped"):
        USES[use](frame)


def test_a_table_that_is_dropped_during_a_job(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = wb.spark.read(_created(catalog))

    def check_and_drop(store: Any) -> Any:
        monkeypatch.setattr(watched_frames, "same_table", same_table)
        found = same_table(store)
        catalog.drop_table("shop.t")
        return found

    monkeypatch.setattr(watched_frames, "same_table", check_and_drop)
    with pytest.raises(wb.TableNotFound, match="was dropped"):
        frame.collect()


def test_watched_frames_are_like_others(catalog: Any) -> None:
    from pyspark.sql import DataFrame

    frame = wb.spark.read(_created(catalog))
    assert isinstance(frame, DataFrame)
    assert type(frame).__name__ == "DataFrame"
    assert frame.cache() is frame
    assert frame.is_cached
    assert frame.unpersist() is frame
    joined = frame.alias("a").join(frame.alias("b"), frame.id == frame.id).select("a.v")
    assert joined.count() >= 4
    assert frame[frame.id > 1].union(frame).groupBy("v").count().count() == 2
    frame.createOrReplaceTempView("watched")
    assert frame.sparkSession.table("watched").count() == 4
    assert "id" in repr(frame)
    assert "id" in dir(frame)
