"""How the fields of nested values are matched to those of a column."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, did_you_mean

_FILL = "Give it NULL if it has no value."


def fields_by_position(given: Sequence[str], target: Sequence[str], path: str) -> list[int]:
    """Return the index of the target's field for each field of a value: the fields have the same order.

    Args:
        given: The fields of the value; their names do not matter.
        target: The fields of the column, or of the nested column, that stores the value.
        path: The name of the nested column, such as ``l.element``.

    Raises:
        SchemaMismatch: If the value has more or fewer fields.
    """
    if len(given) < len(target):
        raise SchemaMismatch(f"The values of '{path}' have no field '{target[len(given)]}'.", _FILL)
    if len(given) > len(target):
        raise SchemaMismatch(
            f"The values of '{path}' have {counted(len(given), 'fields')}, but the column has "
            f"{len(target)}: {', '.join(target)}.",
            f"Remove '{given[len(target)]}', or add it to the column.",
        )
    return list(range(len(given)))


def fields_by_name(given: Sequence[str], target: Sequence[str], path: str, *, fills: bool = False) -> list[int]:
    """Return the index of the target's field for each field of a value: the names are equal, regardless of case.

    Args:
        given: The fields of the value.
        target: The fields of the column, or of the nested column, that stores the value.
        path: The name of the nested column, such as ``l.element``.
        fills: Whether the value may lack fields.

    Raises:
        SchemaMismatch: If the column does not have a field, or the value has one twice or lacks one.
    """
    exact = {name: number for number, name in enumerate(target)}
    folded = {name.lower(): number for name, number in reversed(exact.items())}
    found: list[int] = []
    for name in given:
        number = exact.get(name, folded.get(name.lower()))
        if number is None:
            raise unknown_field(path, name, target)
        if number in found:
            raise SchemaMismatch(f"The values of '{path}' have field '{name}' twice.", "Rename one of them.")
        found.append(number)
    missing = [name for number, name in enumerate(target) if number not in found]
    if missing and not fills:
        raise SchemaMismatch(f"The values of '{path}' have no field '{missing[0]}'.", _FILL)
    return found


def unknown_field(path: str, name: object, known: Sequence[str]) -> SchemaMismatch:
    """Return the error about a field of a value that the column at a path does not have."""
    hint = did_you_mean(name, known) if isinstance(name, str) else None
    return SchemaMismatch(
        f"The table has no field '{path}.{name}'.", hint or f"The fields of '{path}' are {', '.join(known)}."
    )
