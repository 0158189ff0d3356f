"""Cached tables and queries after statements that the library runs, or plans with Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.support.sampling import sampled
from tests.support.spark_rows import rows
from workbench.spark.jvm import caches

pytestmark = pytest.mark.spark
_CHANGES = [
    "DELETE FROM shop.c WHERE id = 1",
    "UPDATE c SET v = 'z' WHERE id = 2",
    "UPDATE paimon.shop.c SET v = 'j' WHERE soundex(v) = 'B000'",
    "MERGE INTO c USING (SELECT 1 AS id) s ON c.id = s.id WHEN MATCHED THEN DELETE",
    "CALL sys.rollback(table => 'shop.c', version => '1')",
    "CALL sys.fast_forward('shop.c', 'b')",
    "COPY INTO c FROM '{folder}' FILE_FORMAT = (TYPE = CSV)",
    "ALTER TABLE c DROP PARTITION (p = 'x')",
    "TRUNCATE TABLE c PARTITION (p = 'y')",
    "TRUNCATE TABLE c",
]


@pytest.mark.parametrize("change", sampled(_CHANGES, 3))
def test_cached_queries_see_a_change(attached: Any, change: str, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "rows.csv").write_text("0,e,x\n")
    rows(attached, "CREATE TABLE c (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    rows(attached, "INSERT INTO c VALUES (1, 'a', 'x'), (2, 'b', 'y')")
    rows(attached, "CALL sys.create_tag('shop.c', 'first')")
    rows(attached, "CALL sys.create_branch('shop.c', 'b', 'first')")
    rows(attached, "INSERT INTO c VALUES (3, 'c', 'x'), (4, 'd', 'y')")
    rows(attached, "CACHE TABLE c")
    rows(attached, "CACHE TABLE named AS SELECT id, v FROM c WHERE id < 3")
    frame = attached.table("paimon.shop.c").select("v").cache()
    frame.count()
    rows(attached, change.format(folder=files))
    stored = attached.catalogs["paimon"].get_table("shop.c").to_arrow().to_pylist()
    assert sorted(rows(attached, "SELECT id, v FROM c")) == sorted((each["id"], each["v"]) for each in stored)
    assert sorted(rows(attached, "SELECT id FROM named")) == sorted((each["id"],) for each in stored if each["id"] < 3)
    assert sorted(row[0] for row in frame.collect()) == sorted(each["v"] for each in stored)
    assert attached.catalog.isCached("c")
    attached.catalog.clearCache()


def test_a_change_that_spark_alone_runs_refreshes_the_cache(plain_session: Any, catalog: Any) -> None:
    rows(plain_session, "CREATE TABLE c (id INT, p INT) PARTITIONED BY (p)")
    rows(plain_session, "INSERT INTO c VALUES (1, 1), (2, 1), (3, 2)")
    rows(plain_session, "CACHE TABLE c")
    rows(plain_session, "DELETE FROM c WHERE id = 1")
    assert sorted(rows(plain_session, "SELECT id FROM c")) == [(2,), (3,)]
    plain_session.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    rows(plain_session, "INSERT OVERWRITE c VALUES (7, 2)")
    assert sorted(rows(plain_session, "SELECT id FROM c")) == [(2,), (7,)]
    catalog.get_table("shop.c").write([{"id": 8, "p": 2}])
    rows(plain_session, "REFRESH TABLE c")
    assert sorted(rows(plain_session, "SELECT id FROM c")) == [(2,), (7,), (8,)]
    plain_session.catalog.clearCache()


@dataclass(frozen=True)
class _Writing:
    """A row to write into a cached table, and where."""

    session: Any
    table: Any
    folder: Path

    @property
    def rows(self) -> Any:
        """The writer of the row."""
        return self.session.sql("SELECT 9 AS id").write

    def stream(self, target: str) -> None:
        """Write the row in a stream."""
        self.rows.parquet(str(self.folder / "rows"))
        read = self.session.readStream.schema("id INT").parquet(str(self.folder / "rows"))
        writer = read.writeStream.format("paimon").trigger(availableNow=True)
        writer.option("checkpointLocation", str(self.folder / "checkpoint")).start(target).awaitTermination()

    def run(self, statement: str) -> None:
        """Run a statement beside the catalog of the session."""
        wb.spark.sql(statement, self.session.catalogs["paimon"], session=self.session)


_OTHER_WAYS: dict[str, Callable[[_Writing], None]] = {
    "stream": lambda writing: writing.stream("shop.c"),
    "stream into a path": lambda writing: writing.stream(writing.table.location),
    "save": lambda writing: writing.rows.format("paimon").mode("append").save("shop.c"),
    "save into a path": lambda writing: (
        writing.rows.format("paimon").mode("overwrite").option("path", writing.table.location).save()
    ),
    "INSERT": lambda writing: writing.run("INSERT INTO shop.c VALUES (9)"),
    "DELETE": lambda writing: writing.run("DELETE FROM shop.c WHERE id = 1"),
}


@pytest.mark.parametrize("way", sampled(_OTHER_WAYS, 3))
def test_cached_queries_see_what_spark_writes_elsewhere(attached: Any, catalog: Any, way: str, tmp_path: Path) -> None:
    rows(attached, "CREATE TABLE c (id INT)")
    rows(attached, "INSERT INTO c VALUES (1), (2)")
    rows(attached, "CACHE TABLE c")
    table = catalog.get_table("shop.c")
    _OTHER_WAYS[way](_Writing(attached, table, tmp_path))
    stored = [(each["id"],) for each in table.to_arrow().to_pylist()]
    assert sorted(stored) != [(1,), (2,)]
    assert sorted(rows(attached, "SELECT id FROM c")) == sorted(stored)
    attached.catalog.clearCache()


_IN_PYTHON: dict[str, Callable[[Any], Any]] = {
    "write": lambda table: table.write([{"id": 9, "v": "z"}]),
    "overwrite": lambda table: table.write([{"id": 9, "v": "z"}], mode="overwrite"),
    "delete": lambda table: table.delete("id = 1"),
    "update": lambda table: table.update({"v": "'z'"}, "id = 1"),
    "merge": lambda table: table.merge([{"id": 1, "v": "z"}], ["id"], [wb.WhenMatched("*")]),
    "truncate": lambda table: table.truncate(),
    "roll back": lambda table: table.rollback_to(1),
    "fast-forward": lambda table: table.fast_forward("b"),
}


@pytest.mark.parametrize("change", _IN_PYTHON)
def test_cached_queries_see_changes_in_python(attached: Any, catalog: Any, change: str) -> None:
    table = catalog.create_table("shop.c", {"id": "INT", "v": "STRING"}, options={"bucket": "-1"})
    table.write([{"id": 1, "v": "a"}])
    table.create_tag("first")
    table.create_branch("b", "first")
    table.write([{"id": 2, "v": "b"}])
    rows(attached, "CACHE TABLE c")
    rows(attached, "CACHE TABLE named AS SELECT id, v FROM c WHERE id <> 2")
    before = sorted(rows(attached, "SELECT id, v FROM c"))
    _IN_PYTHON[change](table)
    stored = sorted((each["id"], each["v"]) for each in catalog.get_table("shop.c").to_arrow().to_pylist())
    assert stored != before
    assert sorted(rows(attached, "SELECT id, v FROM c")) == stored
    assert sorted(rows(attached, "SELECT id, v FROM named")) == [each for each in stored if each[0] != 2]
    assert attached.catalog.isCached("c")
    attached.catalog.clearCache()


@pytest.mark.usefixtures("attached")
def test_a_change_is_published_although_caches_cannot_be_refreshed(
    catalog: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ConnectionError("the JVM is gone")

    monkeypatch.setattr(caches, "_refresh_cached", fail)
    table = catalog.get_table("shop.orders")
    table.delete("id = 1")
    assert table.to_arrow().num_rows == 1
    assert "the caches of Spark were not refreshed: the JVM is gone" in caplog.text
