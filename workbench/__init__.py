"""Apache Paimon tables in Python: browse, read, write and watch them.

The public names are the keys of `_HOMES`. Each is loaded on first use, so that importing the package is cheap. The
imports for type checkers repeat these names, and a test compares the two lists.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench import spark as spark
    from workbench.base.errors import AlreadyExists as AlreadyExists
    from workbench.base.errors import Cancelled as Cancelled
    from workbench.base.errors import CatalogError as CatalogError
    from workbench.base.errors import CatalogNotFound as CatalogNotFound
    from workbench.base.errors import CommitConflict as CommitConflict
    from workbench.base.errors import CorruptFile as CorruptFile
    from workbench.base.errors import DatabaseNotFound as DatabaseNotFound
    from workbench.base.errors import InvalidExpression as InvalidExpression
    from workbench.base.errors import InvalidSchema as InvalidSchema
    from workbench.base.errors import MergeError as MergeError
    from workbench.base.errors import NoAnswer as NoAnswer
    from workbench.base.errors import ReadOnlyCatalogError as ReadOnlyCatalogError
    from workbench.base.errors import SchemaMismatch as SchemaMismatch
    from workbench.base.errors import SnapshotNotFound as SnapshotNotFound
    from workbench.base.errors import TableNotFound as TableNotFound
    from workbench.base.errors import UnknownOption as UnknownOption
    from workbench.base.errors import Unsupported as Unsupported
    from workbench.base.errors import WorkbenchError as WorkbenchError
    from workbench.base.progress import Progress as Progress
    from workbench.base.session import session_options
    from workbench.base.version import VERSION
    from workbench.catalog.catalog import Catalog as Catalog
    from workbench.catalog.compact_database import DatabaseCompaction as DatabaseCompaction
    from workbench.catalog.compact_database import compact_database as compact_database
    from workbench.catalog.connect import connect as connect
    from workbench.catalog.descriptions import Database as Database
    from workbench.catalog.descriptions import Function as Function
    from workbench.catalog.descriptions import View as View
    from workbench.catalog.filesystem import FileSystemCatalog as FileSystemCatalog
    from workbench.expr.expressions import Expr as Expr
    from workbench.expr.expressions import col as col
    from workbench.format.spec.schema import TableSchema as TableSchema
    from workbench.format.spec.snapshot import Snapshot as Snapshot
    from workbench.format.spec.tag import Tag as Tag
    from workbench.format.types.variant import variant_to_json as variant_to_json
    from workbench.format.types.variant_building import Variant as Variant
    from workbench.format.types.variant_building import variant as variant
    from workbench.metadata.protocol import PartitionStatistics as PartitionStatistics
    from workbench.metadata.repair import EarliestSnapshot as EarliestSnapshot
    from workbench.notebook.explore import explore as explore
    from workbench.notebook.extension import load_ipython_extension as load_ipython_extension
    from workbench.notebook.extension import unload_ipython_extension as unload_ipython_extension
    from workbench.notebook.table_views.biography import biography as biography
    from workbench.notebook.table_views.compaction import compaction as compaction
    from workbench.notebook.table_views.diff import diff as diff
    from workbench.notebook.table_views.explain import explain as explain
    from workbench.notebook.table_views.health import health as health
    from workbench.notebook.table_views.levels import levels as levels
    from workbench.notebook.table_views.summary import summary as summary
    from workbench.notebook.table_views.timeline import timeline as timeline
    from workbench.scan.scan import Scan as Scan
    from workbench.scan.scan_report import ScanReport as ScanReport
    from workbench.scan.split import Split as Split
    from workbench.table.commits.commit import Commit as Commit
    from workbench.table.compaction.compact_manifests import ManifestCompaction as ManifestCompaction
    from workbench.table.compaction.file_indexes import IndexRewrite as IndexRewrite
    from workbench.table.dml.clauses import WhenMatched as WhenMatched
    from workbench.table.dml.clauses import WhenNotMatched as WhenNotMatched
    from workbench.table.dml.clauses import WhenNotMatchedBySource as WhenNotMatchedBySource
    from workbench.table.dml.result import RowChanges as RowChanges
    from workbench.table.maintenance.analyze import Analysis as Analysis
    from workbench.table.maintenance.automatic_tags import AutomaticTags as AutomaticTags
    from workbench.table.maintenance.expire_changelogs import ChangelogExpiry as ChangelogExpiry
    from workbench.table.maintenance.expire_partitions import PartitionExpiry as PartitionExpiry
    from workbench.table.maintenance.expire_snapshots import SnapshotExpiry as SnapshotExpiry
    from workbench.table.maintenance.expire_tags import TagExpiry as TagExpiry
    from workbench.table.maintenance.mark_done import PartitionsDone as PartitionsDone
    from workbench.table.maintenance.orphan_files import OrphanFiles as OrphanFiles
    from workbench.table.maintenance.purge_files import PurgedFiles as PurgedFiles
    from workbench.table.maintenance.unexisting_files import UnexistingFiles as UnexistingFiles
    from workbench.table.readable_table import ReadableTable as ReadableTable
    from workbench.table.sandbox.applying import Applied as Applied
    from workbench.table.sandbox.report import SandboxReport as SandboxReport
    from workbench.table.schema_changes.changes import AddColumn as AddColumn
    from workbench.table.schema_changes.changes import DropColumn as DropColumn
    from workbench.table.schema_changes.changes import MoveColumn as MoveColumn
    from workbench.table.schema_changes.changes import RemoveOption as RemoveOption
    from workbench.table.schema_changes.changes import RenameColumn as RenameColumn
    from workbench.table.schema_changes.changes import SchemaChange as SchemaChange
    from workbench.table.schema_changes.changes import SetOption as SetOption
    from workbench.table.schema_changes.changes import UpdateColumnComment as UpdateColumnComment
    from workbench.table.schema_changes.changes import UpdateColumnDefault as UpdateColumnDefault
    from workbench.table.schema_changes.changes import UpdateColumnNullability as UpdateColumnNullability
    from workbench.table.schema_changes.changes import UpdateColumnType as UpdateColumnType
    from workbench.table.schema_changes.changes import UpdateComment as UpdateComment
    from workbench.table.schema_changes.commit import Alteration as Alteration
    from workbench.table.table import Sandbox as Sandbox
    from workbench.table.table import Table as Table
    from workbench.table.versions.branch_changes import BranchChange as BranchChange
    from workbench.table.versions.consumer_changes import ConsumerChange as ConsumerChange
    from workbench.table.versions.consumer_changes import ConsumersCleared as ConsumersCleared
    from workbench.table.versions.fast_forward import FastForward as FastForward
    from workbench.table.versions.rollback import Rollback as Rollback
    from workbench.table.versions.tag_changes import TagChange as TagChange
    from workbench.write.batch import MessageWriter as MessageWriter
    from workbench.write.batch import WritePlan as WritePlan

    __version__ = VERSION
    options = session_options

# The module of each public name, and its name in that module if it differs.
_HOMES = {
    "AddColumn": "workbench.table.schema_changes.changes",
    "AlreadyExists": "workbench.base.errors",
    "Alteration": "workbench.table.schema_changes.commit",
    "Analysis": "workbench.table.maintenance.analyze",
    "Applied": "workbench.table.sandbox.applying",
    "AutomaticTags": "workbench.table.maintenance.automatic_tags",
    "BranchChange": "workbench.table.versions.branch_changes",
    "Cancelled": "workbench.base.errors",
    "Catalog": "workbench.catalog.catalog",
    "CatalogError": "workbench.base.errors",
    "CatalogNotFound": "workbench.base.errors",
    "ChangelogExpiry": "workbench.table.maintenance.expire_changelogs",
    "Commit": "workbench.table.commits.commit",
    "CommitConflict": "workbench.base.errors",
    "ConsumerChange": "workbench.table.versions.consumer_changes",
    "ConsumersCleared": "workbench.table.versions.consumer_changes",
    "CorruptFile": "workbench.base.errors",
    "Database": "workbench.catalog.descriptions",
    "DatabaseCompaction": "workbench.catalog.compact_database",
    "DatabaseNotFound": "workbench.base.errors",
    "DropColumn": "workbench.table.schema_changes.changes",
    "EarliestSnapshot": "workbench.metadata.repair",
    "Expr": "workbench.expr.expressions",
    "FastForward": "workbench.table.versions.fast_forward",
    "FileSystemCatalog": "workbench.catalog.filesystem",
    "Function": "workbench.catalog.descriptions",
    "IndexRewrite": "workbench.table.compaction.file_indexes",
    "InvalidExpression": "workbench.base.errors",
    "InvalidSchema": "workbench.base.errors",
    "ManifestCompaction": "workbench.table.compaction.compact_manifests",
    "MergeError": "workbench.base.errors",
    "MessageWriter": "workbench.write.batch",
    "MoveColumn": "workbench.table.schema_changes.changes",
    "NoAnswer": "workbench.base.errors",
    "OrphanFiles": "workbench.table.maintenance.orphan_files",
    "PartitionExpiry": "workbench.table.maintenance.expire_partitions",
    "PartitionStatistics": "workbench.metadata.protocol",
    "PartitionsDone": "workbench.table.maintenance.mark_done",
    "Progress": "workbench.base.progress",
    "PurgedFiles": "workbench.table.maintenance.purge_files",
    "ReadOnlyCatalogError": "workbench.base.errors",
    "ReadableTable": "workbench.table.readable_table",
    "RemoveOption": "workbench.table.schema_changes.changes",
    "RenameColumn": "workbench.table.schema_changes.changes",
    "Rollback": "workbench.table.versions.rollback",
    "RowChanges": "workbench.table.dml.result",
    "Sandbox": "workbench.table.table",
    "SandboxReport": "workbench.table.sandbox.report",
    "Scan": "workbench.scan.scan",
    "ScanReport": "workbench.scan.scan_report",
    "SchemaChange": "workbench.table.schema_changes.changes",
    "SchemaMismatch": "workbench.base.errors",
    "SetOption": "workbench.table.schema_changes.changes",
    "Snapshot": "workbench.format.spec.snapshot",
    "SnapshotExpiry": "workbench.table.maintenance.expire_snapshots",
    "SnapshotNotFound": "workbench.base.errors",
    "Split": "workbench.scan.split",
    "Table": "workbench.table.table",
    "TableNotFound": "workbench.base.errors",
    "TableSchema": "workbench.format.spec.schema",
    "Tag": "workbench.format.spec.tag",
    "TagChange": "workbench.table.versions.tag_changes",
    "TagExpiry": "workbench.table.maintenance.expire_tags",
    "UnexistingFiles": "workbench.table.maintenance.unexisting_files",
    "UnknownOption": "workbench.base.errors",
    "Unsupported": "workbench.base.errors",
    "UpdateColumnComment": "workbench.table.schema_changes.changes",
    "UpdateColumnDefault": "workbench.table.schema_changes.changes",
    "UpdateColumnNullability": "workbench.table.schema_changes.changes",
    "UpdateColumnType": "workbench.table.schema_changes.changes",
    "UpdateComment": "workbench.table.schema_changes.changes",
    "Variant": "workbench.format.types.variant_building",
    "View": "workbench.catalog.descriptions",
    "WhenMatched": "workbench.table.dml.clauses",
    "WhenNotMatched": "workbench.table.dml.clauses",
    "WhenNotMatchedBySource": "workbench.table.dml.clauses",
    "WorkbenchError": "workbench.base.errors",
    "WritePlan": "workbench.write.batch",
    "__version__": "workbench.base.version:VERSION",
    "biography": "workbench.notebook.table_views.biography",
    "col": "workbench.expr.expressions",
    "compact_database": "workbench.catalog.compact_database",
    "compaction": "workbench.notebook.table_views.compaction",
    "connect": "workbench.catalog.connect",
    "diff": "workbench.notebook.table_views.diff",
    "explain": "workbench.notebook.table_views.explain",
    "explore": "workbench.notebook.explore",
    "health": "workbench.notebook.table_views.health",
    "levels": "workbench.notebook.table_views.levels",
    "load_ipython_extension": "workbench.notebook.extension",
    "options": "workbench.base.session:session_options",
    "spark": "workbench.spark",
    "summary": "workbench.notebook.table_views.summary",
    "timeline": "workbench.notebook.table_views.timeline",
    "unload_ipython_extension": "workbench.notebook.extension",
    "variant": "workbench.format.types.variant_building",
    "variant_to_json": "workbench.format.types.variant",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench' has no attribute '{name}'")
    module, _, attribute = _HOMES[name].partition(":")
    home = import_module(module)
    value = home if module == f"{__name__}.{name}" else getattr(home, attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
