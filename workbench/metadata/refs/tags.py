"""Lookup and reading of the tags of a table (format §23, `TagManager`)."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.errors import SnapshotNotFound, did_you_mean
from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.format.spec.tag import Tag
from workbench.metadata.listings import TagsByName
from workbench.metadata.schemas import same_table
from workbench.metadata.small_files import read_small
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileStatus


class Tags:
    """The tags of one table, read fresh at every call: other writers may create, replace and delete them at any
    time."""

    def __init__(self, store: TableStore) -> None:
        self._store = store

    def all(self) -> dict[str, Tag]:
        """Return every tag by name, ordered by snapshot, oldest first."""
        loaded = parallel_map(lambda listed: self._read(*listed), self._files().items())
        tags = sorted((tag for tag in loaded if tag is not None), key=lambda tag: (tag.snapshot.id, tag.name))
        return TagsByName((tag.name, tag) for tag in tags)

    def names(self) -> list[str]:
        """Return the names of all tags in no particular order."""
        return list(self._files())

    def get(self, name: str) -> Tag:
        """Return a tag. Raises SnapshotNotFound as `file` does."""
        tag = self._read(name, self.file(name))
        if tag is None:
            raise SnapshotNotFound(f"Table {self._store.name} has no tag '{name}'.", "It has just been deleted.")
        return tag

    def file(self, name: str) -> FileStatus:
        """Return the file of a tag without reading it.

        Raises:
            SnapshotNotFound: There is no tag of that name; the message suggests similar names.
        """
        # The name is looked up in the listing: a name that users type must not become part of a path.
        files = self._files()
        if name not in files:
            same_table(self._store)
            hint = did_you_mean(name, files) or ("It has no tags." if not files else f"It has {_listed(list(files))}.")
            raise SnapshotNotFound(f"Table {self._store.name} has no tag '{name}'.", hint)
        return files[name]

    def of_snapshot(self, snapshot_id: int) -> Tag | None:
        """Return the first tag of a snapshot, None if it has none."""
        return next((tag for tag in self.all().values() if tag.snapshot.id == snapshot_id), None)

    def register(self, names: Sequence[str]) -> None:
        """Make tags that were created known to the catalog, if it has the tags of the table; it warns if it fails."""
        if names:
            self._store.runtime.environment.register_tags(self._store.table_branch, self._store.schema, names)

    def unregister(self, names: Sequence[str]) -> None:
        """Remove tags from the catalog before they are deleted. Raises CatalogError if it fails: they must be kept."""
        if names:
            self._store.runtime.environment.unregister_tags(self._store.table_branch, self._store.schema, names)

    def _files(self) -> dict[str, FileStatus]:
        listed = self._store.file_io.list_files(self._store.branch_path(paths.TAG_DIRECTORY))
        named = ((paths.name_after("tag-", status.name), status) for status in listed if not status.is_directory)
        return {name: status for name, status in named if name is not None}

    def _read(self, name: str, status: FileStatus) -> Tag | None:
        """Return the tag of a listed file; None if the file no longer exists."""
        # A tag may be replaced by another of the same name: size and time are part of the key.
        key = ("tag", status.path, status.size, status.modified_millis)

        def load() -> Tag:
            return Tag.from_json(name, read_small(self._store.file_io, status.path), status.path)

        try:
            return self._store.cache.get_or_load(key, load, lambda _: status.size * 4)
        except FileNotFoundError:
            return None


_MAX_LISTED = 5


def _listed(names: list[str]) -> str:
    """Return ``tags a, b and c``, only the first few if there are many."""
    shown = sorted(names)[:_MAX_LISTED]
    rest = len(names) - len(shown)
    last = f"{rest} more" if rest else shown.pop()
    return f"{'tag' if len(names) == 1 else 'tags'} {', '.join(shown)}{' and ' if shown else ''}{last}"
