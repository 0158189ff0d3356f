"""Whether Spark's own Parquet writer can make the files of a write, or this library's writer has to."""

from __future__ import annotations

from collections.abc import Callable

from workbench.format.spec.data_file_fields import KEY_PREFIX
from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataType, MapType, MultisetType, RowType
from workbench.spark.reach import Reach
from workbench.spark.writing.placement import Placement

CODECS = {"zstd": "zstd", "snappy": "snappy", "gzip": "gzip", "none": "uncompressed"}
"""Spark's names for the values of option ``file.compression`` that both writers know."""
_FLAT = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE"),
    *("CHAR", "VARCHAR", "BINARY", "VARBINARY"),
)
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_LTZ")
# The precisions that Paimon stores in microseconds: lower ones are in milliseconds, and higher ones are INT96.
_MICROSECONDS = range(4, 7)
_UNORDERED_KEYS = ("FLOAT", "DOUBLE")
_RESERVED = "__workbench"


def why_not_in_jvm(schema: TableSchema, placement: Placement, reached: Reach, row_kind: str | None) -> str | None:
    """Return why Spark cannot make the files of a table; None if it can.

    Args:
        schema: The schema of the table.
        placement: How the rows reach their tasks.
        reached: How Spark reaches the storage of the table.
        row_kind: The column with row kinds, if there is one.
    """
    if reached.reason is not None:
        return reached.reason
    if not reached.renames:
        return "the storage would copy files that are moved into their buckets"
    if placement not in (Placement.ANY, Placement.BUCKET):
        return "tasks assign the buckets of the rows"
    if row_kind is not None or schema.core.rowkind_field is not None:
        return "the rows have row kinds"
    tests = (test(schema) for test in (_of_options, _of_files, _of_columns, _of_keys))
    return next((reason for reason in tests if reason is not None), None)


def _of_options(schema: TableSchema) -> str | None:
    core = schema.core
    refused: dict[str, Callable[[], object]] = {
        "file indexes": lambda: any(each.startswith("file-index.") for each in schema.options),
        "row tracking": lambda: core.row_tracking_enabled or core.data_evolution_enabled,
        "external paths": lambda: core.names("data-file.external-paths"),
        "clustering": lambda: core.value("pk-clustering-override"),
    }
    return next((f"the table uses {name}" for name, is_used in refused.items() if is_used()), None)


def _of_files(schema: TableSchema) -> str | None:
    file_format, codec = schema.kind.of_new_files()
    if file_format != "parquet":
        return f"the format of the files is '{file_format}'"
    return None if codec.lower() in CODECS else f"the compression of the files is '{codec}'"


def _of_columns(schema: TableSchema) -> str | None:
    names = [name.lower() for name in schema.field_names]
    if len(set(names)) < len(names) or any(name.startswith((_RESERVED, KEY_PREFIX.lower())) for name in names):
        return "Spark cannot distinguish the names of the columns"
    for field in schema.fields:
        if field.default_value is not None and not isinstance(field.type, AtomicType):
            return f"column '{field.name}' has the default {field.default_value}, which only Python tasks can apply"
        reason = _of_type(field.type, is_column=True)
        if reason is not None:
            return f"column '{field.name}' is {field.type}, {reason}"
    return None


def _of_type(data_type: DataType, *, is_column: bool = False) -> str | None:
    """Return why Spark stores a type in a different form than Paimon; None if the form is the same."""
    is_flat = isinstance(data_type, AtomicType)
    if not data_type.nullable and not (is_flat and is_column):
        return "whose NOT NULL constraint must be checked row by row"
    if isinstance(data_type, AtomicType):
        if data_type.root in _MOMENTS:
            is_micro = data_type.precision in _MICROSECONDS
            return None if is_micro else "which Spark does not store in that precision"
        return None if data_type.root in _FLAT else "which Spark stores in another form"
    if isinstance(data_type, MultisetType):
        return "which Spark stores in another form"
    if isinstance(data_type, RowType):
        children = [each.type for each in data_type.fields]
    else:
        # The key may be NOT NULL, because keys are never null in a map of Spark.
        children = [data_type.value] if isinstance(data_type, MapType) else list(data_type.children())
        keys = [data_type.key.as_nullable()] if isinstance(data_type, MapType) else []
        children += keys
    return next((reason for each in children if (reason := _of_type(each)) is not None), None)


def _of_keys(schema: TableSchema) -> str | None:
    core, engine = schema.core, schema.kind.merge_engine
    if engine is None:
        return None
    if not engine.keeps_newest or core.sequence_field:
        return "merging rows of the same key depends on more than their order"
    if core.changelog_producer != "none" or core.needs_lookup:
        return "the table keeps a changelog or deletion vectors"
    unordered = next((each for each in schema.key_fields if each.type.root in _UNORDERED_KEYS), None)
    return None if unordered is None else f"Spark sorts key '{unordered.name}' of type {unordered.type} differently"
