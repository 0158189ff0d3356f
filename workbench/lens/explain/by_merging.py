"""Suggestions that leave less to merge: compaction, deletion vectors, reads of compacted files only."""

from __future__ import annotations

from collections import defaultdict

from workbench.base.counting import counted
from workbench.lens.explain.funnel import amount_of
from workbench.lens.explain.situation import LEAST_SHARE, ReadContext
from workbench.lens.explain.statements import call, select, set_options
from workbench.lens.explain.value import SuggestionValue
from workbench.scan.planner import Planner
from workbench.scan.split import files_of

_FEW_FILES = 10


def compact_runs(situation: ReadContext) -> SuggestionValue | None:
    """Suggest a compaction if reads merge several sorted runs."""
    merging = [section for section in situation.merging if len(section) > 1]
    if not merging:
        return None
    merged = amount_of(files_of(merging))
    least = sum(max(amount_of(run).size for run in section) for section in merging)
    runs = max(map(len, merging))
    return SuggestionValue(
        "compact",
        "Compact the table",
        f"{counted(len(merging), 'key ranges')} with up to {counted(runs, 'sorted runs')} are merged by every read. "
        "Afterwards each key is stored once.",
        merged.files - len(merging),
        merged.size - least,
        "at most",
        (call("compact", table=situation.scan.store.name),),
    )


def deletion_vectors(situation: ReadContext) -> SuggestionValue | None:
    """Suggest deletion vectors if files are read only because they are merged."""
    core = situation.schema.core
    held = amount_of(situation.held)
    if core.deletion_vectors_enabled or core.engine.keeps_first or not situation.is_worth(held.size):
        return None
    name = situation.scan.store.name
    return SuggestionValue(
        "deletion-vectors",
        "Mark replaced rows with deletion vectors",
        f"{counted(held.files, 'files')} hold no matching row by their statistics, and are read because newer rows may "
        "replace theirs. With deletion vectors, each file is judged by itself.",
        held.files,
        held.size,
        "estimate",
        (
            # Rows could appear twice if the option changed before the runs are merged.
            call("compact", table=name),
            set_options(name, {"deletion-vectors.modifiable": "true"}),
            set_options(name, {"deletion-vectors.enabled": "true"}),
        ),
    )


def read_optimized(situation: ReadContext) -> SuggestionValue | None:
    """Suggest reading only the files of the last level, if files of other levels are merged with them."""
    if not situation.merging:
        return None
    scan = situation.scan
    plan = Planner(scan.store, scan.snapshot, scan.schema, scan.where, scan.limit, last_level_only=True).plan()
    kept = amount_of(file for split in plan.splits for file in split.files)
    size = situation.amount.size - kept.size
    # Without compacted files, no row would be returned.
    if not any(file.level == scan.schema.core.num_levels - 1 for _, file in situation.before_values):
        return None
    if not situation.is_worth(size):
        return None
    columns = scan.schema.field_names if scan.columns is None else scan.columns
    where = "" if scan.where is None else str(scan.where)
    return SuggestionValue(
        "read-optimized",
        "Read only compacted files",
        "The system table $ro reads only the files of the last level, without a merge. It lacks the rows that were "
        "written after the last full compaction.",
        situation.amount.files - kept.files,
        size,
        "exact",
        (select(f"{scan.store.name}$ro", columns, where),),
    )


def compact_deleted_rows(situation: ReadContext) -> SuggestionValue | None:
    """Suggest a compaction if deletion vectors mark many of the rows."""
    readings = situation.readings.files
    marked = [(each.marked_rows, each.file) for each in readings if each.marked_rows]
    dropped = sum(file.file_size * rows // max(1, file.row_count) for rows, file in marked)
    share = dropped / max(1, amount_of(each.file for each in readings).size)
    if share < LEAST_SHARE:
        return None
    size = round(share * situation.amount.size)
    rows = sum(rows for rows, _ in marked)
    return SuggestionValue(
        "compact-deleted",
        "Compact away the deleted rows",
        f"Deletion vectors mark {counted(rows, 'rows')} in {counted(len(marked), 'files')}, which every read skips.",
        0,
        size,
        "estimate",
        (call("compact", table=situation.scan.store.name),),
    )


def compact_small_files(situation: ReadContext) -> SuggestionValue | None:
    """Suggest a compaction of an append table if its rows would fit into far fewer files."""
    target = situation.schema.kind.target_file_size
    sizes: defaultdict[tuple[bytes, int], int] = defaultdict(int)
    for split in situation.scan.plan():
        sizes[split.partition, split.bucket] += split.size
    files = sum(max(1, -(-size // target)) for size in sizes.values())
    saved = situation.amount.files - files
    if situation.amount.files < _FEW_FILES or saved < situation.amount.files // 2:
        return None
    return SuggestionValue(
        "compact-small",
        "Compact the small files",
        f"The rows of {counted(situation.amount.files, 'files')} would fit into {counted(files, 'files')}, and to open "
        "a file takes time.",
        saved,
        0,
        "estimate",
        (call("compact", table=situation.scan.store.name),),
    )
