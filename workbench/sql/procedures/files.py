"""Procedures for compaction and for cleaning up files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.base.errors import DatabaseNotFound, InvalidRequest, Unsupported, did_you_mean
from workbench.catalog.compact_database import compact_database
from workbench.sql.partitions import existing_partitions
from workbench.sql.procedures.protocol import (
    BIGINT,
    BOOLEAN,
    FINAL,
    INT,
    OPTIONS,
    SUCCESS,
    TABLE,
    TEXT,
    Arguments,
    Parameter,
    Procedure,
    Values,
    names_of,
    options_of,
    partition_condition,
    partitions_of,
)
from workbench.sql.procedures.runners import orphan_search_for, runner_for

_Rows = Iterable[tuple[Any, ...]]
_STRATEGIES = ("full", "minor")
_MODES = ("local", "distributed")
_ORDERS = ("order", "zorder", "hilbert", "none")
_WHERE, _PARTITIONS = Parameter("where"), Parameter("partitions")
_DRY_RUN, _PARALLELISM = Parameter("dry_run", BOOLEAN), Parameter("parallelism", INT)


def _compact(call: Arguments) -> _Rows:
    if call["buckets"] is not None:
        raise Unsupported("The argument buckets of compact is not supported.", "Choose partitions with where.")
    strategy = _choice(call["compact_strategy"] or "full", "compact_strategy", _STRATEGIES)
    order = _choice(call["order_strategy"] or "none", "order_strategy", _ORDERS)
    columns = names_of(call["order_by"])
    if (order == "none") != (not columns):
        raise InvalidRequest(
            "order_strategy and order_by belong together.", "Write order_strategy => 'zorder', order_by => 'a,b'."
        )
    table = call.table()
    table.compact(
        strategy == "full" and not columns and call["partition_idle_time"] is None,
        partition_condition(call["partitions"], call["where"]),
        call.context.progress,
        order_by=columns,
        strategy=order if columns else None,
        partition_idle_time=call["partition_idle_time"],
        runner=runner_for(call.context, table),
    )
    return SUCCESS


def _compact_database(call: Arguments) -> _Rows:
    try:
        outcome = compact_database(
            call.context.catalog,
            call["including_databases"] or ".*",
            call["including_tables"],
            call["excluding_tables"],
            full=True,
            options=options_of(call["options"]),
            progress=call.context.progress,
            runners=lambda table: runner_for(call.context, table),
        )
    except DatabaseNotFound:
        # As in Paimon's connector, the pattern need not match a database.
        return [("Compact database finished. Success: 0, Failed: 0",)]
    counts = f"Success: {len(outcome.commits)}, Failed: {len(outcome.failures)}"
    return [(f"Compact database finished. {counts}",)]


def _compact_manifest(call: Arguments) -> _Rows:
    for name in ("manifest_sort_enabled", "manifest_sort_partition_field", "manifest_sort_max_rewrite_size"):
        if call[name]:
            raise Unsupported(f"The argument {name} of compact_manifest is not supported.")
    if not call["dry_run"]:
        call.table().compact_manifest()
    return SUCCESS


def _rescale(call: Arguments) -> _Rows:
    table = call.table()
    if table.version is None:
        raise InvalidRequest(f"{table.name} has no snapshot, so nothing can be rescaled.", "Write rows first.")
    condition = partition_condition(call["partitions"], call["where"])
    runner = runner_for(call.context, table)
    chosen: list[Any] = [None] if condition is None else existing_partitions(table, condition)
    for partition in chosen:
        table.rescale(partition, call["bucket_num"], call.context.progress, runner=runner)
    return SUCCESS


def _rewrite_file_index(call: Arguments) -> _Rows:
    rewritten = call.table().rewrite_file_indexes(call["where"] or None, call.context.progress)
    return [(rewritten.partitions, rewritten.indexes)]


def _expire_partitions(call: Arguments) -> _Rows:
    expired = call.table().expire_partitions(
        call["expiration_time"],
        strategy=call["expire_strategy"],
        timestamp_formatter=call["timestamp_formatter"],
        timestamp_pattern=call["timestamp_pattern"],
        max_num=call["max_expires"],
        progress=call.context.progress,
    )
    names = [", ".join(part for part in name.strip("/").split("/")) for name in expired.partitions]
    return [(name,) for name in names] or [("No expired partitions.",)]


def _mark_done(call: Arguments) -> _Rows:
    call.table().mark_partitions_done(partitions_of(call["partitions"]))
    return SUCCESS


def _remove_orphan_files(call: Arguments) -> _Rows:
    # Both modes remove the same files.
    is_local = _choice(call["mode"] or "distributed", "mode", _MODES) == "local"
    count = size = 0
    for table in _tables(call):
        search = None if is_local else orphan_search_for(call.context, table)
        found = table.remove_orphan_files(
            call["older_than"], bool(call["dry_run"]), call.context.progress, search=search
        )
        count, size = count + len(found.files), size + found.bytes
    return [(count, size)]


def _remove_unexisting_files(call: Arguments) -> _Rows:
    for table in _tables(call):
        found = table.remove_unexisting_files(bool(call["dry_run"]), call.context.progress)
        yield from ((name,) for name in found.files)


def _purge_files(call: Arguments) -> _Rows:
    call.table().purge_files(dry_run=False, progress=call.context.progress)
    return [("Success",)]


def _purge_loss(values: Values) -> str:
    return f"all files of {values['table']}, with its snapshots, tags and branches{FINAL}"


def _partitions_loss(values: Values) -> str:
    return f"all rows of the expired partitions of {values['table']}; older snapshots keep them until they expire"


def _orphans_loss(values: Values) -> str | None:
    return None if values.get("dry_run") else f"the files that no version of {values['table']} uses{FINAL}"


def _entries_loss(values: Values) -> str | None:
    if values.get("dry_run"):
        return None
    return f"the entries of {values['table']} for files that do not exist; older snapshots keep them until they expire"


def _tables(call: Arguments) -> list[Any]:
    """Open the tables that the argument ``table`` names: ``db.t``, or ``db.*`` for all tables of a database."""
    name = str(call["table"])
    if not name.endswith(".*"):
        return [call.table()]
    database = name.removesuffix(".*").strip("`")
    return [call.context.catalog.get_table(f"{database}.{each}") for each in call.context.catalog.list_tables(database)]


def _choice(value: str, name: str, choices: tuple[str, ...]) -> str:
    if value.lower() not in choices:
        raise InvalidRequest(
            f"'{value}' is not a value of {name}.", did_you_mean(value, choices) or f"Use {', '.join(choices)}."
        )
    return value.lower()


PROCEDURES = (
    Procedure(
        "compact",
        (
            TABLE,
            _PARTITIONS,
            Parameter("compact_strategy"),
            Parameter("order_strategy"),
            Parameter("order_by"),
            _WHERE,
            OPTIONS,
            Parameter("partition_idle_time"),
            Parameter("buckets"),
        ),
        _compact,
    ),
    Procedure(
        "compact_database",
        (
            Parameter("including_databases"),
            Parameter("including_tables"),
            Parameter("excluding_tables"),
            OPTIONS,
        ),
        _compact_database,
        (("result", TEXT),),
    ),
    Procedure(
        "compact_manifest",
        (
            TABLE,
            OPTIONS,
            _DRY_RUN,
            Parameter("manifest_sort_enabled", BOOLEAN),
            Parameter("manifest_sort_partition_field"),
            Parameter("manifest_sort_max_rewrite_size"),
        ),
        _compact_manifest,
    ),
    Procedure("rescale", (TABLE, Parameter("bucket_num", INT), _PARTITIONS, _WHERE), _rescale),
    Procedure(
        "rewrite_file_index",
        (TABLE, _WHERE),
        _rewrite_file_index,
        (("written_partitions", INT), ("written_indexes", INT)),
    ),
    Procedure(
        "expire_partitions",
        (
            TABLE,
            Parameter("expiration_time"),
            Parameter("timestamp_formatter"),
            Parameter("timestamp_pattern"),
            Parameter("expire_strategy"),
            Parameter("max_expires", INT),
            OPTIONS,
        ),
        _expire_partitions,
        (("expired_partitions", TEXT),),
        _partitions_loss,
    ),
    Procedure("mark_partition_done", (TABLE, Parameter("partitions", required=True)), _mark_done),
    Procedure(
        "remove_orphan_files",
        (TABLE, Parameter("older_than"), _DRY_RUN, _PARALLELISM, Parameter("mode")),
        _remove_orphan_files,
        (("deletedFileCount", BIGINT), ("deletedFileTotalLenInBytes", BIGINT)),
        _orphans_loss,
    ),
    Procedure(
        "remove_unexisting_files",
        (TABLE, _DRY_RUN, _PARALLELISM),
        _remove_unexisting_files,
        (("fileName", TEXT),),
        _entries_loss,
    ),
    Procedure("purge_files", (TABLE,), _purge_files, (("result", TEXT),), _purge_loss),
)
