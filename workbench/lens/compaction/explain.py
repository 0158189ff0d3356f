"""Why a compaction ran, computed from the files before it: what the table's picker chooses is compared with the files
that were compacted.

A writer picks in memory, so the state that it saw is not stored. It knows the files of level 0 up to one that it wrote
itself, and may compact several times between two commits: a commit then lists only the first inputs and the last
outputs. The states that a picker may have seen are tried. A state explains a compaction if the picker, given that
state, picks exactly the files that were compacted, and its picks lead to the levels that were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.format.spec.data_file import DataFileMeta
from workbench.lens.compaction.deltas import BucketDelta, FileId, file_id
from workbench.lens.compaction.pickers import Numbers, Pick, Picker
from workbench.lsm.levels import level_0_order

# The most picks that are tried, and the most files that they look at, before a compaction counts as not explained.
_MAX_PICKS = 400
_MAX_SEEN = 20_000
_SYNTHETIC = "\0"


@dataclass(frozen=True)
class Explanation:
    """The picks that led to a compaction, the first one first; ``alternatives`` are rules that explain it as well."""

    picks: tuple[Pick, ...]
    alternatives: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The rule of the last pick, which decided the level of the result."""
        return self.picks[-1].rule

    @property
    def text(self) -> str:
        """One sentence for each pick."""
        return " ".join(pick.text for pick in self.picks)

    @property
    def numbers(self) -> Numbers:
        """The numbers of the last pick."""
        return self.picks[-1].numbers


def explain(
    files: Sequence[DataFileMeta],
    delta: BucketDelta,
    pick: Picker,
    *,
    several: bool = False,
    unlisted: DataFileMeta | None = None,
) -> Explanation | None:
    """Return why a bucket was compacted, None if no rule explains it.

    A rule that picks exactly these files takes precedence over a requested full compaction, since requests leave no
    trace.

    Args:
        files: The files of the bucket before the commit.
        delta: What the compaction removed and added.
        pick: The picker of the table.
        several: Whether a commit contains several compactions of the same partition, each of different files.
        unlisted: A file of level 0 that the commit itself wrote and compacted, as `unlisted_file` estimates it.
    """
    if not delta.removed:
        return None
    found = list(_different(_together(files, delta, pick) if several else _in_rounds(files, delta, pick, unlisted)))
    if not found:
        return None
    first, *others = sorted(found, key=lambda picks: picks[-1].on_request)
    return Explanation(first, tuple(picks[-1].rule for picks in others if picks[-1].rule != first[-1].rule))


def _different(found: Iterator[tuple[Pick, ...]]) -> Iterator[tuple[Pick, ...]]:
    """Yield the first explanation by a rule, and the first explanation by a requested full compaction."""
    seen: set[bool] = set()
    for picks in found:
        if picks[-1].on_request not in seen:
            seen.add(picks[-1].on_request)
            yield picks
        if len(seen) == 2:
            return


# --- one compaction after the other -------------------------------------------------------------------------------


@dataclass
class _Search:
    """A search for the successive compactions (rounds) of one writer. ``left`` is the number of picks that may still be
    tried."""

    delta: BucketDelta
    pick: Picker
    left: int = _MAX_PICKS

    def picks(self, files: Sequence[DataFileMeta]) -> list[Pick]:
        if self.left <= 0:
            return []
        self.left -= 1
        return list(self.pick(files))


def unlisted_file(postponed: Sequence[DataFileMeta], buckets: int) -> DataFileMeta | None:
    """Return the file into which a commit put the rows of postponed files before it compacted the bucket.

    No version lists it, so its size is estimated.

    Args:
        postponed: The files that the commit removed from the postpone bucket of the partition.
        buckets: The number of buckets that received their rows.
    """
    if not postponed:
        return None
    size = sum(file.file_size for file in postponed) // max(1, buckets)
    newest = max(postponed, key=lambda file: file.max_sequence_number)
    return replace(newest, file_name=f"{_SYNTHETIC}new", file_size=size, level=0)


