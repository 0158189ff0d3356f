"""Rows of the matrix: buckets, append tables, levels and modes, file formats, statistics, indexes, evolution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.interop.matrix.feature import ROWS, Alter, Analyze, Compact, Erase, Feature, SortCompact, Step, system
from tests.interop.matrix.plain_rows import APPENDS, COLUMNS, KEYED, UPSERTS, write

ALL = ("format", "partitioned", "buckets")
CORES = ("java-2.0.0", "java-1.4.2")
READS_DEFAULTS = "it applied default values when it read, which later versions do when they write"
NEWEST = ("java-2.0.0", "flink-2.0.0")
ENGINE_ONLY = dict.fromkeys(CORES, "the core alone assigns no buckets")


def keyed(line: str, name: str, steps: tuple[Step, ...] = UPSERTS, **more: Any) -> Feature:
    """A primary-key table."""
    options = {"bucket": "2", **more.pop("options", {})}
    return Feature(line, name, KEYED, steps, ("id",), options=options, **more)


def append(line: str, name: str, steps: tuple[Step, ...] = APPENDS, **more: Any) -> Feature:
    """An append table."""
    return Feature(line, name, COLUMNS, steps, **more)


def of_buckets() -> Iterator[Feature]:
    full = (*UPSERTS, Compact(), *UPSERTS[1:])
    yield keyed("Buckets: fixed", "fixed buckets", full, varies=ALL)
    yield keyed(
        "Buckets: dynamic", "dynamic buckets", options={"bucket": "-1"}, varies=("partitioned",), lacks=ENGINE_ONLY
    )
    yield keyed(
        "Buckets: postpone",
        "postponed buckets",
        options={"bucket": "-2"},
        varies=("partitioned",),
    )
    for function in ("mod", "hive"):
        yield keyed(
            "Buckets: bucket functions",
            f"bucket function {function}",
            options={"bucket-function.type": function},
            lacks={"spark-0.9": "newer than 0.9"},
        )
    rescaled = (*UPSERTS, Alter((("set", "bucket", "3"),)), replace(write(range(30), 5), overwrite=True))
    yield keyed("Buckets: rescale", "rescaled table", rescaled)
    yield append(
        "Append tables: unaware of buckets",
        "unaware append",
        (*APPENDS, Compact(), APPENDS[0]),
        varies=("format", "partitioned"),
    )
    yield append(
        "Append tables: bucketed",
        "bucketed append",
        (*APPENDS, Compact(), APPENDS[0]),
        options={"bucket": "2", "bucket-key": "id"},
        varies=("format", "partitioned"),
    )


def of_modes() -> Iterator[Feature]:
    levels = (*UPSERTS, Compact(), *UPSERTS, *UPSERTS[1:])
    yield keyed("Levels and modes: levels and sorted runs", "levels", levels, options={"write-only": "true"})
    yield keyed(
        "Levels and modes: universal compaction",
        "compaction while writing",
        (*UPSERTS, *UPSERTS, *UPSERTS),
        options={"num-sorted-run.compaction-trigger": "2"},
        varies=("buckets",),
    )
    yield keyed("Levels and modes: write-only", "write-only", (*UPSERTS, *UPSERTS), options={"write-only": "true"})
    yield keyed(
        "Levels and modes: full compaction",
        "full compaction",
        (*UPSERTS, Compact()),
        options={"write-only": "true"},
        varies=("format",),
    )
    yield keyed("Levels and modes: merge on read", "merge on read", UPSERTS, options={"write-only": "true"}, varies=ALL)
    yield keyed(
        "Levels and modes: copy on write", "copy on write", UPSERTS, options={"full-compaction.delta-commits": "1"}
    )
    lookup = {"force-lookup": "true", "lookup-wait": "true"}
    yield keyed("Levels and modes: lookup compaction", "lookup compaction", (*UPSERTS, *UPSERTS), options=lookup)
    for kind, wide in (("bitmap32", "false"), ("bitmap64", "true")):
        vectors = {"deletion-vectors.enabled": "true", "deletion-vectors.bitmap64": wide}
        older = {"spark-0.9": "newer than 0.9"} if wide == "true" else {}
        yield keyed(
            "Levels and modes: deletion vectors",
            f"deletion vectors {kind}, keyed",
            (*UPSERTS, *UPSERTS),
            options=vectors,
            varies=("format", "partitioned"),
            lacks=older,
        )
        erased = (APPENDS[0], Erase(1, 3), APPENDS[1], Erase(0, 4))
        yield append(
            "Append tables: row-level deletes",
            f"deletion vectors {kind}, append",
            erased,
            options=vectors,
            varies=("format", "partitioned", "append"),
        )
    hidden = (*UPSERTS, Alter((("set", "write-only", "true"),)), *UPSERTS[1:])
    for merged in ("true", "false"):
        options = {"deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": merged}
        yield keyed(
            "Levels and modes: deletion vectors",
            f"level 0 beside vectors, merged {merged}",
            hidden,
            options=options,
            only=(*CORES, *NEWEST),
            lacks={"java-1.4.2": "newer than 1.4"} if merged == "true" else {},
        )
    yield keyed(
        "Levels and modes: read-optimized",
        "read-optimized rows",
        (*UPSERTS, Compact(), UPSERTS[1]),
        options={"write-only": "true"},
        questions=system("ro"),
    )
    yield keyed(
        "Merge engines: thin mode",
        "thin mode",
        (*UPSERTS, Compact(), UPSERTS[1]),
        options={"data-file.thin-mode": "true"},
        varies=("format", "partitioned"),
    )
    fat = (*UPSERTS, Alter((("set", "data-file.thin-mode", "true"),)), *UPSERTS[1:])
    yield keyed("Merge engines: thin mode", "thin and full files", fat, options={"write-only": "true"}, only=CORES)
    yield keyed(
        "Merge engines: pruning by key and partition",
        "pruning by key",
        (write(range(500), 1), Compact(), write(range(100), 2)),
        varies=("partitioned",),
    )


def of_files() -> Iterator[Feature]:
    for name, line in (("parquet", "Parquet"), ("orc", "ORC"), ("avro", "Avro")):
        yield append(
            f"Files and statistics: {line}",
            f"{name} files, append",
            options={"file.format": name},
            varies=("partitioned", "append"),
        )
        yield keyed(
            f"Files and statistics: {line}",
            f"{name} files, keyed",
            (*UPSERTS, Compact(), UPSERTS[1]),
            options={"file.format": name},
            varies=("partitioned",),
        )
    for mode in ("none", "counts", "truncate(4)", "full"):
        yield keyed(
            "Files and statistics: statistics modes",
            f"statistics {mode}",
            (*UPSERTS, Compact()),
            options={"metadata.stats-mode": mode},
            varies=("format",),
        )
    yield append(
        "Files and statistics: statistics modes",
        "statistics of some columns",
        options={"fields.s.stats-mode": "none", "metadata.stats-mode": "full"},
    )
    yield keyed(
        "Files and statistics: statistics modes",
        "statistics of all columns in each entry",
        options={"metadata.stats-dense-store": "false"},
        lacks={"spark-0.9": "newer than 0.9"},
    )
    sorted_rows = (write(range(300), 1), write(range(300, 600), 2))
    yield append(
        "Append tables: skipping by statistics and order", "skipping by statistics", sorted_rows, varies=("format",)
    )
    yield keyed(
        "Files and statistics: merged manifests",
        "merged manifests",
        (*UPSERTS, *UPSERTS, *UPSERTS),
        options={"manifest.merge-min-count": "2", "manifest.target-file-size": "1 kb"},
    )
    for index in ("bloom-filter", "bitmap", "range-bitmap", "bsi"):
        columns = "v" if index == "bsi" else "v,s"
        for position, small in (("embedded", "1 mb"), ("beside", "1 b")):
            options = {f"file-index.{index}.columns": columns, "file-index.in-manifest-threshold": small}
            newer = {"spark-0.9": "newer than 0.9"} if index in ("range-bitmap", "bsi") else {}
            yield append(
                "Files and statistics: file indexes",
                f"file index {index}, {position}",
                (write(range(200), 1), write(range(100, 300), 2)),
                options=options,
                lacks=newer,
            )


def of_options() -> Iterator[Feature]:
    own = {"our.own.note": "kept", "sink.parallelism": "1"}
    yield append("Tables: options", "options of others", options=own)
    defaults = {"fields.v.default-value": "7"}
    yield append(
        "Tables: defaults and comments", "default values", options=defaults, lacks={"spark-0.9": READS_DEFAULTS}
    )
    tracked = {"row-tracking.enabled": "true"}
    newer = {"spark-0.9": "newer than 0.9", "java-1.4.2": "see 2.0.0"}
    yield append("Append tables: row tracking", "row tracking", options=tracked, varies=("format",), lacks=newer)
    ids = system("row_tracking")
    yield append("System tables: $row_tracking", "$row_tracking", questions=ids, options=tracked, only=NEWEST)
    vectors = {"deletion-vectors.enabled": "true", "bucket": "-1"}
    both = (ROWS, *system("table_indexes"))
    yield keyed(
        "Files and statistics: hash index and deletion vectors",
        "hash index and deletion vectors",
        (*UPSERTS, *UPSERTS),
        options=vectors,
        questions=both,
        only=("flink-2.0.0",),
    )
    ordered = (*APPENDS, SortCompact("order", "v"), APPENDS[0], SortCompact("zorder", "v,s"))
    yield append("Levels and modes: sort compaction", "sort compaction", ordered, varies=("partitioned",))
    analyzed = (*APPENDS, Analyze())
    questions = (ROWS, *system("statistics"))
    yield append("Files and statistics: analyzed statistics", "analyzed statistics", analyzed, questions=questions)


def features() -> Iterator[Feature]:
    """The rows of this part."""
    yield from of_options()
    yield from of_buckets()
    yield from of_modes()
    yield from of_files()
