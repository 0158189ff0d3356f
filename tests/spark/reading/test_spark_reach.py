"""Who reads and writes the files of tables on Spark, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.metadata.store import TableStore
from workbench.spark.progress import classic_context
from workbench.spark.reach import Reach, reach
from workbench.spark.reading.reader import read_by
from workbench.sql.execute import execute
from workbench.storage.stores.options import HadoopFileSystem

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture
def log(catalog: Any) -> wb.Table:
    table: wb.Table = catalog.create_table("shop.log", {"id": "BIGINT"}, options={"bucket": "-1"})
    table.write([{"id": 1}])
    return table


class _Elsewhere:
    is_local = False


def _store(table: wb.Table, location: str, **options: str) -> TableStore:
    runtime = replace(table.store.runtime, file_io=_Elsewhere(), storage_options=options)  # type: ignore[arg-type]
    return replace(table.store, runtime=runtime, location=location)


def _needs_jvm(spark: Any) -> None:
    if classic_context(spark) is None:
        pytest.skip("Spark Connect has no JVM in this process")


def test_local_files(spark: Any, log: wb.Table) -> None:
    assert reach(spark, log.store) == Reach()
    assert reach(spark, log.store).path("/a/b") == "/a/b"


def test_other_stores(spark: Any, log: wb.Table) -> None:
    _needs_jvm(spark)
    s3 = _store(log, "s3://lake/wh", **{"s3.access-key": "me"})
    assert reach(spark, s3).reason == "this Spark has no file system for 's3a:'"
    profile = _store(log, "s3://lake/wh", **{"s3.profile": "mine"})
    assert reach(spark, profile).reason == "Hadoop has no option like s3.profile"
    assert reach(spark, _store(log, "gs://lake/wh")).reason == "Spark does not read this storage itself"
    with log.sandbox() as sandbox:
        elsewhere = replace(sandbox.store, location="hdfs://host/wh")
        assert reach(spark, elsewhere).reason == "Spark does not read this storage itself"


def test_a_storage_that_does_not_answer(spark: Any, log: wb.Table) -> None:
    _needs_jvm(spark)
    reason = reach(spark, _store(log, "hdfs://127.0.0.1:1/wh")).reason
    assert reason is not None
    assert reason.startswith("Spark's file system for 'hdfs:' fails: java.")


def test_options_of_an_opened_storage(
    spark: Any, log: wb.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hadoop opens each storage once, here with the options of Spark itself."""
    _needs_jvm(spark)
    found = HadoopFileSystem("file", {"some.key": "hush"})
    monkeypatch.setattr(TableStore, "hadoop_file_system", lambda _: found)
    other = reach(spark, _store(log, f"x:{tmp_path}"))
    assert other.reason == "this Spark has opened the storage with other options before"
    found = HadoopFileSystem("file")
    same = reach(spark, _store(log, f"x:{tmp_path}"))
    assert same.reason is None
    assert same.path("x:/a/b") == "file:/a/b"


def test_the_result_says_who(spark: Any, catalog: Any, log: wb.Table) -> None:
    _needs_jvm(spark)
    assert read_by(wb.spark.read(log, session=spark)) == "files read by Spark"
    keyed = catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, primary_key="id", options={"bucket": "1"})
    keyed.write([{"id": 1}])
    keyed.write([{"id": 1}])
    merged = "files read by Python tasks: their rows are merged or converted"
    assert read_by(wb.spark.read(keyed, session=spark)) == merged
    note = execute("SELECT max(id) FROM shop.log", catalog, engine="spark").notes[0]
    assert " · files read by Spark · " in note
    rows = spark.range(5)
    assert wb.spark.write(rows, log).writer == "Python tasks: there are few rows"
    assert wb.spark.write(rows, log, files="jvm").writer == "Spark's own writer"
    assert "s own writer" in str(wb.spark.write(rows, log, files="jvm")._repr_html_())
    assert wb.spark.write(rows, log, files="arrow").writer == "Python tasks: argument 'files' selects them"
    assert log.write([{"id": 7}]).writer is None
