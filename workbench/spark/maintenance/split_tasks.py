"""The code of rescales, analyses and listings that runs on executors; imports only the standard library, numpy, pyarrow
and the core."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import DataField
from workbench.metadata.store import TableStore
from workbench.scan.analysis.rows_analysis import RowsAnalysis
from workbench.scan.split import Split
from workbench.scan.split_reader import SplitReader
from workbench.scan.table_directory import Directories, Listing, list_data
from workbench.write.rewriting.rescale import BucketRescale


@dataclass(frozen=True, kw_only=True)
class ItemTask:
    """Does pieces of work one after another. ``timezone`` is the time zone of the user's process, in which values of
    altered columns may have to be interpreted."""

    timezone: str = field(default_factory=lambda: session_options.timezone)

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the pickled results of the pickled work in column 0, for `DataFrame.mapInArrow`."""
        session_options.timezone = self.timezone
        for batch in batches:
            for item in batch.column(0):
                result = pickle.dumps(self.result(pickle.loads(item.as_py())), pickle.HIGHEST_PROTOCOL)
                yield pa.record_batch([pa.array([result], pa.binary())], ["result"])

    def result(self, work: Any) -> Any:
        """Return the result of one piece of work."""
        raise NotImplementedError


@dataclass(frozen=True)
class RescaleTask(ItemTask):
    """Rewrites all rows of some buckets. Its files are named by unique identifiers, and nothing refers to them before
    the commit."""

    rescale: BucketRescale

    def result(self, work: Sequence[Split]) -> list[bytes]:
        """Return the messages of the new buckets."""
        # Spark assigns one core to a task.
        return [message.to_bytes() for message in self.rescale.messages(work, Progress(), workers=1)]


@dataclass(frozen=True)
class AnalyzeTask(ItemTask):
    """Analyzes the rows of splits of ``snapshot``: it reads ``columns``, and analyzes those that are in ``fields``."""

    store: TableStore
    schema: TableSchema
    columns: tuple[str, ...]
    fields: Sequence[DataField]
    snapshot: Snapshot | None

    def result(self, work: Sequence[Split]) -> RowsAnalysis:
        """Return the analysis of these splits alone."""
        analysis = RowsAnalysis.of_no_rows(self.fields)
        analysis.add(SplitReader(self.store, self.schema, self.columns, snapshot=self.snapshot).batches(work))
        return analysis


@dataclass(frozen=True)
class ListTask(ItemTask):
    """Lists directories with data files, and compares them with the names of used files."""

    store: TableStore
    used: frozenset[str]

    def result(self, work: Directories) -> Listing:
        """Return the files that may be orphans. Listing mostly waits for the storage and therefore uses threads."""
        return list_data(self.store, work).without(self.used)
