"""Primary-key tables that we and Java 2.0.0 compact after the same batches: the same rows, the same changes with their
kinds; and each continues where the other stopped."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.incremental_cases import (
    CASES,
    COLUMNS,
    COMPACT,
    FIRST,
    INSERTS,
    OVERWRITE,
    PARTIAL,
    SUM,
    VECTORS,
    Changing,
    producer,
    with_kinds,
)
from tests.interop.lives import our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow, from_json_lines
from tests.support.sampling import sampled

pytestmark = pytest.mark.java
OURS, THEIRS = "db.ours", "db.theirs"
LOOKUP, FULL = producer("lookup"), producer("full-compaction")
DEDUPLICATED = {"changelog-producer.row-deduplicate": "true"}
IGNORING = {**DEDUPLICATED, "changelog-producer.row-deduplicate-ignore-fields": "s"}
BUSY = {"num-sorted-run.compaction-trigger": "3"}
GROUPS = {"merge-engine": "partial-update", "fields.v.sequence-group": "s"}

COMPACTED = (
    *(case for case in CASES if case.keyed),
    Changing("lookup-deduplicated", {**LOOKUP, **DEDUPLICATED}),
    Changing("full-ignoring", {**FULL, **IGNORING}),
    Changing("lookup-groups", {**LOOKUP, **GROUPS, **BUSY}),
    Changing("vectors-64", {**VECTORS, "deletion-vectors.bitmap64": "true"}),
    Changing("vectors-partial-update", {**VECTORS, **PARTIAL, **BUSY}),
    Changing("vectors-aggregation", {**VECTORS, **SUM, **LOOKUP, **BUSY}),
    Changing("vectors-sequence", {**VECTORS, "sequence.field": "v", **BUSY}),
    Changing("vectors-merged-on-read", {**VECTORS, "deletion-vectors.merge-on-read": "true"}),
    Changing("forced-lookup", {"force-lookup": "true", **SUM, **BUSY}),
    Changing("gentle-first-row", {**FIRST, **LOOKUP, "lookup-compact": "gentle", **BUSY}, INSERTS),
    Changing("forced-up", {"compaction.force-up-level-0": "true", **BUSY}),
    Changing("forced-rewrite", {"compaction.force-rewrite-all-files": "true", **LOOKUP}),
    Changing("format-per-level", {"file.format.per.level": "0:avro", **LOOKUP}),
)


def without_overwrite(case: Changing) -> Changing:
    """Return the case without overwrites: if one moves a deletion to the last level, Java takes it for a row there."""
    return replace(case, steps=tuple("write" if step == OVERWRITE else step for step in case.steps))


def live(case: Changing, warehouse: Path) -> Any:
    """Run the history of the case in our library."""
    catalog = wb.connect(str(warehouse))
    catalog.create_database("db", exist_ok=True)
    options = {"bucket": "2", **case.options}
    table = catalog.create_table(OURS, COLUMNS, primary_key=["part", "id"], partition_by=["part"], options=options)
    for number, step in enumerate(case.steps):
        if step == COMPACT:
            table.compact(full=True)
            continue
        data, kinds = case.commit(number)
        mode = "overwrite" if step == OVERWRITE else "append"
        table.write(data.append_column("kind", [kinds]), row_kind="kind", mode=mode)
    return table


def changes_of(table: Any) -> list[Rows]:
    """Return the changelog of each write or compaction that has one."""
    ids = [0, *(snapshot.id for snapshot in table.snapshots())]
    reported = [from_arrow(table.changes(start, end, "changelog")) for start, end in pairwise(ids)]
    return [rows for rows in reported if len(rows)]


@pytest.mark.parametrize("case", sampled(COMPACTED, 20), ids=str)
def test_compacted_as_java_compacts(case: Changing, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    if "full-compaction" in case.options.values():
        case = without_overwrite(case)
    ours = live(case, tmp_path)
    case.live(java, tmp_path, THEIRS)
    theirs = our_table(tmp_path, THEIRS)
    expected = java.read(tmp_path, THEIRS)
    assert len(expected) > 5
    assert_same_rows(java.read(tmp_path, OURS), expected)
    assert_same_rows(from_arrow(ours.to_arrow()), expected)
    if case.has_producer:
        reported, wanted = changes_of(ours), changes_of(theirs)
        assert len(reported) == len(wanted)
        for mine, other in zip(reported, wanted, strict=True):
            assert_same_rows(mine, other)
        newest = ours.snapshot().id
        options = {"incremental-between": f"0,{newest}", "incremental-between-scan-mode": "changelog"}
        read_by_java = with_kinds(java.read(tmp_path, OURS, options=options))
        assert_same_rows(read_by_java, from_arrow(ours.changes(0, newest, "changelog")))
        streaming = {"scan.mode": "from-snapshot", "scan.snapshot-id": "1"}
        java.ask("follow", tmp_path, OURS, options=streaming, out=str(java.path("json")))
        assert_same_rows(with_kinds(from_json_lines(java.path("json"), list(COLUMNS), [])), read_by_java)
    # Each continues the table of the other.
    data, kinds = case.commit(100)
    java.write(tmp_path, OURS, data, kinds)
    theirs.write(data.append_column("kind", [kinds]), row_kind="kind")
    java.compact(tmp_path, OURS)
    theirs.compact(full=True)
    assert_same_rows(from_arrow(our_table(tmp_path, OURS).to_arrow()), java.read(tmp_path, OURS))
    assert_same_rows(java.read(tmp_path, THEIRS), java.read(tmp_path, OURS))
    if case.has_producer:
        assert_same_rows(changes_of(ours)[-1], changes_of(theirs)[-1])


def test_forced_lookup_with_full_compaction_changelog(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Java loses rows, because it compacts to middle levels without a lookup; both read either table identically."""
    java = referee("java-2.0.0")
    case = without_overwrite(Changing("forced-lookup-full", {"force-lookup": "true", **FULL, **SUM}, INSERTS))
    ours = live(case, tmp_path)
    summed: dict[tuple[str, int], int] = defaultdict(int)
    for number, step in enumerate(case.steps):
        for row in [] if step == COMPACT else case.commit(number)[0].to_pylist():
            summed[row["part"], row["id"]] += row["v"] or 0
    held = {(row["part"], row["id"]): row["v"] or 0 for row in ours.to_arrow().to_pylist()}
    assert held == summed
    assert_same_rows(java.read(tmp_path, OURS), from_arrow(ours.to_arrow()))
    case.live(java, tmp_path, THEIRS)
    theirs = our_table(tmp_path, THEIRS)
    read_by_java = java.read(tmp_path, THEIRS)
    assert_same_rows(from_arrow(theirs.to_arrow()), read_by_java)
    theirs.compact(full=True)
    assert_same_rows(java.read(tmp_path, THEIRS), read_by_java)


