"""The kinds of rows written to a primary-key table: a column may define them, some are ignored, and some are not
accepted by the merge engine (Java ``RowKindGenerator``, ``RowKindFilter``)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int8Array
from workbench.base.errors import InvalidSchema, SchemaMismatch
from workbench.base.lazy import cached_property
from workbench.format.spec.schema import TableSchema
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.merge_function import Kinds, MergeFunction, RowKind, is_retract
from workbench.write.input import Rows, row_kinds

_TEXTS = ("CHAR", "VARCHAR")


@dataclass
class RowKindReader:
    """Reader of the kinds of all rows of one writer."""

    schema: TableSchema
    _accepted: set[RowKind] = field(default_factory=set)

    def of(self, rows: Rows) -> Rows:
        """Return the rows to write, with their kinds.

        Raises:
            SchemaMismatch: A column of the table defines the kinds, and has an invalid value, or kinds were passed as
                well.
            MergeError: There are deletes, and the merge engine would fail whenever it meets another row of their key.
        """
        kinds = self._kinds(rows)
        if kinds is None or not kinds.any():
            return Rows(rows.table, kinds)
        kept = self._kept(kinds)
        table = rows.table
        if not kept.all():
            table, kinds = table.filter(pa.array(kept)), kinds[kept]
        self._check_accepted(table, kinds)
        return Rows(table, kinds)

    def _kinds(self, rows: Rows) -> Kinds | None:
        name = self.schema.core.rowkind_field
        if name is None:
            return rows.kinds
        arrow_type = self.schema.field(name).type
        if arrow_type.root not in _TEXTS:
            raise InvalidSchema(
                f"Option 'rowkind.field' names column '{name}' of type {arrow_type}, but row kinds must be text."
            )
        if rows.kinds is not None:
            raise SchemaMismatch(
                f"The row kinds are defined by column '{name}' (option 'rowkind.field'), so row_kind must "
                "not be passed.",
                "Omit row_kind.",
            )
        return row_kinds(rows.table, name)

    def _kept(self, kinds: Kinds) -> BoolArray:
        core = self.schema.core
        if core.ignore_delete:
            return ~is_retract(kinds)
        if core.ignore_update_before:
            return np.asarray(kinds != RowKind.UPDATE_BEFORE)
        return np.ones(len(kinds), bool)

    def _check_accepted(self, table: pa.Table, kinds: Kinds) -> None:
        """Merge the first delete of each kind with a row of its key, to raise the error of the merge engine early. Java
        stores such rows as long as they are the only rows of their keys, but no engine can read a key once another row
        follows."""
        for kind in (RowKind.UPDATE_BEFORE, RowKind.DELETE):
            is_new = kinds == kind if kind not in self._accepted else np.zeros(0, bool)
            if is_new.any():
                row = table.slice(int(is_new.argmax()), 1)
                pair = KeyGroups(np.arange(2, dtype=np.int64), np.zeros(1, np.int64))
                given = np.array([RowKind.INSERT, kind], np.int8)
                self._function.merge(pair, given, _Pair(pa.concat_tables([row, row])))
                self._accepted.add(kind)

    @cached_property
    def _function(self) -> MergeFunction:
        return merge_function_for(self.schema, self.schema.field_names)


@dataclass(frozen=True)
class _Pair:
    """Two rows of one key."""

    table: pa.Table

    def column(self, name: str) -> pa.ChunkedArray:
        return self.table.column(name)

    def levels(self) -> Int8Array:
        return np.zeros(self.table.num_rows, np.int8)
