"""``$schemas``, ``$options`` and ``$aggregation_fields``: the contents of the schema, regardless of the version."""

from __future__ import annotations

from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import DataField, field_to_json
from workbench.metadata.schemas import all_schemas, load_latest_schema
from workbench.metadata.store import TableStore
from workbench.table.system.kinds import Columns, SystemKind, listed, schema_of
from workbench.table.system.texts import json_text, type_text

_SCHEMAS = schema_of(
    {
        "schema_id": "BIGINT NOT NULL",
        "fields": "STRING NOT NULL",
        "partition_keys": "STRING NOT NULL",
        "primary_keys": "STRING NOT NULL",
        "options": "STRING NOT NULL",
        "comment": "STRING",
        "update_time": "TIMESTAMP(3) NOT NULL",
    }
)


def _schemas(store: TableStore, _: Snapshot | None) -> Columns:
    return listed(
        _SCHEMAS,
        all_schemas(store),
        {
            "schema_id": lambda schema: schema.id,
            "fields": lambda schema: json_text([field_to_json(field) for field in schema.fields]),
            "partition_keys": lambda schema: json_text(list(schema.partition_keys)),
            "primary_keys": lambda schema: json_text(list(schema.primary_keys)),
            "options": lambda schema: json_text(dict(schema.options)),
            "comment": lambda schema: schema.comment,
            "update_time": lambda schema: schema.time_millis,
        },
        instants=["update_time"],
    )


_OPTIONS = schema_of({"key": "STRING NOT NULL", "value": "STRING NOT NULL"})


def _options(store: TableStore, _: Snapshot | None) -> Columns:
    return listed(
        _OPTIONS,
        sorted(_latest(store).options.items()),
        {"key": lambda option: option[0], "value": lambda option: option[1]},
    )


_AGGREGATION_FIELDS = schema_of(
    {
        "field_name": "STRING NOT NULL",
        "field_type": "STRING NOT NULL",
        "function": "STRING",
        "function_options": "STRING",
        "comment": "STRING",
    }
)


def _aggregation_fields(store: TableStore, _: Snapshot | None) -> Columns:
    schema = _latest(store)

    def own_options(field: DataField) -> list[tuple[str, str]]:
        keys = ((key, value, key.split(".")) for key, value in sorted(schema.options.items()))
        return [(key, value) for key, value, parts in keys if parts[:2] == ["fields", field.name] and len(parts) > 2]

    return listed(
        _AGGREGATION_FIELDS,
        [(field, own_options(field)) for field in schema.fields],
        {
            "field_name": lambda each: each[0].name,
            "field_type": lambda each: type_text(each[0].type),
            "function": lambda each: f"[{', '.join(value for _, value in each[1])}]",
            "function_options": lambda each: f"[{', '.join(key for key, _ in each[1])}]",
            "comment": lambda each: each[0].description,
        },
    )


def _latest(store: TableStore) -> TableSchema:
    return load_latest_schema(store)


DEFINITION_KINDS = {
    "schemas": SystemKind(_SCHEMAS, _schemas),
    "options": SystemKind(_OPTIONS, _options),
    "aggregation_fields": SystemKind(_AGGREGATION_FIELDS, _aggregation_fields),
}
