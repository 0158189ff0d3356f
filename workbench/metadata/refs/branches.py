"""The branches of a table, which are separate histories over the same data files (format §1, §23, `BranchManager`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from workbench.base.errors import InvalidSchema, TableNotFound, did_you_mean
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.schemas import same_table
from workbench.metadata.store import TableStore

SEPARATOR = "$branch_"
"""The separator between the name of a table and the name of its branch."""


def all_branches(store: TableStore) -> dict[str, int]:
    """Return when each branch was created or last changed, in milliseconds since the epoch, by name, without
    ``main``. The time of a branch of a service is 0 if it has no directory."""
    listed = store.file_io.list_files(store.path(paths.BRANCH_DIRECTORY))
    named = [(paths.name_after("branch-", status.name), status) for status in listed if status.is_directory]
    times = {name: status.modified_millis for name, status in named if name is not None}
    service = store.branch_service
    names = times if service is None else service.names()
    return {name: times.get(name, 0) for name in sorted(names)}


def open_branch(store: TableStore, name: str) -> TableStore:
    """Return the table as a branch sees it, with the newest schema of that branch; ``main`` is the table itself.

    Raises:
        TableNotFound: There is no such branch; the message suggests similar names.
    """
    table = store.name.partition(SEPARATOR)[0]
    if name != paths.MAIN_BRANCH:
        check_branch(store, name)
    full_name = table if name == paths.MAIN_BRANCH else f"{table}{SEPARATOR}{name}"
    branch = replace(store, name=full_name, branch=name, read_options=None, stored=None, origin=None)
    schema = branch.schemas.latest()
    if schema is None:
        raise TableNotFound(
            f"Branch '{name}' of table {table} has no schema.", "Its creation was interrupted; drop the branch."
        )
    return replace(branch, schema=schema)


def check_branch(store: TableStore, name: str) -> None:
    """Check that a branch other than main exists, even if its creation was interrupted.

    Raises:
        TableNotFound: There is no such branch; the message suggests similar names.
    """
    # The name is looked up in the listing: a name that users type must not become part of a path.
    branches = all_branches(store)
    if name not in branches:
        same_table(store)
        table = store.name.partition(SEPARATOR)[0]
        known = [*branches, paths.MAIN_BRANCH]
        raise TableNotFound(f"Table {table} has no branch '{name}'.", did_you_mean(name, known) or _listed(known))


def check_branch_options(schema: TableSchema, branches: Collection[str]) -> None:
    """Refuse options of a table that name a branch which is not in ``branches``. A new table has none, not even main.

    Raises:
        InvalidSchema: The message names option and branch, or two options that exclude each other.
    """
    named = list(schema.core.other_branches)
    if len(named) > 1:
        raise InvalidSchema(f"Options '{named[0]}' and '{named[1]}' cannot both be set.", "Remove one of them.")
    for name in named:
        branch = schema.options[name]
        if branch not in branches:
            hint = did_you_mean(branch, branches) or "Create the branch first."
            raise InvalidSchema(f"Option '{name}' names branch '{branch}', which does not exist.", hint)


def _listed(names: list[str]) -> str:
    return f"It has {'only ' if len(names) == 1 else ''}{', '.join(names)}."
