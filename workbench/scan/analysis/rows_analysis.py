"""The analysis of the rows of some splits, in this process or in Spark tasks, and the merging of partial analyses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.format.types import DataField
from workbench.scan.analysis.column_statistics import ColumnAnalysis, ColumnStatistics


@dataclass
class RowsAnalysis:
    """The number of rows, and the analyses of some of their columns by name. Picklable."""

    columns: dict[str, ColumnAnalysis]
    rows: int = 0

    @classmethod
    def of_no_rows(cls, fields: Sequence[DataField]) -> RowsAnalysis:
        """Return an analysis of these columns that has not seen any rows yet."""
        return cls({each.name: ColumnAnalysis(each) for each in fields})

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Add the rows of batches."""
        for batch in batches:
            self.rows += batch.num_rows
            for name, analysis in self.columns.items():
                analysis.add(batch.column(name))

    def merge(self, other: RowsAnalysis) -> None:
        """Add the rows that another analysis of the same columns has seen."""
        self.rows += other.rows
        for name, analysis in self.columns.items():
            analysis.merge(other.columns[name])

    def statistics(self) -> dict[str, ColumnStatistics]:
        """Return the statistics of each column."""
        return {name: analysis.statistics() for name, analysis in self.columns.items()}
