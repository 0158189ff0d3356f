"""The calls that `test_crash_of_operations` kills at every operation of the store; add new ones to OPERATIONS."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep, time
from typing import Any

import pyarrow as pa

import workbench as wb
from workbench.catalog.connect import connect
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "BIGINT"}
NEW_ROW = {"id": 9999, "p": "a", "v": 9999}


@dataclass(frozen=True)
class Operation:
    """A call that changes a table of four commits in two partitions.

    ``act`` receives the table, a new one for each crash. ``key`` and ``options`` are the table's primary key and
    options; ``prepare`` changes the table beforehand. ``changes_rows`` is false if the newest version has the same rows
    at all times.
    """

    act: Callable[[Table], object]
    key: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[Table], object] = lambda _: None
    changes_rows: bool = True


def data(first: int, count: int = 8, value: int = 0) -> pa.Table:
    ids = list(range(first, first + count))
    return pa.table({"id": ids, "p": ["ab"[number % 2] for number in ids], "v": [value + number for number in ids]})


def changes(first: int) -> pa.Table:
    """Rows of which every second one deletes a key."""
    rows = data(first, value=100)
    return rows.append_column("kind", pa.array(["+U", "-D"] * 4))


KEY, DYNAMIC, ACROSS = ("id", "p"), {"bucket": "-1"}, ("id",)
ONE, BUSY = {"bucket": "1"}, {"bucket": "1", "num-sorted-run.compaction-trigger": "2"}
VECTORS = {"deletion-vectors.enabled": "true"}
EXPIRING = {"snapshot.num-retained.min": "1", "snapshot.num-retained.max": "2", "snapshot.time-retained": "1 ms"}
MERGED = [wb.WhenMatched(update={"v": "s.v"}), wb.WhenNotMatched()]


def some_older(table: Table) -> None:
    table.create_tag("kept", 2)
    table.create_tag("old", 3, "1 ms")
    sleep(0.01)


def expire(table: Table) -> None:
    table.expire_snapshots(retain_max=1, retain_min=1)


OPERATIONS = {
    "append": Operation(lambda t: t.write(data(100))),
    "append and expire": Operation(lambda t: t.write(data(100)), options={**EXPIRING, "write-only": "false"}),
    "upsert": Operation(lambda t: t.write(data(2, value=50)), KEY, ONE),
    "upsert and compact": Operation(lambda t: t.write(data(2, value=50)), KEY, BUSY),
    "upsert, compact and expire": Operation(lambda t: t.write(data(2, value=50)), KEY, {**BUSY, **EXPIRING}),
    "upsert with changelog": Operation(
        lambda t: t.write(changes(2), row_kind="kind"), KEY, {**ONE, "changelog-producer": "input"}
    ),
    "upsert into dynamic buckets": Operation(lambda t: t.write(data(2, 12, value=50)), KEY, DYNAMIC),
    "overwrite": Operation(lambda t: t.write(data(2, 3), mode="overwrite"), KEY, ONE),
    "overwrite an append table": Operation(lambda t: t.write(data(2, 1), mode="overwrite")),
    "compact": Operation(lambda t: t.compact(full=True), KEY, ONE, changes_rows=False),
    "compact an append table": Operation(lambda t: t.compact(full=True), changes_rows=False),
    "sort": Operation(lambda t: t.compact(order_by=["v"]), changes_rows=False),
    "compact manifests": Operation(lambda t: t.compact_manifest(), changes_rows=False),
    "delete": Operation(lambda t: t.delete("v % 3 = 0")),
    "delete by vectors": Operation(lambda t: t.delete("v % 3 = 0"), options=VECTORS),
    "delete more by vectors": Operation(
        lambda t: t.delete("v % 3 = 0"), options=VECTORS, prepare=lambda t: t.delete("v % 3 = 1")
    ),
    "delete keys": Operation(lambda t: t.delete("v % 3 = 0"), KEY, ONE),
    "update": Operation(lambda t: t.update({"v": "v + 1"}, "v % 2 = 0")),
    "update keys": Operation(lambda t: t.update({"v": "v + 1"}, "v % 2 = 0"), KEY, BUSY),
    "merge": Operation(lambda t: t.merge(data(4, 6, value=70), ["id"], MERGED)),
    "truncate": Operation(lambda t: t.truncate(), KEY, ONE),
    "drop a partition": Operation(lambda t: t.drop_partitions({"p": "a"})),
    "expire": Operation(expire, KEY, ONE, prepare=lambda t: t.compact(full=True), changes_rows=False),
    "expire tags": Operation(lambda t: t.expire_tags(), KEY, ONE, prepare=some_older, changes_rows=False),
    "analyze": Operation(lambda t: t.analyze(), changes_rows=False),
    "mark a partition done": Operation(lambda t: t.mark_partitions_done([{"p": "a"}]), changes_rows=False),
}


def make(warehouse: Path, operation: Operation) -> None:
    """Create the table with four commits, none of which compacted, and apply ``prepare`` to it."""
    catalog = connect(warehouse)
    catalog.create_database("db")
    options = {"write-only": "true", **operation.options}
    table = catalog.create_table("db.t", COLUMNS, operation.key, ["p"], {**options, "write-only": "true"})
    for number in range(4):
        table.write(data(number * 3, value=number * 10))
    operation.prepare(table)
    path = Path(table.location, "schema", "schema-0")
    schema = json.loads(path.read_text())
    del schema["options"]["write-only"]
    path.write_text(json.dumps(schema))


def clean(table: Table) -> None:
    """Delete all unreferenced files, regardless of their age."""
    sleep(0.01)
    table.remove_orphan_files(int(time() * 1000), dry_run=False)


def rows(table: Table) -> list[str]:
    """Return the rows of a table, read at once and as a stream."""
    actual_rows: list[dict[str, Any]] = table.to_arrow().to_pylist()
    assert table.to_batches().read_all().num_rows == len(actual_rows)
    return sorted(map(str, actual_rows))
