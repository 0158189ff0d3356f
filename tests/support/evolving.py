"""Tables with row tracking, created file by file as other engines write them; this library only reads such tables."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit.publication import Publication
from workbench.commit.publish import commit
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, CommitMessage, DataFileMeta, FileSource
from workbench.metadata.definition.new_schema import new_table_schema
from workbench.table.table import Table

TRACKED = {"row-tracking.enabled": "true"}
EVOLVING = {**TRACKED, "data-evolution.enabled": "true"}
PLACEHOLDER = object()


def varint(number: int) -> bytes:
    """A zigzag number in groups of seven bits."""
    number = number * 2 if number >= 0 else -number * 2 - 1
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def blob_bytes(values: Sequence[object]) -> bytes:
    """A file of large objects: bytes, None or a placeholder for each row."""
    entries, lengths = [], []
    for value in values:
        if isinstance(value, bytes):
            entry = (1_481_511_375).to_bytes(4, "little") + value
            entry += (len(value) + 16).to_bytes(8, "little")
            entry += zlib.crc32(entry).to_bytes(4, "little")
            entries.append(entry)
            lengths.append(len(entry))
        else:
            lengths.append(-1 if value is None else -2)
    steps = [after - before for before, after in zip([0, *lengths], lengths, strict=False)]
    index = b"".join(map(varint, steps))
    return b"".join(entries) + index + len(index).to_bytes(4, "little") + b"\x01"


class EvolvingTable:
    """A table in ``catalog`` to which data files are added one by one."""

    def __init__(self, catalog: FileSystemCatalog, columns: dict[str, str], options: dict[str, str]) -> None:
        self.catalog = catalog
        # Created by hand, since the catalog creates no tables that it could not write.
        location = Path(catalog.warehouse) / "db.db" / "t"
        (location / "schema").mkdir(parents=True)
        (location / "schema" / "schema-0").write_text(
            new_table_schema(columns, options=options, time_millis=0).to_json(), "utf-8"
        )
        self._bucket = location / "bucket-0"
        self._files = 0

    @property
    def table(self) -> Table:
        """The table as it is now."""
        return self.catalog.get_table("db.t")

    def add(self, data: pa.Table, first_row_id: int | None, sequence: int, row_group_size: int | None = None) -> Path:
        """Add a Parquet file of some columns."""
        path = self._next("parquet")
        pq.write_table(data, path, row_group_size=row_group_size)
        self._commit(path, data.num_rows, tuple(data.column_names), first_row_id, sequence)
        return path

    def add_blobs(self, column: str, values: Sequence[object], first_row_id: int, sequence: int) -> Path:
        """A file of large objects."""
        path = self._next("blob")
        path.write_bytes(blob_bytes(values))
        self._commit(path, len(values), (column,), first_row_id, sequence)
        return path

    def _next(self, extension: str) -> Path:
        self._bucket.mkdir(parents=True, exist_ok=True)
        self._files += 1
        return self._bucket / f"data-{self._files}.{extension}"

    def _commit(self, path: Path, rows: int, columns: tuple[str, ...], first_row_id: int | None, sequence: int) -> None:
        file = DataFileMeta(
            file_name=path.name,
            file_size=path.stat().st_size,
            row_count=rows,
            min_key=EMPTY_ROW,
            max_key=EMPTY_ROW,
            key_stats=EMPTY_STATS,
            value_stats=EMPTY_STATS,
            min_sequence_number=sequence,
            max_sequence_number=sequence,
            schema_id=0,
            level=0,
            creation_time=0,
            delete_row_count=0,
            # New rows are always given ids; only files of a compaction can lack them.
            file_source=FileSource.COMPACT if first_row_id is None else FileSource.APPEND,
            value_stats_cols=(),
            first_row_id=first_row_id,
            write_cols=columns,
        )
        message = CommitMessage(EMPTY_ROW, 0, -1, new_files=(file,))
        commit(Publication(self.table.store, "maker", self._files), [message])
