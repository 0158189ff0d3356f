"""The rules of all writes, regardless of the process in which the writer runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore


def check_write(store: TableStore, mode: str, partition: Mapping[str, Any] | None, row_kind: str | None) -> None:
    """Check the arguments of a write before any row is read.

    Raises:
        Unsupported: The mode is unknown, or the table has no primary key and so no row kinds.
        WorkbenchError: A partition is given, and the mode is not ``overwrite``.
    """
    if mode not in ("append", "overwrite"):
        raise Unsupported(f"Mode '{mode}' is not supported.", "Use 'append' or 'overwrite'.")
    if row_kind is not None and not store.schema.is_primary_key_table:
        raise Unsupported(f"{store.name} has no primary key, so its rows have no row kinds.", "Remove 'row_kind'.")
    if mode == "append" and partition is not None:
        raise WorkbenchError(
            "Argument 'partition' requires mode='overwrite'.", "Pass mode='overwrite' or remove 'partition'."
        )


def writer_compacts(core: CoreOptions, *, overwrite: bool) -> bool:
    """Return whether a batch writer compacts the buckets that it writes to."""
    if core.write_only or core.bucket == POSTPONE_BUCKET:
        return False
    # An overwrite starts with empty buckets. If compaction looks up rows, files must still not stay on level 0, which
    # reads may skip.
    return not overwrite or core.needs_lookup


def each_writer_compacts(schema: TableSchema, *, overwrite: bool) -> bool:
    """Return whether each of several batch writers compacts the buckets that it writes to: only one of them writes a
    bucket of a primary-key table, but all may write into one bucket of an append table."""
    return schema.is_primary_key_table and writer_compacts(schema.core, overwrite=overwrite)
