"""``wb.biography``: the life of one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.errors import InvalidExpression
from workbench.base.texts import time_text
from workbench.lens.biography.collect import collect_biography
from workbench.lens.biography.value import BiographyValue
from workbench.notebook.command import Request
from workbench.notebook.definition import TableView, ViewArguments, ViewCommandWithArguments, ViewDefinition
from workbench.notebook.drawings.biography import biography_drawings
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import MAX_ROWS, View, without_types
from workbench.sql.grid import Grid, GridColumn, grid_of

USAGE = "biography <table> column=value … | WHERE 'condition'"
_WIDTH = 58


@dataclass(frozen=True)
class BiographyArguments(ViewArguments):
    """The row: its key, or a condition that selects it; ``selected`` is the number of a version."""

    key: Mapping[str, object] | None = None
    where: str | None = None


class Biography(TableView[BiographyValue, BiographyArguments]):
    """The life of one row. ``to_arrow`` returns one row per stored version, the oldest first."""


@checked(table="workbench.Table")
def biography(table: Any, key: Mapping[str, Any] | None = None, where: str | None = None) -> Biography:
    """Return the life of one row: every stored version of it, the commits that wrote, moved and merged them, and why
    each column has its value.

    In a notebook it is a picture that follows new snapshots; for ``table.at(…)`` it stays at that version.

    Args:
        table: The table.
        key: The primary key of the row, by column.
        where: For a table with row tracking and without a primary key: a condition that exactly one row satisfies.

    Example:
        >>> wb.biography(orders, {"id": 50})
    """
    return Biography(BIOGRAPHY, table, BiographyArguments(key=key, where=where))


def run_biography(request: Request) -> Biography:
    """Return the biography that the words name. After the table's name, either each word is a key column with its
    value, or all words together are a condition."""
    name, *words = map(str, request.words or ("",))
    if len(words) > 1 and words[0].upper() == "WHERE":
        table, condition = request.session.table(name, request.version), " ".join(words[1:])
        return biography(table, where=condition)
    pairs = [word.partition("=") for word in words]
    if not name or not pairs or not all(column and equals for column, equals, _ in pairs):
        hint = f"Write %paimon {USAGE}, for example %paimon biography shop.orders id=50."
        raise InvalidExpression("%paimon biography takes a table and the key of a row.", hint)
    table = request.session.table(name, request.version)
    return biography(table, {column: text for column, _, text in pairs})


def _on_event(arguments: BiographyArguments, event: Mapping[str, Any]) -> BiographyArguments:
    match event:
        case {"kind": "select-version", "id": str(version)} if version.isdecimal():
            return replace(arguments, selected=version)
        case {"kind": "show-row", "key": dict(key)} if all(isinstance(text, str) for text in key.values()):
            return replace(arguments, key=key, where=None, selected=None)
        case {"kind": "find-row", "where": str(where)}:
            return replace(arguments, key=None, where=where, selected=None)
    return arguments


def biography_view(value: BiographyValue, limit: int = MAX_ROWS) -> View:
    """Return the picture, and tables of the columns, the versions, the commits and the changelog."""
    rows = _version_rows(value)
    grids = [_field_grid(value)] if value.state == "present" else []
    if value.versions:
        shown = rows.drop_columns(["file", "position"])
        grids.append(
            without_types(grid_of(shown, f"Versions of {_row(value)}", limit, len(value.versions), unit="version"))
        )
        grids.append(_commit_grid(value, limit))
    if value.changelog:
        grids.append(_changelog_grid(value, limit))
    return View(tuple(grids), rows, value, biography_drawings(value), _line(value))


def _row(value: BiographyValue) -> str:
    return f"{value.table} {', '.join(f'{each.name}={each.text}' for each in value.key)}"


def _line(value: BiographyValue) -> str:
    disagreement = "" if value.agrees else "This explanation differs from what a read returns: please report it."
    return " ".join(filter(None, (f"{_row(value)}: {value.summary}", value.history, disagreement)))


def _field_grid(value: BiographyValue) -> Grid:
    columns = tuple(map(GridColumn, ("column", "value", "version", "written by", "rule", "why")))
    rows = tuple(
        (
            each.name,
            each.value,
            "" if each.winner is None else str(each.winner),
            ", ".join(map(str, each.origins)),
            each.rule,
            fill(each.why, _WIDTH),
        )
        for each in value.fields
    )
    return Grid(f"Columns of {_row(value)}", columns, rows)


def _version_rows(value: BiographyValue) -> pa.Table:
    versions = value.versions
    columns = {
        "version": pa.array([str(each.id) for each in versions], pa.string()),
        "kind": pa.array([each.kind for each in versions], pa.string()),
        "sequence": pa.array([each.sequence for each in versions], pa.int64()),
        "snapshot": pa.array([each.commit for each in versions], pa.int64()),
        "level": pa.array([each.level for each in versions], pa.int64()),
        "partition": pa.array([each.partition for each in versions], pa.string()),
        "bucket": pa.array([each.bucket for each in versions], pa.int64()),
        "source": pa.array([each.source for each in versions], pa.string()),
        "state": pa.array([each.state for each in versions], pa.string()),
        "merged_from": pa.array([", ".join(map(str, each.inputs)) for each in versions], pa.string()),
        "marked_by": pa.array([each.marked for each in versions], pa.int64()),
        "file": pa.array([each.file for each in versions], pa.string()),
        "position": pa.array([each.position for each in versions], pa.int64()),
    }
    unknown = {"partition"} if not any(each.partition for each in versions) else set()
    given = {name: column for name, column in columns.items() if name not in unknown}
    for number, field in enumerate(value.fields):
        name = f"value of {field.name}" if field.name in given else field.name
        given[name] = pa.array([each.values[number] for each in versions], pa.string())
    return pa.table(given)


def _commit_grid(value: BiographyValue, limit: int) -> Grid:
    columns = (
        GridColumn("snapshot", number=True),
        *map(GridColumn, ("kind", "time", "what it did", "why", "statement")),
    )
    rows = tuple(
        (
            str(each.id),
            each.kind,
            time_text(each.time_millis),
            fill(each.text, _WIDTH),
            fill(each.reason, _WIDTH),
            each.statement,
        )
        for each in value.commits[-limit:]
    )
    return Grid(f"Commits of {_row(value)}", columns, rows, (f"Times in {value.zone}.",))


def _changelog_grid(value: BiographyValue, limit: int) -> Grid:
    names = [each.name for each in value.fields]
    columns = (GridColumn("snapshot", number=True), GridColumn("kind"), *map(GridColumn, names))
    rows = tuple((str(each.snapshot), each.kind, *each.values) for each in value.changelog[-limit:])
    return Grid(f"Changelog of {_row(value)}", columns, rows)


def smaller_biographies(value: BiographyValue) -> Iterator[BiographyValue]:
    """Yield forms of the value with less and less detail: first without the changelog, then without more and more of
    the oldest versions."""
    yield replace(value, changelog=())
    keep = len(value.versions)
    while keep > 1:
        keep //= 2
        kept = {each.id for each in value.versions if each.state != "gone"} | {
            each.id for each in value.versions[-keep:]
        }
        used = {each.commit for each in value.versions if each.id in kept} | {value.snapshot}
        yield replace(
            value,
            changelog=(),
            versions=tuple(each for each in value.versions if each.id in kept),
            commits=tuple(each for each in value.commits if each.id in used),
        )


BIOGRAPHY: ViewDefinition[BiographyValue, BiographyArguments] = ViewDefinition(
    "biography",
    lambda table, arguments: collect_biography(table, arguments.key, arguments.where),
    biography_view,
    BiographyArguments(),
    _on_event,
    ViewCommandWithArguments(
        "biography",
        "the stored versions of one row, and how reads merge them",
        usage=USAGE,
        run=run_biography,
    ),
    saved=SavedForm(smaller_biographies),
)
