"""A read of a table: planned when its result is first needed, then counted, read as one table or streamed (format
§25)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.card import Card, HasCard
from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, WorkbenchError
from workbench.base.lazy import cached_property
from workbench.base.metrics import Metrics, phase
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.datafile.protocol import rows_without_columns
from workbench.format.spec.row_tracking import TRACKING_COLUMNS, readable_schema
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.expired_versions import reporting_expiry
from workbench.metadata.layouts import laid_out_as
from workbench.metadata.measuring import Measuring, counts_of_read, measuring, metered, start_measuring
from workbench.metadata.store import TableStore
from workbench.scan.counts import count_by_metadata, known_bounds, known_rows
from workbench.scan.planner import Plan, Planner
from workbench.scan.split import Split, SplitList

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.scan.scan_report import ScanReport
    from workbench.scan.split_reader import SplitReader


@checked
@dataclass(repr=False)
class Scan(HasCard):
    """A read of some columns and rows of one snapshot. ``snapshot`` None is a table that was never written.

    Raises:
        WorkbenchError: The limit is negative.
    """

    store: TableStore
    snapshot: Snapshot | None
    columns: Sequence[str] | None = None
    where: Expr | None = None
    limit: int | None = None
    progress: Progress = field(default_factory=Progress)
    metrics: Metrics | None = field(default=None, init=False, compare=False)
    # Whether `plan` and `explain` are supported.
    has_plan: ClassVar[bool] = True
    _last_level_only: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 0:
            raise WorkbenchError(f"The limit must not be negative, got {self.limit}.", "Pass 0 or more.")
        # A table that was opened before its options changed reads rows as they were laid out.
        self.store = metered(laid_out_as(self.store, self.snapshot))

    @property
    def parts(self) -> list[Scan]:
        """The reads that are planned separately, and that together return the rows of this read."""
        return [self]

    def __repr__(self) -> str:
        facts = "; ".join(f"{name} {value}" for name, value in self._card().facts)
        return f"<Scan of {self.store.name}: {facts}>"

    def _card(self) -> Card:
        """Return what is read, without planning it."""
        facts = (
            ("snapshot", "none" if self.snapshot is None else f"{self.snapshot.id:,}"),
            ("columns", "all" if self.columns is None else ", ".join(self.columns) or "none"),
            ("where", "" if self.where is None else str(self.where)),
            ("limit", "" if self.limit is None else counted(self.limit, "rows")),
        )
        note = "to_arrow() reads the rows, count() counts them, and explain() reports which files are left out."
        return Card(f"Scan of {self.store.name}", tuple(fact for fact in facts if fact[1]), notes=(note,))

    @cached_property
    def schema(self) -> TableSchema:
        """The schema to read rows with: that of the table, with the columns of row tracking if they are requested."""
        requested = set(self.columns or ())
        if self.where is not None:
            # Loaded here, because many reads have no condition.
            from workbench.expr.tree import referenced_columns

            requested |= referenced_columns(self.where)
        return self.store.schema if requested.isdisjoint(TRACKING_COLUMNS) else readable_schema(self.store.schema)

    def plan(self) -> list[Split]:
        """Return the splits to read. The plan is the same every time, as the snapshot is fixed."""
        return self._splits

    def explain(self) -> ScanReport:
        """Report which files are left out, and by which rule."""
        return self._report

    def count(self) -> int:
        """Count the rows. Only files whose rows metadata cannot count (merges, deletions, predicates) are read.

        Sets ``metrics``."""
        with measuring("count", self.store) as measured:
            with phase("plan", self.store.clock):
                exact = self._planner.every_row_matches
                certain, uncertain = count_by_metadata(self.store, self.plan(), every_row_matches=exact)
            files = [file for split in uncertain for file in split.files]
            reader = replace(self.reader, columns=self.schema.trimmed_primary_keys[:1])
            with self.progress.step(f"Counting rows of {self.store.name}", len(files), "files"):
                read = sum(parallel_map(lambda split: sum(map(len, reader.stream([split]))), uncertain))
            self.metrics = measured.finished(counts_of_read(files, read))
        return certain + read if self.limit is None else min(certain + read, self.limit)

    def known_count(self) -> int | None:
        """Return the number of rows if metadata determines it, else None."""
        if not self._planner.every_row_matches:
            return None if self.plan() else 0
        rows = 0
        for split in self.plan():
            for section in split.sections:
                known = known_rows(self.store, split, section)
                if known is None:
                    return None
                rows += known
        return rows if self.limit is None else min(rows, self.limit)

    @checked
    def known_bounds(self, column: str) -> tuple[pa.Scalar, pa.Scalar] | None:
        """Return the minimum and maximum of a column, NULL if it has no values; None if metadata does not determine
        them exactly."""
        if self.limit is not None or not self._planner.every_row_matches:
            return None
        from workbench.metadata.file_stats import FileStats

        splits = self.plan()
        files = [file for split in splits for file in split.files]
        with reporting_expiry(self.store, self.snapshot):
            return known_bounds(splits, FileStats(self.store, self.schema, [column]).of_values(files), column)

    def to_arrow(self) -> pa.Table:
        """Read the rows as one table. Without columns, the table has only a number of rows, and no unnecessary file is
        read.

        Sets ``metrics``."""
        if not self._columns:
            return rows_without_columns(self.count())
        with measuring("scan", self.store) as measured:
            with phase("plan", self.store.clock):
                files = [file for split in self.plan() for file in split.files]
            with self.progress.step(f"Reading {self.store.name}", len(files), "files"):
                rows = self._read()
            self.metrics = measured.finished(counts_of_read(files, rows.num_rows))
        return rows

    def _read(self) -> pa.Table:
        splits = self.plan()
        return self.reader.read_all(splits) if self.limit is None else self.reader.read_first(splits, self.limit)

    def to_batches(self) -> pa.RecordBatchReader:
        """Read the rows as a stream in bounded memory. Sets ``metrics`` when the stream has been read to its end."""
        if self.limit is not None or not self._columns:
            return self.to_arrow().to_reader()
        measured = start_measuring("scan", self.store, {})
        stream = self.reader.batches(self.plan())
        return pa.RecordBatchReader.from_batches(stream.schema, self._counted(stream, measured))

    def _counted(self, stream: pa.RecordBatchReader, measured: Measuring) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in stream:
            rows += batch.num_rows
            yield batch
        files = [file for split in self.plan() for file in split.files]
        self.metrics = measured.finished(counts_of_read(files, rows))

    def stream(self, batch_rows: int) -> Iterator[pa.Table]:
        """Read the rows piece by piece, for readers that may stop at any of them.

        Files that need no merge are read in pieces of ``batch_rows`` rows. A piece may be empty, if the predicate
        matches none of its rows.
        """
        return replace(self.reader, batch_rows=batch_rows).stream(self._stream_splits())

    def _stream_splits(self) -> Iterator[Split]:
        """Yield the splits as they are planned."""
        if "_planned" in self.__dict__:
            yield from self.plan()
            return
        with reporting_expiry(self.store, self.snapshot):
            yield from self._planner.stream()

    @cached_property
    def reader(self) -> SplitReader:
        """Return a reader for the splits of this scan, for this or another process."""
        # Loaded here, because opening and planning a table does not need the readers of files.
        from workbench.scan.split_reader import SplitReader

        return SplitReader(self.store, self.schema, self._columns, self.where, self.progress, self.snapshot)

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        if self.columns is None:
            return self.store.schema.field_names
        if isinstance(self.columns, str):
            raise SchemaMismatch(f"Columns must be a list, not the text '{self.columns}'.", f"Pass ['{self.columns}'].")
        for position, name in enumerate(self.columns):
            self.schema.field(name)
            if name in self.columns[:position]:
                raise SchemaMismatch(f"Column '{name}' is selected twice.")
        return tuple(self.columns)

    @cached_property
    def _planned(self) -> Plan:
        with reporting_expiry(self.store, self.snapshot):
            return self._planner.plan()

    @cached_property
    def _splits(self) -> SplitList:
        return SplitList(self._planned.splits)

    @cached_property
    def _report(self) -> ScanReport:
        # Loaded here, as most reads are not explained.
        from workbench.scan.scan_report import ScanReport

        plan = self._planned
        return ScanReport(
            self.store,
            self.schema,
            self.where,
            None if self.snapshot is None else self.snapshot.id,
            plan.manifests,
            plan.manifests_pruned,
            plan.files,
            plan.left_out,
            plan.splits,
        )

    @cached_property
    def _planner(self) -> Planner:
        return Planner(self.store, self.snapshot, self.schema, self.where, self.limit, self._last_level_only)
