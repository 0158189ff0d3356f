"""Why benchmarks miss their bounds, according to profiles; the page of figures includes these texts."""

from __future__ import annotations

from tests.benchmarks.cases import PYPAIMON, RUST

_START = (
    "importing pyarrow and NumPy alone takes longer than the whole process of the Rust peer. Half of our own "
    "share is the creation of 75 dataclasses in 110 modules; then come fastavro (a tenth) and "
    "`pyarrow.parquet`, which loads the file systems of all clouds."
)

_OPEN = (
    "the schema is read when the table is opened, and again with the snapshot; before the listing that finds the "
    "newest snapshot comes the hint that says where to look."
)
_RANGES = (
    "a file above 1 MiB is read as its size, its footer and a range for each column, each with a request that waits "
    "for the one before."
)
_SNAPSHOTS = (
    "snapshots are read in shares of 32, one after the other in each, so that only seven requests are sent at the same "
    "time."
)

MISSES = {
    "compact": (
        "beyond reading and writing, per 131,072 rows: ordering the keys 9 to 13 ms, taking all columns in that "
        "order 9 ms (mostly strings), statistics of the new file 5 ms. Plain reading and writing does none of these."
    ),
    "tiny-read": (
        "a file costs 0.5 ms of processor time: Arrow opens it (0.14) and reads it (0.2) under the interpreter "
        "lock, and the rest is one pass of Python through footer, checks and types. The Rust peer reads files on "
        "all cores."
    ),
    "plan-100k-cold": (
        "200,000 objects for files and entries are made column by column (a quarter), 39 fields are read from the "
        "Avro blocks by NumPy (a quarter), and splits are built from nested tuples (a quarter). The next "
        "step would be to create these objects on demand."
    ),
    "import-face": _START,
    "first-row": _START,
    **{
        f"remote-{name}-{peer}": reason
        for name, reason in (
            ("open", _OPEN),
            ("read", _OPEN),
            ("merge", _RANGES),
            ("merge-again", _RANGES),
            ("snapshots", _SNAPSHOTS),
        )
        for peer in (PYPAIMON, RUST)
    },
}
