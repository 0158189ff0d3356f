"""What the worker can be asked for: an operation finds what it is about, then lets the lens gather it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from workbench.base.errors import AlreadyExists
from workbench.base.progress import Progress
from workbench.catalog.connect import connect
from workbench.catalog.named import named_catalogs, remember_catalog
from workbench.lens.catalog import CatalogsValue, gather_databases, gather_tables, tell_catalog
from workbench.lens.environment import gather_environment
from workbench.lens.levels import gather_levels
from workbench.lens.schema import gather_schema_history
from workbench.lens.summary import gather_summary
from workbench.lens.timeline import gather_timeline
from workbench.lens.wire import Int64, to_json
from workbench.server.entity_tags import entity_tag, newest_facts, schema_facts, tag_facts, version_facts
from workbench.server.protocol import POLL, Answer, Request
from workbench.server.shelf import Shelf
from workbench.table.table import Table

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """An answer that is still to be read. Whoever has an answer of the same ``entity_tag`` needs none."""

    gather: Callable[[], object]
    entity_tag: str | None = None
    status: HTTPStatus = HTTPStatus.OK


@dataclass(frozen=True)
class NewestValue:
    """The newest snapshot of a table, None where it was never written."""

    snapshot: Int64 | None


def answer_to(request: Request, shelf: Shelf, progress: Progress) -> Answer:
    """Do what a request asks for. Raises what reading raises, and Cancelled between its steps."""
    progress.check()
    reading = _OPERATIONS[request.operation](shelf, request.arguments)
    if reading.entity_tag is not None and reading.entity_tag in request.entity_tags:
        return Answer(HTTPStatus.NOT_MODIFIED, b"", reading.entity_tag)
    progress.check()
    value = reading.gather()
    progress.check()
    text = json.dumps(to_json(value), ensure_ascii=False, separators=(",", ":"))
    # A file name that is no UTF-8 has halves of characters, which no encoding knows.
    return Answer(reading.status, text.encode(errors="replace"), reading.entity_tag)


# --- catalogs -----------------------------------------------------------------------------------------------------


def _environment(_shelf: Shelf, _asked: Arguments) -> Reading:
    return Reading(gather_environment)


def _catalogs(_shelf: Shelf, asked: Arguments) -> Reading:
    named = [tell_catalog(each.name, each.options, each.origin) for each in named_catalogs().values()]
    session = [tell_catalog(name, options, "session") for name, options in asked["session_catalogs"].items()]
    found = {each.name: each for each in (*named, *session)}
    return Reading(lambda: CatalogsValue(tuple(found[name] for name in sorted(found))))


def _add_catalog(_shelf: Shelf, asked: Arguments) -> Reading:
    name, options = asked["catalog"], asked["options"]
    if name in named_catalogs():
        raise AlreadyExists(f"There is a catalog '{name}' already.", "Choose another name.")
    connect(options).list_databases()
    if asked["remember"]:
        remember_catalog(name, options)
    value = tell_catalog(name, options, "user" if asked["remember"] else "session")
    return Reading(lambda: value, status=HTTPStatus.CREATED)


def _databases(shelf: Shelf, asked: Arguments) -> Reading:
    catalog = shelf.catalog(asked["catalog"], asked["session_options"])
    return Reading(lambda: gather_databases(catalog, asked["search"], asked["cursor"], asked["limit"]))


def _tables(shelf: Shelf, asked: Arguments) -> Reading:
    catalog = shelf.catalog(asked["catalog"], asked["session_options"])
    page = asked["search"], asked["cursor"], asked["limit"]
    return Reading(lambda: gather_tables(catalog, asked["database"], *page))


# --- one table ----------------------------------------------------------------------------------------------------


def _table(shelf: Shelf, asked: Arguments) -> Table:
    return shelf.table(asked["catalog"], asked["session_options"], asked["database"], asked["table"])


def _at_version(table: Table, asked: Arguments) -> Table:
    if asked["snapshot"] is None and asked["tag"] is None:
        return table
    return table.at(snapshot=asked["snapshot"], tag=asked["tag"])


def _summary(shelf: Shelf, asked: Arguments) -> Reading:
    table = _table(shelf, asked)
    shown = _at_version(table, asked)
    facts = version_facts(shown), newest_facts(table), schema_facts(shown)
    return Reading(lambda: gather_summary(shown), entity_tag(*facts))


def _schema(shelf: Shelf, asked: Arguments) -> Reading:
    table = _table(shelf, asked)
    shown = _at_version(table, asked)
    return Reading(lambda: gather_schema_history(shown), entity_tag(schema_facts(table), schema_facts(shown)))


def _timeline(shelf: Shelf, asked: Arguments) -> Reading:
    table = _table(shelf, asked)
    facts = newest_facts(table), tag_facts(table), schema_facts(table)
    return Reading(lambda: gather_timeline(table, asked["cursor"], asked["limit"]), entity_tag(*facts))


def _levels(shelf: Shelf, asked: Arguments) -> Reading:
    shown = _at_version(_table(shelf, asked), asked)
    return Reading(
        lambda: gather_levels(shown, asked["bucket"], asked["cursor"], asked["limit"]),
        entity_tag(version_facts(shown), schema_facts(shown)),
    )


def _newest(shelf: Shelf, asked: Arguments) -> Reading:
    newest = _table(shelf, asked).version
    return Reading(lambda: NewestValue(None if newest is None else newest.id))


_OPERATIONS: dict[str, Callable[[Shelf, Arguments], Reading]] = {
    "environment": _environment,
    "catalogs": _catalogs,
    "add_catalog": _add_catalog,
    "databases": _databases,
    "tables": _tables,
    "summary": _summary,
    "schema": _schema,
    "timeline": _timeline,
    "levels": _levels,
    POLL: _newest,
}
