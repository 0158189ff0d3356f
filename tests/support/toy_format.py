"""A file format from outside of the package: Arrow's IPC files under the name ``toy``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from workbench.datafile.file_format import FileFormat, RowGroupFilter
from workbench.datafile.formats.unsplittable import WholeFile
from workbench.datafile.readers.columns import FileColumns
from workbench.datafile.writer_protocol import FileShape
from workbench.format.file_formats.traits import FileFormatTraits
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataType, field_to_arrow
from workbench.metadata.errors import reading
from workbench.metadata.store import TableStore


class ToyDataFile(WholeFile):
    """The rows of one file."""

    def __init__(
        self,
        store: TableStore,
        path: str,
        file: DataFileMeta,
        read_schema: TableSchema,
        _filter: RowGroupFilter | None,
    ) -> None:
        super().__init__(store, path, file, read_schema)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return all rows."""
        with reading(self.path):
            stored = pa.ipc.open_file(self._store.file_io.read_bytes(self.path)).read_all()
        result = FileColumns(self._store, self.path, self.file, self._schema, stored.column_names)
        return result.as_declared(stored, columns, lambda column, _: column)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows, in the schema of `read`."""
        return self.read(columns).slice(0, 0)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield all rows, at most ``batch_rows`` at a time."""
        table = self.read(columns)
        for first in range(0, table.num_rows, batch_rows):
            yield table.slice(first, batch_rows)


class ToyWriter:
    """One file that is being written."""

    def __init__(self, output: Any, shape: FileShape, _first_rows: pa.Table) -> None:
        self._schema = pa.schema([field_to_arrow(each) for each in shape.fields])
        self._writer = pa.ipc.new_file(output, self._schema)

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()


def _not_in_toy(data_type: DataType) -> DataType | None:
    return data_type if data_type.root == "MAP" else None


TOY = FileFormat(FileFormatTraits("toy", "Toy", unsupported_type=_not_in_toy), ToyDataFile, ToyWriter)
