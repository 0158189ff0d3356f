"""Applying changes to a schema, without any I/O (Java ``SchemaManager.generateTableSchema``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.base.errors import InvalidSchema, SchemaMismatch, Unsupported
from workbench.format.options.values import option_text
from workbench.format.spec.schema import TableSchema, assign_field_ids
from workbench.format.types import DataField, DataType, RowType, parse_type
from workbench.metadata.definition.column_options import renamed_in_options, without_map_layout
from workbench.metadata.definition.fixed_options import KEY_OPTIONS
from workbench.metadata.definition.schema_checks import check_table_schema
from workbench.metadata.definition.schema_rules import check_option_rules
from workbench.table.schema_changes import changes as change_types
from workbench.table.schema_changes.changes import Path, SchemaChange, shown
from workbench.table.schema_changes.fields import changed_field, changed_row, changed_type, check_free, position
from workbench.table.schema_changes.options import HasRows, with_option, without_option
from workbench.table.schema_changes.types import check_nullability_change, check_type_change
from workbench.write.defaults import default_value

_KEY_INDEXES = ("pk-vector", "pk-btree", "pk-bitmap", "pk-multivalue", "pk-full-text")
_PLACES_OF_OBJECTS = ("BLOB", "VECTOR")
_DIRECTIVES = ("__BLOB", "__VECTOR")


@dataclass(frozen=True)
class _Draft:
    """The next schema under construction; ``whole`` has all columns as one ROW."""

    old: TableSchema
    has_snapshots: bool
    has_rows: HasRows
    whole: RowType
    highest_field_id: int
    primary_keys: tuple[str, ...]
    options: dict[str, str]
    comment: str | None


def altered_schema(
    old: TableSchema,
    changes: Iterable[SchemaChange],
    *,
    has_snapshots: bool,
    has_rows: HasRows = lambda: True,
    time_millis: int,
) -> TableSchema:
    """Return the schema that follows ``old``, with the next id, after all changes in order.

    ``has_snapshots`` is whether the table was ever written: if so, some options cannot change. ``has_rows`` returns
    whether any version has rows: if so, further options cannot change.

    Raises:
        SchemaMismatch: A column does not exist.
        AlreadyExists: A column exists already.
        InvalidSchema: The table does not allow a change, or the resulting schema contradicts itself.
        UnknownOption: An option is unknown.
        Unsupported: This library does not support a change.
    """
    draft = _Draft(
        old,
        has_snapshots,
        has_rows,
        RowType(old.fields),
        old.highest_field_id,
        old.primary_keys,
        dict(old.options),
        old.comment,
    )
    for change in changes:
        draft = _apply(draft, change)
    new = _finished(draft, time_millis)
    check_table_schema(new)
    check_option_rules(new.options)
    return new


def _apply(draft: _Draft, change: SchemaChange) -> _Draft:
    match change:
        case change_types.SetOption(key, value):
            old, options = draft.old, draft.options
            options = with_option(old, options, key, value, has_snapshots=draft.has_snapshots, has_rows=draft.has_rows)
            return replace(draft, options=options)
        case change_types.RemoveOption(key):
            old, options = draft.old, draft.options
            options = without_option(old, options, key, has_snapshots=draft.has_snapshots, has_rows=draft.has_rows)
            return replace(draft, options=options)
        case change_types.UpdateComment(comment):
            return replace(draft, comment=comment)
        case change_types.AddColumn():
            return _add(draft, change)
        case change_types.DropColumn(name):
            return _drop(draft, _path(draft, name))
        case change_types.RenameColumn(name, new_name):
            return _rename(draft, _path(draft, name), new_name)
        case change_types.MoveColumn():
            return replace(draft, whole=_moved(draft.whole, change))
        case change_types.UpdateColumnType(name, data_type):
            return _change_type(draft, _path(draft, name), _type(name, data_type))
        case change_types.UpdateColumnNullability(name, nullable):
            return _change_nullability(draft, _path(draft, name), nullable)
        case change_types.UpdateColumnComment(name, comment):
            whole = changed_field(draft.whole, _path(draft, name), lambda each: replace(each, description=comment))
            return replace(draft, whole=whole)
        case change_types.UpdateColumnDefault(name, value):
            text = None if value is None else option_text(shown(name), value)
            whole = changed_field(draft.whole, _path(draft, name), lambda each: with_default(each, text))
            return replace(draft, whole=whole)
        case _:
            raise InvalidSchema(f"{change!r} is not a schema change.", "Pass changes such as wb.AddColumn(…).")


def _path(draft: _Draft, name: Path) -> tuple[str, ...]:
    """Return the names on the path to a column; a string that is a column's whole name is not split."""
    if isinstance(name, str):
        return (name,) if any(each.name == name for each in draft.whole.fields) else tuple(name.split("."))
    if not name:
        raise InvalidSchema("A column has an empty name.")
    return tuple(name)


