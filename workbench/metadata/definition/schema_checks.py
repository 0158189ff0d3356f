"""Checks of a table definition, modeled on Java's `Schema` and `SchemaValidation`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidSchema, did_you_mean
from workbench.format.spec.data_file_fields import KEY_PREFIX
from workbench.metadata.definition.column_options import check_column_options

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema

RESERVED_NAMES = ("_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "_ROW_ID", "rowkind")
_NO_KEY_TYPES = ("ARRAY", "MAP", "MULTISET", "ROW", "VECTOR", "VARIANT", "BLOB", "GEOMETRY", "GEOGRAPHY")
_NO_BUCKET_KEY_TYPES = ("ARRAY", "MAP", "MULTISET", "ROW")
_NO_PARTITION_TYPES = (*_NO_KEY_TYPES, "BINARY", "VARBINARY")


def check_table_schema(schema: TableSchema) -> None:
    """Check that a definition does not contradict itself.

    Raises:
        InvalidSchema: It contradicts itself; the message names the column or the option.
        Unsupported: The bucket function does not support the bucket key.
    """
    if not schema.fields:
        raise InvalidSchema("A table needs at least one column.")
    check_column_names(schema.field_names)
    _check_key_columns(schema, schema.primary_keys, "primary key", _NO_KEY_TYPES)
    # Java accepts bytes here, but names the directory after the memory address of an object.
    _check_key_columns(schema, schema.partition_keys, "partition key", _NO_PARTITION_TYPES)
    if schema.primary_keys and not schema.trimmed_primary_keys:
        names = ", ".join(schema.primary_keys)
        raise InvalidSchema(
            f"The primary key ({names}) has only partition columns, so a partition would hold one row.",
            "Add a column to the primary key.",
        )
    _check_buckets(schema)
    check_column_options(schema)


def check_column_names(names: Iterable[str]) -> None:
    """Check that column names are not empty, repeated, or reserved for data files.

    Raises:
        InvalidSchema: A name is not allowed; the message contains it.
    """
    seen = set()
    for name in names:
        if not name:
            raise InvalidSchema("A column has an empty name.")
        if name in seen:
            raise InvalidSchema(f"Column '{name}' occurs twice.")
        if name in RESERVED_NAMES or name.startswith(KEY_PREFIX):
            raise InvalidSchema(f"The column name '{name}' is reserved by Paimon.", "Choose another name.")
        seen.add(name)


def _check_key_columns(schema: TableSchema, keys: tuple[str, ...], what: str, refused_types: tuple[str, ...]) -> None:
    for position, name in enumerate(keys):
        if name in keys[:position]:
            raise InvalidSchema(f"Column '{name}' occurs twice in the {what}.")
        _check_known(schema, name, what)
        data_type = schema.field(name).type
        if data_type.root in refused_types:
            raise InvalidSchema(f"Column '{name}' of type {data_type} cannot be in the {what}.")


def _check_known(schema: TableSchema, name: str, what: str) -> None:
    if name not in schema.field_names:
        raise InvalidSchema(
            f"The {what} names '{name}', which is not a column.", did_you_mean(name, schema.field_names)
        )


def _check_buckets(schema: TableSchema) -> None:
    bucket, declared = schema.core.bucket, schema.core.bucket_key
    if bucket < 1 and bucket not in schema.kind.special_buckets:
        raise InvalidSchema(f"Option 'bucket' cannot be {bucket}.", "Use a number of buckets greater than 0, or -1.")
    for position, name in enumerate(declared):
        if name in declared[:position]:
            raise InvalidSchema(f"Column '{name}' occurs twice in option 'bucket-key'.")
        _check_bucket_key(schema, name)
    if bucket == -1 and declared:
        raise InvalidSchema(
            "Option 'bucket-key' requires a number of buckets.", "Set 'bucket', or remove 'bucket-key'."
        )
    if bucket > 0 and not schema.bucket_keys:
        raise InvalidSchema(
            f"Option 'bucket' is {bucket}, but 'bucket-key' is not set.", "Set 'bucket-key' to column names."
        )
    if bucket > 0 and schema.core.bucket_function != "default":
        from workbench.format.rows.bucket import check_bucket_function

        check_bucket_function(schema.core.bucket_function, [schema.field(name).type for name in schema.bucket_keys])


def _check_bucket_key(schema: TableSchema, name: str) -> None:
    _check_known(schema, name, "option 'bucket-key'")
    if name in schema.partition_keys:
        raise InvalidSchema(f"Column '{name}' is a partition column and cannot be in option 'bucket-key'.")
    if schema.primary_keys and name not in schema.primary_keys:
        raise InvalidSchema(f"Column '{name}' of option 'bucket-key' is not in the primary key.")
    data_type = schema.field(name).type
    if data_type.root in _NO_BUCKET_KEY_TYPES:
        raise InvalidSchema(f"Column '{name}' of type {data_type} cannot be in option 'bucket-key'.")
