"""A sandbox of a table: it reads the real table and writes to a local folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from workbench.base.arguments import checked
from workbench.base.errors import WorkbenchError
from workbench.base.modules import tempfile
from workbench.base.progress import Progress
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.protocol import OwnerCheck
from workbench.metadata.runtime import CACHE_BYTES
from workbench.metadata.schemas import load_latest_schema
from workbench.metadata.snapshots import check_versions_are_files
from workbench.metadata.store import TableStore
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import SANDBOX_OPTION, qualify
from workbench.storage.lock import NoLock
from workbench.storage.overlay import OverlayFileIO, freeze, frozen_in
from workbench.table.sandbox.directories import HINTS, VERSIONS
from workbench.table.writable_table import WritableTable

if TYPE_CHECKING:
    from workbench.table.sandbox.applying import Applied
    from workbench.table.sandbox.report import SandboxReport
    from workbench.table.schema_changes.changes import SchemaChange
    from workbench.table.schema_changes.commit import Alteration


class SandboxTable(WritableTable):
    """The methods of a sandbox in addition to those of a table; `Sandbox` has both."""

    def __init__(self, real: TableStore, directory: str, temporary: tempfile.TemporaryDirectory[str] | None) -> None:
        self._real = real
        self._directory = directory
        self._temporary = temporary
        if not frozen_in(directory):
            self._freeze()
        self._overlay = OverlayFileIO(real.file_io, directory, _frozen(real))
        super().__init__(self._sandboxed())

    def __repr__(self) -> str:
        return f"<Sandbox of {self.name} in {self._directory}>"

    @property
    def directory(self) -> str:
        """The folder that contains the changes."""
        return self._directory

    @checked
    def alter_table(self, *changes: SchemaChange) -> Alteration:
        """Change columns, options or the comment, as `Catalog.alter_table` does.

        Args:
            changes: The changes, for example ``wb.AddColumn``.

        Returns:
            The alteration.

        Raises:
            WorkbenchError: As for `Catalog.alter_table`.

        Example:
            >>> sandbox.alter_table(wb.AddColumn("note", "STRING"))
        """
        from workbench.table.schema_changes.commit import alter_table

        alteration = alter_table(self._changeable(), changes)
        super().__init__(self._sandboxed())
        return alteration

    def report(self) -> SandboxReport:
        """Return rows, files, levels and bytes before and after, and the files that `apply` would delete."""
        from workbench.table.sandbox.report import report

        return report(self._store, self._overlay)

    @checked
    def apply(self, progress: Progress | None = None) -> Applied:
        """Transfer all changes to the real table: the same files with the same names, one snapshot after the other.

        The sandbox then starts again from the real table. If the process dies in between, the real table is at one of
        the versions of the sandbox. To complete the transfer, reopen the sandbox from its folder, if the caller named
        one, and apply it again.

        Args:
            progress: Where progress is reported.

        Returns:
            The numbers of applied snapshots, schemas and files.

        Raises:
            CommitConflict: The real table has changed since the sandbox was opened; the message says how.
            Unsupported: Snapshots were rolled back, which must be done on the table itself.

        Example:
            >>> sandbox.apply()
        """
        from workbench.table.sandbox.applying import SandboxApply

        self._real.runtime.owner.check()
        applied = SandboxApply(self._real, self._overlay, progress or Progress()).run()
        self._freeze()
        super().__init__(self._sandboxed())
        return applied

    def close(self) -> None:
        """End the sandbox, and delete its folder unless the caller named one."""
        self._overlay.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _freeze(self) -> None:
        freeze(self._real.file_io, self._directory, _frozen(self._real), HINTS)

    def _sandboxed(self) -> TableStore:
        real = self._real
        schema = load_latest_schema(real.with_file_io(self._overlay))
        shared = {name: value for name, value in real.runtime.storage_options.items() if not name.startswith("lock.")}
        options = {**shared, SANDBOX_OPTION: self._directory}
        # The folder has a single writer, so it needs no lock, and its commits do not reach the catalog. Its files may
        # differ from cached files of the real table.
        runtime = replace(
            real.runtime,
            file_io=self._overlay,
            storage_options=options,
            lock=NoLock(),
            cache=ByteCache(CACHE_BYTES),
            environment=FileSystemEnvironment(),
            owner=OwnerCheck(),
        )
        return replace(real, runtime=runtime, schema=schema, stored=None, origin=real.opened)


def sandbox_directory(
    table: WritableTable, directory: str | os.PathLike[str] | None
) -> tuple[str, tempfile.TemporaryDirectory[str] | None]:
    """Return the folder for a sandbox of a table, and its temporary directory if it is one; see `Table.sandbox`."""
    store = table.store
    if SANDBOX_OPTION in store.runtime.storage_options:
        raise WorkbenchError(f"{table.name} is already a sandbox.", "Open the second sandbox on the real table.")
    check_versions_are_files(store, "Opening a sandbox")
    if directory is None:
        temporary = tempfile.TemporaryDirectory(prefix="paimon-sandbox-", ignore_cleanup_errors=True)
        return temporary.name, temporary
    folder = qualify(directory)
    for root in (store.location, *store.runtime.roots):
        if f"{folder}/".startswith(f"{qualify(root)}/"):
            raise WorkbenchError(
                f"The sandbox directory {folder} is inside {root}, which a sandbox must not change.",
                "Choose a directory outside the warehouse.",
            )
    known = frozen_in(folder)
    if known and known != _frozen(store):
        raise WorkbenchError(f"{folder} contains the sandbox of another table.", "Choose another directory.")
    return folder, None


def _frozen(store: TableStore) -> Sequence[str]:
    return [store.path(name) for name in VERSIONS]
