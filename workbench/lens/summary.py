"""A table at a glance: keys, columns, options, versions, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.secrets import without_credentials
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.table_kind import KindName
from workbench.lens.contents import ContentsValue, collect_contents
from workbench.lens.credentials import OptionValue, describe_options
from workbench.lens.error import ErrorValue, describe_error
from workbench.lens.live_files import collect_failed_read
from workbench.lens.row_count import RowCountValue, collect_row_count
from workbench.lens.schema import FieldValue, describe_fields
from workbench.lens.verdict import damaged_verdict
from workbench.lens.wire import Int64
from workbench.metadata.snapshots import Snapshots
from workbench.table.readable_table import ReadableTable


@dataclass(frozen=True)
class SummaryValue:
    """One version of a table.

    ``snapshot``, ``time_millis`` and ``commit_kind`` describe this version, None for a table never written.
    ``latest_snapshot`` and ``earliest_snapshot`` are the current range of snapshots. ``contents`` are None if the
    manifests of the version cannot be read. ``damage`` is the error of a metadata or data file that is known to be
    unreadable.
    """

    table: str
    location: str
    comment: str | None
    kind: KindName
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
    contents: ContentsValue | None
    damage: ErrorValue | None


def collect_summary(table: ReadableTable, *, estimate: bool = False, exact: bool = False) -> SummaryValue:
    """Return the summary of a table's version.

    Reads metadata only. If metadata does not determine the number of rows, ``estimate`` also reads the keys of some
    data files to estimate it, and ``exact`` reads the keys of all data files to count the rows.
    """
    snapshot, snapshots = table.version, Snapshots(table.store)
    range_ = (snapshots.earliest_id(), snapshots.latest_id())
    try:
        contents = collect_contents(table.store, snapshot)
    except CorruptFile as error:
        return describe_summary(table.name, table.location, table.schema, snapshot, range_, None, describe_error(error))
    if (estimate or exact) and contents.count is None:
        contents = replace(contents, count=_count(table, snapshot, exact=exact))
    damage = collect_failed_read(table.store, snapshot)
    if damage is not None:
        contents = replace(contents, verdict=damaged_verdict(contents.verdict, damage))
    return describe_summary(table.name, table.location, table.schema, snapshot, range_, contents, damage)


def _count(table: ReadableTable, snapshot: Snapshot | None, *, exact: bool) -> RowCountValue | None:
    """Return the number of rows; None for a table that can be described but not read."""
    try:
        pinned = table if snapshot is None or table.is_pinned else table.at(snapshot=snapshot.id)
        return collect_row_count(pinned, exact=exact)
    except (CorruptFile, Unsupported):
        return None


def describe_summary(
    name: str,
    location: str,
    schema: TableSchema,
    snapshot: Snapshot | None,
    snapshot_range: tuple[int | None, int | None],
    contents: ContentsValue | None,
    damage: ErrorValue | None = None,
) -> SummaryValue:
    """Return the summary of a version. ``snapshot_range`` is the earliest and the latest snapshot id."""
    earliest, latest = snapshot_range
    return SummaryValue(
        table=name,
        location=without_credentials(location),
        comment=schema.comment,
        kind=schema.kind.name,
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
        contents=contents,
        damage=damage,
    )
