"""``wb.connect``: from a path, a URL, a name or Paimon's catalog options to a catalog."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from workbench.base.arguments import checked
from workbench.base.errors import CatalogError
from workbench.base.secrets import keep_out_of_messages, without_credentials
from workbench.catalog.catalog import Catalog
from workbench.catalog.kinds import CatalogFactory, CatalogKind, CatalogOption, kind_at, kind_of, register_kind
from workbench.catalog.named import is_path, named_catalog
from workbench.catalog.secret_values import with_values
from workbench.format.options.values import option_text
from workbench.storage.read_only import CATALOG_NAME_OPTION, READ_ONLY_OPTION, is_read_only

_KIND = "metastore"


def register_catalog(metastore: str, factory: CatalogFactory, options: tuple[CatalogOption, ...] = ()) -> None:
    """Register a catalog that `connect` can open.

    Args:
        metastore: The value of the option ``metastore`` that selects the catalog.
        factory: Opens a catalog from the catalog options. It returns a `Catalog` over its `Metastore`.
        options: The options that users set, for the form of the panel.

    Example:
        >>> register_catalog("toy", lambda options: wb.Catalog(ToyMetastore(options), options["warehouse"], options))
        >>> wb.connect(metastore="toy", warehouse="/data/warehouse")
    """
    register_kind(CatalogKind(metastore, metastore, factory, options))


@checked
def connect(
    target: str | os.PathLike[str] | Mapping[str, Any] | None = None, *, read_only: bool = False, **options: Any
) -> Catalog:
    """Open a warehouse.

    Args:
        target: A directory or any fsspec URL; a bare word, which names a catalog in the catalog file of the user or of
            the environment; or a mapping of Paimon's catalog options.
        read_only: Whether to refuse every change to the catalog and its tables. A catalog whose options contain
            ``read_only = true``, as in a catalog file, is read-only in any case. Sandboxes of its tables are allowed.
        options: Paimon's catalog options as keyword arguments (``warehouse=…``), which take precedence. In the value
            of any option, ``${env:NAME}`` and ``${keyring:service/user}`` stand for a variable of the environment and
            for an entry of the keyring.

    Returns:
        The catalog.

    Raises:
        CatalogError: The path is not a directory, no catalog file has the name, there is no such metastore, or options
            that it needs, or what they refer to, are missing.
        UnknownOption: The name of an option is nearly that of one that the kind of catalog has.

    Example:
        >>> wb.connect("/data/warehouse", read_only=True).get_table("shop.orders").to_arrow()
    """
    given = {key: option_text(key, value) for key, value in options.items()}
    if isinstance(target, Mapping):
        given = {**{str(key): option_text(str(key), value) for key, value in target.items()}, **given}
    elif isinstance(target, str):
        given = {**_options_of(target), **given}
    elif target is not None:
        # A path object is a path, even if its text is a bare word.
        given = {"warehouse": os.fspath(target), **given}
    if read_only:
        given[READ_ONLY_OPTION] = "true"
    if isinstance(target, str) and not is_path(target) and is_read_only(given):
        given[CATALOG_NAME_OPTION] = target
    known = with_values(given)
    kind = kind_of(known)
    kind.check_names(known)
    _check_address(known)
    known.secret_names = frozenset(kind.secret_names(known))
    keep_out_of_messages(known[name] for name in known.secret_names | set(known.references))
    return kind.open(known)


def _check_address(options: Mapping[str, str]) -> None:
    """Check that the address of a service is not given as a directory, or without its kind."""
    warehouse, uri = options.get("warehouse", ""), options.get("uri")
    kind = kind_at(warehouse)
    if kind is not None and uri is None:
        raise CatalogError(
            f"'{without_credentials(warehouse)}' is the address of a {kind.title}, not a directory.",
            f"Write wb.connect({_KIND}='{kind.metastore}', uri='…', warehouse='…').",
        )
    if uri is not None and _KIND not in options:
        kind = kind_at(uri)
        raise CatalogError(
            f"The option 'uri' = '{without_credentials(uri)}' is not one of a catalog in a directory.",
            f"Pass {_KIND}='{'…' if kind is None else kind.metastore}', or leave out 'uri'.",
        )


def _options_of(target: str) -> Mapping[str, str]:
    return {"warehouse": target} if is_path(target) else named_catalog(target).options


def refuses_changes(options: Mapping[str, Any]) -> bool:
    """Return whether a catalog with these options is read-only. Raises CatalogError if the option is invalid."""
    return is_read_only(options)
