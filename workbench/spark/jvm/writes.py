"""Batch writes of the session's catalog: Spark hands over the rows as a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.expr.expressions import Expr, conjunction
from workbench.format.options.catalog import find_option
from workbench.metadata.definition.fixed_options import is_fixed_option
from workbench.metadata.layouts import LAYOUT_OPTIONS
from workbench.spark.changes.running import running_statement
from workbench.spark.jvm.options import (
    CASTS,
    KEEPS_COLUMNS,
    MERGE_SCHEMA,
    OVERWRITES,
    is_set,
    table_options,
    table_to_write,
)
from workbench.spark.jvm.reads import condition, value
from workbench.spark.storing.assignment import by_name, by_position, is_case_sensitive, with_fields_of, with_names_of
from workbench.spark.storing.value_limits import with_nested_padding
from workbench.spark.types import arrow_schema
from workbench.spark.writing.writer import write
from workbench.table.dml.result import row_changes
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table


def write_rows(catalog: Catalog, request: Mapping[str, Any], frame: DataFrame) -> None:
    """Write the rows of a statement.

    Raises:
        Unsupported: If this process cannot evaluate the condition of an overwrite.
        SchemaMismatch: If the rows do not have the columns of the table.
    """
    options = request["writing"]
    if is_set(options, OVERWRITES):
        _overwrite_rows(frame, table_to_write(catalog, options), options)
        return
    table = written_table(catalog, options)
    if is_set(options, CASTS) and not is_set(options, MERGE_SCHEMA):
        matched = by_position if is_set(options, KEEPS_COLUMNS) else by_name
        frame = matched(frame, table.schema.fields, casts=True)
    elif table.schema.core.write_merge_schema:
        frame = with_names_of(_with_names(frame, table), table.schema.fields)
        table.merge_schema(arrow_schema(frame.schema), case_sensitive=is_case_sensitive(frame))
        frame = with_fields_of(frame, table.schema.fields)
    frame = with_nested_padding(frame, table.schema.fields)
    if request["mode"] == "append":
        running = running_statement(request.get("statement"))
        commit = write(frame, table, progress=running.progress, properties=running.properties)
        running.finish(row_changes(commit, commit.seconds, inserted=commit.rows))
        return
    if request["mode"] == "dynamic":
        write(frame, table, "overwrite", dynamic=True)
        return
    partition, where = _replaced(request["filters"], table.partition_keys)
    dynamic = None if partition or where is not None else False
    write(frame, table, "overwrite", partition=partition, where=where, dynamic=dynamic)


def _overwrite_rows(frame: DataFrame, table: Table, options: Mapping[str, str]) -> None:
    """Replace the rows of a table that ``saveAsTable`` overwrites. Options that would define a new table have no
    effect, as in Paimon's connector."""
    given = {key: text for key, text in table_options(options).items() if not _defines_table(key)}
    if given:
        table = with_dynamic_options(table, given)
    fields = table.schema.fields
    rows = with_names_of(frame, fields) if table.schema.core.write_merge_schema else by_name(frame, fields, casts=True)
    rows = with_nested_padding(rows, fields)
    mode = frame.sparkSession.conf.get("spark.sql.sources.partitionOverwriteMode", "static")
    write(rows, table, "overwrite", dynamic=bool(table.partition_keys) and str(mode).lower() == "dynamic")


def _defines_table(key: str) -> bool:
    return find_option(key) is None or is_fixed_option(key) or key in LAYOUT_OPTIONS


def written_table(catalog: Catalog, options: Mapping[str, str]) -> Table:
    """Return the table of a write, with the options of the write. As in Paimon's connector, options that are fixed for
    a table have no effect, so that a writer may repeat the options with which it created the table."""
    table = table_to_write(catalog, options)
    given = {key: text for key, text in table_options(options).items() if not is_fixed_option(key)}
    return with_dynamic_options(table, given) if given else table


def _with_names(frame: DataFrame, table: Table) -> DataFrame:
    """Return rows with the names of the table's columns if they have none of these names, such as the rows of VALUES.

    Spark does not rename the columns where a write may change the schema of the table.
    """
    names = table.schema.field_names
    known = {name.lower() for name in names}
    if any(name.lower() in known for name in frame.columns):
        return frame
    if len(frame.columns) != len(names):
        raise SchemaMismatch(
            f"The rows have {counted(len(frame.columns), 'columns')}, but {table.name} has {len(names)}.",
            "Name the columns, so that new ones can be added to the table.",
        )
    return frame.toDF(*names)


def _replaced(filters: Sequence[Sequence[Any]], keys: Sequence[str]) -> tuple[dict[str, Any] | None, Expr | None]:
    """Return what an overwrite replaces: one partition, the partitions of a condition, or the whole table."""
    given = [each for each in filters if each[0] != "true"]
    values: dict[str, Any] = {}
    if all(_names_value(each, keys, values) for each in given):
        return values or None, None
    conditions = [made for each in given if (made := condition(each, {})) is not None]
    if len(conditions) < len(given):
        raise Unsupported(
            "An overwrite by this condition is not supported.",
            f"Compare partition columns ({', '.join(keys) or 'none'}) with constants.",
        )
    return None, conjunction(conditions)


def _names_value(described: Sequence[Any], keys: Sequence[str], values: dict[str, Any]) -> bool:
    """Add the value of the partition column that a filter selects; return False if it selects in another way."""
    kind, first, second = described
    if kind == "and":
        return _names_value(first, keys, values) and _names_value(second, keys, values)
    # The operand of NOT and OR is a filter.
    name = first.strip("`") if isinstance(first, str) else None
    if name is None or name not in keys:
        return False
    if kind == "not null":
        # Spark adds this condition to a comparison with a column.
        return True
    if kind not in ("=", "<=>", "null"):
        return False
    wanted = None if kind == "null" else value(second)
    return bool(values.setdefault(name, wanted) == wanted)
