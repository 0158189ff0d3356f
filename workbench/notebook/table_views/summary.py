"""``wb.summary``: a table at a glance, and ``%paimon describe``: its facts, columns and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.lens.headline import details_of, figures_of
from workbench.lens.schema import FieldValue
from workbench.lens.smaller import smaller_summaries
from workbench.lens.summary import SummaryValue, collect_summary
from workbench.notebook.definition import TableView, ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.drawings.summary import summary_drawings
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import View
from workbench.sql.grid import Grid, GridColumn


@dataclass(frozen=True)
class SummaryArguments(ViewArguments):
    """``counted`` is the snapshot whose rows are counted instead of estimated."""

    counted: str | None = None


class Summary(TableView[SummaryValue, SummaryArguments]):
    """A table at a glance. ``to_arrow`` returns one row per column."""


@checked(table="workbench.Table")
def summary(table: Any) -> Summary:
    """Return a table at a glance: its rows, files and bytes, the condition it is in, its keys, columns and options.

    The number of rows is exact where metadata determines it, and an estimate otherwise. In a notebook it is a picture
    that follows new snapshots; for ``table.at(…)`` it stays at that version.
    """
    return Summary(SUMMARY, table)


def _on_event(arguments: SummaryArguments, event: Mapping[str, Any]) -> SummaryArguments:
    match event:
        case {"kind": "count-rows", "snapshot": str(snapshot)}:
            return replace(arguments, counted=snapshot)
    return arguments


def _collect(table: Any, arguments: SummaryArguments) -> SummaryValue:
    version = table.version
    exact = version is not None and arguments.counted == str(version.id)
    return collect_summary(table, estimate=not exact, exact=exact)


def summary_view(summary: SummaryValue) -> View:
    """Return the picture of the condition and the numbers, and tables of facts, columns and options."""
    return replace(description_view(summary), drawings=summary_drawings(summary))


def description_view(summary: SummaryValue) -> View:
    """Return the tables of facts, columns and options."""
    facts = (*_contents_facts(summary), *((detail.name, detail.text) for detail in details_of(summary)))
    about = Grid(summary.table, (GridColumn("property"), GridColumn("value")), facts, wraps=True)
    columns = pa.table(
        {
            "column": pa.array([field.name for field in summary.fields], pa.string()),
            "type": pa.array([_type_text(field) for field in summary.fields], pa.string()),
            "key": pa.array([field.role for field in summary.fields], pa.string()),
            "comment": pa.array([field.comment or "" for field in summary.fields], pa.string()),
        }
    )
    grids = [about, _plain_grid(columns, "Columns")]
    if summary.options:
        options = tuple((option.key, option.value) for option in summary.options)
        grids.append(Grid("Options", (GridColumn("option"), GridColumn("value")), options))
    return View(tuple(grids), columns, summary)


def _contents_facts(summary: SummaryValue) -> tuple[tuple[str, str], ...]:
    """Return the condition of a version and its numbers, or why they cannot be read."""
    contents = summary.contents
    if contents is None:
        return () if summary.damage is None else (("Damaged", summary.damage.message),)
    condition = () if contents.verdict is None else (("Condition", str(contents.verdict)),)
    return (*condition, *((figure.name, figure.whole) for figure in figures_of(summary, contents)))


def _type_text(field: FieldValue) -> str:
    return field.type if field.nullable else f"{field.type} NOT NULL"


def _plain_grid(rows: pa.Table, caption: str) -> Grid:
    texts = tuple(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    return Grid(caption, tuple(GridColumn(name) for name in rows.schema.names), texts)


DESCRIPTION: ViewDefinition[SummaryValue, ViewArguments] = ViewDefinition(
    "description",
    lambda table, _arguments: collect_summary(table, estimate=True),
    description_view,
    ViewArguments(),
    command=ViewCommand("describe", "keys, columns, options, size"),
    has_picture=False,
)
SUMMARY: ViewDefinition[SummaryValue, SummaryArguments] = ViewDefinition(
    "summary",
    _collect,
    summary_view,
    SummaryArguments(),
    _on_event,
    ViewCommand("summary", "rows, files, bytes and the condition of a table", lambda table, _limit: summary(table)),
    saved=SavedForm(smaller_summaries),
)
