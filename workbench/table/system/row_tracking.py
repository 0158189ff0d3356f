"""``$row_tracking``: the rows of a table with their ids and sequence numbers."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.errors import WorkbenchError
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.spec.row_tracking import readable_schema
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.table.system.system_table import ReadOnlyTable


class RowTrackingTable(ReadOnlyTable):
    """The columns of the table, then `_ROW_ID` and `_SEQUENCE_NUMBER`.

    Raises:
        WorkbenchError: The table does not track its rows.
    """

    def __init__(self, store: TableStore, system: str, snapshot: Snapshot | None = None) -> None:
        super().__init__(store, system, snapshot)
        if not store.schema.core.row_tracking_enabled:
            raise WorkbenchError(
                f"{store.name} does not track its rows.",
                "Set option 'row-tracking.enabled' to 'true' when you create a table.",
            )

    @property
    def schema(self) -> TableSchema:
        """All readable columns."""
        return readable_schema(self._store.schema)

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """Plan a read; see `Table.scan` for the arguments."""
        return super().scan(self.schema.field_names if columns is None else columns, where, limit, progress)