OLDER = ("lookup", "vectors", "vectors-64", "vectors-aggregation", "full-compaction", "lookup-first-row")


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in COMPACTED if case.name in OLDER], ids=str)
def test_an_older_java_continues(case: Changing, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-1.4.2")
    ours = live(case, tmp_path)
    assert_same_rows(java.read(tmp_path, OURS), from_arrow(ours.to_arrow()))
    data, kinds = case.commit(100)
    java.write(tmp_path, OURS, data, kinds)
    java.compact(tmp_path, OURS)
    assert_same_rows(java.read(tmp_path, OURS), from_arrow(our_table(tmp_path, OURS).to_arrow()))


def test_rows_expire_as_in_java(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Both drop expired rows when they rewrite files; files with expired rows are rewritten on the last level too."""
    java = referee("java-2.0.0")
    now, day = int(time.time()), 86_400
    options = {"bucket": "1", "record-level.expire-time": "1 d", "record-level.time-field": "v", **LOOKUP}
    java.create(tmp_path, THEIRS, COLUMNS, ["part", "id"], ["part"], options)
    catalog = wb.connect(str(tmp_path))
    ours = catalog.create_table(OURS, COLUMNS, primary_key=["part", "id"], partition_by=["part"], options=options)
    chance = random.Random("expiry")
    for _ in range(3):
        ids = [chance.randrange(40) for _ in range(25)]
        times = [chance.choice([None, now, now - day - 600, now * 1000, (now - 2 * day) * 1000]) for _ in ids]
        columns = {"id": pa.array(ids, pa.int64()), "part": ["p"] * len(ids), "v": pa.array(times, pa.int64())}
        data = pa.table({**columns, "s": [str(each) for each in ids]})
        ours.write(data)
        java.write(tmp_path, THEIRS, data)
        theirs = our_table(tmp_path, THEIRS)
        for mine, other in zip(changes_of(ours), changes_of(theirs), strict=True):
            assert_same_rows(mine, other)
        ours.compact(full=True)
        java.compact(tmp_path, THEIRS)
        assert_same_rows(java.read(tmp_path, OURS), java.read(tmp_path, THEIRS))
    assert len(java.read(tmp_path, OURS)) > 5


@pytest.mark.parametrize("name", [*sampled(["lookup-partial-update", "aggregation", "forced-lookup"], 3)])
def test_results_have_the_sequence_numbers_of_java(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    (result,) = (case for case in COMPACTED if case.name == name)
    case = replace(result, options={**result.options, "table-read.sequence-number.enabled": "true"})
    live(case, tmp_path)
    case.live(java, tmp_path, THEIRS)
    expected = java.read(tmp_path, f"{THEIRS}$audit_log")
    assert "_SEQUENCE_NUMBER" in expected.columns
    assert_same_rows(java.read(tmp_path, f"{OURS}$audit_log"), expected)
