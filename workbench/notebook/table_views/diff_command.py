"""``%paimon diff``: the states of a comparison in text form."""

from __future__ import annotations

import re
from typing import Any

from workbench.base.errors import InvalidExpression, TableNotFound
from workbench.notebook.command import Request
from workbench.notebook.definition import ViewCommandWithArguments
from workbench.notebook.table_views.diff import Diff, DiffArguments, diff_view

USAGE = "diff <table>@3..7"
_HINT = "Write %paimon diff t@3..7, t@tag1..tag2, t$branch_dev..t or t1..t2."
# Dots and signs in backquotes are parts of names.
_QUOTED = r"(?:`(?:[^`]|``)*`|[^`])"
_RANGE = re.compile(rf"(?P<first>{_QUOTED}*?)\.\.(?P<second>{_QUOTED}*)")
_STATE = re.compile(r"(?P<table>(?:`(?:[^`]|``)*`|[^`@])+)(?:@(?P<version>.*))?", re.DOTALL)


def show_diff(request: Request) -> Diff:
    """Return the comparison that the words of ``%paimon diff`` describe.

    Raises:
        InvalidExpression: The words do not describe a comparison.
    """
    if not request.words:
        raise InvalidExpression("%paimon diff takes a table and two versions, or two tables.", _HINT)
    text = " ".join(map(str, request.words)).strip()
    arguments = DiffArguments(limit=request.limit, sampled=True)
    match = _RANGE.fullmatch(text)
    if match is None:
        table, version = _state(text)
        return diff_view(_opened(request, table), version, None, arguments)
    table, version = _state(match["first"])
    first = _opened(request, table)
    second = match["second"].strip()
    if version is None:
        return diff_view(first, _table_at(request, second), None, arguments)
    if not second:
        return diff_view(first, version, None, arguments)
    if "@" not in second and not _is_table(request, first, second):
        return diff_view(first, version, second, arguments)
    return diff_view(_at(first, version), _table_at(request, second), None, arguments)


DIFF_COMMAND = ViewCommandWithArguments("diff", "what changed between two versions or tables", USAGE, show_diff)


def _state(text: str) -> tuple[str, str | None]:
    match = _STATE.fullmatch(text.strip())
    if match is None:
        raise InvalidExpression(f"'{text}' does not name a table.", _HINT)
    version = match["version"]
    return match["table"].strip(), None if version is None else version.strip().strip("'\"")


def _opened(request: Request, name: str) -> Any:
    return request.session.table(name)


def _table_at(request: Request, text: str) -> Any:
    name, version = _state(text)
    table = _opened(request, name)
    return table if version is None else _at(table, version)


def _at(table: Any, version: str) -> Any:
    if version in table.tags():
        return table.at(tag=version)
    return table.at(snapshot=int(version)) if version.isdecimal() else table.at(timestamp=version)


def _is_table(request: Request, first: Any, text: str) -> bool:
    """Return whether a text after ``..`` names a table, rather than a version of the first one."""
    if text.isdecimal() or text in first.tags():
        return False
    try:
        _opened(request, text)
    except TableNotFound:
        return False
    return True
