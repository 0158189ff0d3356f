"""The result of each merge engine for two rows of one key, in plain Python, and invariants of the files of a table. A
row ends with a number and a text; the columns before them are its key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.format.spec import paths
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.storage.file_io import join
from workbench.table.table import Table
from workbench.write.compact_bucket import levels_of

Row = tuple[Any, ...]
Merge = Callable[[Row | None, Row], Row | None]


def newest(_: Row | None, row: Row) -> Row:
    return row


def oldest(known: Row | None, row: Row) -> Row:
    return known or row


def partial(known: Row | None, row: Row) -> Row:
    if known is None:
        return row
    return (*row[:-2], *(old if new is None else new for old, new in zip(known[-2:], row[-2:], strict=True)))


def summed(known: Row | None, row: Row) -> Row:
    if known is None:
        return row
    numbers = [number for number in (known[-2], row[-2]) if number is not None]
    return (*row[:-2], sum(numbers) if numbers else None, known[-1] if row[-1] is None else row[-1])


def by_sequence(known: Row | None, row: Row) -> Row:
    """The row with the larger number wins; NULL is older than any number, and the later of two equal ones wins."""
    if known is None or (row[-2] is None, -(row[-2] or 0)) <= (known[-2] is None, -(known[-2] or 0)):
        return row
    return known


def check_files(table: Table) -> None:
    """Every file that the newest version names exists, vectors belong to its data files, and levels are sorted runs."""
    store, snapshot = table.store, table.snapshot()
    live = ManifestFiles(store).live_files(snapshot)
    names = [entry.file.file_name for entry in live]
    assert len(set(names)) == len(names)
    for entry in live:
        assert store.file_io.exists(store.data_file_path(entry.partition, entry.bucket, entry.file))
    entries = index_entries(store, snapshot)
    for index in entries:
        assert store.file_io.exists(join(store.path(paths.INDEX_DIRECTORY), index.file_name))
        assert {vector.data_file for vector in index.vectors} <= set(names)
    if table.schema.is_primary_key_table:
        for state in known_buckets(live, entries).buckets.values():
            levels_of(table.schema, state.files).check()
