"""The condition of a table at a version, judged by the thresholds that its options set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from workbench.base.card import Card, HasCard
from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.lens.buckets import BucketFiles, run_count
from workbench.lens.wire import Int64

Condition = Literal["good", "fair", "poor"]

CONDITIONS: Mapping[Condition, str] = MappingProxyType(
    {"good": "Good condition", "fair": "Needs attention", "poor": "Poor condition"}
)
# Where so many times the number of small files that triggers a compaction has piled up, no compaction keeps up.
_PILED_UP = 10
_SANDBOX = "try it in the sandbox"


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


@dataclass(frozen=True, repr=False)
class VerdictValue(HasCard):
    """The condition of a table in words. ``files_after`` estimates the number of files after a full compaction."""

    condition: Condition
    text: str
    files_after: Int64

    def __repr__(self) -> str:
        return f"{CONDITIONS[self.condition]}. {self.text}"

    def _card(self) -> Card:
        """Return the condition in words."""
        return Card(repr(self))


def thresholds_of(schema: TableSchema) -> ThresholdsValue:
    """Return the thresholds of a table's options."""
    core, keyed = schema.core, schema.is_primary_key_table
    return ThresholdsValue(
        compaction_runs=core.num_sorted_run_compaction_trigger if keyed else None,
        stop_runs=core.num_sorted_run_stop_trigger if keyed else None,
        small_file=core.small_file_size(keyed),
        small_files=core.compaction_min_file_num,
        target_file=core.target_file_size(keyed),
        deleted_share=core.compaction_delete_ratio_threshold,
    )


def describe_verdict(schema: TableSchema, files: BucketFiles) -> VerdictValue | None:
    """Return the condition of a version; None without files, because then nothing can be judged."""
    if not any(files.values()):
        return None
    judge = _keyed_verdict if schema.is_primary_key_table else _append_verdict
    return judge(schema, files, thresholds_of(schema))


# --- primary-key tables -------------------------------------------------------------------------------------------


def _keyed_verdict(schema: TableSchema, files: BucketFiles, limits: ThresholdsValue) -> VerdictValue:
    assert limits.compaction_runs is not None
    assert limits.stop_runs is not None
    waiting = [file for (_, bucket), each in files.items() if bucket == POSTPONE_BUCKET for file in each]
    buckets = {key: each for key, each in files.items() if key[1] != POSTPONE_BUCKET}
    runs = [run_count(schema, each) for each in buckets.values()]
    over = sum(count > limits.compaction_runs for count in runs)
    stopped = sum(count > limits.stop_runs for count in runs)
    after = sum(_full_files(each, limits) for each in buckets.values())
    sentences = [_runs_text(runs, over, stopped, limits)] if runs else []
    if over:
        sentences.append(_compaction_text(schema, sum(map(len, buckets.values())), after))
    hidden = sum(file.row_count for each in buckets.values() for file in each if file.level == 0)
    if schema.core.hides_level_0 and hidden:
        sentences.append(f"{counted(hidden, 'rows')} on level 0 become visible with the next compaction.")
    if waiting:
        rows = sum(file.row_count for file in waiting)
        sentences.append(f"{counted(rows, 'rows')} wait in the postponed bucket and become visible when compacted.")
    fair = over or waiting or (schema.core.hides_level_0 and hidden)
    return VerdictValue("poor" if stopped else "fair" if fair else "good", " ".join(sentences), after)


def _runs_text(runs: Sequence[int], over: int, stopped: int, limits: ThresholdsValue) -> str:
    """Return how many buckets are over the triggers, or how many runs reads merge if none is."""
    trigger = f"the compaction trigger of {limits.compaction_runs} sorted runs"
    if not over:
        most = max(runs)
        read = "reads merge nothing" if most == 1 else f"reads merge up to {most} sorted runs"
        return f"No bucket is over {trigger}; {read}."
    text = f"{over:,} of {counted(len(runs), 'buckets')} {'is' if over == 1 else 'are'} over {trigger}"
    if stopped:
        text += f", {stopped:,} of them over the stop trigger of {limits.stop_runs}"
    return f"{text}."


def _compaction_text(schema: TableSchema, before: int, after: int) -> str:
    """Return what is done about the runs, and what a full compaction would achieve."""
    off = schema.core.write_only
    begin = "Compaction is off (write-only); a" if off else "The next write to a bucket compacts it; a"
    return f"{begin} full compaction would turn {counted(before, 'files')} into about {after:,}: {_SANDBOX}."


def _full_files(files: Sequence[DataFileMeta], limits: ThresholdsValue) -> int:
    """Estimate the files of a bucket after a full compaction, which does not add bytes."""
    return min(len(files), -(-sum(file.file_size for file in files) // limits.target_file))


# --- append tables ------------------------------------------------------------------------------------------------


def _append_verdict(schema: TableSchema, files: BucketFiles, limits: ThresholdsValue) -> VerdictValue:
    small = [[file for file in each if file.file_size < limits.small_file] for each in files.values()]
    due = [each for each in small if len(each) >= limits.small_files]
    before = sum(map(len, files.values()))
    after = before - sum(len(each) - _full_files(each, limits) for each in due)
    below = f"small files (below {size_text(limits.small_file)})"
    if not due:
        count = sum(map(len, small))
        few = f"{counted(count, 'small files')} (below {size_text(limits.small_file)}), too few to compact."
        return VerdictValue("good", few if count else "No small files.", after)
    if len(files) == 1:
        text = f"The table has {len(due[0]):,} {below}; {limits.small_files} trigger a compaction."
    else:
        where, have = "partitions" if schema.partition_keys else "buckets", "has" if len(due) == 1 else "have"
        text = f"{len(due):,} of {counted(len(files), where)} {have} {limits.small_files} or more {below}."
    off = "Compaction is off (write-only); a" if schema.core.write_only else "A"
    text += f" {off} compaction would turn {counted(before, 'files')} into about {after:,}: {_SANDBOX}."
    poor = any(len(each) >= _PILED_UP * limits.small_files for each in due)
    return VerdictValue("poor" if poor else "fair", text, after)
