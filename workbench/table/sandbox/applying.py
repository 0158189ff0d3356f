"""Applying a sandbox: its files are copied to the real table in an order that keeps the table readable at every moment.

Data is copied first, then manifests, then schemas, then snapshots one by one, each only if its id is free; then tags,
consumers and hints; deletions come last. A process that dies in between leaves the table at a version that the sandbox
also had, plus unreferenced files; applying the same sandbox again completes the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.base.errors import CommitConflict, Unsupported
from workbench.base.outcome import Outcome
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.protocol import TableBranch
from workbench.metadata.refs.tags import Tags
from workbench.metadata.small_files import put_version
from workbench.metadata.snapshots import snapshot_files
from workbench.metadata.store import TableStore
from workbench.storage.file_io import name, parent
from workbench.storage.overlay import OverlayFileIO, copy_file, walk
from workbench.table.sandbox.directories import HINTS, VERSIONS
from workbench.table.sandbox.report import deleted_files

_METADATA = (paths.MANIFEST_DIRECTORY, paths.INDEX_DIRECTORY, paths.STATISTICS_DIRECTORY)
_WORKERS = 8
_MAX_REPORTED = 5


@dataclass(frozen=True, repr=False)
class Applied(Outcome):
    """The result of `Sandbox.apply`: the ids of the new ``snapshots`` and ``schemas``, the number of copied ``files``
    with their ``bytes``, and the number of ``deleted`` files."""

    snapshots: tuple[int, ...]
    schemas: tuple[int, ...]
    files: int
    bytes: int
    deleted: int


@dataclass(frozen=True, order=True)
class _Step:
    """The position of a file in the order in which files are applied; ``number`` is the id of a schema or snapshot."""

    rank: int
    history: str
    number: int
    path: str

    COPIED = 1
    SCHEMA, SNAPSHOT = 2, 4

    @property
    def branch(self) -> str:
        """The branch to which the file belongs."""
        return paths.name_after("branch-", self.history) or paths.MAIN_BRANCH

    @classmethod
    def of(cls, location: str, path: str) -> _Step:
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


class SandboxApply:
    """Applies one sandbox to ``store``, the table that it was opened on."""

    def __init__(self, store: TableStore, overlay: OverlayFileIO, progress: Progress) -> None:
        self._store = store
        self._overlay = overlay
        self._progress = progress
        written = (path for path in overlay.written.files() if not self._is_temporary(path))
        self._written = sorted(_Step.of(store.location, path) for path in written)
        self._deleted = sorted((_Step.of(store.location, path) for path in deleted_files(overlay)), key=_last_first)

    def run(self) -> Applied:
        """Apply the sandbox.

        Raises:
            CatalogError: The catalog refuses a schema; nothing after it was applied.
            CommitConflict: The table has changed since; the message says how. Nothing was applied or, if another writer
                committed between two snapshots of the sandbox, only the earlier ones.
            Unsupported: Versions of the table were rolled back in the sandbox, or a service commits its snapshots.
        """
        snapshot_files(self._store, "Applying a sandbox")
        self._check_keeps_versions()
        self._check_unmoved()
        before = {each: self._newest(each) for each in self._branches()}
        self._copy([each.path for each in self._written if each.rank <= _Step.COPIED])
        published = self._publish()
        Tags(self._store).register(self._tags(self._written))
        Tags(self._store).unregister(self._tags(self._deleted))
        self._delete()
        for branch, snapshot in before.items():
            environment = self._store.runtime.environment
            environment.snapshots_replaced(self._branch(branch), snapshot, self._newest(branch))
        sizes = (self._overlay.written.status(each.path) for each in self._written)
        return Applied(
            self._store.name,
            tuple(each.number for each in published if each.rank == _Step.SNAPSHOT),
            tuple(each.number for each in published if each.rank == _Step.SCHEMA),
            len(self._written),
            sum(each.size for each in sizes if each is not None),
            len(self._deleted),
        )

    def _is_temporary(self, path: str) -> bool:
        """Return whether a file, or a directory that contains it, is a temporary one that a writer was about to
        rename."""
        inside = path.removeprefix(f"{self._store.location}/")
        return any(part.startswith(".") and part.endswith(".tmp") for part in inside.split("/"))

    # --- checks ---------------------------------------------------------------------------------------------------

    def _check_keeps_versions(self) -> None:
        overlay = self._overlay
        newest: dict[str, _Step] = {}
        for step in sorted(_Step.of(self._store.location, path) for path in overlay.base.files()):
            if step.rank in (_Step.SCHEMA, _Step.SNAPSHOT):
                if overlay.written.status(step.path) and overlay.read_bytes(step.path) != self._before(step.path):
                    self._refuse(step)
                if step.rank == _Step.SNAPSHOT:
                    newest[step.history] = step
        for step in newest.values():
            listed = (paths.snapshot_id(each.name) for each in overlay.list_files(parent(step.path)))
            is_later = any(each is not None and each >= step.number for each in listed)
            # A branch may be deleted as a whole.
            if not is_later and overlay.list_files(_schemas_beside(step.path)):
                self._refuse(step)

    def _refuse(self, step: _Step) -> None:
        raise Unsupported(
            f"{name(step.path)} of {self._store.name} was rolled back in its sandbox, which cannot be applied.",
            "Roll back or fast-forward the table itself.",
        )

    def _check_unmoved(self) -> None:
        changed = self.changes_since()
        if changed:
            more = f" and {len(changed) - _MAX_REPORTED} more" if len(changed) > _MAX_REPORTED else ""
            raise CommitConflict(
                f"{self._store.name} has changed since its sandbox was opened: "
                f"{', '.join(changed[:_MAX_REPORTED])}{more}.",
                "Nothing was applied; open a new sandbox and repeat the changes there.",
            )

    def changes_since(self) -> list[str]:
        """Return what others changed in the versions of the table since the sandbox was opened.

        Consumers that have moved do not matter, unless the sandbox deletes files: a consumer may need these.
        """
        left_out = () if self._deleted else (paths.CONSUMER_DIRECTORY,)
        real = self._overlay.below
        current = {status.path for directory in self._overlay.frozen for status in walk(real, directory)}
        candidates = sorted(
            path
            for path in current.union(self._overlay.base.files())
            if not self._is_temporary(path) and name(path) not in HINTS and name(parent(path)) not in left_out
        )
        changes = parallel_map(self._change_of, candidates, _WORKERS)
        return [each for each in changes if each is not None]

    def _before(self, path: str) -> bytes:
        return self._overlay.before().read_bytes(path)

    def _change_of(self, path: str) -> str | None:
        overlay = self._overlay
        was = _content(lambda: self._before(path))
        now = _content(lambda: overlay.below.read_bytes(path))
        # The second case: an earlier process applied the file and died afterwards.
        if now in (was, _content(lambda: overlay.read_bytes(path))):
            return None
        change = "was added" if was is None else "was deleted" if now is None else "was changed"
        inside = path.removeprefix(f"{self._store.location}/")
        return f"{inside if inside.startswith(paths.BRANCH_DIRECTORY) else name(path)} {change}"

    # --- applying -------------------------------------------------------------------------------------------------

    def _copy(self, files: Sequence[str]) -> None:
        def copy(path: str) -> None:
            copy_file(self._overlay, path, self._overlay.below, path)
            self._progress.advance()

        with self._progress.step(f"Copying to {self._store.name}", len(files)):
            parallel_map(copy, files, _WORKERS)

    def _publish(self) -> list[_Step]:
        published: list[_Step] = []
        for step in self._written:
            if step.rank <= _Step.COPIED:
                continue
            data = self._overlay.read_bytes(step.path)
            if step.rank not in (_Step.SCHEMA, _Step.SNAPSHOT):
                self._overlay.below.overwrite_atomic(step.path, data)
            elif self._put(step, data):
                published.append(step)
            else:
                self._give_up(step, published)
        return published

    def _put(self, step: _Step, data: bytes) -> bool:
        """Write a snapshot, or publish a schema as an alteration does: catalogs may have a copy of its columns."""
        if step.rank == _Step.SNAPSHOT:
            return put_version(self._store.table_branch, step.path, data)
        schemas = self._store.runtime.environment.schemas(self._branch(step.branch))
        return schemas.publish(TableSchema.from_json(data, step.path))

    def _branch(self, name: str) -> TableBranch:
        return replace(self._store.table_branch, branch=name)

    def _branches(self) -> list[str]:
        """Return the branches that get snapshots."""
        return sorted({each.branch for each in self._written if each.rank == _Step.SNAPSHOT})

    def _newest(self, branch: str) -> Snapshot | None:
        return self._store.runtime.environment.snapshots(self._branch(branch)).latest()

    def _tags(self, steps: Iterable[_Step]) -> list[str]:
        """Return the tags of the table, not of its branches, whose files are among those of steps."""
        names = (
            paths.name_after("tag-", name(each.path))
            for each in steps
            if not each.history and name(parent(each.path)) == paths.TAG_DIRECTORY
        )
        return [each for each in names if each is not None]

    def _give_up(self, step: _Step, published: Sequence[_Step]) -> None:
        if not published:
            for each in self._written:
                if each.rank <= _Step.COPIED:
                    self._overlay.below.delete(each.path)
        done = ", ".join(name(each.path) for each in published)
        raise CommitConflict(
            f"Another writer created {name(step.path)} of {self._store.name} while the sandbox was applied.",
            f"{done} of the sandbox were already applied." if done else "Nothing was applied; open a new sandbox.",
        )

    def _delete(self) -> None:
        """Delete the files that the sandbox deletes, versions first, so that no version refers to a deleted file."""
        real = self._overlay.below
        for step in self._deleted:
            if step.rank > _Step.COPIED:
                real.delete(step.path)
        files = [each.path for each in self._deleted if each.rank <= _Step.COPIED]

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


def _last_first(step: _Step) -> tuple[int, str, int, str]:
    return -step.rank, step.history, step.number, step.path


def _schemas_beside(snapshot: str) -> str:
    return f"{parent(parent(snapshot))}/{paths.SCHEMA_DIRECTORY}"
