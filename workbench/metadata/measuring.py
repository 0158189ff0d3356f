"""Measurement of operations on tables: the files that they read and write, the time of their phases and their requests
to the storage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar, runtime_checkable

from workbench.base.metrics import Metrics, is_measured, log, phase, phases
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.metadata.store import TableStore
from workbench.storage.metering import MeteredFileIO


class Measured(Protocol):
    """A result that carries its metrics."""

    @property
    def metrics(self) -> Metrics | None:
        """The metrics, only counts before the operation has ended; None if it does not count anything itself."""
        ...


@runtime_checkable
class Deletion(Protocol):
    """A result that names what was deleted."""

    @property
    def dry_run(self) -> bool:
        """Whether nothing was deleted."""
        ...

    @property
    def bytes(self) -> int:
        """The size of the deleted data files."""
        ...

    @property
    def deleted_files(self) -> Sequence[str]:
        """Every file that was deleted, or would be."""
        ...


Result = TypeVar("Result", bound=Measured)
Parameters = ParamSpec("Parameters")


@dataclass(frozen=True)
class Measuring:
    """A running operation on ``store``, which counts requests."""

    operation: str
    store: TableStore
    requests: MeteredFileIO
    seconds: dict[str, float]
    started: float

    def finished(self, counts: Metrics) -> Metrics:
        """Return the counts with the total time, the time of the phases and the requests, and log them."""
        total = self.store.clock.monotonic() - self.started
        metrics = replace(counts, seconds={"total": total, **self.seconds}, requests=dict(self.requests.counts))
        log(self.operation, self.store.name, metrics)
        return metrics


@contextmanager
def measuring(operation: str, store: TableStore) -> Iterator[Measuring]:
    """Measure the operations inside the block that use the store of the yielded `Measuring`."""
    with phases() as seconds:
        yield start_measuring(operation, store, seconds)


def start_measuring(operation: str, store: TableStore, seconds: dict[str, float]) -> Measuring:
    """Begin to measure an operation; its phases are added to ``seconds``."""
    # A scan has counted requests since it was created.
    counting = store.file_io if isinstance(store.file_io, MeteredFileIO) else MeteredFileIO(store.file_io)
    return Measuring(operation, store.with_file_io(counting), counting, seconds, store.clock.monotonic())


def metered(store: TableStore) -> TableStore:
    """Return the table over a storage that counts requests."""
    return store if isinstance(store.file_io, MeteredFileIO) else store.with_file_io(MeteredFileIO(store.file_io))


def measured(
    operation: str,
) -> Callable[
    [Callable[Concatenate[TableStore, Parameters], Result]], Callable[Concatenate[TableStore, Parameters], Result]
]:
    """Decorate a function of a store: measure its calls, and complete the metrics of its result, a dataclass. A call
    within another operation becomes a phase of that operation."""

    def decorate(
        function: Callable[Concatenate[TableStore, Parameters], Result],
    ) -> Callable[Concatenate[TableStore, Parameters], Result]:
        @wraps(function)
        def run(store: TableStore, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
            if is_measured():
                with phase(operation, store.clock):
                    return function(store, *arguments, **named)
            with measuring(operation, store) as measured:
                result = function(measured.store, *arguments, **named)
                return replace(result, metrics=measured.finished(_counts_of(result)))  # type: ignore[type-var]

        return run

    return decorate


def _counts_of(result: Measured) -> Metrics:
    if isinstance(result, Deletion) and not result.dry_run:
        return Metrics(files_deleted=len(result.deleted_files), bytes_deleted=result.bytes)
    return result.metrics or Metrics()


def counts_of_messages(messages: Iterable[CommitMessage]) -> Metrics:
    """Return what writers and compactions read, wrote and deleted. Files that were only moved to another level count as
    neither read nor written."""
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
    """Return the counts of a read of these files that returned ``rows`` rows."""
    return Metrics(rows_read=rows, files_read=len(files), bytes_read=_bytes(files))


def _rows(files: Sequence[DataFileMeta]) -> int:
    return sum(file.row_count for file in files)


def _bytes(files: Sequence[DataFileMeta]) -> int:
    return sum(file.file_size for file in files)
