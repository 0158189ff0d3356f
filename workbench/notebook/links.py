"""Links from the output of a write to the snapshot that it created."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.base.secrets import without_credentials
from workbench.lens.environment import EnvironmentValue, collect_environment
from workbench.lens.wire import Int64, to_json
from workbench.sql.result import Result

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

SNAPSHOT_MIME = "application/vnd.paimon-workbench.snapshot+json"


@dataclass(frozen=True)
class SnapshotLink:
    """A snapshot that a cell created.

    ``catalog`` is the name by which the catalog was opened, or None if it was opened by its directory; ``warehouse``
    contains no credentials.
    """

    message: str
    warehouse: str
    catalog: str | None
    database: str
    table: str
    snapshot: Int64
    environment: EnvironmentValue


def linked(result: Result, catalog: Catalog, name: str | None) -> Result:
    """Return the result with a link to its last snapshot; front ends without the extension show it as text."""
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
        environment=collect_environment(),
    )
    return replace(result, forms={SNAPSHOT_MIME: to_json(link)})
