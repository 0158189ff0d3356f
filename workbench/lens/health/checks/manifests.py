"""The manifests of the newest version."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call

# Commits merge small manifests before there are this many times `manifest.merge-min-count` of them.
_TIMES = 2
_PILED_UP = 20


def _judge(facts: HealthFacts) -> Judgment:
    if not facts.manifests:
        return NOT_APPLICABLE
    core = facts.schema.core
    small = [each for each in facts.manifests if each.file_size < core.manifest_target_file_size]
    size = sum(each.file_size for each in facts.manifests)
    entries = sum(each.num_added_files + each.num_deleted_files for each in facts.manifests)
    limit = _TIMES * core.manifest_merge_min_count
    text = (
        f"{counted(len(facts.manifests), 'manifests')} of {size_text(size)} list {counted(facts.files, 'files')} in "
        f"{counted(entries, 'entries')}."
    )
    obsolete = entries - facts.files
    many = len(small) > limit
    if not many and not (obsolete > facts.files and obsolete > _LEAST_ENTRIES):
        return Judgment(text)
    amount, bound = (len(small), limit) if many else (obsolete, facts.files)
    finding = Finding(
        severity="attention" if len(small) > _PILED_UP * core.manifest_merge_min_count else "notice",
        title=f"{counted(len(small), 'small manifests')} have not been merged"
        if many
        else f"{counted(obsolete, 'entries')} of the manifests add or remove files that are gone",
        amount=amount,
        amount_text=counted(amount, "small manifests" if many else "entries"),
        limit=bound,
        limit_text=f"{bound:,} small manifests" if many else f"{bound:,} entries, one per file",
        why="Every plan and every commit reads all manifests of the version.",
        read=f"A plan reads {counted(len(facts.manifests), 'manifests')} with {counted(entries, 'entries')} for "
        f"{counted(facts.files, 'files')}.",
        write="Each commit reads them too, to check for conflicts.",
        gain=f"One entry per file: {counted(entries, 'entries')} become {facts.files:,}.",
        steps=(Call("compact_manifest"),),
    )
    return Judgment(text, (finding,))


_LEAST_ENTRIES = 1000

MANIFESTS = Check("manifests", "Manifests", "metadata", _judge)
