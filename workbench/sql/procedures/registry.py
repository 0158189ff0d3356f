"""The registry of procedures."""

from __future__ import annotations

from workbench.base.errors import InvalidRequest, Unsupported, did_you_mean
from workbench.sql.procedures import copies, files, migrations, repair, versions, views
from workbench.sql.procedures.protocol import Procedure

_PROCEDURES: dict[str, Procedure] = {}
_NOT_SUPPORTED = (
    *("alter_function", "compact_chain_table", "create_function", "create_global_index", "drop_function"),
    *("drop_global_index", "materialize_deletion_vectors", "reassign_row_id"),
)


def register_procedure(procedure: Procedure) -> None:
    """Add a procedure.

    Raises:
        InvalidRequest: If there is a procedure of that name.
    """
    if procedure.name in _PROCEDURES:
        raise InvalidRequest(f"There is already a procedure '{procedure.name}'.")
    _PROCEDURES[procedure.name] = procedure


def procedure_names() -> tuple[str, ...]:
    """Return the names of all procedures, sorted."""
    return tuple(sorted(_PROCEDURES))


def procedure_named(name: str) -> Procedure:
    """Return the procedure called ``name``, ignoring case.

    Raises:
        Unsupported: If Paimon has the procedure but this library does not.
        InvalidRequest: If there is no such procedure.
    """
    found = _PROCEDURES.get(name.lower())
    if found is not None:
        return found
    if name.lower() in _NOT_SUPPORTED:
        raise Unsupported(f"Procedure '{name}' is not supported.", f"Supported are {', '.join(procedure_names())}.")
    raise InvalidRequest(
        f"There is no procedure '{name}'.",
        did_you_mean(name, procedure_names()) or f"Procedures: {', '.join(procedure_names())}.",
    )


_MODULES = (versions, files, copies, repair, migrations, views)
for _each in (procedure for module in _MODULES for procedure in module.PROCEDURES):
    register_procedure(_each)
