"""Apache Paimon tables in Python: browse, read, write and watch them.

The names below are the public face; each is loaded when it is first used, so that importing this costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench import spark
    from workbench.base.errors import (
        AlreadyExists,
        Cancelled,
        CatalogError,
        CatalogNotFound,
        CommitConflict,
        CorruptFile,
        DatabaseNotFound,
        InvalidExpression,
        InvalidSchema,
        MergeError,
        SchemaMismatch,
        SnapshotNotFound,
        TableNotFound,
        UnknownOption,
        Unsupported,
        WorkbenchError,
    )
    from workbench.base.progress import Progress
    from workbench.base.session import session_options as options
    from workbench.base.version import VERSION as __version__  # noqa: N811
    from workbench.catalog.connect import connect
    from workbench.expr.expressions import col
    from workbench.format.variant import variant_to_json
    from workbench.notebook.explore import explore
    from workbench.notebook.extension import load_ipython_extension, unload_ipython_extension
    from workbench.notebook.pictures import levels, timeline
    from workbench.table.altering.changes import (
        AddColumn,
        DropColumn,
        MoveColumn,
        RemoveOption,
        RenameColumn,
        SetOption,
        UpdateColumnComment,
        UpdateColumnDefault,
        UpdateColumnNullability,
        UpdateColumnType,
        UpdateComment,
    )
    from workbench.table.committing.commit import Commit
    from workbench.table.row_level.clauses import WhenMatched, WhenNotMatched, WhenNotMatchedBySource
    from workbench.table.row_level.result import RowChanges
    from workbench.table.table import Table

_ERRORS = [
    "AlreadyExists",
    "Cancelled",
    "CatalogError",
    "CatalogNotFound",
    "CommitConflict",
    "CorruptFile",
    "DatabaseNotFound",
    "InvalidExpression",
    "InvalidSchema",
    "MergeError",
    "SchemaMismatch",
    "SnapshotNotFound",
    "TableNotFound",
    "UnknownOption",
    "Unsupported",
    "WorkbenchError",
]
_CHANGES = [
    "AddColumn",
    "DropColumn",
    "MoveColumn",
    "RemoveOption",
    "RenameColumn",
    "SetOption",
    "UpdateColumnComment",
    "UpdateColumnDefault",
    "UpdateColumnNullability",
    "UpdateColumnType",
    "UpdateComment",
]
_CLAUSES = ["WhenMatched", "WhenNotMatched", "WhenNotMatchedBySource"]
_HOMES = {
    **{name: ("workbench.base.errors", name) for name in _ERRORS},
    **{name: ("workbench.table.altering.changes", name) for name in _CHANGES},
    **{name: ("workbench.table.row_level.clauses", name) for name in _CLAUSES},
    "Commit": ("workbench.table.committing.commit", "Commit"),
    "Progress": ("workbench.base.progress", "Progress"),
    "RowChanges": ("workbench.table.row_level.result", "RowChanges"),
    "Table": ("workbench.table.table", "Table"),
    "__version__": ("workbench.base.version", "VERSION"),
    "col": ("workbench.expr.expressions", "col"),
    "connect": ("workbench.catalog.connect", "connect"),
    "explore": ("workbench.notebook.explore", "explore"),
    "levels": ("workbench.notebook.pictures", "levels"),
    "load_ipython_extension": ("workbench.notebook.extension", "load_ipython_extension"),
    "options": ("workbench.base.session", "session_options"),
    "timeline": ("workbench.notebook.pictures", "timeline"),
    "unload_ipython_extension": ("workbench.notebook.extension", "unload_ipython_extension"),
    "variant_to_json": ("workbench.format.variant", "variant_to_json"),
}

__all__ = [
    "AddColumn",
    "AlreadyExists",
    "Cancelled",
    "CatalogError",
    "CatalogNotFound",
    "Commit",
    "CommitConflict",
    "CorruptFile",
    "DatabaseNotFound",
    "DropColumn",
    "InvalidExpression",
    "InvalidSchema",
    "MergeError",
    "MoveColumn",
    "Progress",
    "RemoveOption",
    "RenameColumn",
    "RowChanges",
    "SchemaMismatch",
    "SetOption",
    "SnapshotNotFound",
    "Table",
    "TableNotFound",
    "UnknownOption",
    "Unsupported",
    "UpdateColumnComment",
    "UpdateColumnDefault",
    "UpdateColumnNullability",
    "UpdateColumnType",
    "UpdateComment",
    "WhenMatched",
    "WhenNotMatched",
    "WhenNotMatchedBySource",
    "WorkbenchError",
    "__version__",
    "col",
    "connect",
    "explore",
    "levels",
    "load_ipython_extension",
    "options",
    "spark",
    "timeline",
    "unload_ipython_extension",
    "variant_to_json",
]


def __getattr__(name: str) -> Any:
    if name == "spark":
        return import_module("workbench.spark")
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench' has no attribute '{name}'")
    module, attribute = _HOMES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
