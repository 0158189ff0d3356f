"""Rows of the matrix: versions, tags, branches, consumers, changes, system tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.interop.matrix.feature import (
    ROWS,
    Branch,
    Compact,
    Consumer,
    DropPartition,
    Expire,
    FastForward,
    Feature,
    Question,
    RollBack,
    Step,
    Tag,
    Watermark,
    at,
    changes,
    system,
)
from tests.interop.matrix.plain_rows import APPENDS, UPSERTS, write
from tests.interop.matrix.rows_of_tables import append, keyed

WRITE_ONLY = {"write-only": "true"}
MODES = ("auto", "delta", "diff")
METADATA = (
    "snapshots", "schemas", "options", "manifests", "files", "tags", "branches", "consumers", "partitions", "buckets",
    "aggregation_fields", "statistics", "table_indexes", "file_key_ranges",
)  # fmt: skip


def of_versions() -> Iterator[Feature]:
    tagged = (UPSERTS[0], Tag("first", 1), UPSERTS[1], Tag("2", 1), UPSERTS[2])
    ids = tuple(at(snapshot_id=str(number)) for number in (1, 2, 3))
    yield keyed(
        "Versions: by snapshot id",
        "a snapshot",
        UPSERTS,
        questions=ids,
        options=WRITE_ONLY,
        varies=("format", "partitioned"),
    )
    yield append("Versions: by snapshot id", "a snapshot of an append table", questions=ids, varies=("format",))
    yield keyed(
        "Versions: by tag",
        "a tag",
        tagged,
        questions=(at(tag_name="first"), at(version="2"), at(version="first")),
        options=WRITE_ONLY,
    )
    times = tuple(at(timestamp_millis=f"@{number}") for number in (1, 2, 3))
    yield keyed("Versions: by timestamp", "a time", UPSERTS, questions=times, options=WRITE_ONLY)
    marked = (UPSERTS[0], Watermark(1000), UPSERTS[1], Watermark(2000))
    marks = tuple(at(watermark=str(number)) for number in (1, 1000, 1001, 2000))
    yield keyed("Versions: by watermark", "a watermark", marked, questions=marks, options=WRITE_ONLY)
    replaced = replace(write(range(10), 9), overwrite=True)
    yield keyed(
        "Versions: commit kinds",
        "overwritten and compacted",
        (*UPSERTS, Compact(), replaced, UPSERTS[1]),
        varies=("partitioned",),
    )
    removed = replace(
        append("Versions: commit kinds", "a partition dropped", (*APPENDS, DropPartition("part", "even"), APPENDS[1])),
        varies=(),
    )
    yield removed._with("partitioned", "partitioned")
    yield keyed("Versions: expired snapshots", "expired snapshots", (*UPSERTS, Expire(1)), options=WRITE_ONLY)
    expired = (UPSERTS[0], Tag("kept", 1), *UPSERTS[1:], Compact(), Expire(1))
    yield keyed(
        "Versions: tags",
        "a tag whose snapshot has expired",
        expired,
        questions=(ROWS, at(tag_name="kept"), *system("tags")),
        options=WRITE_ONLY,
    )
    yield keyed("Versions: rollback", "rolled back", (*UPSERTS, RollBack(2), write(range(5), 7)), options=WRITE_ONLY)
    daily = {"tag.automatic-creation": "process-time", "tag.creation-period": "daily"}
    yield keyed("Versions: automatic tags", "automatic tags", options=daily, questions=(ROWS, *system("tags")))
    branched = (
        *UPSERTS[:2],
        Tag("base", 1),
        Branch("dev", "base"),
        replace(UPSERTS[2], branch="dev"),
        write(range(9), 8),
    )
    both = (ROWS, Question("$branch_dev"))
    yield keyed(
        "Versions: branches", "a branch from a tag", branched, questions=both, options=WRITE_ONLY, varies=("format",)
    )
    forward = (*branched[:-1], FastForward("dev"))
    yield keyed("Versions: fast-forward", "fast-forwarded", forward, questions=both, options=WRITE_ONLY)
    waiting = (*UPSERTS, Consumer("job", 2), Consumer("other job", 3))
    yield keyed("Versions: consumers", "consumers", waiting, questions=(ROWS, *system("consumers")), options=WRITE_ONLY)


def of_changes() -> Iterator[Feature]:
    modes = tuple(changes(*pair, mode) for pair in ((1, 2), (1, 3)) for mode in MODES)
    tagged = (UPSERTS[0], Tag("a", 1), UPSERTS[1], UPSERTS[2], Tag("b", 3))
    pairs = (changes("a", "b", "diff"), changes(1, 3, "diff"))

    def table(line: str, name: str, steps: tuple[Step, ...] = UPSERTS, **more: Any) -> Feature:
        return keyed(f"Changes: {line}", name, steps, **more)

    yield table("between snapshots or tags", "changes between tags", tagged, questions=pairs, options=WRITE_ONLY)
    yield table("modes auto, delta, changelog, diff", "changes of every mode", questions=modes, options=WRITE_ONLY)
    yield append(
        "Changes: modes auto, delta, changelog, diff",
        "changes of an append table",
        questions=tuple(changes(1, 3, mode) for mode in MODES),
    )
    # Java answers with no rows at all, as if nothing had changed.
    yield table(
        "modes auto, delta, changelog, diff",
        "mode changelog of a table without changelog",
        questions=(changes(1, 3, "changelog"),),
        options=WRITE_ONLY,
        refused="stores no changelog",
    )
    for producer in ("none", "input", "lookup", "full-compaction"):
        life = (*UPSERTS, *UPSERTS)
        options = {
            "changelog-producer": producer,
            **({"full-compaction.delta-commits": "1"} if producer.startswith("full") else {}),
        }
        stored = ("auto",) if producer == "none" else ("auto", "changelog")
        questions = (ROWS, *(changes(1, end, mode) for end in (2, 4, 6) for mode in stored))
        yield table(
            f"producer {producer}",
            f"changelog producer {producer}",
            life,
            questions=questions,
            options=options,
            varies=("partitioned",),
        )
    equal = {"changelog-producer": "lookup", "changelog-producer.row-deduplicate": "true"}
    yield table(
        "row-deduplicate",
        "changelog without equal rows",
        (*UPSERTS, *UPSERTS),
        questions=(changes(1, 6),),
        options=equal,
    )
    for name in ("avro", "orc"):
        other = {"changelog-producer": "input", "changelog-file.format": name}
        yield table(
            "changelog file format", f"changelog files of {name}", questions=(ROWS, changes(1, 3)), options=other
        )


def of_times_and_retention() -> Iterator[Feature]:
    ends = tuple(changes(start, end, "delta") for start, end in (("@1", "@2"), ("@1", "@3"), ("@2", "@3")))
    line = "Changes: between timestamps"
    yield keyed(line, "changes between times", questions=ends, options=WRITE_ONLY)
    decoupled = {
        "changelog-producer": "input",
        "changelog.num-retained.min": "50",
        "changelog.num-retained.max": "99",
        "changelog.time-retained": "99 d",
    }
    kept = (*UPSERTS, *UPSERTS, Expire(2, 99))
    line = "Changes: changelog retention"
    # Java reads the changes of expired snapshots only as a stream; test_incremental.py compares them.
    left = (ROWS, changes(-2, -1, "changelog"), *system("snapshots"))
    yield keyed(line, "changelogs outlive snapshots", kept, questions=left, options=decoupled)


def of_catalog() -> Iterator[Feature]:
    names = "sys.tables, sys.partitions, sys.all_table_options"
    questions = tuple(Question(of_catalog=name) for name in names.split(", "))
    line = f"System tables: {names}"
    yield keyed(line, "tables of the catalog", questions=questions, varies=("partitioned",), only=("java-2.0.0",))


def options_text(text: str) -> str:
    """Options as JSON, in the order of their names: Paimon 0.9 returns them in the order of a hash table."""
    return json.dumps(json.loads(text), sort_keys=True)


def of_system_tables() -> Iterator[Feature]:
    life = (*UPSERTS, Compact(), UPSERTS[1], Tag("t", 1), Branch("b", "t"))
    for name in METADATA:
        yield keyed(
            f"System tables: ${name}",
            f"${name}",
            life,
            questions=system(name),
            options=WRITE_ONLY,
            varies=("format", "partitioned"),
            plain={"options": options_text},
        )
        yield append(
            f"System tables: ${name}",
            f"${name} of an append table",
            questions=system(name),
            varies=("append", "partitioned"),
            plain={"options": options_text},
        )
    for name in ("audit_log", "binlog", "ro"):
        yield keyed(
            f"System tables: ${name}",
            f"${name}",
            (UPSERTS[0], UPSERTS[2], Compact(), write(range(9), 6)),
            questions=system(name),
            options=WRITE_ONLY,
            refused=name,
        )
        yield append(f"System tables: ${name}", f"${name} of an append table", questions=system(name))


def features() -> Iterator[Feature]:
    """The rows of this part."""
    yield from of_versions()
    yield from of_changes()
    yield from of_times_and_retention()
    yield from of_system_tables()
    yield from of_catalog()
