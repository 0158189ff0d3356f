"""The procedure for the queries of a view in the dialects of engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from workbench.base.errors import AlreadyExists, InvalidRequest, did_you_mean
from workbench.sql.cursor import Cursor
from workbench.sql.engines.views import DIALECT
from workbench.sql.procedures.protocol import SUCCESS, Arguments, Parameter, Procedure

_ACTIONS = ("add", "update", "drop")


def _alter_view_dialect(call: Arguments) -> Iterable[tuple[Any, ...]]:
    """Add, update or drop the query of a view for an engine, which is Spark if none is named."""
    cursor = Cursor(call["view"])
    name = ".".join(call.context.full_name(cursor.table()))
    cursor.expect_end()
    view = call.context.catalog.get_view(name)
    dialects = _altered(name, view.dialects, call["action"], call["engine"] or DIALECT, call["query"])
    call.context.catalog.alter_view(name, replace(view, dialects=dialects))
    return SUCCESS


def _altered(name: str, dialects: Mapping[str, str], action: str, engine: str, query: str | None) -> Mapping[str, str]:
    """Return the queries of a view by their dialects after an action.

    Raises:
        AlreadyExists: A query is added for an engine that has one.
        InvalidRequest: There is no such action, or no query for the engine, or the query is missing.
    """
    action = action.lower()
    if action not in _ACTIONS:
        hint = did_you_mean(action, _ACTIONS) or f"Actions: {', '.join(_ACTIONS)}."
        raise InvalidRequest(f"There is no action '{action}' for the dialects of a view.", hint)
    if action == "add" and engine in dialects:
        raise AlreadyExists(f"View {name} already has a query for {engine}.", "Pass the action 'update' to replace it.")
    if action != "add" and engine not in dialects:
        raise InvalidRequest(f"View {name} has no query for {engine}.", did_you_mean(engine, dialects))
    if action == "drop":
        return {key: text for key, text in dialects.items() if key != engine}
    if not (query or "").strip():
        raise InvalidRequest(f"The argument query is missing for action '{action}'.", "Pass the text of a query.")
    return {**dialects, engine: str(query)}


_PARAMETERS = (
    Parameter("view", required=True),
    Parameter("action", required=True),
    Parameter("engine"),
    Parameter("query"),
)
PROCEDURES = (Procedure("alter_view_dialect", _PARAMETERS, _alter_view_dialect),)
