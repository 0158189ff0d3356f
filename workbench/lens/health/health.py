"""The health of a table: what was checked, what was found, and what fixes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.counting import counted
from workbench.base.progress import Progress
from workbench.lens.health.check import MAX_PLACES, SEVERITIES, Check, Finding, Place, Severity, worst
from workbench.lens.health.checks.read_amplification import read_amplification
from workbench.lens.health.collect import collect_facts
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.registry import CHECKS
from workbench.lens.health.values import FindingValue, FixValue, HealthCheckValue, HealthPlaceValue, HealthValue
from workbench.table.readable_table import ReadableTable

HEADINGS = {
    "good": "Nothing to do",
    "notice": "Good condition, with notices",
    "attention": "Needs attention",
    "poor": "Poor condition",
}


@dataclass(frozen=True)
class Diagnosis:
    """The outcome of all checks of a table: each finding with the check that made it, the worst first."""

    facts: HealthFacts
    findings: tuple[tuple[Check, Finding], ...]
    checked: tuple[HealthCheckValue, ...]

    @property
    def condition(self) -> Severity:
        """The severity of the worst finding."""
        return worst([finding.severity for _, finding in self.findings])

    def finding(self, finding_id: str) -> Finding | None:
        """Return the finding of an id, or the only one of a check; None if it is not there."""
        named = [finding for check, finding in self.findings if _id(check, finding) == finding_id]
        of_check = [finding for check, finding in self.findings if check.name == finding_id]
        return next(iter(named), of_check[0] if len(of_check) == 1 else None)

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all findings."""
        return tuple(_id(check, finding) for check, finding in self.findings)


def collect_health(
    table: ReadableTable, *, storage: bool = False, estimate: bool = True, progress: Progress | None = None
) -> HealthValue:
    """Return the health of a table's version; see `collect_facts` for the arguments."""
    return describe_health(diagnose(collect_facts(table, storage=storage, estimate=estimate, progress=progress)))


def diagnose(facts: HealthFacts) -> Diagnosis:
    """Make all checks."""
    findings: list[tuple[Check, Finding]] = []
    checked = []
    for check in CHECKS.values():
        judgment = check.judge(facts)
        findings += [(check, finding) for finding in judgment.findings]
        on_demand = check.lists_directories and facts.orphans is None
        severity = worst([finding.severity for finding in judgment.findings])
        checked.append(HealthCheckValue(check.name, check.title, check.group, severity, judgment.text or "", on_demand))
    findings.sort(key=lambda each: -SEVERITIES.index(each[1].severity))
    return Diagnosis(facts, tuple(findings), tuple(checked))


def describe_health(diagnosis: Diagnosis) -> HealthValue:
    """Return the value of a diagnosis."""
    facts = diagnosis.facts
    return HealthValue(
        table=facts.table,
        kind=facts.schema.kind.name,
        snapshot=None if facts.snapshot is None else facts.snapshot.id,
        condition=diagnosis.condition,
        text=_text(diagnosis),
        files=facts.files,
        size=facts.size,
        stored_rows=facts.stored_rows,
        buckets=len(facts.buckets),
        read_amplification=round(read_amplification(facts), 3) if facts.merges_on_read else 1.0,
        findings=tuple(_finding(facts.table, check, finding) for check, finding in diagnosis.findings),
        checked=diagnosis.checked,
        storage=facts.orphans is not None,
        damage=facts.damage or next((each.error() for each in facts.live.lost), None),
    )


def _id(check: Check, finding: Finding) -> str:
    return f"{check.name}:{finding.key}" if finding.key else check.name


def _text(diagnosis: Diagnosis) -> str:
    """Return what was found in one sentence."""
    made = sum(bool(each.text) for each in diagnosis.checked)
    if not diagnosis.findings:
        if diagnosis.facts.snapshot is None:
            return f"The table was never written. {counted(made, 'checks')} found no problem."
        return f"{counted(made, 'checks')} found no problem."
    counts = [
        f"{sum(finding.severity == severity for _, finding in diagnosis.findings):,} {severity}"
        for severity in reversed(SEVERITIES)
        if any(finding.severity == severity for _, finding in diagnosis.findings)
    ]
    return f"{counted(len(diagnosis.findings), 'findings')} of {counted(made, 'checks')}: {', '.join(counts)}."


def _finding(table: str, check: Check, finding: Finding) -> FindingValue:
    return FindingValue(
        id=_id(check, finding),
        check=check.name,
        severity=finding.severity,
        title=finding.title,
        amount=finding.amount,
        amount_text=finding.amount_text,
        limit=finding.limit,
        limit_text=finding.limit_text,
        why=finding.why,
        read=finding.read,
        write=finding.write,
        gain=finding.gain,
        advice=finding.advice,
        fix=fix_of(table, finding),
        places=tuple(map(_place, finding.places[:MAX_PLACES])),
        places_total=len(finding.places),
    )


def fix_of(table: str, finding: Finding) -> FixValue | None:
    """Return the steps of a finding as Python and as SQL; None if there are none."""
    if not finding.steps:
        return None
    python: Sequence[str] = [step.python(table) for step in finding.steps]
    sql: Sequence[str] = [step.sql(table) for step in finding.steps]
    return FixValue("\n".join(python), ";\n".join(sql), finding.loss)


def _place(place: Place) -> HealthPlaceValue:
    return HealthPlaceValue(place.label, place.amount, place.text, place.severity, place.bucket)
