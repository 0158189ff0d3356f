from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.spark.tasks import ReadTask
from workbench.spark.writing.tasks import WriteTask

COLUMNS = {"id": "BIGINT", "v": "STRING"}
TASK = """
import pickle, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("pyspark", "fastavro", "zstandard", "sqlglot", "fsspec", "pandas"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
task, given = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(pickle.dumps(list(task.run(iter(given)))))
"""


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("shop")
    options = {"bucket": "2", "write-only": "true"}
    return catalog.create_table("shop.k", COLUMNS, primary_key=["id"], options=options)


def elsewhere(task: Any, batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Run a task as an executor would: in a process that has numpy and pyarrow only."""
    ran = subprocess.run(
        [sys.executable, "-c", TASK], input=pickle.dumps((task, batches)), capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return pickle.loads(ran.stdout)  # type: ignore[no-any-return]


def batch(first: int, last: int, v: str) -> pa.RecordBatch:
    return pa.record_batch({"id": range(first, last), "v": [v] * (last - first)})


def test_tasks_need_only_numpy_and_pyarrow(table: Any) -> None:
    for v in ("old", "new"):
        plan = table.new_write_plan()
        written = elsewhere(WriteTask(plan.store, plan.buckets), [batch(0, 10, v), batch(5, 15, v)])
        table.commit([message for part in written for message in part.column(0).to_pylist()])
    scan = table.scan(["v", "id"], "id > 1")
    splits = pa.record_batch({"split": [pickle.dumps(split) for split in scan.plan()]})
    read = elsewhere(ReadTask(scan.store, scan.schema, ("v", "id"), scan.where), [splits])
    rows = pa.Table.from_batches(read)
    assert sorted(rows.column("id").to_pylist()) == list(range(2, 15))
    assert set(rows.column("v").to_pylist()) == {"new"}


def test_failed_tasks_are_cleaned_up_and_repeated_ones_committed_once(table: Any) -> None:
    plan = table.new_write_plan()
    task = WriteTask(plan.store, plan.buckets)

    def broken() -> Any:
        yield batch(0, 10, "x")
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"):
        task.write(broken())
    assert not list(Path(table.location).rglob("*.parquet"))
    task.write(iter([batch(0, 10, "x")]))
    table.commit(task.write(iter([batch(0, 10, "x")])))
    assert table.to_arrow().num_rows == 10


def test_bucket_states_are_sent_only_to_tasks_that_compact(table: Any) -> None:
    from workbench.spark.writing.writer import write_task

    for number in range(5):
        table.commit(write_task(table, overwrite=False).write(iter([batch(0, 5, str(number))])))
        assert set(table.to_arrow().column("v").to_pylist()) == {str(number)}
    task = write_task(table, overwrite=False)
    assert all(not state.files for state in task.buckets.buckets.values())  # type: ignore[attr-defined]
    assert sorted(state.next_sequence for state in task.buckets.buckets.values()) == [10, 15]  # type: ignore[attr-defined]


def test_concurrent_tasks_keep_their_order(table: Any) -> None:
    plan = table.new_write_plan()
    task = WriteTask(plan.store, plan.buckets)
    messages = [
        message
        for number in (1, 0, 2)
        for message in task.for_shared_buckets(number).write(iter([batch(0, 5, str(number))]))
    ]
    table.commit(messages)
    assert set(table.to_arrow().column("v").to_pylist()) == {"2"}
    plan = table.new_write_plan()
    table.commit(WriteTask(plan.store, plan.buckets).write(iter([batch(0, 5, "later")])))
    assert set(table.to_arrow().column("v").to_pylist()) == {"later"}


def test_batches_for_spark_are_small() -> None:
    from workbench.spark.tasks import ROWS_PER_BATCH, for_spark

    large = pa.table({"id": pa.array(range(3 * ROWS_PER_BATCH // 2))}).to_reader(max_chunksize=10**6)
    assert [each.num_rows for each in for_spark(large)] == [ROWS_PER_BATCH, ROWS_PER_BATCH // 2]
