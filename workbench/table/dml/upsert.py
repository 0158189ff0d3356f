"""Upserts of append tables, whose option 'upsert-key' names the columns that identify rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.format.spec.schema import TableSchema
from workbench.lsm.sequence_fields import SequenceFields
from workbench.table.dml.clauses import Clause, WhenMatched, WhenNotMatched
from workbench.table.dml.result import RowChanges
from workbench.write.input import as_rows

_PLACE = "__workbench_place"


def upsert(
    schema: TableSchema, data: Any, merge: Callable[[pa.Table, str, Sequence[Clause]], RowChanges]
) -> RowChanges:
    """Replace the stored rows whose keys occur in the new rows, and insert the remaining new rows, in one commit.

    ``merge`` merges rows as `Table.merge` does. Nulls in a key are equal. With option 'sequence.field', a new row whose
    sequence values are smaller than those of the stored row is ignored, and if several new rows have the same key, the
    one with the largest sequence values counts.

    Raises:
        MergeError: Without 'sequence.field', several new rows have the key of a stored row.
    """
    keys, sequence = schema.core.upsert_key, SequenceFields.of(schema)
    rows = pa.concat_tables([schema.arrow_schema.empty_table(), *(each.table for each in as_rows(data, schema))])
    if sequence.names:
        rows = newest_of_each(rows, keys, sequence)
    matching = " AND ".join(f"t.{_quoted(name)} <=> s.{_quoted(name)}" for name in keys)
    return merge(rows, matching, [WhenMatched("*", condition=_is_not_older(sequence)), WhenNotMatched()])


def _is_not_older(sequence: SequenceFields) -> str | None:
    """Return the condition that the sequence of the new row is at least that of the stored row, as tuples in which
    NULL comes first; None without a sequence."""
    condition = None
    for name in reversed(sequence.names):
        stored, new = f"t.{_quoted(name)}", f"s.{_quoted(name)}"
        older, newer = (new, stored) if sequence.descending else (stored, new)
        rises = f"(({stored} IS NULL AND {new} IS NOT NULL) OR coalesce({older} < {newer}, false))"
        equal = f"{stored} <=> {new}"
        condition = f"({rises} OR {equal if condition is None else f'({equal} AND {condition})'})"
    return condition


def newest_of_each(rows: pa.Table, keys: tuple[str, ...], sequence: SequenceFields) -> pa.Table:
    """Return the newest row of each key."""
    # lexsort expects its most significant key last.
    oldest_first = np.lexsort(sequence.words([rows.column(name) for name in sequence.names])[::-1])
    rows = rows.take(oldest_first)
    placed = rows.select(list(keys)).append_column(_PLACE, pa.array(np.arange(rows.num_rows)))
    newest = placed.group_by(list(keys)).aggregate([(_PLACE, "max")]).column(f"{_PLACE}_max")
    return rows.take(newest.sort())


def is_upserted(schema: TableSchema) -> bool:
    """Return whether appended rows are upserted."""
    return bool(schema.core.upsert_key) and not schema.is_primary_key_table


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
