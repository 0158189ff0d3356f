"""Reading the biography of a row."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.spec.row_tracking import ROW_ID
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import holds
from workbench.lens.biography.describe import BiographyParts, LoggedRow, describe_biography
from workbench.lens.biography.history import HistoryWalk, RowHistory
from workbench.lens.biography.identity import RowIdentity, identify
from workbench.lens.biography.lives import FileId, FileLife
from workbench.lens.biography.marks import marking_commits
from workbench.lens.biography.reading import PositionedVersion, RowRead, read_row
from workbench.lens.biography.tracing import trace
from workbench.lens.biography.value import BiographyUnread, BiographyValue
from workbench.lens.biography.versions import Version, descent_of, numbered
from workbench.metadata.refs.tags import Tags
from workbench.metadata.store import TableStore
from workbench.scan.data_evolution import is_normal_file
from workbench.scan.scan import Scan
from workbench.scan.stored_rows import StoredRow, stored_rows
from workbench.table.readable_table import ReadableTable

_READERS = 4


def collect_biography(
    table: ReadableTable,
    key: Mapping[str, object] | None = None,
    where: str | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> BiographyValue:
    """Return the life of one row up to the table's version.

    The files of the version that may hold the row are always read. Older commits and files are read for about
    ``seconds``, by default until all are read. Everything that was read is cached, so repeating the call continues from
    there.

    Args:
        table: The table, at its version.
        key: The primary key of the row, as a value for each column; strings are converted to the types of the columns.
        where: In a table that tracks its rows, a condition that exactly one row satisfies.
        seconds: How many seconds to spend on older commits and files; None reads all of them.
        progress: Where progress is reported, and cancellation requested.

    Raises:
        InvalidRequest: The key does not match the primary key of the table, or the condition does not select exactly
            one row.
        Unsupported: The rows of the table have no identity.
        CorruptFile: A file of the version is missing or damaged.
    """
    progress = progress or Progress()
    row = identify(table, key, where)
    columns = [field.name for field in table.schema.fields if not holds(field.type, "BLOB")]
    scan = replace(table.scan(columns, progress=progress), where=row.where)
    if scan.snapshot is None:
        return describe_biography(BiographyParts(table.name, scan.store, row, columns, None))
    deadline = None if seconds is None else time.monotonic() + seconds
    history = HistoryWalk(scan.store, row, deadline, progress).read(scan.snapshot)
    return _Collector(table, scan, row, columns, history, deadline, progress).collect(scan.snapshot)


@dataclass(frozen=True)
class _Collector:
    table: ReadableTable
    scan: Scan
    row: RowIdentity
    columns: Sequence[str]
    history: RowHistory
    deadline: float | None
    progress: Progress

    @property
    def _store(self) -> TableStore:
        return self.scan.store

    @property
    def _stored_columns(self) -> list[str]:
        schema = self.row.schema
        system = [SEQUENCE_NUMBER, VALUE_KIND] if schema.is_primary_key_table else [ROW_ID, SEQUENCE_NUMBER]
        return [*self.columns, *system]

    def collect(self, version: Snapshot) -> BiographyValue:
        found, unread, opened, complete = self._read_files()
        versions = numbered(found)
        snapshots = {each.id: each for each in self.history.snapshots}
        descent = descent_of(versions, snapshots, is_keyed=VALUE_KIND in self._stored_columns)
        read = self._read(versions)
        logged, unlogged = self._logged()
        traced = trace(versions, descent, self.scan.schema, self.columns)
        return describe_biography(
            BiographyParts(
                table=self.table.name,
                store=self._store,
                row=self.row,
                columns=self.columns,
                version=version,
                history=replace(self.history, complete=self.history.complete and complete),
                versions=versions,
                descent=descent,
                marked=marking_commits(self._store, versions, self.history.snapshots),
                read=read,
                traced=traced,
                logged=logged,
                tags=Tags(self._store).all(),
                opened=opened,
                unread=(*unread, *unlogged),
            )
        )

    def _read_files(
        self,
    ) -> tuple[list[tuple[FileLife, str, StoredRow]], tuple[BiographyUnread, ...], int, bool]:
        """Return the stored versions, the files that cannot be read, the number of files that were read, and whether no
        file was skipped because of the deadline."""
        kept = [each.id for each in self.history.snapshots]
        lives = [each for each in self.history.lives if is_normal_file(each.file) and each.exists_for(kept)]
        # The files of the version first, then the youngest ones.
        lives.sort(key=lambda life: (life.removed is not None, -(life.added.snapshot if life.added else 0)))
        with self.progress.step(f"Reading files of {self.table.name}", len(lives), "files"):
            answers = parallel_map(self._read_file, lives, _READERS)
        found: list[tuple[FileLife, str, StoredRow]] = []
        unread: list[BiographyUnread] = []
        for life, answer in zip(lives, answers, strict=True):
            if isinstance(answer, BiographyUnread):
                unread.append(answer)
            elif answer is not None:
                path = self._store.data_file_path(life.entry.partition, life.entry.bucket, life.file)
                found += ((life, path, each) for each in answer)
        late = sum(answer is None for answer in answers)
        return found, tuple(unread), len(lives) - late - len(unread), not late

    def _read_file(self, life: FileLife) -> tuple[StoredRow, ...] | BiographyUnread | None:
        self.progress.check()
        is_live = life.removed is None
        if not is_live and self.deadline is not None and time.monotonic() > self.deadline:
            return None
        try:
            rows = stored_rows(self._store, self.row.filter, life.entry, self._stored_columns)
        except CorruptFile as error:
            if is_live:
                raise
            return BiographyUnread(life.file.file_name, str(error))
        finally:
            self.progress.advance(1)
        return rows

    def _read(self, versions: Sequence[Version]) -> RowRead:
        by_file: dict[FileId, list[PositionedVersion]] = {}
        for each in versions:
            by_file.setdefault(each.life.id, []).append((each.position, each.stored))
        return read_row(self.scan, by_file, self.columns)

    def _logged(self) -> tuple[tuple[LoggedRow, ...], tuple[BiographyUnread, ...]]:
        """Return the rows of changelogs, and the files that cannot be read."""
        logged: list[LoggedRow] = []
        unread: list[BiographyUnread] = []
        for snapshot, entry in self.history.changelogs:
            try:
                rows = stored_rows(self._store, self.row.filter, entry, self._stored_columns)
            except CorruptFile as error:
                unread.append(BiographyUnread(entry.file.file_name, str(error)))
                continue
            logged += (LoggedRow(snapshot, each.values) for each in rows)
        return tuple(logged), tuple(unread)
