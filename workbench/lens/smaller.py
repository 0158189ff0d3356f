"""Forms of lens values with less detail, for notebooks that save them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice

from workbench.lens.history.smaller import coarser, history_since
from workbench.lens.levels import BucketValue, FileValue, LevelsValue, RunValue
from workbench.lens.summary import SummaryValue
from workbench.lens.timeline import SnapshotValue, TimelineValue

# Fewer bars than this are not combined any further: buckets are left out first.
_LEAST_BARS = 60
_LEAST_BINS = 60
_LONGEST_TEXT = 200


def smaller_levels(levels: LevelsValue) -> Iterator[LevelsValue]:
    """Yield forms with less and less detail: neighboring files combined into one, then fewer buckets."""
    bucket, factor = levels.bucket, 2
    while levels.bucket is not None and bucket is not None and len(bucket.files) > _LEAST_BARS:
        bucket = combined_files(levels.bucket, factor)
        factor *= 2
        yield replace(levels, bucket=bucket)
    buckets = levels.buckets
    while len(buckets) > 1:
        buckets = buckets[: len(buckets) // 2]
        yield replace(levels, bucket=bucket, buckets=buckets, next=None)


def combined_files(bucket: BucketValue, factor: int) -> BucketValue:
    """Return a bucket with every ``factor`` neighboring files combined into one; on level 0, these are neighboring
    runs."""
    runs: list[RunValue] = []
    for level, group in groupby(bucket.runs, key=lambda run: run.level):
        of_level = list(group)
        if len(of_level) == 1:
            runs.append(RunValue(level, tuple(_combined(of_level[0].files, factor))))
        else:
            files = [file for run in of_level for file in run.files]
            runs += [RunValue(level, (file,)) for file in _combined(files, factor)]
    return replace(bucket, runs=tuple(runs))


def _combined(files: Sequence[FileValue], factor: int) -> Iterator[FileValue]:
    remaining = iter(files)
    while group := tuple(islice(remaining, factor)):
        yield group[0] if len(group) == 1 else _one(group)


def _one(files: Sequence[FileValue]) -> FileValue:
    first, last = min(files, key=lambda file: file.start), max(files, key=lambda file: file.end)
    deletes = [file.deletes for file in files]
    times = [file.time_millis for file in files if file.time_millis is not None]
    return replace(
        files[0],
        name=f"{len(files)} files: {files[0].name} to {files[-1].name}",
        rows=sum(file.rows for file in files),
        size=sum(file.size for file in files),
        deletes=None if None in deletes else sum(each or 0 for each in deletes),
        min_key=first.min_key,
        max_key=last.max_key,
        start=first.start,
        end=last.end,
        min_sequence=min(file.min_sequence for file in files),
        max_sequence=max(file.max_sequence for file in files),
        time_millis=max(times, default=None),
    )


def smaller_timelines(timeline: TimelineValue) -> Iterator[TimelineValue]:
    """Yield forms with less and less detail: long texts shortened, then without the oldest snapshots and tags, and with
    the history in fewer bins."""
    timeline = replace(timeline, snapshots=tuple(map(_shortened, timeline.snapshots)))
    yield timeline
    while len(timeline.snapshots) > 1:
        snapshots = timeline.snapshots[: len(timeline.snapshots) * 3 // 4]
        tags = timeline.tags[: (len(timeline.tags) * 3 + 3) // 4]
        timeline = replace(_with_fewer_bins(timeline, snapshots[-1].id), snapshots=snapshots, tags=tags, next=None)
        yield timeline


def _with_fewer_bins(timeline: TimelineValue, oldest: int) -> TimelineValue:
    """Return a timeline whose whole history has half of the bins, and whose listed history, with one bin for each
    snapshot, begins at ``oldest``, the oldest snapshot that is left."""
    fine, whole = timeline.listed or timeline.whole, timeline.whole
    if fine is None or whole is None:
        return timeline
    smaller = coarser(whole) if len(whole.bins.ids) > _LEAST_BINS else whole
    return replace(timeline, whole=smaller, listed=history_since(fine, oldest))


def smaller_summaries(summary: SummaryValue) -> Iterator[SummaryValue]:
    """Yield forms with less and less detail: no comments and defaults of columns, no options, then fewer columns."""
    fields = tuple(replace(field, comment=None, default=None) for field in summary.fields)
    yield replace(summary, fields=fields)
    while fields:
        yield replace(summary, fields=fields, options=())
        fields = fields[: len(fields) // 2]


def _shortened(snapshot: SnapshotValue) -> SnapshotValue:
    return replace(snapshot, statement=_cut(snapshot.statement), reason=_cut(snapshot.reason), reason_details=())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
