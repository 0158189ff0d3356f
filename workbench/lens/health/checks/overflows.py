"""Totals of decimal columns that exceed the precision of their column."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Retype


def _judge(facts: HealthFacts) -> Judgment:
    if facts.overflows is None:
        return NOT_APPLICABLE
    if not facts.overflows:
        return Judgment("No total was found that exceeds its type.")
    findings = tuple(
        Finding(
            severity="poor",
            title=f"The {each.function} of column '{each.column}' overflows {each.type}",
            amount=1,
            amount_text=each.where,
            why="A total with more digits than its type is lost: as NULL, or when other engines rewrite it.",
            read="Queries return NULL, or a number with too many digits, as Java does.",
            write="Compactions of these rows are refused.",
            gain="" if each.wider is None else "Reads return the totals, and compactions run again.",
            steps=() if each.wider is None else (Retype(each.column, each.wider),),
            advice="" if each.wider is not None else "There is no wider type: store smaller numbers, or use DOUBLE.",
            key=each.column,
        )
        for each in facts.overflows
    )
    return Judgment(f"{counted(len(findings), 'columns')} with totals that exceed their type.", findings)


OVERFLOWS = Check("overflows", "Totals that exceed their type", "files", _judge)
