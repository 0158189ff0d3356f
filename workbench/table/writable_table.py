"""The base of tables that can be changed: a guard before each change."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.definition.option_checks import check_supported
from workbench.metadata.schemas import check_schema_is_stored, load_latest_schema
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable


class WritableTable(ReadableTable):
    """A table whose newest version can be changed."""

    def _changeable(self, *, rows: bool = False, adds: bool = False, dry_run: bool = False) -> TableStore:
        """Return the store for a change. ``rows``: the change writes or rewrites data files; ``adds``: it adds data
        files or removes all files of partitions; ``dry_run``: it is only simulated.

        Raises:
            ReadOnlyCatalogError: The catalog was opened read-only, and the change is not a dry run.
            CatalogError: The table was opened by its directory, which belongs to another configured catalog.
            WorkbenchError: The table is fixed at one version.
            Unsupported: An option of the table is not supported for such a change.
            TableNotFound: The table was dropped or renamed.
            CommitConflict: It was created again, or fast-forwarded.
        """
        if self._pinned is not None:
            raise WorkbenchError(
                f"Cannot change {self.name} at snapshot {self._pinned.id}: a table opened at a version is read-only.",
                "Write to the table itself.",
            )
        if not dry_run:
            self._store.file_io.check_writable()
            self._store.runtime.owner.check()
        if rows or adds:
            check_supported(self.schema, for_write=True)
            if rows and self.schema.core.data_evolution_enabled:
                raise Unsupported(
                    f"Changing rows and files of {self.name} is not supported: it has option 'data-evolution.enabled' "
                    "= 'true'.",
                    "Insert rows, or replace or drop whole partitions.",
                )
        else:
            self._check_readable()
        check_schema_is_stored(self._store)
        return self._store

    def _adopt_newest_schema(self) -> None:
        """Continue with the newest schema that is stored."""
        self._store = replace(self._store, schema=load_latest_schema(self._store), stored=None, origin=None)

    def _latest(self) -> Snapshot | None:
        """Return the newest snapshot, which a change starts from once `_changeable` has checked the table."""
        return self._store.snapshots.latest()
