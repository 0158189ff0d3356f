"""The branches of a table: other histories over the same data files (format §1, §23, `BranchManager`)."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.errors import TableNotFound, did_you_mean
from workbench.format import paths
from workbench.table.schemas import load_latest_schema, schema_ids
from workbench.table.store import TableStore, branch_location

SEPARATOR = "$branch_"
"""What stands between the names of a table and of a branch of it."""


def all_branches(store: TableStore) -> dict[str, int]:
    """When each branch was made or last changed, in milliseconds since the epoch, by name. Main is not among them."""
    listed = store.file_io.list_files(store.path(paths.BRANCH_DIRECTORY))
    named = [(paths.name_after("branch-", status.name), status) for status in listed if status.is_directory]
    return dict(sorted((name, status.modified_millis) for name, status in named if name is not None))


def open_branch(store: TableStore, name: str) -> TableStore:
    """The table as a branch knows it, with the newest schema of that branch; ``main`` is the table itself.

    Raises:
        TableNotFound: there is no such branch; the message says what comes near.
    """
    table = store.name.partition(SEPARATOR)[0]
    if name != paths.MAIN_BRANCH:
        check_branch(store, name)
    full_name = table if name == paths.MAIN_BRANCH else f"{table}{SEPARATOR}{name}"
    location = branch_location(store.location, name)
    if not schema_ids(store.file_io, location):
        raise TableNotFound(f"Branch '{name}' of table {table} has no schema.", "It was not made to its end; drop it.")
    schema = load_latest_schema(store.file_io, location, full_name)
    return replace(store, name=full_name, branch=name, schema=schema, read_options=None)


def check_branch(store: TableStore, name: str) -> None:
    """Whether there is such a branch beside main, made to its end or not.

    Raises:
        TableNotFound: there is none; the message says what comes near.
    """
    # Looked up in the listing: a name that users type must not become part of a path.
    branches = all_branches(store)
    if name not in branches:
        table = store.name.partition(SEPARATOR)[0]
        known = [*branches, paths.MAIN_BRANCH]
        raise TableNotFound(f"Table {table} has no branch '{name}'.", did_you_mean(name, known) or _listed(known))


def _listed(names: list[str]) -> str:
    return f"It has {'only ' if len(names) == 1 else ''}{', '.join(names)}."
