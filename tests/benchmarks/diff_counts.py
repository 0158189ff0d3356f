"""``python -m tests.benchmarks.diff_counts [ROWS]``: processor time of counting changes, against a scan of both states.

Both are measured in turns in one process; the ratio is that of the least times, and the peak is of the process.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import workbench as wb
from workbench.lens.diff.collect import Comparison
from workbench.lens.diff.counts import collect_counts
from workbench.lens.diff.ends import end_at

_TURNS, _RUNS = 3, 6
_COLUMNS = {"id": "BIGINT NOT NULL", "name": "STRING", "qty": "INT", "price": "DOUBLE", "day": "DATE", "note": "STRING"}


def rows_of(ids: np.ndarray[Any, np.dtype[np.int64]], salt: int) -> pa.Table:
    """Rows of some keys; another salt gives other values."""
    numbers = pa.array(ids)
    return pa.table(
        {
            "id": numbers,
            "name": pa.array((ids % 5000).astype(str)),
            "qty": pa.array((ids * 31 + salt) % 100, pa.int32()),
            "price": pa.array((ids * 7 + salt) / 3),
            "day": pa.array(ids % 3000 + 18000, pa.int32()).cast(pa.date32()),
            "note": pa.array(np.char.add(f"note {salt} ", ids.astype(str))),
        }
    )


def fill(table: Any, rows: int) -> None:
    """Six runs of ``rows`` keys that overlap (`six`), a compaction (`compacted`), and updates of a tenth (`later`)."""
    chance = np.random.default_rng(1)
    keys = chance.permutation(rows)
    for number in range(_RUNS):
        again = chance.integers(0, rows, rows // 30)
        part = np.unique(np.concatenate([keys[number::_RUNS], again]))
        table.write(rows_of(part, number))
    table.create_tag("six")
    for number in range(2):
        table.write(rows_of(np.sort(chance.choice(rows, rows // 20, replace=False)), 10 + number))
    table.create_tag("more")
    table.compact(full=True)
    table.create_tag("compacted")


def processor_seconds(work: Callable[[], object]) -> float:
    """The processor time of a piece of work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    """Print the ratio of each pair of states."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with tempfile.TemporaryDirectory() as folder:
        catalog = wb.connect(folder)
        catalog.create_database("d")
        table = catalog.create_table("d.t", _COLUMNS, ["id"], options={"bucket": "4", "write-only": "true"})
        fill(table, rows)
        for pair in (("six", "more"), ("six", "compacted")):
            ends = [end_at(table, tag) for tag in pair]

            def scan(tags: tuple[str, str] = pair) -> None:
                for tag in tags:
                    for _ in table.at(tag=tag).to_batches():
                        pass

            def count(before: Any = ends[0], after: Any = ends[1]) -> None:
                collect_counts(Comparison(before, after).source())

            times = [(processor_seconds(scan), processor_seconds(count)) for _ in range(_TURNS)]
            scanned, counted = (min(each) for each in zip(*times, strict=True))
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(
                f"{pair[0]} -> {pair[1]}: scan of both {scanned:.2f} s, counts {counted:.2f} s, "
                f"ratio {counted / scanned:.2f}, peak {peak} MiB"
            )


if __name__ == "__main__":
    main()
