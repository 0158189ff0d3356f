"""Run one Spark action as work that can be watched and cancelled, and whose failures speak this library's language."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from workbench.base import errors
from workbench.base.errors import Cancelled, CorruptFile, WorkbenchError
from workbench.base.progress import Progress

Result = TypeVar("Result")

_POLL_SECONDS = 0.2
_RAISED_IN_TASK = re.compile(r"^workbench\.base\.errors\.(\w+): (.*)$", re.MULTILINE)
_GROUP_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


def run_job(
    session: SparkSession, label: str, action: Callable[[], Result], progress: Progress | None = None
) -> Result:
    """``action()``, whose Spark jobs form one group that ``progress.cancel()`` and Ctrl-C stop.

    The tasks of each stage are told to ``progress`` as steps. The thread's own job group is put back afterwards.

    Raises:
        Cancelled: somebody asked to stop.
        WorkbenchError: what a task raised; other failures of tasks come as Spark raised them.
    """
    progress = progress or Progress()
    progress.check()
    with _job_group(session, label) as jobs, _watched(jobs, label, progress):
        try:
            return action()
        except KeyboardInterrupt:
            jobs.cancel()
            raise
        except (PySparkException, Py4JError) as error:
            if progress.cancelled:
                raise Cancelled from error
            raise _of_task(error) or error from None


class _Jobs:
    """The jobs of one action. Spark Connect has tags to cancel them by, and no status tracker."""

    def __init__(self, session: SparkSession, name: str) -> None:
        self.session = session
        self.name = name
        self.context = classic_context(session)
        self.succeeded = False

    def cancel(self) -> None:
        if self.context is None:
            self.session.interruptTag(self.name)
        else:
            self.context.cancelJobGroup(self.name)

    def running_stages(self) -> list[Any]:
        """What the status tracker knows of the stages at work, the earliest first."""
        if self.context is None:
            return []
        tracker = self.context.statusTracker()
        running = set(tracker.getActiveStageIds())
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self.name)]
        stages = sorted({stage for job in jobs if job is not None for stage in job.stageIds if stage in running})
        return [info for info in map(tracker.getStageInfo, stages) if info is not None]


def classic_context(session: SparkSession) -> Any | None:
    """The session's SparkContext; None over Spark Connect, which has none."""
    try:
        return session.sparkContext
    except PySparkException:
        return None


@contextmanager
def _job_group(session: SparkSession, label: str) -> Iterator[_Jobs]:
    """Mark what this thread starts as one group of jobs."""
    jobs = _Jobs(session, f"workbench-{uuid.uuid4()}")
    if jobs.context is None:
        session.addTag(jobs.name)
        try:
            yield jobs
        finally:
            session.removeTag(jobs.name)
        return
    before = {name: jobs.context.getLocalProperty(name) for name in _GROUP_PROPERTIES}
    jobs.context.setJobGroup(jobs.name, label, interruptOnCancel=False)
    try:
        yield jobs
    finally:
        for name, value in before.items():
            jobs.context.setLocalProperty(name, value)


@contextmanager
def _watched(jobs: _Jobs, label: str, progress: Progress) -> Iterator[None]:
    """While the body runs, another thread tells its stages to ``progress`` and cancels its jobs when asked to."""
    done = threading.Event()

    def watch() -> None:
        try:
            while not done.wait(_POLL_SECONDS):
                progress.check()
                for stage in jobs.running_stages():
                    _tell_stage(jobs, stage, label, progress, done)
        except Cancelled:
            jobs.cancel()

    watcher = threading.Thread(target=watch, name="workbench-spark-progress", daemon=True)
    watcher.start()
    try:
        yield
        jobs.succeeded = True
    finally:
        done.set()
        watcher.join()


def _tell_stage(jobs: _Jobs, stage: Any, label: str, progress: Progress, done: threading.Event) -> None:
    """One step of ``progress``: the tasks of a stage, until it ends. The tracker's counts lag behind the tasks."""
    told = 0
    with progress.step(f"{label}: stage {stage.stageId}", stage.numTasks, "tasks"):
        while True:
            progress.advance(stage.numCompletedTasks - told)
            told = stage.numCompletedTasks
            ended = done.wait(_POLL_SECONDS)
            now = [] if ended else [each for each in jobs.running_stages() if each.stageId == stage.stageId]
            if not now:
                if jobs.succeeded or not ended:
                    progress.advance(stage.numTasks - told)
                return
            stage = now[0]


def _of_task(error: Exception) -> WorkbenchError | None:
    """The error of ours that a task raised, found in the text that Spark brings to the driver."""
    found = _RAISED_IN_TASK.findall(str(error))
    if not found:
        return None
    name, message = found[-1]
    kind = getattr(errors, name, WorkbenchError)
    if kind is CorruptFile:
        path, _, reason = message.removeprefix("Cannot read ").partition(": ")
        return CorruptFile(path, reason)
    return kind(message) if issubclass(kind, WorkbenchError) else None
