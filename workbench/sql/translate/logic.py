"""AND and OR that evaluate their operands in order, as Spark does, where an operand may raise an error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.sql.translate import types
from workbench.sql.translate.values import Typed, combined

_LITERAL = re.compile(r"CAST\((?:-?\d+|'[^']*'|NULL) AS [A-Z]+(?:\(\d+, \d+\))?\)|DATE '[^']*'|'(?:[^']|'')*'")
_MAY_RAISE = re.compile(r"error\(|CAST\(|\(-|SELECT|wb_| [-+*/%] | // ")


def may_raise(value: Typed) -> bool:
    """Return whether the evaluation of a condition may raise an error."""
    return _MAY_RAISE.search(_LITERAL.sub("?", value.sql)) is not None


def logic(word: str, operands: Sequence[Typed]) -> Typed:
    """Return AND or OR of the operands."""
    if any(_is_literal(each, word == "OR") for each in operands):
        return combined("true" if word == "OR" else "false", types.BOOLEAN)
    if not any(map(may_raise, operands[1:])):
        return combined(f"({f' {word} '.join(each.sql for each in operands)})", types.BOOLEAN, operands)
    decides, otherwise = ("NOT ", "true") if word == "AND" else ("", "false")
    decided = "false" if word == "AND" else "true"
    branches = [f"WHEN {decides}{each.sql} THEN {decided}" for each in operands]
    unknown = " OR ".join(f"{each.sql} IS NULL" for each in operands)
    return combined(f"CASE {' '.join(branches)} WHEN {unknown} THEN NULL ELSE {otherwise} END", types.BOOLEAN, operands)


def _is_literal(operand: Typed, value: bool) -> bool:
    """Return whether an operand is a literal that decides the result, so that Spark evaluates none of the operands."""
    return operand.is_constant and operand.constant is value


def filters(operands: Sequence[Typed]) -> Typed:
    """Return the condition of a WHERE over one relation: later operands see only rows that pass earlier ones."""
    if any(_is_literal(each, False) for each in operands):
        return combined("false", types.BOOLEAN)
    first = next((number for number, each in enumerate(operands) if may_raise(each)), len(operands))
    plain, rest = operands[:first], operands[first:]
    texts = [each.sql for each in plain]
    if rest:
        branches = " ".join(f"WHEN ({each.sql}) IS NOT TRUE THEN false" for each in rest[:-1])
        texts.append(f"(CASE {branches} ELSE {rest[-1].sql} END)" if branches else f"({rest[-1].sql})")
    return combined(f"({' AND '.join(texts)})", types.BOOLEAN, operands)
