"""What may follow in ``CALL sys.procedure(…)``: procedures, parameters, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.sql.procedures.protocol import TABLE, Procedure
from workbench.sql.procedures.registry import procedure_named, procedure_names

_PROCEDURE = re.compile(r"\bcall\s+(?:paimon\.)?sys\.(\w*)$", re.IGNORECASE)
_ARGUMENTS = re.compile(r"\bcall\s+(?:paimon\.)?sys\.(\w+)\s*\(((?:[^()']|'[^']*')*)$", re.IGNORECASE)
_OPEN_TABLE = re.compile(rf"{TABLE.name}`?\s*=>\s*'([\w.$]*)$", re.IGNORECASE)


def procedure_candidates(before: str) -> tuple[list[str], str] | None:
    """Return the procedures that may follow ``CALL sys.``, and the typed part of the name; None elsewhere."""
    found = _PROCEDURE.search(before)
    return None if found is None else ([f"{name}(" for name in procedure_names()], found[1])


def parameter_candidates(before: str) -> tuple[list[tuple[str, str]], str] | None:
    """Return the remaining parameters of the call in which ``before`` ends, with descriptions, and the typed part of
    the name; None outside of a call and inside of a string."""
    call = _ARGUMENTS.search(before)
    if call is None or call[1].lower() not in procedure_names():
        return None
    fragment = re.search(r"(?:^|[(,]\s*)(\w*)$", call[2])
    if fragment is None:
        return None
    procedure = procedure_named(call[1])
    return list(_parameters(procedure, call[2])), fragment[1]


def table_fragment(before: str) -> str | None:
    """Return the typed part of a table's name after ``table => '``, or None elsewhere."""
    call = re.search(r"\bcall\s+(?:paimon\.)?sys\.\w+\s*\(.*$", before, re.IGNORECASE | re.DOTALL)
    found = None if call is None else _OPEN_TABLE.search(call[0])
    return None if found is None else found[1]


def _parameters(procedure: Procedure, written: str) -> Iterator[tuple[str, str]]:
    for parameter in procedure.parameters:
        if re.search(rf"\b{parameter.name}`?\s*=>", written, re.IGNORECASE) is None:
            kind = "required" if parameter.required else "optional"
            yield f"{parameter.name} => ", f"parameter, {parameter.type}, {kind}"
