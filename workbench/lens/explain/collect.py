"""Collecting the explanation of a read from the plan of its scan and the footers of some files, without reading
rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from workbench.base.errors import Unsupported
from workbench.base.garbage import no_collection
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.lens.catalog import check_limit
from workbench.lens.explain.column_use import describe_columns
from workbench.lens.explain.funnel import LISTED, Funnel
from workbench.lens.explain.sections import describe_splits
from workbench.lens.explain.situation import ReadContext
from workbench.lens.explain.suggestions import suggest
from workbench.lens.explain.value import ExcludedFileValue, ExplainValue, MeasurementValue
from workbench.scan.explained.facts import excluded_files, kept_only_for_merging
from workbench.scan.explained.readings import read_footers
from workbench.scan.scan import Scan
from workbench.table.readable_table import ReadableTable

FOOTERS = 200
Condition: TypeAlias = str | Expr | None


def collect_explain(
    table: ReadableTable,
    where: Condition = None,
    columns: Sequence[str] | None = None,
    *,
    rows: int | None = None,
    run: bool = False,
    footers: int | None = FOOTERS,
    step: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> ExplainValue:
    """Return the explanation of a read of a table's version; reads metadata and footers.

    Args:
        table: The table, at its version.
        where: The condition of the rows.
        columns: The columns that are read; all by default.
        rows: The number of rows after which the read ends.
        run: Whether to run the read, and measure its rows and time.
        footers: The number of files whose footers are read; None for all.
        step: The step whose excluded files are listed up to ``limit``.
        limit: The number of these files.
        progress: Where progress is reported.

    Raises:
        Unsupported: Reads of the table do not plan data files.
        InvalidRequest: The limit is below 1.
    """
    check_limit(limit)
    scan = table.scan(columns, where or None, rows, progress)
    return explain_scan(scan, run=run, footers=footers, step=step, limit=limit or LISTED)


def collect_file_outcomes(
    table: ReadableTable,
    where: Condition = None,
    columns: Sequence[str] | None = None,
    rows: int | None = None,
) -> list[tuple[str, ExcludedFileValue]]:
    """Return every file of a version with the rule that leaves it out of a read. The files that are read have the rule
    '' and are listed first."""
    scan = table.scan(columns, where or None, rows)
    with no_collection():
        return funnel_of(scan, 0).outcomes(scan.plan())


def explain_scan(
    scan: Scan, *, run: bool = False, footers: int | None = FOOTERS, step: str | None = None, limit: int = LISTED
) -> ExplainValue:
    """Return the explanation of a scan; see `collect_explain`."""
    _require_plan(scan)
    measured = _measured(scan) if run else None
    with no_collection():
        return _explained(scan, measured, footers, step, limit)


def _explained(
    scan: Scan, measured: MeasurementValue | None, footers: int | None, step: str | None, limit: int
) -> ExplainValue:
    funnel = funnel_of(scan, footers)
    if measured is not None:
        funnel = replace(funnel, returned=measured.rows)
    report, splits, readings = funnel.report, scan.plan(), funnel.readings
    held = kept_only_for_merging(scan)
    selected = scan.schema.field_names if scan.columns is None else tuple(scan.columns)
    return ExplainValue(
        scan.store.name,
        report.snapshot_id,
        "" if scan.where is None else str(scan.where),
        tuple(selected),
        scan.schema.kind.name,
        report.manifests,
        report.manifests_pruned,
        funnel.steps(step, limit),
        sum(each.row_groups for each in readings.files),
        sum(each.chosen for each in readings.files),
        describe_splits(scan.schema, splits, held),
        describe_columns(scan, readings),
        suggest(ReadContext(scan, funnel.excluded, held, readings, None if measured is None else measured.rows)),
        measured,
    )


def funnel_of(scan: Scan, footers: int | None = FOOTERS) -> Funnel:
    """Return the funnel of a scan.

    Raises:
        Unsupported: The scan has no plan, like those of system tables, or reads rows that wait for a bucket.
    """
    _require_plan(scan)
    kept = [file for split in scan.plan() for file in split.files]
    return Funnel(
        scan.explain(),
        excluded_files(scan),
        kept,
        read_footers(scan, footers),
        any(split.deletions for split in scan.plan()),
        scan.known_count(),
    )


def _require_plan(scan: Scan) -> None:
    if not scan.has_plan:
        raise Unsupported(
            f"Reads of {scan.store.name} cannot be explained, because they do not scan data files.",
            "Explain a read of the table itself.",
        )
    if any(split.waiting for split in scan.plan()):
        # Each bucket of a partition reads these files, so that the steps would count them several times.
        raise Unsupported(
            f"Reads of {scan.store.name} merge rows that wait for a bucket, so they cannot be explained.",
            "Compact the table first, or set option 'postpone.merge-on-read' to 'false'.",
        )


def _measured(scan: Scan) -> MeasurementValue:
    started = scan.store.clock.monotonic()
    rows = sum(batch.num_rows for batch in scan.to_batches())
    return MeasurementValue(rows, (scan.store.clock.monotonic() - started) * 1000)
