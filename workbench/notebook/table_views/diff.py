"""``wb.diff``: any two states compared, rows and metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest
from workbench.base.progress import Progress
from workbench.lens.diff.collect import Comparison, collect_diff, collect_sample
from workbench.lens.diff.counts import DiffCountsValue
from workbench.lens.diff.ends import End, Version, end_at, end_named, end_of, usual_ends
from workbench.lens.diff.filters import BoundFilter, DiffFilter
from workbench.lens.diff.smaller import smaller_diffs
from workbench.lens.diff.value import DiffValue
from workbench.notebook.definition import TableView, ViewArguments, ViewDefinition
from workbench.notebook.following import NewestSnapshot
from workbench.notebook.live import LiveView
from workbench.notebook.saved import SavedForm
from workbench.notebook.table_views.biography import biography
from workbench.notebook.table_views.diff_tables import diff_tables
from workbench.notebook.widget import has_front_end

PAGE = 100
State = Version | Any
"""A version of a table, or another table."""


@dataclass(frozen=True)
class DiffArguments(ViewArguments):
    """The states to compare: versions, tables, or None for the usual versions; ``ref_…`` name versions that were chosen
    in the picture. ``sampled`` is whether a page shows changes of each kind."""

    before: State = None
    after: Version | None = None
    ref_before: str | None = None
    ref_after: str | None = None
    mode: str = "diff"
    filter: DiffFilter = field(default_factory=DiffFilter)
    start: int = 0
    limit: int = PAGE
    sampled: bool = False

    @property
    def is_fixed(self) -> bool:
        """Whether both ends are fixed versions of the table."""
        fixed = isinstance(self.before, int | str | datetime | date) and self.after is not None
        return fixed or (self.ref_before is not None and self.ref_after is not None)


class Diff(TableView[DiffValue, DiffArguments]):
    """The comparison of two states. ``to_arrow`` returns all changed rows: `rowkind`, then the columns."""

    @property
    def counts(self) -> DiffCountsValue:
        """How many rows changed: by kind, by partition and by column.

        Raises:
            WorkbenchError: The rows cannot be compared.
        """
        counts = self.value.counts
        if counts is None:
            self._comparison().source().units()
            raise InvalidRequest("The rows of these states cannot be compared.")
        return counts

    def to_batches(self, progress: Progress | None = None) -> pa.RecordBatchReader:
        """Return all changed rows as a stream with bounded memory, the old row of an update right before the new one.

        Raises:
            WorkbenchError: The rows cannot be compared.
        """
        comparison = self._comparison()
        source = comparison.source(progress)
        bound = BoundFilter.of(comparison.filter, source.schema)

        def batches() -> Iterator[pa.RecordBatch]:
            for changes in source.stream():
                yield from bound.apply(changes).to_table(source.arrow_schema).to_batches()

        return pa.RecordBatchReader.from_batches(source.arrow_schema, batches())

    def to_arrow(self) -> pa.Table:
        """Return all changed rows as one table; see `to_batches`."""
        return self.to_batches().read_all()

    def to_sql(self, target: str) -> str:
        """Return SQL that turns the first state into the second: DELETE, MERGE and INSERT statements that Spark runs.

        Args:
            target: The name of the table that is changed, as SQL writes it.

        Raises:
            Unsupported: Rows have values that SQL cannot write; the message names the column and its type.
        """
        from workbench.lens.diff.sql import replaying_sql

        return replaying_sql(self._comparison(), target)

    def _comparison(self) -> Comparison:
        return comparison_of(self.table, self.arguments)

    def _collect(self, newest: NewestSnapshot | None) -> DiffValue:
        if self._value is not None and self.arguments.is_fixed and self.arguments == self._collected:
            return self._value
        value = super()._collect(newest)
        self._collected = self.arguments
        return value

    _collected: DiffArguments | None = None


@checked(a="workbench.Table", b="workbench.Table | int | str | datetime | date | None")
def diff(
    a: Any,
    b: Any = None,
    c: int | str | datetime | date | None = None,
    mode: str = "diff",
    kind: str | None = None,
    column: str | None = None,
    partition: str | None = None,
    where: str | None = None,
) -> Diff:
    """Compare two states: rows, files, columns and options.

    States are two tables, as in ``diff(t1, t2)``, ``diff(t.at(snapshot=3), t)`` and ``diff(t.branch("dev"), t)``, or
    two versions of one table, as in ``diff(t, 12, 15)`` and ``diff(t, "tag-a", "tag-b")``. ``diff(t, 12)`` compares
    snapshot 12 with the table's current version; ``diff(t)`` compares the version before the last commit that changed
    rows with the current version.

    Args:
        a: The first table, or the table of both versions.
        b: The second table, or the first version: a snapshot id (0 is the empty table), a tag or a time.
        c: The second version.
        mode: Where rows come from: ``diff`` compares both states, ``delta`` reads the rows that APPEND commits wrote,
            ``changelog`` the stored changelog; ``auto`` chooses as `Table.changes` does.
        kind: Only rows that were ``inserted``, ``updated`` or ``deleted``.
        column: Only rows in which this column changed.
        partition: Only rows of this partition, such as ``dt=2026-11-01``.
        where: Only rows whose old or new row satisfies this condition, as SQL.

    Returns:
        The comparison: ``counts``, ``to_arrow()``, ``to_batches()``, ``to_pandas()`` and ``to_sql(target)``.

    Raises:
        SnapshotNotFound: A version does not exist.
        SchemaMismatch: The tables have different keys.

    Example:
        >>> wb.diff(orders, 12, 15, where="qty > 100").counts.updated
    """
    chosen = DiffFilter(kind or "", column or "", partition or "", where or "")
    return diff_view(a, b, c, DiffArguments(mode=mode, filter=chosen))


def diff_view(a: Any, b: Any, c: Version | None, arguments: DiffArguments) -> Diff:
    """Return the view of two states."""
    if hasattr(b, "store"):
        if c is not None:
            raise InvalidRequest(
                "A version cannot be passed together with two tables.", "Write diff(t1.at(snapshot=3), t2)."
            )
        view = Diff(DIFF, b, replace(arguments, before=a))
    else:
        view = Diff(DIFF, a, replace(arguments, before=b, after=c))
    # Versions that do not exist, keys that differ and invalid conditions must raise here, not when the view is shown.
    comparison = view._comparison()
    BoundFilter.of(arguments.filter, comparison.source().schema)
    return view


def comparison_of(table: Any, arguments: DiffArguments) -> Comparison:
    """Return the comparison that the arguments describe."""
    after = end_of(table) if arguments.after is None else end_at(table, arguments.after)
    if arguments.ref_after is not None:
        after = end_named(table, arguments.ref_after)
    before: End
    if arguments.ref_before is not None:
        before = end_named(table, arguments.ref_before)
    elif arguments.before is None:
        before, after = usual_ends(table, after)
    elif hasattr(arguments.before, "store"):
        other: Any = arguments.before
        before = end_of(other)
    else:
        before = end_at(table, arguments.before)
    return Comparison(before, after, arguments.mode, arguments.filter)


def _collect(table: Any, arguments: DiffArguments) -> DiffValue:
    comparison = comparison_of(table, arguments)
    # The browser pages through all changes; a single page shows changes of each kind.
    if arguments.sampled and not has_front_end():
        return collect_sample(comparison, arguments.limit)
    return collect_diff(comparison, arguments.start, arguments.limit)


def _on_event(arguments: DiffArguments, event: Mapping[str, Any]) -> DiffArguments:
    match event:
        case {"kind": "compare", "before": str(before), "after": str(after)}:
            return replace(arguments, ref_before=before, ref_after=after, start=0)
        case {"kind": "source", "mode": str(mode)}:
            return replace(arguments, mode=mode, start=0)
        case {
            "kind": "filter",
            "filter": {"kind": str(kind), "column": str(column), "partition": str(part), "where": str(where)},
        }:
            return replace(arguments, filter=DiffFilter(kind, column, part, where), start=0)
        case {"kind": "page", "start": int(start)} if start >= 0:
            return replace(arguments, start=start)
    return arguments


def _opens(table: Any, _arguments: DiffArguments, event: Mapping[str, Any]) -> LiveView[Any] | None:
    match event:
        case {"kind": "show-row", "key": dict(key)} if all(isinstance(text, str) for text in key.values()):
            return biography(table, key)
    return None


DIFF: ViewDefinition[DiffValue, DiffArguments] = ViewDefinition(
    "changes",
    _collect,
    diff_tables,
    DiffArguments(),
    _on_event,
    saved=SavedForm(smaller_diffs),
    opens=_opens,
)
