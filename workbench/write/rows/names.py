"""Which field of a table a name in the rows means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.base.errors import SchemaMismatch
from workbench.format.types.field_matching import unknown_field


def spelled(given: Iterable[str], known: Sequence[str], path: str = "") -> dict[str, str]:
    """Return the spelling in the table of each given name that differs from a known one at most in case.

    Args:
        given: The names in the rows.
        known: The names in the table.
        path: The path of the row, for messages; empty for columns.

    Raises:
        SchemaMismatch: A name fits several known names or none exactly, or several given names mean the same field.
    """
    folded: dict[str, list[str]] = {}
    for name in known:
        folded.setdefault(name.lower(), []).append(name)
    found: dict[str, str] = {}
    meant: dict[str, str] = {}
    for name in given:
        alike = folded.get(name.lower(), [])
        if name not in alike and len(alike) > 1:
            raise SchemaMismatch(
                f"'{joined(path, name)}' is ambiguous: the table has {' and '.join(map(repr, alike))}.",
                "Spell the name as in the table.",
            )
        exact = name if name in alike or not alike else alike[0]
        key = exact if alike else name.lower()
        if key in meant:
            raise SchemaMismatch(
                f"'{joined(path, meant[key])}' and '{joined(path, name)}' are the same name, ignoring case.",
                "Remove or rename one of them.",
            )
        meant[key] = name
        if alike:
            found[name] = exact
    return found


def refuse_unknown(path: str, names: Iterable[object], known: Iterable[str]) -> None:
    """Raise SchemaMismatch if a row at a path has a field that the table lacks."""
    allowed = list(known)
    for name in names:
        if name not in allowed:
            raise unknown_field(path, name, allowed)


def joined(path: str, name: object) -> str:
    """Return the path of a field."""
    return f"{path}.{name}" if path else str(name)


def respelled(names: Sequence[str], spelling: Mapping[str, str]) -> list[str]:
    """Return names as the table spells them; other names are kept."""
    return [spelling.get(name, name) for name in names]
