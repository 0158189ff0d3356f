"""Whole partitions go by metadata alone, in one OVERWRITE commit (Java ``dropPartitions``, ``truncateTable``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from workbench.base.errors import CorruptFile, SchemaMismatch
from workbench.base.progress import Progress
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Expr
from workbench.format.binary_row_decoding import decode_columns
from workbench.format.data_file import ManifestEntry
from workbench.format.paths import MANIFEST_DIRECTORY
from workbench.format.snapshot import Operation, Snapshot
from workbench.table.committing import two_phase
from workbench.table.committing.commit import Commit
from workbench.table.committing.overwrite import Overwrite
from workbench.table.data_files.protocol import rows_without_columns
from workbench.table.index_files import deletion_files
from workbench.table.manifests import ManifestFiles
from workbench.table.measuring import measured
from workbench.table.row_level.result import RowChanges, row_changes
from workbench.table.store import TableStore

Goes = Callable[[bytes], bool]
"""Whether a partition goes, told by its serialized row."""


def every_partition(_: bytes) -> bool:
    """Of a table that is emptied."""
    return True


def named_partitions(store: TableStore, given: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Goes:
    """The partitions that have the given values; columns may be left out.

    Raises:
        SchemaMismatch: no partition is named, a name that is no partition column, or a value that does not fit it.
    """
    named = [given] if isinstance(given, Mapping) else list(given)
    if not all(isinstance(each, Mapping) for each in named):
        raise SchemaMismatch(f"{given!r} names no partition.", "Pass values by column, as {'day': '2026-11-01'}.")
    if not named or not all(named):
        raise SchemaMismatch("No partition is named.", "Name one by its columns, or use truncate() for all.")
    tests = [Overwrite.of(store, each).accepts() for each in named]
    return lambda partition: any(accepts(partition) for accepts in tests)


def partitions_where(store: TableStore, where: Expr) -> Goes:
    """The partitions whose columns satisfy a condition over nothing else."""
    fields = store.partition_fields
    names, types = [each.name for each in fields], [each.type for each in fields]

    @cache
    def goes(partition: bytes) -> bool:
        if not fields:
            return bool(filter_mask(where, rows_without_columns(1)).to_pylist()[0])
        try:
            values = decode_columns([partition], types)
        except ValueError as error:
            raise CorruptFile(store.path(MANIFEST_DIRECTORY), "a partition in a manifest is garbled") from error
        return bool(filter_mask(where, pa.table(values, names)).to_pylist()[0])

    return goes


@measured("drop partitions")
def delete_partitions(
    store: TableStore,
    snapshot: Snapshot | None,
    goes: Goes,
    progress: Progress,
    properties: Mapping[str, str],
    *,
    force: bool,
) -> RowChanges:
    """Remove all files of some partitions, those too that others add to them meanwhile. The files themselves stay as
    long as older versions need them. As in Java, the operation is TRUNCATE for every statement.

    ``force``: a commit is made even where there is nothing to remove, as Java's calls do.
    """
    started = store.clock.monotonic()
    progress.check()
    gone = [entry for entry in ManifestFiles(store).live_files(snapshot) if goes(entry.partition)] if snapshot else []
    if not gone and not force:
        return row_changes(Commit(store.name, ()), store.clock.monotonic() - started)
    made = two_phase.replace_partitions(store, (), goes, properties, Operation.TRUNCATE)
    seconds = store.clock.monotonic() - started
    return row_changes(made, seconds, deleted=_rows_of(store, snapshot, gone), rewritten=len(gone))


def _rows_of(store: TableStore, snapshot: Snapshot | None, gone: Sequence[ManifestEntry]) -> int | None:
    """How many rows readers saw in files, None where only a merge could tell."""
    if store.schema.is_primary_key_table:
        return None if gone else 0
    vectors = deletion_files(store, snapshot)
    rows = 0
    for entry in gone:
        vector = vectors.get((entry.partition, entry.bucket, entry.file.file_name))
        rows += entry.file.row_count - (vector.read(store, entry.file).cardinality if vector else 0)
    return rows
