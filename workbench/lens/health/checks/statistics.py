"""The statistics of ANALYZE."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call

_LIMIT = 0.2


def _judge(facts: HealthFacts) -> Judgment:
    statistics = facts.statistics
    if statistics is None:
        return NOT_APPLICABLE
    share = statistics.changed / statistics.stored if statistics.stored else float(statistics.changed > 0)
    other_schema = statistics.schema_id != facts.schema.id
    text = f"The statistics are of snapshot {statistics.snapshot:,}; {share:.0%} of its rows were written since."
    if not other_schema and share <= _LIMIT:
        return Judgment(text)
    title = f"The statistics of snapshot {statistics.snapshot:,} are out of date"
    if other_schema:
        title = f"The statistics of snapshot {statistics.snapshot:,} are of an older schema and not used"
    finding = Finding(
        severity="notice",
        title=title,
        amount=round(share, 6),
        amount_text=f"{counted(statistics.changed, 'rows')} written since ({share:.0%})",
        limit=_LIMIT,
        limit_text=f"{_LIMIT:.0%} of the rows that were analyzed",
        why="Optimizers choose the order and the kind of joins by the numbers of rows and of distinct values.",
        read="Joins may be planned for another size of the table.",
        gain="Optimizers see the current numbers; one scan of the table computes them.",
        steps=(Call("analyze"),),
    )
    return Judgment(text, (finding,))


STATISTICS = Check("statistics", "Statistics of the optimizer", "metadata", _judge)
