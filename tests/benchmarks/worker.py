"""One side of a benchmark: warms up once, then reports the median of some runs as one line of JSON."""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.benchmarks.tasks import TASKS, Task


def main() -> None:
    order = json.loads(sys.argv[1])
    task = Task(
        import_module(f"tests.benchmarks.engine_{order['engine']}"),
        Path(order["directory"]),
        order["scale"],
        order["arguments"],
    )
    prepare = TASKS[order["task"]]
    spans, processor, rows = [], [], None
    for _ in range(order["runs"] + 1):
        run = prepare(task)
        wall, used = time.monotonic(), time.process_time()
        rows = run()
        spans.append((wall, time.monotonic()))
        processor.append(time.process_time() - used)
        del run
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = [end - begin for begin, end in spans]
    report: dict[str, Any] = {
        "seconds": statistics.median(seconds[1:] or seconds),
        "processor": statistics.median(processor[1:] or processor),
        "peak": peak,
        "rows": rows,
        "span": spans[-1],
        "bytes": task.scratch_bytes(),
    }
    shutil.rmtree(task.scratch, ignore_errors=True)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
