"""Metadata that cannot be read."""

from __future__ import annotations

from workbench.lens.health.check import Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call, Step


def _judge(facts: HealthFacts) -> Judgment:
    damage, readable = facts.damage, facts.readable
    if damage is None:
        return Judgment("The metadata of the version can be read.")
    steps: tuple[Step, ...] = () if readable is None else (Call("rollback_to", {"snapshot": readable}),)
    finding = Finding(
        severity="poor",
        title=damage.message.rstrip("."),
        amount=1,
        amount_text=damage.file or damage.code,
        why="Reads of this version need the file.",
        read="This version cannot be read.",
        write="Commits that need the file fail.",
        gain="" if readable is None else f"The table is readable again, as of snapshot {readable:,}.",
        steps=steps,
        advice=damage.hint or "Restore the file from a copy of the storage if there is one; nothing else is lost then.",
        loss="" if readable is None else f"all snapshots after {readable:,}, and the tags of them",
    )
    return Judgment("The metadata of the version is damaged.", (finding,))


DAMAGE = Check("damage", "Damaged metadata", "storage", _judge)
