"""Reading the facts about a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.base.errors import CorruptFile, MergeError, SnapshotNotFound, TableNotFound, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec import paths
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.buckets import BucketFiles, BucketKey
from workbench.lens.error import describe_error
from workbench.lens.health.facts import HealthFacts, StatisticsFacts, WriterFacts
from workbench.lens.health.holders import collect_holders
from workbench.lens.health.orphans import collect_orphans
from workbench.lens.health.overflows import REMOTE_FILES, collect_overflows
from workbench.lens.health.tally import tally_buckets
from workbench.lens.health.versions import collect_history
from workbench.lens.live_files import collect_live_files
from workbench.lens.readable import collect_readable_version
from workbench.lens.row_count import collect_row_count
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.refs.tags import Tags
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable
from workbench.table.system.statistics import read_statistics

_OF_BRANCH = (paths.SCHEMA_DIRECTORY, paths.SNAPSHOT_DIRECTORY, paths.TAG_DIRECTORY, paths.CONSUMER_DIRECTORY)
_OF_TABLE = (paths.MANIFEST_DIRECTORY, paths.BRANCH_DIRECTORY)


def collect_facts(
    table: ReadableTable, *, storage: bool = False, estimate: bool = True, progress: Progress | None = None
) -> HealthFacts:
    """Read the facts about a version of a table. Metadata that cannot be read is recorded as a fact, and not raised as
    an error.

    Args:
        table: The table, at its newest version or at a fixed one.
        storage: Whether to list all directories, to find every missing file, and orphan files.
        estimate: Whether to read the keys of some data files to estimate the number of rows, if metadata does not
            determine it.
        progress: Where progress is reported.

    Raises:
        Cancelled: Cancellation was requested.
    """
    progress = progress or Progress()
    table = table.reading_once()
    _list_together(table.store)
    table = with_newest_schema(table)
    store = table.store
    facts = HealthFacts(table.name, table.schema, store.clock.now_millis(), writers=_writers(store))
    with progress.step(f"Checking {table.name}", 5 if storage else 4, "steps"):
        try:
            snapshot = table.version
            facts = _with_files(facts, store, snapshot)
            progress.advance()
            facts = _with_versions(facts, store)
            progress.advance()
        except (CorruptFile, SnapshotNotFound, TableNotFound) as error:
            return _damaged(facts, table, error)
        if estimate:
            facts = _with_estimate(_with_overflows(facts, table), table)
        progress.advance()
        facts = replace(facts, live=collect_live_files(store, snapshot, progress, everything=storage))
        progress.advance()
        if storage and snapshot is not None:
            facts = replace(facts, orphans=collect_orphans(store, progress))
            progress.advance()
    return facts


def _list_together(store: TableStore) -> None:
    """List the directories that the facts are read from at the same time, where every request takes long. The listing
    of the snapshots also has the newest one."""
    if store.is_local:
        return
    directories = [*map(store.branch_path, _OF_BRANCH), *map(store.path, _OF_TABLE)]
    parallel_map(store.file_io.list_files, directories, len(directories))
    store.snapshots.ids()


def with_newest_schema(table: ReadableTable) -> ReadableTable:
    """Return a table with its newest options, which may have changed since it was opened. A table at a fixed version is
    returned unchanged."""
    newest = None if table.is_pinned else table.store.schemas.latest_id()
    if newest is None or newest == table.schema.id:
        return table
    return table.with_store(table.store.with_schema(table.store.schema_of(newest)))


def _with_files(facts: HealthFacts, store: TableStore, snapshot: Snapshot | None) -> HealthFacts:
    if snapshot is None:
        return facts
    manifests = ManifestFiles(store)
    live = manifests.live_files(snapshot)
    files, totals = _by_bucket(live)
    vectors = (vector for entry in index_entries(store, snapshot) for vector in entry.vectors)
    marked = {vector.data_file: vector.cardinality or 0 for vector in vectors}
    return replace(
        facts,
        snapshot=snapshot,
        buckets=tally_buckets(facts.schema, files, totals, marked),
        manifests=tuple(manifests.data_manifests(snapshot)),
        used_schemas=len({entry.file.schema_id for entry in live}),
        statistics=_statistics(store, snapshot),
    )


def _by_bucket(live: tuple[ManifestEntry, ...]) -> tuple[BucketFiles, Mapping[BucketKey, int]]:
    files: dict[BucketKey, list[object]] = {}
    totals: dict[BucketKey, int] = {}
    for entry in live:
        key = (entry.partition, entry.bucket)
        listed = files.get(key)
        if listed is None:
            listed = files[key] = []
            totals[key] = entry.total_buckets
        listed.append(entry.file)
    return files, totals  # type: ignore[return-value]


def _with_versions(facts: HealthFacts, store: TableStore) -> HealthFacts:
    consumers = all_consumers(store)
    tags = Tags(store).all()
    history = collect_history(store, consumers, facts.now_millis)
    statistics = facts.statistics
    if statistics is not None:
        written = sum(max(each.delta_record_count or 0, 0) for each in history.recent if each.id > statistics.snapshot)
        statistics = StatisticsFacts(
            statistics.snapshot, statistics.schema_id, statistics.rows, written, statistics.rows
        )
    return replace(
        facts,
        history=history,
        consumers=consumers,
        tags=len(tags),
        schemas=len(store.schemas.ids()),
        statistics=statistics,
        holders=collect_holders(store, history, tags, consumers),
    )


def _statistics(store: TableStore, snapshot: Snapshot) -> StatisticsFacts | None:
    if snapshot.statistics is None:
        return None
    read = read_statistics(store, snapshot.statistics)
    rows = read.get("mergedRecordCount") or 0
    return StatisticsFacts(read["snapshotId"], read["schemaId"], rows, 0, rows)


def _with_overflows(facts: HealthFacts, table: ReadableTable) -> HealthFacts:
    if facts.snapshot is None or not facts.is_keyed:
        return facts
    try:
        # Read with the newest types, which a version of the past does not have.
        return replace(facts, overflows=collect_overflows(table))
    except (CorruptFile, MergeError, Unsupported):
        # Other checks find damaged files.
        return facts


def _with_estimate(facts: HealthFacts, table: ReadableTable) -> HealthFacts:
    if not facts.merges_on_read or facts.snapshot is None or not facts.buckets:
        return facts
    if all(each.runs <= 1 for each in facts.settled):
        return facts
    pinned = table if table.is_pinned else table.at(snapshot=facts.snapshot.id)
    most_files = None if table.store.is_local else REMOTE_FILES
    try:
        return replace(facts, estimated_rows=collect_row_count(pinned, exact=False, most_files=most_files).rows)
    except (CorruptFile, Unsupported):
        # Other checks do not need this estimate, and another check finds missing files.
        return facts


def _damaged(
    facts: HealthFacts, table: ReadableTable, error: CorruptFile | SnapshotNotFound | TableNotFound
) -> HealthFacts:
    readable = collect_readable_version(table).snapshot if facts.snapshot is None else None
    return replace(facts, damage=describe_error(error), readable=readable)


def _writers(store: TableStore) -> WriterFacts:
    ownership = store.runtime.owner.ownership()
    return WriterFacts(store.storage_kind, store.file_io.supports_put_if_absent, store.has_lock, ownership)
