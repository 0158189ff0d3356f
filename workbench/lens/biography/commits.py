"""What each commit did to a row, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.format.spec.snapshot_properties import (
    CELL_PROPERTY,
    COMPACTION_PROPERTY,
    STATEMENT_PROPERTY,
    WRITER_PROPERTY,
)
from workbench.format.spec.tag import Tag
from workbench.lens.biography.history import RowHistory
from workbench.lens.biography.value import (
    BiographyCommit,
    BiographyLane,
    BiographyLogged,
    BiographyStay,
    BiographyVersion,
)
from workbench.lens.biography.words import sentence, versions_text
from workbench.lens.compaction_reasons import compaction_reasons

_Did = dict[int, list[str]]


def describe_commits(
    version: Snapshot | None,
    history: RowHistory,
    versions: Sequence[BiographyVersion],
    lanes: Sequence[BiographyLane],
    logged: Sequence[BiographyLogged],
    tags: Mapping[str, Tag],
) -> tuple[BiographyCommit, ...]:
    """Return the commits that changed where the row is stored, and the version itself, the oldest first."""
    known = {each.id: each for each in (*history.snapshots, *(snapshot for snapshot, _ in history.changelogs))}
    did = _all_changes(versions, lanes, logged)
    if version is not None:
        did.setdefault(version.id, [])
    named: dict[int, list[str]] = {}
    for name, tag in tags.items():
        named.setdefault(tag.snapshot.id, []).append(name)
    walked = {each.id for each in history.snapshots} - history.expired
    return tuple(
        _commit(known[number], tuple(named.get(number, ())), number not in walked, did[number])
        for number in sorted(did)
        if number in known
    )


def _commit(snapshot: Snapshot, tags: tuple[str, ...], expired: bool, did: Sequence[str]) -> BiographyCommit:
    properties = snapshot.properties
    return BiographyCommit(
        id=snapshot.id,
        kind=snapshot.commit_kind.value,
        time_millis=snapshot.time_millis,
        user=snapshot.commit_user,
        operation=snapshot.operation or "",
        statement=properties.get(STATEMENT_PROPERTY, ""),
        cell=properties.get(CELL_PROPERTY, ""),
        writer=properties.get(WRITER_PROPERTY, ""),
        reason=compaction_reasons(properties.get(COMPACTION_PROPERTY)).text
        if snapshot.commit_kind == CommitKind.COMPACT
        else "",
        tags=tags,
        expired=expired,
        text=" ".join(did) or "Did not change how the row is stored.",
    )


def _all_changes(
    versions: Sequence[BiographyVersion], lanes: Sequence[BiographyLane], logged: Sequence[BiographyLogged]
) -> _Did:
    did: _Did = {}
    for snapshot, text in (
        *_written(versions, lanes),
        *_merged(versions),
        *_moved(versions, lanes),
        *_ended(versions),
        *_marked(versions),
        *_changelog(logged),
    ):
        did.setdefault(snapshot, []).append(text)
    return did


def _written(versions: Sequence[BiographyVersion], lanes: Sequence[BiographyLane]) -> Iterator[tuple[int, str]]:
    for each in versions:
        if each.commit is not None and not each.inputs:
            verb = "Wrote" if each.source == "write" else "Stored"
            yield each.commit, f"{verb} version {each.id} ({each.kind}) on level {lanes[each.stays[0].lane].level}."


def _merged(versions: Sequence[BiographyVersion]) -> Iterator[tuple[int, str]]:
    for each in versions:
        if each.commit is not None and each.inputs:
            verb = "Merged" if len(each.inputs) > 1 else "Rewrote"
            looked_up = f", looking up {versions_text(each.looked_up)}" if each.looked_up else ""
            yield (
                each.commit,
                f"{verb} {versions_text(each.inputs)} as version {each.id} on level {each.level}{looked_up}.",
            )


def _moved(versions: Sequence[BiographyVersion], lanes: Sequence[BiographyLane]) -> Iterator[tuple[int, str]]:
    for each in versions:
        for earlier, later in zip(each.stays, each.stays[1:], strict=False):
            if later.since is not None and later.since_exact:
                levels = f"level {lanes[earlier.lane].level} to {lanes[later.lane].level}"
                yield later.since, f"Moved version {each.id} from {levels} without rewriting it."


def _ended(versions: Sequence[BiographyVersion]) -> Iterator[tuple[int, str]]:
    for each in versions:
        last = each.stays[-1]
        if each.dropped is not None:
            yield each.dropped, f"Dropped version {each.id} ({each.kind}), as nothing older is left that it concerns."
        elif _is_removed(last) and not each.into and last.until is not None:
            yield last.until, f"Removed the file of version {each.id}."


def _is_removed(stay: BiographyStay) -> bool:
    return stay.until is not None and stay.until_exact


def _marked(versions: Sequence[BiographyVersion]) -> Iterator[tuple[int, str]]:
    for each in versions:
        if each.marked is not None:
            yield each.marked, f"Marked version {each.id} in a deletion vector."


def _changelog(logged: Sequence[BiographyLogged]) -> Iterator[tuple[int, str]]:
    by_commit: dict[int, list[str]] = {}
    for each in logged:
        by_commit.setdefault(each.snapshot, []).append(each.kind)
    for snapshot, kinds in by_commit.items():
        yield snapshot, sentence(f"its changelog contains {' and '.join(kinds)}.")
