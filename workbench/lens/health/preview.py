"""Running the fix of a finding: in a sandbox to see what it changes, or on the table."""

from __future__ import annotations

from typing import Any

from workbench.base.errors import InvalidRequest, did_you_mean
from workbench.base.progress import Progress
from workbench.lens.health.check import Finding
from workbench.lens.health.checks.read_amplification import read_amplification
from workbench.lens.health.collect import collect_facts, with_newest_schema
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.health import Diagnosis, diagnose, fix_of
from workbench.lens.health.registry import CHECKS
from workbench.lens.health.values import FixPreviewValue, HealthStateValue
from workbench.table.table import Table


def preview_fix(table: Table, finding_id: str, progress: Progress | None = None) -> FixPreviewValue:
    """Run the fix of a finding in a sandbox, and compare the table before and after it.

    Raises:
        InvalidRequest: The table has no such finding, no statement fixes it, or the table cannot be read.
        WorkbenchError: The fix itself fails, as it would on the table.
    """
    progress = progress or Progress()
    before = _diagnosis(table, finding_id, progress)
    finding = fixable(before, finding_id)
    if before.facts.damage is not None:
        raise InvalidRequest(
            f"The fix of '{finding_id}' cannot be tried in a sandbox: {table.name} cannot be read as it is now.",
            "Copy the table first if its versions are to be kept.",
        )
    clock = table.store.clock
    with progress.step(f"Trying the fix in a sandbox of {table.name}"), _newest(table).sandbox() as sandbox:
        started = clock.monotonic()
        for step in finding.steps:
            step.run(sandbox, progress)
        seconds = clock.monotonic() - started
        after = _diagnosis(sandbox, finding_id, progress)
        report = sandbox.report()
    fix = fix_of(table.name, finding)
    assert fix is not None
    return FixPreviewValue(
        finding=finding_id,
        title=finding.title,
        fix=fix,
        before=_state(before),
        after=_state(after),
        files_written=report.files_written,
        bytes_written=report.bytes_written,
        files_deleted=len(report.files_deleted),
        bytes_deleted=report.bytes_deleted,
        seconds=round(seconds, 3),
        gone=after.finding(finding_id) is None,
        remaining=tuple(each.title for _, each in after.findings),
    )


def run_fix(table: Table, finding_id: str, progress: Progress | None = None, *, confirmed: bool = False) -> object:
    """Run the fix of a finding on a table, and return the result of its last step.

    Args:
        table: The table.
        finding_id: The id of the finding, or the name of its check if it made a single one.
        progress: Where progress is reported.
        confirmed: Whether the user has confirmed what the fix deletes for good.

    Raises:
        InvalidRequest: The table has no such finding, no statement fixes it, or what it deletes is not confirmed.
    """
    progress = progress or Progress()
    finding = fixable(_diagnosis(table, finding_id, progress), finding_id)
    if finding.loss and not confirmed:
        raise InvalidRequest(f"The fix deletes {finding.loss}.", "Pass confirm=True to run it.")
    result: object = None
    for step in finding.steps:
        result = step.run(_newest(table), progress)
    return result


def fixable(diagnosis: Diagnosis, finding_id: str) -> Finding:
    """Return a finding that has a fix. Raises InvalidRequest."""
    finding, name = diagnosis.finding(finding_id), diagnosis.facts.table
    if finding is None:
        known = diagnosis.ids()
        hint = did_you_mean(finding_id, known) or (f"Findings: {', '.join(known)}." if known else "Nothing was found.")
        raise InvalidRequest(f"{name} has no finding '{finding_id}'.", hint)
    if not finding.steps:
        raise InvalidRequest(f"No statement fixes the finding '{finding_id}' of {name}.", finding.advice or None)
    return finding


def _newest(table: Table) -> Any:
    return with_newest_schema(table)


def _diagnosis(table: Table, finding_id: str, progress: Progress) -> Diagnosis:
    check = CHECKS.get(finding_id.partition(":")[0])
    storage = check is not None and check.lists_directories
    return diagnose(collect_facts(table, storage=storage, progress=progress))


def _state(diagnosis: Diagnosis) -> HealthStateValue:
    facts: HealthFacts = diagnosis.facts
    return HealthStateValue(
        snapshot=None if facts.snapshot is None else facts.snapshot.id,
        files=facts.files,
        size=facts.size,
        stored_rows=facts.stored_rows,
        runs=max((each.runs for each in facts.settled), default=0),
        read_amplification=round(read_amplification(facts), 3) if facts.merges_on_read else 1.0,
        snapshots=facts.history.count,
        condition=diagnosis.condition,
    )
