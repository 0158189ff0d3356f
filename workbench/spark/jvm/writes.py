"""Batch writes of the session's catalog: Spark hands over the rows as a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from workbench.base.errors import Unsupported
from workbench.expr.expressions import Expr, conjunction
from workbench.spark.jvm.options import named_table, table_options
from workbench.spark.jvm.reads import condition, value
from workbench.spark.writing.writer import write
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    from workbench.catalog.protocol import Catalog


def write_rows(catalog: Catalog, request: Mapping[str, Any], frame: DataFrame) -> None:
    """Write the rows of a statement.

    Raises:
        Unsupported: If the condition of an overwrite is not one that this process can evaluate.
    """
    options = request["writing"]
    table = named_table(catalog, options)
    given = table_options(options)
    if given:
        table = with_dynamic_options(table, given)
    if request["mode"] == "append":
        write(frame, table)
        return
    partition, where = _replaced(request["filters"], table.partition_keys)
    write(frame, table, "overwrite", partition=partition, where=where, dynamic=None if partition or where else False)


def _replaced(filters: Sequence[Sequence[Any]], keys: Sequence[str]) -> tuple[dict[str, Any] | None, Expr | None]:
    """Return what an overwrite replaces: one partition, the partitions of a condition, or the whole table."""
    given = [each for each in filters if each[0] != "true"]
    values: dict[str, Any] = {}
    if all(_names_value(each, keys, values) for each in given):
        return values or None, None
    conditions = [made for each in given if (made := condition(each)) is not None]
    if len(conditions) < len(given):
        raise Unsupported(
            "An overwrite by this condition is not supported.",
            f"Compare partition columns ({', '.join(keys) or 'none'}) with constants.",
        )
    return None, conjunction(conditions)


def _names_value(described: Sequence[Any], keys: Sequence[str], values: dict[str, Any]) -> bool:
    """Add the value of the partition column that a filter selects; return False if it selects otherwise."""
    kind, first, second = described
    if kind == "and":
        return _names_value(first, keys, values) and _names_value(second, keys, values)
    name = first.strip("`")
    if kind in ("=", "<=>") and name in keys:
        values[name] = value(second)
    elif kind == "null" and name in keys:
        values[name] = None
    else:
        # Spark adds that a column is not NULL to a comparison with it.
        return kind == "not null" and name in keys
    return True
