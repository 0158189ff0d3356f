"""Which changes are counted and shown: by kind, column, partition and condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray
from workbench.base.errors import InvalidRequest, SchemaMismatch, did_you_mean
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Expr
from workbench.expr.parse import parse
from workbench.expr.resolve import resolve_predicate
from workbench.format.spec.schema import TableSchema
from workbench.lens.diff.partitions import labels_of
from workbench.lsm.merge_function import RowKind
from workbench.scan.incremental.changed_rows import ChangedRows

Kind = Literal["inserted", "updated", "deleted"]
KINDS: dict[str, tuple[RowKind, ...]] = {
    "inserted": (RowKind.INSERT,),
    "updated": (RowKind.UPDATE_AFTER, RowKind.UPDATE_BEFORE),
    "deleted": (RowKind.DELETE,),
}


@dataclass(frozen=True)
class DiffFilter:
    """The changes to keep; '' keeps all.

    ``kind`` is inserted, updated or deleted; ``column`` keeps updates that changed it; ``partition`` is a label such as
    ``dt=2026-11-01``; ``where`` is a condition as SQL, which the old or the new row must satisfy.
    """

    kind: str = ""
    column: str = ""
    partition: str = ""
    where: str = ""

    def __bool__(self) -> bool:
        return bool(self.kind or self.column or self.partition or self.where)


@dataclass(frozen=True)
class BoundFilter:
    """A filter of the changes of one source."""

    filter: DiffFilter
    schema: TableSchema
    where: Expr | None

    @staticmethod
    def of(chosen: DiffFilter, schema: TableSchema) -> BoundFilter:
        """Return the filter for a schema.

        Raises:
            InvalidRequest: The kind is unknown.
            InvalidExpression: The condition is not valid.
            SchemaMismatch: The column does not exist.
        """
        if chosen.kind and chosen.kind not in KINDS:
            hint = did_you_mean(chosen.kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
            raise InvalidRequest(f"'{chosen.kind}' is not a kind of change.", hint)
        if chosen.column:
            schema.field(chosen.column)
        if chosen.partition and not schema.partition_keys:
            raise SchemaMismatch("The table has no partitions.", "Remove the filter by partition.")
        text = chosen.where.strip()
        return BoundFilter(chosen, schema, resolve_predicate(parse(text), schema.fields) if text else None)

    @property
    def keeps_kinds(self) -> bool:
        """Whether the kind of a change alone decides whether it is kept."""
        return not (self.filter.column or self.filter.partition) and self.where is None

    def apply(self, changes: ChangedRows) -> ChangedRows:
        """Return the changes to keep."""
        chosen = self.filter
        if chosen.kind:
            changes = changes.filter(np.isin(changes.kinds, KINDS[chosen.kind]))
        if chosen.column:
            none = np.zeros(len(changes), bool)
            changes = changes.filter(changes.differs.get(chosen.column, none))
        if chosen.partition and len(changes):
            keys = self.schema.partition_keys
            codes, labels = labels_of(changes.newest_rows(keys), [self.schema.field(name) for name in keys])
            changes = changes.filter(np.array([label == chosen.partition for label in labels], bool)[codes])
        if self.where is not None and len(changes):
            changes = changes.filter(self._matches(changes, self.where))
        return changes

    def _matches(self, changes: ChangedRows, where: Expr) -> BoolArray:
        columns = self.schema.field_names
        old, new = changes.left >= 0, changes.right >= 0
        matched = np.zeros(len(changes), bool)
        matched[old] |= _mask(where, changes.before.select(list(columns)).take(pa.array(changes.left[old])))
        matched[new] |= _mask(where, changes.after.select(list(columns)).take(pa.array(changes.right[new])))
        return matched


def _mask(where: Expr, rows: pa.Table) -> BoolArray:
    mask = filter_mask(where, rows)
    chunked = mask if isinstance(mask, pa.ChunkedArray) else pa.chunked_array([mask])
    return np.asarray(chunked.fill_null(False).to_numpy(), bool)
