"""Options that work against each other, or against how the table is used."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.option_rules import OPTION_RULES, Conflict


def _judge(facts: HealthFacts) -> Judgment:
    found = [(rule.name, conflict) for rule in OPTION_RULES for conflict in rule.find(facts)]
    if not found:
        return Judgment(f"None of {counted(len(OPTION_RULES), 'known conflicts of options')} applies.")
    return Judgment(
        f"{counted(len(found), 'conflicts of options')} found.",
        tuple(_finding(name, conflict) for name, conflict in found),
    )


def _finding(name: str, conflict: Conflict) -> Finding:
    return Finding(
        severity=conflict.severity,
        title=conflict.title,
        amount=1,
        amount_text=conflict.setting,
        why=conflict.why,
        read=conflict.read,
        write=conflict.write,
        gain=conflict.gain,
        steps=conflict.steps,
        advice=conflict.advice,
        key=f"{name}:{conflict.key}" if conflict.key else name,
    )


OPTIONS = Check("options", "Options", "settings", _judge)
