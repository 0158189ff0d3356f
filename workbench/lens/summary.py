"""A table at a glance: keys, columns, options, size, files, versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.buckets import BucketFiles, collect_files, run_count
from workbench.lens.credentials import OptionValue, describe_options, without_credentials
from workbench.lens.schema import FieldValue, describe_fields
from workbench.lens.wire import Int64
from workbench.metadata.snapshots import Snapshots
from workbench.table.readable_table import ReadableTable

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class SummaryValue:
    """One version of a table. ``rows`` are stored rows before any merge, ``size`` the bytes of its data files.

    ``snapshot``, ``time_millis`` and ``commit_kind`` describe this version, None for a table never written.
    ``latest_snapshot`` and ``earliest_snapshot`` are the current range of snapshots. ``partitions`` and ``buckets``
    count those with files, ``runs`` the sorted runs of the bucket with the most runs.
    """

    table: str
    location: str
    comment: str | None
    kind: Literal["primary-key", "append"]
    fields: tuple[FieldValue, ...]
    primary_key: tuple[str, ...]
    partition_keys: tuple[str, ...]
    options: tuple[OptionValue, ...]
    schema_id: Int64
    snapshot: Int64 | None
    time_millis: Int64 | None
    commit_kind: str | None
    latest_snapshot: Int64 | None
    earliest_snapshot: Int64 | None
    partitions: int
    buckets: int
    files: Int64
    rows: Int64
    size: Int64
    runs: int


def collect_summary(table: ReadableTable) -> SummaryValue:
    """Return the summary of a table's version; reads metadata only."""
    snapshot, snapshots = table.version, Snapshots(table.store)
    range_ = (snapshots.earliest_id(), snapshots.latest_id())
    files = collect_files(table.store, snapshot)
    return describe_summary(table.name, table.location, table.schema, snapshot, range_, files)


def describe_summary(
    name: str,
    location: str,
    schema: TableSchema,
    snapshot: Snapshot | None,
    snapshot_range: tuple[int | None, int | None],
    files: BucketFiles,
) -> SummaryValue:
    """Return the summary of files by bucket. ``snapshot_range`` is the earliest and the latest snapshot id."""
    earliest, latest = snapshot_range
    return SummaryValue(
        table=name,
        location=without_credentials(location),
        comment=schema.comment,
        kind="primary-key" if schema.is_primary_key_table else "append",
        fields=describe_fields(schema),
        primary_key=schema.primary_keys,
        partition_keys=schema.partition_keys,
        options=describe_options(schema.options),
        schema_id=schema.id,
        snapshot=None if snapshot is None else snapshot.id,
        time_millis=None if snapshot is None else snapshot.time_millis,
        commit_kind=None if snapshot is None else str(snapshot.commit_kind),
        latest_snapshot=latest,
        earliest_snapshot=earliest,
        partitions=len({partition for partition, _ in files}),
        buckets=len(files),
        files=sum(map(len, files.values())),
        rows=sum(file.row_count for bucket in files.values() for file in bucket),
        size=sum(file.file_size for bucket in files.values() for file in bucket),
        runs=max((run_count(schema, bucket) for bucket in files.values()), default=0),
    )
