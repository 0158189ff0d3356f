"""Forms of an explanation with less detail, for notebooks that save them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.lens.explain.value import ExplainValue, StepValue


def smaller_explanations(value: ExplainValue) -> Iterator[ExplainValue]:
    """Yield forms with less and less detail: fewer splits, columns, facts and excluded files, then no suggestions."""
    for most in (50, 20, 5, 0):
        value = replace(
            value,
            steps=tuple(_smaller(step, most) for step in value.steps),
            splits=replace(value.splits, splits=value.splits.splits[:most]),
            column_use=replace(value.column_use, columns=value.column_use.columns[: 10 * most]),
        )
        yield value
    yield replace(value, suggestions=(), columns=value.columns[:20], where=value.where[:1000])


def _smaller(step: StepValue, most: int) -> StepValue:
    facts = step.facts[: max(1, most)]
    hidden = step.more_facts + len(step.facts) - len(facts)
    return replace(step, facts=facts, more_facts=hidden, listed=step.listed[:most])
