"""Finds out whether a table that was opened by its directory belongs to another configured catalog.

A directory does not say it. A change of the directory of a table in a Hive, JDBC or REST catalog bypasses that
catalog: its locks, its properties and partitions, and for REST its snapshots, so that the next commit fails.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import CatalogError
from workbench.base.parallel import parallel_map
from workbench.base.secrets import REFERENCE
from workbench.metadata.protocol import OwnerCheck, Ownership
from workbench.storage.file_io import scheme

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.catalog.identifier import Identifier

LIMIT_SECONDS = 5.0
"""How long the catalogs may take to answer before a change; a service that is down must not block it."""

_KEPT_SECONDS = 60.0
_READERS = 8
# Several schemes name the same storage.
_SAME = {"s3a": "s3", "s3n": "s3", "abfss": "abfs", "wasbs": "wasb", "": "file"}

_session_catalogs: dict[str, Mapping[str, str]] = {}


def know_catalogs(catalogs: Mapping[str, Mapping[str, str]]) -> None:
    """Add catalogs that no catalog file configures, by their names: those that were added to the server."""
    _session_catalogs.update(catalogs)


@dataclass
class DirectoryOwnerCheck(OwnerCheck):
    """Whether a table in a directory belongs to a catalog. The answer is kept once it is known.

    Args:
        identifier: The name of the table in the directory.
        location: Its directory.
    """

    identifier: Identifier
    location: str
    _known: Ownership | None = None

    def check(self) -> None:
        """Raise CatalogError if the table belongs to another catalog; warn if a catalog does not answer."""
        if self._known is not None and self._known.catalog is None:
            return
        found = self.ownership()
        if found.catalog is not None:
            raise CatalogError(
                f"{self.location} belongs to catalog '{found.catalog}', as table {found.table}, and a change of the "
                "directory would bypass that catalog.",
                f"Change it there: wb.connect('{found.catalog}').get_table('{found.table}').",
            )
        if found.unknown:
            warnings.warn(
                f"Whether {self.identifier} belongs to another catalog is not known: {'; '.join(found.unknown)}.",
                stacklevel=3,
            )

    def ownership(self) -> Ownership:
        """Return the catalog to which the table belongs, and the catalogs that did not answer."""
        if self._known is None:
            self._known = _ask_all(self.identifier, self.location)
        return self._known


def _ask_all(identifier: Identifier, location: str) -> Ownership:
    try:
        candidates = _candidates(location)
    except CatalogError as error:
        return Ownership(unknown=(f"the catalog files cannot be read: {error.message}",))
    answers = [_answer(name, options, identifier.database) for name, options in candidates.items()]
    unknown = []
    for answer in answers:
        answer.done.wait(max(0.0, answer.begin + LIMIT_SECONDS - time.monotonic()))
        table = answer.locations.get(_normal(location))
        if table is not None:
            return Ownership(answer.name, table)
        if not answer.done.is_set():
            unknown.append(f"catalog '{answer.name}' did not answer within {LIMIT_SECONDS:g} s")
        elif answer.problem is not None:
            unknown.append(f"catalog '{answer.name}' cannot be read: {answer.problem}")
    return Ownership(unknown=tuple(unknown))


def _candidates(location: str) -> dict[str, Mapping[str, str]]:
    """Return the configured catalogs that register tables and may have one at a location."""
    # Loaded here, because few processes have such catalogs.
    from workbench.catalog.kinds import KINDS
    from workbench.catalog.named import is_path, named_catalogs

    configured = {name: each.options for name, each in named_catalogs().items()} | _session_catalogs
    found = {}
    for name, options in configured.items():
        kind = KINDS.get(options.get("metastore", "filesystem"))
        warehouse = options.get("warehouse", "")
        # The warehouse of a service may be a name; what a reference stands for is known only when it is opened.
        is_known = is_path(warehouse) and not REFERENCE.search(warehouse)
        may_contain = not is_known or not warehouse or _storage(warehouse) == _storage(location)
        if kind is not None and kind.registers_tables and may_contain:
            found[name] = options
    return found


class _Answer:
    """The locations of the tables of one database of a catalog, which a thread collects."""

    def __init__(self, name: str, options: Mapping[str, str], database: str) -> None:
        self.name = name
        self.begin = time.monotonic()
        self.locations: dict[str, str] = {}
        self.problem: str | None = None
        self.done = threading.Event()
        threading.Thread(target=self._collect, args=(options, database), name="workbench-owners", daemon=True).start()

    def _collect(self, options: Mapping[str, str], database: str) -> None:
        from workbench.catalog.connect import connect

        try:
            catalog = connect(options, read_only=True)
            tables = catalog.metastore.list_tables(database)
            parallel_map(lambda table: self._add(catalog, database, table), tables, workers=_READERS)
        except Exception as error:  # noqa: BLE001 - reported to the caller, whose change is not the catalog's
            self.problem = str(error) or type(error).__name__
        finally:
            self.done.set()

    def _add(self, catalog: Catalog, database: str, table: str) -> None:
        from workbench.catalog.identifier import Identifier

        found = catalog.metastore.get_table(Identifier(database, table))
        if found is not None:
            self.locations[_normal(found.location)] = str(found.identifier)


_answers: dict[tuple[str, str], _Answer] = {}
_answering = threading.Lock()


def _answer(name: str, options: Mapping[str, str], database: str) -> _Answer:
    """Return what a catalog answers, or answered within the last minute."""
    key = (name, database)
    with _answering:
        known = _answers.get(key)
        if known is None or time.monotonic() - known.begin > _KEPT_SECONDS:
            known = _answers[key] = _Answer(name, options, database)
        return known


def forget_answers() -> None:
    """Forget what catalogs answered, as tests do after they change a catalog."""
    with _answering:
        _answers.clear()


def _normal(location: str) -> str:
    from workbench.storage.file_io import qualify

    path = qualify(location)
    before, mark, rest = path.partition("://")
    return f"{_kind(path)}://{(rest if mark else before).rstrip('/')}"


def _storage(location: str) -> tuple[str, str]:
    """Return the kind of the storage and, unless it is local, the bucket."""
    kind = _kind(location)
    return kind, "" if kind == "file" else location.partition("://")[2].partition("/")[0]


def _kind(location: str) -> str:
    kind = scheme(location)
    return _SAME.get(kind, kind)
