"""The tags of a table: finding and reading them (format §23, `TagManager`)."""

from __future__ import annotations

from workbench.base.errors import SnapshotNotFound, did_you_mean
from workbench.base.parallel import parallel_map
from workbench.format import paths
from workbench.format.tag import Tag
from workbench.storage.file_io import FileStatus
from workbench.table.store import TableStore, read_small


class Tags:
    """The tags of one table, read fresh at every call: other writers may make, replace and delete them at any time."""

    def __init__(self, store: TableStore) -> None:
        self._store = store

    def all(self) -> dict[str, Tag]:
        """Every tag by name, those of older snapshots first."""
        found = parallel_map(lambda listed: self._read(*listed), self._files().items())
        tags = sorted((tag for tag in found if tag is not None), key=lambda tag: (tag.snapshot.id, tag.name))
        return {tag.name: tag for tag in tags}

    def names(self) -> list[str]:
        """The names of all tags, in no order."""
        return list(self._files())

    def get(self, name: str) -> Tag:
        """A tag. Raises SnapshotNotFound as `file` does."""
        found = self._read(name, self.file(name))
        if found is None:
            raise SnapshotNotFound(f"Table {self._store.name} has no tag '{name}'.", "It was deleted just now.")
        return found

    def file(self, name: str) -> FileStatus:
        """The file of a tag, whatever is in it.

        Raises:
            SnapshotNotFound: there is none of that name; the message says what comes near.
        """
        # Looked up in the listing: a name that users type must not become part of a path.
        files = self._files()
        if name not in files:
            hint = did_you_mean(name, files) or ("It has no tags." if not files else f"It has {_listed(list(files))}.")
            raise SnapshotNotFound(f"Table {self._store.name} has no tag '{name}'.", hint)
        return files[name]

    def of_snapshot(self, snapshot_id: int) -> Tag | None:
        """The first tag of a snapshot, None where it has none."""
        return next((tag for tag in self.all().values() if tag.snapshot.id == snapshot_id), None)

    def _files(self) -> dict[str, FileStatus]:
        listed = self._store.file_io.list_files(self._store.branch_path(paths.TAG_DIRECTORY))
        named = ((paths.name_after("tag-", status.name), status) for status in listed if not status.is_directory)
        return {name: status for name, status in named if name is not None}

    def _read(self, name: str, status: FileStatus) -> Tag | None:
        """The tag of a listed file; None where it is gone by now."""
        # A tag may be replaced by another of the same name: size and time are part of the key.
        key = ("tag", status.path, status.size, status.modified_millis)

        def load() -> Tag:
            return Tag.from_json(name, read_small(self._store.file_io, status.path), status.path)

        try:
            return self._store.cache.get_or_load(key, load, lambda _: status.size * 4)
        except FileNotFoundError:
            return None


_MOST_LISTED = 5


def _listed(names: list[str]) -> str:
    """``tags a, b and c``, the first few where there are many."""
    shown = sorted(names)[:_MOST_LISTED]
    rest = len(names) - len(shown)
    last = f"{rest} more" if rest else shown.pop()
    return f"{'tag' if len(names) == 1 else 'tags'} {', '.join(shown)}{' and ' if shown else ''}{last}"
