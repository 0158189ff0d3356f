"""Reads the comparison of two states."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from workbench.base.errors import CorruptFile, WorkbenchError
from workbench.base.progress import Progress
from workbench.lens.diff.counts import collect_counts
from workbench.lens.diff.ends import End
from workbench.lens.diff.files import collect_files_diff
from workbench.lens.diff.filters import DiffFilter
from workbench.lens.diff.metadata import refs_between, schema_changes
from workbench.lens.diff.pages import ChangeValue, collect_diff_rows
from workbench.lens.diff.source import Source, source_of
from workbench.lens.diff.value import DiffValue, EndValue
from workbench.lens.error import describe_error
from workbench.metadata.refs.branches import all_branches
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

MOST_CHOICES = 200


@dataclass(frozen=True)
class Comparison:
    """What is compared, and how rows are chosen."""

    before: End
    after: End
    mode: str = "diff"
    filter: DiffFilter = field(default_factory=DiffFilter)

    @property
    def is_one_table(self) -> bool:
        """Whether both ends are versions of one table or of its branches."""
        return self.before.store.location == self.after.store.location

    def source(self, progress: Progress | None = None) -> Source:
        """Return the source of the changed rows."""
        return source_of(self.before, self.after, self.mode, progress)


def collect_metadata_diff(comparison: Comparison) -> DiffValue:
    """Return the differences of metadata, without reading rows.

    Raises:
        WorkbenchError: The ends cannot be compared.
        CorruptFile: A metadata file is missing or damaged.
    """
    before, after = comparison.before, comparison.after
    one = comparison.is_one_table
    source = comparison.source()
    known = before.number == 0 or before.found is not None
    return DiffValue(
        table=after.store.name,
        kind=after.store.schema.kind.name,
        before=_end(before),
        after=_end(after),
        mode=source.mode,
        requested=comparison.mode,
        source=source.explained,
        notes=_notes_of(source),
        partition_keys=after.store.schema.partition_keys,
        schema=schema_changes(before, after, by_id=one) if known else (),
        files=collect_files_diff(before, after) if known else None,
        refs=refs_between(before, after) if one else (),
        choices=_choices(after.store) if one else (),
        filter=comparison.filter,
    )


def _notes_of(source: Source) -> tuple[str, ...]:
    try:
        return source.notes
    except CorruptFile:
        raise
    except WorkbenchError:
        # Reading rows reports it.
        return ()


def collect_diff(
    comparison: Comparison, start: int = 0, limit: int = 100, progress: Progress | None = None
) -> DiffValue:
    """Return the differences of metadata, the counts of changed rows and a page of them."""
    value = collect_metadata_diff(comparison)
    source = comparison.source(progress)
    try:
        counts = collect_counts(source, comparison.filter)
        page = collect_diff_rows(source, comparison.filter, start, limit)
    except CorruptFile:
        raise
    except WorkbenchError as error:
        return replace(value, rows_error=describe_error(error))
    return replace(value, counts=counts, page=page)


def _end(end: End) -> EndValue:
    time = None if end.found is None else end.found.time_millis
    return EndValue(end.store.name, end.ref, end.text, end.number, time)


def _choices(store: TableStore) -> tuple[EndValue, ...]:
    """Return the newest snapshots, the tags and the branches of a table."""
    ids = sorted(Snapshots(store).ids(), reverse=True)[:MOST_CHOICES]
    name = store.name
    snapshots = [EndValue(name, f"snapshot:{each}", f"snapshot {each:,}", each, None) for each in ids]
    tags = [
        EndValue(name, f"tag:{tag}", f"tag {tag}, snapshot {each.snapshot.id:,}", each.snapshot.id, None)
        for tag, each in Tags(store).all().items()
    ]
    branches = [EndValue(name, f"branch:{branch}", f"branch {branch}", 0, None) for branch in all_branches(store)]
    empty = EndValue(name, "snapshot:0", "the empty table", 0, None)
    return (*snapshots, *tags[:MOST_CHOICES], *branches[:MOST_CHOICES], empty)


def collect_sample(comparison: Comparison, limit: int, progress: Progress | None = None) -> DiffValue:
    """Return the comparison with a page of at most ``limit`` rows: all changed rows if they fit, otherwise some of each
    kind."""
    value = collect_diff(comparison, 0, 1, progress)
    counts = value.counts
    if counts is None or value.page is None:
        return value
    numbers = {"inserted": counts.inserted, "updated": counts.updated, "deleted": counts.deleted}
    if counts.inserted + 2 * counts.updated + counts.deleted <= limit:
        page = collect_diff_rows(comparison.source(progress), comparison.filter, 0, max(limit, 1))
        return replace(value, page=page)
    rows: list[ChangeValue] = []
    left = limit
    # The rarest kind first, so that the other kinds use what is left of its share. An update takes two rows.
    waiting = sorted(
        (kind for kind, count in numbers.items() if count), key=lambda kind: numbers[kind] * _HEIGHTS[kind]
    )
    for number, kind in enumerate(waiting):
        share = left // (len(waiting) - number) // _HEIGHTS[kind]
        if share and comparison.filter.kind in ("", kind):
            chosen = replace(comparison.filter, kind=kind)
            found = collect_diff_rows(comparison.source(progress), chosen, 0, share).rows
            rows += found
            left -= len(found) * _HEIGHTS[kind]
    return replace(value, page=replace(value.page, rows=tuple(rows)))


_HEIGHTS = {"inserted": 1, "updated": 2, "deleted": 1}
