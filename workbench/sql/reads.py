"""The table reads of a query, so that each read can be explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.markup import escape
from workbench.scan.scan_report import REASONS

if TYPE_CHECKING:
    from workbench.scan.scan import Scan
    from workbench.table.readable_table import ReadableTable

_SHOWN_COLUMNS = 20


@dataclass(frozen=True)
class TableRead:
    """A read of one table, at its version: the columns, the condition that the scan evaluates, and its limit.

    ``steps`` are the steps of the plan: why each step leaves out files, how many it leaves out, and how many are left.
    """

    table: ReadableTable
    columns: tuple[str, ...]
    where: str | None
    limit: int | None
    steps: tuple[tuple[str, int, int], ...]

    @property
    def command(self) -> str:
        """The command that explains the read in full."""
        return f"%paimon explain {self.table.name}{'' if self.where is None else f' WHERE {self.where}'}"


def table_read(table: ReadableTable, scan: Scan) -> TableRead:
    """Return what a scan of a table reads."""
    columns = scan.store.schema.field_names if scan.columns is None else tuple(scan.columns)
    return TableRead(table, columns, None if scan.where is None else str(scan.where), scan.limit, _steps(scan))


def _steps(scan: Scan) -> tuple[tuple[str, int, int], ...]:
    """Return the steps of the plan that the query has already made."""
    report = scan.explain()
    left = report.files
    steps = [("all files" if not report.manifests_pruned else "files in matching partitions", 0, left)]
    for rule, count in report.files_pruned.items():
        left -= count
        steps.append((f"{rule}: {REASONS.get(rule, 'not read')}", count, left))
    return tuple(steps)


def reads_html(reads: Sequence[TableRead]) -> str:
    """Return a collapsed section that says how each table was read, or '' if no data files were planned."""
    if not reads:
        return ""
    return f'<details class="wb-reads"><summary>How this was read</summary>{"".join(map(_read_html, reads))}</details>'


def _read_html(read: TableRead) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Step", "Files left out", "Files left"))
    rows = "".join(
        f'<tr><td>{escape(step)}</td><td class="wb-num">{gone:,}</td><td class="wb-num">{left:,}</td></tr>'
        for step, gone, left in read.steps
    )
    columns = ", ".join(read.columns[:_SHOWN_COLUMNS]) + (", …" if len(read.columns) > _SHOWN_COLUMNS else "")
    return (
        f'<div class="wb-grid"><table class="wb-table"><caption>{escape(read.table.name)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f'<p class="wb-note">Columns: {escape(columns)}. Files, bytes and facts: '
        f"<code>{escape(read.command)}</code></p></div>"
    )
