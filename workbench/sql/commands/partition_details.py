"""The facts of one partition, as SHOW TABLE EXTENDED … PARTITION prints them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import InvalidRequest
from workbench.base.zones import statement_zone
from workbench.sql.context import Context
from workbench.sql.partitions import existing_partitions, partition_text, selected


def partition_details(context: Context, table: Any, wanted: Mapping[str, Any]) -> str:
    """Return the facts of the partition with the wanted values as lines.

    Raises:
        InvalidRequest: If the values do not identify exactly one partition.
    """
    chosen = selected(table, wanted, existing_partitions(table))
    if len(chosen) != 1 or len(wanted) != len(table.partition_keys):
        given = ", ".join(f"{name} = {value!r}" for name, value in wanted.items())
        raise InvalidRequest(
            f"{table.name} has no partition ({given}).",
            f"Name a value of each of its partition columns: {', '.join(table.partition_keys) or 'it has none'}.",
        )
    values = partition_text(chosen[0])
    rows = context.catalog.open(f"{table.name}$partitions").to_arrow().to_pylist()
    found = next(each for each in rows if each["partition"] == values)
    changed = found["last_update_time"].replace(tzinfo=statement_zone())
    parameters = {
        "recordCount": found["record_count"],
        "fileSizeInBytes": found["file_size_in_bytes"],
        "fileCount": found["file_count"],
        "lastFileCreationTime": round(changed.timestamp() * 1000),
    }
    listed = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return (
        f"Partition Values: [{values.replace('/', ', ')}]\n"
        f"Partition Parameters: {{{listed}}}\n"
        f"Partition Statistics: {found['record_count']} rows, {found['file_size_in_bytes']} bytes\n"
    )
