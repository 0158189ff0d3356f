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
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.spark.session import new_session

_ROWS = 40_000
_WRITES = (("fixed", "arrow"), ("log", "arrow"), ("dynamic", "arrow"), ("fixed", "jvm"), ("log", "jvm"))


def executor_with_tasks(session: Any) -> int | None:
    """Return the process id of an executor of the session that runs a task; None if there is none."""
    listed = session.sparkContext._jsc.sc().statusStore().executorList(True)
    executors = [listed.apply(at) for at in range(listed.size())]
    busy = [f"--executor-id {each.id()} " for each in executors if each.activeTasks() and each.id() != "driver"]
    application = session.sparkContext.applicationId
    processes = subprocess.run(["ps", "-eww", "-o", "pid,args"], capture_output=True, text=True, check=True).stdout
    for line in processes.splitlines():
        if "CoarseGrainedExecutorBackend" in line and application in line and any(each in line for each in busy):
            return int(line.split()[0])
    return None


def killing(session: Any, killed: Path, work: Callable[[], Any], *, in_last_stage: bool = False) -> bool:
    """Kill an executor while a job runs, and return whether this made tasks fail.

    Args:
        session: The session.
        killed: The file that is created after the kill.
        work: A function that starts the job.
        in_last_stage: Whether a task of the job's last stage is killed.
    """
    before = _failed_tasks(session)
    done = threading.Event()

    def kill() -> None:
        while not done.is_set() and not _is_running(session, in_last_stage=in_last_stage):
            time.sleep(0.05)
        while not done.is_set():
            found = executor_with_tasks(session)
            if found is not None:
                os.kill(found, signal.SIGKILL)
                killed.touch()
                return
            time.sleep(0.05)

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


def after(killed: Path) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that passes batches on after the kill, or after a minute at most."""

    def wait(batches: Iterator[Any]) -> Iterator[Any]:
        end = time.monotonic() + 60
        while not killed.exists() and time.monotonic() < end:
            time.sleep(0.1)
        yield from batches

    return wait


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
    for number, (name, way) in enumerate(_WRITES):
        killed = Path(warehouse, f"killed-{number}")
        frame = session.range(0, _ROWS, 1, 4).selectExpr("id", "id * 2 AS v")
        frame = frame.mapInArrow(after(killed), "id long, v long")
        failed = killing(session, killed, partial(wb.spark.write, frame, tables[name], files=way))
        found.append([name, way, failed, tables[name].to_arrow().num_rows])
    catalog.alter_table("db.fixed", wb.SetOption("write-only", "false"))
    table = catalog.get_table("db.fixed")
    killed = Path(warehouse, "killed")
    failed = killing(session, killed, partial(wb.spark.compact, table, full=True), in_last_stage=True)
    assert [each.commit_kind for each in table.snapshots()] == ["APPEND", "APPEND", "COMPACT"]
    found.append(["fixed", "compacted", failed, table.to_arrow().num_rows])
    print(json.dumps(found))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1])
