"""The snapshot files of one branch, and the hints to the newest and the oldest one (format §4, `HintFileUtils`)."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.protocol import TableBranch
from workbench.metadata.small_files import read_hint, read_small
from workbench.storage.file_io import FileStatus, join


class SnapshotDirectory:
    """Reads the files ``snapshot-N`` of a branch and its hints."""

    def __init__(self, branch: TableBranch) -> None:
        self.location = branch.path(paths.SNAPSHOT_DIRECTORY)
        self._file_io = branch.file_io

    def path(self, snapshot_id: int) -> str:
        """Return the path of a snapshot."""
        return join(self.location, paths.snapshot_name(snapshot_id))

    def hint_path(self, name: str) -> str:
        """Return the path of a hint, such as `paths.LATEST`."""
        return join(self.location, name)

    def exists(self, snapshot_id: int) -> bool:
        """Return whether there is a snapshot of that id."""
        return self._file_io.exists(self.path(snapshot_id))

    def content(self, snapshot_id: int) -> bytes | None:
        """Return the bytes of a snapshot, or None if there is no such file."""
        try:
            return read_small(self._file_io, self.path(snapshot_id))
        except FileNotFoundError:
            return None

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no such file."""
        content = self.content(snapshot_id)
        return None if content is None else Snapshot.from_json(content, self.path(snapshot_id))

    def hint(self, name: str) -> int | None:
        """Return the number in a hint; None if it is missing or does not contain a number."""
        return read_hint(self._file_io, self.hint_path(name))

    def files_around(self, snapshot_id: int) -> dict[int, FileStatus]:
        """Return the files whose ids differ from this one at most in the last digit, and those that begin like it."""
        return self.files(str(snapshot_id)[:-1])

    def files(self, digits: str = "") -> dict[int, FileStatus]:
        """Return the snapshot files by id, ascending: those whose ids begin with these digits. Lists the directory."""
        return _by_id(self._file_io.list_files(self.location, f"{paths.SNAPSHOT_PREFIX}{digits}"))

    def few_files(self) -> dict[int, FileStatus] | None:
        """Return all snapshot files by id, ascending, if one request is enough for it; None if there are too many."""
        files = self._file_io.list_few(self.location, paths.SNAPSHOT_PREFIX)
        return None if files is None else _by_id(files)


def _by_id(files: Iterable[FileStatus]) -> dict[int, FileStatus]:
    listed = ((paths.snapshot_id(each.name), each) for each in files)
    numbered = {number: status for number, status in listed if number is not None}
    return dict(sorted(numbered.items()))
