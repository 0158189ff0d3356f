"""Jobs in the background: work that continues after its cell has ended."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from itertools import count

from workbench.base.errors import Cancelled, InvalidRequest, WorkbenchError
from workbench.base.progress import Progress
from workbench.notebook.errors import error_lines
from workbench.notebook.jobs.card import Card
from workbench.notebook.jobs.work import Work, state_after
from workbench.sql.grid import Shown

_SHOW_EVERY_SECONDS = 0.5
_CHECK_EVERY_SECONDS = 0.1
_MOST_ENDED = 50


class Job:
    """A job in the background, which shows its progress and its end on a card.

    Args:
        work: The work.
        card: Where its progress and its end are shown.
        finish: Called with the result as soon as there is one.
    """

    def __init__(self, work: Work[Shown], card: Card, finish: Callable[[Shown], None]) -> None:
        self.work = work
        self._card = card
        self._finish = finish
        self._shown_end = threading.Event()
        card.show(work.value(), work.progress.cancel)
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._watch,), name="workbench-job", daemon=True).start()

    @property
    def number(self) -> int:
        """The number by which users name the job."""
        assert self.work.number is not None
        return self.work.number

    @property
    def state(self) -> str:
        """``running``, ``stopping``, ``done``, ``failed`` or ``canceled``."""
        if not self.work.has_ended:
            return self.work.value().state
        return "done" if self.work.error is None else state_after(self.work.error)

    def wait(self, progress: Progress) -> None:
        """Wait for the end; the job continues if the waiting is canceled.

        Raises:
            Cancelled: If the waiting was canceled.
        """
        with progress.step(f"Waiting for job {self.number}: {self.work.title}"):
            while not self._shown_end.wait(_CHECK_EVERY_SECONDS):
                progress.check()

    def _watch(self) -> None:
        while not self.work.wait(_SHOW_EVERY_SECONDS):
            self._card.show(self.work.value(), self.work.progress.cancel)
        try:
            self._show_end()
        finally:
            self._shown_end.set()

    def _show_end(self) -> None:
        error = self.work.error
        if error is None:
            result = self.work.result()
            self._finish(result)
            self._card.replace(result)
            return
        # The state of canceled work says everything.
        message = "" if isinstance(error, Cancelled) else "\n".join(error_lines(error))
        self._card.show(self.work.value(state_after(error), message), self.work.progress.cancel)


class Jobs:
    """The jobs of a kernel: those that run, and the newest that have ended."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._jobs: dict[int, Job] = {}

    def start(
        self, function: Callable[[Progress], Shown], title: str, card: Card, finish: Callable[[Shown], None]
    ) -> Job:
        """Run work in the background.

        Args:
            function: The work.
            title: What it is, in one line.
            card: Where its progress and its end are shown.
            finish: Called with the result as soon as there is one.
        """
        job = Job(Work(function, title, next(self._numbers)), card, finish)
        self._jobs[job.number] = job
        ended = [number for number, each in self._jobs.items() if each.work.has_ended]
        for number in ended[:-_MOST_ENDED]:
            del self._jobs[number]
        return job

    def all(self) -> list[Job]:
        """Return the jobs, the newest first."""
        return sorted(self._jobs.values(), key=lambda job: -job.number)

    def job(self, number: str) -> Job:
        """Return a job by its number.

        Raises:
            InvalidRequest: If there is none.
        """
        found = self._jobs.get(int(number)) if number.isdecimal() else None
        if found is None:
            known = ", ".join(str(job.number) for job in self.all()) or "none"
            raise InvalidRequest(f"There is no job '{number}'.", f"Jobs: {known}. See %paimon jobs.")
        return found


def require_running(job: Job) -> None:
    """Refuse to cancel a job that has ended.

    Raises:
        WorkbenchError: The job has ended.
    """
    if job.work.has_ended:
        raise WorkbenchError(f"Job {job.number} is {job.state} and cannot be canceled.", "See %paimon jobs.")
