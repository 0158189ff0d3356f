"""Checks for changes that a merge would silently undo, so that no statement appears to succeed without effect (format
§16, §17).

Of two rows of a key, the one with the larger sequence takes effect. A merge engine with partial updates keeps a value
if the new value is NULL, and keeps the columns of a sequence group if the new row has no sequence for the group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import pc
from workbench.format.spec.schema import TableSchema
from workbench.lsm.sequence_fields import SequenceFields

_REMOVING = "partial-update.remove-record-on-sequence-group"


def check_not_aggregated(schema: TableSchema) -> None:
    """Raise Unsupported if a row that is written back would be aggregated with itself."""
    for name in schema.field_names:
        function = schema.core.aggregate_function(name)
        if function is not None:
            raise Unsupported(
                f"Rows cannot be updated with {_engine(schema)} where column '{name}' is aggregated by '{function}'.",
                "Write rows with the changed values, and NULL in the other columns.",
            )


def check_updates(schema: TableSchema, assigned: Iterable[str], old: pa.Table, new: pa.Table) -> None:
    """Raise Unsupported if some of the ``assigned`` columns would keep their old values; the rows of ``old`` and
    ``new`` are aligned."""
    if schema.core.engine.updates_partially:
        _check_partial_updates(schema, assigned, old, new)
    if new.num_rows and not set(schema.core.sequence_field).isdisjoint(assigned):
        _check_newer(schema, old, new)


def _check_newer(schema: TableSchema, old: pa.Table, new: pa.Table) -> None:
    fields = SequenceFields.of(schema)
    both = pa.concat_tables([old.select(list(fields.names)), new.select(list(fields.names))])
    is_older, is_equal = np.zeros(new.num_rows, bool), np.ones(new.num_rows, bool)
    for word in fields.words(both.columns):
        before, after = np.split(word, 2)
        is_older |= is_equal & (after < before)
        is_equal &= after == before
    if is_older.any():
        raise Unsupported(
            f"With option 'sequence.field' = '{','.join(fields.names)}' an update cannot decrease these columns: the "
            "rows would not change.",
            "Assign greater values to these columns, or delete the rows and write new ones.",
        )


def _check_partial_updates(schema: TableSchema, assigned: Iterable[str], old: pa.Table, new: pa.Table) -> None:
    groups = schema.core.sequence_groups.items()
    group_of = {name: sequence for sequence, protected in groups for name in (*sequence, *protected)}
    for name in assigned:
        if name in group_of:
            kept = _without_sequence(new, group_of[name])
            reason = f"only NULL in the sequence columns of its group ({', '.join(group_of[name])})"
        else:
            kept = pc.and_(pc.is_null(new.column(name)), pc.is_valid(old.column(name)))
            reason = "NULL as the new value, which keeps the old one"
        if pc.any(kept).as_py():
            raise Unsupported(f"With {_engine(schema)} column '{name}' would not change in rows that have {reason}.")


def check_deletes(schema: TableSchema, deleted: pa.Table) -> None:
    """Raise Unsupported if rows of kind -D would not delete anything."""
    core = schema.core
    if not core.engine.updates_partially or core.partial_update_remove_record_on_delete or not deleted.num_rows:
        return
    removing = set(core.names(_REMOVING))
    groups = [sequence for sequence in core.sequence_groups if removing.intersection(sequence)]
    kept = reduce(
        pc.and_, (_without_sequence(deleted, sequence) for sequence in groups), pa.repeat(True, deleted.num_rows)
    )
    if pc.any(kept).as_py():
        raise Unsupported(
            f"With option '{_REMOVING}' rows with only NULL in the sequence columns {', '.join(sorted(removing))} "
            "cannot be deleted."
        )


def _engine(schema: TableSchema) -> str:
    return f"option 'merge-engine' = '{schema.core.merge_engine}'"


def _without_sequence(rows: pa.Table, sequence: Sequence[str]) -> pa.ChunkedArray:
    return reduce(pc.and_, (pc.is_null(rows.column(name)) for name in sequence))
