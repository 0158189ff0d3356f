"""The state of a row in one sentence, and how much of its history can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.base.counting import counted
from workbench.format.spec.tag import Tag
from workbench.lens.biography.history import RowHistory
from workbench.lens.biography.reading import RowRead
from workbench.lens.biography.value import BiographyVersion, RowState
from workbench.lens.biography.words import sentence, version_name, versions_text


def state_of(versions: Sequence[BiographyVersion], read: RowRead) -> RowState:
    """Return whether a read returns the row, and if not, whether a version of it was found."""
    if any(each.is_present for each in read.merges):
        return "present"
    return "deleted" if versions else "absent"


def summary_of(state: RowState, versions: Sequence[BiographyVersion], read: RowRead, *, is_written: bool) -> str:
    """Return the state of the row, and why, in one or two sentences."""
    if not is_written:
        return "The table was never written."
    if state == "absent":
        return "No file that still exists contains the row."
    found = f"{counted(len(versions), 'stored versions')} found"
    if state == "present":
        return f"The row exists: {found}, a read uses {len(read.merge.considered):,} of them."
    return f"The row does not exist: {found}. {_why_deleted(versions, read)}"


def _why_deleted(versions: Sequence[BiographyVersion], read: RowRead) -> str:
    by_id = {each.id: each for each in versions}
    merge = read.merge
    if merge.order:
        newest = by_id[merge.order[-1]]
        return f"The newest version that a read finds is {version_name(newest.id)} ({newest.kind}){_of(newest.commit)}."
    hidden = [each.id for each in versions if each.state == "hidden"]
    if hidden:
        return f"{sentence(versions_text(hidden))} can be read only after a compaction."
    marked = [each for each in versions if each.state == "marked"]
    if marked:
        return f"{sentence(version_name(marked[-1].id))} is marked as deleted{_of(marked[-1].marked)}."
    last = versions[-1]
    removed = last.dropped if last.dropped is not None else last.stays[-1].until
    return f"The file of {version_name(last.id)} was removed{_of(removed)}."


def _of(commit: int | None) -> str:
    return "" if commit is None else f", by snapshot {commit:,}"


def history_text(history: RowHistory, tags: Mapping[str, Tag]) -> str:
    """Return which part of the history has expired, '' if none has."""
    if not history.complete or not history.snapshots:
        return ""
    kept = [each.id for each in history.snapshots if each.id not in history.expired]
    oldest = min(kept, default=history.snapshots[-1].id)
    if oldest <= 1:
        return ""
    text = f"Snapshots before {oldest:,} have expired: earlier versions are known only if files still contain them."
    names = [name for name, tag in tags.items() if tag.snapshot.id in history.expired]
    return f"{text} Of those, tags keep {', '.join(names)}." if names else text