def _type(name: Path, data_type: str | DataType) -> DataType:
    try:
        return parse_type(data_type) if isinstance(data_type, str) else data_type
    except InvalidSchema as error:
        raise InvalidSchema(f"Column '{shown(name)}': {error.message}", error.hint) from error


# --- adding, dropping and moving columns ---------------------------------------------------------------------------


def _add(draft: _Draft, change: change_types.AddColumn) -> _Draft:
    path = tuple(change.name.split(".")) if isinstance(change.name, str) else change.name
    if not path:
        raise InvalidSchema("A column has an empty name.")
    data_type = _type(change.name, change.type)
    if not data_type.nullable:
        raise InvalidSchema(
            f"The new column '{shown(change.name)}' cannot be NOT NULL: existing rows have no value for it.",
            "Remove NOT NULL.",
        )
    if change.comment is not None and change.comment.strip().startswith(_DIRECTIVES):
        raise Unsupported(
            f"The comment of column '{shown(change.name)}' makes Java create a BLOB or VECTOR, which is not supported.",
            "Choose another comment.",
        )
    (added,), highest = assign_field_ids([DataField(0, path[-1], data_type, change.comment)], draft.highest_field_id)

    def into(row: RowType) -> RowType:
        check_free(row, path)
        at = _position_of_new(draft, row, path, change)
        return replace(row, fields=(*row.fields[:at], added, *row.fields[at:]))

    return replace(draft, whole=changed_row(draft.whole, path, into), highest_field_id=highest)


def _position_of_new(draft: _Draft, row: RowType, path: tuple[str, ...], change: change_types.AddColumn) -> int:
    if change.first:
        return 0
    if change.after is not None:
        return position(row, (*path[:-1], change.after)) + 1
    before_partition = len(path) == 1 and draft.old.core.value("add-column-before-partition")
    partitions = [at for at, each in enumerate(row.fields) if each.name in draft.old.partition_keys]
    return partitions[0] if before_partition and partitions else len(row.fields)


def _drop(draft: _Draft, path: tuple[str, ...]) -> _Draft:
    options = draft.options
    if len(path) == 1:
        _keep_keys(draft, path[0], "dropped")
        root = draft.whole.fields[position(draft.whole, path)].type.root
        if root in _PLACES_OF_OBJECTS:
            raise Unsupported(f"Dropping column '{path[0]}' of type {root} is not supported.")
        options = without_map_layout(options, path[0]) if root == "MAP" else options

    def out_of(row: RowType) -> RowType:
        at = position(row, path)
        if len(row.fields) == 1:
            raise InvalidSchema(f"Column '{shown(path)}' is the only one and cannot be dropped.")
        return replace(row, fields=(*row.fields[:at], *row.fields[at + 1 :]))

    return replace(draft, whole=changed_row(draft.whole, path, out_of), options=options)


def _rename(draft: _Draft, path: tuple[str, ...], new_name: str) -> _Draft:
    options, keys = draft.options, draft.primary_keys
    if len(path) == 1:
        _refuse(path[0], draft.old.partition_keys, "renamed", "a partition column")
        _refuse(path[0], _indexed(draft), "renamed", "a column with an index of the primary key")
        if draft.whole.fields[position(draft.whole, path)].type.root == "BLOB":
            raise InvalidSchema(f"Column '{path[0]}' is a BLOB and cannot be renamed.")
        options = renamed_in_options(options, path[0], new_name)
        keys = tuple(new_name if each == path[0] else each for each in keys)

    def within(row: RowType) -> RowType:
        at = position(row, path)
        check_free(row, (*path[:-1], new_name))
        renamed = replace(row.fields[at], name=new_name)
        return replace(row, fields=(*row.fields[:at], renamed, *row.fields[at + 1 :]))

    return replace(draft, whole=changed_row(draft.whole, path, within), options=options, primary_keys=keys)


