"""Why a bound is missed, by profiles: what the page of figures says of a benchmark that is past its bound."""

from __future__ import annotations

_START = (
    "importing pyarrow and NumPy alone takes longer than the whole process of the Rust peer. Of what is ours, "
    "half is Python making some 75 dataclasses of 110 modules; then come fastavro (a tenth) and "
    "`pyarrow.parquet`, which brings the file systems of all clouds."
)

MISSES = {
    "merge-partial-own": (
        "the fold of five columns: for each the newest row that is not null has to be found and taken from its own"
        " place, where deduplicate takes all columns of one row. Arrow's `take` and the decoding of Parquet are "
        "three quarters of both."
    ),
    "lookup-cold": (
        "opened anew, a table reads the footers of 6 files for each key. Half of the time is Arrow's decoding of "
        "the row groups that may hold the key (131,072 rows each: smaller ones cost scans more), a sixth the "
        "parsing of statistics in footers by our own Thrift reader, for Arrow's ends the process where a footer is"
        " damaged."
    ),
    "lookup-warm": (
        "no bytes are read: planning, choosing row groups by their bounds and merging are some 200 small calls of "
        "Arrow and NumPy a key, a third of them for the predicate."
    ),
    "compact": (
        "beyond reading and writing, per 131,072 rows: ordering the keys 9 to 13 ms, taking all columns in that "
        "order 9 ms (texts mostly), statistics of the new file 5 ms. Plain reading and writing does neither."
    ),
    "tiny-read": (
        "a file costs 0.7 ms of processor time: Arrow opens it (0.14) and reads it (0.2) under the interpreter "
        "lock, and the rest is one pass of Python through footer, checks and types. The Rust peer reads files on "
        "all cores."
    ),
    "commits": (
        "a commit of ten files: Arrow writes each in 0.2 ms, five metadata files and one `fsync` take 5 ms, "
        "fastavro 0.4 ms a manifest; the rest is Python around each file."
    ),
    "plan-100k-cold": (
        "200,000 objects for files and entries are made column by column (a quarter), 39 fields are read from the "
        "Avro blocks by NumPy (a quarter), and splits are built from nested tuples (a quarter). Objects made only "
        "when somebody asks would be next."
    ),
    "import-face": _START,
    "first-row": _START,
}
