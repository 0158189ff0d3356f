"""Partitions get another number of buckets: their rows are written anew (Java ``RescaleAction``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from workbench.base.errors import CommitConflict, InvalidSchema, Unsupported
from workbench.base.progress import Progress
from workbench.format.data_file import CommitMessage, ManifestEntry
from workbench.format.schema import TableSchema
from workbench.format.snapshot import Snapshot
from workbench.table.committing import two_phase
from workbench.table.committing.commit import Commit
from workbench.table.committing.overwrite import Overwrite
from workbench.table.index_files import deletion_files
from workbench.table.manifests import ManifestFiles
from workbench.table.read import SplitReader
from workbench.table.scan import splits_of
from workbench.table.schemas import latest_schema_id
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import KnownBuckets
from workbench.table.writing.input import Rows
from workbench.table.writing.writer import TableWriter


def rescale(
    store: TableStore,
    latest: Snapshot | None,
    partition: Mapping[str, Any] | None,
    bucket: int | None,
    progress: Progress,
) -> Commit:
    """Write partitions anew into ``bucket`` buckets, by default as many as the newest schema asks for.

    Rows that wait for a bucket go on waiting. See `Table.rescale` for the errors.
    """
    store = store.with_schema(store.schema_of(latest_schema_id(store)))
    started = store.clock.monotonic()
    target = store.with_schema(_rescaled(store.schema, bucket))
    accepts = Overwrite.of(store, partition).accepts()
    base = [] if latest is None else _bucketed(store, latest, accepts)
    if latest is None or not base:
        return Commit(store.name, ())
    # The writer is told of no buckets, since all of these go. Where reads leave level 0 out, rows must not stay there.
    compacts = store.schema.is_primary_key_table and store.schema.core.needs_lookup
    writer = TableWriter(target, KnownBuckets(), progress, compacts=compacts, keeps_changelog=False)
    made: list[CommitMessage] = []
    try:
        splits = splits_of(store, base, deletion_files(store, latest))
        reader = SplitReader(store, store.schema, store.schema.field_names)
        with progress.step(f"Rescaling {store.name}", sum(each.file.row_count for each in base), "rows"):
            for table in reader.stream(splits):
                writer.write_rows(Rows(table))
            made = writer.prepare()
    except BaseException:
        writer.abort()
        raise
    if not any(message.compact_before for message in made):
        made = Overwrite.of(target, None).lifted(made)
    try:
        committed = two_phase.replace_files(target, made, base)
    except CommitConflict:
        two_phase.remove_files(target, made)
        raise
    return replace(committed, seconds=store.clock.monotonic() - started)


def _rescaled(schema: TableSchema, bucket: int | None) -> TableSchema:
    """The schema with the wanted number of buckets. Raises for one that cannot be."""
    stored = schema.core.bucket
    if stored == -1:
        raise Unsupported(
            "Rescaling a table with option 'bucket' = '-1' is not supported: its buckets are not numbered beforehand.",
            "Compact it, or overwrite its partitions.",
        )
    wanted = stored if bucket is None else bucket
    if wanted < 1:
        raise InvalidSchema(
            f"A partition cannot have {wanted} buckets.", "Say how many it is to have: rescale(bucket=…)."
        )
    return replace(schema, options={**schema.options, "bucket": str(wanted)})


def _bucketed(store: TableStore, latest: Snapshot, accepts: Callable[[bytes], bool]) -> list[ManifestEntry]:
    live = ManifestFiles(store).live_files(latest)
    return [entry for entry in live if entry.bucket >= 0 and accepts(entry.partition)]