def _moved(whole: RowType, change: change_types.MoveColumn) -> RowType:
    at = position(whole, (change.name,))
    target = 0 if change.after is None else position(whole, (change.after,))
    if target == at:
        raise InvalidSchema(f"Column '{change.name}' is already at that position.", "Choose another position.")
    others = [each for each in whole.fields if each.name != change.name]
    if change.after is not None:
        target = [each.name for each in others].index(change.after) + 1
    others.insert(target, whole.fields[at])
    return replace(whole, fields=tuple(others))


# --- types and defaults of columns --------------------------------------------------------------------------------


def _change_type(draft: _Draft, path: tuple[str, ...], target: DataType) -> _Draft:
    if len(path) == 1:
        position(draft.whole, path)
        _keep_keys(draft, path[0], "given another type")
        bucket_keys = draft.old.core.bucket_key if draft.has_snapshots else ()
        _refuse(
            path[0],
            bucket_keys,
            "given another type",
            "in option 'bucket-key', which determined the buckets of the rows",
        )

    def to_target(source: DataType) -> DataType:
        check_type_change(shown(path), source, target, draft.old.core)
        return target

    return replace(draft, whole=changed_type(draft.whole, path, to_target))


def _change_nullability(draft: _Draft, path: tuple[str, ...], nullable: bool) -> _Draft:
    if nullable and len(path) == 1:
        _refuse(path[0], draft.primary_keys, "made nullable", "in the primary key")

    def to_target(source: DataType) -> DataType:
        check_nullability_change(shown(path), source.nullable, nullable, draft.old.core)
        return source.with_nullability(nullable)

    return replace(draft, whole=changed_type(draft.whole, path, to_target))


def with_default(field: DataField, text: str | None) -> DataField:
    """Return a column with another default.

    Raises:
        InvalidSchema: The text is not a value of the column's type.
    """
    changed = replace(field, default_value=text)
    try:
        default_value(changed)
    except SchemaMismatch as error:
        raise InvalidSchema(error.message, error.hint) from error
    return changed


def _keep_keys(draft: _Draft, name: str, done: str) -> None:
    _refuse(name, draft.primary_keys, done, "in the primary key")
    _refuse(name, draft.old.partition_keys, done, "a partition column")
    _refuse(name, _indexed(draft), done, "a column with an index of the primary key")


def _indexed(draft: _Draft) -> tuple[str, ...]:
    return tuple(name for index in _KEY_INDEXES for name in draft.old.core.names(f"{index}.index.columns"))


def _refuse(name: str, protected: tuple[str, ...], done: str, what: str) -> None:
    if name in protected:
        raise InvalidSchema(f"Column '{name}' is {what} and cannot be {done}.")


# --- the new schema -----------------------------------------------------------------------------------------------


def _finished(draft: _Draft, time_millis: int) -> TableSchema:
    options = {name: text for name, text in draft.options.items() if name not in KEY_OPTIONS}
    primary_keys = _keys(draft, "primary-key", draft.primary_keys)
    fields = (
        replace(each, type=each.type.not_null()) if each.name in primary_keys else each for each in draft.whole.fields
    )
    return TableSchema(
        id=draft.old.id + 1,
        fields=tuple(fields),
        highest_field_id=draft.highest_field_id,
        partition_keys=_keys(draft, "partition", draft.old.partition_keys),
        primary_keys=primary_keys,
        options=options,
        comment=draft.comment,
        time_millis=time_millis,
    )


def _keys(draft: _Draft, option: str, declared: tuple[str, ...]) -> tuple[str, ...]:
    """Return the key columns as declared, or as an option declares them for a table that was never written."""
    text = draft.options.get(option)
    if text is None:
        return declared
    if declared:
        raise InvalidSchema(f"Option '{option}' cannot be set: the table has {', '.join(declared)}.")
    return tuple(each.strip() for each in text.split(",") if each.strip())
