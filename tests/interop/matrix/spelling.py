"""Tables in the SQL of the engines: types, statements, values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.interop.matrix.feature import Feature

# Paimon's types -> their names in Spark, as far as the connector of Paimon 0.9 supports them.
SPARK_NAMES = {
    "BYTES": "BINARY",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": "TIMESTAMP",
    "TIMESTAMP(6)": "TIMESTAMP_NTZ",
    **{name: name for name in ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "DATE")},
}


def bare(type_json: Any) -> Any:
    """A type without its nullability."""
    return type_json.removesuffix(" NOT NULL") if isinstance(type_json, str) else type_json


def flink_type(type_json: Any) -> str:
    """The type in Flink's SQL."""
    if isinstance(type_json, str):
        return type_json
    match type_json["type"].removesuffix(" NOT NULL"):
        case "ARRAY" | "MULTISET" as kind:
            return f"{kind}<{flink_type(type_json['element'])}>"
        case "MAP":
            return f"MAP<{flink_type(type_json['key'])}, {flink_type(type_json['value'])}>"
        case "ROW":
            fields = (f"`{each['name']}` {flink_type(each['type'])}" for each in type_json["fields"])
            return f"ROW<{', '.join(fields)}>"
    raise ValueError(f"no SQL for {type_json}")


def spark_type(type_json: Any) -> str | None:
    """The type in Spark's SQL; None where its connector has no such type."""
    if isinstance(type_json, str):
        name = bare(type_json)
        return name if name.startswith(("DECIMAL", "CHAR(", "VARCHAR(")) else SPARK_NAMES.get(name)
    match type_json["type"].removesuffix(" NOT NULL"):
        case "ARRAY":
            inner = [spark_type(type_json["element"])]
            layout = "ARRAY<{}>"
        case "MAP":
            inner = [spark_type(type_json["key"]), spark_type(type_json["value"])]
            layout = "MAP<{}, {}>"
        case "ROW":
            inner = [spark_type(each["type"]) for each in type_json["fields"]]
            layout = "STRUCT<" + ", ".join(f"`{each['name']}`: {{}}" for each in type_json["fields"]) + ">"
        case _:
            return None
    return None if None in inner else layout.format(*inner)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _listed(options: Mapping[str, str]) -> str:
    return ", ".join(f"'{key}' = '{value}'" for key, value in options.items())


def flink_table(feature: Feature, table: str) -> str:
    """The table's CREATE TABLE for Flink."""
    parts = [f"`{name}` {flink_type(type_json)}" for name, type_json in feature.columns.items()]
    if feature.primary_key:
        parts.append(f"PRIMARY KEY ({_listed(feature.primary_key)}) NOT ENFORCED")
    partitions = f" PARTITIONED BY ({_listed(feature.partition_by)})" if feature.partition_by else ""
    options = f" WITH ({_listed(feature.options)})" if feature.options else ""
    return f"CREATE TABLE {table} ({', '.join(parts)}){partitions}{options}"


def spark_table(feature: Feature, table: str) -> str:
    """The table's CREATE TABLE for Spark."""
    parts = []
    for name, type_json in feature.columns.items():
        required = " NOT NULL" if str(type_json).endswith("NOT NULL") else ""
        parts.append(f"`{name}` {spark_type(type_json)}{required}")
    partitions = f" PARTITIONED BY ({_listed(feature.partition_by)})" if feature.partition_by else ""
    options = dict(feature.options)
    if feature.primary_key:
        options["primary-key"] = ",".join(feature.primary_key)
    reported = f" TBLPROPERTIES ({_listed(options)})" if options else ""
    return f"CREATE TABLE {table} ({', '.join(parts)}){partitions}{reported}"


def alteration(change: Sequence[Any], table: str, spark: bool) -> str:
    """A schema change as a statement."""
    spelled = spark_type if spark else flink_type
    match change:
        case ("add", name, type_json):
            return f"ALTER TABLE {table} ADD {'COLUMN ' if spark else ''}`{name}` {spelled(type_json)}"
        case ("drop", name):
            return f"ALTER TABLE {table} DROP {'COLUMN ' if spark else ''}`{name}`"
        case ("rename", old, new):
            return f"ALTER TABLE {table} RENAME {'COLUMN ' if spark else ''}`{old}` TO `{new}`"
        case ("type", name, type_json) if spark:
            return f"ALTER TABLE {table} ALTER COLUMN `{name}` TYPE {spelled(type_json)}"
        case ("type", name, type_json):
            return f"ALTER TABLE {table} MODIFY `{name}` {spelled(type_json)}"
        case ("set", key, value):
            return f"ALTER TABLE {table} SET {'TBLPROPERTIES ' if spark else ''}('{key}' = '{value}')"
    raise ValueError(f"no SQL for {change}")


def literal(type_json: Any, text: str) -> str:
    """A value of a key column in SQL."""
    return f"'{text}'" if bare(type_json).startswith(("STRING", "CHAR", "VARCHAR")) else text
