"""Tasks of Spark whose Python worker is killed."""

from __future__ import annotations

import os
import signal
from typing import Any


def dies_at_first(function: Any) -> Any:
    """Return a task whose Python worker is killed after the work is done, at the first attempt."""

    def run(batches: Any) -> Any:
        from pyspark import TaskContext

        results = list(function(batches))
        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from results

    return run
