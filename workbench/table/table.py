"""`Table`, the public face of a Paimon table, and its sandbox."""

from __future__ import annotations

import os
from datetime import date, datetime
from typing import Any

from workbench.base.arguments import checked
from workbench.base.errors import Unsupported
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.layouts import store_at
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.store import TableStore
from workbench.metadata.time_travel import selected_version
from workbench.table.api import compaction, dml, maintenance, versions, writes
from workbench.table.sandbox.sandbox import SandboxTable, sandbox_directory
from workbench.table.writable_table import WritableTable


class Table(WritableTable):
    """A Paimon table, at its newest version or, if returned by `at`, at a fixed one. Catalogs open tables.

    A table from `at` is read-only: its writing methods raise `WorkbenchError`. The schema is the one at the moment the
    table was opened, or after this object's last write that changed it.

    If the table is dropped, renamed or created again while this object is in use, every method raises `TableNotFound`,
    or `CommitConflict` if the object would change the new table; open the table again.

    Example:
        >>> orders = wb.connect("./warehouse").get_table("shop.orders")
        >>> orders.write([{"id": 1, "qty": 3}])
        >>> orders.to_arrow(where="qty > 2")
    """

    # Writes
    write = writes.write
    writer = writes.writer
    commit = writes.commit
    overwrite = writes.overwrite
    new_write_plan = writes.new_write_plan
    merge_schema = writes.merge_schema
    # Rows
    delete = dml.delete
    update = dml.update
    merge = dml.merge
    truncate = dml.truncate
    drop_partitions = dml.drop_partitions
    # Compaction
    compact = compaction.compact
    rescale = compaction.rescale
    rewrite_file_indexes = compaction.rewrite_file_indexes
    compact_manifest = compaction.compact_manifest
    # Tags
    create_tag = versions.create_tag
    create_tag_from_timestamp = versions.create_tag_from_timestamp
    replace_tag = versions.replace_tag
    rename_tag = versions.rename_tag
    delete_tag = versions.delete_tag
    # Branches
    create_branch = versions.create_branch
    rename_branch = versions.rename_branch
    delete_branch = versions.delete_branch
    fast_forward = versions.fast_forward
    merge_branch = versions.merge_branch
    # Rollback and repair
    rollback_to = versions.rollback_to
    repair_earliest_snapshot = versions.repair_earliest_snapshot
    # Consumers
    set_consumer = versions.set_consumer
    delete_consumer = versions.delete_consumer
    clear_consumers = versions.clear_consumers
    # Maintenance
    expire_snapshots = maintenance.expire_snapshots
    expire_changelogs = maintenance.expire_changelogs
    expire_tags = maintenance.expire_tags
    trigger_tag_automatic_creation = maintenance.trigger_tag_automatic_creation
    expire_partitions = maintenance.expire_partitions
    remove_unexisting_files = maintenance.remove_unexisting_files
    analyze = maintenance.analyze
    mark_partitions_done = maintenance.mark_partitions_done
    remove_orphan_files = maintenance.remove_orphan_files
    purge_files = maintenance.purge_files

    @checked(snapshot="int | str | None")
    def at(
        self,
        snapshot: int | None = None,
        timestamp: int | str | datetime | date | None = None,
        tag: str | None = None,
        watermark: int | None = None,
        version: str | None = None,
    ) -> Table:
        """Return the table at one version, read-only.

        Args:
            snapshot: A snapshot id.
            timestamp: A time; the newest version at or before it is returned.
            tag: The name of a tag.
            watermark: Milliseconds; the oldest version whose watermark is at or after it is returned.
            version: As in ``VERSION AS OF``: the name of a tag, else ``watermark-<ms>`` or a snapshot id.

        Raises:
            SnapshotNotFound: There is no such version or tag, or the snapshot has expired.

        Example:
            >>> orders.at(tag="v1").to_arrow()
        """
        chosen = selected_version(self._store, snapshot, timestamp, tag, watermark, version)
        return self.with_store(store_at(self._store, chosen), chosen)

    @checked
    def branch(self, name: str) -> Table:
        """Return a branch of the table.

        Args:
            name: The name of the branch; ``main`` is the table itself.

        Raises:
            TableNotFound: There is no such branch.

        Example:
            >>> orders.branch("experiment").to_arrow()
        """
        return self.with_store(open_branch(self._store, name))

    def with_store(self, store: TableStore, snapshot: Snapshot | None = None) -> Table:
        """Return the table over another version or branch."""
        return Table(store, snapshot)

    @checked
    def sandbox(self, directory: str | os.PathLike[str] | None = None) -> Sandbox:
        """Open a table that reads this one and writes to a local folder: ``with t.sandbox() as s:``.

        Operations on ``s`` run completely; `Sandbox.report` compares both tables, and `Sandbox.apply` transfers the
        result to this table.

        Args:
            directory: A folder that is kept when the sandbox is closed, and from which it can be reopened; a temporary
                folder by default.

        Returns:
            The sandbox.

        Raises:
            WorkbenchError: The directory is inside the warehouse, or contains another sandbox.
            Unsupported: The table is read from two branches.

        Example:
            >>> with orders.sandbox() as sandbox:
            ...     sandbox.compact(full=True)
            ...     print(sandbox.report())
        """
        # The sandbox of a table in a read-only catalog changes only its own folder.
        self._changeable(dry_run=True)
        if type(self) not in (Table, Sandbox):
            raise Unsupported(
                f"A sandbox of {self.name} is not supported: the table is read from two branches.",
                "Open the sandbox on one branch: t.branch('…').sandbox().",
            )
        folder, temporary = sandbox_directory(self, directory)
        return Sandbox(self._store, folder, temporary)


class Sandbox(SandboxTable, Table):
    """A table on which operations run completely; only `apply` transfers their changes to the real table.

    It stays at the version at which it was opened, regardless of later changes to the real table; only data files that
    others delete there are missing here as well. It can be used like any table: for reads, pictures and local Spark.
    Tables returned by `branch` and `at` are in the sandbox too.

    Existing files are read from the real table; new files are written to the folder.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes get a plain table: only the owner of the sandbox may apply or close it.
        return Table, (self._store,)
