"""Statistics of a whole table for the optimizers of engines (format §23, Spark's ANALYZE and Java's `Statistics`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.base.errors import Unsupported, WorkbenchError, did_you_mean
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.progress import Progress
from workbench.commit.cleanup import undone_if_unpublished
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import DataField
from workbench.metadata.expired_versions import on_newest_version
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.schemas import check_schema_is_stored
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.scan.analysis.column_statistics import ColumnStatistics, is_analyzable
from workbench.scan.analysis.rows_analysis import RowsAnalysis
from workbench.scan.scan import Scan


@dataclass(frozen=True, repr=False)
class Analysis(Outcome):
    """The statistics of version ``analyzed``: ``rows`` counts rows as reads return them, and ``bytes`` is their share
    of the file sizes.

    ``snapshot`` is the id of the commit that stores the statistics. Both ids are None before the first commit.
    """

    analyzed: int | None = None
    rows: int = 0
    bytes: int = 0
    columns: Mapping[str, ColumnStatistics] = field(default_factory=dict)
    snapshot: int | None = None
    metrics: Metrics | None = field(default=None, compare=False)


class Analyzer:
    """Reads the rows that are analyzed, in this process."""

    def count(self, scan: Scan) -> int:
        """Count the rows of a scan."""
        return scan.count()

    def analyze(self, scan: Scan, fields: Sequence[DataField]) -> RowsAnalysis:
        """Read the columns of a scan, and return their analysis."""
        analysis = RowsAnalysis.of_no_rows(fields)
        analysis.add(scan.to_batches())
        return analysis


@measured("analyze")
def analyze(
    store: TableStore, columns: Sequence[str] | None, progress: Progress, analyzer: Analyzer | None = None
) -> Analysis:
    """Compute statistics of columns and commit them; see `Table.analyze`."""
    check_schema_is_stored(store)
    fields = _fields(store, columns)

    def analyze_on(version: Snapshot | None) -> Analysis:
        if version is None:
            return Analysis(store.name)
        return _noted(store, version, fields, progress, analyzer or Analyzer())

    return on_newest_version(store, Snapshots(store).latest(), analyze_on)


def _noted(
    store: TableStore, latest: Snapshot, fields: Sequence[DataField], progress: Progress, analyzer: Analyzer
) -> Analysis:
    """Analyze a version, and commit the statistics."""
    analysis = _look(store, latest, fields, progress, analyzer)
    text = json.dumps(_file(analysis, latest, store.schema.id), ensure_ascii=False, indent=2, separators=(",", " : "))
    name = paths.statistics_name(store.ids.uuid(), 0)
    path = store.path(paths.STATISTICS_DIRECTORY, name)
    store.file_io.write_bytes(path, text.encode())
    committer = TableCommit(Publication.by_new_user(store))
    with undone_if_unpublished(lambda: store.discard(path)):
        snapshot = committer.statistics(name)
    return Analysis(analysis.table, analysis.analyzed, analysis.rows, analysis.bytes, analysis.columns, snapshot.id)


def _fields(store: TableStore, columns: Sequence[str] | None) -> list[DataField]:
    schema = store.schema
    if columns is None:
        return [field for field in schema.fields if is_analyzable(field.type)]
    for name in columns:
        if name not in schema.field_names:
            raise WorkbenchError(f"{store.name} has no column '{name}'.", did_you_mean(name, schema.field_names))
        if not is_analyzable(schema.field(name).type):
            raise Unsupported(f"Column '{name}' is {schema.field(name).type}, which cannot be analyzed.")
    return [schema.field(name) for name in dict.fromkeys(columns)]


def _look(
    store: TableStore, latest: Snapshot, fields: Sequence[DataField], progress: Progress, analyzer: Analyzer
) -> Analysis:
    live = ManifestFiles(store).live_files(latest)
    size, stored = sum(each.file.file_size for each in live), sum(each.file.row_count for each in live)
    columns: dict[str, ColumnStatistics] = {}
    if fields:
        found = analyzer.analyze(Scan(store, latest, [each.name for each in fields], progress=progress), fields)
        rows, columns = found.rows, found.statistics()
    else:
        rows = analyzer.count(Scan(store, latest, progress=progress))
    # The size is estimated, because rows that merging hides occupy a part of the files.
    return Analysis(store.name, latest.id, rows, size * rows // stored if stored else 0, columns)


def _file(analysis: Analysis, analyzed: Snapshot, schema_id: int) -> dict[str, object]:
    """Return the content of the statistics file. It names the schema that has the columns, which is newer than the
    snapshot's schema after an ALTER: Java interprets the values by the types of the named schema, and fails if that
    lacks a column.
    """
    return {
        "snapshotId": analyzed.id,
        "schemaId": schema_id,
        "mergedRecordCount": analysis.rows,
        "mergedRecordSize": analysis.bytes,
        "colStats": {name: each.to_json() for name, each in analysis.columns.items()},
    }
