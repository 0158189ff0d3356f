"""All system tables of a table, by name."""

from __future__ import annotations

from workbench.base.errors import TableNotFound, did_you_mean
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore
from workbench.table.system.data_tables import AuditLogTable, BinlogTable, ReadOptimizedTable
from workbench.table.system.definitions import DEFINITION_KINDS
from workbench.table.system.file_indexes import FILE_INDEX_KINDS
from workbench.table.system.files import FILE_KINDS
from workbench.table.system.kinds import SystemKind
from workbench.table.system.manifests import MANIFEST_KINDS
from workbench.table.system.row_tracking import RowTrackingTable
from workbench.table.system.statistics import STATISTICS_KINDS
from workbench.table.system.system_table import MetadataTable, ReadOnlyTable
from workbench.table.system.totals import TOTAL_KINDS
from workbench.table.system.versions import VERSION_KINDS

METADATA_KINDS: dict[str, SystemKind] = {
    **VERSION_KINDS,
    **DEFINITION_KINDS,
    **FILE_KINDS,
    **FILE_INDEX_KINDS,
    **TOTAL_KINDS,
    **MANIFEST_KINDS,
    **STATISTICS_KINDS,
}
_DATA_TABLES: dict[str, type[ReadOnlyTable]] = {
    "ro": ReadOptimizedTable,
    "audit_log": AuditLogTable,
    "binlog": BinlogTable,
    "row_tracking": RowTrackingTable,
}
SYSTEM_TABLES = tuple(sorted([*METADATA_KINDS, *_DATA_TABLES]))


def open_system_table(store: TableStore, name: str, snapshot: Snapshot | None = None) -> ReadOnlyTable:
    """Open the system table ``name``, in upper or lower case, of a table or branch.

    Raises:
        TableNotFound: There is no system table of that name.
    """
    system = name.lower()
    if system in METADATA_KINDS:
        return MetadataTable(store, system, METADATA_KINDS[system], snapshot, open_system_table)
    if system in _DATA_TABLES:
        return _DATA_TABLES[system](store, system, snapshot)
    hint = did_you_mean(system, SYSTEM_TABLES) or f"There are {', '.join(SYSTEM_TABLES)}."
    raise TableNotFound(f"There is no system table {store.name}${name}.", hint)
