"""The tables of a database whose columns or comments contain a text."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidRequest, TableNotFound, WorkbenchError
from workbench.base.parallel import parallel_stream
from workbench.base.progress import Progress
from workbench.base.secrets import without_secrets
from workbench.catalog.identifier import Identifier
from workbench.lens.search.matches import SchemaMatch, schema_matches

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

# Opening a table mostly waits for the storage.
_READERS = 16
_SHOWN_MATCHES = 2
# Each answer lists the tables again, which is slow on object stores: then more of them are read for an answer.
_LISTINGS = 3


@dataclass(frozen=True)
class FoundTable:
    """A table that was found by its schema: the first ``matches`` of ``count``."""

    table: str
    matches: tuple[SchemaMatch, ...]
    count: int


@dataclass(frozen=True)
class UnreadTable:
    """A table whose schema could not be read, and why."""

    table: str
    reason: str


@dataclass(frozen=True)
class TableSearchValue:
    """The tables of a part of a database that were found by their columns and comments; those whose names contain the
    text are left out, because they are found by name.

    ``read`` of ``total`` tables of the database are covered by this answer. ``next`` is the cursor of the next part,
    None after the last one.
    """

    found: tuple[FoundTable, ...]
    unread: tuple[UnreadTable, ...]
    read: int
    total: int
    next: str | None


def search_tables(
    catalog: Catalog,
    database: str,
    text: str,
    cursor: str | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> TableSearchValue:
    """Search the newest schemas of the tables of a database, in the order of their names, for a text.

    Args:
        catalog: The catalog.
        database: The database.
        text: Part of the name of a column or nested field, or of a comment; case is ignored.
        cursor: The name of the last table of the previous part.
        seconds: About how long schemas are read; if listing the tables takes long, they are read longer. By default,
            all of them are read.
        progress: Passes on the request to cancel.

    Raises:
        InvalidRequest: The text is empty.
        DatabaseNotFound: The database does not exist.
        Cancelled: Cancellation was requested.
    """
    wanted = text.strip()
    if not wanted:
        raise InvalidRequest("The text to search for is empty.", "Pass a part of a name or a comment.")
    checked = progress or Progress()
    begun = time.monotonic()
    names = sorted(catalog.list_tables(database))
    listed = time.monotonic()
    deadline = None if seconds is None else listed + max(seconds, _LISTINGS * (listed - begun))
    rest = [name for name in names if cursor is None or name > cursor]

    def search(name: str) -> FoundTable | UnreadTable | None:
        checked.check()
        return None if wanted.casefold() in name.casefold() else _search_table(catalog, database, name, wanted)

    results = list(parallel_stream(search, _until(rest, deadline), _READERS))
    return TableSearchValue(
        found=tuple(each for each in results if isinstance(each, FoundTable)),
        unread=tuple(each for each in results if isinstance(each, UnreadTable)),
        read=len(results),
        total=len(names),
        next=None if len(results) == len(rest) else rest[len(results) - 1],
    )


def _until(names: Sequence[str], deadline: float | None) -> Iterator[str]:
    """Yield names until the deadline, but at least one, so that repeated requests come to an end."""
    for position, name in enumerate(names):
        if position and deadline is not None and time.monotonic() > deadline:
            return
        yield name


def _search_table(catalog: Catalog, database: str, name: str, wanted: str) -> FoundTable | UnreadTable | None:
    try:
        matches = schema_matches(catalog.get_table(Identifier(database, name)).schema, wanted)
    except TableNotFound:
        # It was dropped after the tables were listed.
        return None
    except (WorkbenchError, OSError) as error:
        return UnreadTable(name, without_secrets(str(error)))
    return FoundTable(name, tuple(matches[:_SHOWN_MATCHES]), len(matches)) if matches else None
