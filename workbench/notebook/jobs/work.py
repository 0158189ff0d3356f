"""Work on another thread, and what is known about it while it runs."""

from __future__ import annotations

import contextvars
import threading
import uuid
from collections.abc import Callable
from typing import Generic, TypeVar

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import Cancelled
from workbench.base.progress import Progress
from workbench.notebook.jobs.steps import Steps
from workbench.notebook.jobs.value import JOB_VERSION, JobValue, State

Outcome = TypeVar("Outcome")


class Work(Generic[Outcome]):
    """Work that runs on another thread as soon as it is created.

    Args:
        function: The work, which reports its progress to its argument and can be canceled through it.
        title: What the work is, in one line.
        number: The number of a job in the background.
        clock: The clock that measures the work and its steps.
    """

    def __init__(
        self,
        function: Callable[[Progress], Outcome],
        title: str = "",
        number: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.id = f"paimon-job-{uuid.uuid4()}"
        self.title, self.number = title, number
        self._clock = clock or SystemClock()
        self._steps = Steps(self._clock)
        self.progress = Progress(self._steps.take)
        self._begun = self._clock.monotonic()
        self._ended: float | None = None
        self._function = function
        self._outcome: list[Outcome] = []
        self.error: BaseException | None = None
        # An interrupted Thread.join may consider a running thread finished; an event is reliable.
        self._finished = threading.Event()
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._run,), name="workbench-cell", daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most ``seconds``. Return whether the work has ended."""
        return self._finished.wait(seconds)

    @property
    def has_ended(self) -> bool:
        """Whether the work has ended."""
        return self._finished.is_set()

    @property
    def seconds(self) -> float:
        """The time since the work began, until its end."""
        return (self._clock.monotonic() if self._ended is None else self._ended) - self._begun

    def result(self) -> Outcome:
        """Return the result of work that has ended, or raise its error."""
        if self.error is not None:
            raise self.error
        return self._outcome[0]

    def value(self, state: State | None = None, message: str = "") -> JobValue:
        """Return what is known of the work now."""
        shown = state or ("stopping" if self.progress.cancelled else "running")
        return JobValue(
            JOB_VERSION, self.id, self.number, shown, self.title, self._steps.values(), self.seconds, message
        )

    def _run(self) -> None:
        try:
            self._outcome.append(self._function(self.progress))
        except BaseException as error:  # noqa: BLE001 - raised again where the result is taken
            self.error = error
        finally:
            self._ended = self._clock.monotonic()
            self._finished.set()


def state_after(error: BaseException) -> State:
    """Return the state of work that raised an error."""
    return "canceled" if isinstance(error, Cancelled) else "failed"
