"""The P0 and P1 lines of Paimon's features, from its documentation.

Each line that concerns reading needs a row of the matrix; the other lines explain why they have none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of the inventory. ``no_row``: why the matrix has no row for it."""

    area: str
    name: str
    priority: str
    no_row: str = ""


def _area(area: str, *lines: tuple[str, ...]) -> tuple[Line, ...]:
    return tuple(Line(area, *line) for line in lines)


WRITING = "it is about writing; what is written so looks like any table"
ENGINE = "it is a way to run an engine"
CATALOG = "it is about finding tables, not about reading one"

LINES: tuple[Line, ...] = (
    *_area(
        "Tables",
        ("partitions", "P0"),
        ("primary key or append", "P0"),
        ("options", "P0"),
        ("defaults and comments", "P1"),
        ("databases; create, drop, rename, list", "P0", CATALOG),
        ("CTAS, LIKE, REPLACE", "P0", WRITING),
    ),
    *_area(
        "Types",
        ("numbers", "P0"),
        ("texts and bytes", "P0"),
        ("dates and timestamps", "P0"),
        ("TIME", "P1"),
        ("ARRAY, MAP, ROW", "P0"),
        ("MULTISET", "P1"),
        ("VARIANT", "P1"),
    ),
    *_area(
        "Evolution",
        ("add column", "P0"),
        ("rename, drop, reorder", "P0"),
        ("change type", "P0"),
        ("nullability", "P1"),
        ("nested columns", "P1"),
        ("comment and default value", "P1"),
        ("old files by field id", "P0"),
        ("schema history", "P0"),
        ("merge schema on write", "P1", WRITING),
    ),
    *_area(
        "Versions",
        ("commit kinds", "P0"),
        ("expired snapshots", "P0"),
        ("rollback", "P0"),
        ("tags", "P0"),
        ("automatic tags", "P1"),
        ("branches", "P0"),
        ("fast-forward", "P1"),
        ("consumers", "P1"),
        ("by snapshot id", "P0"),
        ("by tag", "P0"),
        ("by timestamp", "P0"),
        ("by watermark", "P1"),
        ("rollback as latest", "P1", WRITING),
    ),
    *_area(
        "Changes",
        ("between snapshots or tags", "P0"),
        ("modes auto, delta, changelog, diff", "P0"),
        ("between timestamps", "P0"),
        ("producer none", "P0"),
        ("producer input", "P0"),
        ("producer lookup", "P0"),
        ("producer full-compaction", "P0"),
        ("row-deduplicate", "P1"),
        ("changelog file format", "P1"),
        ("changelog retention", "P1"),
        ("streaming read and scan modes", "P1", "a streaming source reads what `changes` reads, in turns"),
    ),
    *_area(
        "Append tables",
        ("unaware of buckets", "P0"),
        ("bucketed", "P0"),
        ("skipping by statistics and order", "P1"),
        ("row-level deletes", "P1"),
        ("row tracking", "P1"),
        ("aggregate push down", "P1", "an engine's plan; counts come from `$partitions` and `$files` here"),
        ("variant shredding", "P1"),
    ),
    *_area(
        "Buckets",
        ("fixed", "P0"),
        ("dynamic", "P0"),
        ("postpone", "P1"),
        ("bucket functions", "P1"),
        ("rescale", "P1"),
    ),
    *_area(
        "Merge engines",
        ("deduplicate", "P0"),
        ("partial-update", "P0"),
        ("sequence groups", "P0"),
        ("aggregation", "P0"),
        ("aggregates of single values", "P0"),
        ("aggregates of collections", "P1"),
        ("aggregates of bitmaps and sketches", "P2"),
        ("first-row", "P0"),
        ("sequence.field", "P0"),
        ("row kinds from a column", "P1"),
        ("record-level expire", "P1"),
        ("thin mode", "P1"),
        ("pruning by key and partition", "P1"),
    ),
    *_area(
        "Levels and modes",
        ("levels and sorted runs", "P0"),
        ("universal compaction", "P0"),
        ("write-only", "P0"),
        ("full compaction", "P1"),
        ("sort compaction", "P1"),
        ("merge on read", "P0"),
        ("copy on write", "P1"),
        ("deletion vectors", "P0"),
        ("read-optimized", "P1"),
        ("lookup compaction", "P1"),
        ("write buffer, spill", "P1", WRITING),
    ),
    *_area(
        "Files and statistics",
        ("Parquet", "P0"),
        ("ORC", "P1"),
        ("Avro", "P0"),
        ("format and compression by level", "P1"),
        ("file indexes", "P1"),
        ("hash index and deletion vectors", "P0"),
        ("statistics modes", "P0"),
        ("analyzed statistics", "P1"),
        ("merged manifests", "P0"),
    ),
    *_area(
        "System tables",
        ("$snapshots", "P0"),
        ("$schemas", "P0"),
        ("$options", "P0"),
        ("$manifests", "P0"),
        ("$files", "P0"),
        ("$audit_log", "P0"),
        ("$binlog", "P1"),
        ("$ro", "P1"),
        ("$tags", "P0"),
        ("$branches", "P0"),
        ("$consumers", "P0"),
        ("$partitions", "P0"),
        ("$buckets", "P0"),
        ("$aggregation_fields", "P1"),
        ("$statistics", "P1"),
        ("$table_indexes", "P0"),
        ("$file_key_ranges", "P0"),
        ("$row_tracking", "P1"),
        ("sys.tables, sys.partitions, sys.all_table_options", "P1"),
    ),
    *_area(
        "Catalogs, Spark and maintenance",
        ("filesystem catalog", "P0", CATALOG),
        ("expiry of partitions, orphan files", "P1", WRITING),
        ("procedures", "P0", WRITING),
        ("INSERT, UPDATE, DELETE, MERGE", "P0", WRITING),
        ("metadata columns", "P1", ENGINE),
    ),
)


def name_of(line: Line) -> str:
    """Return the name by which rows refer to their line."""
    return f"{line.area}: {line.name}"


BY_NAME = {name_of(line): line for line in LINES}
