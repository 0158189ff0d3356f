"""The statistics of a table's columns as a writer of data files stores them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from workbench.format.spec.data_file import SimpleStats
from workbench.format.spec.stats import ModeOf, StatsCollector
from workbench.format.types import DataField


def collect_value_stats(
    table: pa.Table, fields: Sequence[DataField], mode_of: ModeOf, dense: bool
) -> tuple[SimpleStats, tuple[str, ...] | None]:
    """Return value statistics and ``_VALUE_STATS_COLS``, as `StatsCollector.value_stats` does."""
    collector = StatsCollector(fields, mode_of)
    collector.update(table)
    return collector.value_stats(dense)
