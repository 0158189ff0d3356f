"""``python -m tests.benchmarks.diff_counts [ROWS]``: times of counting changes, against a scan of both states.

Both are measured in turn in one process; the ratio is that of the shortest times, and the peak that of the process. The
states of `other`, a second table with the same keys, and of `six` have no file in common.
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
    """Write overlapping runs (`six`), updates (`more`), a compaction (`compacted`) and updates of a tenth (`later`)."""
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
    table.write(rows_of(np.sort(chance.choice(rows, rows // 10, replace=False)), 20))
    table.create_tag("later")


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """The processor time and the wall time of a piece of work."""
    begun = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - begun[0], time.perf_counter() - begun[1]


def main() -> None:
    """Print the ratio of each pair of states."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with tempfile.TemporaryDirectory() as folder:
        catalog = wb.connect(folder)
        catalog.create_database("d")
        options = {"bucket": "4", "write-only": "true"}
        table, other = (catalog.create_table(name, _COLUMNS, ["id"], options=options) for name in ("d.t", "d.other"))
        fill(table, rows)
        fill(other, rows)
        for before, after in (("six", "more"), ("compacted", "later"), ("six", "compacted"), ("six", "other")):
            states = (table, before), (other, "six") if after == "other" else (table, after)

            def scan(states: Any = states) -> None:
                for each, tag in states:
                    for _ in each.at(tag=tag).to_batches():
                        pass

            def count(states: Any = states) -> None:
                ends = [end_at(each, tag) for each, tag in states]
                collect_counts(Comparison(*ends).source())

            times = [(*seconds(scan), *seconds(count)) for _ in range(_TURNS)]
            scanned, waited, counted, finished = (min(each) for each in zip(*times, strict=True))
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(
                f"{before} -> {after}: scan of both {scanned:.2f} s, counts {counted:.2f} s, "
                f"ratio {counted / scanned:.2f} (wall {finished / waited:.2f}), peak {peak} MiB"
            )


if __name__ == "__main__":
    main()
