"""Files in the table's directory that no version uses."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, Severity
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call


def _judge(facts: HealthFacts) -> Judgment:
    if facts.orphans is None:
        return NOT_APPLICABLE
    orphans, size = facts.orphans.paths, facts.orphans.size
    if not orphans:
        return Judgment("Every file older than a day is used by a version.")
    severity: Severity = "attention" if size > facts.size > 0 else "notice"
    finding = Finding(
        severity=severity,
        title=f"No version uses {counted(len(orphans), 'files')} of {size_text(size)}",
        amount=size,
        amount_text=f"{size_text(size)} in {counted(len(orphans), 'files')}",
        limit=0,
        limit_text="no file that is older than a day",
        why="Writers that were interrupted leave files that no snapshot lists.",
        write=f"Storage holds {size_text(size)} that nothing reads.",
        gain=f"{size_text(size)} are deleted.",
        steps=(Call("remove_orphan_files", {"dry_run": False}),),
        loss=counted(len(orphans), "files"),
        places=tuple(Place(path, 1, "unused", severity) for path in orphans),
    )
    return Judgment(finding.title + ".", (finding,))


ORPHAN_FILES = Check("orphan-files", "Orphan files", "storage", _judge, lists_directories=True)
