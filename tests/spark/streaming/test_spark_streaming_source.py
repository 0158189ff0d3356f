"""``spark.readStream``: scan modes, limits, changelog rows, consumers, restarts and what a stream refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import PySparkException

import workbench as wb

pytestmark = pytest.mark.spark
COLUMNS = {"id": "INT", "v": "STRING"}
# Spark 4.1 requests everything that a source has, and reports a batch as committed when the next one begins.
ASKS_FOR_EVERYTHING = pyspark.__version__.startswith("4.1.")


class Streams:
    """Runs streams over everything available, and collects their batches."""

    def __init__(self, session: Any, checkpoints: Path) -> None:
        self.session = session
        self.checkpoints = checkpoints
        self.count = 0

    def batches(self, path: str, checkpoint: str | None = None, **options: Any) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each batch, sorted."""
        self.count += 1
        found: list[list[tuple[Any, ...]]] = []
        frame = self.session.readStream.format("paimon").options(**options).load(path)
        query = (
            frame.writeStream.foreachBatch(lambda rows, _: found.append(sorted(map(tuple, rows.collect()))))
            .option("checkpointLocation", str(self.checkpoints / (checkpoint or str(self.count))))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return [batch for batch in found if batch]

    def rows(self, path: str, checkpoint: str | None = None, **options: Any) -> list[tuple[Any, ...]]:
        """Return the rows of all batches."""
        return [row for batch in self.batches(path, checkpoint, **options) for row in batch]


@pytest.fixture
def streams(spark: Any, catalog: Any, tmp_path: Path) -> Iterator[Streams]:
    wb.spark.register(spark, catalog)
    return Streams(spark, tmp_path / "checkpoints")


def add(table: Any, *rows: tuple[int, str], kinds: str | None = None) -> None:
    names = [*COLUMNS, "kind"] if kinds else [*COLUMNS]
    values = [(*row, kind) for row, kind in zip(rows, kinds.split(), strict=True)] if kinds else rows
    table.write([dict(zip(names, row, strict=True)) for row in values], row_kind="kind" if kinds else None)


# The merged rows and the changes of three commits and a compaction, which has no changes.
MERGED = [(1, "v3"), (2, "a"), (3, "a"), (11, "a"), (12, "a"), (13, "a")]
CHANGES = [(1, "v1"), (11, "a"), (1, "v2"), (2, "a"), (12, "a"), (1, "v3"), (3, "a"), (13, "a")]


def fill(table: Any) -> None:
    for number in range(1, 4):
        add(table, (number, "a"), (10 + number, "a"), (1, f"v{number}"))
    table.compact(full=True)


@pytest.fixture
def table(catalog: Any) -> Any:
    return catalog.create_table("shop.t", COLUMNS, ["id"], options={"bucket": "2", "write-only": "true"})


@pytest.mark.long
def test_restarts(streams: Streams, table: Any) -> None:
    assert streams.rows("shop.t", "first") == []
    fill(table)
    # A stream that found an empty table begins with its first commit.
    assert sorted(streams.rows("shop.t", "first")) == sorted(CHANGES)
    assert sorted(streams.rows("shop.t", "second")) == MERGED
    assert streams.rows("shop.t", "latest", **{"scan.mode": "latest"}) == []
    # Every query continues where it stopped.
    table.overwrite([])
    add(table, (7, "new"))
    for checkpoint in ("first", "second", "latest"):
        assert streams.rows("shop.t", checkpoint) == [(7, "new")]
    assert streams.rows("shop.t", "second") == []


@pytest.mark.long
def test_modes(streams: Streams, table: Any) -> None:
    fill(table)
    assert sorted(streams.rows("shop.t", **{"scan.mode": "compacted-full"})) == MERGED
    assert sorted(streams.rows("shop.t", **{"scan.snapshot-id": 2})) == sorted(CHANGES[2:])
    assert sorted(streams.rows("shop.t", **{"scan.mode": "from-snapshot-full", "scan.snapshot-id": 2})) == sorted(
        [(1, "v2"), (2, "a"), (11, "a"), (12, "a"), *CHANGES[5:]]
    )


@pytest.mark.long
def test_modes_by_time(streams: Streams, table: Any) -> None:
    fill(table)
    second = table.snapshot(2).time_millis
    assert sorted(streams.rows("shop.t", **{"scan.timestamp-millis": second})) == sorted(CHANGES[2:])
    assert sorted(streams.rows("shop.t", **{"scan.creation-time-millis": second})) == sorted(CHANGES[2:])
    assert streams.rows("shop.t", **{"scan.file-creation-time-millis": 4_000_000_000_000}) == []


@pytest.mark.long
def test_limits(streams: Streams, table: Any) -> None:
    fill(table)
    # Each bucket of a commit is a split; the location also identifies the table.
    by_location = streams.batches(
        table.location, "limited", **{"scan.snapshot-id": 1, "read.stream.maxFilesPerTrigger": 1}
    )
    assert len(by_location) > 3 or ASKS_FOR_EVERYTHING
    assert sorted(row for batch in by_location for row in batch) == sorted(CHANGES)
    few = streams.batches("shop.t", **{"scan.snapshot-id": 1, "maxRowsPerTrigger": 3})
    assert [len(batch) for batch in few][:2] == [3, 3] or len(few) >= 2 or ASKS_FOR_EVERYTHING
    small = streams.batches("shop.t", **{"scan.snapshot-id": 1, "read.stream.maxBytesPerTrigger": 1})
    assert len(small) > 3 or ASKS_FOR_EVERYTHING
    with pytest.raises(PySparkException, match=r"requires option 'read\.stream\.maxTriggerDelayMs'"):
        streams.rows("shop.t", **{"read.stream.minRowsPerTrigger": 1})
    add(table, (7, "new"))
    assert streams.rows("shop.t", "limited", **{"read.stream.maxFilesPerTrigger": 1}) == [(7, "new")]


@pytest.mark.long
def test_append_tables_and_refusals(streams: Streams, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {**COLUMNS, "day": "STRING"}, partition_by=["day"])
    for number in range(1, 4):
        table.write([{"id": number, "v": "a", "day": f"d{number}"}, {"id": -number, "v": "b", "day": "d1"}])
    rows = [
        (number * sign, "a" if sign > 0 else "b", f"d{number if sign > 0 else 1}")
        for number in (1, 2, 3)
        for sign in (1, -1)
    ]
    assert sorted(streams.rows("shop.log", "log")) == sorted(rows)
    table.write([{"id": 9, "v": "o", "day": "d1"}], mode="overwrite")
    assert streams.rows("shop.log", "log") == []
    assert streams.rows("shop.log", **{"scan.snapshot-id": 4, "streaming-read-append-overwrite": "true"}) == [
        (9, "o", "d1")
    ]

    # New columns are read after the next start; other changes end the query with an error.
    catalog.alter_table("shop.log", wb.AddColumn("w", "INT"))
    table = catalog.get_table("shop.log")
    table.write([{"id": 5, "v": "n", "day": "d5", "w": 1}])
    assert streams.rows("shop.log", "log") == [(5, "n", "d5", 1)]

    for number in range(6, 9):
        table.write([{"id": number, "v": "n", "day": "d5", "w": 1}])
    table.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01")
    with pytest.raises(PySparkException, match=r"Snapshot 6 of shop.log, which the stream reads next, has expired"):
        streams.rows("shop.log", "log")
    for options, reason in (
        ({"scan.tag-name": "x"}, "no tag|cannot start at option"),
        ({"scan.mode": "from-snapshot"}, "requires (another )?option"),
        ({"scan.mood": "latest"}, "[Oo]ption 'scan.mood'"),
        ({"streaming-read-overwrite": "true"}, "streaming-read-overwrite"),
        ({"bucket": "9"}, "Option 'bucket'"),
    ):
        with pytest.raises(PySparkException, match=reason):
            streams.rows("shop.log", **options)
    with pytest.raises(PySparkException, match="cannot be read as a stream"):
        streams.rows("shop.log$snapshots")


@pytest.fixture
def changed(catalog: Any) -> Any:
    """A table whose second write changes a row and deletes another one; snapshots 2 and 4 are its compactions."""
    options = {"bucket": "1", "changelog-producer": "lookup"}
    table = catalog.create_table("shop.c", COLUMNS, ["id"], options=options)
    add(table, (1, "a"), (2, "a"))
    add(table, (1, "b"), (2, ""), kinds="+I -D")
    return table


@pytest.mark.long
@pytest.mark.usefixtures("changed")
def test_system_tables_of_changes(streams: Streams) -> None:
    assert sorted(streams.rows("shop.c$audit_log", **{"scan.snapshot-id": 3})) == [
        ("+U", 1, "b"),
        ("-D", 2, "a"),
        ("-U", 1, "a"),
    ]
    binlog = streams.batches("shop.c$binlog")
    assert binlog == [[("+I", [1], ["b"]), ("-D", [2], [""])]]
    assert sorted(streams.rows("shop.c$binlog", **{"scan.snapshot-id": 3})) == [
        ("+U", [1, 1], ["a", "b"]),
        ("-D", [2], ["a"]),
    ]
    # A stream without kinds shows the rows of all kinds, as Paimon's connector does.
    assert sorted(streams.rows("shop.c", **{"scan.snapshot-id": 3})) == [(1, "a"), (1, "b"), (2, "a")]


def test_changes_continue(streams: Streams, catalog: Any) -> None:
    table = catalog.create_table("shop.c", COLUMNS, ["id"], options={"bucket": "1", "changelog-producer": "lookup"})
    add(table, (1, "a"), (2, "a"))
    with_kinds = {"read.changelog": "true", "consumer-id": "board"}
    assert streams.rows("shop.c", "changes", **with_kinds) == [("+I", 1, "a"), ("+I", 2, "a")]
    assert ASKS_FOR_EVERYTHING or table.consumers() == {"board": 3}
    add(table, (1, "b"), (2, ""), kinds="+I -D")
    assert streams.rows("shop.c", "changes", **with_kinds) == [("+U", 1, "b"), ("-D", 2, "a"), ("-U", 1, "a")]
    assert ASKS_FOR_EVERYTHING or table.consumers() == {"board": 5}


@pytest.mark.skipif(ASKS_FOR_EVERYTHING, reason="Spark 4.1 reports the progress of a batch when the next one begins.")
def test_consumers(streams: Streams, changed: Any) -> None:
    table, consumer = changed, {"consumer-id": "board"}
    assert streams.rows("shop.c", **consumer) == [(1, "b")]
    # Another query with the consumer's name continues its progress, and keeps snapshots from expiring.
    assert table.consumers() == {"board": 5}
    for number in range(3, 6):
        add(table, (number, "c"))
    table.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01")
    assert table.snapshots()[0].id == 5
    assert streams.rows("shop.c", **consumer) == [(3, "c"), (4, "c"), (5, "c")]
    assert table.consumers() == {"board": 11}
    assert streams.rows("shop.c", **{"consumer.ignore-progress": "true", **consumer}) == [
        (1, "b"),
        (3, "c"),
        (4, "c"),
        (5, "c"),
    ]


def test_a_first_batch_is_repeated_as_it_was(streams: Streams, catalog: Any) -> None:
    table = catalog.create_table("shop.r", COLUMNS)
    add(table, (1, "a"))
    assert streams.rows("shop.r", "repeated") == [(1, "a")]
    # As if the driver had crashed after the batch, but before it recorded that the batch was committed.
    for name in ("0", ".0.crc"):
        (streams.checkpoints / "repeated" / "commits" / name).unlink(missing_ok=True)
    add(table, (2, "b"))
    repeated = streams.rows("shop.r", "repeated")
    if ASKS_FOR_EVERYTHING:
        assert repeated == [(1, "a")]
        repeated += streams.rows("shop.r", "repeated")
    assert repeated == [(1, "a"), (2, "b")]


@pytest.mark.long
def test_a_stream_starts_at_a_snapshot_that_is_still_to_come(streams: Streams, catalog: Any) -> None:
    table = catalog.create_table("shop.t", COLUMNS)
    add(table, (1, "a"))
    future = {"scan.snapshot-id": 3, "consumer-id": "later"}
    assert streams.rows("shop.t", "future", **future) == []
    add(table, (2, "b"))
    assert streams.rows("shop.t", "future", **future) == []
    add(table, (3, "c"))
    assert streams.rows("shop.t", "future", **future) == [(3, "c")]
    add(table, (4, "d"))
    assert streams.rows("shop.t", "future", **future) == [(4, "d")]
    assert table.consumers() == {"later": 5}
    with pytest.raises(PySparkException, match="no snapshot 9"):
        streams.session.read.format("paimon").option("scan.snapshot-id", 9).load("shop.t").collect()
