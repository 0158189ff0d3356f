"""Data files in another format than the one that the table writes."""

from __future__ import annotations

from collections import Counter

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, ranked
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import Step, compact


def _judge(facts: HealthFacts) -> Judgment:
    core = facts.schema.core
    if not facts.buckets:
        return NOT_APPLICABLE
    counts: Counter[str] = Counter()
    for each in facts.buckets:
        counts.update(each.formats)
    # Files with another extension belong to a column of large objects, or carry their codec in the name.
    known = {"parquet", "orc", "avro", "row"}
    current = {core.file_format_at(level) for level in range(core.num_levels)} if facts.is_keyed else {core.file_format}
    others = {name: count for name, count in counts.items() if name in known and name not in current}
    text = f"Files are written as {', '.join(sorted(current))}."
    if not others:
        return Judgment(text)
    old = [each for each in facts.settled if any(name in others for name in each.formats)]
    files = sum(others.values())
    finding = Finding(
        severity="notice",
        title=f"{counted(files, 'files')} are stored as {' and '.join(sorted(others))}, not as "
        f"{' or '.join(sorted(current))}",
        amount=files,
        amount_text=f"{counted(files, 'files')} of {sum(counts.values()):,}",
        limit=0,
        limit_text=f"files written now are {' or '.join(sorted(current))}",
        why="Option 'file.format' was changed, and older files keep their format until a compaction rewrites them.",
        read="Formats that store rows, such as avro, are read in full even if a query needs a single column.",
        gain=f"{counted(files, 'files')} become {' or '.join(sorted(current))} where a compaction rewrites them.",
        steps=_steps(facts, old),
        advice="" if _is_rewritten(old, facts) else "Compactions rewrite the files as the partition is written again.",
        places=ranked([_place(each, others) for each in old]),
    )
    return Judgment(text, (finding,))


def _is_rewritten(old: list[BucketFacts], facts: HealthFacts) -> bool:
    return facts.is_keyed and bool(old) and all(each.runs > 1 for each in old)


def _steps(facts: HealthFacts, old: list[BucketFacts]) -> tuple[Step, ...]:
    # A full compaction does not rewrite a single sorted run, nor the full files of an append table.
    return compact(facts, old) if _is_rewritten(old, facts) else ()


def _place(bucket: BucketFacts, others: dict[str, int]) -> Place:
    count = sum(each for name, each in bucket.formats.items() if name in others)
    return Place(bucket.label, count, counted(count, "files"), "notice", bucket.id)


FORMATS = Check("formats", "Formats of files", "files", _judge)
