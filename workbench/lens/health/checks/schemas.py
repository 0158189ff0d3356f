"""The schemas of a table, and how many of them its data files were written with."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts

_MANY_USED, _MANY = 20, 200


def _judge(facts: HealthFacts) -> Judgment:
    text = f"The table has {counted(facts.schemas, 'schemas')}; its files were written with {facts.used_schemas:,}."
    if facts.used_schemas <= _MANY_USED and facts.schemas <= _MANY:
        return Judgment(text)
    of_files = facts.used_schemas > _MANY_USED
    amount, limit = (facts.used_schemas, _MANY_USED) if of_files else (facts.schemas, _MANY)
    finding = Finding(
        severity="notice",
        title=f"The data files were written with {counted(amount, 'schemas')}"
        if of_files
        else f"The table has {counted(amount, 'schemas')}",
        amount=amount,
        amount_text=counted(amount, "schemas"),
        limit=limit,
        limit_text=f"{limit} schemas",
        why="Each file is read with the schema that it was written with, and its columns are cast to the newest one.",
        read="Planning loads each of these schemas, and reads cast the columns of older files.",
        write="Every change of a column or an option adds a schema, which never expires.",
        advice="Change several columns or options in one ALTER TABLE. Files take the newest schema when they are "
        "rewritten.",
    )
    return Judgment(text, (finding,))


SCHEMAS = Check("schemas", "Schemas", "metadata", _judge)
