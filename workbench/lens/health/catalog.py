"""The health of all tables of a catalog, table by table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.counting import counted
from workbench.base.errors import DatabaseNotFound, WorkbenchError, did_you_mean
from workbench.base.parallel import parallel_stream
from workbench.base.progress import Progress
from workbench.base.secrets import without_credentials, without_secrets
from workbench.lens.health.check import SEVERITIES, Severity, worst
from workbench.lens.health.health import collect_health
from workbench.lens.wire import Int64

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

_WORKERS = 8


@dataclass(frozen=True)
class TableHealthValue:
    """The health of one table of a catalog.

    ``finding`` is the title of its worst finding and ``sql`` the statement that fixes it, '' if there is none. A table
    that cannot be opened is in poor condition.
    """

    table: str
    condition: Severity
    finding: str
    findings: int
    sql: str
    files: Int64
    size: Int64
    snapshot: Int64 | None


@dataclass(frozen=True)
class CatalogHealthValue:
    """The health of a catalog: its ``tables``, the worst first. ``total`` counts all tables; those that have not been
    read yet are missing. ``is_complete`` is whether the reading has ended, ``cancelled`` whether it was stopped."""

    catalog: str
    condition: Severity
    text: str
    tables: tuple[TableHealthValue, ...]
    total: int
    is_complete: bool
    cancelled: bool


def tables_of(catalog: Catalog, database: str | None = None) -> list[str]:
    """Return the full names of all tables, or of those of a database. Raises DatabaseNotFound."""
    databases = catalog.list_databases()
    if database is not None and database not in databases:
        raise DatabaseNotFound(f"Database '{database}' does not exist.", did_you_mean(database, databases))
    chosen = databases if database is None else [database]
    return [f"{each}.{table}" for each in chosen for table in catalog.list_tables(each)]


def table_healths(
    catalog: Catalog, names: Iterable[str], *, storage: bool = False, progress: Progress | None = None
) -> Iterator[TableHealthValue]:
    """Yield the health of tables as they are read, several at a time.

    Rows are not estimated, because that reads data files.

    Raises:
        Cancelled: Cancellation was requested.
    """
    progress = progress or Progress()
    listed = list(names)
    with progress.step("Checking tables", len(listed), "tables"):
        for value in parallel_stream(lambda name: _health(catalog, name, storage, progress), listed, _WORKERS):
            progress.advance()
            yield value


def describe_catalog_health(
    catalog: Catalog, tables: Iterable[TableHealthValue], total: int, *, is_complete: bool, cancelled: bool = False
) -> CatalogHealthValue:
    """Return the health of a catalog from the health of its tables. The worst table is listed first."""
    ranked = tuple(sorted(tables, key=lambda each: (-SEVERITIES.index(each.condition), -each.findings, each.table)))
    counts = [
        f"{sum(each.condition == severity for each in ranked):,} {severity}"
        for severity in reversed(SEVERITIES)
        if any(each.condition == severity for each in ranked)
    ]
    read = counted(total, "tables") if len(ranked) == total else f"{len(ranked):,} of {counted(total, 'tables')}"
    return CatalogHealthValue(
        catalog=without_credentials(catalog.warehouse),
        condition=worst([each.condition for each in ranked]),
        text=f"{read}: {', '.join(counts)}." if counts else f"{read}.",
        tables=ranked,
        total=total,
        is_complete=is_complete,
        cancelled=cancelled,
    )


def _health(catalog: Any, name: str, storage: bool, progress: Progress) -> TableHealthValue:
    progress.check()
    try:
        health = collect_health(catalog.get_table(name), storage=storage, estimate=False, progress=_Quiet(progress))
    except (WorkbenchError, OSError) as error:
        # A table that cannot be opened is a finding, but a cancellation is not an error of the table.
        progress.check()
        return TableHealthValue(name, "poor", without_secrets(str(error)), 1, "", 0, 0, None)
    first = next(iter(health.findings), None)
    return TableHealthValue(
        table=name,
        condition=health.condition,
        finding="" if first is None else first.title,
        findings=len(health.findings),
        sql="" if first is None or first.fix is None else first.fix.sql,
        files=health.files,
        size=health.size,
        snapshot=health.snapshot,
    )


class _Quiet(Progress):
    """Passes on the request to cancel, but not the steps of each table."""

    def __init__(self, outer: Progress) -> None:
        super().__init__()
        self._outer = outer

    def check(self) -> None:
        """Raise `Cancelled` if cancellation was requested."""
        self._outer.check()
        super().check()
