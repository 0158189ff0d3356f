"""Runs one Spark action so that it can be watched and canceled, and translates failures to this library's errors."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from inspect import signature
from typing import Any, Generic, TypeVar

from py4j.protocol import Py4JError
from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from workbench.base import errors
from workbench.base.counting import counted
from workbench.base.errors import Cancelled, CorruptFile, WorkbenchError
from workbench.base.progress import Progress
from workbench.base.texts import size_text

Result = TypeVar("Result")

_POLL_SECONDS = 0.2
_PATIENCE_SECONDS = 10.0
_RAISED_IN_TASK = re.compile(r"^workbench\.base\.errors\.(\w+): (.*)$", re.MULTILINE)


def run_job(
    session: SparkSession, label: str, action: Callable[[], Result], progress: Progress | None = None
) -> Result:
    """Run ``action`` as one group of Spark jobs that ``progress.cancel()`` and Ctrl-C stop.

    The action runs on a separate thread, so that the calling thread stays interruptible and reports the tasks of each
    stage to ``progress`` as steps. (On Ctrl-C, PySpark itself cancels all jobs of a local session.)

    Raises:
        Cancelled: If the action was canceled.
        WorkbenchError: If a task raised one; other failures of tasks are raised as Spark reports them.
    """
    progress = progress or Progress()
    progress.check()
    jobs = _Jobs(session, f"workbench-{uuid.uuid4()}")
    work = _Work(jobs, label, action)
    try:
        _watch(jobs, work, label, progress)
        return work.result()
    except (PySparkException, Py4JError) as error:
        if progress.cancelled:
            raise Cancelled from error
        raise _of_task(error) or error from None
    finally:
        work.stop()
        if progress.cancelled:
            work.wait_for_tasks()


class _Work(Generic[Result]):
    """An action on a separate thread, which inherits the local properties of the caller's."""

    def __init__(self, jobs: _Jobs, label: str, action: Callable[[], Result]) -> None:
        self._done = threading.Event()
        self._jobs = jobs
        self._outcome: Future[Result] = Future()
        self._label = label
        self._action = action
        self._thread = InheritableThread(target=self._run, **_of_session(jobs.session))
        self._thread.daemon = True
        self._thread.start()

    def ended(self) -> bool:
        """Return whether the work ends within a moment."""
        return self._done.wait(_POLL_SECONDS) or not self._thread.is_alive()

    def result(self) -> Result:
        if not self._outcome.done():
            raise WorkbenchError("The Spark session ended before the work began.", "Start a new session.")
        return self._outcome.result()

    @property
    def succeeded(self) -> bool:
        return self._outcome.done() and self._outcome.exception() is None

    def stop(self) -> None:
        """Cancel the jobs of unfinished work, including those that it starts a moment later."""
        tries = int(_PATIENCE_SECONDS / _POLL_SECONDS)
        while tries and self._thread.is_alive() and not self._done.is_set():
            self._jobs.cancel()
            self._done.wait(_POLL_SECONDS)
            tries -= 1

    def wait_for_tasks(self) -> None:
        """Wait a moment for canceled tasks to leave their cores, so that the next query does not wait for them."""
        tries = int(_PATIENCE_SECONDS / _POLL_SECONDS)
        while tries and self._jobs.running_tasks():
            time.sleep(_POLL_SECONDS)
            tries -= 1

    def _run(self) -> None:
        try:
            self._jobs.mark_this_thread(self._label)
            self._outcome.set_result(self._action())
        except BaseException as error:  # noqa: BLE001 - raised by result(), on the caller's thread
            self._outcome.set_exception(error)
        finally:
            self._done.set()


