"""One compaction as a picture: its bucket before and after, and which files became which."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from workbench.base.errors import CorruptFile, InvalidRequest
from workbench.base.progress import Progress
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import CommitKind
from workbench.lens.buckets import BucketKey, parse_bucket_id
from workbench.lens.compaction.collect import CompactionReader, contents_before, deltas_of
from workbench.lens.compaction.deltas import BucketDelta, applied
from workbench.lens.compaction.value import CompactionStory, CompactionValue, LinkValue
from workbench.lens.levels import BucketValue, FileValue, describe_states
from workbench.metadata.snapshots import Snapshots
from workbench.table.readable_table import ReadableTable

# More ribbons than this cannot be distinguished.
_MAX_LINKS = 4000


def collect_story(table: ReadableTable, snapshot: int, bucket: str | None = None) -> CompactionStory:
    """Return a bucket before and after one of its compactions; reads metadata only.

    Args:
        table: The table.
        snapshot: The id of the compaction's commit.
        bucket: The id of one of the buckets that it compacted, by default the one with the most bytes.

    Raises:
        InvalidRequest: the commit compacted no such bucket.
        SnapshotNotFound: there is no such snapshot.
        CorruptFile: its manifests are damaged.
    """
    store = table.store
    found = Snapshots(store).get(snapshot)
    reader = CompactionReader(store, Progress())
    compactions = reader.of(found) if found.commit_kind == CommitKind.COMPACT else ()
    if reader.unread:
        deltas_of(store, found)
    shown = _shown(compactions, bucket)
    if shown is None:
        where = "" if bucket is None else f" of bucket '{bucket[:60]}'"
        raise InvalidRequest(f"Snapshot {snapshot} has no compaction{where}.", "Select one in the list of compactions.")
    schema = store.schema_of(found.schema_id)
    key = parse_bucket_id(schema, shown.bucket_id)
    delta = deltas_of(store, found).get(key, BucketDelta())
    try:
        return describe_story(schema, key, shown, contents_before(store, found).files(key), delta)
    except ValueError as error:
        raise CorruptFile(table.location, "its manifests contain invalid partitions or keys") from error


def _shown(compactions: Sequence[CompactionValue], bucket: str | None) -> CompactionValue | None:
    if bucket is not None:
        return next((each for each in compactions if each.bucket_id == bucket), None)
    return max(compactions, key=lambda each: each.bytes_read + each.bytes_moved, default=None)


def describe_story(
    schema: TableSchema, key: BucketKey, compaction: CompactionValue, files: Sequence[object], delta: BucketDelta
) -> CompactionStory:
    """Return the story of a compaction from the files before it, and what it did to them."""
    before, after = describe_states(schema, key, files, applied(files, delta))  # type: ignore[arg-type]
    read = tuple(file.file_name for file in delta.read)
    written = tuple(file.file_name for file in delta.written)
    links = [*_rewritten(before, after, read, written, keyed=schema.is_primary_key_table)]
    links += _moved(before, after, delta.moved)
    return CompactionStory(
        compaction=compaction,
        keys=tuple(field.name for field in schema.key_fields),
        before=before,
        after=after,
        read=read,
        written=written,
        moved=tuple(sorted(delta.moved)),
        links=tuple(links[:_MAX_LINKS]),
    )


def _rewritten(
    before: BucketValue, after: BucketValue, read: Collection[str], written: Collection[str], *, keyed: bool
) -> Iterator[LinkValue]:
    """Yield links from files that were read to files that were written, if their key ranges overlap or, in tables
    without keys, if their shares of the rows do."""
    inputs, outputs = _spans(before, read, keyed=keyed), _spans(after, written, keyed=keyed)
    for old, start, end in inputs:
        for new, low, high in outputs:
            touches = start <= high and low <= end
            if touches and (keyed or min(end, high) > max(start, low) or len(outputs) == 1):
                yield LinkValue(old, new)


def _spans(bucket: BucketValue, names: Collection[str], *, keyed: bool) -> list[tuple[int, float, float]]:
    """Return the positions of the named files in a bucket, and for each file the start and end of the part that it
    covers: of the axis of keys, or in tables without keys of the rows of these files."""
    chosen = set(names)
    files = [(number, file) for number, file in enumerate(bucket.files) if file.name in chosen]
    if keyed:
        return [(number, file.start, file.end) for number, file in files]
    total, begin, spans = sum(file.rows for _, file in files) or 1, 0, []
    for number, file in files:
        spans.append((number, begin / total, (begin + file.rows) / total))
        begin += file.rows
    return spans


def _moved(before: BucketValue, after: BucketValue, moved: Collection[str]) -> Iterator[LinkValue]:
    numbers_after = {file.name: number for number, file in enumerate(after.files) if file.name in moved}
    for number, file in enumerate(before.files):
        if file.name in numbers_after:
            yield LinkValue(number, numbers_after[file.name])


def file_roles(story: CompactionStory) -> tuple[dict[str, str], dict[str, str]]:
    """Return the roles of files by name: ``read``, ``moved`` or ``kept`` for the files before the compaction, and
    ``written``, ``moved`` or ``kept`` for the files after it."""
    moved, read, written = set(story.moved), set(story.read), set(story.written)

    def role(file: FileValue, changed: set[str], word: str) -> str:
        return "moved" if file.name in moved else word if file.name in changed else "kept"

    return (
        {file.name: role(file, read, "read") for file in story.before.files},
        {file.name: role(file, written, "written") for file in story.after.files},
    )
