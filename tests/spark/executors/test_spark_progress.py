from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from workbench.base.errors import Cancelled, CorruptFile, SchemaMismatch
from workbench.base.progress import Progress, Step
from workbench.spark.progress import run_job

pytestmark = pytest.mark.spark


def slow(batches: Iterator[Any]) -> Iterator[Any]:
    time.sleep(1.0)
    yield from batches


def endless(batches: Iterator[Any]) -> Iterator[Any]:
    time.sleep(60)
    yield from batches


def corrupt(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches
    raise CorruptFile("/lake/a: b.parquet", "it ends early")


def mismatch(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches
    raise SchemaMismatch("Column 'a' holds nulls.", "Fill them.")


def test_tasks_are_reported_as_steps(spark: Any) -> None:
    steps: list[Step] = []
    rows = run_job(spark, "Count", spark.range(0, 10, 1, 4).mapInArrow(slow, "id long").collect, Progress(steps.append))
    assert len(rows) == 10
    assert [step.total for step in steps if step.finished] == [4]
    assert max(step.done for step in steps) == 4
    assert steps[0].label.startswith("Count: stage")


def test_stages_report_the_rows_that_they_read(spark: Any) -> None:
    steps: list[Step] = []
    frame = spark.range(0, 4000, 1, 6).mapInArrow(slow, "id long")
    run_job(spark, "Count", frame.collect, Progress(steps.append))
    details = [step.detail for step in steps if step.detail]
    assert details
    assert all(detail.endswith(" rows read") for detail in details)


def test_cancel_stops_the_jobs(spark: Any) -> None:
    progress = Progress()
    threading.Timer(1.5, progress.cancel).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        run_job(spark, "Sleep", spark.range(2).mapInArrow(endless, "id long").collect, progress)
    assert time.monotonic() - started < 20


def test_the_job_group_of_the_user_is_restored(spark: Any) -> None:
    spark.sparkContext.setJobGroup("mine", "my work")
    try:
        run_job(spark, "Count", spark.range(3).count)
        assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") == "mine"
        assert spark.sparkContext.getLocalProperty("spark.job.description") == "my work"
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
        spark.sparkContext.setLocalProperty("spark.job.description", None)


def test_errors_of_tasks_are_raised(spark: Any) -> None:
    with pytest.raises(CorruptFile) as caught:
        run_job(spark, "Read", spark.range(2).mapInArrow(corrupt, "id long").collect)
    assert str(caught.value) == "Cannot read /lake/a: b.parquet: it ends early."
    with pytest.raises(SchemaMismatch, match=r"Column 'a' holds nulls. Fill them."):
        run_job(spark, "Write", spark.range(2).mapInArrow(mismatch, "id long").collect)
