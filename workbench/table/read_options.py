"""The version and the files that a read selects, according to the options stored in the table and those passed to the
read.

The rules are those of a batch read in Java 2.0.0 (`CoreOptions.startupMode`, `AbstractDataTableScan`,
`TimeTravelUtil`). Where Java rejects two options together, or silently ignores one of them, both are rejected here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from workbench.base.errors import InvalidRequest, Unsupported, WorkbenchError
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.definition.fixed_options import KEY_OPTIONS, check_fixed_options
from workbench.metadata.definition.option_checks import check_user_options
from workbench.metadata.layouts import LAYOUT_OPTIONS, with_layout_of
from workbench.metadata.read_options import BUCKET, MODE, ReadOptions
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.time_travel import newest_compacted
from workbench.table.readable_table import ReadableTable

if TYPE_CHECKING:
    from workbench.table.table import Table

_NEWEST = ("default", "latest-full", "full", "latest")
_COMPACTED = "compacted-full"
_VERSION_MODES = ("default", "from-snapshot")
_TIME_MODES = ("default", "from-timestamp")
# The scan modes that each starting position can be combined with.
_POSITIONS = {
    "scan.snapshot-id": (*_VERSION_MODES, "from-snapshot-full"),
    "scan.tag-name": _VERSION_MODES,
    "scan.version": _VERSION_MODES,
    "scan.watermark": _VERSION_MODES,
    "scan.timestamp": _TIME_MODES,
    "scan.timestamp-millis": _TIME_MODES,
    "scan.creation-time-millis": ("default", "from-creation-timestamp"),
    "scan.file-creation-time-millis": ("default", "from-file-creation-time"),
}


@overload
def open_for_read(table: Table, given: Mapping[str, str] | None = None) -> Table: ...
@overload
def open_for_read(table: ReadableTable, given: Mapping[str, str] | None = None) -> ReadableTable: ...
def open_for_read(table: ReadableTable, given: Mapping[str, str] | None = None) -> ReadableTable:
    """Return the table restricted to the version and files that its stored options and the ``given`` options of a read
    select.

    Raises:
        UnknownOption, InvalidSchema: An option is unknown, or has an invalid value.
        SnapshotNotFound: There is no such version.
        WorkbenchError: Options exclude each other, or cannot be set for a read.
    """
    schema = _with_options(table.store.schema, given or {})
    core = schema.core
    positions = [name for name in _POSITIONS if core.text(name) is not None]
    mode = core.value(MODE)
    _check_together(positions, mode)
    position = positions[0] if positions else None
    value: Any = None if position is None else core.value(position)
    read_options = ReadOptions(bucket=core.value(BUCKET))
    own = table.without_other_branch()
    table = own.with_store(replace(own.store.with_schema(schema), read_options=read_options))
    if core.other_branches:
        # Imported here because few tables are read from two branches.
        from workbench.table.two_branches import with_other_branch

        table = with_other_branch(table)
    if position is None:
        return table.with_store(table.store, newest_compacted(table.store)) if mode == _COMPACTED else table
    if position == "scan.file-creation-time-millis":
        return _files_since(table, value)
    if position == "scan.creation-time-millis":
        return _since(table, value)
    at = table.at
    if position == "scan.snapshot-id":
        return at(snapshot=value)
    if position == "scan.watermark":
        return at(watermark=value)
    if position == "scan.tag-name":
        return at(tag=value)
    return at(version=value) if position == "scan.version" else at(timestamp=value)


@overload
def with_dynamic_options(table: Table, given: Mapping[str, str]) -> Table: ...
@overload
def with_dynamic_options(table: ReadableTable, given: Mapping[str, str]) -> ReadableTable: ...
def with_dynamic_options(table: ReadableTable, given: Mapping[str, str]) -> ReadableTable:
    """Return the table with options that apply to its operations, but are not stored (Java ``Table.copy``).

    Raises:
        UnknownOption, InvalidSchema: An option is unknown, or has an invalid value.
        WorkbenchError: An option defines how the table is stored.
    """
    return table.with_store(table.store.with_schema(_with_options(table.store.schema, given)))


def _check_together(positions: list[str], mode: str) -> None:
    if len(positions) > 1:
        raise WorkbenchError(f"Options {' and '.join(positions)} are mutually exclusive.", "Set only one of them.")
    if positions and mode not in _POSITIONS[positions[0]]:
        raise WorkbenchError(
            f"Option '{positions[0]}' cannot be combined with 'scan.mode' = '{mode}'.",
            f"Remove 'scan.mode', or set it to '{_POSITIONS[positions[0]][-1]}'.",
        )
    if not positions and mode not in (*_NEWEST, _COMPACTED):
        missing = " or ".join(name for name, modes in _POSITIONS.items() if mode in modes)
        raise WorkbenchError(
            f"Option 'scan.mode' = '{mode}' requires another option.", f"Set {missing} too." if missing else None
        )


def _files_since(table: ReadableTable, millis: int) -> ReadableTable:
    """Return the newest version, restricted to files created at that time or later."""
    read_options = table.store.read_options
    assert read_options is not None
    return table.with_store(replace(table.store, read_options=replace(read_options, created_since=millis)))


def _since(table: ReadableTable, millis: int) -> ReadableTable:
    """Return the first version created at that time or later.

    If that version may have expired, or does not exist yet, the files created since then are read instead.
    """
    store = table.store
    if store.file_io.list_files(store.branch_path(paths.CHANGELOG_DIRECTORY)):
        raise Unsupported("Option 'scan.creation-time-millis' is not supported where changelogs outlive snapshots.")
    snapshots = Snapshots(store)
    before = snapshots.newest_before(millis)
    after = None if before is None else snapshots.find(before.id + 1)
    # As in Java, this version is read with the current columns.
    return _files_since(table, millis) if after is None else table.with_store(store, after)


def _with_options(schema: TableSchema, given: Mapping[str, str]) -> TableSchema:
    """Return the schema with the options of a read added to its own options.

    Raises:
        WorkbenchError: An option defines how the table is stored.
    """
    check_user_options(given)
    check_fixed_options(schema, given)
    # Options that restate the primary or partition key are not added, as the schema stores keys outside its options.
    others = {name: text for name, text in given.items() if name not in KEY_OPTIONS}
    result = replace(schema, options={**schema.options, **others})
    if with_layout_of(result, schema) is not result:
        names = [name for name in given if name in LAYOUT_OPTIONS]
        raise InvalidRequest(
            f"Option '{names[0]}' cannot be set for a read or write: the rows are stored for its value in the table.",
            "Change it with ALTER TABLE.",
        )
    return result
