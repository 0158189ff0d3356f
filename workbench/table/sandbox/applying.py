"""Applying a sandbox: its files go up to the real table in an order in which every moment is a table that can be read.

Data, then manifests, then schemas, then snapshots one after the other, each where none is; then tags, consumers and
hints; what was deleted goes last. So a process that dies leaves a version that the sandbox had too, and files that
nobody names; applying the same sandbox again ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.base.errors import CommitConflict, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format import paths
from workbench.storage.file_io import name, parent
from workbench.storage.overlay import OverlayFileIO, copy_file, walk
from workbench.table.committing.snapshot_commit import put_version
from workbench.table.sandbox.report import deleted_files
from workbench.table.store import TableStore

HINTS = (paths.LATEST, paths.EARLIEST)
VERSIONS = (
    paths.TAG_DIRECTORY,
    paths.BRANCH_DIRECTORY,
    paths.CONSUMER_DIRECTORY,
    paths.CHANGELOG_DIRECTORY,
    paths.SNAPSHOT_DIRECTORY,
    paths.SCHEMA_DIRECTORY,
)
"""Directories of which files are listed, replaced and deleted. Schemas come last: a snapshot names one that is there
already."""

_METADATA = (paths.MANIFEST_DIRECTORY, paths.INDEX_DIRECTORY, paths.STATISTICS_DIRECTORY)
_WORKERS = 8
_MOST_TOLD = 5


@dataclass(frozen=True, repr=False)
class Applied:
    """What `Sandbox.apply` did: ids of the ``snapshots`` and ``schemas`` it made, the count of ``files`` that were
    copied with their ``bytes``, and that of files ``deleted``."""

    table: str
    snapshots: tuple[int, ...]
    schemas: tuple[int, ...]
    files: int
    bytes: int
    deleted: int

    def __repr__(self) -> str:
        return (
            f"<Applied to {self.table}: {len(self.snapshots)} snapshots, {len(self.schemas)} schemas, "
            f"{self.files} files of {self.bytes:,} bytes, {self.deleted} files deleted>"
        )


@dataclass(frozen=True, order=True)
class _Place:
    """Where a file stands in the order of applying; ``number`` is the id of a schema or snapshot."""

    rank: int
    history: str
    number: int
    path: str

    COPIED = 1
    SCHEMA, SNAPSHOT = 2, 4

    @classmethod
    def of(cls, location: str, path: str) -> _Place:
        inside = path.removeprefix(f"{location}/")
        history = ""
        if inside.startswith(f"{paths.BRANCH_DIRECTORY}/"):
            branch, inside = inside.split("/", 2)[1:] if inside.count("/") > 1 else ("", inside)
            history = branch
        directory, file = inside.split("/", 1)[0], name(path)
        if directory not in VERSIONS:
            return cls(1 if directory in _METADATA else 0, history, 0, path)
        if file in HINTS:
            return cls(6, history, 0, path)
        schema, snapshot = paths.schema_id(file), paths.snapshot_id(file)
        if directory == paths.SCHEMA_DIRECTORY and schema is not None:
            return cls(cls.SCHEMA, history, schema, path)
        if directory == paths.SNAPSHOT_DIRECTORY and snapshot is not None:
            return cls(cls.SNAPSHOT, history, snapshot, path)
        return cls(3 if directory == paths.CHANGELOG_DIRECTORY else 5, history, 0, path)


class Applying:
    """One sandbox going up to ``store``, the table that it was opened on."""

    def __init__(self, store: TableStore, overlay: OverlayFileIO, progress: Progress) -> None:
        self._store = store
        self._overlay = overlay
        self._progress = progress
        written = (path for path in overlay.written.files() if not self._is_temporary(path))
        self._written = sorted(_Place.of(store.location, path) for path in written)
        self._deleted = sorted((_Place.of(store.location, path) for path in deleted_files(overlay)), key=_last_first)

    def run(self) -> Applied:
        """Do it.

        Raises:
            CommitConflict: the table has moved on; the message says how. Nothing was applied, or, where another writer
                came between two snapshots, the first of them.
            Unsupported: versions of the table were taken back in the sandbox.
        """
        self._check_keeps_versions()
        self._check_unmoved()
        self._copy([each.path for each in self._written if each.rank <= _Place.COPIED])
        published = self._publish()
        self._delete()
        sizes = (self._overlay.written.status(each.path) for each in self._written)
        return Applied(
            self._store.name,
            tuple(each.number for each in published if each.rank == _Place.SNAPSHOT),
            tuple(each.number for each in published if each.rank == _Place.SCHEMA),
            len(self._written),
            sum(each.size for each in sizes if each is not None),
            len(self._deleted),
        )

    def _is_temporary(self, path: str) -> bool:
        """Whether a file, or a directory it lies in, is one that a writer was about to rename."""
        inside = path.removeprefix(f"{self._store.location}/")
        return any(part.startswith(".") and part.endswith(".tmp") for part in inside.split("/"))

    # --- may it be applied? ---------------------------------------------------------------------------------------

    def _check_keeps_versions(self) -> None:
        overlay = self._overlay
        newest: dict[str, _Place] = {}
        for place in sorted(_Place.of(self._store.location, path) for path in overlay.base.files()):
            if place.rank in (_Place.SCHEMA, _Place.SNAPSHOT):
                if overlay.written.status(place.path) and overlay.read_bytes(place.path) != self._before(place.path):
                    self._refuse(place)
                if place.rank == _Place.SNAPSHOT:
                    newest[place.history] = place
        for place in newest.values():
            listed = (paths.snapshot_id(each.name) for each in overlay.list_files(parent(place.path)))
            is_later = any(each is not None and each >= place.number for each in listed)
            # A branch may go as a whole.
            if not is_later and overlay.list_files(_schemas_beside(place.path)):
                self._refuse(place)

    def _refuse(self, place: _Place) -> None:
        raise Unsupported(
            f"{name(place.path)} of {self._store.name} was taken back in its sandbox, which cannot be applied.",
            "Roll back or fast-forward the table itself.",
        )

    def _check_unmoved(self) -> None:
        changed = self.changes_since()
        if changed:
            more = f" and {len(changed) - _MOST_TOLD} more" if len(changed) > _MOST_TOLD else ""
            raise CommitConflict(
                f"{self._store.name} has moved on since its sandbox was opened: "
                f"{', '.join(changed[:_MOST_TOLD])}{more}.",
                "Nothing was applied; open another sandbox and do it there again.",
            )

    def changes_since(self) -> list[str]:
        """What others did to the versions of the table since the sandbox was opened. Readers that only went on do not
        matter unless files are deleted, which they may need."""
        left_out = () if self._deleted else (paths.CONSUMER_DIRECTORY,)
        real = self._overlay.below
        found = {status.path for directory in self._overlay.frozen for status in walk(real, directory)}
        candidates = sorted(
            path
            for path in found.union(self._overlay.base.files())
            if not self._is_temporary(path) and name(path) not in HINTS and name(parent(path)) not in left_out
        )
        told = parallel_map(self._change_of, candidates, _WORKERS)
        return [each for each in told if each is not None]

    def _before(self, path: str) -> bytes:
        return self._overlay.before().read_bytes(path)

    def _change_of(self, path: str) -> str | None:
        overlay = self._overlay
        was = _content(lambda: self._before(path))
        now = _content(lambda: overlay.below.read_bytes(path))
        # The last one: it was applied before, by a process that died then.
        if now in (was, _content(lambda: overlay.read_bytes(path))):
            return None
        what = "was added" if was is None else "is gone" if now is None else "was changed"
        inside = path.removeprefix(f"{self._store.location}/")
        return f"{inside if inside.startswith(paths.BRANCH_DIRECTORY) else name(path)} {what}"

    # --- applying it ----------------------------------------------------------------------------------------------

    def _copy(self, files: Sequence[str]) -> None:
        def copy(path: str) -> None:
            copy_file(self._overlay, path, self._overlay.below, path)
            self._progress.advance()

        with self._progress.step(f"Copying to {self._store.name}", len(files)):
            parallel_map(copy, files, _WORKERS)

    def _publish(self) -> list[_Place]:
        published: list[_Place] = []
        for place in self._written:
            if place.rank <= _Place.COPIED:
                continue
            data = self._overlay.read_bytes(place.path)
            if place.rank not in (_Place.SCHEMA, _Place.SNAPSHOT):
                self._overlay.below.overwrite_atomic(place.path, data)
            elif put_version(self._store, place.path, data):
                published.append(place)
            else:
                self._give_up(place, published)
        return published

    def _give_up(self, place: _Place, published: Sequence[_Place]) -> None:
        if not published:
            for each in self._written:
                if each.rank <= _Place.COPIED:
                    self._overlay.below.delete(each.path)
        done = ", ".join(name(each.path) for each in published)
        raise CommitConflict(
            f"Another writer made {name(place.path)} of {self._store.name} while the sandbox was applied.",
            f"{done} of the sandbox were applied before." if done else "Nothing was applied; open another sandbox.",
        )

    def _delete(self) -> None:
        """Versions first: no version may name a file that is gone."""
        real = self._overlay.below
        for place in self._deleted:
            if place.rank > _Place.COPIED:
                real.delete(place.path)
        files = [each.path for each in self._deleted if each.rank <= _Place.COPIED]

        def delete(path: str) -> None:
            real.delete(path)
            self._progress.advance()

        with self._progress.step(f"Deleting files of {self._store.name}", len(files)):
            parallel_map(delete, files, _WORKERS)
        for directory in sorted(self._gone_directories(), key=len, reverse=True):
            real.delete_empty_directory(directory)

    def _gone_directories(self) -> Iterable[str]:
        return (path for path in self._overlay.gone.paths() if not self._overlay.exists(path))


def _content(read: Callable[[], bytes]) -> bytes | None:
    try:
        return read()
    except FileNotFoundError:
        return None


def _last_first(place: _Place) -> tuple[int, str, int, str]:
    return -place.rank, place.history, place.number, place.path


def _schemas_beside(snapshot: str) -> str:
    return f"{parent(parent(snapshot))}/{paths.SCHEMA_DIRECTORY}"
