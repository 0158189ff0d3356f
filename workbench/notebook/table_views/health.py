"""``wb.health``: what should be done about a table or a catalog, and the statements that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.counting import counted
from workbench.base.errors import CorruptFile, InvalidRequest, WorkbenchError
from workbench.base.progress import Progress
from workbench.base.texts import size_text
from workbench.lens.health.check import MAX_PLACES
from workbench.lens.health.health import HEADINGS, collect_health
from workbench.lens.health.preview import preview_fix, run_fix
from workbench.lens.health.smaller import smaller_healths
from workbench.lens.health.values import FixPreviewValue, HealthValue
from workbench.notebook.catalog_health import CatalogHealth
from workbench.notebook.definition import TableView, ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.drawings.health import health_drawings
from workbench.notebook.following import NewestSnapshot
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import View, at_text
from workbench.sql.grid import Grid, GridColumn


@dataclass(frozen=True)
class HealthArguments(ViewArguments):
    """``storage`` is whether the directories are listed, to find missing and orphan files."""

    storage: bool = False


class Health(TableView[HealthValue, HealthArguments]):
    """The health of a table. ``to_arrow`` returns one row per finding, the worst first."""

    def __init__(self, table: Any, arguments: HealthArguments) -> None:
        super().__init__(HEALTH, table, arguments)
        self._previews: dict[str, FixPreviewValue] = {}

    def preview(self, finding: str, progress: Progress | None = None) -> Preview:
        """Run the fix of a finding in a sandbox, and return what it changes; the table itself stays unchanged.

        Args:
            finding: The id of the finding, as ``to_pandas()`` lists them, or the name of its check.
            progress: Where progress is reported.

        Raises:
            InvalidRequest: There is no such finding, or no statement fixes it.

        Example:
            >>> wb.health(orders).preview("sorted-runs")
        """
        preview = preview_fix(self.table, finding, progress)
        with self._lock:
            self._previews[finding] = preview
            self._read_again()
        return Preview(preview)

    def fix(self, finding: str, confirm: bool = False, progress: Progress | None = None) -> Any:
        """Run the fix of a finding on the table, exactly as the statement that is shown, and return its result.

        Args:
            finding: The id of the finding, as ``to_pandas()`` lists them, or the name of its check.
            confirm: Whether to run a fix that deletes something for good.
            progress: Where progress is reported.

        Raises:
            InvalidRequest: There is no such finding, no statement fixes it, or it deletes something and ``confirm`` is
                false.

        Example:
            >>> wb.health(orders).fix("sorted-runs")
        """
        result = run_fix(self.table, finding, progress, confirmed=confirm)
        with self._lock:
            self._previews.clear()
            self._read_again()
        return result

    def follow(self, newest: NewestSnapshot | Exception | None) -> bool:
        """Show the given version; a snapshot that cannot be read is a finding."""
        return super().follow(None if isinstance(newest, CorruptFile) else newest)

    def _collect(self, newest: NewestSnapshot | None) -> HealthValue:
        value = super()._collect(newest)
        # A preview of a fix on an older version says nothing about this version.
        self._previews = {name: each for name, each in self._previews.items() if each.before.snapshot == value.snapshot}
        return replace(value, previews=tuple(self._previews.values()))

    def _on_event(self, event: Mapping[str, Any]) -> bool:
        match event:
            case {"kind": "preview", "id": str(finding)}:
                try:
                    self._previews[finding] = preview_fix(self.table, finding)
                except WorkbenchError as error:
                    self._fail(error)
                    return False
                return True
        return super()._on_event(event)


class Preview(View):
    """What a fix changes, tried in a sandbox. ``to_arrow`` returns one row per number, before and after it."""

    def __init__(self, preview: FixPreviewValue) -> None:
        names, before, after = zip(*preview_rows(preview), strict=True)
        rows = pa.table({"number": names, "before": before, "after": after})
        columns = (GridColumn("number"), GridColumn("before", number=True), GridColumn("after", number=True))
        grid = Grid(preview.title, columns, tuple(zip(names, before, after, strict=True)), preview_notes(preview))
        super().__init__((grid,), rows, preview, line=f"Tried in a sandbox: {' '.join(preview.fix.sql.split())}")


def preview_rows(preview: FixPreviewValue) -> tuple[tuple[str, str, str], ...]:
    """Return the numbers of a table before and after a fix."""
    before, after = preview.before, preview.after
    return (
        ("condition", HEADINGS[before.condition], HEADINGS[after.condition]),
        ("files", f"{before.files:,}", f"{after.files:,}"),
        ("bytes", size_text(before.size), size_text(after.size)),
        ("stored rows", f"{before.stored_rows:,}", f"{after.stored_rows:,}"),
        ("sorted runs per bucket", f"{before.runs:,}", f"{after.runs:,}"),
        ("read amplification", f"{before.read_amplification:.1f} ×", f"{after.read_amplification:.1f} ×"),
        ("snapshots", f"{before.snapshots:,}", f"{after.snapshots:,}"),
    )


def preview_notes(preview: FixPreviewValue) -> tuple[str, ...]:
    """Return what the fix wrote and deleted, and whether the finding is gone."""
    wrote = f"It wrote {counted(preview.files_written, 'files')} of {size_text(preview.bytes_written)}"
    deleted = f"and would delete {preview.files_deleted:,} of {size_text(preview.bytes_deleted)}"
    gone = "The finding is resolved afterwards." if preview.gone else "The finding remains afterwards."
    return (f"{wrote} {deleted}, in {preview.seconds:.1f} s.", gone)


@checked
def health(target: Any, storage: bool = False) -> Any:
    """Return what should be done about a table, the worst first: each finding with its number, what it costs, and the
    statement that fixes it. For a catalog, return a list of its tables, the worst first.

    In a notebook it is a picture that follows new snapshots. ``preview`` tries a fix in a sandbox, ``fix`` runs it.

    Args:
        target: A table, or a catalog.
        storage: Whether to list the directories too, to find files that are missing or that no version uses.

    Raises:
        InvalidRequest: ``target`` is neither a table nor a catalog.

    Example:
        >>> wb.health(orders)
    """
    if hasattr(target, "list_databases"):
        return CatalogHealth(target, storage=storage)
    if not hasattr(target, "store"):
        raise InvalidRequest(
            f"The argument target of health must be a table or a catalog, not {type(target).__name__}.",
            "Pass catalog.get_table('db.t'), or the catalog.",
        )
    return Health(target, HealthArguments(storage=storage))


def _on_event(arguments: HealthArguments, event: Mapping[str, Any]) -> HealthArguments:
    match event:
        case {"kind": "check-storage"}:
            return replace(arguments, storage=True)
        case {"kind": "select-finding", "id": str(finding)}:
            return replace(arguments, selected=finding)
    return arguments


def health_view(health: HealthValue) -> View:
    """Return the picture, a table of the findings with their fixes, and a table of all checks."""
    found = health.findings
    rows = pa.table(
        {
            "finding": pa.array([each.id for each in found], pa.string()),
            "severity": pa.array([each.severity for each in found], pa.string()),
            "title": pa.array([each.title for each in found], pa.string()),
            "amount": pa.array([each.amount for each in found], pa.float64()),
            "limit": pa.array([each.limit for each in found], pa.float64()),
            "why": pa.array([each.why for each in found], pa.string()),
            "read": pa.array([each.read for each in found], pa.string()),
            "write": pa.array([each.write for each in found], pa.string()),
            "gain": pa.array([each.gain for each in found], pa.string()),
            "advice": pa.array([each.advice for each in found], pa.string()),
            "python": pa.array([each.fix and each.fix.python for each in found], pa.string()),
            "sql": pa.array([each.fix and each.fix.sql for each in found], pa.string()),
        }
    )
    grids = (*((_finding_grid(health),) if found else ()), _check_grid(health))
    line = f"{HEADINGS[health.condition]}. {health.text}"
    return View(
        grids, rows, health, health_drawings(health), line=f"{health.table}, {at_text(health.snapshot)}: {line}"
    )


def _finding_grid(health: HealthValue) -> Grid:
    columns = tuple(map(GridColumn, ("severity", "finding", "costs", "fix")))
    rows = tuple(
        (
            each.severity,
            f"{each.id}: {each.title}. {each.amount_text}.",
            " ".join(filter(None, (each.read, each.write))) or each.why,
            each.fix.sql if each.fix else each.advice,
        )
        for each in health.findings[:MAX_PLACES]
    )
    return Grid(f"Findings about {health.table}", columns, rows, wraps=True)


def _check_grid(health: HealthValue) -> Grid:
    columns = tuple(map(GridColumn, ("check", "result")))
    rows = tuple((each.title, each.text) for each in health.checked if each.text)
    notes = (
        ()
        if health.storage
        else ("Orphan files are found by listing all directories: wb.health(table, storage=True).",)
    )
    return Grid(f"Checks of {health.table}", columns, rows, notes, wraps=True)


HEALTH: ViewDefinition[HealthValue, HealthArguments] = ViewDefinition(
    "health",
    lambda table, arguments: collect_health(table, storage=arguments.storage),
    health_view,
    HealthArguments(),
    _on_event,
    ViewCommand(
        "health",
        "what should be done about a table, and the statements that do it",
        lambda table, _limit: health(table),
        of_catalog=lambda catalog, _limit: health(catalog),
    ),
    # Options and tags change without a new snapshot.
    per_version=False,
    saved=SavedForm(smaller_healths),
)
