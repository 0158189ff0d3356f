"""The columns of a read in files of older schemas, as found by Spark's Parquet reader, which only knows names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.format.types import DataField

if TYPE_CHECKING:
    from workbench.scan.scan import Scan

Names = tuple[str | None, ...]
"""The name of each column of a read in files of one schema; None for a column that these files do not have."""


class StoredColumns:
    """The names of columns in files, by the schema with which the files were written."""

    def __init__(self, scan: Scan, fields: Sequence[DataField]) -> None:
        self._scan = scan
        self._fields = fields
        self._names: dict[int, Names | None] = {}
        self._current: dict[int, bool] = {}

    def names(self, schema_id: int) -> Names | None:
        """Return the names in files of a schema. Return None if Spark's reader does not return their values unchanged:
        if a column had another type, or names differ only by their case."""
        if schema_id not in self._names:
            self._names[schema_id] = self._found(schema_id)
        return self._names[schema_id]

    def are_current(self, schema_id: int) -> bool:
        """Return whether files of a schema can be read by the current names of the columns: each column has its name in
        the files, or no column has this name there, so that it is NULL."""
        if schema_id not in self._current:
            self._current[schema_id] = self._has_current_names(schema_id)
        return self._current[schema_id]

    def _has_current_names(self, schema_id: int) -> bool:
        names = self.names(schema_id)
        if names is None:
            return False
        known = {field.name.lower() for field in self._scan.store.schema_of(schema_id).fields}
        return all(
            name == field.name or (name is None and field.name.lower() not in known)
            for name, field in zip(names, self._fields, strict=True)
        )

    def _found(self, schema_id: int) -> Names | None:
        written = self._scan.store.schema_of(schema_id).fields
        if len({field.name.lower() for field in written}) < len(written):
            return None
        by_id = {field.id: field for field in written}
        names: list[str | None] = []
        for field in self._fields:
            found = by_id.get(field.id)
            if found is not None and field.type not in (found.type, found.type.as_nullable()):
                return None
            names.append(None if found is None else found.name)
        return tuple(names)
