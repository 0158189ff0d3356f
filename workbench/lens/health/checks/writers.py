"""Whether concurrent writers can overwrite each other's snapshots."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.counting import counted
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.snapshot_properties import WRITER_PROPERTY
from workbench.lens.health.check import Check, Finding, Judgment, Severity
from workbench.lens.health.facts import HealthFacts
from workbench.metadata.protocol import Ownership

_OURS = "paimon-workbench"
_BYPASSED = "Other engines that use the catalog may not see a change, or fail at their next commit."


def _judge(facts: HealthFacts) -> Judgment:
    writers, recent = facts.writers, facts.history.recent
    users = len({each.commit_user for each in recent})
    owned = _of_owner(writers.ownership, users)
    if owned is not None:
        return Judgment(f"{owned.title}.", (owned,))
    if writers.has_lock:
        return Judgment("A lock lets one writer commit at a time.")
    if not writers.is_atomic:
        severity: Severity = "poor" if users > 1 else "attention"
        title = f"Commits on {writers.storage} are not safe against other writers"
        why = "The storage cannot create a file only if there is none, so two writers may create the same snapshot."
        return Judgment(f"{title}.", (_finding(severity, title, why, users),))
    others = [each for each in recent if not _is_ours(each)]
    if writers.storage == "file" and others and len(others) < len(recent):
        title = "Writers of different software commit to local files without a common lock"
        why = "Paimon in Java checks for a snapshot and then renames onto it, so it may replace one of another writer."
        return Judgment(f"{title}.", (_finding("notice", title, why, users),))
    return Judgment("The storage creates a snapshot only if there is none, so no writer replaces that of another.")


def _of_owner(ownership: Ownership, users: int) -> Finding | None:
    """Return the finding about a table that was opened by its directory but belongs, or may belong, to a catalog."""
    bypassed = "A change of the directory bypasses the lock of the catalog, its columns, properties and partitions."
    if ownership.catalog is not None:
        title = f"The directory belongs to catalog '{ownership.catalog}', as table {ownership.table}"
        advice = f"Open it there: wb.connect('{ownership.catalog}').get_table('{ownership.table}')."
        return replace(_finding("attention", title, bypassed, users), advice=advice, write=_BYPASSED)
    if ownership.unknown:
        title = "It is not known whether the directory belongs to another catalog"
        why = f"{'; '.join(ownership.unknown)}. {bypassed}"
        advice = "Open the catalog to see the reason, or remove it from the catalog file if it no longer exists."
        return replace(_finding("notice", title, f"{why[:1].upper()}{why[1:]}", users), advice=advice, write=_BYPASSED)
    return None


def _finding(severity: Severity, title: str, why: str, users: int) -> Finding:
    return Finding(
        severity=severity,
        title=title,
        amount=users,
        amount_text=f"{counted(users, 'commit users')} in the newest commits",
        limit=1,
        limit_text="one writer at a time",
        why=why,
        write="The rows of the replaced snapshot are lost, and nothing reports it.",
        advice="Let one job write at a time, or connect all writers with the catalog options 'lock.enabled' = 'true', "
        "'lock.type' and those of the lock.",
    )


def _is_ours(snapshot: Snapshot) -> bool:
    return snapshot.properties.get(WRITER_PROPERTY, "").startswith(_OURS)


WRITERS = Check("writers", "Concurrent writers", "settings", _judge)
