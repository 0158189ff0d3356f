"""Tags, branches and consumers that keep files which no other version uses."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import Check, Finding, Judgment, Severity
from workbench.lens.health.facts import HealthFacts, HolderFacts
from workbench.lens.health.steps import Call

# Shares of the bytes of the newest version.
_NOTICE, _ATTENTION = 0.2, 1.0
_MAX_FINDINGS = 20
_METHODS = {"tag": "delete_tag", "branch": "delete_branch", "consumer": "delete_consumer"}
_WHY = {
    "tag": "A tag keeps the files of its version after the snapshot has expired.",
    "branch": "A branch keeps the files of the versions that it started from and that it wrote.",
    "consumer": "Snapshots do not expire before every consumer has read them, and neither do their files.",
}
_ADVICE = {
    "tag": "Give tags a retention with option 'tag.default-time-retained', so that they expire by themselves.",
    "branch": "Merge the branch first if its rows are still needed.",
    "consumer": "Set option 'consumer.expiration-time', so that idle consumers are removed by themselves.",
}


def _judge(facts: HealthFacts) -> Judgment:
    total = facts.size
    found = sorted(facts.holders, key=lambda each: (-each.size, each.name))
    held = sum(each.size for each in found)
    if not found:
        return Judgment("No tag, branch or consumer keeps files of expired versions.")
    over = [each for each in found if each.size > _NOTICE * total]
    text = f"{counted(len(found), 'tags, branches or consumers')} keep {size_text(held)} that no other version uses."
    return Judgment(text, tuple(_finding(each, total) for each in over[:_MAX_FINDINGS]))


def _finding(holder: HolderFacts, total: int) -> Finding:
    share = holder.size / total if total else float(holder.size > 0)
    severity: Severity = "attention" if share > _ATTENTION else "notice"
    least = "at least " if holder.at_least else ""
    since = f" It reads snapshot {holder.snapshot:,} next." if holder.kind == "consumer" else ""
    return Finding(
        severity=severity,
        title=f"{holder.kind.capitalize()} '{holder.name}' keeps {least}{size_text(holder.size)} that no other version "
        "uses",
        amount=holder.size,
        amount_text=f"{least}{size_text(holder.size)} in {counted(holder.files, 'files')}",
        limit=_NOTICE * total,
        limit_text=f"{_NOTICE:.0%} of the newest version",
        why=f"{_WHY[holder.kind]}{since}",
        write=f"Storage holds {least}{size_text(holder.size)} for it, {share:.0%} of the newest version.",
        gain=f"{least.capitalize()}{size_text(holder.size)} can be deleted"
        + (" with the next expiry of snapshots." if holder.kind == "consumer" else "."),
        steps=(Call(_METHODS[holder.kind], {"name": holder.name}),),
        advice=_ADVICE[holder.kind],
        loss=_loss(holder),
        key=f"{holder.kind}:{holder.name}",
    )


def _loss(holder: HolderFacts) -> str:
    if holder.kind == "tag":
        return f"the version of tag '{holder.name}', and what only it uses"
    if holder.kind == "branch":
        return f"branch '{holder.name}' with all that was written to it"
    return f"the position of consumer '{holder.name}'"


HOLDERS = Check("held-files", "Files kept by tags, branches and consumers", "versions", _judge)
