"""A storage for one statement: what it has requested is not requested again."""

from __future__ import annotations

from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileIO, FileStatus, name, parent
from workbench.storage.wrappers import DelegatingFileIO

_CAPACITY = 64 << 20
_STATUS_WEIGHT = 400


class OnceFileIO(DelegatingFileIO):
    """Storage that sends each request once, for a statement that reads a table and changes nothing.

    In a storage in which every request takes long, a statement would otherwise look for the newest snapshot several
    times. It also sees all files as they were at its first request.

    Example:
        >>> from workbench.storage.open import file_io_for
        >>> once = OnceFileIO(file_io_for("memory://lake"))
        >>> once.list_files("memory://lake/shop.db")
        []
    """

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self._answers = ByteCache(_CAPACITY)

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return self._answers.get_or_load(("bytes", path), lambda: self.inner.read_bytes(path), len)

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory; a listing also answers for longer prefixes."""
        known = self._listed(path, prefix)
        if known is None:
            known = self._answers.get_or_load(
                ("files", path, prefix),
                lambda: self.inner.list_files(path, prefix),
                lambda listed: _STATUS_WEIGHT * (1 + len(listed)),
            )
        return [each for each in known if each.name.startswith(prefix)]

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does if one request is enough for it."""
        if self._listed(path, prefix) is not None:
            return self.list_files(path, prefix)
        few = self.inner.list_few(path, prefix)
        if few is not None:
            self._answers.get_or_load(("files", path, prefix), lambda: few, lambda _: _STATUS_WEIGHT * (1 + len(few)))
        return few

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory; a listing of its directory has them too."""
        listed = self._listed(parent(path), name(path))
        if listed is not None:
            return next((each for each in listed if each.path == path), None)
        # None cannot be cached, as it means that there is no answer yet.
        found = self._answers.get_or_load(
            ("status", path), lambda: (self.inner.status(path),), lambda _: _STATUS_WEIGHT
        )
        return found[0]

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return self.status(path) is not None

    def _listed(self, path: str, prefix: str) -> list[FileStatus] | None:
        """Return a known listing with all names that begin with the prefix."""
        shorter = (prefix[:length] for length in range(len(prefix) + 1))
        known = (self._answers.find(("files", path, each)) for each in shorter)
        return next((each for each in known if each is not None), None)
