"""The numbers at the top of a table's summary, in the words of table pages."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.session import session_options
from workbench.base.texts import size_text, time_text
from workbench.lens.contents import ContentsValue
from workbench.lens.summary import SummaryValue


@dataclass(frozen=True)
class Figure:
    """A number about a table with its name. ``note`` adds to it, or is ''."""

    name: str
    text: str
    note: str = ""

    @property
    def whole(self) -> str:
        """The text with the note in parentheses."""
        return f"{self.text} ({self.note})" if self.text and self.note else self.text or self.note


def figures_of(summary: SummaryValue, contents: ContentsValue) -> tuple[Figure, ...]:
    """Return the numbers that describe the size of a table, the rows first."""
    partitions = f"{contents.partitions:,}" if summary.partition_keys else "unpartitioned"
    figures = (
        _rows(summary, contents),
        Figure("Files", f"{contents.files:,}"),
        Figure("Size", size_text(contents.size)),
        Figure("Partitions", partitions),
    )
    if summary.kind != "primary-key":
        return figures
    runs = Figure("Max sorted runs per bucket", f"{contents.runs:,}")
    return (*figures, Figure("Buckets", f"{contents.buckets:,}"), runs)


def details_of(summary: SummaryValue) -> tuple[Figure, ...]:
    """Return the details that identify the version and its table, except unknown ones."""
    version, time = "none", None
    if summary.snapshot is not None:
        version = f"{summary.snapshot} ({summary.commit_kind})" if summary.commit_kind else str(summary.snapshot)
    if summary.time_millis is not None:
        time = f"{time_text(summary.time_millis)} {session_options.timezone}"
    earliest, latest = summary.earliest_snapshot, summary.latest_snapshot
    details = (
        ("Snapshot", version),
        ("Last commit", time),
        ("Retained snapshots", None if earliest is None or latest is None else f"{earliest}–{latest}"),
        ("Schema", str(summary.schema_id)),
        ("Primary key", ", ".join(summary.primary_key) or None),
        ("Partitioned by", ", ".join(summary.partition_keys) or "unpartitioned"),
        ("Location", summary.location),
        ("Comment", summary.comment),
    )
    return tuple(Figure(name, text) for name, text in details if text is not None)


def _rows(summary: SummaryValue, contents: ContentsValue) -> Figure:
    count = contents.count
    if count is None:
        return Figure("Rows", "", f"{contents.stored_rows:,} stored")
    # An append table merges no rows.
    is_plain = summary.kind == "append" and count.rows == count.stored
    return Figure("Rows", count.rows_text, "" if is_plain else count.stored_text)
