"""Creates the first schema of a table, as Java's ``Schema`` builder does (format §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa

from workbench.base.errors import InvalidSchema
from workbench.format.options.values import option_text
from workbench.format.spec.schema import TableSchema, assign_field_ids
from workbench.format.types import DataField, from_arrow, parse_type
from workbench.format.types.arrow_types import field_description
from workbench.metadata.definition.columns import Columns
from workbench.metadata.definition.schema_checks import check_table_schema


def new_table_schema(
    columns: Columns,
    *,
    primary_key: str | Iterable[str] = (),
    partition_by: str | Iterable[str] = (),
    options: Mapping[str, object] | None = None,
    comment: str | None = None,
    time_millis: int,
) -> TableSchema:
    """Return the first schema of a new table: ids are assigned, key columns become NOT NULL, contradictions are
    refused.

    ``columns`` is an Arrow schema, a mapping of names to types, or a sequence of (name, type) or (name, type, comment).

    Keys may be defined by the options ``primary-key`` and ``partition`` instead, which are not stored. Names and values
    of the other options are checked by `check_user_options`, not here.

    Raises:
        InvalidSchema: If columns are unknown, repeated or reserved, keys are invalid, or bucket options contradict
            them.
    """
    stored = {key: option_text(key, value) for key, value in (options or {}).items()}
    primary_keys = _keys(primary_key, stored.pop("primary-key", None), "primary key", "primary-key")
    partition_keys = _keys(partition_by, stored.pop("partition", None), "partition", "partition")
    fields, highest_field_id = assign_field_ids(_not_null(_columns_of(columns), primary_keys), -1)
    schema = TableSchema(
        id=0,
        fields=fields,
        highest_field_id=highest_field_id,
        partition_keys=partition_keys,
        primary_keys=primary_keys,
        options=stored,
        comment=comment,
        time_millis=time_millis,
    )
    check_table_schema(schema)
    return schema


def _keys(given: str | Iterable[str], from_option: str | None, what: str, option: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    if from_option is None:
        return names
    if names:
        raise InvalidSchema(
            f"The {what} is defined both by an option and by an argument.",
            f"Remove the option '{option}' or the argument.",
        )
    return tuple(name.strip() for name in from_option.split(",") if name.strip())


def _columns_of(columns: Columns) -> list[DataField]:
    if isinstance(columns, pa.Schema):
        return [
            DataField(0, each.name, from_arrow(each.type, each.nullable), field_description(each)) for each in columns
        ]
    pairs = columns.items() if isinstance(columns, Mapping) else columns
    fields = []
    for pair in pairs:
        if isinstance(pair, DataField):
            fields.append(pair)
            continue
        name, data_type, *comment = pair
        try:
            parsed = parse_type(data_type) if isinstance(data_type, str) else data_type
            fields.append(DataField(0, name, parsed, *comment))
        except InvalidSchema as error:
            raise InvalidSchema(f"Column '{name}': {error.message}", error.hint) from error
    return fields


def _not_null(fields: list[DataField], primary_keys: tuple[str, ...]) -> list[DataField]:
    return [replace(each, type=each.type.not_null()) if each.name in primary_keys else each for each in fields]
