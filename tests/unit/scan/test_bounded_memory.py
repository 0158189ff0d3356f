"""A section far larger than a slice is read in the memory of slices, regardless of its merge engine and file format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.support.other_formats import FORMATS, set_options, turn_into
from workbench.catalog.connect import connect
from workbench.table.table import Table

pytestmark = pytest.mark.long

RUNS = 6
SMALL, LARGE = 500_000, 1_800_000
# Uncompressed bytes per row: two integers, a string, the sequence number and the kind.
ROW_BYTES = 70
COLUMNS = {"id": "BIGINT NOT NULL", "v": "BIGINT", "s": "STRING", "many": "ARRAY<BIGINT>"}
# Reads of first-row tables merge nothing: they see compacted files only.
ENGINES = {
    "deduplicate": {},
    "partial-update": {"merge-engine": "partial-update"},
    "sequence groups": {"merge-engine": "partial-update", "fields.v.sequence-group": "s"},
    "aggregation": {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": "sum",
        "fields.s.aggregate-function": "max",
    },
    "collect": {"merge-engine": "aggregation", "fields.many.aggregate-function": "collect"},
}
# Pages of mapped files are not counted: the system can reclaim them at any time.
READ = """
import json, sys
from workbench.catalog.connect import connect
from workbench.scan import section_reader
section_reader._SLICE_BYTES, section_reader._SLICE_ROWS = 4 << 20, 1 << 16
rows = peak = 0
for batch in connect(sys.argv[1]).get_table("db.t").to_batches():
    rows += batch.num_rows
    with open("/proc/self/status") as status:
        peak = max(peak, *(int(line.split()[1]) for line in status if line.startswith("RssAnon")))
print(json.dumps([rows, peak * 1024]))
"""


def rows_of(run: int, rows: int) -> pa.Table:
    chance = np.random.default_rng(run)
    ids = np.sort(chance.choice(2 * rows, rows, replace=False))
    many = pa.ListArray.from_arrays(np.arange(rows + 1, dtype=np.int32), chance.integers(0, 9, rows))
    texts = pa.array(chance.integers(0, 1 << 60, rows)).cast(pa.string())
    return pa.table({"id": ids, "v": chance.integers(0, 1 << 60, rows), "s": texts, "many": many})


def make(warehouse: Path, file_format: str, rows: int) -> Table:
    """One bucket of overlapping runs of random keys, all files of one format."""
    catalog = connect(warehouse)
    catalog.create_database("db")
    table = catalog.create_table("db.t", COLUMNS, "id", (), {"bucket": "1", "write-only": "true"})
    for run in range(RUNS):
        table.write(rows_of(run, rows // RUNS))
    turn_into(table, file_format)
    return table


def peak(warehouse: Path) -> int:
    """Return the peak memory of a process that streams the table."""
    # Arrow's own allocator keeps memory that another thread has freed for a time that depends on the load of the
    # machine: up to 18 MiB for one and the same read, of which Arrow uses 14 MiB.
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(
        [sys.executable, "-c", READ, str(warehouse)],
        capture_output=True,
        text=True,
        timeout=500,
        check=True,
        env=environment,
    )
    rows, maximum = json.loads(done.stdout)
    assert rows > 0
    return int(maximum)


@pytest.mark.parametrize("file_format", FORMATS)
def test_memory_does_not_grow_with_the_table(tmp_path: Path, file_format: str) -> None:
    tables = {rows: make(tmp_path / str(rows), file_format, rows) for rows in (SMALL, LARGE)}
    more_bytes = (LARGE - SMALL) * ROW_BYTES
    # The merge does not depend on the file format.
    for engine in ENGINES if file_format == "parquet" else ("deduplicate", "collect"):
        peaks = {}
        for rows, table in tables.items():
            set_options(table, ENGINES[engine])
            peaks[rows] = peak(tmp_path / str(rows))
        assert peaks[LARGE] - peaks[SMALL] < more_bytes / 5, f"{engine}: {peaks}"
        assert peaks[LARGE] < 300 << 20, f"{engine}: {peaks}"
