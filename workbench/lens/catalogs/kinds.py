"""Kinds of catalogs, and the catalogs that are known by name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from workbench.base.errors import CatalogError
from workbench.base.secrets import HiddenSecrets, without_credentials
from workbench.catalog.connect import refuses_changes
from workbench.catalog.kinds import KINDS, CatalogKind, CatalogOption, kind_of
from workbench.catalog.named import user_catalog_file
from workbench.lens.credentials import OptionValue

Origin = Literal["user", "server", "session"]


@dataclass(frozen=True)
class CatalogOptionValue:
    """An option in the form of a kind of catalogs. ``choices`` are all its values; any value if there are none.
    ``only_with`` is the value of another option with which this one has a meaning; None if it always has."""

    name: str
    meaning: str
    example: str
    required: bool
    secret: bool
    choices: tuple[str, ...]
    only_with: OptionValue | None


@dataclass(frozen=True)
class CatalogKindValue:
    """A kind of catalogs. ``metastore`` is the value of the option of this name."""

    metastore: str
    title: str
    options: tuple[CatalogOptionValue, ...]


@dataclass(frozen=True)
class CatalogKindsValue:
    """All kinds of catalogs. ``file`` is the user's catalog file."""

    items: tuple[CatalogKindValue, ...]
    file: str


@dataclass(frozen=True)
class CatalogValue:
    """A catalog. ``options`` and the other texts contain no secrets. ``kind`` is the title of its kind, ``address``
    where its service or its warehouse is. ``origin`` is where it is defined: in the user's catalog file, in that of the
    environment, or in the running server. ``read_only`` is whether every change is refused."""

    name: str
    warehouse: str
    metastore: str
    origin: Origin
    read_only: bool = False
    kind: str = ""
    address: str = ""
    options: tuple[OptionValue, ...] = ()


@dataclass(frozen=True)
class CatalogsValue:
    """All catalogs, by name."""

    items: tuple[CatalogValue, ...]


def describe_kinds() -> CatalogKindsValue:
    """Return the kinds of catalogs in the order in which they are registered."""
    return CatalogKindsValue(tuple(map(_kind, KINDS.values())), str(user_catalog_file()))


def _kind(kind: CatalogKind) -> CatalogKindValue:
    return CatalogKindValue(kind.metastore, kind.title, tuple(map(_option, kind.options)))


def _option(each: CatalogOption) -> CatalogOptionValue:
    only_with = None if each.only_with is None else OptionValue(*each.only_with)
    return CatalogOptionValue(
        each.name, each.meaning, each.example, each.is_required, each.is_secret, each.choices, only_with
    )


def describe_catalog(name: str, options: Mapping[str, str], origin: Origin) -> CatalogValue:
    """Return the value of a catalog with Paimon's catalog options; its directories are absolute paths."""
    kind, known, read_only = options.get("metastore", "filesystem"), dict(options), False
    secret: set[str] | None = None
    # Invalid options are shown as written; opening the catalog reports the error.
    with suppress(CatalogError):
        registered = kind_of(options)
        kind, secret = registered.title, registered.secret_names(options)
        known = registered.absolute(options)
    with suppress(CatalogError):
        read_only = refuses_changes(options)
    shown = HiddenSecrets(known, secret_names=secret).shown()
    warehouse = shown.get("warehouse", "")
    return CatalogValue(
        name,
        warehouse,
        options.get("metastore", "filesystem"),
        origin,
        read_only,
        kind,
        without_credentials(shown.get("uri", warehouse)),
        tuple(OptionValue(key, text) for key, text in shown.items()),
    )
