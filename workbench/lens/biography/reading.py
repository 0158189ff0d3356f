"""How a read of a version finds the row: the versions that it merges, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.base.errors import Unsupported
from workbench.lens.biography.lives import FileId
from workbench.lens.biography.merging import Merge, StoredVersion, merged, same_row, unmerged
from workbench.lsm.provenance import Origin
from workbench.scan.data_evolution import is_normal_file, owned_columns
from workbench.scan.scan import Scan
from workbench.scan.split import Section, Split, is_raw

PositionedVersion = tuple[int, StoredVersion]
"""A version and its position in its file."""


@dataclass(frozen=True)
class RowRead:
    """The read of a row. ``merges`` are the merges that have input, ``marked`` the ids of the versions that a deletion
    vector hides, and ``agrees`` is whether the result equals what the reader of the table returns."""

    merges: tuple[Merge, ...]
    marked: frozenset[int]
    agrees: bool

    @property
    def merge(self) -> Merge:
        """The merge whose result is the row, or the last merge if the row does not exist."""
        present = [each for each in self.merges if each.is_present]
        return (present or list(self.merges) or [Merge()])[-1]


def read_row(scan: Scan, versions: Mapping[FileId, Sequence[PositionedVersion]], columns: Sequence[str]) -> RowRead:
    """Return how a scan of the row finds it. ``versions`` are the stored versions in each file.

    Raises:
        Unsupported: The scan reads rows that wait for a bucket.
    """
    marked: set[int] = set()
    merges: list[Merge] = []
    for split in scan.plan():
        if split.waiting:
            raise Unsupported(
                f"Rows of {scan.store.name} that wait for a bucket have no biography with option "
                "'postpone.merge-on-read' = 'true'.",
                "Compact the table first, or set the option to 'false'.",
            )
        for section in split.sections:
            names = [file.file_name for run in section for file in run]
            found = {name: versions.get((split.partition, split.bucket, name), ()) for name in names}
            hidden = {number for name in names for number in _marked(scan, split, name, found[name])}
            by_file = {name: [each for _, each in found[name] if each.id not in hidden] for name in names}
            marked |= hidden
            if any(by_file.values()):
                merges.append(_merge(scan, section, by_file, columns))
    present = [each.rows for each in merges if each.is_present and each.rows is not None]
    returned = scan.to_arrow()
    agrees = returned.num_rows == len(present) and all(
        any(same_row(returned.slice(number, 1), each) for each in present) for number in range(returned.num_rows)
    )
    return RowRead(tuple(merges), frozenset(marked), agrees)


def _marked(scan: Scan, split: Split, name: str, found: Sequence[PositionedVersion]) -> list[int]:
    """Return which versions of a file its deletion vector hides."""
    deletion = split.deletions.get(name)
    if deletion is None or not found:
        return []
    vector = deletion.read(scan.store, found[0][1].file)
    return [version.id for position, version in found if not vector.kept(position, 1)[0]]


def _merge(
    scan: Scan, section: Section, by_file: Mapping[str, Sequence[StoredVersion]], columns: Sequence[str]
) -> Merge:
    if scan.schema.core.data_evolution_enabled:
        return _side_by_side(scan, section, by_file, columns)
    runs = [[version for file in run for version in by_file[file.file_name]] for run in section]
    runs = [run for run in runs if run]
    if is_raw(section):
        return unmerged(runs[0][0], columns)
    return merged(runs, scan.schema, columns)


def _side_by_side(
    scan: Scan, section: Section, by_file: Mapping[str, Sequence[StoredVersion]], columns: Sequence[str]
) -> Merge:
    """Return the row of a table that stores columns in separate files: each is read from the newest file that has
    it."""
    files = [file for run in section for file in run if is_normal_file(file)]
    owned = owned_columns(scan.store, files, scan.schema)
    found = {file.file_name: by_file[file.file_name][0] for file in files if by_file[file.file_name]}
    owners = {name: version for file, version in found.items() for name in owned.get(file, ())}
    base = next(iter(found.values()))
    rows = base.table.select(list(columns))
    for position, name in enumerate(columns):
        if name in owners:
            rows = rows.set_column(position, rows.schema.field(name), owners[name].table.column(name))
    order = tuple(version.id for version in reversed(list(found.values())))
    origins = {name: Origin(owners[name].id if name in owners else None) for name in columns}
    kind = unmerged(base, columns).kind
    return Merge(order, frozenset(order), kind, rows, origins)
