"""``wb.connect``: from a path, a URL, a name or Paimon's catalog options to a catalog."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from workbench.base.arguments import checked
from workbench.base.errors import CatalogError, ReadOnlyCatalogError, Unsupported, did_you_mean
from workbench.base.secrets import HiddenSecrets
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.catalog.named import is_path, named_catalog
from workbench.catalog.protocol import Catalog
from workbench.catalog.shown_waits import shown_file_io
from workbench.format.options.values import option_text
from workbench.storage.file_io import parent, qualify
from workbench.storage.lock import lock_for
from workbench.storage.read_only import CATALOG_NAME_OPTION, READ_ONLY_OPTION, is_read_only

CatalogFactory = Callable[[Mapping[str, str]], Catalog]
_NOT_SUPPORTED_YET = ("hive", "jdbc", "rest")


def register_catalog(metastore: str, factory: CatalogFactory) -> None:
    """Register a catalog that `connect` can open.

    Args:
        metastore: The value of the option ``metastore`` that selects the catalog.
        factory: Opens a catalog from the catalog options. It supports ``read_only`` if the `FileIO` of its catalog
            comes from `file_io_for`, and the catalog calls `FileIO.check_writable` before every other change.

    Example:
        >>> register_catalog("toy", lambda options: ToyCatalog(options))
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
        CatalogError: The path is not a directory, no catalog file has the name, or there is no warehouse.
        Unsupported: Paimon has this metastore, but this library does not support it or cannot open it read-only.

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
        return _checked_guard(_FACTORIES[metastore](given), metastore, given)
    if metastore in _NOT_SUPPORTED_YET:
        raise Unsupported(
            f"Catalogs with 'metastore' = '{metastore}' are not supported yet.", "Open the warehouse directory."
        )
    raise CatalogError(
        f"There is no metastore '{metastore}'.", did_you_mean(metastore, (*_FACTORIES, *_NOT_SUPPORTED_YET))
    )


def _checked_guard(catalog: Catalog, metastore: str, given: Mapping[str, str]) -> Catalog:
    """Return the catalog, after checking that its storage refuses changes if the options require that."""
    if not is_read_only(given):
        return catalog
    try:
        catalog.file_io.check_writable()
    except ReadOnlyCatalogError:
        return catalog
    raise Unsupported(
        f"Catalogs with 'metastore' = '{metastore}' cannot be opened read-only.",
        "Open the storage of the catalog with file_io_for, which refuses changes.",
    )


def _open_file_system(given: Mapping[str, str]) -> FileSystemCatalog:
    if "warehouse" not in given:
        raise CatalogError("No warehouse is given.", "Pass its directory or URL: connect('/data/warehouse').")
    warehouse = qualify(given["warehouse"])
    file_io = shown_file_io(warehouse, given)
    if file_io.is_local:
        _check_directory(warehouse)
    return FileSystemCatalog(warehouse, file_io, given, lock=lock_for(given))


_FACTORIES: dict[str, CatalogFactory] = {"filesystem": _open_file_system}


def _options_of(target: str) -> Mapping[str, str]:
    return {"warehouse": target} if is_path(target) else named_catalog(target).options


def _check_directory(warehouse: str) -> None:
    """Check that the warehouse is a directory, or can be created as one. If its parent directory is missing too, the
    path is considered a mistake."""
    if os.path.isdir(warehouse):
        return
    if os.path.exists(warehouse):
        raise CatalogError(
            f"{warehouse} is a file, not a warehouse.", "Pass the directory that contains the databases."
        )
    if not os.path.isdir(parent(warehouse)):
        raise CatalogError(f"There is no warehouse at {warehouse}.", f"{parent(warehouse)} does not exist either.")


def refuses_changes(options: Mapping[str, Any]) -> bool:
    """Return whether a catalog with these options is read-only. Raises CatalogError if the option is invalid."""
    return is_read_only(options)
