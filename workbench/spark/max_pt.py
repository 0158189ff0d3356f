"""``sys.max_pt('table')``: the largest value of the first partition column, as a string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.format.spec.partition_path import partition_path, unescape

if TYPE_CHECKING:
    from workbench.table.readable_table import ReadableTable


def max_partition(table: ReadableTable) -> str:
    """Return the largest value of the first partition column among the partitions with files.

    Raises:
        InvalidExpression: If the table is not partitioned, or has no partition with rows.
    """
    if not table.partition_keys:
        raise InvalidExpression(f"{table.name} has no partitions.", "Call sys.max_pt with a partitioned table.")
    store = table.store
    found = {store.partition_values(split.partition)[0] for split in table.scan().plan()}
    values = [value for value in found if value is not None]
    if not values:
        raise InvalidExpression(f"{table.name} has no partition with rows.", "Write into it first.")
    first = store.partition_fields[0]
    default_name = store.schema.core.partition_default_name
    greatest = max(values)  # type: ignore[type-var]
    return unescape(partition_path([greatest], [first.type], [""], default_name, legacy=False).partition("=")[2])
