"""Takes chains of operators in sqlglot's trees apart without recursion: they may have thousands of terms."""

from __future__ import annotations

from collections.abc import Collection

from workbench.base.modules import exp


def flattened(node: exp.Expr, kind: str) -> list[exp.Expr]:
    """Return the operands of a chain of one operator whose grouping does not matter, from left to right."""
    parts: list[exp.Expr] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if type(current).__name__ == kind:
            pending += [current.expression, current.this]
        else:
            parts.append(current)
    return parts


def left_chain(node: exp.Expr, kinds: Collection[str]) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return the first operand of a chain, and the nodes of its operators in the order of their evaluation."""
    operators: list[exp.Expr] = []
    while type(node).__name__ in kinds:
        operators.append(node)
        node = node.this
    return node, operators[::-1]
