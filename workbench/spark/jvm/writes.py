"""Batch writes of the session's catalog: Spark hands over the rows as a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from workbench.base.errors import Unsupported
from workbench.spark.jvm.options import PATH, table_options
from workbench.spark.jvm.reads import value
from workbench.spark.writing.writer import write
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    from workbench.catalog.protocol import Catalog


def write_rows(catalog: Catalog, request: Mapping[str, Any], frame: DataFrame) -> None:
    """Write the rows of a statement.

    Raises:
        Unsupported: If an overwrite is not one of whole partitions.
    """
    options = request["writing"]
    table = catalog.get_table(options[PATH])
    overwrites = request["mode"] == "overwrite"
    given = table_options(options)
    if overwrites:
        # Spark overwrites by condition here, so that partitions without new rows are emptied, too.
        given["dynamic-partition-overwrite"] = "false"
    if given:
        table = with_dynamic_options(table, given)
    write(
        frame,
        table,
        "overwrite" if overwrites else "append",
        partition=_partition(request["filters"], table.partition_keys) if overwrites else None,
    )


def _partition(filters: Sequence[Sequence[Any]], keys: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of partition columns that filters select; None for the whole table."""
    found: dict[str, Any] = {}
    for each in filters:
        _collect(each, keys, found)
    return found or None


def _collect(described: Sequence[Any], keys: Sequence[str], found: dict[str, Any]) -> None:
    kind, first, second = described
    if kind == "and":
        _collect(first, keys, found)
        _collect(second, keys, found)
    elif kind in ("=", "<=>") and first.strip("`") in keys:
        found[first.strip("`")] = value(second)
    elif kind == "null" and first.strip("`") in keys:
        found[first.strip("`")] = None
    elif kind != "true" and not (kind == "not null" and first.strip("`") in keys):
        raise Unsupported(
            "An overwrite of rows that are not whole partitions is not supported.",
            f"Compare partition columns ({', '.join(keys) or 'none'}) with constants.",
        )
