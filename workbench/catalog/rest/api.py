"""The operations of a REST service (Java ``RESTApi``), with documents in and out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workbench.base.errors import CatalogError
from workbench.catalog.rest.auth import auth_for, required
from workbench.catalog.rest.client import ANSWER_SECONDS, RestClient
from workbench.catalog.rest.paths import CONFIG, ResourcePaths
from workbench.format.options.values import parse_duration

Json = dict[str, Any]
_HEADER = "header."
_MOST_PAGES = 100_000


@dataclass(frozen=True)
class Page:
    """A part of a listing, and the token of the next one; None if there is none."""

    items: list[Any]
    next: str | None


class RestApi:
    """The operations of a service.

    Args:
        options: The options of the catalog, after those of the service have been merged into them.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.client = _client(options, options)
        self.paths = ResourcePaths(options.get("prefix"))

    # --- listings -------------------------------------------------------------------------------------------------

    def list_databases(self, **filters: str | int | None) -> list[str]:
        """Return the names of all databases."""
        return self._all(self.paths.databases(), "databases", filters)

    def list_objects(self, kind: str, database: str, **filters: str | int | None) -> list[str]:
        """Return the names of all ``tables``, ``views`` or ``functions`` of a database.

        Args:
            kind: What is listed.
            database: The name of the database.
            filters: Parameters of the protocol, such as ``tableNamePattern``, in which ``%`` matches any text.
        """
        return self._all(self.paths.objects(kind, database), kind, filters)

    def page(self, path: str, key: str, **query: str | int | None) -> Page:
        """Return one page of a listing, of ``maxResults`` items, from ``pageToken`` on."""
        given = {name: str(value) for name, value in query.items() if value is not None}
        answer = self.client.get(path, given) or {}
        return Page(list(answer.get(key) or ()), answer.get("nextPageToken"))

    def _all(self, path: str, key: str, filters: Mapping[str, str | int | None] | None = None) -> list[Any]:
        items: list[Any] = []
        token: str | None = None
        for _ in range(_MOST_PAGES):
            page = self.page(path, key, **{**(filters or {}), "pageToken": token})
            items += page.items
            if not page.next or not page.items or page.next == token:
                break
            token = page.next
        return items

    # --- databases ------------------------------------------------------------------------------------------------

    def database(self, name: str) -> Json:
        """Return a database."""
        return self._object(self.paths.database(name))

    def create_database(self, name: str, options: Mapping[str, str]) -> None:
        """Create a database."""
        self.client.post(self.paths.databases(), {"name": name, "options": dict(options)})

    def alter_database(self, name: str, removals: Sequence[str], updates: Mapping[str, str]) -> None:
        """Remove and set properties of a database."""
        body = {"removals": list(removals), "updates": dict(updates)}
        self.client.post(self.paths.database(name), body, repeatable=True)

    def drop_database(self, name: str) -> None:
        """Remove a database with its tables."""
        self.client.delete(self.paths.database(name))

    # --- tables, views, functions ---------------------------------------------------------------------------------

    def object(self, kind: str, database: str, name: str) -> Json:
        """Return a table, view or function."""
        return self._object(self.paths.object(kind, database, name))

    def create_object(self, kind: str, database: str, name: str, schema: Json) -> None:
        """Create a table or view."""
        self.client.post(
            self.paths.objects(kind, database), {"identifier": _identifier(database, name), "schema": schema}
        )

    def alter_object(self, kind: str, database: str, name: str, changes: Iterable[Json]) -> None:
        """Change a table or view."""
        self.client.post(self.paths.object(kind, database, name), {"changes": list(changes)})

    def rename_object(self, kind: str, old: tuple[str, str], new: tuple[str, str]) -> None:
        """Rename a table or view."""
        body = {"source": _identifier(*old), "destination": _identifier(*new)}
        self.client.post(self.paths.rename(kind), body)

    def drop_object(self, kind: str, database: str, name: str) -> None:
        """Remove a table or view."""
        self.client.delete(self.paths.object(kind, database, name))

    def replace_table(self, database: str, table: str, schema: Json) -> None:
        """Replace the definition of a table."""
        self.client.post(self.paths.table(database, table, "replace"), {"schema": schema})

    # --- versions -------------------------------------------------------------------------------------------------

    def snapshot(self, database: str, table: str) -> Json:
        """Return the newest snapshot of a table, and what it counts."""
        return dict(self._object(self.paths.table(database, table, "snapshot"))["snapshot"])

    def snapshot_of(self, database: str, table: str, version: str) -> Json:
        """Return a snapshot by its id or tag."""
        return dict(self._object(self.paths.table(database, table, "snapshots", version))["snapshot"])

    def commit(self, database: str, table: str, body: Json) -> bool:
        """Commit a snapshot; return False if another one was first."""
        # A commit without an answer is looked for.
        answer = self.client.post(self.paths.table(database, table, "commit"), body, patience=1)
        return bool(self._required(answer).get("success"))

    def roll_back(self, database: str, table: str, instant: Json) -> None:
        """Make an older version the newest one."""
        self.client.post(self.paths.table(database, table, "rollback"), {"instant": instant}, repeatable=True)

    def token(self, database: str, table: str) -> tuple[dict[str, str], float]:
        """Return the credentials for the files of a table, and when they expire, in seconds since the epoch."""
        answer = self._object(self.paths.table(database, table, "token"))
        values = {str(key): str(value) for key, value in answer["token"].items()}
        return values, answer["expiresAtMillis"] / 1000

    # --- branches and partitions ----------------------------------------------------------------------------------

    def branches(self, database: str, table: str) -> list[str]:
        """Return the names of all branches of a table, without main."""
        answer = self.client.get(self.paths.table(database, table, "branches"))
        return list((answer or {}).get("branches") or ())

    def create_branch(self, database: str, table: str, branch: str, tag: str | None) -> None:
        """Create a branch at a tag, or an empty one."""
        self.client.post(self.paths.table(database, table, "branches"), {"branch": branch, "fromTag": tag})

    def drop_branch(self, database: str, table: str, branch: str) -> None:
        """Remove a branch."""
        self.client.delete(self.paths.table(database, table, "branches", branch))

    def forward_branch(self, database: str, table: str, branch: str) -> None:
        """Replace the history of a table by that of a branch."""
        self.client.post(self.paths.table(database, table, "branches", branch, "forward"), {})

    def partitions(self, database: str, table: str, **filters: str | int | None) -> list[Json]:
        """Return the partitions of a table."""
        return self._all(self.paths.table(database, table, "partitions"), "partitions", filters)

    def create_partitions(self, database: str, table: str, specs: Sequence[Mapping[str, str]]) -> None:
        """Register partitions; those that are registered already are kept."""
        body = {"partitionSpecs": [dict(each) for each in specs], "ignoreIfExists": True}
        self.client.post(self.paths.table(database, table, "partitions"), body, repeatable=True)

    def mark_done(self, database: str, table: str, specs: Sequence[Mapping[str, str]]) -> None:
        """Mark partitions as done."""
        body = {"specs": [dict(each) for each in specs]}
        self.client.post(self.paths.table(database, table, "partitions", "mark"), body, repeatable=True)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _object(self, path: str) -> Json:
        return self._required(self.client.get(path))

    def _required(self, answer: Any) -> Json:
        if not isinstance(answer, dict):
            raise CatalogError(f"{self.client.service} gave an answer without content.", "Check option 'uri'.")
        return answer


