"""Tables with one defect each, and the finding that reports it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from tests.support.maintained_tables import DAY, HOUR
from workbench.base.clock import ManualClock
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.schema_changes.changes import SetOption
from workbench.table.table import Table

COLUMNS = {"dt": "STRING", "k": "BIGINT", "v": "STRING"}


@dataclass(frozen=True)
class Place:
    """Where a defect is made."""

    catalog: FileSystemCatalog
    clock: ManualClock

    def table(self, keyed: bool = True, partitioned: bool = False, **options: str) -> Table:
        named = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
        return self.catalog.create_table(
            "db.t",
            COLUMNS,
            primary_key=["dt", "k"] if keyed else (),
            partition_by=["dt"] if partitioned else (),
            options={"bucket": "1", **named} if keyed else named,
        )


@dataclass(frozen=True)
class Defect:
    """How a defect is made, and the id of its finding. ``storage``: only listing directories reveals it."""

    finding: str
    make: Callable[[Place], Table]
    storage: bool = False


def rows(keys: range, value: str = "x", dt: str = "a") -> pa.Table:
    return pa.table({"dt": [dt] * len(keys), "k": list(keys), "v": [value] * len(keys)})


def incompressible(dt: str, count: int) -> pa.Table:
    return pa.table({"dt": [dt] * count, "k": range(count), "v": [os.urandom(12).hex() for _ in range(count)]})


def deletes(keys: range, dt: str = "a") -> pa.Table:
    return rows(keys, dt=dt).append_column("kind", pa.array(["-D"] * len(keys)))


def sorted_runs(place: Place) -> Table:
    table = place.table(write_only="true", partitioned=True)
    table.write(rows(range(10), dt="calm"))
    for number in range(9):
        table.write(rows(range(10), str(number), dt="it's"))
    return table


def small_files(place: Place) -> Table:
    table = place.table(keyed=False, write_only="true")
    for number in range(12):
        table.write(rows(range(10 * number, 10 * number + 10)))
    return table


def small_files_by_key(place: Place) -> Table:
    # Full files whose keys do not overlap move to the last level unchanged.
    table = place.table(target_file_size="1 kb")
    for number in range(12):
        table.write(rows(range(100 * number, 100 * number + 100)))
    table.compact(full=True)
    place.catalog.alter_table("db.t", SetOption("target-file-size", "128 mb"))
    table = place.catalog.get_table("db.t")
    table.write(rows(range(500, 600)))
    return table


def hidden_rows(place: Place) -> Table:
    table = place.table(write_only="true", deletion_vectors__enabled="true")
    table.write(rows(range(10)))
    return table


def postponed_rows(place: Place) -> Table:
    table = place.table(bucket="-2", postpone__batch_write_fixed_bucket="false")
    table.write(rows(range(10)))
    return table


def read_amplification(place: Place) -> Table:
    table = place.table()
    for number in range(4):
        table.write(rows(range(100 * number, 100 * number + 100), str(number)))
    return table


def space_amplification(place: Place) -> Table:
    table = place.table()
    for number in range(4):
        table.write(rows(range(1000), str(number)))
    return table


def delete_rows(place: Place) -> Table:
    table = place.table()
    table.write(rows(range(100)))
    table.write(deletes(range(60)), row_kind="kind")
    return table


def deletion_vectors(place: Place) -> Table:
    table = place.table(keyed=False, deletion_vectors__enabled="true")
    table.write(rows(range(100)))
    table.delete("k < 60")
    return table


def large_buckets(place: Place) -> Table:
    table = place.table(bucket="2", target_file_size="1 kb", partitioned=True, num_sorted_run__compaction_trigger="2")
    for dt in ("a", "b"):
        table.write(incompressible(dt, 9000))
    table.compact(full=True)
    return table


def tiny_buckets(place: Place) -> Table:
    table = place.table(bucket="32")
    table.write(rows(range(1000)))
    table.compact(full=True)
    return table


def many_tiny_buckets(place: Place) -> Table:
    """60 buckets, few in each partition."""
    table = place.table(bucket="4", partitioned=True)
    table.write(pa.concat_tables([rows(range(40), dt=f"p{number:02}") for number in range(15)]))
    table.compact(full=True)
    return table


def old_formats(place: Place) -> Table:
    table = place.table(file__format="avro")
    table.write(rows(range(100)))
    place.catalog.alter_table("db.t", SetOption("file.format", "orc"))
    table = place.catalog.get_table("db.t")
    table.write(rows(range(50, 200)))
    return table


def held_by_tag(place: Place) -> Table:
    table = place.table(snapshot__num_retained__min="1", snapshot__num_retained__max="1")
    table.write(rows(range(500), "old"))
    table.create_tag("it's-old")
    table.write(rows(range(500), "new"), mode="overwrite")
    table.write(rows(range(500), "new"), mode="overwrite")
    return table


def held_by_branch(place: Place) -> Table:
    table = place.table(snapshot__num_retained__min="1", snapshot__num_retained__max="1")
    table.write(rows(range(500), "old"))
    table.create_tag("one")
    table.create_branch("side", tag="one")
    table.delete_tag("one")
    table.write(rows(range(500), "new"), mode="overwrite")
    table.write(rows(range(500), "new"), mode="overwrite")
    return table


def held_by_consumer(place: Place) -> Table:
    table = place.table(snapshot__num_retained__min="1", snapshot__num_retained__max="2")
    table.write(rows(range(500), "old"))
    table.set_consumer("slow", 1)
    for number in range(4):
        table.write(rows(range(500), f"new {number}"), mode="overwrite")
    return table


def overdue_snapshots(place: Place) -> Table:
    table = place.table(write_only="true", num_sorted_run__compaction_trigger="100")
    for _ in range(30):
        table.write(rows(range(10)))
        place.clock.advance(HOUR)
    return table


def short_retention(place: Place) -> Table:
    table = place.table(snapshot__num_retained__min="1", snapshot__num_retained__max="25")
    for number in range(25):
        table.write(rows(range(2000 * number, 2000 * number + 2000)))
        place.clock.advance(1000)
    return table


def long_retention(place: Place) -> Table:
    table = place.table(snapshot__time_retained="365 d")
    for number in range(22):
        table.write(rows(range(2000 * number, 2000 * number + 2000)))
        place.clock.advance(60_000)
    return table


def many_manifests(place: Place) -> Table:
    table = place.table(keyed=False, manifest__merge_min_count="3", write_only="true")
    lasting = {"manifest.merge-min-count": "1000"}
    for key, value in lasting.items():
        place.catalog.alter_table("db.t", SetOption(key, value))
    table = place.catalog.get_table("db.t")
    for number in range(9):
        table.write(rows(range(10 * number, 10 * number + 10)))
    place.catalog.alter_table("db.t", SetOption("manifest.merge-min-count", "3"))
    return place.catalog.get_table("db.t")


def old_statistics(place: Place) -> Table:
    table = place.table()
    table.write(rows(range(100)))
    table.analyze()
    table.write(rows(range(100, 200)))
    return table


def damaged(place: Place) -> Table:
    table = place.table()
    table.write(rows(range(10)))
    table.write(rows(range(20)))
    snapshot = json.loads(Path(table.location, "snapshot", "snapshot-2").read_text())
    Path(table.location, "manifest", snapshot["deltaManifestList"]).write_bytes(b"garbled")
    # The catalog that wrote the file has it in its cache.
    return FileSystemCatalog(place.catalog.warehouse, LocalFileIO(), clock=place.clock).get_table("db.t")


def missing_file(place: Place) -> Table:
    table = place.table()
    table.write(rows(range(10)))
    table.write(rows(range(20, 25)))
    newest = max(Path(table.location, "bucket-0").iterdir(), key=lambda each: each.stat().st_mtime_ns)
    newest.unlink()
    return place.catalog.get_table("db.t")


def orphan_file(place: Place) -> Table:
    table = place.table()
    table.write(rows(range(10)))
    orphan = Path(table.location, "bucket-0", "data-00000000-0000-0000-0000-000000000000-0.parquet")
    orphan.write_bytes(b"x" * 1234)
    long_ago = (place.clock.now_millis() - 2 * DAY) / 1000
    os.utime(orphan, (long_ago, long_ago))
    return table


def never_compacted(place: Place) -> Table:
    table = place.table(write_only="true", num_sorted_run__compaction_trigger="100")
    for number in range(11):
        table.write(rows(range(number, number + 10)))
    return table


def lagging_changelog(place: Place) -> Table:
    table = place.table(write_only="true", changelog_producer="lookup")
    for number in range(10):
        table.write(rows(range(10), str(number)))
    return table


def with_option(finding: str, **options: str) -> Defect:
    def make(place: Place) -> Table:
        table = place.table(**options)
        table.write(rows(range(10)))
        return table

    return Defect(finding, make)


def stored_option(finding: str, key: str, value: str, **options: str) -> Defect:
    """Return a defect in an option that this library refuses to set but that another library may have stored."""

    def make(place: Place) -> Table:
        table = place.table(**options)
        table.write(rows(range(10)))
        file = Path(table.location, "schema", "schema-0")
        schema = json.loads(file.read_text())
        schema["options"][key] = value
        file.write_text(json.dumps(schema))
        return place.catalog.get_table("db.t")

    return Defect(finding, make)


def unread_changelog(place: Place) -> Table:
    table = place.table(changelog_producer="input")
    table.write(rows(range(10)))
    return table


def endless_consumer(place: Place) -> Table:
    table = place.table(snapshot__num_retained__min="1", snapshot__num_retained__max="2")
    table.write(rows(range(10)))
    table.set_consumer("slow", 1)
    for _ in range(4):
        table.write(rows(range(10)))
    return table


def overflowing_sum(place: Place) -> Table:
    options = {"merge-engine": "aggregation", "fields.m.aggregate-function": "sum", "bucket": "1", "write-only": "true"}
    table = place.catalog.create_table("db.t", {"k": "BIGINT", "m": "DECIMAL(20, 2)"}, ["k"], options=options)
    for _ in range(2):
        table.write([{"k": 1, "m": Decimal("9" * 18)}])
    return table


DEFECTS = (
    Defect("sorted-runs", sorted_runs),
    Defect("small-files", small_files),
    Defect("small-files", small_files_by_key),
    Defect("hidden-rows", hidden_rows),
    Defect("hidden-rows", postponed_rows),
    Defect("overflows:m", overflowing_sum),
    Defect("read-amplification", read_amplification),
    Defect("space-amplification", space_amplification),
    Defect("deletes", delete_rows),
    Defect("deletes", deletion_vectors),
    Defect("bucket-count", large_buckets),
    Defect("bucket-count", tiny_buckets),
    Defect("bucket-count", many_tiny_buckets),
    Defect("formats", old_formats),
    Defect("held-files:tag:it's-old", held_by_tag),
    Defect("held-files:branch:side", held_by_branch),
    Defect("held-files:consumer:slow", held_by_consumer),
    Defect("expiry", overdue_snapshots),
    Defect("retention", short_retention),
    Defect("retention", long_retention),
    Defect("manifests", many_manifests),
    Defect("statistics", old_statistics),
    Defect("damage", damaged),
    Defect("missing-files", missing_file),
    Defect("orphan-files", orphan_file, storage=True),
    Defect("options:write-only", never_compacted),
    Defect("options:lookup-lag", lagging_changelog),
    Defect("options:changelog-readers", unread_changelog),
    Defect("options:consumer-expiration", endless_consumer),
    stored_option("options:retained-min", "snapshot.num-retained.max", "5"),
    with_option("options:retained-min", snapshot__num_retained__min="5000"),
    with_option(
        "options:vectors-full-compaction", deletion_vectors__enabled="true", full_compaction__delta_commits="5"
    ),
    with_option("options:full-compaction-interval", changelog_producer="full-compaction"),
    with_option("options:stop-trigger", num_sorted_run__stop_trigger="3"),
    with_option("options:stats-mode", metadata__stats_mode="none"),
    with_option("options:tag-retention", tag__automatic_creation="process-time"),
    with_option("options:older-name:write.compaction-skip", write__compaction_skip="true"),
    stored_option("options:unknown-name:snapshot.time-retaind", "snapshot.time-retaind", "1 d"),
)
