"""The sequence groups of a partial-update table, from its options (format §17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.base.errors import InvalidSchema, did_you_mean
from workbench.format.spec.schema import TableSchema
from workbench.lsm.aggregates.functions import Aggregate, aggregate_of
from workbench.lsm.partial_update import PartialUpdateMergeFunction, SequenceGroup
from workbench.lsm.sequence_fields import check_sequence_column

_NO_FUNCTION = "last_non_null_value"


def partial_update_of(schema: TableSchema, columns: Sequence[str]) -> PartialUpdateMergeFunction:
    """Return the merge function of a table with this engine, for some of its columns.

    Raises:
        Unsupported: A column is aggregated by an unsupported function, or the values of a sequence column have no
            order.
        InvalidSchema: A group names a column that does not exist, two groups name the same column, an option names a
            column that is not a sequence column, or a function requires a group.
    """
    core = schema.core
    requested = [name for name in columns if name in schema.field_names and name not in schema.primary_keys]
    groups = _groups(schema)
    grouped = {name for sequence, protected in groups for name in (*sequence, *protected)}
    removing = core.names("partial-update.remove-record-on-sequence-group")
    _check_removing(removing, [name for sequence, _ in groups for name in sequence])
    requested_groups = [_group(schema, sequence, protected, requested, removing) for sequence, protected in groups]
    return PartialUpdateMergeFunction(
        tuple(_free(schema, name) for name in requested if name not in grouped),
        tuple(group for group in requested_groups if group is not None),
        has_groups=bool(groups),
        ignores_deletes=core.ignore_delete,
        removes_deleted=core.partial_update_remove_record_on_delete,
        merged_below=core.merges_with_lookup,
    )


def _check_removing(removing: Sequence[str], sequence_columns: Sequence[str]) -> None:
    for name in removing:
        if name not in sequence_columns:
            raise InvalidSchema(
                f"Option 'partial-update.remove-record-on-sequence-group' names '{name}', which is not a sequence "
                "column of a sequence group.",
                did_you_mean(name, sequence_columns),
            )


def _groups(schema: TableSchema) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the sequence columns of each group, and the columns that it protects."""
    groups = []
    seen: set[str] = set()
    for sequence, protected in schema.core.sequence_groups.items():
        for name in (*sequence, *protected):
            if name not in schema.field_names:
                raise InvalidSchema(
                    f"A sequence group names '{name}', which is not a column.", did_you_mean(name, schema.field_names)
                )
            if name in schema.primary_keys or name in seen:
                where = "the primary key" if name in schema.primary_keys else "another sequence group"
                raise InvalidSchema(f"Column '{name}' of a sequence group is also in {where}.")
            seen.add(name)
        for name in sequence:
            check_sequence_column(schema, name)
        groups.append((sequence, protected))
    return groups


def _group(
    schema: TableSchema,
    sequence: tuple[str, ...],
    protected: tuple[str, ...],
    requested: Sequence[str],
    removing: Sequence[str],
) -> SequenceGroup | None:
    """Return the group with its requested columns, None if none of them is affected."""
    removes = any(name in removing for name in sequence)
    read = [name for name in protected if name in requested]
    if not removes and not read and not any(name in requested for name in sequence):
        return None
    functions = {name: schema.core.aggregate_function(name) for name in read}
    group = SequenceGroup(sequence, tuple(name for name in read if functions[name] is None), (), removes)
    aggregates = [_aggregate(schema, name, function) for name, function in functions.items() if function]
    return replace(group, aggregates=tuple(aggregates))


def _aggregate(schema: TableSchema, name: str, function: str) -> Aggregate:
    return aggregate_of(schema.field(name), function, schema.core)


def _free(schema: TableSchema, name: str) -> Aggregate:
    """Return the aggregate of a column outside of all groups: non-null values replace older ones."""
    function = schema.core.aggregate_function(name)
    if function not in (None, _NO_FUNCTION):
        raise InvalidSchema(f"Column '{name}' is aggregated by '{function}', which requires a sequence group.")
    return _aggregate(schema, name, _NO_FUNCTION)
