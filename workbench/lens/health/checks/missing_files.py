"""Files that the version lists, and that do not exist or cannot be read."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call
from workbench.lens.live_files import LostFile


def _judge(facts: HealthFacts) -> Judgment:
    if facts.snapshot is None or facts.damage is not None:
        return NOT_APPLICABLE
    live = facts.live
    gone = [each for each in live.lost if each.is_missing and each.rows is not None]
    damaged = [each for each in live.lost if each not in gone]
    findings = (*([_missing(gone)] if gone else ()), *([_damaged(damaged)] if damaged else ()))
    return Judgment(" ".join((_checked(facts), *(f"{each.title}." for each in findings))), findings)


def _checked(facts: HealthFacts) -> str:
    """Return what was checked, and what was not."""
    live = facts.live
    if live.checked < live.files:
        return (
            f"{live.checked:,} of {counted(live.files, 'files')} were looked for; list the directories to look for "
            "all. Their content was not read."
        )
    if live.lost:
        return f"All {counted(live.files, 'files')} were looked for."
    return f"All {counted(live.files, 'files')} exist in their recorded sizes; their content was not read."


def _missing(gone: list[LostFile]) -> Finding:
    rows = sum(each.rows or 0 for each in gone)
    return Finding(
        severity="poor",
        title=f"{counted(len(gone), 'data files')} with {counted(rows, 'stored rows')} "
        f"{'is' if len(gone) == 1 else 'are'} missing",
        amount=len(gone),
        amount_text=counted(len(gone), "files"),
        limit=0,
        limit_text="no missing file",
        why="The snapshot lists these files, but they are not in storage.",
        read="Every query that needs one of them fails.",
        write="Compactions of their buckets fail.",
        gain="The other rows become readable again.",
        steps=(Call("remove_unexisting_files", {"dry_run": False}),),
        advice="Restore the files from a copy of the storage if there is one; then no row is lost.",
        loss=f"the entries of {counted(len(gone), 'files')}; their rows are lost already",
        places=tuple(Place(each.path, 1, "missing", "poor") for each in gone),
    )


def _damaged(damaged: list[LostFile]) -> Finding:
    rows = sum(each.rows or 0 for each in damaged)
    return Finding(
        severity="poor",
        title=f"{counted(len(damaged), 'files')} cannot be read",
        amount=len(damaged),
        amount_text=counted(len(damaged), "files") + (f", {counted(rows, 'stored rows')}" if rows else ""),
        limit=0,
        limit_text="no unreadable file",
        why="The snapshot lists these files, but their content is damaged or gone.",
        read="Every query that needs one of them fails.",
        write="Compactions and commits that need one of them fail.",
        advice="Restore the files from a copy of the storage, or roll back to a snapshot that does not use them.",
        places=tuple(Place(each.path, 1, each.reason, "poor") for each in damaged),
        key="unreadable",
    )


MISSING_FILES = Check("missing-files", "Missing and damaged files", "storage", _judge)
