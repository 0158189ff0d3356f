"""The types that public calls return, read from their annotations."""

from __future__ import annotations

import ast
import builtins
import inspect
from functools import cached_property

# Generic types of the standard library, and internal types that users have no reason to name.
NOT_PUBLIC = {"Any", "Iterator", "SplitReader", "TableStore"}


class _Names(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self.names.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Skip types of other packages, such as ``pa.Table``."""


def named_types(annotation: str) -> set[str]:
    """Return the classes of this package that an annotation names."""
    visitor = _Names()
    visitor.visit(ast.parse(annotation))
    return {name for name in visitor.names - NOT_PUBLIC if not hasattr(builtins, name)}


def returned_types(owner: type) -> set[str]:
    """Return the classes of this package that the public methods and properties of a class return."""
    result: set[str] = set()
    for name, member in inspect.getmembers_static(owner):
        if isinstance(member, property):
            member = member.fget
        elif isinstance(member, cached_property):
            member = member.func
        if not name.startswith("_") and callable(member):
            annotation = inspect.unwrap(member).__annotations__.get("return") or "None"
            result |= named_types(annotation)
    return result
