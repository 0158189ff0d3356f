"""The columns that the file indexes of some files cover."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.parallel import parallel_map
from workbench.datafile.file_indexes import FileIndexes
from workbench.format.spec.data_file import DataFileMeta
from workbench.scan.pruning import has_index
from workbench.scan.scan import Scan
from workbench.scan.split import Split

_WORKERS = 8


def indexed_columns(scan: Scan, files: Sequence[tuple[Split, DataFileMeta]]) -> list[frozenset[str]]:
    """Return the indexed columns of each file. The planner has already read these indexes to evaluate the predicate."""
    if scan.where is None:
        return [frozenset()] * len(files)
    indexes = FileIndexes(scan.store, scan.schema, scan.where)

    def columns(split_and_file: tuple[Split, DataFileMeta]) -> frozenset[str]:
        split, file = split_and_file
        if not has_index(file):
            return frozenset()
        return frozenset(name for name, _ in indexes.kinds(split.path(file), file, scan.schema.field_names))

    return parallel_map(columns, files, _WORKERS)
