"""Jobs over splits or directories that this process plans, with which `wb.spark.analyze` reads and
`wb.spark.remove_orphan_files` lists files."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.base.progress import Progress
from workbench.format.types import DataField
from workbench.metadata.store import TableStore
from workbench.scan.analysis.rows_analysis import RowsAnalysis
from workbench.scan.counts import count_by_metadata
from workbench.scan.scan import Scan
from workbench.scan.split import Split
from workbench.scan.table_directory import Directories, Listing
from workbench.spark.items import run_on_items
from workbench.spark.maintenance.split_tasks import AnalyzeTask, ItemTask, ListTask
from workbench.spark.tasks import pickled
from workbench.table.maintenance.analyze import Analyzer
from workbench.table.maintenance.orphan_files import OrphanSearch, used_by_histories
from workbench.table.maintenance.used_files import all_histories

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The maximum number of parts of an analysis or a listing: this process holds the results of all parts.
_MAX_PARTS = 64
_Item = TypeVar("_Item")


def run_largest_first(
    session: SparkSession, task: ItemTask, work: Sequence[Sequence[Split]], label: str, progress: Progress
) -> list[Any]:
    """Run a task on each group of splits, starting with the largest group, and return the results."""
    ordered = sorted(work, key=lambda splits: sum(split.size for split in splits), reverse=True)
    return _results(session, task, ordered, label, progress)


@dataclass(frozen=True)
class SparkAnalyzer(Analyzer):
    """Reads the rows that are analyzed in the tasks of one job."""

    session: SparkSession

    def count(self, scan: Scan) -> int:
        """Count the rows of a scan. Tasks read files whose rows the metadata does not count."""
        certain, uncertain = count_by_metadata(scan.store, scan.plan(), every_row_matches=True)
        key = scan.schema.trimmed_primary_keys[:1] or scan.schema.field_names[:1]
        return certain + self._analysis(scan, key, (), uncertain).rows

    def analyze(self, scan: Scan, fields: Sequence[DataField]) -> RowsAnalysis:
        """Read the columns of a scan, and return their analysis."""
        return self._analysis(scan, scan.reader.columns, fields, scan.plan())

    def _analysis(
        self, scan: Scan, columns: tuple[str, ...], fields: Sequence[DataField], splits: Sequence[Split]
    ) -> RowsAnalysis:
        task = AnalyzeTask(scan.store, scan.schema, columns, fields, scan.snapshot)
        parts = _parts(sorted(splits, key=lambda split: split.size, reverse=True))
        analysis = RowsAnalysis.of_no_rows(fields)
        for part in run_largest_first(self.session, task, parts, f"Analyzing {scan.store.name}", scan.progress):
            analysis.merge(part)
        return analysis


@dataclass(frozen=True)
class SparkOrphanSearch(OrphanSearch):
    """Lists the directories with data files in the tasks of one job, which return only possible orphans."""

    session: SparkSession

    def data(self, store: TableStore, directories: Directories, progress: Progress) -> Listing:
        """List directories of a table, omitting files that a version already uses."""
        # The caller removes files of later commits from the result: it looks for the used files again.
        used = frozenset(used_by_histories(all_histories(store), progress))
        task, label = ListTask(store, used), f"Looking for orphan files of {store.name}"
        listing = Listing()
        for part in _results(self.session, task, _parts(directories), label, progress):
            listing.add(part)
        return listing


def _parts(items: Sequence[_Item]) -> list[Sequence[_Item]]:
    """Distribute the items over a limited number of parts."""
    count = min(len(items), _MAX_PARTS)
    return [items[start::count] for start in range(count)]


def _results(
    session: SparkSession, task: ItemTask, work: Sequence[Any], label: str, progress: Progress | None
) -> list[Any]:
    results = run_on_items(session, [pickled(each) for each in work], task.run, label, progress)
    return [pickle.loads(each) for each in results]
