"""Which statements a table takes (Java ``PrimaryKeyTableUtils.validatePKUpsertDeletable``, ``RowLevelOp``)."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.format.schema import TableSchema
from workbench.table.row_level.changes import RowChange
from workbench.table.row_level.lost_changes import check_not_aggregated


def check_takes(schema: TableSchema, change: RowChange, statement: str, *, updates: bool) -> None:
    """``updates``: the statement is one that only some merge engines take.

    Raises:
        Unsupported: rows that are written would not do what the statement says; the message names the option.
    """
    if not schema.is_primary_key_table:
        return
    engine = schema.core.merge_engine
    if "rowkind.field" in schema.options:
        field = schema.options["rowkind.field"]
        raise Unsupported(
            f"{statement} is not supported with option 'rowkind.field' = '{field}'.",
            "Write rows whose column says what they do.",
        )
    if updates and engine not in ("deduplicate", "partial-update"):
        raise Unsupported(
            f"{statement} is not supported with option 'merge-engine' = '{engine}'.",
            "Tables of engines deduplicate and partial-update take it.",
        )
    if engine == "partial-update" and change.assigned_columns:
        check_not_aggregated(schema)
    if any(action.deletes for action in change.actions):
        _check_deletes(schema, engine)


def _check_deletes(schema: TableSchema, engine: str) -> None:
    core = schema.core
    if core.ignore_delete:
        raise Unsupported(
            "With option 'ignore-delete' = 'true' rows cannot be deleted.", "Set it to 'false', or drop partitions."
        )
    switches = {
        "deduplicate": (),
        "partial-update": (
            "partial-update.remove-record-on-delete",
            "partial-update.remove-record-on-sequence-group",
        ),
        "aggregation": ("aggregation.remove-record-on-delete",),
    }
    if engine not in switches:
        raise Unsupported(f"Rows cannot be deleted with option 'merge-engine' = '{engine}'.", "Drop whole partitions.")
    if switches[engine] and not any(core.value(name) for name in switches[engine]):
        raise Unsupported(
            f"With option 'merge-engine' = '{engine}' rows cannot be deleted.",
            f"Set option '{switches[engine][0]}' to 'true', or drop whole partitions.",
        )
