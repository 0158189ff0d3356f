"""The limits at which the condition of a bucket changes, by the options of its table."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.format.spec.schema import TableSchema
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.lens.wire import Int64

# If this many times the number of small files that triggers a compaction has piled up, compactions do not keep up.
PILED_UP = 10

# A table of fewer buckets is small as a whole, and the sizes of its buckets do not matter.
MANY_BUCKETS = 50
MANY_PARTITIONS = 10_000
# The median bucket of a table of many buckets holds at least this much; below the second size it costs far too much.
LEAST_BUCKET, TINY_BUCKET = 64 << 20, 8 << 20
# More files below this part of the target size are too many for the median bucket.
MANY_TINY_FILES, _TINY_PART = 10, 8


@dataclass(frozen=True)
class ThresholdsValue:
    """The limits of a bucket by the options of its table.

    More sorted runs than ``compaction_runs`` trigger a compaction, and with more than ``stop_runs`` writers wait for
    it; both are None for an append table. Files below ``small_file`` bytes are small, ``small_files`` of them trigger a
    compaction of an append table. ``target_file`` is the size of a full file, ``deleted_share`` the share of deleted
    rows at which a file is rewritten.
    """

    compaction_runs: int | None
    stop_runs: int | None
    small_file: Int64
    small_files: int
    target_file: Int64
    deleted_share: float

    @property
    def tiny_file(self) -> int:
        """The size below which a file is tiny."""
        return self.target_file // _TINY_PART

    @property
    def least_bucket(self) -> int:
        """What the median bucket of many holds at least."""
        return min(LEAST_BUCKET, self.target_file // 2)

    def full_files(self, files: int, size: int) -> int:
        """Estimate the number of files of a bucket after a full compaction, which adds neither files nor bytes."""
        return min(files, -(-size // self.target_file))


def thresholds_of(schema: TableSchema) -> ThresholdsValue:
    """Return the thresholds of a table's options."""
    core = schema.core
    runs = (core.num_sorted_run_compaction_trigger, core.num_sorted_run_stop_trigger)
    compaction_runs, stop_runs = schema.kind.choose({KeyValueKind: runs, AppendOnlyKind: (None, None)})
    return ThresholdsValue(
        compaction_runs=compaction_runs,
        stop_runs=stop_runs,
        small_file=schema.kind.small_file_size,
        small_files=core.compaction_min_file_num,
        target_file=schema.kind.target_file_size,
        deleted_share=core.compaction_delete_ratio_threshold,
    )
