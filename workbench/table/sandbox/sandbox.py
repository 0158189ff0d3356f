"""A table to try things on: it reads the real one and writes to a folder of this machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.base.progress import Progress
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import SANDBOX_OPTION, qualify
from workbench.storage.lock import NoLock
from workbench.storage.overlay import OverlayFileIO, freeze, frozen_in
from workbench.table.sandbox.applying import HINTS, VERSIONS, Applied, Applying
from workbench.table.sandbox.report import SandboxReport, report
from workbench.table.schemas import load_latest_schema
from workbench.table.store import CACHE_BYTES, TableStore
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.table.altering.changes import SchemaChange
    from workbench.table.altering.commit import Alteration


class Sandbox(Table):
    """A table on which everything works for real, and of which nothing reaches the real table before `apply`.

    It stands at the version at which it was opened, whatever others do to the real table meanwhile; only data files
    that they let expire are gone here too. It is a table for everyone who takes one: reads, pictures, Spark on this
    machine. What `branch` and `at` give is within it as well.

    Files are read where they lie; what is written takes room in the folder.
    """

    def __init__(self, real: TableStore, directory: str, temporary: tempfile.TemporaryDirectory[str] | None) -> None:
        self._real = real
        self._directory = directory
        self._temporary = temporary
        if not frozen_in(directory):
            self._freeze()
        self._overlay = OverlayFileIO(real.file_io, directory, _frozen(real))
        super().__init__(self._latest())

    def __repr__(self) -> str:
        return f"<Sandbox of {self.name} in {self._directory}>"

    @property
    def directory(self) -> str:
        """The folder that takes the changes."""
        return self._directory

    def alter_table(self, *changes: SchemaChange) -> Alteration:
        """Change columns, options or the comment, as `FileSystemCatalog.alter_table` does; same errors."""
        from workbench.table.altering.commit import alter_table

        made = alter_table(self._changeable(), changes)
        super().__init__(self._latest())
        return made

    def report(self) -> SandboxReport:
        """Rows, files, levels and bytes before and after, and what `apply` would delete."""
        return report(self._store, self._overlay)

    def apply(self, progress: Progress | None = None) -> Applied:
        """Make all of it the real table's: the same files under the same names, one snapshot after the other.

        The sandbox begins anew then, at what the real table is now. If the process dies meanwhile, the real table is
        at one of the versions of the sandbox; a sandbox with a folder of its own is opened on it again and applied to
        end it.

        Raises:
            CommitConflict: the real table has moved on; the message says how.
            Unsupported: snapshots were rolled back, which is to be done on the table itself.
        """
        applied = Applying(self._real, self._overlay, progress or Progress()).run()
        self._freeze()
        super().__init__(self._latest())
        return applied

    def close(self) -> None:
        """Nothing can be read or written any more. The folder goes, unless it was named by the caller."""
        self._overlay.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process uses it as a table: to apply or close it is for its owner.
        return Table, (self._store,)

    def _freeze(self) -> None:
        freeze(self._real.file_io, self._directory, _frozen(self._real), HINTS)

    def _latest(self) -> TableStore:
        real = self._real
        schema = load_latest_schema(self._overlay, real.branch_location, real.name)
        shared = {name: value for name, value in real.storage_options.items() if not name.startswith("lock.")}
        options = {**shared, SANDBOX_OPTION: self._directory}
        # Nobody else writes to the folder under another's lock, and what was read of the real table may differ from it.
        return replace(
            real,
            file_io=self._overlay,
            schema=schema,
            storage_options=options,
            lock=NoLock(),
            cache=ByteCache(CACHE_BYTES),
        )


def open_sandbox(table: Table, directory: str | os.PathLike[str] | None) -> Sandbox:
    """A sandbox of a table; see `Table.sandbox`."""
    store = table.store
    if SANDBOX_OPTION in store.storage_options:
        raise WorkbenchError(f"{table.name} is in a sandbox already.", "Open the second one on the real table.")
    if type(table) is not Table:
        raise Unsupported(f"{table.name} reads two branches, of which no sandbox is supported.", "Open that of one.")
    if directory is None:
        temporary = tempfile.TemporaryDirectory(prefix="paimon-sandbox-", ignore_cleanup_errors=True)
        return Sandbox(store, temporary.name, temporary)
    folder = qualify(directory)
    for root in (store.location, *store.roots):
        if f"{folder}/".startswith(f"{qualify(root)}/"):
            raise WorkbenchError(f"{folder} lies within {root}, which a sandbox leaves as it is.", "Name another one.")
    known = frozen_in(folder)
    if known and known != _frozen(store):
        raise WorkbenchError(f"{folder} holds the sandbox of another table.", "Name another directory.")
    return Sandbox(store, folder, None)


def _frozen(store: TableStore) -> Sequence[str]:
    return [store.path(name) for name in VERSIONS]
