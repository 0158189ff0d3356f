"""Data files that the version lists and that do not exist."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call


def _judge(facts: HealthFacts) -> Judgment:
    if facts.stored is None:
        return NOT_APPLICABLE
    missing = facts.stored.missing
    if not missing:
        return Judgment(f"All {counted(facts.files, 'data files')} exist.")
    rows = facts.stored.missing_rows
    finding = Finding(
        severity="poor",
        title=f"{counted(len(missing), 'data files')} with {counted(rows, 'stored rows')} "
        f"{'is' if len(missing) == 1 else 'are'} missing",
        amount=len(missing),
        amount_text=counted(len(missing), "files"),
        limit=0,
        limit_text="no missing file",
        why="The newest snapshot lists these files, but they are not in storage.",
        read="Every query that needs one of them fails.",
        write="Compactions of their buckets fail.",
        gain="The other rows become readable again.",
        steps=(Call("remove_unexisting_files", {"dry_run": False}),),
        advice="Restore the files from a copy of the storage if there is one; then no row is lost.",
        loss=f"the entries of {counted(len(missing), 'files')}; their rows are lost already",
        places=tuple(Place(path, 1, "missing", "poor") for path in missing),
    )
    return Judgment(finding.title + ".", (finding,))


MISSING_FILES = Check("missing-files", "Missing files", "storage", _judge, lists_directories=True)