def merged_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a catalog with those of its service (Java ``ConfigResponse.merge``): the service's defaults
    are replaced by the given options, and these by the service's overrides.

    Raises:
        CatalogError: The service does not answer, or does not know the warehouse.
    """
    warehouse = options.get("warehouse")
    answer = _client(options, options).get(CONFIG, {"warehouse": warehouse} if warehouse else {}) or {}
    merged = {**(answer.get("defaults") or {}), **options, **(answer.get("overrides") or {})}
    headers = {key: value for key, value in options.items() if key.startswith(_HEADER)}
    return {str(key): str(value) for key, value in {**headers, **merged}.items() if value is not None}


def api_for(options: Mapping[str, str]) -> RestApi:
    """Return the operations of the service that merged options name; the same for all its tables in this process."""
    return _api(frozenset(options.items()), os.getpid())


@lru_cache(maxsize=64)
def _api(options: frozenset[tuple[str, str]], process: int) -> RestApi:  # noqa: ARG001
    return RestApi(dict(options))


def _client(options: Mapping[str, str], headers: Mapping[str, str]) -> RestClient:
    named = {key.removeprefix(_HEADER): value for key, value in headers.items() if key.startswith(_HEADER)}
    seconds = options.get("rest.answer-timeout")
    wait = ANSWER_SECONDS if seconds is None else parse_duration(seconds) / 1000
    return RestClient(required(options, "uri"), named, auth_for(options), wait)


def _identifier(database: str, name: str) -> Json:
    return {"database": database, "object": name}
