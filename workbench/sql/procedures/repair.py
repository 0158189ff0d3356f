"""The procedure that registers what exists as directories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.base.errors import InvalidRequest
from workbench.sql.procedures.protocol import SUCCESS, Arguments, Parameter, Procedure, names_of


def _repair(call: Arguments) -> Iterable[tuple[Any, ...]]:
    """Register databases, tables and partitions; all of the catalog if no name is given."""
    catalog = call.context.catalog
    catalog.check_writable()
    names = names_of(call["database_or_table"])
    for name in names:
        if name.count(".") > 1:
            raise InvalidRequest(f"'{name}' is not a database or a table.", "Write 'database', or 'database.table'.")
    for name in names or [""]:
        database, _, table = name.partition(".")
        catalog.metastore.repair(database or None, table or None)
    return SUCCESS


PROCEDURES = (Procedure("repair", (Parameter("database_or_table"),), _repair),)
