"""Writes and compactions on a local cluster, during which an executor is killed; prints the rows of each table.

A process has one Spark context, so the test runs this file as a separate process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import workbench as wb
from workbench.spark.session import new_session

_ROWS = 40_000
_WRITES = (("fixed", "arrow"), ("log", "arrow"), ("dynamic", "arrow"), ("fixed", "jvm"), ("log", "jvm"))


def executors(session: Any) -> list[int]:
    """Return the processes of the executors of a session."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    application = session.sparkContext.applicationId
    return [int(line.split()[0]) for line in listed if "CoarseGrainedExecutorBackend" in line and application in line]


def killing(session: Any, seconds: float, work: Callable[[], Any], *, in_last_stage: bool = False) -> bool:
    """Kill an executor while a job runs, and return whether tasks failed by it.

    Args:
        session: The session.
        seconds: How long tasks run before the kill.
        work: What starts the job.
        in_last_stage: Whether these are the tasks of the job's last stage.
    """
    before = _failed_tasks(session)
    done = threading.Event()

    def kill() -> None:
        while not done.is_set() and not _is_running(session, in_last_stage=in_last_stage):
            time.sleep(0.01)
        time.sleep(seconds)
        os.kill(executors(session)[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    work()
    done.set()
    thread.join()
    return _failed_tasks(session) > before


def _jobs(session: Any) -> list[Any]:
    jobs = session.sparkContext._jsc.sc().statusStore().jobsList(None)
    return [jobs.apply(at) for at in range(jobs.size())]


def _failed_tasks(session: Any) -> int:
    return sum(job.numFailedTasks() for job in _jobs(session))


def _is_running(session: Any, *, in_last_stage: bool) -> bool:
    """Return whether tasks of a job, or those of its last stage, are running."""
    tracker = session.sparkContext.statusTracker()
    for job in _jobs(session):
        stages = [job.stageIds().apply(at) for at in range(job.stageIds().size())]
        watched = stages if not in_last_stage else [max(stages)]
        running = watched if str(job.status()) == "RUNNING" else []
        infos = [tracker.getStageInfo(stage) for stage in running]
        if any(info is not None and info.numActiveTasks for info in infos):
            return True
    return False


def slowly(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches, one each second."""
    for batch in batches:
        time.sleep(1)
        yield batch


def main(warehouse: str) -> None:
    """Run all writes and a compaction."""
    settings = {"spark.driver.memory": "1g", "spark.executor.extraJavaOptions": "-XX:+UseSerialGC"}
    session = new_session("killed", "local-cluster[2,1,1024]", settings)
    catalog = wb.connect(warehouse)
    catalog.create_database("db")
    columns = {"id": "BIGINT", "v": "BIGINT"}
    tables = {
        "fixed": catalog.create_table("db.fixed", columns, ["id"], options={"bucket": "4", "write-only": "true"}),
        "dynamic": catalog.create_table("db.dynamic", columns, ["id"]),
        "log": catalog.create_table("db.log", columns),
    }
    found = []
    for name, way in _WRITES:
        frame = session.range(0, _ROWS, 1, 4).selectExpr("id", "id * 2 AS v").mapInArrow(slowly, "id long, v long")
        table = tables[name]
        killed = killing(
            session, 0.7, lambda frame=frame, table=table, way=way: wb.spark.write(frame, table, files=way)
        )
        found.append([name, way, killed, table.to_arrow().num_rows])
    catalog.alter_table("db.fixed", wb.SetOption("write-only", "false"))
    table = catalog.get_table("db.fixed")
    killed = killing(session, 0.0, partial(wb.spark.compact, table, full=True), in_last_stage=True)
    assert [each.commit_kind for each in table.snapshots()] == ["APPEND", "APPEND", "COMPACT"]
    found.append(["fixed", "compacted", killed, table.to_arrow().num_rows])
    print(json.dumps(found))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1])
