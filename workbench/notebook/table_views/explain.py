"""``wb.explain``: which files a read leaves out and why, what it reads and merges, and what would be cheaper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.counting import counted
from workbench.base.errors import InvalidExpression
from workbench.base.texts import size_text
from workbench.lens.explain.collect import FOOTERS, Condition, collect_explain, collect_file_outcomes
from workbench.lens.explain.smaller import smaller_explanations
from workbench.lens.explain.value import ExplainValue, FactValue
from workbench.notebook.command import Request
from workbench.notebook.definition import TableView, ViewArguments, ViewCommandWithArguments, ViewDefinition
from workbench.notebook.drawings.explain import explain_drawings, funnel_title
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import MAX_ROWS, View, at_text, without_types
from workbench.sql.grid import Grid, GridColumn, Shown, grid_of, line_html
from workbench.sql.reads import TableRead

FILES_PAGE = 100
_ONE_TABLE = re.compile(r"(?P<table>(?:`[^`]*`|[^\s`])+)(?:\s+WHERE\s+(?P<where>.+))?", re.IGNORECASE | re.DOTALL)
_USAGE = "explain <table> [WHERE condition] | <query>"
_NO_FILES = "The query reads no data files."


@dataclass(frozen=True)
class ExplainArguments(ViewArguments):
    """The read to explain. ``selected`` is the name of a step, ``limit`` the number of its excluded files to list."""

    where: str | None = None
    columns: tuple[str, ...] | None = None
    rows: int | None = None
    run: bool = False
    footers: int | None = FOOTERS
    limit: int | None = None


class Explain(TableView[ExplainValue, ExplainArguments]):
    """The explanation of a read. ``to_arrow`` returns a row per file of the snapshot with the fact that excluded it."""

    def to_arrow(self) -> pa.Table:
        """Return one row per file; ``left_out_by`` is '' if the file is read. ``rows`` counts stored rows."""
        snapshot, arguments = self.value.snapshot, self.arguments
        table = self.table if snapshot is None or self.table.is_pinned else self.table.at(snapshot=snapshot)
        outcomes = collect_file_outcomes(table, arguments.where, arguments.columns, arguments.rows)
        files = [file for _, file in outcomes]
        return pa.table(
            {
                "left_out_by": pa.array([rule for rule, _ in outcomes], pa.string()),
                "fact": pa.array([file.fact for file in files], pa.string()),
                "partition": pa.array([file.partition for file in files], pa.string()),
                "bucket": pa.array([file.bucket for file in files], pa.int64()),
                "level": pa.array([file.level for file in files], pa.int64()),
                "rows": pa.array([file.rows for file in files], pa.int64()),
                "bytes": pa.array([file.size for file in files], pa.int64()),
                "file": pa.array([file.name for file in files], pa.string()),
            }
        )


@checked(table="workbench.ReadableTable")
def explain(
    table: Any,
    where: Condition = None,
    columns: Sequence[str] | None = None,
    *,
    run: bool = False,
    footers: int | None = FOOTERS,
) -> Explain:
    """Return the explanation of a read: which files each step leaves out and why, and what is read of all other files.

    It is computed from metadata, and from the footers of some files. In a notebook it is a picture that follows new
    snapshots; for ``table.at(…)`` it stays at that version.

    Args:
        table: The table.
        where: The condition of the rows, as SQL or as a ``wb.col`` expression.
        columns: The columns that are read; all by default.
        run: Whether to run the read, and measure its rows and time.
        footers: The number of files whose footers are read, or None for all files. If there are more files, the bytes
            of columns and row groups are estimates.
    """
    condition = None if where is None else str(where)
    chosen = None if columns is None else tuple(columns)
    return Explain(EXPLAIN, table, ExplainArguments(where=condition, columns=chosen, run=run, footers=footers))


def _collect(table: Any, arguments: ExplainArguments) -> ExplainValue:
    return collect_explain(
        table,
        arguments.where,
        arguments.columns,
        rows=arguments.rows,
        run=arguments.run,
        footers=arguments.footers,
        step=arguments.selected,
        limit=arguments.limit,
    )


def _on_event(arguments: ExplainArguments, event: Mapping[str, Any]) -> ExplainArguments:
    match event:
        case {"kind": "select-step", "name": str(name)}:
            return replace(arguments, selected=name)
        case {"kind": "more-files", "name": str(name)}:
            more = (arguments.limit or 0) if arguments.selected == name else 0
            return replace(arguments, selected=name, limit=more + FILES_PAGE)
        case {"kind": "run"}:
            return replace(arguments, run=True)
        case {"kind": "all-footers"}:
            return replace(arguments, footers=None)
    return arguments


# --- tables -------------------------------------------------------------------------------------------------------


def explain_view(value: ExplainValue, limit: int = MAX_ROWS) -> View:
    """Return the funnel as a picture and a table, with tables of facts, splits, columns and suggestions."""
    rows = _step_rows(value)
    title = f"Read of {value.table}, {at_text(value.snapshot)}"
    grids = [without_types(grid_of(rows, f"{title}: steps", limit, rows.num_rows, _notes(value), "step"))]
    grids += filter(None, (_suggestions(value), _facts(value), _splits(value, limit), _columns(value, limit)))
    return View(tuple(grids), rows, value, explain_drawings(value), funnel_title(value) + ".")


def _notes(value: ExplainValue) -> list[str]:
    notes = [value.column_use.note] if value.column_use.note else []
    if value.splits.held_files:
        notes.append(
            f"No row of {counted(value.splits.held_files, 'files')} matches by their statistics; they are read because "
            "newer rows may replace theirs."
        )
    if value.run is not None:
        notes.append(f"The read returned {counted(value.run.rows, 'rows')} in {value.run.millis / 1000:,.2f} s.")
    return notes


def _step_rows(value: ExplainValue) -> pa.Table:
    steps = value.steps
    return pa.table(
        {
            "step": pa.array([each.title for each in steps], pa.string()),
            "files": pa.array([each.files for each in steps], pa.int64()),
            "bytes": pa.array([each.size for each in steps], pa.int64()),
            "rows": pa.array([each.rows for each in steps], pa.int64()),
            "files_left_out": pa.array([each.excluded_files for each in steps], pa.int64()),
            "bytes_left_out": pa.array([each.excluded_size for each in steps], pa.int64()),
            "rows_left_out": pa.array([each.excluded_rows for each in steps], pa.int64()),
            "known": pa.array([each.certainty for each in steps], pa.string()),
        }
    )


def _facts(value: ExplainValue) -> Grid | None:
    lines = [
        (step.title, fact_text(fact), f"{fact.files:,}", size_text(fact.size))
        for step in value.steps
        for fact in step.facts
    ]
    columns = (
        GridColumn("step"),
        GridColumn("fact"),
        GridColumn("files", number=True),
        GridColumn("size", number=True),
    )
    return Grid("Facts that excluded files", columns, tuple(lines)) if lines else None


def fact_text(fact: FactValue) -> str:
    """Return a fact in one line."""
    return f"{fact.condition}: {fact.detail}" if fact.condition and fact.detail else fact.condition or fact.detail


def _suggestions(value: ExplainValue) -> Grid | None:
    lines = [
        (each.title, each.reason, f"{each.files:,}", size_text(each.size), each.certainty, ";\n".join(each.statements))
        for each in value.suggestions
    ]
    names = ("suggestion", "reason", "files saved", "bytes saved", "known", "statements")
    columns = tuple(GridColumn(name, number=name.endswith("saved")) for name in names)
    return Grid("What would make this read cheaper", columns, tuple(lines)) if lines else None


def _splits(value: ExplainValue, limit: int) -> Grid | None:
    splits = value.splits.splits[:limit]
    lines = [
        (each.partition, f"{each.bucket}", f"{each.files:,}", f"{each.rows:,}", size_text(each.size), each.reason)
        for each in splits
    ]
    names = ("partition", "bucket", "files", "stored rows", "size", "how it is read")
    columns = tuple(GridColumn(name, number=name in names[1:5]) for name in names)
    notes = (
        (f"The largest {len(splits):,} of {value.splits.total:,} splits",) if len(splits) < value.splits.total else ()
    )
    return Grid("Splits", columns, tuple(lines), notes) if lines else None


def _columns(value: ExplainValue, limit: int) -> Grid | None:
    lines = [
        (each.name, "yes" if each.read else "no", each.reason, "" if each.size is None else size_text(each.size))
        for each in value.column_use.columns[:limit]
    ]
    columns = (GridColumn("column"), GridColumn("read"), GridColumn("reason"), GridColumn("size", number=True))
    return Grid("Columns", columns, tuple(lines)) if lines else None


# --- the command --------------------------------------------------------------------------------------------------


def explain_text(text: str, request: Request) -> Shown:
    """Return the explanation of a query, or of a read of one table."""
    from workbench.sql.parse import is_query

    if not text.strip():
        raise InvalidExpression("%paimon explain takes a query or a table.", f"Write %paimon {_USAGE}.")
    if is_query(text):
        return explain_query(text, request)
    match = _ONE_TABLE.fullmatch(text.strip())
    if match is None:
        raise InvalidExpression(f"'{text}' is neither a query nor a table.", f"Write %paimon {_USAGE}.")
    return explain(request.session.table(match["table"], request.version), match["where"])


def explain_query(text: str, request: Request) -> Shown:
    """Return the explanations of the reads of a query."""
    from workbench.sql.context import Context
    from workbench.sql.explained import reads_of

    session = request.session
    context = Context(session.require_catalog(), session.database, version=request.version, frames=session.frames)
    views = tuple(map(explained, reads_of(context, text)))
    return views[0] if len(views) == 1 else ExplainedReads(views)


def explained(read: TableRead) -> Explain:
    """Return the explanation of a read of a query."""
    return Explain(EXPLAIN, read.table, ExplainArguments(where=read.where, columns=read.columns, rows=read.limit))


class ExplainedReads(Shown):
    """The explanations of the reads of a query."""

    def __init__(self, reads: Sequence[Explain]) -> None:
        self.reads = tuple(reads)

    def _text(self) -> str:
        return "\n\n".join(each._text() for each in self.reads) or _NO_FILES

    def _html(self) -> str:
        return "".join(each._html() for each in self.reads) or line_html(_NO_FILES)


EXPLAIN: ViewDefinition[ExplainValue, ExplainArguments] = ViewDefinition(
    "explain",
    _collect,
    explain_view,
    ExplainArguments(),
    _on_event,
    ViewCommandWithArguments(
        "explain",
        "which files a read leaves out and why, and what would be cheaper",
        usage=_USAGE,
        run=lambda request: explain_text("".join(request.words), request),
        takes_text=True,
    ),
    saved=SavedForm(smaller_explanations),
)
