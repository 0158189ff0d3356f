"""``sys.max_pt('table')`` in a query: the greatest value of the first partition column, as a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.expr.dialect import tokens_of
from workbench.format.spec.partition_path import partition_path, unescape
from workbench.sql.statements import quote_text

if TYPE_CHECKING:
    from workbench.table.readable_table import ReadableTable

_NAME = "max_pt"


def with_max_pt(text: str, open_table: Callable[[str | None, str], ReadableTable]) -> str:
    """Return a query in which calls of ``sys.max_pt`` are their values.

    Args:
        text: The query.
        open_table: Opens the table of a call, by the catalog before ``sys``, if there is one, and the argument.

    Raises:
        InvalidExpression: If the argument is not a text, or the table has no partitions with rows.
    """
    if _NAME not in text.lower():
        return text
    tokens = tokens_of(text)
    words = [str(token.text).lower() for token in tokens]
    pieces: list[str] = []
    copied = 0
    for at in range(2, len(words) - 3):
        if words[at - 2 : at] != ["sys", "."] or words[at] != _NAME or words[at + 1] != "(":
            continue
        if tokens[at + 2].token_type.name != "STRING" or words[at + 3] != ")":
            raise InvalidExpression("The argument of sys.max_pt is not a text.", "Write sys.max_pt('database.table').")
        named = at > 3 and words[at - 3] == "."
        begin = at - 4 if named else at - 2
        table = open_table(str(tokens[begin].text) if named else None, str(tokens[at + 2].text))
        pieces += [text[copied : tokens[begin].start], quote_text(_greatest(table))]
        copied = tokens[at + 3].end + 1
    return "".join([*pieces, text[copied:]])


def _greatest(table: ReadableTable) -> str:
    """Return the greatest value of the first partition column among the partitions with files."""
    if not table.partition_keys:
        raise InvalidExpression(f"{table.name} has no partitions.", "Call sys.max_pt with a partitioned table.")
    store = table.store
    found = {store.partition_values(split.partition)[0] for split in table.scan().plan()}
    values = [value for value in found if value is not None]
    if not values:
        raise InvalidExpression(f"{table.name} has no partition with rows.", "Write into it first.")
    first = store.partition_fields[0]
    default_name = store.schema.core.partition_default_name
    greatest = max(values)  # type: ignore[type-var]
    return unescape(partition_path([greatest], [first.type], [""], default_name, legacy=False).partition("=")[2])
