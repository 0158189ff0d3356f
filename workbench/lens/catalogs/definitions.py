"""What a database has besides tables: views and functions, and tables of other formats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.secrets import without_credentials
from workbench.catalog.identifier import SYSTEM_DATABASE
from workbench.lens.credentials import OptionValue, describe_options

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.format.types import DataField

_MOST_NAMES = 1000


@dataclass(frozen=True)
class NamesValue:
    """The first names of a list, and how many it has."""

    names: tuple[str, ...]
    total: int


@dataclass(frozen=True)
class OtherEntriesValue:
    """What a database has besides Paimon tables. The ``others`` are tables of other formats."""

    views: NamesValue
    functions: NamesValue
    others: NamesValue


@dataclass(frozen=True)
class EntryFieldValue:
    """A column of a view, or a parameter of a function."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True)
class DefinitionTextValue:
    """A definition in the language of an engine; ``engine`` is empty for the one that was written first."""

    engine: str
    text: str


@dataclass(frozen=True)
class EntryValue:
    """A view or a function. ``fields`` are the columns of a view, or the parameters of a function; ``returns`` is the
    type of the result of a function."""

    name: str
    comment: str
    definitions: tuple[DefinitionTextValue, ...]
    fields: tuple[EntryFieldValue, ...]
    returns: str
    options: tuple[OptionValue, ...]


def collect_other_entries(catalog: Catalog, database: str, search: str = "") -> OtherEntriesValue:
    """Return what a database has besides Paimon tables, by names that contain ``search``. It exists."""
    if database == SYSTEM_DATABASE:
        return OtherEntriesValue(_names((), ""), _names((), ""), _names((), ""))
    # The verbs of the catalog would look up the database again for each empty list.
    metastore = catalog.metastore
    lists = (metastore.list_views, metastore.list_functions, metastore.list_other_tables)
    views, functions, others = (_names(each(database), search) for each in lists)
    return OtherEntriesValue(views, functions, others)


def describe_view(catalog: Catalog, name: str) -> EntryValue:
    """Return a view: its query, its dialects and its columns. Raises DatabaseNotFound, TableNotFound."""
    view = catalog.get_view(name)
    dialects = {engine: text for engine, text in view.dialects.items() if text != view.query}
    texts = _texts({"": view.query, **dialects})
    return EntryValue(name, view.comment or "", texts, _fields(view.fields), "", describe_options(view.options))


def describe_function(catalog: Catalog, name: str) -> EntryValue:
    """Return a function: its definitions, parameters and result. Raises DatabaseNotFound, TableNotFound."""
    function = catalog.get_function(name)
    texts = {
        engine: json.dumps(dict(definition), indent=2, ensure_ascii=False)
        for engine, definition in sorted(function.definitions.items())
    }
    returns = ", ".join(str(each.type) for each in function.outputs)
    options = describe_options(function.options)
    return EntryValue(name, function.comment or "", _texts(texts), _fields(function.inputs), returns, options)


def _names(found: Iterable[str], search: str) -> NamesValue:
    wanted = search.casefold()
    names = sorted(name for name in found if wanted in name.casefold())
    return NamesValue(tuple(names[:_MOST_NAMES]), len(names))


def _texts(texts: Mapping[str, str]) -> tuple[DefinitionTextValue, ...]:
    return tuple(DefinitionTextValue(engine, without_credentials(text)) for engine, text in texts.items())


def _fields(fields: Iterable[DataField]) -> tuple[EntryFieldValue, ...]:
    return tuple(EntryFieldValue(each.name, str(each.type), each.description or "") for each in fields)
