"""Why benchmarks miss their bounds, according to profiles; the page of figures includes these texts."""

from __future__ import annotations

from tests.benchmarks.cases import PYPAIMON, RUST

_START = (
    "importing pyarrow and NumPy alone takes longer than the whole process of the Rust peer. Half of our own "
    "share is the creation of 75 dataclasses in 110 modules; then come fastavro (a tenth) and "
    "`pyarrow.parquet`, which loads the file systems of all clouds."
)

_OPEN = (
    "moto takes half a second to list 1,000 names. The schema that was read with the table is read again with the "
    "snapshot after such a time, because another table may be there since."
)
_SNAPSHOTS = (
    "at most 32 requests are sent at the same time, and the client in Python takes more of the processors, which the "
    "server and the proxy share."
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
            ("snapshots", _SNAPSHOTS),
        )
        for peer in (PYPAIMON, RUST)
    },
}