class _Jobs:
    """The jobs of one action. Spark Connect cancels by tags and has no status tracker."""

    def __init__(self, session: SparkSession, name: str) -> None:
        self.session = session
        self.name = name
        self.context = classic_context(session)

    def mark_this_thread(self, label: str) -> None:
        """Add the jobs that this thread starts from now on to the group."""
        if self.context is None:
            self.session.addTag(self.name)
        else:
            self.context.setJobGroup(self.name, label, interruptOnCancel=True)
            # Jobs that Spark starts itself, for example for broadcasts, have separate groups but keep the tag.
            self.context.addJobTag(self.name)

    def cancel(self) -> None:
        if self.context is None:
            self.session.interruptTag(self.name)
        else:
            self.context.cancelJobGroup(self.name)
            self.context.cancelJobsWithTag(self.name)

    def detail(self, stage: int) -> str:
        """Return the rows and bytes that a stage has read so far, '' if they are not known."""
        if self.context is None:
            return ""
        try:
            data = self.context._jsc.sc().statusStore().lastStageAttempt(stage)
        except Py4JError:
            return ""  # The stage has only just begun, or was dropped from the store.
        rows = data.inputRecords() + data.shuffleReadRecords()
        read = data.inputBytes() + data.shuffleReadBytes()
        size = f" ({size_text(read)})" if read else ""
        return f"{counted(rows, 'rows')} read{size}" if rows else ""

    def running_tasks(self) -> int:
        """Return the number of tasks that occupy a core of a local session, canceled ones included."""
        if self.context is None or not str(self.context.master).startswith("local"):
            return 0
        infos = self.context._jsc.sc().statusTracker().getExecutorInfos()
        return sum(info.numRunningTasks() for info in infos)

    def running_stages(self) -> list[Any]:
        """Return the status tracker's running stages, the earliest first."""
        if self.context is None:
            return []
        tracker = self.context.statusTracker()
        running = set(tracker.getActiveStageIds())
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self.name)]
        stages = sorted({stage for job in jobs if job is not None for stage in job.stageIds if stage in running})
        return [info for info in map(tracker.getStageInfo, stages) if info is not None]


def _of_session(session: SparkSession) -> dict[str, Any]:
    """Return the arguments that bind a thread to the session; PySpark 3.5 does not have such an argument."""
    return {"session": session} if "session" in signature(InheritableThread.__init__).parameters else {}


def classic_context(session: SparkSession) -> Any | None:
    """Return the session's SparkContext; None with Spark Connect, which does not have one."""
    try:
        return session.sparkContext
    except PySparkException:
        return None


def _watch(jobs: _Jobs, work: _Work[Any], label: str, progress: Progress) -> None:
    """Report the running stages until the work is done.

    Raises:
        Cancelled: If the action was canceled.
    """
    while not work.ended():
        progress.check()
        for stage in jobs.running_stages():
            _report_stage(jobs, work, stage, label, progress)


def _report_stage(jobs: _Jobs, work: _Work[Any], stage: Any, label: str, progress: Progress) -> None:
    """Report the tasks of a stage as one step until it ends. The tracker's counts lag behind the tasks."""
    reported = 0
    with progress.step(f"{label}: stage {stage.stageId}", stage.numTasks, "tasks"):
        while True:
            progress.describe(jobs.detail(stage.stageId))
            progress.advance(stage.numCompletedTasks - reported)
            reported = stage.numCompletedTasks
            ended = work.ended()
            now = [] if ended else [each for each in jobs.running_stages() if each.stageId == stage.stageId]
            if not now:
                if work.succeeded or not ended:
                    progress.advance(stage.numTasks - reported)
                return
            stage = now[0]


def _of_task(error: Exception) -> WorkbenchError | None:
    """Return the WorkbenchError that a task raised, found in the text that Spark sends to the driver."""
    messages = _RAISED_IN_TASK.findall(str(error))
    if not messages:
        return None
    name, message = messages[-1]
    error_type = getattr(errors, name, WorkbenchError)
    if error_type is CorruptFile:
        path, _, reason = message.removeprefix("Cannot read ").partition(": ")
        return CorruptFile(path, reason)
    return error_type(message) if issubclass(error_type, WorkbenchError) else None
