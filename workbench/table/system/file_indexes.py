"""``$file_indexes``: the indexes of each data file, in its manifest entry or in a separate file (Java
``FileIndexesTable``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.datafile.file_indexes import index_path, stored_index
from workbench.format.index.file_index.container import read_file_index
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore
from workbench.table.system.files import partition_texts, shown_entries
from workbench.table.system.kinds import Columns, SystemKind, listed, schema_of

_READERS = 8
_COLUMNS = schema_of(
    {
        "partition": "STRING",
        "bucket": "INT NOT NULL",
        "file_path": "STRING NOT NULL",
        "file_size_in_bytes": "BIGINT NOT NULL",
        "record_count": "BIGINT NOT NULL",
        "schema_id": "BIGINT NOT NULL",
        "column_name": "STRING NOT NULL",
        "index_type": "STRING NOT NULL",
        "storage_type": "STRING NOT NULL",
        "index_file_path": "STRING",
        "index_size_in_bytes": "BIGINT NOT NULL",
        "index_container_size_in_bytes": "BIGINT NOT NULL",
        "is_empty": "BOOLEAN NOT NULL",
    }
)


@dataclass(frozen=True)
class _Index:
    """One index. ``beside`` is the path of its file, None if it is stored in the manifest entry; sizes in bytes."""

    entry: ManifestEntry
    data_file: str
    beside: str | None
    column: str
    kind: str
    size: int
    container_size: int
    is_empty: bool


def _indexes_of(store: TableStore, entry: ManifestEntry) -> Iterator[_Index]:
    """Return the indexes of a data file. Raises CorruptFile, naming the file that should contain them, if they are
    missing or invalid."""
    path = store.data_file_path(entry.partition, entry.bucket, entry.file)
    data, beside = stored_index(store, path, entry.file), index_path(path, entry.file)
    if data is None:
        return
    try:
        bodies = read_file_index(data) or {}
    except ValueError as error:
        raise CorruptFile(beside or path, f"its file index is invalid ({error})") from error
    for column, kinds in bodies.items():
        for kind, body in kinds.items():
            yield _Index(entry, path, beside, column, kind, len(body or b""), len(data), body is None)


def _file_indexes(store: TableStore, snapshot: Snapshot | None) -> Columns:
    entries = shown_entries(store, snapshot)
    read = parallel_map(lambda entry: list(_indexes_of(store, entry)), entries, workers=_READERS)
    texts = partition_texts(store, {entry.partition for entry in entries})
    return listed(
        _COLUMNS,
        [index for indexes in read for index in indexes],
        {
            "partition": lambda index: texts[index.entry.partition],
            "bucket": lambda index: index.entry.bucket,
            "file_path": lambda index: index.data_file,
            "file_size_in_bytes": lambda index: index.entry.file.file_size,
            "record_count": lambda index: index.entry.file.row_count,
            "schema_id": lambda index: index.entry.file.schema_id,
            "column_name": lambda index: index.column,
            "index_type": lambda index: index.kind,
            "storage_type": lambda index: "EMBEDDED" if index.beside is None else "FILE",
            "index_file_path": lambda index: index.beside,
            "index_size_in_bytes": lambda index: index.size,
            "index_container_size_in_bytes": lambda index: index.container_size,
            "is_empty": lambda index: index.is_empty,
        },
    )


FILE_INDEX_KINDS = {"file_indexes": SystemKind(_COLUMNS, _file_indexes)}
