"""Marking partitions as complete for other systems (`PartitionMarkDoneAction` and `SuccessFileMarkDoneAction` in
Java)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.base.errors import InvalidRequest, SchemaMismatch, Unsupported, did_you_mean
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec.partition_path import check_writable_path, unescape
from workbench.metadata.measuring import measured
from workbench.metadata.refs.success_files import write_success
from workbench.metadata.store import TableStore
from workbench.write.static_partition import partition_array

_SUCCESS_NAME = "_SUCCESS"
_SUCCESS_FILE = "success-file"
_EVENT = "mark-event"
_ACTION_OPTION = "partition.mark-done-action"


@dataclass(frozen=True, repr=False)
class PartitionsDone(Outcome):
    """The directories of the marked partitions, and the marker files."""

    partitions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)


def mark_partitions_done(store: TableStore, partitions: Sequence[Mapping[str, Any]]) -> PartitionsDone:
    """Mark partitions as done; see `Table.mark_partitions_done`."""
    return mark_directories_done(store, tuple(directory_of(store, partition) for partition in partitions))


@measured("mark partitions done")
def mark_directories_done(store: TableStore, directories: tuple[str, ...]) -> PartitionsDone:
    """Mark the partitions in the given directories, such as ``dt=2026-11-01``, as done."""
    actions = _actions(store)
    environment, specs = store.runtime.environment, [spec_of_directory(each) for each in directories]
    if _EVENT in actions and not environment.mark_partitions_done(store.table_branch, specs):
        raise Unsupported(
            f"'{_EVENT}' in option '{_ACTION_OPTION}' requires a catalog that has the partitions of {store.name}.",
            f"Use '{_SUCCESS_FILE}'.",
        )
    # As in Java, the markers are in the table's directory, even if options set a separate data directory.
    files = tuple(store.path(directory, _SUCCESS_NAME) for directory in directories if _SUCCESS_FILE in actions)
    for path in files:
        write_success(store, path)
    return PartitionsDone(store.name, directories, files)


def _actions(store: TableStore) -> list[str]:
    option = store.schema.core.value(_ACTION_OPTION)
    actions = [each.strip().lower().replace("_", "-") for each in option.split(",")]
    unknown = next((each for each in actions if each not in (_SUCCESS_FILE, _EVENT)), None)
    if unknown is not None:
        raise Unsupported(f"'{unknown}' in option '{_ACTION_OPTION}' is not supported.", f"Use '{_SUCCESS_FILE}'.")
    return actions


def spec_of_directory(directory: str) -> dict[str, str]:
    """Return the values in the name of a directory by their columns."""
    parts = (part.partition("=") for part in directory.split("/"))
    return {unescape(name): unescape(value) for name, _, value in parts}


def directory_of(store: TableStore, partition: Mapping[str, Any]) -> str:
    """Return the directory of a partition, such as ``dt=2026-11-01``, by the values of all its columns.

    Raises:
        InvalidRequest: The table has no partitions, or a column has no value.
        SchemaMismatch: A name is not a partition column, or a value does not fit its column.
    """
    if not store.partition_fields:
        raise InvalidRequest(f"{store.name} has no partitions.", "Use a partitioned table.")
    names = [field.name for field in store.partition_fields]
    unknown = next((name for name in partition if name not in names), None)
    if unknown is not None:
        raise SchemaMismatch(f"'{unknown}' is not a partition column of {store.name}.", did_you_mean(unknown, names))
    missing = next((name for name in names if name not in partition), None)
    if missing is not None:
        raise InvalidRequest(f"A partition is missing column '{missing}'.", f"Pass values for {', '.join(names)}.")
    columns = [partition_array(partition[column.name], column) for column in store.partition_fields]
    row = encode_columns(columns, [each.type for each in store.partition_fields]).to_bytes(0)
    return check_writable_path(store.partition_directory(row))
