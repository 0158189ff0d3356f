"""Forms of a table's health with less detail, for notebooks that save them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.lens.health.values import HealthValue


def smaller_healths(health: HealthValue) -> Iterator[HealthValue]:
    """Yield forms with less and less detail: fewer places of each finding, then only the worst findings."""
    places = max((len(each.places) for each in health.findings), default=0)
    while places:
        places //= 2
        findings = tuple(replace(each, places=each.places[:places]) for each in health.findings)
        health = replace(health, findings=findings)
        yield health
    while len(health.findings) > 1:
        health = replace(health, findings=health.findings[: len(health.findings) // 2])
        yield health
