"""The view of a table at a glance: facts, columns and options."""

from __future__ import annotations

import pyarrow as pa

from workbench.base.session import session_options
from workbench.base.texts import size_text, time_text
from workbench.lens.schema import FieldValue
from workbench.lens.summary import SummaryValue, collect_summary
from workbench.notebook.definition import ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.views import View
from workbench.sql.grid import Grid, GridColumn


def summary_view(summary: SummaryValue) -> View:
    """Return the tables of facts, columns and options."""
    version = "never written"
    if summary.snapshot is not None and summary.time_millis is not None:
        version = f"{summary.snapshot}, {time_text(summary.time_millis)} {session_options.timezone}"
    facts = [
        ("comment", summary.comment),
        ("primary key", ", ".join(summary.primary_key) or "none"),
        ("partitioned by", ", ".join(summary.partition_keys) or "unpartitioned"),
        ("snapshot", version),
        *_contents_facts(summary),
        ("schema", str(summary.schema_id)),
        ("location", summary.location),
    ]
    about = Grid(
        summary.table,
        (GridColumn("property"), GridColumn("value")),
        tuple(fact for fact in facts if fact[1] is not None),
    )
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


def _contents_facts(summary: SummaryValue) -> list[tuple[str, str | None]]:
    """Return the numbers of a version and its condition, or why they cannot be read."""
    contents = summary.contents
    if contents is None:
        return [("damaged", None if summary.damage is None else summary.damage.message)]
    rows = f"{contents.stored_rows:,} stored, before any merge" if contents.count is None else contents.count.text
    where = [f"{contents.partitions:,} partitions"] if summary.partition_keys else []
    where += [f"{contents.buckets:,} buckets"] if summary.kind == "primary-key" else []
    return [
        ("rows", rows),
        ("files", ", ".join([f"{contents.files:,}", size_text(contents.size), *where])),
        ("condition", None if contents.verdict is None else contents.verdict.text),
    ]


def _type_text(field: FieldValue) -> str:
    return field.type if field.nullable else f"{field.type} NOT NULL"


def _plain_grid(rows: pa.Table, caption: str) -> Grid:
    texts = tuple(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    return Grid(caption, tuple(GridColumn(name) for name in rows.schema.names), texts)


SUMMARY: ViewDefinition[SummaryValue, ViewArguments] = ViewDefinition(
    "summary",
    lambda table, _arguments: collect_summary(table, estimate=True),
    summary_view,
    ViewArguments(),
    command=ViewCommand(
        "describe",
        "keys, columns, options, size",
        lambda table, _limit: summary_view(collect_summary(table, estimate=True)),
    ),
    has_picture=False,
)
