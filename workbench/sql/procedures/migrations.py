"""The procedures that turn Hive tables into Paimon tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidRequest, WorkbenchError
from workbench.sql.cursor import Cursor
from workbench.sql.procedures.protocol import (
    BOOLEAN,
    FINAL,
    INT,
    OPTIONS,
    SUCCESS,
    TABLE,
    Arguments,
    Parameter,
    Procedure,
    Values,
    options_of,
)

_SOURCE = "hive"
_SOURCE_TYPE = Parameter("source_type", required=True)
_OPTIONS_MAP, _PARALLELISM = Parameter("options_map"), Parameter("parallelism", INT)


def _migrate_table(call: Arguments) -> Iterable[tuple[Any, ...]]:
    """Migrate a table; without a target, it takes the place of the original."""
    _check_source(call)
    target = call["target_table"]
    call.context.catalog.migrate_table(
        _full_name(call, call["table"]),
        _full_name(call, target) if target else None,
        options=_options(call),
        delete_origin=call["delete_origin"] is not False,
        progress=call.context.progress,
    )
    return SUCCESS


def _migrate_database(call: Arguments) -> Iterable[tuple[Any, ...]]:
    """Migrate all Hive tables of a database, and return how many were."""
    _check_source(call)
    found = call.context.catalog.migrate_database(
        call["database"], options=_options(call), progress=call.context.progress
    )
    failures = {name: each for name, each in found.items() if isinstance(each, WorkbenchError)}
    for name, error in failures.items():
        call.context.notes.append(f"{name} was not migrated: {error}")
    done = len(found) - len(failures)
    return ((f"migrate database is finished, success cnt: {done} , failed cnt: {len(failures)}",),)


def _options(call: Arguments) -> dict[str, str]:
    return {**options_of(call["options"]), **options_of(call["options_map"])}


def _full_name(call: Arguments, name: str) -> str:
    cursor = Cursor(name)
    database, table = call.context.full_name(cursor.table())
    cursor.expect_end()
    return f"{database}.{table}"


def _check_source(call: Arguments) -> None:
    if str(call["source_type"]).lower() != _SOURCE:
        raise InvalidRequest(f"Tables of '{call['source_type']}' cannot be migrated.", "Write source_type => 'hive'.")


def _table_loss(values: Values) -> str | None:
    if values.get("delete_origin") is False:
        return None
    return f"the Hive table {values.get('table')}, whose files become those of a Paimon table{FINAL}"


def _database_loss(values: Values) -> str | None:
    return f"all Hive tables of {values.get('database')}, whose files become those of Paimon tables{FINAL}"


PROCEDURES = (
    Procedure(
        "migrate_table",
        (
            _SOURCE_TYPE,
            TABLE,
            OPTIONS,
            Parameter("delete_origin", BOOLEAN),
            Parameter("target_table"),
            _OPTIONS_MAP,
            _PARALLELISM,
        ),
        _migrate_table,
        loss=_table_loss,
    ),
    Procedure(
        "migrate_database",
        (_SOURCE_TYPE, Parameter("database", required=True), OPTIONS, _OPTIONS_MAP, _PARALLELISM),
        _migrate_database,
        (("result", pa.string()),),
        loss=_database_loss,
    ),
)
