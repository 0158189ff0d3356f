"""The merge of the stored versions of one row, by the reader and the merge function of the table itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from workbench.base.errors import MergeError
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.spec.schema import TableSchema
from workbench.lsm.key_slices import MergedSlice
from workbench.lsm.levels import key_of_schema
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.merge_function import RowKind
from workbench.lsm.provenance import Origin, Use, provenance
from workbench.scan.section_reader import SectionReader
from workbench.scan.sorted_runs import runs_by_age
from workbench.scan.stored_rows import KeyRows


@dataclass(frozen=True)
class StoredVersion:
    """A stored row with the key: its file, and its values with sequence number and kind."""

    id: int
    path: str
    file: DataFileMeta
    table: pa.Table

    @property
    def rows(self) -> KeyRows:
        """The row as a data file."""
        return KeyRows(self.path, self.file, self.table)


@dataclass(frozen=True)
class Merge:
    """A merge of versions. ``order`` are the ids of the versions, the oldest first, ``considered`` the ids of those
    that the merge did not skip. ``kind`` is the row kind of the result, None if there is no result; ``rows`` is the
    result, with one row or none; the rows that ``origins`` refer to are ids of versions."""

    order: tuple[int, ...] = ()
    considered: frozenset[int] = frozenset()
    kind: RowKind | None = None
    rows: pa.Table | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)

    @property
    def is_present(self) -> bool:
        """Whether a read returns the row."""
        return self.rows is not None and self.rows.num_rows > 0 and self.kind in (RowKind.INSERT, RowKind.UPDATE_AFTER)


def unmerged(version: StoredVersion, columns: Sequence[str]) -> Merge:
    """Return the merge for a read that returns a stored row unchanged."""
    origins = {name: Origin(version.id) for name in columns}
    return Merge((version.id,), frozenset((version.id,)), RowKind.INSERT, version.table.select(list(columns)), origins)


def merged(runs: Sequence[Sequence[StoredVersion]], schema: TableSchema, columns: Sequence[str]) -> Merge:
    """Merge the versions of one key in sorted runs, the oldest run first, as a read does."""
    ids = [version.id for run in runs for version in run]
    readers = [[version.rows for version in run] for run in runs]
    function = merge_function_for(schema, columns)
    inputs = list(SectionReader(readers, schema, columns, function=function).inputs(whole=True))
    if not inputs:
        return Merge()
    (rows,) = inputs
    found = provenance(function, rows, columns)
    result = MergedSlice(rows.chunks, found.merged, rows.groups.order).result(columns)
    kinds = found.merged.kinds
    kind = None
    if result.num_rows:
        kind = RowKind.INSERT if kinds is None else RowKind(int(kinds[0]))
    return Merge(
        tuple(ids[row] for row in found.order),
        frozenset(ids[row] for row in found.considered),
        kind,
        result,
        {name: _renumbered(origin, ids) for name, origin in found.origins.items()},
    )


def _renumbered(origin: Origin, ids: Sequence[int]) -> Origin:
    uses = tuple(Use(ids[use.row], use.effect) for use in origin.uses)
    return replace(origin, row=None if origin.row is None else ids[origin.row], uses=uses)


def compacted(
    inputs: Sequence[StoredVersion], output: StoredVersion, schema: TableSchema, columns: Sequence[str]
) -> Merge | None:
    """Return how a compaction made its output from its inputs; None if merging them again does not give the same
    row, as when options or older files have changed since."""
    names = [version.file.file_name for version in inputs]
    if len(set(names)) < len(names):
        return None
    by_name = {version.file.file_name: version for version in inputs}
    runs = runs_by_age((version.file for version in inputs), key_of_schema(schema))
    try:
        merge = merged([[by_name[file.file_name] for file in run] for run in runs], schema, columns)
    except MergeError:
        return None
    if merge.rows is None or not merge.rows.num_rows or not same_row(merge.rows, output.table.select(list(columns))):
        return None
    return merge


def same_row(left: pa.Table, right: pa.Table) -> bool:
    """Return whether two tables of one row have the same values; NaN equals NaN."""
    return repr(left.to_pylist()) == repr(right.to_pylist())


def kind_of(table: pa.Table) -> RowKind:
    """Return the kind of a stored row; rows of tables without keys are inserts."""
    if VALUE_KIND not in table.schema.names:
        return RowKind.INSERT
    return RowKind(table.column(VALUE_KIND)[0].as_py())


def sequence_of(table: pa.Table) -> int | None:
    """Return the sequence number of a stored row, None if it has none."""
    return table.column(SEQUENCE_NUMBER)[0].as_py() if SEQUENCE_NUMBER in table.schema.names else None
