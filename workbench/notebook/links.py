"""From a write to its picture: what a front end needs to open the table at the snapshot that a cell made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.lens.credentials import without_credentials
from workbench.lens.environment import EnvironmentValue, gather_environment
from workbench.lens.wire import Int64, to_json
from workbench.sql.result import Result

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog

SNAPSHOT_MIME = "application/vnd.paimon-workbench.snapshot+json"


@dataclass(frozen=True)
class SnapshotLink:
    """A snapshot that a cell made, and where. ``catalog`` is the name that the user gave for it, None where it was
    opened by its directory; ``warehouse`` has no credentials in it."""

    message: str
    warehouse: str
    catalog: str | None
    database: str
    table: str
    snapshot: Int64
    environment: EnvironmentValue


def linked(result: Result, catalog: FileSystemCatalog, name: str | None) -> Result:
    """The result with a link to the last snapshot that it made, for front ends that open it; others show the text."""
    if not result.snapshots or result.message is None or result.table is None:
        return result
    database, _, table = result.table.partition(".")
    link = SnapshotLink(
        message=result.message,
        warehouse=without_credentials(catalog.warehouse),
        catalog=name,
        database=database,
        table=table,
        snapshot=result.snapshots[-1].id,
        environment=gather_environment(),
    )
    return replace(result, forms={SNAPSHOT_MIME: to_json(link)})
