"""The partitions of a table that have rows, with their values as strings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from workbench.format.spec.partition_path import escape
from workbench.format.types import AtomicType, DataField, char_length
from workbench.format.types.implicit_values import moment_of

if TYPE_CHECKING:
    from workbench.format.spec.snapshot import Snapshot
    from workbench.metadata.store import TableStore

Partition = dict[str, str | None]
_TEXTS = ("STRING", "VARCHAR", "CHAR")
_TIMES = "TIMESTAMP"


def existing_partitions(table: Any, where: str | None = None) -> list[Partition]:
    """Return the values of the partitions that have rows, cast to strings as in SQL; null values are None.

    Args:
        table: The table; of one that is read from two branches, the branch that is written to.
        where: A condition on partition columns that selects some of them.

    Returns:
        One dictionary for each partition, with a value for each partition column.

    Raises:
        InvalidExpression: If the condition uses other columns.
    """
    return partitions_of(table.store, table.version, where)


def partitions_of(store: TableStore, version: Snapshot | None, where: str | None = None) -> list[Partition]:
    """Return the partitions of a version, as `existing_partitions` does."""
    from workbench.expr.parse import parse
    from workbench.expr.resolve import resolve_predicate
    from workbench.table.compaction.compact_table import live_files
    from workbench.table.system.texts import sql_texts

    if version is None:
        return []
    condition = None if where is None else resolve_predicate(parse(where), store.schema.fields)
    types = [field.type for field in store.partition_fields]
    names = [field.name for field in store.partition_fields]
    found = dict.fromkeys(entry.partition for entry in live_files(store, version, condition))
    texts = (sql_texts(store.partition_values(each), types) for each in found)
    return [dict(zip(names, each, strict=True)) for each in texts]


def with_own_names(table: Any, partition: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by partition column, spelled as in the table. A statement may write the columns in another case,
    string values as integers, and times in its own zone."""
    own = {name.lower(): name for name in table.partition_keys}
    named = {own.get(name.lower(), name): value for name, value in partition.items()}
    fields = {field.name: field for field in table.store.partition_fields}
    return {name: _own_value(fields[name], value) if name in fields else value for name, value in named.items()}


def _without_blanks(table: Any, partition: Mapping[str, str | None]) -> Partition:
    """Return the texts of a partition without blanks at the end of CHAR, with which some writers store it."""
    chars = {field.name for field in table.store.partition_fields if char_length(field.type) is not None}
    return {name: text.rstrip(" ") if text and name in chars else text for name, text in partition.items()}


def _own_value(field: DataField, value: Any) -> Any:
    if str(field.type).startswith(_TEXTS) and _is_number(value):
        return str(value)
    if isinstance(value, date) and isinstance(field.type, AtomicType) and field.type.root.startswith(_TIMES):
        return moment_of(value, has_zone=field.type.root == "TIMESTAMP_LTZ")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def selected(table: Any, wanted: Mapping[str, Any], partitions: Sequence[Partition]) -> list[Partition]:
    """Return the partitions that have the wanted values, which may be strings.

    Raises:
        SchemaMismatch: If a name is not a partition column, or a value does not fit its column.
    """
    from workbench.table.dml.whole_partitions import partition_texts

    named = _without_blanks(table, partition_texts(table.store, with_own_names(table, wanted)))
    return [each for each in partitions if named.items() <= _without_blanks(table, each).items()]


def partition_text(partition: Partition) -> str:
    """Return a partition as SHOW PARTITIONS prints it: ``dt=2026-11-01/region=null``."""
    return "/".join(f"{name}={'null' if value is None else escape(value)}" for name, value in partition.items())


def shown_partition(table: Any, partition: Partition) -> str:
    """Return a partition as SHOW PARTITIONS prints it, without trailing zeros in the fractional seconds of times."""
    times = {field.name for field in table.store.partition_fields if str(field.type).startswith("TIMESTAMP")}
    return partition_text({name: _shortened(text) if name in times else text for name, text in partition.items()})


def _shortened(text: str | None) -> str | None:
    return text.rstrip("0").removesuffix(".") if text is not None and "." in text else text
