"""``wb.connect``: from a path, a URL, a name or Paimon's catalog options to a catalog."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from typing import Any, cast

from workbench.base.arguments import checked
from workbench.base.errors import CatalogError, did_you_mean
from workbench.base.secrets import HiddenSecrets
from workbench.catalog.catalog import Catalog
from workbench.catalog.named import is_path, named_catalog
from workbench.format.options.values import option_text
from workbench.storage.read_only import CATALOG_NAME_OPTION, READ_ONLY_OPTION, is_read_only

CatalogFactory = Callable[[Mapping[str, str]], Catalog]


def register_catalog(metastore: str, factory: CatalogFactory) -> None:
    """Register a catalog that `connect` can open.

    Args:
        metastore: The value of the option ``metastore`` that selects the catalog.
        factory: Opens a catalog from the catalog options. It returns a
            `Catalog` over its `Metastore`.

    Example:
        >>> register_catalog("toy", lambda options: wb.Catalog(ToyMetastore(options), options["warehouse"], options))
        >>> wb.connect(metastore="toy", warehouse="/data/warehouse")
    """
    _FACTORIES[metastore] = factory


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
        options: Paimon's catalog options as keyword arguments (``warehouse=…``), which take precedence.

    Returns:
        The catalog.

    Raises:
        CatalogError: The path is not a directory, no catalog file has the name, there is no such metastore, or options
            that it needs are missing.

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
    given = HiddenSecrets(given)
    metastore = given.get("metastore", "filesystem")
    if metastore in _FACTORIES:
        return _FACTORIES[metastore](given)
    known = f"Known are: {', '.join(sorted(_FACTORIES))}."
    raise CatalogError(f"There is no metastore '{metastore}'.", did_you_mean(metastore, _FACTORIES) or known)


def _in(module: str) -> CatalogFactory:
    """Return the factory in a module of this package, which is loaded when the first such catalog is opened."""
    return lambda options: cast("Catalog", importlib.import_module(module).open_catalog(options))


_FACTORIES: dict[str, CatalogFactory] = {
    "filesystem": _in("workbench.catalog.filesystem"),
    "rest": _in("workbench.catalog.rest.catalog"),
}


def _options_of(target: str) -> Mapping[str, str]:
    return {"warehouse": target} if is_path(target) else named_catalog(target).options


def refuses_changes(options: Mapping[str, Any]) -> bool:
    """Return whether a catalog with these options is read-only. Raises CatalogError if the option is invalid."""
    return is_read_only(options)
