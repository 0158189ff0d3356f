"""Operations on tables are measured: which files they read and wrote, how long their phases took, how often they asked
the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar, runtime_checkable

from workbench.base.metrics import Metrics, is_measured, log, phase, phases
from workbench.format.data_file import CommitMessage, DataFileMeta
from workbench.storage.metering import MeteredFileIO
from workbench.table.store import TableStore


class Measured(Protocol):
    """A result that has a place for its metrics."""

    @property
    def metrics(self) -> Metrics | None:
        """Counts alone before the operation has ended; None where it does not count itself."""
        ...


@runtime_checkable
class Deletion(Protocol):
    """A result that names what was deleted."""

    @property
    def dry_run(self) -> bool:
        """Whether nothing was."""
        ...

    @property
    def bytes(self) -> int:
        """Those of data files."""
        ...

    @property
    def deleted_files(self) -> Sequence[str]:
        """Every file that went, or would go."""
        ...


Result = TypeVar("Result", bound=Measured)
Parameters = ParamSpec("Parameters")


@dataclass(frozen=True)
class Measuring:
    """One operation as it runs on ``store``, which counts."""

    operation: str
    store: TableStore
    requests: MeteredFileIO
    seconds: dict[str, float]
    started: float

    def finished(self, counts: Metrics) -> Metrics:
        """The counts with the time of all of it, that of its phases, and its requests; they are logged."""
        total = self.store.clock.monotonic() - self.started
        metrics = replace(counts, seconds={"total": total, **self.seconds}, requests=dict(self.requests.counts))
        log(self.operation, self.store.name, metrics)
        return metrics


@contextmanager
def measuring(operation: str, store: TableStore) -> Iterator[Measuring]:
    """Measures what runs inside on the measuring's own store."""
    with phases() as seconds:
        yield begun(operation, store, seconds)


def begun(operation: str, store: TableStore, seconds: dict[str, float]) -> Measuring:
    """An operation from now on; its phases come to be in ``seconds``."""
    # A scan has counted since it was made.
    counting = store.file_io if isinstance(store.file_io, MeteredFileIO) else MeteredFileIO(store.file_io)
    return Measuring(operation, store.over(counting), counting, seconds, store.clock.monotonic())


def metered(store: TableStore) -> TableStore:
    """The table over a store that counts requests."""
    return store if isinstance(store.file_io, MeteredFileIO) else store.over(MeteredFileIO(store.file_io))


def measured(
    operation: str,
) -> Callable[
    [Callable[Concatenate[TableStore, Parameters], Result]], Callable[Concatenate[TableStore, Parameters], Result]
]:
    """Measures a function of a store, and completes the metrics of its result, a dataclass. Within another operation it
    is a phase of that one."""

    def decorate(
        function: Callable[Concatenate[TableStore, Parameters], Result],
    ) -> Callable[Concatenate[TableStore, Parameters], Result]:
        @wraps(function)
        def run(store: TableStore, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
            if is_measured():
                with phase(operation, store.clock):
                    return function(store, *arguments, **named)
            with measuring(operation, store) as measured:
                made = function(measured.store, *arguments, **named)
                return replace(made, metrics=measured.finished(_counts_of(made)))  # type: ignore[type-var]

        return run

    return decorate


def _counts_of(made: Measured) -> Metrics:
    if isinstance(made, Deletion) and not made.dry_run:
        return Metrics(files_deleted=len(made.deleted_files), bytes_deleted=made.bytes)
    return made.metrics or Metrics()


def counts_of_messages(messages: Iterable[CommitMessage]) -> Metrics:
    """What writers and compactions did: files that were only moved to another level are neither read nor written."""
    read: list[DataFileMeta] = []
    written: list[DataFileMeta] = []
    deleted: list[DataFileMeta] = []
    for message in messages:
        before = {file.file_name for file in message.compact_before}
        after = {file.file_name for file in message.compact_after}
        read += [file for file in message.compact_before if file.file_name not in after]
        written += [file for file in message.compact_after if file.file_name not in before]
        written += (*message.new_files, *message.changelog_files, *message.compact_changelog)
        deleted += message.deleted_files
    deleted += read
    return Metrics(
        rows_read=_rows(read),
        files_read=len(read),
        bytes_read=_bytes(read),
        rows_written=_rows(written),
        files_written=len(written),
        bytes_written=_bytes(written),
        files_deleted=len(deleted),
        bytes_deleted=_bytes(deleted),
    )


def counts_of_read(files: Sequence[DataFileMeta], rows: int) -> Metrics:
    """What a read of these files did, which gave ``rows`` rows."""
    return Metrics(rows_read=rows, files_read=len(files), bytes_read=_bytes(files))


def _rows(files: Sequence[DataFileMeta]) -> int:
    return sum(file.row_count for file in files)


def _bytes(files: Sequence[DataFileMeta]) -> int:
    return sum(file.file_size for file in files)