def _in_rounds(
    files: Sequence[DataFileMeta], delta: BucketDelta, pick: Picker, unlisted: DataFileMeta | None
) -> Iterator[tuple[Pick, ...]]:
    compacted = frozenset(map(file_id, delta.removed))
    levels = frozenset(file.level for file in delta.added)
    new = [] if unlisted is None else [unlisted]
    for seen in _seen(files, delta):
        for each in pick([*seen, *new]):
            picked = {file_id(file) for file in each.files}
            if picked == compacted | set(map(file_id, new)) and levels <= {each.output_level}:
                yield (each,)
    search = _Search(delta, pick, min(_MAX_PICKS, _MAX_SEEN // len(files)))
    newest_first = [*new, *sorted((file for file in delta.removed if file.level == 0), key=level_0_order)]
    if len(newest_first) < 2:
        return
    for scale in dict.fromkeys((_shrinking(delta), 1.0)):
        older = [file for file in _seen_at_most(files, delta) if not (file.level == 0 and file_id(file) in compacted)]
        yield from _rounds(search, older, newest_first[::-1], compacted, scale, ())


def _rounds(
    search: _Search,
    files: Sequence[DataFileMeta],
    arriving: Sequence[DataFileMeta],
    remaining: frozenset[FileId],
    scale: float,
    before: tuple[Pick, ...],
) -> Iterator[tuple[Pick, ...]]:
    """Yield sequences of picks. Before each pick, any number of further ``arriving`` files may have arrived, the oldest
    first."""
    for count in range(len(arriving), -1, -1) if not before else range(len(arriving) + 1):
        seen = [*files, *arriving[:count]]
        for each in search.picks(seen):
            taken = {file_id(file) for file in each.files}
            stored = {one for one in taken if not one[0].startswith(_SYNTHETIC)}
            if not taken or not stored <= remaining:
                continue
            rest = remaining - stored
            made = _result(each, len(before), scale)
            now = [*(file for file in seen if file_id(file) not in taken), made]
            if not rest:
                if _levels_match(now, search.delta):
                    yield (*before, each)
            elif not each.on_request:
                yield from _rounds(search, now, arriving[count:], rest, scale, (*before, each))


def _levels_match(files: Sequence[DataFileMeta], delta: BucketDelta) -> bool:
    """Return whether the results that remain are on the levels that were written."""
    made = {file.level for file in files if file.file_name.startswith(_SYNTHETIC)}
    written = {file.level for file in delta.added}
    # Rows that are all deleted leave no file.
    return made == written or not written


def _result(pick: Pick, number: int, scale: float) -> DataFileMeta:
    """Return a placeholder of estimated size for the files that a round wrote and that a later round may have
    replaced."""
    files = pick.files
    size = round(sum(file.file_size for file in files) * scale)
    if len(files) == 1:
        size = files[0].file_size
    low = min(files, key=lambda file: file.min_key)
    return replace(
        low,
        file_name=f"{_SYNTHETIC}{number}",
        file_size=size,
        max_key=max(file.max_key for file in files),
        min_sequence_number=min(file.min_sequence_number for file in files),
        max_sequence_number=max(file.max_sequence_number for file in files),
        level=pick.output_level,
    )


def _shrinking(delta: BucketDelta) -> float:
    read, written = (sum(file.file_size for file in files) for files in (delta.removed, delta.added))
    return written / read if read else 1.0


# --- what may have been seen --------------------------------------------------------------------------------------


def _seen(files: Sequence[DataFileMeta], delta: BucketDelta) -> Iterator[Sequence[DataFileMeta]]:
    """Yield the states of the bucket that a picker may have seen in a single round.

    A pick always begins with the newest file that the picker sees, so files newer than the picked ones did not exist
    yet. Some of the older files that were not picked may have been committed in between by other writers.
    """
    seen = _seen_at_most(files, delta)
    yield seen
    compacted = set(map(file_id, delta.removed))
    picked_0 = [file for file in delta.removed if file.level == 0]
    if any(file.level == 0 and file_id(file) not in compacted for file in seen):
        alone = [file for file in seen if file.level > 0 or file_id(file) in compacted]
        if picked_0:
            oldest = max(map(level_0_order, picked_0))
            left_out = (file for file in seen if file.level == 0 and file_id(file) not in compacted)
            yield [*alone, *(file for file in left_out if level_0_order(file) > oldest)]
        yield alone
    if len(seen) != len(files):
        yield files


def _seen_at_most(files: Sequence[DataFileMeta], delta: BucketDelta) -> list[DataFileMeta]:
    """Return the files, except files of level 0 that are newer than the newest compacted one."""
    picked = [level_0_order(file) for file in delta.removed if file.level == 0]
    if not picked:
        return [file for file in files if file.level > 0]
    return [file for file in files if file.level > 0 or level_0_order(file) >= min(picked)]


# --- several compactions at once ----------------------------------------------------------------------------------


def _together(files: Sequence[DataFileMeta], delta: BucketDelta, pick: Picker) -> Iterator[tuple[Pick, ...]]:
    """Yield the picks of one plan; each consists of different files, which a separate task compacts."""
    compacted = frozenset(map(file_id, delta.removed))
    newest = min(map(level_0_order, delta.removed))
    states = (files, [file for file in files if level_0_order(file) >= newest], list(delta.removed))
    for seen in states:
        picks = list(pick(seen))
        for requested in (False, True):
            inside = [
                each
                for each in picks
                if each.on_request == requested and {file_id(file) for file in each.files} <= compacted
            ]
            if inside and {file_id(file) for each in inside for file in each.files} == compacted:
                yield tuple(inside)
