"""Row ids and sequence numbers of the new files of a version, in tables with row tracking (format §26, Java
``RowTrackingCommitUtils``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.format.spec.data_file import DataFileMeta, FileSource, ManifestEntry
from workbench.format.spec.row_tracking import ROW_ID


def with_row_ids(
    entries: Iterable[ManifestEntry], snapshot_id: int, next_row_id: int
) -> tuple[tuple[ManifestEntry, ...], int]:
    """Return the entries with row ids and sequence numbers, and the next free row id.

    Files with new rows get consecutive ids, in the order of the entries. Rewritten rows keep their ids, which are
    stored in a column or follow from the id range of their file. A sequence number of 0 is replaced by the id of the
    snapshot.
    """
    result = []
    for entry in entries:
        file = _numbered(entry.file, snapshot_id)
        if _needs_ids(file):
            file = replace(file, first_row_id=next_row_id)
            next_row_id += file.row_count
        result.append(replace(entry, file=file))
    return tuple(result), next_row_id


def _numbered(file: DataFileMeta, snapshot_id: int) -> DataFileMeta:
    if file.min_sequence_number == 0:
        return replace(file, min_sequence_number=snapshot_id, max_sequence_number=snapshot_id)
    if file.max_sequence_number == 0:
        return replace(file, max_sequence_number=snapshot_id)
    return file


def _needs_ids(file: DataFileMeta) -> bool:
    is_new = file.file_source == FileSource.APPEND and file.first_row_id is None
    return is_new and ROW_ID not in (file.write_cols or ())
