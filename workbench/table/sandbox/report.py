"""The changes of a sandbox, in numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.base.card import Card, HasCard
from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.format.spec.data_file import ManifestEntry
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.runtime import CACHE_BYTES
from workbench.metadata.schemas import load_latest_schema
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.storage.cache import ByteCache
from workbench.storage.overlay import OverlayFileIO


@dataclass(frozen=True)
class LevelState:
    """The files of one level over all buckets; ``rows`` are stored rows, ``bytes`` the sizes of the files."""

    level: int
    files: int
    rows: int
    bytes: int


@dataclass(frozen=True)
class TableState:
    """A table at its newest version: ``rows`` are stored rows before merging, ``snapshots`` the ids of all snapshots
    that have not expired; ``snapshot`` is None before the first commit."""

    snapshot: int | None
    schema: int
    rows: int
    files: int
    bytes: int
    levels: tuple[LevelState, ...]
    snapshots: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SandboxReport(HasCard):
    """A table before and after the changes in its sandbox.

    ``files_written`` and ``bytes_written`` count all new files, data and metadata, including those deleted again.
    ``files_deleted`` are the files of the real table, relative to it, that `Sandbox.apply` deletes, with
    ``bytes_deleted``.
    """

    table: str
    before: TableState
    after: TableState
    files_written: int
    bytes_written: int
    files_deleted: tuple[str, ...]
    bytes_deleted: int

    @property
    def snapshots_added(self) -> tuple[int, ...]:
        """The ids of the new snapshots."""
        return tuple(each for each in self.after.snapshots if each not in self.before.snapshots)

    @property
    def snapshots_expired(self) -> tuple[int, ...]:
        """The ids of the snapshots that no longer exist."""
        return tuple(each for each in self.before.snapshots if each not in self.after.snapshots)

    def __repr__(self) -> str:
        lines = [f"<Sandbox of {self.table}: {self._changes()}"]
        lines += [f"  {name}: {before} -> {after}" for name, before, after in self._lines()]
        return "\n".join(lines) + ">"

    def _card(self) -> Card:
        """Return each figure before and after the changes."""
        headings = ("", "before", "after")
        return Card(
            f"Sandbox of {self.table}",
            headings=headings,
            rows=tuple(self._lines()),
            numbers=frozenset(headings[1:]),
            notes=(f"{self._changes()}.",),
        )

    def _changes(self) -> str:
        return (
            f"{counted(len(self.snapshots_added), 'snapshots')} added, {len(self.snapshots_expired):,} expired, "
            f"{counted(self.files_written, 'files')} ({size_text(self.bytes_written)}) written, "
            f"{len(self.files_deleted):,} ({size_text(self.bytes_deleted)}) to be deleted"
        )

    def _lines(self) -> list[tuple[str, str, str]]:
        before, after = self.before, self.after
        lines = [
            (name, "none" if old is None else f"{old:,}", "none" if new is None else f"{new:,}")
            for name, old, new in (
                ("snapshot", before.snapshot, after.snapshot),
                ("schema", before.schema, after.schema),
                ("stored rows", before.rows, after.rows),
                ("files", before.files, after.files),
                ("bytes", before.bytes, after.bytes),
            )
        ]
        old, new = ({each.level: _level_text(each) for each in state.levels} for state in (before, after))
        levels = sorted(old.keys() | new.keys())
        return lines + [(f"level {each}", old.get(each, "empty"), new.get(each, "empty")) for each in levels]


def report(store: TableStore, overlay: OverlayFileIO) -> SandboxReport:
    """Compare the table in ``overlay``, the file system of ``store``, with the table before any change."""
    before = replace(store.runtime, file_io=overlay.before(), cache=ByteCache(CACHE_BYTES))
    untouched = replace(store, runtime=before)
    written = [overlay.written.status(path) for path in overlay.written.files()]
    deleted = deleted_files(overlay)
    return SandboxReport(
        store.name,
        _state(untouched),
        _state(store),
        len(written),
        sum(each.size for each in written if each is not None),
        tuple(path.removeprefix(f"{store.location}/") for path in deleted),
        sum(deleted.values()),
    )


def deleted_files(overlay: OverlayFileIO) -> dict[str, int]:
    """Return the paths of the files of the real table that are deleted rather than replaced, with their sizes."""
    untouched = overlay.before()
    sizes = {}
    for path in overlay.gone.paths():
        status = untouched.status(path)
        if status is not None and not status.is_directory and overlay.written.status(path) is None:
            sizes[path] = status.size
    return sizes


def _state(store: TableStore) -> TableState:
    schema = load_latest_schema(store)
    snapshots = Snapshots(store)
    latest = snapshots.latest()
    live = ManifestFiles(store.with_schema(schema)).live_files(latest) if latest is not None else ()
    levels = _levels(live)
    return TableState(
        latest.id if latest is not None else None,
        schema.id,
        sum(each.rows for each in levels),
        sum(each.files for each in levels),
        sum(each.bytes for each in levels),
        levels,
        tuple(snapshots.ids()),
    )


def _levels(live: Iterable[ManifestEntry]) -> tuple[LevelState, ...]:
    files = defaultdict(list)
    for entry in live:
        files[entry.file.level].append(entry.file)
    return tuple(
        LevelState(level, len(metas), sum(each.row_count for each in metas), sum(each.file_size for each in metas))
        for level, metas in sorted(files.items())
    )


def _level_text(level: LevelState) -> str:
    return f"{counted(level.files, 'files')}, {counted(level.rows, 'rows')}, {size_text(level.bytes)}"
