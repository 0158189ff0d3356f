"""The kinds of catalogs, by the option ``metastore``: how each is opened, and which options it has. The form of the
panel and the documentation are made from them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from workbench.base.errors import CatalogError, UnknownOption, did_you_mean, misspelled
from workbench.base.secrets import REFERENCE, names_a_secret
from workbench.catalog.catalog import Catalog
from workbench.catalog.named import absolute_warehouse
from workbench.storage.read_only import SPELLINGS

CatalogFactory = Callable[[Mapping[str, str]], Catalog]


# Options of every catalog, and the prefixes of options of storages, tables, services and drivers.
_OF_ALL_KINDS = (
    *("metastore", "warehouse", *SPELLINGS, "lock.enabled", "lock.type", "lock.directory"),
    *("lock-check-max-sleep", "lock-acquire-timeout", "client-pool-size", "sync-all-properties", "table.type"),
    *("catalog-options-table.enabled", "cache-enabled", "case-sensitive", "format-table.enabled"),
)
_PASSED_ON = ("table-default.", "header.", "jdbc.", "hive.", "fs.", "hadoop.", "fsspec.", "s3.", "s3a.", "oss.")


@dataclass(frozen=True)
class CatalogOption:
    """An option of a kind of catalogs."""

    name: str
    """Its name, as in Paimon."""

    meaning: str
    """What it says, in a few words."""

    example: str = ""
    """A value that shows the form, such as ``thrift://host:9083``."""

    is_required: bool = False
    """Whether there is no catalog without it."""

    is_secret: bool = False
    """Whether its value is never shown."""

    choices: tuple[str, ...] = ()
    """All values that it can have; any value if there are none."""

    is_location: bool = False
    """Whether it is a directory or URL. Directories are stored as absolute paths."""

    only_with: tuple[str, str] | None = None
    """Another option and the value of it with which this one has a meaning; None if it always has."""


