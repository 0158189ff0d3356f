"""Data files with the metadata that levels and compaction picks use."""

from __future__ import annotations

from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta
from workbench.lsm.levels import Key


def key_of(data: bytes) -> Key:
    return (int.from_bytes(data, "big"),)


def data_file(
    name: str, level: int, size: int, low: int = 0, high: int = 9, last: int = 0, deletes: int | None = 0
) -> DataFileMeta:
    keys = (low.to_bytes(4, "big"), high.to_bytes(4, "big"))
    stats = (EMPTY_STATS, EMPTY_STATS)
    return DataFileMeta(
        name, size, 10, *keys, *stats, last, last, 0, level, creation_time=last, delete_row_count=deletes
    )
