"""The statements that a table supports (Java ``PrimaryKeyTableUtils.validatePKUpsertDeletable``, ``RowLevelOp``)."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.format.options.merge_engine import ExistingProcessor, merge_engine_names
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.table_kind import BucketMode
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.table.dml.changes import RowChange
from workbench.write.changes.lost_changes import check_not_aggregated


def check_supports(schema: TableSchema, change: RowChange, statement: str, *, updates: bool) -> None:
    """Check that the table supports a statement; ``updates`` marks statements that only some merge engines support.

    Raises:
        Unsupported: The written rows would not have the effect of the statement; the message names the option.
    """
    check_engine(schema, statement, updates=updates, assigns=bool(change.assigned_columns))
    if schema.core.data_evolution_enabled and any(action.deletes for action in change.actions):
        check_marks_deletes(schema, statement)
    # A plain DELETE is exempt, because it can remove rows from their files.
    if updates and any(action.deletes for action in change.actions):
        check_supports_deletes(schema)


def check_engine(schema: TableSchema, statement: str, *, updates: bool, assigns: bool) -> None:
    """Check that a table, and its merge engine, supports a statement, apart from the deletes in it.

    Raises:
        Unsupported: It does not; the message names the option.
    """
    for option, branch in schema.core.other_branches.items():
        # A changed row would be written to the table's own branch, where it would hide the rest of its partition in the
        # other branch.
        raise Unsupported(
            f"{statement} is not supported with option '{option}' = '{branch}': the table is read from two branches.",
            f"Change the rows of the table with the suffix '$branch_{branch}', or remove the option.",
        )
    engine = schema.kind.merge_engine
    if engine is None:
        return
    if "rowkind.field" in schema.options:
        field = schema.options["rowkind.field"]
        raise Unsupported(
            f"{statement} is not supported with option 'rowkind.field' = '{field}'.",
            "Write rows with their row kind in that column.",
        )
    if updates and not engine.takes_updates:
        names = merge_engine_names(lambda each: each.takes_updates)
        raise Unsupported(
            f"{statement} is not supported with option 'merge-engine' = '{engine.name}'.",
            f"Merge engines that support it: {', '.join(names)}.",
        )
    if engine.combines_rows and assigns:
        check_not_aggregated(schema)


def check_no_postponed_rows(store: TableStore, snapshot: Snapshot | None, statement: str) -> None:
    """Check that no rows waiting for a bucket would hide the rows that a statement writes into buckets.

    Raises:
        Unsupported: There are such rows: reads merge them, and they count as newer than rows in buckets.
    """
    core = store.schema.core
    if store.schema.kind.bucket_mode is not BucketMode.POSTPONE_MODE or snapshot is None:
        return
    if not core.postpone_merge_on_read or not core.postpone_batch_write_fixed_bucket:
        return
    if any(entry.bucket == POSTPONE_BUCKET for entry in ManifestFiles(store).live_files(snapshot)):
        raise Unsupported(
            f"{statement} of {store.name} is not supported with option 'postpone.merge-on-read' = 'true' while rows "
            "wait for a bucket: they would hide the changed rows.",
            "Compact the table first, or set option 'postpone.batch-write-fixed-bucket' to 'false'.",
        )


def check_marks_deletes(schema: TableSchema, statement: str) -> None:
    """Check that rows of a table with data evolution can be deleted.

    Raises:
        Unsupported: Rows cannot be marked as deleted, and rewriting their files would change the row ids.
    """
    if not schema.core.deletion_vectors_enabled:
        raise Unsupported(
            f"{statement} cannot delete rows of a table with option 'data-evolution.enabled' = 'true' and without "
            "deletion vectors.",
            "Create the table with option 'deletion-vectors.enabled' = 'true', or drop whole partitions.",
        )


def fixed_columns(schema: TableSchema) -> tuple[str, ...]:
    """Return the columns that UPDATE and MERGE cannot assign, because the old row of the key would remain.

    A key that is unique across partitions may move to another partition, if the merge engine deletes the old row.
    """
    engine = schema.kind.merge_engine
    if engine is None:
        return ()
    if schema.core.bucket == -1 and engine.existing_processor is ExistingProcessor.DELETE:
        return tuple(schema.primary_keys)
    return tuple(dict.fromkeys((*schema.primary_keys, *schema.partition_keys)))


def deletes_from_files(schema: TableSchema) -> bool:
    """Return whether DELETE has to remove rows from their files, because rows of kind -D do not delete them."""
    try:
        check_supports_deletes(schema)
    except Unsupported:
        return True
    return False


def check_supports_deletes(schema: TableSchema) -> None:
    """Check that rows of kind -D delete rows of a table.

    Raises:
        Unsupported: They do not; the message names the option.
    """
    core, engine = schema.core, schema.kind.merge_engine
    if engine is None:
        return
    if core.ignore_delete:
        raise Unsupported(
            "With option 'ignore-delete' = 'true' rows cannot be deleted.", "Set it to 'false', or drop partitions."
        )
    if not engine.takes_deletes:
        raise Unsupported(
            f"Rows cannot be deleted with option 'merge-engine' = '{engine.name}'.", "Drop whole partitions."
        )
    if engine.delete_options and not any(core.value(name) for name in engine.delete_options):
        raise Unsupported(
            f"With option 'merge-engine' = '{engine.name}' rows cannot be deleted.",
            f"Set option '{engine.delete_options[0]}' to 'true', or drop whole partitions.",
        )