@dataclass(frozen=True)
class CatalogKind:
    """A kind of catalogs."""

    metastore: str
    """The value of the option ``metastore``."""

    title: str
    """What it is called, such as ``Hive Metastore``."""

    open: CatalogFactory
    """Opens a catalog from its options."""

    options: tuple[CatalogOption, ...] = ()
    """The options that users set most often, in the order of a form; others are passed on, too."""

    others: tuple[str, ...] = ()
    """The names of the other options that it knows, which a form does not show."""

    registers_tables: bool = True
    """Whether a service knows the tables of a catalog, so that a change of their directories bypasses it."""

    def secret_names(self, options: Iterable[str]) -> set[str]:
        """Return the names of the options that hold secrets."""
        declared = {each.name: each.is_secret for each in self.options}
        return {name for name in options if declared.get(name, names_a_secret(name))}

    def check(self, options: Mapping[str, str]) -> None:
        """Raise CatalogError if an option that is required is missing."""
        for each in self.options:
            if each.is_required and not options.get(each.name):
                example = f", such as {each.example}" if each.example else ""
                raise CatalogError(f"The option '{each.name}' is missing.", f"{each.meaning}{example}.")

    def check_names(self, options: Iterable[str]) -> None:
        """Raise UnknownOption if the name of an option is nearly that of one that the kind knows. Others are passed on,
        to storages and tables."""
        known = {*(each.name for each in self.options), *self.others, *_OF_ALL_KINDS}
        for name in options:
            near = None if name in known or name.startswith(_PASSED_ON) else misspelled(name, known)
            if near is not None:
                raise UnknownOption(
                    f"Catalogs with 'metastore' = '{self.metastore}' have no option '{name}'.",
                    f"Did you mean '{near}'?",
                )

    def absolute(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return options whose directories are absolute paths; references are kept. Raises CatalogError if a location
        is not valid."""
        places = [each.name for each in self.options if each.is_location and each.name in options]
        written = {name: options[name] for name in places if not REFERENCE.search(options[name])}
        return {**options, **{name: absolute_warehouse(text) for name, text in written.items()}}


def opened_by(module: str) -> CatalogFactory:
    """Return the function ``open_catalog`` of a module, which is loaded when the first such catalog is opened."""
    return lambda options: cast("Catalog", importlib.import_module(module).open_catalog(options))


WAREHOUSE = CatalogOption(
    "warehouse", "The directory or URL of the tables", "s3://bucket/warehouse", is_required=True, is_location=True
)

KINDS: dict[str, CatalogKind] = {}


def register_kind(kind: CatalogKind) -> None:
    """Add a kind of catalogs, or replace the one of the same name."""
    KINDS[kind.metastore] = kind


register_kind(
    CatalogKind(
        "filesystem",
        "Directory or bucket",
        opened_by("workbench.catalog.filesystem"),
        options=(WAREHOUSE,),
        registers_tables=False,
    )
)

register_kind(
    CatalogKind(
        "hive",
        "Hive Metastore",
        opened_by("workbench.catalog.hive.catalog"),
        options=(
            CatalogOption("uri", "The servers of the metastore, separated by commas", "thrift://host:9083"),
            CatalogOption(
                "warehouse", "The directory or URL of new databases; that of the metastore by default", is_location=True
            ),
            CatalogOption(
                "hive-conf-dir", "The directory of a hive-site.xml, instead of the servers", "/etc/hive/conf"
            ),
            CatalogOption(
                "lock.enabled",
                "Whether writers hold the lock of the metastore; by default on object stores",
                choices=("true", "false"),
            ),
            CatalogOption(
                "location-in-properties",
                "Whether the metastore keeps directories only as properties, because it cannot open them",
                choices=("true", "false"),
            ),
        ),
        others=("hadoop-conf-dir", "alter-table-cascade", "metastore.client.class"),
    )
)

register_kind(
    CatalogKind(
        "jdbc",
        "JDBC database",
        opened_by("workbench.catalog.jdbc.catalog"),
        options=(
            CatalogOption("uri", "The address of the database", "jdbc:postgresql://host:5432/paimon", is_required=True),
            WAREHOUSE,
            CatalogOption("jdbc.user", "The user of the database"),
            CatalogOption("jdbc.password", "The password of the user", is_secret=True),
            CatalogOption("catalog-key", "The name of the catalog in the database; 'jdbc' by default"),
            CatalogOption(
                "lock.enabled",
                "Whether writers hold a lock in the database; by default on object stores",
                choices=("true", "false"),
            ),
        ),
        others=("lock-key-max-length",),
    )
)

_BEARER, _DLF = ("token.provider", "bear"), ("token.provider", "dlf")

register_kind(
    CatalogKind(
        "rest",
        "REST service",
        opened_by("workbench.catalog.rest.catalog"),
        options=(
            CatalogOption("uri", "The address of the service", "https://host:port", is_required=True),
            CatalogOption("warehouse", "The name of the warehouse in the service", "sales"),
            CatalogOption(
                "token.provider", "How requests are authenticated", is_required=True, choices=("bear", "dlf")
            ),
            CatalogOption("token", "The bearer token", is_secret=True, only_with=_BEARER),
            CatalogOption("dlf.access-key-id", "The id of the access key", only_with=_DLF),
            CatalogOption("dlf.access-key-secret", "The secret of the access key", is_secret=True, only_with=_DLF),
            CatalogOption("dlf.security-token", "The token of a temporary access key", is_secret=True, only_with=_DLF),
            CatalogOption(
                "dlf.region",
                "The region of the service, if its address does not contain it",
                "cn-hangzhou",
                only_with=_DLF,
            ),
        ),
        others=(
            *("dlf.token-path", "dlf.token-loader", "dlf.token-ecs-role-name", "dlf.token-ecs-metadata-url"),
            *("dlf.signing-algorithm", "dlf.oss-endpoint", "data-token.enabled", "rest.answer-timeout", "prefix"),
        ),
    )
)


def kind_of(options: Mapping[str, str]) -> CatalogKind:
    """Return the kind of the catalog that options describe.

    Raises:
        CatalogError: There is no such kind; the message suggests the most similar name.
    """
    metastore = options.get("metastore", "filesystem")
    if metastore not in KINDS:
        known = f"Known are: {', '.join(sorted(KINDS))}."
        raise CatalogError(f"There is no metastore '{metastore}'.", did_you_mean(metastore, KINDS) or known)
    return KINDS[metastore]


def kind_at(address: str) -> CatalogKind | None:
    """Return the kind of the catalogs that are at such addresses, by the example of its option ``uri``; None for
    directories.

    Example:
        >>> kind_at("thrift://metastore:9083").metastore
        'hive'
    """
    scheme = address.partition(":")[0].lower()
    for kind in KINDS.values():
        for option in kind.options:
            if option.name == "uri" and option.example.partition(":")[0] in (scheme, f"{scheme}s"):
                return kind
    return None
