"""``sys.max_pt('table')`` in a query: the maximum value of the first partition column, as a string."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.expr.dialect import tokens_of
from workbench.spark.max_pt import max_partition
from workbench.sql.statements import quote_text

if TYPE_CHECKING:
    from workbench.table.readable_table import ReadableTable

_NAME = "max_pt"


def with_max_pt(text: str, open_table: Callable[[str | None, str], ReadableTable]) -> str:
    """Return a query in which calls to ``sys.max_pt`` are replaced by their values.

    Args:
        text: The query.
        open_table: Opens the table of a call, given the catalog before ``sys``, or None, and the argument.

    Raises:
        InvalidExpression: If the argument is not a string, or the table has no partitions with rows.
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
            raise InvalidExpression(
                "The argument of sys.max_pt must be a string.", "Write sys.max_pt('database.table')."
            )
        named = at > 3 and words[at - 3] == "."
        begin = at - 4 if named else at - 2
        table = open_table(str(tokens[begin].text) if named else None, str(tokens[at + 2].text))
        pieces += [text[copied : tokens[begin].start], quote_text(max_partition(table))]
        copied = tokens[at + 3].end + 1
    return "".join([*pieces, text[copied:]])
