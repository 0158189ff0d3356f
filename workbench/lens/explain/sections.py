"""The splits of a read: their sections, the sorted runs of these, and why they must be merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.base.counting import counted
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lens.explain.funnel import amount_of, partition_labels
from workbench.lens.explain.value import RunTotalsValue, SectionValue, SplitsValue, SplitValue
from workbench.lens.texts import row_text
from workbench.lsm.levels import comparable_keys
from workbench.scan.split import Section, Split, files_of, is_merged

_MOST_SPLITS = 100
_MOST_SECTIONS = 20


def describe_splits(schema: TableSchema, splits: Sequence[Split], held: Sequence[DataFileMeta]) -> SplitsValue:
    """Return the largest splits, and the totals of all. ``held`` are the files that are read only because they must be
    merged."""
    label = partition_labels(schema)
    shown = sorted(splits, key=lambda split: -split.size)[:_MOST_SPLITS]
    merged = amount_of(
        files_of([section for split in splits for section in split.sections if is_merged(schema, section)])
    )
    kept_back = amount_of(held)
    return SplitsValue(
        tuple(_split(schema, split, label) for split in shown),
        len(splits),
        sum(1 for split in splits if split.raw_convertible),
        merged.files,
        merged.size,
        kept_back.files,
        kept_back.size,
    )


def _split(schema: TableSchema, split: Split, label: Callable[[bytes], str]) -> SplitValue:
    found = [section for section in split.sections if is_merged(schema, section)]
    merging = sorted(found, key=lambda section: -amount_of(files_of([section])).size)
    raw = amount_of(files_of([section for section in split.sections if not is_merged(schema, section)]))
    return SplitValue(
        label(split.partition),
        split.bucket,
        len(split.files),
        split.size,
        split.row_count,
        split.raw_convertible,
        _reason(split, merging),
        raw.files,
        raw.size,
        raw.rows,
        len(merging),
        tuple(_section(schema, section) for section in merging[:_MOST_SECTIONS]),
    )


def _reason(split: Split, merging: Sequence[Section]) -> str:
    """Return why a split is merged, or that each of its files is read without a merge."""
    reasons = []
    if merging:
        runs = max(map(len, merging))
        most = f"up to {counted(runs, 'sorted runs')}" if runs > 1 else "one sorted run with deletes"
        reasons.append(f"{counted(len(merging), 'key ranges')} of {most} must be merged")
    if split.deletions:
        reasons.append(f"deletion vectors mark rows of {counted(len(split.deletions), 'files')}")
    return "; ".join(reasons) or "each file is read as it is"


def _section(schema: TableSchema, section: Section) -> SectionValue:
    files = files_of([section])
    key_of = comparable_keys([field.type for field in schema.key_fields])
    low = row_text(min((file.min_key for file in files), key=key_of), schema.key_fields)
    high = row_text(max((file.max_key for file in files), key=key_of), schema.key_fields)
    deletes = sum(file.delete_row_count or 0 for file in files)
    overlap = f"{counted(len(section), 'sorted runs')} have overlapping keys" if len(section) > 1 else ""
    dropped = f"{counted(deletes, 'delete rows')} must be applied" if deletes else ""
    return SectionValue(
        tuple(_run(run) for run in section),
        low if low == high else f"{low} to {high}",
        "; ".join(filter(None, (overlap, dropped))),
    )


def _run(run: Sequence[DataFileMeta]) -> RunTotalsValue:
    amount = amount_of(run)
    return RunTotalsValue(run[0].level, amount.files, amount.rows, amount.size)
